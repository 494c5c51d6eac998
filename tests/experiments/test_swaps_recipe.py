"""The sentences whose swaps people wrote, and how swaps are counted against them."""

from collections import Counter

import pytest

pytest.importorskip("spacy", reason="free sentences need the parser")

from experiments.recipes.swaps import FILE, RARE, Lesson, fit
from experiments.swaps import NONE, Sentence, outcomes, read_rows, sentences
from symdemo.errors import NoPairFound
from symdemo.swapping import Swap, swap_many
from symdemo.swapping.ranking import Option

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


TEXT, SWAPPED = "The cat saw the dog.", "The dog saw the cat."


@pytest.mark.parametrize(
    ("right", "made", "told"),
    [
        ((SWAPPED,), SWAPPED, (True, True)),
        (("So.", SWAPPED), SWAPPED, (True, True)),
        ((SWAPPED,), "Saw the cat the dog.", (False, True)),
        ((SWAPPED,), None, (False, False)),
        ((SWAPPED, NONE), None, (True, False)),
        ((), None, (True, False)),
        ((), SWAPPED, (False, True)),
    ],
)
def test_a_swap_is_right_and_sure(right, made, told):
    swap = NoPairFound("no") if made is None else Swap(TEXT, made, "The cat", "the dog", "")
    found = outcomes([Sentence(TEXT, right, "plain")], [swap])
    assert (*found.iloc[0],) == told


def test_sentences_that_were_not_looked_at_are_swapped_as_people_would():
    """Every fifth, to be quick; rules alone meet 74% of all."""
    rows = HALVES[1][::5]
    told = outcomes(rows, list(swap_many(row.text for row in rows)))
    assert told.right.mean() >= 0.8
    assert (~told.right[told.sure]).mean() <= 0.13


def test_the_right_option_gets_the_weight():
    """Two lessons that one feature tells apart."""
    options = [Option(None, ["a", "c"]), Option(None, ["b", "c"])]
    found = fit([Lesson(options, [1], 1.0)] * RARE)
    assert found["b"] > 0 > found["a"]
    assert abs(found.get("c", 0)) < 0.05
