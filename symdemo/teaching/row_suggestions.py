"""Suggestions for a table: labels that were probably mistyped, and more rows."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import chain, product

from symdemo.data.columns import LABEL_OF_WORD
from symdemo.errors import InputError, SymdemoError
from symdemo.pairs import CONTRADICTION, ENTAILMENT, LABELS, NEUTRAL
from symdemo.swapping import join
from symdemo.swapping.words import is_pronoun
from symdemo.teaching.rows import TeachRow, labelled_pair, same_sentence

_OTHER_WORDS = {
    ENTAILMENT: "y yep yeah yea ja oui si right correct entailed follows implies",
    CONTRADICTION: "n nope not nay non nein wrong incorrect contradicted contradictory",
    NEUTRAL: "perhaps possibly unsure unclear undecided undetermined",
}
_LABEL_OF_OTHER = {word: label for label, words in _OTHER_WORDS.items() for word in words.split()}
_MIN_LETTERS = 4  # nearly all shorter words look alike
_MIN_SIMILARITY = 0.8
_MAX_LABELS = 60  # each is compared with each


@dataclass(frozen=True, slots=True)
class NearLabel:
    """A label as typed, the one that was probably meant, and its rows (numbered from 1)."""

    typed: str
    meant: str
    rows: tuple[int, ...]


def near_labels(rows: Sequence[TeachRow], settled: Collection[str] = ()) -> list[NearLabel]:
    """Find labels that are probably typing errors, or other words for yes, no and maybe.

    Labels that the person confirmed are `settled`.
    """
    numbers: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(rows, start=1):
        if label := row.label.strip():
            numbers[label].append(number)
    if len(numbers) > _MAX_LABELS:
        return []
    found = []
    for typed, own in numbers.items():
        if typed not in settled and typed not in LABELS:
            more_used = [label for label in numbers if len(numbers[label]) > len(own)]
            if meant := _meant(typed, more_used):
                found.append(NearLabel(typed, meant, tuple(own)))
    return found


def _meant(typed: str, more_used: Sequence[str]) -> str | None:
    word = typed.casefold().strip(".!\"'“” ")
    if word in _LABEL_OF_OTHER:
        return _LABEL_OF_OTHER[word]
    if len(word) < _MIN_LETTERS:
        return None
    known = LABEL_OF_WORD | {label.casefold(): label for label in more_used}
    long = [name for name in known if len(name) >= _MIN_LETTERS]
    near = get_close_matches(word, long, n=1, cutoff=_MIN_SIMILARITY)
    return known[near[0]] if near else None


_MAX_COMBINATIONS = 20_000
"""Combinations of one relation that are enumerated; beyond that, as many are sampled."""

Place = tuple[str, int]
"""A relation (case folded), and 0 for its subject or 1 for its object."""


@dataclass
class _Phrasing:
    """A relation as worded, with its labels and the names seen on its two sides, in order."""

    relation: str
    labels: dict[str, None] = field(default_factory=dict)
    sides: tuple[dict[str, str], dict[str, str]] = field(default_factory=lambda: ({}, {}))
    pairs: set[frozenset[str]] = field(default_factory=set)

    def add(self, subject: str, object: str, label: str) -> None:
        self.labels.setdefault(label)
        for side, name in zip(self.sides, (subject, object), strict=True):
            side.setdefault(name.casefold(), name)
        self.pairs.add(frozenset((subject.casefold(), object.casefold())))

    @property
    def sides_alike(self) -> bool:
        """True if both sides take the same kind of thing."""
        return ENTAILMENT in self.labels or not self.sides[0].keys().isdisjoint(self.sides[1])


def propose(rows: Sequence[TeachRow], limit: int = 24, seed: int = 0) -> list[TeachRow]:
    """Propose new rows by recombining names of the same kind within each relation.

    The label is kept, as it follows from the relation; relations with rows of two labels are
    skipped. Two places hold the same kind if they share a name, and both places of a relation do if
    it is symmetric. Pairs of names that occur in either direction are not proposed. Relations take
    turns. Rows that cannot be read, or whose two names are unknown, are skipped.

    Args:
        limit: the largest number of rows to return.
        seed: the same rows and seed give the same proposals.

    Raises:
        InputError: `limit` is below 0.
    """
    if limit < 0:
        raise InputError(f"{limit} proposals were requested; 0 or more are expected.")
    phrasings = _phrasings(rows)
    pools = _pools(phrasings)
    rng = random.Random(seed)
    turns = [
        _combinations(phrasing, *pools[key], rng)
        for key, phrasing in phrasings.items()
        if len(phrasing.labels) == 1
    ]
    proposed: list[TeachRow] = []
    while turns and len(proposed) < limit:
        found = [(turn, next(turn, None)) for turn in turns]
        turns = [turn for turn, row in found if row is not None]
        proposed += [row for _, row in found if row is not None]
    return proposed[:limit]


def _phrasings(rows: Iterable[TeachRow]) -> dict[str, _Phrasing]:
    """Return the relations whose rows their parts reproduce, by case-folded wording."""
    found: dict[str, _Phrasing] = {}
    for row in rows:
        with suppress(SymdemoError):
            pair = labelled_pair(row)
            if not (pair.relation and pair.head and pair.tail and pair.label):
                continue
            if is_pronoun(pair.head) or is_pronoun(pair.tail):
                continue  # "he" on the other side is "him"
            there = join(pair.head, pair.relation, pair.tail)
            back = join(pair.tail, pair.relation, pair.head)
            if same_sentence(there, pair.premise) and same_sentence(back, pair.hypothesis):
                phrasing = found.setdefault(pair.relation.casefold(), _Phrasing(pair.relation))
                phrasing.add(pair.head, pair.tail, pair.label)
    return found


def _pools(phrasings: dict[str, _Phrasing]) -> dict[str, tuple[list[str], list[str]]]:
    """Return for each relation the names that fit its two sides."""
    from scipy.cluster.hierarchy import DisjointSet

    alike = DisjointSet((key, side) for key in phrasings for side in (0, 1))
    first_place: dict[str, Place] = {}
    for key, phrasing in phrasings.items():
        if phrasing.sides_alike:
            alike.merge((key, 0), (key, 1))
        for side in (0, 1):
            for name in phrasing.sides[side]:
                alike.merge((key, side), first_place.setdefault(name, (key, side)))
    members: dict[Place, dict[str, str]] = defaultdict(dict)
    for key, side in alike:
        for folded, name in phrasings[key].sides[side].items():
            members[alike[key, side]].setdefault(folded, name)
    pool = {place: list(members[alike[place]].values()) for place in alike}
    return {key: (pool[key, 0], pool[key, 1]) for key in phrasings}


def _combinations(
    phrasing: _Phrasing, subjects: list[str], objects: list[str], rng: random.Random
) -> Iterator[TeachRow]:
    """Yield rows that are new in both directions, first with the relation's own names."""
    first, second = (list(side.values()) for side in phrasing.sides)
    if phrasing.sides_alike:
        first = second = list((phrasing.sides[0] | phrasing.sides[1]).values())
    (label,) = phrasing.labels
    seen = set(phrasing.pairs)
    for subject, object in chain(_draw(first, second, rng), _draw(subjects, objects, rng)):
        pair = frozenset((subject.casefold(), object.casefold()))
        if len(pair) == 2 and pair not in seen:
            seen.add(pair)
            row = TeachRow(subject, phrasing.relation, object, label=label)
            with suppress(SymdemoError):
                row.pair()
                yield row


def _draw(subjects: list[str], objects: list[str], rng: random.Random) -> Iterator[tuple[str, str]]:
    if len(subjects) * len(objects) > _MAX_COMBINATIONS:
        for _ in range(_MAX_COMBINATIONS):
            yield rng.choice(subjects), rng.choice(objects)
        return
    combinations = list(product(subjects, objects))
    rng.shuffle(combinations)
    yield from combinations
