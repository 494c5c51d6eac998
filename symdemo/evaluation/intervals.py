"""How sure a measured share is."""

from __future__ import annotations


def wilson(hits: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The interval of a share of `hits` in `n` (Wilson 1927), as parts of 1; all of it for none."""
    if not n:
        return 0.0, 1.0
    from scipy.stats import binomtest

    interval = binomtest(hits, n).proportion_ci(confidence, method="wilson")
    return float(interval.low), float(interval.high)
