"""What of a set of pairs a model was taught, so that nobody takes memory for understanding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symdemo.pairs import Pair

TAUGHT_PAIR = "pair"
TAUGHT_RELATION = "relation"
NOT_TAUGHT = "none"
UNKNOWN = "unknown"


def taught_part(pairs: Sequence[Pair], taught: Sequence[Pair]) -> np.ndarray:
    """What a model was taught of each of n pairs, by the names of their relations.

    Returns:
        (n,) texts: "pair" where this very pair or its reverse was taught, "relation" where its
        relation was, about other entities, "none" where it was not, and "unknown" where the pair
        names no relation. A relation that was taught under another name counts as not taught.
    """
    known = {_sentences(pair) for pair in taught}
    relations = {_plain(pair.relation) for pair in taught if pair.relation}

    def part(pair: Pair) -> str:
        if _sentences(pair) in known:
            return TAUGHT_PAIR
        if not pair.relation:
            return UNKNOWN
        return TAUGHT_RELATION if _plain(pair.relation) in relations else NOT_TAUGHT

    return np.array([part(pair) for pair in pairs], dtype="<U8")


def _sentences(pair: Pair) -> frozenset[str]:
    """Premise and hypothesis, whichever of the two comes first."""
    return frozenset((_plain(pair.premise), _plain(pair.hypothesis)))


def _plain(text: str) -> str:
    """A text without what a model is shown in both ways: capitals, spaces and the final stop."""
    return " ".join(text.split()).rstrip(" .!…").casefold()
