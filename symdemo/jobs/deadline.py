"""A time limit for one request, checked row by row."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from symdemo.errors import InputError

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
    """Exclude the time spent here from the deadline."""
    began = time.monotonic()
    try:
        yield
    finally:
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
