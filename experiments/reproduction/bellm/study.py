"""Running a plan: one measurement after another, with progress, a stop, and a ledger."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from experiments.reproduction.bellm.jobs import Job, Resources, jobs
from experiments.reproduction.bellm.keys import label_key, shown_name
from experiments.reproduction.bellm.plan import Plan
from experiments.reproduction.ledger import Ledger


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a study is: measurements done and in all, seconds left, what is measured now.

    `seconds_left` is None until something was timed. It counts sentences: an encoder is taken to
    read the rest as fast as what was read so far.
    """

    done: int
    total: int
    seconds_left: float | None
    current: str


def run_study(
    plan: Plan,
    ledger: Ledger,
    show: Callable[[Progress], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    resources: Resources | None = None,
) -> bool:
    """Make the measurements that the ledger lacks; True once none is left.

    A study that was stopped, or killed, goes on where it was when run again with the same ledger.

    Raises:
        SymdemoError: an encoder that cannot be loaded or measured, or data that cannot be read.
    """
    resources = resources or Resources(plan.download)
    for name in plan.encoders:
        label = {"label": plan.labels.get(name) or shown_name(name)}
        if name in plan.labels or label_key(name) not in ledger:
            ledger.add(label_key(name), label)
    every = list(jobs(plan, resources))
    waiting = [job for job in every if job.key not in ledger]
    clock = _Clock(waiting, len(every), show)
    for number, job in enumerate(waiting):
        if should_stop and should_stop():
            return False
        clock.begin(number)
        ledger.add(job.key, job.compute(clock.tell))
        clock.end()
    return True


def is_finished(plan: Plan, ledger: Ledger, resources: Resources) -> bool:
    """Whether the ledger has all of a plan's encoders on all data that are here, by their names."""
    made = {(key["part"], key["encoder"], key["task"]) for key in ledger if "task" in key}
    return all(
        (part, shown_name(name), task) in made
        for name in plan.encoders
        for part in plan.parts
        for task in plan.tasks_of(part)
        if resources.data(part, task) is not None
    )


class _Clock:
    """Tells where a study is, and how long the sentences that are left will take."""

    def __init__(self, waiting: Sequence[Job], total: int, show: Callable[[Progress], None] | None):
        self._waiting, self._total, self._show = waiting, total, show
        self._number, self._began = 0, 0.0
        self._read, self._took = 0.0, 0.0

    def begin(self, number: int) -> None:
        """Measurement `number` of those that wait begins."""
        self._number, self._began = number, time.perf_counter()
        self.tell(0, 1)

    def tell(self, done: int, total: int) -> None:
        """So many inputs of a measurement are read."""
        if self._show is None:
            return
        job = self._waiting[self._number]
        now = job.sentences * done / max(total, 1)
        ahead = sum(other.sentences for other in self._waiting[self._number :]) - now
        read = self._read + now
        spent = self._took + (time.perf_counter() - self._began if done else 0.0)
        left = ahead * spent / read if read else None
        before = self._total - len(self._waiting) + self._number
        self._show(Progress(before, self._total, left, job.title))

    def end(self) -> None:
        """The measurement is made."""
        if own := self._waiting[self._number].sentences:
            self._read += own
            self._took += time.perf_counter() - self._began
