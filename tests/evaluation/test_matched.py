"""The matched score by hand."""

import pytest

from symdemo.errors import InputError
from symdemo.evaluation.scores import matched_weights
from symdemo.pairs import LABELS

YES, NO, OPEN = LABELS


def test_weights_by_hand():
    """`a` shows YES twice, NO once, OPEN four times; `b` lacks OPEN, so it does not count."""
    skeletons = ["a"] * 7 + ["b"] * 3
    labels = [YES, YES, NO, OPEN, OPEN, OPEN, OPEN, YES, NO, NO]
    weights = matched_weights(skeletons, labels)
    assert weights.tolist() == [0.5, 0.5, 1, 0.25, 0.25, 0.25, 0.25, 0, 0, 0]


def test_what_cannot_be_matched_is_refused():
    with pytest.raises(InputError, match="2 skeletons and 1 labels"):
        matched_weights(["a", "b"], [YES])
    with pytest.raises(InputError, match="No skeleton has all of the labels entailment"):
        matched_weights(["a", "b", "a"], [YES, NO, OPEN])
