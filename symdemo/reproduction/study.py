"""Running a plan: one measurement after another, with progress, a stop, and a ledger."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from symdemo.reproduction.jobs import Job, jobs
from symdemo.reproduction.keys import Recorded, nli_cells
from symdemo.reproduction.ledger import Ledger
from symdemo.reproduction.plan import ABLATIONS, NLI_ARMS, Plan
from symdemo.reproduction.resources import Resources

_FIRST_GUESS = 45.0
"""Seconds that a measurement is taken to need before one of its kind was timed."""

_SEARCH_GUESS = 2
"""Sizes that a search is taken to need for one method and seed."""


Kind = tuple[str, bool, str | None]
"""Of a measurement: part, whether forgetting is measured too, encoder."""


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
) -> bool:
    """Make the measurements that the ledger lacks; True once none is left.

    A study that was stopped, or killed, goes on where it was when run again with the same ledger.
    """
    resources = resources or Resources()
    clock = _Clock(plan)
    for job in jobs(plan, ledger, resources):
        if job.key in ledger:
            clock.skip(job)
            continue
        if should_stop and should_stop():
            return False
        if show:
            show(clock.progress(job))
        began = time.perf_counter()
        ledger.add(job.key, job.compute(resources))
        clock.tick(job, time.perf_counter() - began)
    return True


def is_finished(plan: Plan, ledger: Ledger) -> bool:
    """Whether the ledger has all of a plan; nothing is loaded to tell.

    An encoder without any measurement leaves a study unfinished: it might be had elsewhere.
    """
    return all(job.key in ledger for job in jobs(plan, ledger, Recorded(ledger)))


@dataclass
class _Clock:
    """Estimates what is left from what each kind of measurement has taken so far."""

    plan: Plan
    done: dict[Kind, int] = field(default_factory=lambda: defaultdict(int))
    took: dict[Kind, list[float]] = field(default_factory=lambda: defaultdict(list))

    def skip(self, job: Job) -> None:
        self.done[_kind(job)] += 1

    def tick(self, job: Job, seconds: float) -> None:
        self.done[_kind(job)] += 1
        self.took[_kind(job)].append(seconds)

    def progress(self, job: Job) -> Progress:
        expected = self._expected(job)
        times = [second for own in self.took.values() for second in own]
        usual = sum(times) / len(times) if times else _FIRST_GUESS
        left = 0.0
        for kind, count in expected.items():
            own = self.took.get(kind)
            mean = sum(own) / len(own) if own else usual
            left += max(count - self.done[kind], 0) * mean
        done = sum(self.done.values())
        return Progress(done, max(sum(expected.values()), done + 1), left, job.title)

    def _expected(self, job: Job) -> dict[Kind, int]:
        """How many measurements of each kind there will be, seen from the one that comes next."""
        plan = self.plan
        count: dict[Kind, int] = defaultdict(int)
        first = plan.encoders[0]
        for name in plan.encoders:
            seeds, full = plan.seeds_of(name), plan.is_full(name)
            without = set(plan.without_seeds) & set(seeds) if full else ()
            count["probe", False, name] = len(seeds)
            count["cell", True, name] = len(plan.methods) * (len(seeds) + len(without))
            if plan.search and full:
                search = "cell", False, name
                guess = _SEARCH_GUESS * len(plan.methods) * len(seeds)
                count[search] = self.done[search] if self._is_past(name, job) else guess
        values = sum(len(values) for _, values in ABLATIONS)
        count["cell", True, first] += values * len(plan.ablation_seeds)
        count["nli", False, first] = sum(
            1 for method in plan.methods for _ in nli_cells(plan, method, *NLI_ARMS)
        )
        count["new label", False, first] = len(plan.new_label_seeds)
        return count

    def _is_past(self, name: str, job: Job) -> bool:
        """Whether the search with an encoder is over when `job` comes."""
        if job.key["part"] in ("new label", "nli"):
            return True
        encoders, own = self.plan.encoders, job.key.get("encoder")
        return own in encoders and encoders.index(own) > encoders.index(name)


def _kind(job: Job) -> Kind:
    """Measurements of one kind are taken to need the same time."""
    return job.key["part"], bool(job.key.get("forgetting")), job.key.get("encoder")
