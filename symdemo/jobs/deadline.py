"""How long one request may work: whoever reads row by row asks whether time is up."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from symdemo.errors import InputError

_ends: ContextVar[float] = ContextVar("ends", default=float("inf"))


class DeadlineError(InputError):
    """What was asked takes longer than one request may."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Allow so many seconds from now, or those that are left where that is less.

    It holds for this thread, and for whatever is run in a copy of its context.
    """
    ends = _ends.set(min(_ends.get(), time.monotonic() + seconds))
    try:
        yield
    finally:
        _ends.reset(ends)


@contextmanager
def uncounted() -> Iterator[None]:
    """Give the time spent here back to the deadline that holds."""
    began = time.monotonic()
    try:
        yield
    finally:
        _ends.set(_ends.get() + time.monotonic() - began)


def check_time() -> None:
    """Go on while there is time.

    Raises:
        DeadlineError: time is up.
    """
    if time.monotonic() > _ends.get():
        raise DeadlineError(
            "This takes longer than one request may; give fewer or shorter sentences at once."
        )
