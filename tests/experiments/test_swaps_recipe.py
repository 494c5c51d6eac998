"""The sentences whose swaps people wrote: their halves, and how many are swapped as written."""

from collections import Counter

import pytest

pytest.importorskip("spacy", reason="free sentences need the parser")

from experiments.recipes.swaps import FILE
from experiments.swaps import NONE, outcomes, read_rows, sentences
from symdemo.swapping import swap_many

HALVES = [sentences(read_rows(FILE, half)) for half in ("development", "held out")]


def test_halves_hold_different_sentences_of_the_same_kinds():
    one, two = HALVES
    assert min(len(one), len(two)) >= 400
    assert not {row.text for row in one} & {row.text for row in two}
    kinds = [Counter(row.kind for row in half) for half in (one, two)]
    assert all(abs(kinds[0][kind] - kinds[1][kind]) <= 1 for kind in kinds[0] | kinds[1])
    for row in (*one, *two):
        assert row.text not in row.right
        assert row.right != (NONE,)


def test_sentences_that_were_not_looked_at_are_swapped_as_people_would():
    """Every fifth, to be quick; rules alone meet 74% of all."""
    rows = HALVES[1][::5]
    told = outcomes(rows, list(swap_many(row.text for row in rows)))
    assert told.right.mean() >= 0.8
    assert (~told.right[told.sure]).mean() <= 0.13
