"""Probabilities that mean what they say: how far they are off, and the temperature that mends it.

What is calibrated on must be relations that the model was not taught: on those it was taught every
verdict is right, and nothing can be learnt from that about how sure it should be elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import softmax

from symdemo.errors import InputError

TEMPERATURES = tuple(float(t) for t in np.round(np.geomspace(0.01, 0.3, 14), 4))
"""Tried by `best_temperature`; distances lie in [0, 2]."""

FLATTENINGS = tuple(float(t) for t in np.round(np.geomspace(0.25, 8, 11), 4))
"""Tried for what gives probabilities of its own, such as a head; 1 leaves them as they are."""

BINS = 10
_TINY = 1e-6


def place_in_bins(confidence: np.ndarray, bins: int = BINS) -> np.ndarray:
    """The number of the bin (low, high] of each probability, from 0; all of equal width."""
    return np.clip(np.ceil(confidence * bins).astype(int) - 1, 0, bins - 1)


def expected_calibration_error(
    probabilities: np.ndarray, rows: Sequence[int], bins: int = BINS
) -> float:
    """Σ_b (n_b / n) · |accuracy_b − confidence_b| over bins of equal width (Guo et al. 2017).

    Args:
        probabilities: (n, labels), each row summing to 1.
        rows: the column of each sample's true label, (n,).
        bins: of the largest probability.

    Raises:
        InputError: no sample, or another number of probabilities than of labels.
    """
    if not len(rows) or len(rows) != len(probabilities):
        raise InputError(
            f"{len(probabilities)} rows of probabilities and {len(rows)} labels were given; as "
            "many of both are expected, at least one."
        )
    confidence, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == np.asarray(rows)
    place = place_in_bins(confidence, bins)
    return float(
        sum(
            abs(right[place == b].mean() - confidence[place == b].mean()) * (place == b).mean()
            for b in np.unique(place)
        )
    )


def log_loss(probabilities: np.ndarray, rows: Sequence[int]) -> float:
    """Mean −log of the probability that the true label was given."""
    own = probabilities[np.arange(len(rows)), rows]
    return float(-np.log(np.maximum(own, _TINY)).mean())


def tempered(probabilities: np.ndarray, temperature: float) -> np.ndarray:
    """Softmax of log p / T, (n, labels): the temperature scaling of Guo et al. (2017).

    A softmax's logits are its log probabilities up to a constant that the softmax takes away again.
    """
    logits = np.log(np.maximum(probabilities, _TINY)) / temperature
    return softmax(logits, axis=1)


def best_temperature(losses: np.ndarray) -> float:
    """The temperature of `TEMPERATURES` with the least mean log loss.

    Args:
        losses: (runs, len(TEMPERATURES)), of models whose held-out relations were judged at each.
    """
    return TEMPERATURES[int(np.atleast_2d(losses).mean(axis=0).argmin())]
