"""Running jobs: one measurement after another, with progress, a stop, and a ledger."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from experiments.reproduction.jobs import Job, jobs, share_of
from experiments.reproduction.keys import Recorded
from experiments.reproduction.ledger import Ledger
from experiments.reproduction.plan import Plan
from experiments.reproduction.resources import Resources

_FIRST_GUESS = 45.0
"""Seconds that a measurement is taken to need before one of its kind was timed."""

Kind = tuple[str, str | None, str | None]
"""Of a measurement: part, encoder, method."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a study is: measurements done and expected, seconds left, and what comes next."""

    done: int
    expected: int
    seconds_left: float
    current: str


def run_study(
    plan: Plan,
    ledger: Ledger,
    show: Callable[[Progress], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    resources: Resources | None = None,
    share: tuple[int, int] = (1, 1),
) -> bool:
    """Make a plan's measurements, or this process's share of them; see `run_jobs`."""
    resources = resources or Resources()
    return run_jobs(share_of(jobs(plan, resources), *share), ledger, show, should_stop, resources)


def run_jobs(
    wanted: Sequence[Job],
    ledger: Ledger,
    show: Callable[[Progress], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    resources: Resources | None = None,
) -> bool:
    """Make the measurements that the ledger lacks; True once none is left.

    What was stopped, or killed, goes on where it was when run again with the same ledger.
    """
    resources = resources or Resources()
    left = [job for job in wanted if job.key not in ledger]
    took: dict[Kind, list[float]] = defaultdict(list)
    for place, job in enumerate(left):
        if should_stop and should_stop():
            return False
        if show:
            done = len(wanted) - len(left) + place
            show(Progress(done, len(wanted), _seconds(left[place:], took), job.title))
        began = time.perf_counter()
        ledger.add(job.key, job.compute(resources))
        took[_kind(job)].append(time.perf_counter() - began)
    return True


def is_finished(plan: Plan, ledger: Ledger) -> bool:
    """Whether the ledger has all of a plan; nothing is loaded to tell.

    An encoder without any measurement leaves a study unfinished: it might be had elsewhere.
    """
    return all(job.key in ledger for job in jobs(plan, Recorded(ledger)))


def _seconds(left: Sequence[Job], took: dict[Kind, list[float]]) -> float:
    """How long jobs will take, by the means of their kinds, or of all where one is new."""
    times = [second for own in took.values() for second in own]
    usual = sum(times) / len(times) if times else _FIRST_GUESS
    means = {kind: sum(own) / len(own) for kind, own in took.items()}
    return sum(n * means.get(kind, usual) for kind, n in Counter(map(_kind, left)).items())


def _kind(job: Job) -> Kind:
    """Measurements of one kind are taken to need the same time."""
    return job.key["part"], job.key.get("encoder"), job.key.get("method")
