"""Work beside an interactive program: a deadline checked row by row, and low priority."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from functools import partial
from typing import Any, TypeVar

from symdemo.errors import InputError

Result = TypeVar("Result")
_ends: ContextVar[float] = ContextVar("ends", default=float("inf"))


class DeadlineError(InputError):
    """The request takes longer than is allowed."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Set a deadline `seconds` from now, unless an outer one comes earlier."""
    ends = _ends.set(min(_ends.get(), time.monotonic() + seconds))
    try:
        yield
    finally:
        _ends.reset(ends)


@contextmanager
def uncounted() -> Iterator[None]:
    """Suspend the deadline: time spent here is not charged, and nothing here is cut short."""
    began = time.monotonic()
    ends = _ends.set(float("inf"))
    try:
        yield
    finally:
        _ends.reset(ends)
        _ends.set(_ends.get() + time.monotonic() - began)


def seconds_left() -> float:
    """Return the seconds until the deadline, infinite without one."""
    return _ends.get() - time.monotonic()


def check_time() -> None:
    """Raise `DeadlineError` if time is up."""
    if seconds_left() < 0:
        raise DeadlineError(
            "This takes longer than one request may; give fewer or shorter sentences at once."
        )


NICE = 8
"""Niceness of low-priority threads. Of two threads that compete for a core, the one of 0 gets 86%;
with a higher niceness a training would starve under fifty busy visitors."""


def lower_priority() -> None:
    """Lower the priority of this thread and those it starts, for good; only on Linux."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)


def detached(function: Callable[..., Result]) -> Callable[..., Result]:
    """Return a function that runs in a copy of the present context, without its deadline.

    Its work still counts for the visitor of the request, as ZeroGPU's quotas need it.
    """
    context = copy_context()
    context.run(_ends.set, float("inf"))
    return partial(context.run, function)


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


def trim_heap() -> None:
    """Give freed memory back to the operating system.

    glibc holds on to the memory of freed small tensors, in fragments that the next training can
    reuse only partly. Without this, memory use would grow with every training.
    """
    if sys.platform.startswith("linux"):
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has none
        if trim:
            trim(0)
