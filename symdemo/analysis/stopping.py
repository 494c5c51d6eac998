"""Callbacks of long work: a poll for a wish to stop, and reports of progress."""

from __future__ import annotations

from collections.abc import Callable

from symdemo.jobs.state import StoppedError

ShouldStop = Callable[[], bool]
Progress = Callable[[int, int], None]
"""Called with steps done and steps in all."""


def stop_if_asked(should_stop: ShouldStop | None) -> None:
    """Raise `StoppedError` if `should_stop` returns True."""
    if should_stop is not None and should_stop():
        raise StoppedError("The work was stopped.")
