"""The cluster bootstrap, the matched score and calibration, by hand."""

import numpy as np
import pytest

from experiments.scoring import (
    FLATTENINGS,
    GroupBootstrap,
    expected_calibration_error,
    flattened,
    log_loss,
    matched_weights,
)
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


def test_weights_by_hand():
    """`a` shows YES twice, NO once, OPEN four times; `b` lacks OPEN, so it does not count."""
    skeletons = ["a"] * 7 + ["b"] * 3
    labels = [YES, YES, NO, OPEN, OPEN, OPEN, OPEN, YES, NO, NO]
    weights = matched_weights(skeletons, labels)
    assert weights.tolist() == [0.5, 0.5, 1, 0.25, 0.25, 0.25, 0.25, 0, 0, 0]


def test_calibration_by_hand():
    shares = np.array([[0.95, 0.05], [0.95, 0.05], [0.35, 0.65], [0.35, 0.65]])
    # two at 0.95 of which one is right, two at 0.65 of which both are
    error = expected_calibration_error(shares, [0, 1, 1, 1])
    assert error == pytest.approx(0.5 * 0.45 + 0.5 * 0.35)
    mean = (np.log(2) + np.log(4 / 3)) / 2
    assert log_loss(np.array([[0.5, 0.5], [0.25, 0.75]]), [0, 1]) == pytest.approx(mean)
    for temperature, found in zip(FLATTENINGS, flattened(shares), strict=True):
        powers = shares ** (1 / temperature)
        assert found == pytest.approx(powers / powers.sum(1, keepdims=True))
