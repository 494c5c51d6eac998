"""Confidence intervals of shares and correlations."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

import numpy as np

_CHUNK = 100  # resamplings ranked together, to bound memory


def wilson(hits: int, n: int) -> tuple[float, float]:
    """Return the 95% Wilson (1927) interval of the share `hits` / `n`, in [0, 1]; (0, 1) if n is 0.

    (p + z²/2n ± z √(p (1 − p) / n + z²/4n²)) / (1 + z²/n). SciPy's `binomtest` also runs a test,
    which takes a second for the groups of one table.
    """
    if not n:
        return 0.0, 1.0
    z = NormalDist().inv_cdf(0.975)
    share, scale = hits / n, 1 + z * z / n
    middle = (share + z * z / (2 * n)) / scale
    half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / scale
    return middle - half if hits else 0.0, middle + half if hits < n else 1.0


def rank_correlation(first: np.ndarray, second: np.ndarray) -> float:
    """Return Spearman's correlation of two arrays (n,), in [−1, 1]; 0 if one is constant."""
    from scipy.stats import rankdata

    ranks = rankdata(np.stack([first, second]), axis=1)
    return float(_correlate(ranks[:1], ranks[1:])[0])


def resampled_correlations(
    first: np.ndarray, second: np.ndarray, resamples: int = 1000, seed: int = 0
) -> np.ndarray:
    """Return Spearman's correlations (resamples,) of bootstrap samples of two arrays (n,)."""
    from scipy.stats import rankdata

    rng = np.random.default_rng(seed)
    found = []
    for start in range(0, resamples, _CHUNK):
        size = min(_CHUNK, resamples - start), len(first)
        drawn = rng.integers(0, len(first), size=size)
        found.append(_correlate(rankdata(first[drawn], axis=1), rankdata(second[drawn], axis=1)))
    return np.concatenate(found)


def _correlate(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return Pearson's correlation of each pair of rows, (rows,); 0 if one is constant."""
    first = first - first.mean(1, keepdims=True)
    second = second - second.mean(1, keepdims=True)
    scale = np.sqrt((first**2).sum(1) * (second**2).sum(1))
    product = (first * second).sum(1)
    return np.divide(product, scale, out=np.zeros_like(product), where=scale > 0)
