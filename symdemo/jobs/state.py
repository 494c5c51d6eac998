"""One job: its state and reports, a snapshot of them, and the handle that its work reports to."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from symdemo.jobs.reporting import Reporter
from symdemo.text import shorten

State = Literal["waiting", "running", "stopping", "done", "stopped", "failed", "broken off"]
RUNNING = frozenset({"running", "stopping"})
FINISHED = frozenset({"done", "stopped", "failed", "broken off"})
MAX_EVENTS = 500
MAX_LOG, MAX_CHARACTERS = 200, 500
"""Lines of a log that are kept, and the length at which one is cut."""

STOP_SECONDS = 3.0  # how long a stopped job may go on measuring its result


@dataclass(frozen=True, slots=True)
class JobView:
    """A snapshot of a job."""

    id: str
    owner: str
    title: str
    state: State
    place: int = 0  # in the queue; 0 once it runs
    ahead_seconds: float | None = None  # until it begins, if known
    progress: tuple[int, int] = (0, 0)  # done and total; zeros before the first report
    eta_seconds: float | None = None  # until it ends, if it runs and that is known
    events: tuple[dict, ...] = ()  # its reports, thinned out if there are many
    log: tuple[str, ...] = ()  # its last lines
    error: str | None = None  # why it failed, in one sentence
    result: Any = None
    measures: bool = False  # training is over, and `progress` is about measuring the result
    cut: bool = False  # it was asked to end without measuring
    kind: str = ""

    @property
    def finished(self) -> bool:
        """True if its state is final."""
        return self.state in FINISHED


@dataclass(eq=False)
class Job:
    """A job inside the queue; reading or changing it needs the queue's lock."""

    id: str
    owner: str
    title: str
    run: Callable[[JobHandle], Any] | None
    on_change: Callable[[dict], None] | None = None
    expected: float | None = None
    kind: str = ""
    names: tuple[tuple[str, ...], ...] = ()  # whose time it takes: the group's, and its member's
    state: State = "waiting"
    progress: tuple[int, int] = (0, 0)
    ends: float | None = None  # when, by the clock of time.monotonic
    events: list[dict] = field(default_factory=list)
    log: deque = field(default_factory=lambda: deque(maxlen=MAX_LOG))
    error: str | None = None
    result: Any = None
    ended: float = 0.0
    deadline: float = float("inf")
    patience_ends: float = float("inf")
    measures: bool = False
    on: bool = False  # it has a place
    resting: bool = False  # it waits for its next turn
    since: float = 0.0  # when its time was charged last
    turn_ends: float = 0.0  # by the clock of what its group has used
    stop: threading.Event = field(default_factory=threading.Event)
    cut: threading.Event = field(default_factory=threading.Event)
    telling: threading.Lock = field(default_factory=threading.Lock)
    thread: threading.Thread | None = None

    def start(self, allowed_seconds: float) -> None:
        """Mark it as running, for `allowed_seconds` at most."""
        self.state, now = "running", time.monotonic()
        self.deadline = now + allowed_seconds
        if self.expected is not None:
            self.ends = now + self.expected

    def finish(self, state: State, result: Any = None, error: str | None = None) -> None:
        """Mark it as finished and drop its work, which may hold a whole model."""
        self.state, self.result, self.error = state, result, error
        self.run, self.ended = None, time.monotonic()

    def left(self) -> float | None:
        """Return the seconds it still needs, or None if unknown."""
        if self.state == "waiting":
            return self.expected
        return None if self.ends is None else max(0.0, self.ends - time.monotonic())

    def view(self, place: int, ahead: float | None) -> JobView:
        """Return a snapshot, at `place` in the queue and `ahead` seconds from running."""
        shown = ("id", "owner", "title", "state", "progress", "error", "result", "measures", "kind")
        return JobView(
            **{name: getattr(self, name) for name in shown},
            place=place,
            ahead_seconds=ahead,
            eta_seconds=self.left() if self.state in RUNNING else None,
            events=tuple(dict(event) for event in self.events),
            log=tuple(self.log),
            cut=self.cut.is_set(),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the state as JSON values for the disk, without the owner, whose name is a key."""
        shown = {name: getattr(self, name) for name in ("id", "title", "state", "error")}
        return shown | {"progress": list(self.progress)}


class JobHandle(Reporter):
    """Receiver of a job's reports; `stopped` may wait for the job's turn, so hold no lock."""

    def __init__(self, job: Job, lock: threading.Condition, rest: Callable[[Job], None]):
        self._job, self._lock, self._rest = job, lock, rest

    def stopped(self) -> bool:
        """True if the job was asked to stop, or its time is up."""
        job = self._job
        self._rest(job)
        if not job.stop.is_set() and time.monotonic() > job.deadline:
            job.stop.set()
            self.log("The time for one job is up, so it ends with what there is.")
        return job.stop.is_set()

    def cut_short(self) -> bool:
        """True if the job was asked to end without measuring, or `STOP_SECONDS` are over."""
        self._rest(self._job)
        return self._job.cut.is_set() or time.monotonic() > self._job.patience_ends

    def progress(self, done: int, total: int, eta: float | None = None) -> None:
        """Report training steps; `eta` seconds are left, including those to measure the result."""
        self._report(done, total, eta, measures=False)

    def measuring(self, done: int, total: int, eta: float | None = None) -> None:
        """Report measured inputs, after the training; `eta` seconds are left."""
        self._report(done, total, eta, measures=True)

    def _report(self, done: int, total: int, eta: float | None, measures: bool) -> None:
        with self._lock:
            self._job.progress, self._job.measures = (done, total), measures
            if eta is not None:
                self._job.ends = time.monotonic() + eta

    def event(self, values: dict) -> None:
        """Record a few named numbers for a chart."""
        with self._lock:
            self._job.events.append(dict(values))
            if len(self._job.events) > MAX_EVENTS:
                self._job.events = _thinned(self._job.events)

    def log(self, text: str) -> None:
        """Append a line to the job's log, which users see."""
        with self._lock:
            self._job.log.append(shorten(text, MAX_CHARACTERS))


def _thinned(events: Sequence[dict]) -> list[dict]:
    """Drop every other event except the last and, unless too many, those with an accuracy."""
    last = len(events) - 1
    kept = [
        event
        for number, event in enumerate(events)
        if number % 2 == 0 or number == last or event.get("accuracy") is not None
    ]
    return kept if len(kept) <= 3 * MAX_EVENTS // 4 else [*events[:-1:2], events[-1]]
