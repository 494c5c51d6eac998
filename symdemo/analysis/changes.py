"""What the second sentence of each pair changes: nothing but the places of a swap, or more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symdemo.jobs.reporting import SILENT, Reporter
from symdemo.pairs import Pair
from symdemo.swapping.frames import changes_of, is_swap

_STEP = 256


def find_changes(pairs: Sequence[Pair], reports: Reporter = SILENT) -> tuple[str, ...]:
    """Return what each hypothesis changes, by the names of `swapping.frames`.

    A swap takes 0.3 ms, a pair that has to be parsed 10 ms.

    Raises:
        StoppedError: `reports` asked to stop.
    """
    found: list[str] = []
    for start in range(0, len(pairs), _STEP):
        reports.check()
        found += changes_of(pairs[start : start + _STEP])
        reports.progress(len(found), len(pairs))
    return tuple(found)


def find_swaps(pairs: Sequence[Pair], reports: Reporter = SILENT) -> np.ndarray:
    """Return (n,) bool: True where the hypothesis is the swap of the premise; quick for any pair.

    Raises:
        StoppedError: `reports` asked to stop.
    """
    found = np.zeros(len(pairs), bool)
    for n, pair in enumerate(pairs):
        if n % _STEP == 0:
            reports.check()
        found[n] = is_swap(pair)
    return found
