"""Labels of pairs of phrasings of the relation bank: entailed, ruled out, or left open.

`assets/bank/inference.csv` compares the phrasings of each relation and names the relations that it
implies and excludes; `more_phrasings.csv` adds phrasings that say the same, more or less, cannot be
true as well, or have a modality. Together with the pattern of the relation this labels any two
statements about the same two things: rewordings, converses, swaps, negations, other relations.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import product
from typing import Any, Literal, get_args

from symdemo.data.bank import BANK, BankRelation
from symdemo.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL

Says = Literal["=", "<", ">", "~", "!", "?"]
"""A phrasing compared with the first of its relation: the same, narrower, wider, neither, ruled out
by it, or not known."""

Modality = Literal["", "open", "fails", "succeeds"]
"""“May meet” and “wants to meet” leave open whether they meet; “nearly met” says that they did not,
“managed to meet” that they did."""

_FLIPPED = {ENTAILMENT: CONTRADICTION, CONTRADICTION: ENTAILMENT, NEUTRAL: NEUTRAL, None: None}


@dataclass(frozen=True, slots=True)
class Meaning:
    """The lines of a relation in `inference.csv` and `more_phrasings.csv`."""

    phrasings: str  # for each phrasing of the relation one of "=<>~", see `Says`
    implies: tuple[str, ...] = ()  # ids of other relations; with “^” for exchanged arguments
    excludes: tuple[str, ...] = ()  # likewise
    more: tuple[tuple[Says, str], ...] = ()  # further phrasings: (one of "=<>!", frame)
    modal: tuple[tuple[Modality, str], ...] = ()  # sentences with a modality: (modality, frame)


@dataclass(frozen=True, slots=True)
class BankStatement:
    """A phrasing of a relation, perhaps changed."""

    relation: BankRelation
    frame: str  # the sentence, with [X] and [Y]
    number: int  # the phrasing that it was made of; negation and modality keep the number
    says: Says = "="  # the phrasing compared with the first of its relation
    negated: bool = False  # True if the frame denies the phrasing
    modality: Modality = ""  # what the frame says of the phrasing
    detail: bool = False  # True if a date or a place was added
    third: str = ""  # the argument, X or Y, that a third thing replaces; "" if none

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
    """Labels pairs of statements by what the bank says."""

    meanings: Mapping[str, Meaning]  # relation → its meaning

    @cached_property
    def _links(self) -> dict[tuple[str, str], set[tuple[str, bool]]]:
        """(relation, another) → (implies or excludes, whether with its arguments exchanged)."""
        found = defaultdict(set)
        for relation, meaning in self.meanings.items():
            for kind, names in (("implies", meaning.implies), ("excludes", meaning.excludes)):
                for name in names:
                    found[relation, name.removesuffix("^")].add((kind, name.endswith("^")))
        return dict(found)

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
        """Return statements that add a modality to a relation's first phrasing: “may meet”."""
        return [
            BankStatement(relation, frame, 0, modality=modality)
            for modality, frame in self.meanings[relation.id].modal
        ]

    def label(
        self, premise: BankStatement, hypothesis: BankStatement, exchanged: bool
    ) -> str | None:
        """Return the label of two statements about the same two things; None if it is not known.

        `exchanged` is True if the hypothesis has the premise's two arguments in exchanged places.
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
            return self._modal(premise, hypothesis, exchanged, turned)
        if not turned:
            return _in_place(premise, hypothesis)
        return (_open_when_turned if pattern == "neither" else _reversed_order)(premise, hypothesis)

    def _modal(
        self, premise: BankStatement, hypothesis: BankStatement, exchanged: bool, turned: bool
    ) -> str | None:
        """Return the label of two statements of which one has a modality, or both the same one.

        “Nearly met” says more than “did not meet”, and “managed to meet” more than “met”: what
        follows from the plain statement follows from them, but they do not follow from it.
        """
        if premise == hypothesis:
            if not turned:
                return ENTAILMENT
            return None if premise.relation.pattern == "antisymmetric" else NEUTRAL
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

        None for similar relations without a link, or if the links do not tell.
        """
        own, other = premise.relation, hypothesis.relation
        there = self._links.get((own.id, other.id), set())
        back = self._links.get((other.id, own.id), set())
        if not there and not back:
            near = own.group == other.group or own.lookalike == other.id
            return None if near or other.lookalike == own.id else NEUTRAL
        if any(s.says != "=" or s.modality or s.detail for s in (premise, hypothesis)):
            return None
        symmetric = "symmetric" in (own.pattern, other.pattern)

        def has(links: set[tuple[str, bool]], kind: str) -> bool:
            return any(k == kind and (symmetric or way == exchanged) for k, way in links)

        worlds = set(product((True, False), repeat=2))  # whether each of the relations holds
        if has(there, "implies"):
            worlds.remove((True, False))
        if has(back, "implies"):
            worlds.remove((False, True))
        if has(there | back, "excludes"):
            worlds.remove((True, True))
        if len(worlds) == 4:
            return None
        truths = {two != hypothesis.negated for one, two in worlds if one != premise.negated}
        if len(truths) == 2:
            return NEUTRAL
        return ENTAILMENT if truths == {True} else CONTRADICTION


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
    """Return the label of two statements with exchanged arguments; the relation has no pattern.

    That is, it is neither symmetric nor antisymmetric. None for most added phrasings that are wider
    or ruled out: these may be symmetric.
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
def load_inference() -> Inference:
    """Read `inference.csv` and `more_phrasings.csv` of the bank."""
    phrasings: dict[tuple[str, bool], list[Any]] = defaultdict(list)
    for row in _rows("more_phrasings.csv"):
        is_modal = row["says"] in get_args(Modality)
        phrasings[row["relation"], is_modal].append((row["says"], row["frame"]))
    meanings = {}
    for row in _rows("inference.csv"):
        name = row["relation"]
        implies, excludes = (tuple(row[kind].split()) for kind in ("implies", "excludes"))
        more, modal = (tuple(phrasings[name, is_modal]) for is_modal in (False, True))
        meanings[name] = Meaning(row["phrasings"], implies, excludes, more, modal)
    return Inference(meanings)


def _rows(name: str) -> list[dict[str, str]]:
    with (BANK / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
