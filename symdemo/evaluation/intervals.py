"""How sure a measured share is."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist


def wilson(hits: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The interval of a share of `hits` in `n` (Wilson 1927), as parts of 1; all of it for none.

    (p + z²/2n ± z √(p (1 − p) / n + z²/4n²)) / (1 + z²/n). SciPy has it too, but works out a test
    beside it, which takes a second for the groups of one table.
    """
    if not n:
        return 0.0, 1.0
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    share, scale = hits / n, 1 + z * z / n
    middle = (share + z * z / (2 * n)) / scale
    half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / scale
    return middle - half if hits else 0.0, middle + half if hits < n else 1.0
