"""The matched score: by hand, and 1/3 for any answer that depends on the skeleton alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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


ROWS = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from(LABELS)), min_size=1, max_size=60
)


@given(rows=ROWS, answers=st.fixed_dictionaries({s: st.sampled_from(LABELS) for s in "abcd"}))
def test_any_function_of_the_skeleton_alone_scores_a_third(rows, answers):
    rows = rows + [("a", label) for label in LABELS]  # one skeleton that counts
    skeletons, labels = zip(*rows, strict=True)
    right = [answers[skeleton] == label for skeleton, label in rows]
    score = np.average(right, weights=matched_weights(skeletons, labels))
    assert score == pytest.approx(1 / 3, abs=1e-12)


def test_what_cannot_be_matched_is_refused():
    with pytest.raises(InputError, match="2 skeletons and 1 labels"):
        matched_weights(["a", "b"], [YES])
    with pytest.raises(InputError, match="No skeleton has all of the labels entailment"):
        matched_weights(["a", "b", "a"], [YES, NO, OPEN])
