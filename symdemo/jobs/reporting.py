"""Progress reports of long work, and requests to stop it."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from symdemo.errors import SymdemoError


class StoppedError(SymdemoError):
    """A job was stopped before it had a result."""


class Reporter:
    """Receiver of progress in two halves, training and measuring; this one never asks to stop."""

    def stopped(self) -> bool:
        """True if training should end with the best model so far."""
        return False

    def check(self) -> None:
        """Raise `StoppedError` if the work should end."""
        if self.stopped():
            raise StoppedError("The work was stopped.")

    def cut_short(self) -> bool:
        """True if the work should end now, without (further) measuring."""
        return False

    def progress(self, done: int, total: int, eta: float | None = None) -> None:
        """Report training steps; `eta` seconds are left, including those to measure the result."""

    def measuring(self, done: int, total: int, eta: float | None = None) -> None:
        """Report measured inputs, after the training; `eta` seconds are left."""

    def event(self, values: dict) -> None:
        """Report a point of the learning curve."""

    def log(self, text: str) -> None:
        """Report a line for users."""


SILENT = Reporter()


def progress_bar(title: str) -> Callable[..., None]:
    """Return a function of (done, total, note="") that draws a bar, in a notebook too."""
    from tqdm.auto import tqdm

    bar = tqdm(desc=title)

    def show(done: int, total: int, note: str = "") -> None:
        bar.total = total
        bar.set_postfix_str(note, refresh=False)
        bar.update(done - bar.n)
        if done >= total:
            bar.close()

    return show


class Meter:
    """Progress of measuring, counted in encoded inputs, as reported to a handle."""

    def __init__(self, total: int, handle: Reporter):
        self._handle, self._total, self._done = handle, total, 0
        self._began = time.perf_counter()
        self._handle.measuring(0, total)

    @property
    def over(self) -> bool:
        """True if measuring should end now."""
        return self._handle.cut_short()

    def advance(self, n: int) -> None:
        """Report n more encoded inputs."""
        self._done = min(self._total, self._done + n)
        took = time.perf_counter() - self._began
        left = took / self._done * (self._total - self._done) if self._done else None
        self._handle.measuring(self._done, self._total, left)


class StopAsked:
    """Ctrl-C as a request to stop after the unit called `in_hand`; a second one interrupts."""

    def __init__(self, in_hand: str):
        self._in_hand, self._asked = in_hand, False
        with suppress(ValueError):  # not in the main thread, which alone receives Ctrl-C
            signal.signal(signal.SIGINT, self._ask)

    def _ask(self, number: int, frame: Any) -> None:
        self._asked = True
        sys.stderr.write(f"stopping after this {self._in_hand}; press again to stop now\n")
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def __call__(self) -> bool:
        """True if Ctrl-C was pressed."""
        return self._asked
