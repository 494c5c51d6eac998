"""More rows from those that are there: the same relations about other names of the same kind."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, product

from symdemo.errors import InputError, SymdemoError
from symdemo.pairs import ENTAILMENT
from symdemo.swapping import join
from symdemo.swapping.words import is_pronoun
from symdemo.teaching.rows.row import Row, labelled_pair, same_sentence

_ALL_UP_TO = 20_000
"""Combinations of one relation that are listed; of more, this many are drawn."""

Place = tuple[str, int]
"""A relation (case folded), and 0 for its subject or 1 for its object."""


@dataclass
class _Phrasing:
    """A relation as it is worded, and the names that stood on its two sides, in order."""

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
        """Whether both sides take the same kind of thing: one name on both, or a relation that
        holds the other way round."""
        return ENTAILMENT in self.labels or not self.sides[0].keys().isdisjoint(self.sides[1])


def propose(rows: Sequence[Row], limit: int = 24, seed: int = 0) -> list[Row]:
    """Rows that a person may add: names of the same kind, put together anew within a relation.

    The label stays, for it follows from the relation, whoever stands in it; a relation with rows of
    two labels gives none. Two places hold the same kind where they share a name (in one relation or
    across two), and both places of a relation do where it holds the other way round. What is not
    yet there in either direction is proposed, relations taking turns. Rows that cannot be read, or
    whose two names are not known, are passed over.

    Args:
        rows: the table.
        limit: how many rows are wanted at most.
        seed: of the draw; the same rows and seed give the same proposals.

    Raises:
        InputError: `limit` is below 0.
    """
    if limit < 0:
        raise InputError(f"{limit} proposals were asked for; 0 or more are expected.")
    phrasings = _phrasings(rows)
    pools = _pools(phrasings)
    rng = random.Random(seed)
    turns = [
        _combinations(phrasing, *pools[key], rng)
        for key, phrasing in phrasings.items()
        if len(phrasing.labels) == 1
    ]
    proposed: list[Row] = []
    while turns and len(proposed) < limit:
        left = []
        for turn in turns:
            row = next(turn, None)
            if row is not None:
                proposed.append(row)
                left.append(turn)
        turns = left
    return proposed[:limit]


def _phrasings(rows: Iterable[Row]) -> dict[str, _Phrasing]:
    """The relations of all rows that their parts put together again, by case-folded wording."""
    found: dict[str, _Phrasing] = {}
    for row in rows:
        with suppress(SymdemoError):
            pair = labelled_pair(row)
            if not (pair.relation and pair.head and pair.tail and pair.label):
                continue
            if any(is_pronoun(name) for name in (pair.head, pair.tail)):
                continue  # "he" in another place is "him"
            there = join(pair.head, pair.relation, pair.tail)
            back = join(pair.tail, pair.relation, pair.head)
            if same_sentence(there, pair.premise) and same_sentence(back, pair.hypothesis):
                phrasing = found.setdefault(pair.relation.casefold(), _Phrasing(pair.relation))
                phrasing.add(pair.head, pair.tail, pair.label)
    return found


def _pools(phrasings: dict[str, _Phrasing]) -> dict[str, tuple[list[str], list[str]]]:
    """For each relation the names that may stand on its two sides, in order of appearance."""
    parent: dict[Place, Place] = {(key, side): (key, side) for key in phrasings for side in (0, 1)}

    def root(place: Place) -> Place:
        while parent[place] != place:
            parent[place] = place = parent[parent[place]]
        return place

    first_place: dict[str, Place] = {}
    for key, phrasing in phrasings.items():
        if phrasing.sides_alike:
            parent[root((key, 1))] = root((key, 0))
        for side in (0, 1):
            for name in phrasing.sides[side]:
                parent[root((key, side))] = root(first_place.setdefault(name, (key, side)))
    members: dict[Place, dict[str, str]] = defaultdict(dict)
    for key, phrasing in phrasings.items():
        for side in (0, 1):
            for folded, name in phrasing.sides[side].items():
                members[root((key, side))].setdefault(folded, name)
    pool = {place: list(members[root(place)].values()) for place in parent}
    return {key: (pool[key, 0], pool[key, 1]) for key in phrasings}


def _combinations(
    phrasing: _Phrasing, subjects: list[str], objects: list[str], rng: random.Random
) -> Iterator[Row]:
    """Rows of one relation that are new in both directions, each once, in random order.

    The relation's own names come first: whoever is a grandmother already may well be another one's.
    """
    first, second = (list(side.values()) for side in phrasing.sides)
    if phrasing.sides_alike:
        first = second = list((phrasing.sides[0] | phrasing.sides[1]).values())
    (label,) = phrasing.labels
    seen = set(phrasing.pairs)
    for subject, object in chain(_draw(first, second, rng), _draw(subjects, objects, rng)):
        pair = frozenset((subject.casefold(), object.casefold()))
        if len(pair) == 2 and pair not in seen:
            seen.add(pair)
            row = Row(subject, phrasing.relation, object, label=label)
            with suppress(SymdemoError):
                row.pair()
                yield row


def _draw(subjects: list[str], objects: list[str], rng: random.Random) -> Iterator[tuple[str, str]]:
    """All combinations shuffled, or as many random ones as would have been listed at most."""
    if len(subjects) * len(objects) > _ALL_UP_TO:
        for _ in range(_ALL_UP_TO):
            yield rng.choice(subjects), rng.choice(objects)
        return
    every = list(product(subjects, objects))
    rng.shuffle(every)
    yield from every
