"""Answers that read no sentence, on the very pairs that the methods are asked: what 100% is worth.

The *constant* answer is the commonest label of the taught pairs. The *look-up* answers with the
label that the taught pairs of the same relation have, and with the commonest where there are none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from experiments.reproduction.experiments import Cell
from symdemo.data.relations import pairs_of_facts
from symdemo.pairs import Pair

ANSWERS = ("constant", "look-up")


def accuracies(samples: int, seed: int) -> dict[str, float]:
    """Each answer's share of right verdicts when taught as many pairs with a seed."""
    cell = Cell("", "", samples, seed)
    asked = pairs_of_facts(cell.sides[1])
    return {answer: _right(answer, cell.taught, asked) for answer in ANSWERS}


def _right(answer: str, taught: Sequence[Pair], asked: Sequence[Pair]) -> float:
    commonest = _commonest(taught)
    of_relation = {
        relation: _commonest([pair for pair in taught if pair.relation == relation])
        for relation in {pair.relation for pair in taught if answer == "look-up"}
    }
    right = [of_relation.get(pair.relation, commonest) == pair.label for pair in asked]
    return sum(right) / len(right)


def _commonest(pairs: Sequence[Pair]) -> str | None:
    """The commonest label; among equally common ones the first by name."""
    counts = Counter(pair.label for pair in pairs)
    return min(counts, key=lambda label: (-counts[label], label or ""))
