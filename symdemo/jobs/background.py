"""Run long work beside an interactive program: at low priority, and without keeping its memory."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from contextvars import copy_context
from functools import cache
from typing import Any, TypeVar

Result = TypeVar("Result")

NICE = 8
"""Niceness of low-priority threads. Of two threads that compete for a core, the one of 0 gets 86%;
with a higher niceness a training would starve under fifty busy visitors."""


def lower_priority() -> None:
    """Lower the priority of this thread, and of those it starts, for good.

    Only Linux has priorities of threads; elsewhere nothing changes.
    """
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)


def run_aside(function: Callable[..., Result], *args: Any) -> Result:
    """Run a function in a low-priority thread under the same deadline, and wait for its result."""
    done: Future[Result] = Future()
    context = copy_context()

    def work() -> None:
        lower_priority()
        try:
            done.set_result(context.run(function, *args))
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=work, name="aside", daemon=True).start()
    return done.result()


@cache
def _malloc_trim():
    """Return the C library's `malloc_trim`, or None if it has none."""
    if not sys.platform.startswith("linux"):
        return None
    return getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has none


def trim_heap() -> bool:
    """Give freed memory back to the operating system; return True if any was released.

    glibc holds on to the memory of freed small tensors, in fragments that the next training can
    reuse only partly. Without this, memory use would grow with every training.
    """
    trim = _malloc_trim()
    return bool(trim and trim(0))
