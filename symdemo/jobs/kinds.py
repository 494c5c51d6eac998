"""Kinds of jobs: each has limits of its own, so none holds up another."""

from __future__ import annotations

from dataclasses import dataclass

from symdemo.errors import InputError


@dataclass(frozen=True, slots=True)
class KindPolicy:
    """How much of one kind of work is taken on.

    Attributes:
        workers: jobs that run at once.
        waiting: jobs that may wait, of all owners together.
        per_owner: jobs that one owner may have waiting or running.
        seconds: that one job may run before it is asked to stop.
        full: what is said where too many would wait; the two numbers go into its braces.
        busy: what is said to an owner who would have too many.
    """

    workers: int = 1
    waiting: int = 32
    per_owner: int = 1
    seconds: float = 1800.0
    full: str = (
        "There would be {:,} jobs waiting; the queue holds {:,}, so try again in a few minutes."
    )
    busy: str = "You would have {:,} jobs at once; {:,} is allowed, so wait for it or stop it."

    def check(self, own: int, waiting: int) -> None:
        """Raise `InputError` where an owner would have `own` jobs, or `waiting` would wait."""
        for number, most, sentence in (
            (own, self.per_owner, self.busy),
            (waiting, self.waiting, self.full),
        ):
            if number > most:
                raise InputError(sentence.format(number, most))
