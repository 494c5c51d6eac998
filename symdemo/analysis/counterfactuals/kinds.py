"""What the generators give: a counterfactual with the label it should get, or why there is none."""

from __future__ import annotations

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
"""Kind → its name for people, in the order in which they are shown."""


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """A pair that differs from the original in one way.

    Attributes:
        kind: one of `KINDS`.
        pair: its label is `expected`, its head and tail are those of the new sentences.
        expected: the label that follows from the pattern of the relation; None where the original
            has none of the three labels, or where nothing follows.
        how: what was done, in one short sentence.
    """

    kind: str
    pair: Pair
    expected: str | None
    how: str


@dataclass(frozen=True, slots=True)
class Unmade:
    """A kind of which there is nothing for a pair, and why, in one short sentence."""

    kind: str
    why: str


class NothingToMakeError(Exception):
    """What a generator raises where it has nothing; its text is the reason, for people."""


def known_label(pair: Pair) -> str | None:
    """The label of a pair where it is one of the three that a pattern has."""
    return pair.label if pair.label in LABELS else None
