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
        per_group: jobs that all owners of one group may have so, such as those of one network.
        seconds: that one job may run before it is asked to stop.
        full: what is said where too many would wait; the two numbers go into its braces.
        busy: what is said to an owner who would have too many.
        crowded: what is said to an owner whose group would have too many.
    """

    workers: int = 1
    waiting: int = 32
    per_owner: int = 1
    per_group: int = 16
    seconds: float = 1800.0
    full: str = (
        "There would be {:,} jobs waiting; the queue holds {:,}, so try again in a few minutes."
    )
    busy: str = "You would have {:,} jobs at once; {:,} is allowed, so wait for it or stop it."

    crowded: str = (
        "There would be {:,} jobs from your network at once; at most {:,} are allowed, so try "
        "again when one has ended."
    )

    def check(self, own: int, of_group: int, waiting: int) -> None:
        """Raise `InputError` where so many of an owner, of a group, or waiting are too many."""
        for number, most, sentence in (
            (own, self.per_owner, self.busy),
            (of_group, self.per_group, self.crowded),
            (waiting, self.waiting, self.full),
        ):
            if number > most:
                raise InputError(sentence.format(number, most))
