"""The cluster bootstrap and the matched score, by hand."""

import numpy as np
import pytest

from symdemo.evaluation.intervals import GroupBootstrap
from symdemo.evaluation.scores import matched_weights
from symdemo.pairs import LABELS

YES, NO, OPEN = LABELS


def test_each_draw_is_the_mean_of_the_groups_that_it_holds():
    groups = np.array(["a", "b", "a", "c", "b"])
    values, weights = np.array([1.0, 0, 0, 1, 1]), np.array([1, 0.5, 1, 2, 0.25])
    bootstrap = GroupBootstrap(groups, resamples=50, seed=1)
    drawn = np.random.default_rng(1).multinomial(3, [1 / 3] * 3, size=50)
    for found, times in zip(bootstrap.means(values, weights), drawn, strict=True):
        rows = [
            row
            for n, g in zip(times, "abc", strict=True)
            for row in np.where(groups == g)[0].tolist() * n
        ]
        assert found == pytest.approx(np.average(values[rows], weights=weights[rows]))


def test_rows_of_weight_0_are_ignored():
    values, weights = np.array([1.0, 0, 1, 0]), np.array([1.0, 1, 0, 0])
    found = GroupBootstrap(["a", "b", "c", "d"]).interval(values, weights)
    assert (found.mean, found.low, found.high) == (0.5, 0, 1)


def test_weights_by_hand():
    """`a` shows YES twice, NO once, OPEN four times; `b` lacks OPEN, so it does not count."""
    skeletons = ["a"] * 7 + ["b"] * 3
    labels = [YES, YES, NO, OPEN, OPEN, OPEN, OPEN, YES, NO, NO]
    weights = matched_weights(skeletons, labels)
    assert weights.tolist() == [0.5, 0.5, 1, 0.25, 0.25, 0.25, 0.25, 0, 0, 0]
