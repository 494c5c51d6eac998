"""Kinds of counterfactuals, and what a generator returns or raises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symdemo.pairs import LABELS, Pair

SWAP = "swap"
DELEXICALIZED = "delexicalized"
ENTITIES = "entities"
PHRASING = "phrasing"
NEGATION = "negation"
PASSIVE = "passive"
TENSE = "tense"

KINDS: dict[str, str] = {
    SWAP: "Exchanged",
    DELEXICALIZED: "Names taken out",
    ENTITIES: "Other names",
    PHRASING: "Other wording",
    NEGATION: "Negated",
    PASSIVE: "Active and passive",
    TENSE: "Another tense",
}
"""Kind → its name for people, in the order shown."""


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """A pair that differs from the original in one way.

    Attributes:
        kind: One of `KINDS`.
        pair: Its label is `expected`; head and tail are those of the new sentences.
        expected: The label that follows from the relation's pattern; None if the original has none
            of the three labels, or nothing follows.
        how: The change, in a short sentence.
    """

    kind: str
    pair: Pair
    expected: str | None
    how: str


@dataclass(frozen=True, slots=True)
class Unmade:
    """A kind that does not apply to a pair, and the reason in a short sentence."""

    kind: str
    why: str


class NothingToMakeError(Exception):
    """A generator has nothing to return; the message is the reason, for people."""


def known_label(pair: Pair) -> str | None:
    """Return the label of a pair if it is one of the three."""
    return pair.label if pair.label in LABELS else None


def changed(
    kind: str,
    pair: Pair,
    sentences: Sequence[str],
    how: str,
    ends: tuple[str | None, str | None] | None = None,
) -> Counterfactual:
    """Return a counterfactual that keeps the label of a pair.

    Args:
        kind: One of `KINDS`.
        pair: The original.
        sentences: New premise and hypothesis.
        how: The change, in a short sentence.
        ends: New head and tail; those of the original if None.
    """
    premise, hypothesis = sentences
    head, tail = ends or (pair.head, pair.tail)
    expected = known_label(pair)
    made = Pair(premise, hypothesis, expected, pair.relation, head, tail)
    return Counterfactual(kind, made, expected, how)
