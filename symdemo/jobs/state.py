"""One job: what it has reported so far, what others see of it, and what it sees itself."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from symdemo.errors import SymdemoError
from symdemo.jobs.reporting import Reporter
from symdemo.text import shorten

State = Literal["waiting", "running", "stopping", "done", "stopped", "failed", "broken off"]
RUNNING = frozenset({"running", "stopping"})
FINISHED = frozenset({"done", "stopped", "failed", "broken off"})

MAX_EVENTS = 500
MAX_LOG = 200
STOP_SECONDS = 3.0
"""How long a job that was asked to stop goes on to measure what it has learnt."""

MAX_CHARACTERS = 500
"""A line of the log is cut there."""


class StoppedError(SymdemoError):
    """A job was asked to stop before it had anything to give."""


@dataclass(frozen=True, slots=True)
class JobView:
    """A snapshot of a job.

    Attributes:
        state: one of `State`.
        place: 0 once it runs, else how many steps it is from running.
        ahead_seconds: until it begins, where that can be told.
        progress: (done, total), (0, 0) before the first report.
        eta_seconds: until it ends, where it runs and that can be told.
        events: what it reported, thinned out where there was much.
        log: its last lines.
        error: why it failed, in one sentence.
        result: what it gave.
        seconds: for how long it has run.
        measures: whether it has learnt, and measures what that changed: that is what `progress` and
            `eta_seconds` are then about.
        cut: whether it was asked to end without measuring.
        kind: of work, as it was submitted.
    """

    id: str
    owner: str
    title: str
    state: State
    place: int
    ahead_seconds: float | None
    progress: tuple[int, int]
    eta_seconds: float | None
    events: tuple[dict, ...]
    log: tuple[str, ...]
    error: str | None
    result: Any
    seconds: float
    measures: bool = False
    cut: bool = False
    kind: str = ""

    @property
    def finished(self) -> bool:
        """Whether nothing will change any more."""
        return self.state in FINISHED


@dataclass(eq=False)
class Job:
    """A job inside the queue; whoever reads or changes it holds the queue's lock."""

    id: str
    owner: str
    title: str
    run: Callable[[JobHandle], Any] | None
    on_change: Callable[[dict], None] | None = None
    expected: float | None = None
    kind: str = ""
    group: str = ""
    state: State = "waiting"
    progress: tuple[int, int] = (0, 0)
    ends: float | None = None  # when, by the clock of time.monotonic
    events: list[dict] = field(default_factory=list)
    log: deque = field(default_factory=lambda: deque(maxlen=MAX_LOG))
    error: str | None = None
    result: Any = None
    began: float = 0.0
    ended: float = 0.0
    deadline: float = float("inf")
    patience_ends: float = float("inf")
    measures: bool = False
    stop: threading.Event = field(default_factory=threading.Event)
    cut: threading.Event = field(default_factory=threading.Event)
    telling: threading.Lock = field(default_factory=threading.Lock)
    thread: threading.Thread | None = None

    def start(self, allowed_seconds: float) -> None:
        """Mark it as running, for so long at most."""
        self.state, self.began = "running", time.monotonic()
        self.deadline = self.began + allowed_seconds
        if self.expected is not None:
            self.ends = self.began + self.expected

    def finish(self, state: State, result: Any = None, error: str | None = None) -> None:
        """Mark it as finished and let go of its work, which may hold a whole model."""
        self.state, self.result, self.error = state, result, error
        self.run, self.ended = None, time.monotonic()

    def left(self) -> float | None:
        """Seconds that it still needs, where that can be told."""
        if self.state == "waiting":
            return self.expected
        return None if self.ends is None else max(0.0, self.ends - time.monotonic())

    def view(self, place: int, ahead: float | None) -> JobView:
        """A snapshot of a job `place` steps from running, which is in `ahead` seconds."""
        until = self.ended or time.monotonic()
        return JobView(
            id=self.id,
            owner=self.owner,
            title=self.title,
            state=self.state,
            place=place,
            ahead_seconds=ahead,
            progress=self.progress,
            eta_seconds=self.left() if self.state in RUNNING else None,
            events=tuple(dict(event) for event in self.events),
            log=tuple(self.log),
            error=self.error,
            result=self.result,
            seconds=until - self.began if self.began else 0.0,
            measures=self.measures,
            cut=self.cut.is_set(),
            kind=self.kind,
        )

    def to_json(self) -> dict[str, Any]:
        """What is worth keeping on a disk, as JSON values; not the owner, whose name is a key."""
        return {
            "id": self.id,
            "title": self.title,
            "state": self.state,
            "progress": list(self.progress),
            "error": self.error,
        }


class JobHandle(Reporter):
    """What a job's work holds in its hand: reports go in, the wish to stop comes out."""

    def __init__(self, job: Job, lock: threading.Condition):
        self._job = job
        self._lock = lock

    def stopped(self) -> bool:
        """Whether to end now, with what there is: by wish, or because the time is up."""
        job = self._job
        if not job.stop.is_set() and time.monotonic() > job.deadline:
            job.stop.set()
            self.log("The time for one job is up, so it ends with what there is.")
        return job.stop.is_set()

    def cut_short(self) -> bool:
        """Whether to end now, without measuring (any further): by wish, or long enough after it."""
        return self._job.cut.is_set() or time.monotonic() > self._job.patience_ends

    def progress(self, done: int, total: int, eta: float | None = None) -> None:
        """So much of so much is done, and `eta` seconds are left."""
        self._report(done, total, eta, measures=False)

    def measuring(self, done: int, total: int, eta: float | None = None) -> None:
        """It has learnt; so much of so much is measured, and `eta` seconds are left."""
        self._report(done, total, eta, measures=True)

    def _report(self, done: int, total: int, eta: float | None, measures: bool) -> None:
        with self._lock:
            self._job.progress, self._job.measures = (done, total), measures
            if eta is not None:
                self._job.ends = time.monotonic() + eta

    def event(self, values: dict) -> None:
        """Keep a few named numbers, of which a chart can be drawn."""
        with self._lock:
            self._job.events.append(dict(values))
            if len(self._job.events) > MAX_EVENTS:
                self._job.events = thin(self._job.events)

    def log(self, text: str) -> None:
        """Keep a line for people."""
        with self._lock:
            self._job.log.append(shorten(text, MAX_CHARACTERS))


def thin(events: Sequence[dict], most: int = MAX_EVENTS) -> list[dict]:
    """Every other event, besides the last one and all that carry an accuracy; `most` at the most.

    Those with an accuracy are few and far between, and a chart needs each of them.
    """
    last = len(events) - 1
    kept = [
        event
        for number, event in enumerate(events)
        if number % 2 == 0 or number == last or event.get("accuracy") is not None
    ]
    return kept if len(kept) <= max(1, 3 * most // 4) else [*events[:-1:2], events[-1]]


def seconds_ahead(ahead: Sequence[Job], workers: int) -> float | None:
    """Until a worker is free for whoever comes after these jobs; None where one cannot tell."""
    left = [seconds for job in ahead if (seconds := job.left()) is not None]
    if len(left) < len(ahead):
        return None
    free = [0.0] * workers
    for seconds in left:  # each goes to the worker that is free first
        free.sort()
        free[0] += seconds
    return min(free)
