"""Long work that runs in the background: how far it is, and whether it should end."""

from __future__ import annotations

from collections.abc import Callable

from symdemo.jobs.state import StoppedError

ShouldStop = Callable[[], bool]
Progress = Callable[[int, int], None]


Stopped = StoppedError
"""Somebody asked the work to end."""


def go_on(should_stop: ShouldStop | None) -> None:
    """Raise `Stopped` where somebody asks the work to end."""
    if should_stop is not None and should_stop():
        raise Stopped("It was stopped.")
