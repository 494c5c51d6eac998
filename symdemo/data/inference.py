"""Labels of pairs of phrasings of the relation bank: entailed, ruled out, or left open.

`assets/bank/inference.csv` compares the phrasings of each relation and names the relations that it
implies and excludes; `more_phrasings.csv` adds phrasings that say the same, more or less, cannot be
true as well, or have a modality. Together with the pattern of the relation this labels any two
statements about the same two things: rewordings, converses, swaps, negations, other relations.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

from symdemo.data.bank import BANK, BankRelation
from symdemo.errors import InputError
from symdemo.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL

FILE = BANK / "inference.csv"
MORE = "more_phrasings.csv"
"""The file beside it."""

Says = Literal["=", "<", ">", "~", "!", "?"]
"""A phrasing compared with the first of its relation: the same, narrower, wider, neither, ruled out
by it, or not known."""

Modality = Literal["", "open", "fails", "succeeds"]
"""“May meet” and “wants to meet” leave open whether they meet; “nearly met” says that they did not,
“managed to meet” that they did."""

_FLIPPED = {ENTAILMENT: CONTRADICTION, CONTRADICTION: ENTAILMENT, NEUTRAL: NEUTRAL, None: None}


@dataclass(frozen=True, slots=True)
class Meaning:
    """The lines of a relation in `inference.csv` and `more_phrasings.csv`.

    Attributes:
        phrasings: one of "=<>~" for each phrasing of the relation.
        implies, excludes: ids of other relations; with “^” for the exchanged arguments.
        more: further phrasings: (one of "=<>!", frame).
        modal: sentences with a modality: (modality, frame).
    """

    phrasings: str
    implies: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    more: tuple[tuple[Says, str], ...] = ()
    modal: tuple[tuple[Modality, str], ...] = ()


@dataclass(frozen=True, slots=True)
class BankStatement:
    """A phrasing of a relation, perhaps changed.

    Attributes:
        relation: its relation.
        frame: the sentence, with [X] and [Y].
        number: the phrasing that it was made of; negation and modality keep the number.
        says: the phrasing compared with the first of its relation.
        negated: True if the frame denies the phrasing.
        modality: what the frame says of the phrasing.
        detail: True if a date or a place was added.
        third: which argument, X or Y, another thing stands for; "" if none.
    """

    relation: BankRelation
    frame: str
    number: int
    says: Says = "="
    negated: bool = False
    modality: Modality = ""
    detail: bool = False
    third: str = ""

    @property
    def has_pattern(self) -> bool:
        """True if the pattern of the relation holds for this phrasing.

        It holds for the phrasings of the bank. An added one need not have it: “[X] and [Y] have
        met” follows from relations that are not symmetric.
        """
        given = self.number < len(self.relation.phrasings)
        narrower = self.says == "<" and self.relation.pattern == "antisymmetric"
        return self.says == "=" or narrower or (given and self.says != "!")


@dataclass(frozen=True)
class Inference:
    """Labels pairs of statements by what the bank says.

    Attributes:
        meanings: relation → its meaning.
    """

    meanings: Mapping[str, Meaning]
    _links: dict[tuple[str, str], set[tuple[str, bool]]] = field(
        default_factory=lambda: defaultdict(set)
    )

    def __post_init__(self) -> None:
        for relation, meaning in self.meanings.items():
            for kind, names in (("implies", meaning.implies), ("excludes", meaning.excludes)):
                for name in names:
                    link = kind, name.endswith("^")
                    self._links[relation, name.removesuffix("^")].add(link)

    def neighbours(self, relation: str) -> set[str]:
        """Return the relations that a relation implies or excludes, or that do so to it."""
        links = (pair for pair in self._links if relation in pair)
        return {name for pair in links for name in pair} - {relation}

    def statements(self, relation: BankRelation) -> list[BankStatement]:
        """Return the phrasings of a relation as statements, with those of its meaning."""
        meaning = self.meanings.get(relation.id, Meaning("=" * len(relation.phrasings)))
        says = zip(meaning.phrasings, relation.phrasings, strict=True)
        return [
            BankStatement(relation, frame, number, what)  # type: ignore[arg-type]
            for number, (what, frame) in enumerate([*says, *meaning.more])
        ]

    def modal_statements(self, relation: BankRelation) -> list[BankStatement]:
        """Return the sentences of a relation that say its first phrasing with a modality."""
        return [
            BankStatement(relation, frame, 0, modality=modality)
            for modality, frame in self.meanings[relation.id].modal
        ]

    def label(
        self, premise: BankStatement, hypothesis: BankStatement, exchanged: bool
    ) -> str | None:
        """Return the label of two statements about the same two things; None if it is not known.

        Args:
            premise: with the arguments in their places.
            hypothesis: the same, or with the arguments exchanged.
            exchanged: True if they are.
        """
        pattern = premise.relation.pattern
        turned = exchanged and pattern != "symmetric"
        if premise.third or hypothesis.third:
            return NEUTRAL
        if premise.relation.id != hypothesis.relation.id:
            return self._between(premise, hypothesis, exchanged)
        same = premise.number == hypothesis.number
        if exchanged and same and not premise.has_pattern:
            return None
        if premise.modality or hypothesis.modality:
            return self._modal(premise, hypothesis, exchanged)
        if not turned:
            return _in_place(premise, hypothesis)
        return (_open_when_turned if pattern == "neither" else _reversed_order)(premise, hypothesis)

    def _modal(
        self, premise: BankStatement, hypothesis: BankStatement, exchanged: bool
    ) -> str | None:
        """Return the label of two statements of which one has a modality, or both the same one.

        “Nearly met” says more than “did not meet”, and “managed to meet” more than “met”: what
        follows from the plain statement follows from them, but they do not follow from it.
        """
        if premise == hypothesis:
            pattern = premise.relation.pattern
            turned = exchanged and pattern != "symmetric"
            return (None if pattern == "antisymmetric" else NEUTRAL) if turned else ENTAILMENT
        if premise.modality and hypothesis.modality:
            return None
        if "open" in (premise.modality, hypothesis.modality):
            says = {premise.says, hypothesis.says}
            return NEUTRAL if premise.modality and says <= {"=", "<"} else None
        one, two = (
            replace(s, modality="", negated=s.modality == "fails") if s.modality else s
            for s in (premise, hypothesis)
        )
        label = self.label(one, two, exchanged)
        return None if hypothesis.modality and label == ENTAILMENT else label

    def _between(
        self, premise: BankStatement, hypothesis: BankStatement, exchanged: bool
    ) -> str | None:
        """Return the label of statements of two relations: by the graph, else neutral.

        Relations that are near to each other without a link are not known.
        """
        one, two = premise.relation, hypothesis.relation
        there = self._links.get((one.id, two.id), set())
        back = self._links.get((two.id, one.id), set())
        if not there and not back:
            near = one.group == two.group or one.lookalike == two.id or two.lookalike == one.id
            return None if near else NEUTRAL
        both = (premise, hypothesis)
        if any(s.says != "=" or s.modality or s.detail for s in both):
            return None
        symmetric = "symmetric" in (one.pattern, two.pattern)

        def has(links: set[tuple[str, bool]], kind: str) -> bool:
            return any(k == kind and (symmetric or way == exchanged) for k, way in links)

        known = {
            "implies": has(there, "implies"),
            "implied": has(back, "implies"),
            "excludes": has(there, "excludes") or has(back, "excludes"),
        }
        link = "equal" if known["implies"] and known["implied"] else ""
        link = link or next((name for name, holds in known.items() if holds), "")
        return _LINKED.get(link, {}).get((premise.negated, hypothesis.negated))


_LINKED: dict[str, dict[tuple[bool, bool], str]] = {
    "equal": {
        (False, False): ENTAILMENT, (False, True): CONTRADICTION,
        (True, False): CONTRADICTION, (True, True): ENTAILMENT,
    },
    "implies": {
        (False, False): ENTAILMENT, (False, True): CONTRADICTION,
        (True, False): NEUTRAL, (True, True): NEUTRAL,
    },
    "implied": {
        (False, False): NEUTRAL, (False, True): NEUTRAL,
        (True, False): CONTRADICTION, (True, True): ENTAILMENT,
    },
    "excludes": {
        (False, False): CONTRADICTION, (False, True): ENTAILMENT,
        (True, False): NEUTRAL, (True, True): NEUTRAL,
    },
}  # fmt: skip
"""Link of the premise's relation to the hypothesis's → (premise denied, hypothesis denied) → label.
"""


def _plain(premise: BankStatement, hypothesis: BankStatement) -> str | None:
    """Return the label of two phrasings of a relation, neither of them denied."""
    if premise.number == hypothesis.number:
        return ENTAILMENT if premise.detail or not hypothesis.detail else NEUTRAL
    says = (premise.says, hypothesis.says)
    if "?" in says or says == ("!", "!"):
        return None
    if "~" in says:
        return NEUTRAL
    if "!" in says:
        other = says[says[0] == "!"]
        return CONTRADICTION if other in "=<" else None
    if says[0] in "=<" and says[1] in "=>":
        return NEUTRAL if hypothesis.detail else ENTAILMENT
    return NEUTRAL if says in {(">", "="), (">", "<"), ("=", "<")} else None


def _in_place(premise: BankStatement, hypothesis: BankStatement) -> str | None:
    """Return the label of two statements of a relation with the arguments in the same places.

    A negated hypothesis flips the label; a negated premise follows by contraposition.
    """
    if not premise.negated:
        if hypothesis.negated and premise.detail and premise.number != hypothesis.number:
            return None
        label = _plain(premise, hypothesis)
        return _FLIPPED[label] if hypothesis.negated else label
    if hypothesis.detail and premise.number != hypothesis.number:
        return None
    label = _plain(hypothesis, premise)
    if label == ENTAILMENT:
        return ENTAILMENT if hypothesis.negated else CONTRADICTION
    if label == CONTRADICTION:
        return None if hypothesis.negated or premise.says != "=" else NEUTRAL
    return label


def _open_when_turned(premise: BankStatement, hypothesis: BankStatement) -> str | None:
    """Return the label of two statements of a relation that is neither, arguments exchanged.

    What is added as wider or ruled out may well be symmetric, and then follows.
    """
    added = [s.says for s in (premise, hypothesis) if not s.has_pattern and s.says in ">!"]
    wider = added == [">"] and premise.says == ">" and not premise.negated
    return NEUTRAL if wider or not added else None


def _reversed_order(premise: BankStatement, hypothesis: BankStatement) -> str | None:
    """Return the label of two statements of an antisymmetric relation, arguments exchanged."""
    same = premise.number == hypothesis.number
    says = {premise.says, hypothesis.says}
    if "!" in says:
        return None
    if premise.negated:
        return NEUTRAL if same or says == {"="} else None
    if not same and not says <= {"=", "<"}:
        return None
    return ENTAILMENT if hypothesis.negated else CONTRADICTION


@cache
def load_inference(path: Path = FILE) -> Inference:
    """Read `inference.csv` and the phrasings beside it.

    Raises:
        InputError: a file cannot be read, or a line has another number of columns.
    """
    more: dict[str, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for row in _read(path.with_name(MORE)):
        kind = "modal" if row["says"] in get_args(Modality) else "more"
        more[row["relation"]][kind].append((row["says"], row["frame"]))
    return Inference(
        {
            row["relation"]: Meaning(
                row["phrasings"],
                tuple(row["implies"].split()),
                tuple(row["excludes"].split()),
                tuple(more[row["relation"]]["more"]),
                tuple(more[row["relation"]]["modal"]),
            )
            for row in _read(path)
        }
    )


def _read(path: Path) -> list[dict[str, str]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} cannot be read as CSV: {error}.") from error
    for number, row in enumerate(rows, start=2):
        if None in row or None in row.values():
            raise InputError(f"Line {number} of {path.name} has another number of columns.")
    return rows


def inference_faults(inference: Inference, relations: Sequence[BankRelation]) -> list[str]:
    """Return what is wrong with the meanings, as sentences: coverage, form, and contradictions.

    A contradiction is a relation that implies, over any number of steps, two that exclude each
    other, or one that it excludes.
    """
    known = {relation.id: relation for relation in relations}
    faults = []
    for name, relation in known.items():
        meaning = inference.meanings.get(name)
        if meaning is None:
            faults.append(f"{name} has no meaning.")
            continue
        if len(meaning.phrasings) != len(relation.phrasings) or meaning.phrasings[:1] != "=":
            faults.append(f"{name} has the meanings {meaning.phrasings}.")
        if strange := set(meaning.phrasings) - set("=<>~"):
            faults.append(f"{name} has the meanings {sorted(strange)}.")
        for _, frame in meaning.more:
            if (frame.count("[X]"), frame.count("[Y]")) != (1, 1):
                faults.append(f"{name}: “{frame}” does not have [X] and [Y] once each.")
        links = {n.removesuffix("^") for n in (*meaning.implies, *meaning.excludes)}
        faults += [
            f"{name} names {other}, which is unknown." for other in sorted(links - set(known))
        ]
    for name in inference.meanings.keys() & known.keys():
        implied = _closure(inference, known, name)
        for one in implied:
            for excluded in inference.meanings[one[0]].excludes:
                if _turn(known, excluded, one[1]) in implied:
                    faults.append(f"{name} implies {one[0]} and what it excludes, {excluded}.")
    return faults


def _closure(
    inference: Inference, known: Mapping[str, BankRelation], name: str
) -> set[tuple[str, bool]]:
    """Return all that a relation implies, itself among it: (relation, exchanged)."""
    found, waiting = set(), [(name, False)]
    while waiting:
        one = waiting.pop()
        if one in found or one[0] not in inference.meanings or one[0] not in known:
            continue
        found.add(one)
        waiting += [_turn(known, two, one[1]) for two in inference.meanings[one[0]].implies]
    return found


def _turn(known: Mapping[str, BankRelation], name: str, exchanged: bool) -> tuple[str, bool]:
    """Return a named relation, exchanged or not; symmetric ones have one direction."""
    bare = name.removesuffix("^")
    symmetric = bare in known and known[bare].pattern == "symmetric"
    return bare, not symmetric and exchanged != name.endswith("^")
