"""Who is told how long work goes, and may want it to stop."""

from __future__ import annotations

import time


class Reporter:
    """Whoever wants to know how it goes, and may want it to stop; a `JobHandle` is one.

    Work has two halves: it learns, and then it measures what that changed. This one hears nothing
    and never asks to stop.
    """

    def stopped(self) -> bool:
        """Whether to learn no more, and to go on with the best so far."""
        return False

    def cut_short(self) -> bool:
        """Whether to end now, without measuring (any further)."""
        return False

    def progress(self, done: int, total: int, eta: float | None = None) -> None:
        """So many steps of so many are made; `eta` seconds are left of both halves."""

    def measuring(self, done: int, total: int, eta: float | None = None) -> None:
        """So much of so much is measured, and `eta` seconds are left."""

    def event(self, values: dict) -> None:
        """A point of the learning curve."""

    def log(self, text: str) -> None:
        """A line for people."""


class Meter:
    """How far measuring is, counted in inputs that are encoded.

    Args:
        total: inputs in all.
        handle: is told; and asked whether to end.
    """

    def __init__(self, total: int, handle: Reporter | None = None):
        self._handle, self._total, self._done = handle or Reporter(), total, 0
        self._began = time.perf_counter()
        self._handle.measuring(0, total)

    @property
    def over(self) -> bool:
        """Whether to end now."""
        return self._handle.cut_short()

    def advance(self, n: int) -> None:
        """n inputs more are encoded."""
        self._done = min(self._total, self._done + n)
        took = time.perf_counter() - self._began
        left = took / self._done * (self._total - self._done) if self._done else None
        self._handle.measuring(self._done, self._total, left)
