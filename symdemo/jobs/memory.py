"""Memory after a job: what was freed goes back to the system."""

from __future__ import annotations

import ctypes
import sys
from functools import cache


@cache
def _trim():
    """The C library's `malloc_trim`; None where it has none, as on macOS and Windows."""
    if not sys.platform.startswith("linux"):
        return None
    return getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has none


def trim_heap() -> bool:
    """Hand freed memory back to the system; whether there was any that could be.

    The tensors of a training are smaller than what glibc asks the system for singly, so it keeps
    them, in pieces of which the next training can use only a part: each one adds some.
    """
    trim = _trim()
    return bool(trim and trim(0))
