"""Kinds of jobs: each has its own waiting line and workers, so none holds up another."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from symdemo.errors import InputError
from symdemo.jobs.state import Job


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


class Line:
    """The jobs of one kind that wait, and the threads that work them off."""

    def __init__(self, kind: str, policy: KindPolicy, work: Callable[[Line], None]):
        self.policy = policy
        self.waiting: deque[Job] = deque()
        self._started = False
        self._threads = [
            threading.Thread(target=work, args=(self,), name=f"{kind}-{n}", daemon=True)
            for n in range(policy.workers)
        ]

    def start(self) -> None:
        """Start the threads, the first time."""
        if not self._started:
            self._started = True
            for thread in self._threads:
                thread.start()

    def join(self, until: Callable[[], float]) -> None:
        """Wait for the threads to end, for `until()` seconds each."""
        for thread in self._threads if self._started else ():
            thread.join(until())
