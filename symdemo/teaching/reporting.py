"""Who is told how long work goes, and may want it to stop."""

from __future__ import annotations

from typing import Protocol


class Reporter(Protocol):
    """Whoever wants to know how it goes, and may want it to stop; a `JobHandle` is one."""

    def stopped(self) -> bool:
        """Whether to end now with the best so far."""

    def progress(self, done: int, total: int, eta: float | None = None) -> None:
        """So many steps of so many are made."""

    def event(self, values: dict) -> None:
        """A point of the learning curve."""

    def log(self, text: str) -> None:
        """A line for people."""


class Silent:
    """A `Reporter` that nobody listens to."""

    def stopped(self) -> bool:
        """Never."""
        return False

    def progress(self, done: int, total: int, eta: float | None = None) -> None:
        """Nothing."""

    def event(self, values: dict) -> None:
        """Nothing."""

    def log(self, text: str) -> None:
        """Nothing."""
