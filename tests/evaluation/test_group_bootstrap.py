"""The cluster bootstrap: against resampling by hand and SciPy; correlated rows; pairing."""

import numpy as np
import pytest
from scipy import stats

from symdemo.errors import InputError
from symdemo.evaluation.intervals import GroupBootstrap

RNG = np.random.default_rng(3)


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


def test_groups_of_one_row_are_the_ordinary_bootstrap():
    values = (RNG.random(300) < 0.8).astype(float)
    own = GroupBootstrap(np.arange(300), resamples=4000).interval(values)
    scipy = stats.bootstrap((values,), np.mean, n_resamples=4000, method="percentile", rng=0)
    assert own.mean == pytest.approx(values.mean())
    assert own.low == pytest.approx(scipy.confidence_interval.low, abs=0.008)
    assert own.high == pytest.approx(scipy.confidence_interval.high, abs=0.008)


def test_rows_that_fall_together_count_as_one():
    """Ten equal rows a group count as one, so the interval is √10 times as wide."""
    values = np.repeat(RNG.random(60) < 0.7, 10).astype(float)
    together = GroupBootstrap(np.repeat(np.arange(60), 10)).interval(values)
    alone = GroupBootstrap(np.arange(600)).interval(values)
    ratio = (together.high - together.low) / (alone.high - alone.low)
    assert ratio == pytest.approx(np.sqrt(10), rel=0.2)


def test_rows_of_weight_0_are_ignored():
    values, weights = np.array([1.0, 0, 1, 0]), np.array([1.0, 1, 0, 0])
    found = GroupBootstrap(["a", "b", "c", "d"]).interval(values, weights)
    assert (found.mean, found.low, found.high) == (0.5, 0, 1)


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(InputError, match="1 group"):
        GroupBootstrap(["a", "a"])
    with pytest.raises(InputError, match="weights are 0"):
        GroupBootstrap(["a", "b"]).interval(np.ones(2), np.zeros(2))
