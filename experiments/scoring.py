"""Measures that the studies share: shares and means with intervals, forgetting, the matched score
and calibration.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import softmax

from symdemo.analysis.overview import place_in_bins
from symdemo.encoders import Encoder
from symdemo.errors import InputError
from symdemo.evaluation.intervals import wilson
from symdemo.evaluation.sentences.sts import sts_at_hand, sts_part, sts_spearman
from symdemo.pairs import LABELS

# Intervals


def share(hits: Any) -> dict[str, Any]:
    """Return the share of hits with its 95% Wilson interval."""
    count, total = int(sum(hits)), len(hits)
    interval = [round(end, 4) for end in wilson(count, total)]
    return {"count": count, "of": total, "share": round(count / total, 4), "interval": interval}


def points(hits: int, total: int) -> dict[str, Any]:
    """Return the share of hits in percent with its 95% Wilson interval."""
    low, high = wilson(hits, total)
    return {"value": 100 * hits / total, "low": 100 * low, "high": 100 * high, "n": total}


class GroupBootstrap:
    """Cluster bootstrap: groups of rows resampled with replacement, the same draws for all figures.

    Rows of a group are correlated, so resampling single rows would give too narrow an interval
    (Davison and Hinkley 1997, section 3.8). All figures share the draws, so differences are paired.
    SciPy's `bootstrap` resamples rows only.

    Args:
        groups: the group of each row, (n,).
        resamples, seed: number of draws, and their seed.

    Raises:
        InputError: fewer than two groups.
    """

    def __init__(self, groups: Any, resamples: int = 1000, seed: int = 0):
        names, self._place = np.unique(np.asarray(groups), return_inverse=True)
        if len(names) < 2:
            raise InputError(f"{len(names)} group was given; at least two are expected.")
        rng = np.random.default_rng(seed)
        size = len(names)
        self._drawn = rng.multinomial(size, np.full(size, 1 / size), size=resamples)

    def means(self, values: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
        """Return the weighted mean of values (n,) in each draw, (resamples,)."""
        weights = np.ones(len(values)) if weights is None else weights
        total = np.bincount(self._place, weights * values)
        with np.errstate(invalid="ignore"):  # a draw may hold no row that weighs
            return (self._drawn @ total) / (self._drawn @ np.bincount(self._place, weights))

    def interval(self, values: np.ndarray, weights: np.ndarray | None = None) -> dict[str, float]:
        """Return the weighted `mean` of values (n,) and its 95% percentile interval, `low`, `high`.

        To compare two methods, pass the row-wise differences of their values.

        Raises:
            InputError: all weights are 0.
        """
        found = self.means(values, weights)
        found = found[np.isfinite(found)]
        if not found.size:
            raise InputError("All weights are 0; rows that count are expected.")
        low, high = np.quantile(found, [0.025, 0.975])
        mean = float(np.average(values, weights=weights))
        return {"mean": mean, "low": float(low), "high": float(high)}


def sts_change(untouched: Encoder, trained: Encoder) -> dict[str, float]:
    """Return Spearman on STS-B before and after a training; empty without the data."""
    if not (data := sts_at_hand()):
        return {}
    return {"sts_before": _sts_before(untouched), "sts_after": sts_spearman(trained, data)}


@cache
def _sts_before(untouched: Encoder) -> float:
    return sts_spearman(untouched, sts_part("test"))


def matched_weights(skeletons: Sequence[str], labels: Sequence[str]) -> np.ndarray:
    """Return row weights (n,) in [0, 1] under which a sentence's construction says nothing.

    The matched score is accuracy under these weights. Rows are compared within one skeleton
    (`baselines.skeleton`), where every label weighs as much as the rarest: a row of skeleton s and
    label l weighs min_l n(s, l) / n(s, l). Skeletons that lack a label weigh 0. So any answer that
    depends on the skeleton alone scores exactly 1/3.
    """
    frame = pd.DataFrame({"skeleton": list(skeletons), "label": list(labels)})
    counts = pd.crosstab(frame.skeleton, frame.label).reindex(columns=list(LABELS), fill_value=0)
    size = frame.groupby(["skeleton", "label"])["label"].transform("size")
    return np.asarray(frame.skeleton.map(counts.min(axis=1)) / size, dtype=float)


# Calibration, on relations that a model was not taught: on taught ones every verdict is right,
# which says nothing about how sure it should be elsewhere.

TEMPERATURES = tuple(float(t) for t in np.round(np.geomspace(0.01, 0.3, 14), 4))
"""Tried for votes of neighbours; distances lie in [0, 2]."""

FLATTENINGS = tuple(float(t) for t in np.round(np.geomspace(0.25, 8, 11), 4))
"""Temperatures tried for models with their own probabilities, such as a head; 1 changes none."""

_TINY = 1e-6


def expected_calibration_error(
    probabilities: np.ndarray, rows: Sequence[int] | np.ndarray
) -> float:
    """Return Σ_b (n_b / n) · |accuracy_b − confidence_b| over equal-width bins (Guo et al. 2017).

    Args:
        probabilities: (n, L), rows summing to 1.
        rows: the column of each sample's true label, (n,).
    """
    confidence, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == np.asarray(rows)
    gaps = np.bincount(place_in_bins(confidence), right - confidence)  # n_b · (acc_b − conf_b)
    return float(np.abs(gaps).sum() / len(rows))


def log_loss(probabilities: np.ndarray, rows: Sequence[int] | np.ndarray) -> float:
    """Return the mean −log of the probabilities (n, L) of the true labels, columns (n,)."""
    own = probabilities[np.arange(len(rows)), rows]
    return float(-np.log(np.maximum(own, _TINY)).mean())


def flattened(probabilities: np.ndarray) -> np.ndarray:
    """Return softmax(log p / T) for each T of FLATTENINGS, (t, n, L) (Guo et al. 2017)."""
    logits = np.log(np.maximum(probabilities, _TINY))
    return np.stack([softmax(logits / t, axis=1) for t in FLATTENINGS])
