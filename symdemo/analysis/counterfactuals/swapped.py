"""Premise and hypothesis in each other's place."""

from __future__ import annotations

from dataclasses import replace

from symdemo.analysis.counterfactuals.kinds import SWAP, Counterfactual, known_label
from symdemo.pairs import Pair


def exchange_sentences(pair: Pair) -> list[Counterfactual]:
    """The pair read the other way: the pattern of a relation does not depend on the direction."""
    expected = known_label(pair)
    made = replace(pair.reversed(), label=expected)
    return [Counterfactual(SWAP, made, expected, "Premise and hypothesis exchanged.")]
