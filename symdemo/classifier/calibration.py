"""Calibration: how honest probabilities are, their temperature, and what counts as unfamiliar.

Probabilities are calibrated on relations that the model was not taught: on taught ones every
verdict is right, which says nothing about how sure it should be elsewhere. A pair is unfamiliar if
its label embedding is far from all taught ones: a trained encoder gathers these in tight clusters,
and sentences it knows nothing about fall between them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import softmax

from symdemo.classifier.symmetry import SymmetryClassifier
from symdemo.errors import InputError
from symdemo.pairs import Pair

TEMPERATURES = tuple(float(t) for t in np.round(np.geomspace(0.01, 0.3, 14), 4))
"""Tried by `best_temperature`; distances lie in [0, 2]."""

FLATTENINGS = tuple(float(t) for t in np.round(np.geomspace(0.25, 8, 11), 4))
"""Temperatures to try for models with their own probabilities, such as a head; 1 changes none."""

FALSE_ALARMS = 0.05
"""Share of unseen pairs of taught relations that are called unfamiliar."""

BINS = 10
_TINY = 1e-6


def place_in_bins(confidence: np.ndarray, bins: int = BINS) -> np.ndarray:
    """Return the bin number (low, high] of each probability, from 0; bins have equal width."""
    return np.clip(np.ceil(confidence * bins).astype(int) - 1, 0, bins - 1)


def expected_calibration_error(probabilities: np.ndarray, rows: Sequence[int]) -> float:
    """Return Σ_b (n_b / n) · |accuracy_b − confidence_b| over equal-width bins (Guo et al. 2017).

    Args:
        probabilities: (n, L), rows summing to 1.
        rows: the column of each sample's true label, (n,).

    Raises:
        InputError: no samples, or different numbers of probabilities and labels.
    """
    if not len(rows) or len(rows) != len(probabilities):
        raise InputError(
            f"{len(probabilities)} rows of probabilities and {len(rows)} labels were given; equal "
            "numbers, at least one, are expected."
        )
    confidence, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == np.asarray(rows)
    gaps = np.bincount(place_in_bins(confidence), right - confidence)  # n_b · (acc_b − conf_b)
    return float(np.abs(gaps).sum() / len(rows))


def log_loss(probabilities: np.ndarray, rows: Sequence[int]) -> float:
    """Return the mean −log of the probabilities (n, L) of the true labels, columns (n,)."""
    own = probabilities[np.arange(len(rows)), rows]
    return float(-np.log(np.maximum(own, _TINY)).mean())


def tempered(probabilities: np.ndarray, temperature: float) -> np.ndarray:
    """Return softmax(log p / T), (n, L): temperature scaling (Guo et al. 2017)."""
    return softmax(np.log(np.maximum(probabilities, _TINY)) / temperature, axis=1)


def best_temperature(losses: np.ndarray) -> float:
    """Return the temperature of `TEMPERATURES` with the least mean of losses (runs, temperatures).

    Each run is a model whose held-out relations were predicted at every temperature.
    """
    return TEMPERATURES[int(np.atleast_2d(losses).mean(axis=0).argmin())]


def nearest_distances(model: SymmetryClassifier, pairs: Sequence[Pair]) -> np.ndarray:
    """Return the cosine distance (n,) of each pair's label embedding from the nearest taught one.

    Raises:
        ModelError: nothing was taught.
    """
    return model.index.search_rows(model.embed(pairs), k=1)[1][:, 0].astype(np.float64)


def calibrate(model: SymmetryClassifier, held_out: Sequence[Pair]) -> SymmetryClassifier:
    """Return the model with the distance beyond which `FALSE_ALARMS` of unseen pairs lie."""
    limit = float(np.quantile(nearest_distances(model, held_out), 1 - FALSE_ALARMS))
    return model.with_card(familiar_within=round(limit, 4))
