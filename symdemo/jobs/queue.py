"""A queue of long work of all kinds, in which visitors take turns.

A job runs in a daemon thread. Its reports (progress, events, log) are kept in bounded memory, and
its owner sees a snapshot; a failed job keeps its cause.

Turns are those of weighted fair queueing: next is the job whose visitor would have used the least
time after its turn. So the visitors at work get equal shares, whatever each asks for, and short
jobs go between the turns of long ones. A running job rests where it asks whether to stop.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from symdemo.errors import InputError, SymdemoError
from symdemo.jobs.deadline import detached, lower_priority, trim_heap, uncounted
from symdemo.jobs.reporting import StoppedError
from symdemo.jobs.state import FINISHED, RUNNING, STOP_SECONDS, Job, JobHandle, JobView, State

logger = logging.getLogger(__name__)
KEEP_SECONDS = 3600.0
KEEP_FINISHED = 200  # finished jobs that are kept of each kind, at most for `KEEP_SECONDS`
TURN_SECONDS = 300.0
"""The longest turn: most trainings end within one, so that taking turns delays few of them."""

SHORTEST_TURN = 10.0
LOOK_SECONDS = 1.0  # seconds between two checks of a running job whether it is another one's turn
MOST_BEGUN = 4  # jobs longer than a turn that may have begun: those that rest keep their memory
MOST = {"group": 48, "member": 12, "minutes": 240, "waiting": 256}
"""Jobs of a group, such as one network address, and of a member of it, such as one browser; minutes
that the jobs of a group are expected to take; jobs that may wait, of all visitors together."""

_TOO_MANY = {
    "group": "There would be {:,} jobs from your network at once; at most {:,} are allowed, so try "
    "again when one has ended.",
    "member": "This browser would have {:,} jobs at once; at most {:,} are allowed, so wait for "
    "one.",
    "minutes": "The jobs from your network would take {:,} minutes; at most {:,} are allowed at a "
    "time, so ask for fewer rows or wait for one.",
    "waiting": "There would be {:,} jobs waiting; the queue holds {:,}, so try again in a few "
    "minutes.",
}


@dataclass(frozen=True, slots=True)
class KindPolicy:
    """Limits of one kind of work."""

    per_owner: int = 1  # jobs that one owner may have waiting or running
    seconds: float = 1800.0  # running time after which a job is asked to stop
    busy: str = "You would have {:,} jobs at once; {:,} is allowed, so wait for it or stop it."
    """Message to an owner who would have too many; its braces take the two numbers."""


class JobQueue:
    """Waiting, running and finished jobs; safe to use from any thread.

    `kinds` are the limits by kind of work, the default kind first. At most `workers` jobs, of all
    kinds together, run at the same time; if `low_priority`, they leave the processor to the rest of
    the program.
    """

    def __init__(
        self,
        kinds: Mapping[str, KindPolicy] | None = None,
        workers: int = 1,
        low_priority: bool = False,
    ):
        self._kinds = kinds or {"job": KindPolicy()}
        self._workers, self._low_priority = workers, low_priority
        self._changed = threading.Condition()
        self._jobs: dict[str, Job] = {}  # by arrival
        self._used: dict[tuple[str, ...], float] = {}
        """Seconds that groups and their members have run; newcomers begin with the least."""
        self._default = next(iter(self._kinds))
        self._closed = False

    def submit(
        self,
        owner: str,
        title: str,
        run: Callable[[JobHandle], Any],
        on_change: Callable[[dict], None] | None = None,
        expected_seconds: float | None = None,
        kind: str | None = None,
        group: str = "",
        member: str = "",
    ) -> str:
        """Queue a job and return its id.

        `owner` is the key of those who may see the job. `run` reports to its handle, and asks it
        whether to stop. `on_change` receives every change of state as JSON values; if it fails,
        that is logged. `expected_seconds` of running decide the job's turn. Owners with the same
        `group`, such as a network address, share the time of one visitor, and its members, such as
        browsers, take turns. An empty group or member is the owner.

        Raises:
            InputError: the owner has too many jobs of this kind, the share of the group or the
                member is used up, too many jobs are waiting, or the queue was closed.
        """
        id, kind = secrets.token_urlsafe(9), kind or self._default
        policy = self._kinds[kind]
        names = (group or owner,), (group or owner, member or owner)
        job = Job(id, owner, title, detached(run), on_change, expected_seconds, kind, names)
        with self._changed:
            if self._closed:
                raise InputError("No more jobs are taken: the program is ending.")
            self._forget()
            at_work = self._at_work()
            own = 1 + sum(other.kind == kind and other.owner == owner for other in at_work)
            if own > policy.per_owner:
                raise InputError(policy.busy.format(own, policy.per_owner))
            self._check_share(job, group, at_work)
            for one in names:
                peers = {n for other in at_work for n in other.names if n[:-1] == one[:-1]}
                least = min((self._used[n] for n in peers if len(n) == len(one)), default=0.0)
                self._used[one] = max(self._used.get(one, 0.0), least)
            self._jobs[job.id] = job
            self._give_places()
        self._notify(job)
        return job.id

    def _check_share(self, job: Job, group: str, at_work: Sequence[Job]) -> None:
        """Raise `InputError` if one visitor, or all of them, would have too much to do."""
        mates = [other for other in at_work if group and other.names[0] == job.names[0]]
        expected = sum(one.left() or 0.0 for one in [job, *mates]) if group else 0.0
        numbers = {
            "group": 1 + len(mates),
            "member": 1 + sum(other.names == job.names for other in mates),
            "minutes": round(expected / 60),
            "waiting": 1 + len(self._waiting()),
        }
        for name, number in numbers.items():
            if number > MOST[name]:
                raise InputError(_TOO_MANY[name].format(number, MOST[name]))

    def get(self, job_id: str, owner: str) -> JobView:
        """Return a snapshot of a job; `InputError` if there is none, or it is another owner's."""
        with self._changed:
            return self._view(self._own(job_id, owner))

    def current(self, owner: str, kind: str | None = None) -> JobView | None:
        """Return the owner's first unfinished job of a kind, else the last finished one or None."""
        with self._changed:
            self._forget()
            asked = kind or self._default, owner
            own = [job for job in self._jobs.values() if (job.kind, job.owner) == asked]
            at_work = [job for job in own if job.state not in FINISHED]
            return self._view((at_work or own[-1:])[0]) if own else None

    def stop(self, job_id: str, owner: str) -> None:
        """Stop a waiting job, or ask a running one to stop.

        A job that is training may measure its result for `STOP_SECONDS` more. One that is already
        measuring, or is asked again, ends without. Errors as in `get`.
        """
        with self._changed:
            job = self._own(job_id, owner)
            if job.state == "waiting":
                job.finish("stopped")
            elif job.state in RUNNING:
                if job.measures or job.state == "stopping":
                    job.cut.set()
                else:
                    job.patience_ends = time.monotonic() + STOP_SECONDS
                job.state = "stopping"
                job.stop.set()
            self._changed.notify_all()
        self._notify(job)

    def wait(self, job_id: str, owner: str, timeout: float | None = None) -> JobView:
        """Wait until a job is finished, at most for `timeout` seconds, and return a snapshot."""
        with self._changed:
            job = self._own(job_id, owner)
            self._changed.wait_for(lambda: job.state in FINISHED, timeout)
            return self._view(job)

    def close(self, timeout: float = 5.0) -> None:
        """Take no more jobs, stop all, and wait up to `timeout` seconds for running ones."""
        until = time.monotonic() + timeout
        with self._changed:
            self._closed = True
            jobs = list(self._jobs.values())
            dropped = [job for job in jobs if job.state == "waiting"]
            for job in dropped:
                job.finish("broken off")
            for job in jobs:
                job.stop.set()
                job.cut.set()
            self._changed.notify_all()
        for thread in filter(None, (job.thread for job in jobs)):
            thread.join(max(0.0, until - time.monotonic()))
        with self._changed:
            late = [job for job in jobs if job.state not in FINISHED]
            for job in late:
                job.finish("broken off")
        for job in (*dropped, *late):
            self._notify(job)

    def _give_places(self) -> None:
        while sum(job.on for job in self._jobs.values()) < self._workers:
            if (job := self._next()) is None:
                return
            self._let_run(job)

    def _next(self) -> Job | None:
        begun = sum(job.state in RUNNING for job in self._jobs.values())
        able = [
            job
            for job in self._jobs.values()
            if job.resting or (job.state == "waiting" and self._may_begin(job, begun))
        ]
        return min(able, key=self._rank, default=None)

    @staticmethod
    def _may_begin(job: Job, begun: int) -> bool:
        return begun < MOST_BEGUN or (job.expected or 0.0) <= TURN_SECONDS

    def _let_run(self, job: Job) -> None:
        job.on, job.since, job.turn_ends = True, time.monotonic(), self._turn_end(job)
        if job.resting:
            job.resting = False
            self._changed.notify_all()
            return
        job.start(self._kinds[job.kind].seconds)
        job.thread = threading.Thread(target=self._work, args=(job,), name=job.kind, daemon=True)
        job.thread.start()

    def _turn_end(self, job: Job) -> float:
        """Return the seconds that the visitor will have used after this job's next turn."""
        left = job.left()
        turn = TURN_SECONDS if left is None else min(max(left, SHORTEST_TURN), TURN_SECONDS)
        return self._used[job.names[0]] + turn

    def _rank(self, job: Job) -> tuple[float, float]:
        """Return a key that sorts turns; on ties, running jobs, then members who used less."""
        if job.on:
            return job.turn_ends, -1.0
        return self._turn_end(job), self._used[job.names[1]]

    def _charge(self, job: Job) -> None:
        """Count the time since the last charge as used by the job's visitor."""
        if job.on:
            now = time.monotonic()
            for name in job.names:
                self._used[name] += now - job.since
            job.since = now

    def _rest(self, job: Job) -> None:
        """Let another job run if it is its turn, and wait for the next turn of this one."""
        if time.monotonic() - job.since < LOOK_SECONDS:
            return
        with self._changed:
            if not job.on or job.stop.is_set():  # what was stopped ends soon
                return
            self._charge(job)
            job.on = self._used[job.names[0]] < job.turn_ends  # else its turn is over
            other, rank = self._next(), self._rank(job)
            if other is None or self._rank(other) >= rank:
                job.on, job.turn_ends = True, rank[0]
                return
            job.on, job.resting = False, True
            self._let_run(other)
            began = time.monotonic()
            with uncounted():
                self._changed.wait_for(lambda: job.on or job.stop.is_set() or job.cut.is_set())
            job.resting = False
            job.deadline += time.monotonic() - began

    def _work(self, job: Job) -> None:
        if self._low_priority:
            lower_priority()
        self._notify(job)
        state, result, error = self._outcome(job)
        with self._changed:
            if job.state not in FINISHED:  # else `close` has broken it off
                self._charge(job)
                job.finish(state, result, error)
            self._changed.notify_all()
        self._notify(job)
        trim_heap()
        with self._changed:
            job.on = False
            self._give_places()

    def _outcome(self, job: Job) -> tuple[State, Any, str | None]:
        """Run a job and return its final state, its result, and the cause of a failure."""
        try:
            if job.run is None:  # broken off before it could begin
                return "broken off", None, None
            result = job.run(JobHandle(job, self._changed, self._rest))
        except StoppedError:
            return "stopped", None, None
        except SymdemoError as error:
            return "failed", None, str(error)
        except MemoryError:
            logger.exception("The job “%s” ran out of memory.", job.title)
            return "failed", None, "There was not enough memory for this; ask for fewer rows."
        except BaseException as error:  # the next job has to run in any case
            logger.exception("The job “%s” failed.", job.title)
            kind = type(error).__name__
            return "failed", None, f"Something unforeseen went wrong here ({kind}); try again."
        return ("stopped" if job.stop.is_set() else "done"), result, None

    def _own(self, job_id: str, owner: str) -> Job:
        self._forget()
        job = self._jobs.get(job_id)
        if job is None or job.owner != owner:
            raise InputError("There is no such job; it may have ended more than an hour ago.")
        return job

    def _view(self, job: Job) -> JobView:
        if job.state != "waiting":
            return job.view(0, None)
        waiting = sorted(self._waiting(), key=self._rank)
        return job.view(waiting.index(job) + 1, self._seconds_ahead(job))

    def _seconds_ahead(self, job: Job) -> float | None:
        """Estimate the seconds until a waiting job begins; None if they are unknown."""
        order, mine = sorted(self._at_work(), key=self._rank), job.names[0]
        ahead: dict[tuple[str, ...], float] = defaultdict(float)
        first: dict[tuple[str, ...], tuple[float, int]] = {}  # each visitor's next turn: end, place
        for place, other in enumerate(order):
            if other.names[0] != mine or place < order.index(job):
                left = other.left()
                ahead[other.names[0]] += inf if left is None else left
                first.setdefault(other.names[0], (self._rank(other)[0], place))
        own = ahead.pop(mine, 0.0)
        until = self._turn_end(job) + own  # what others may have used by then
        shares = [
            min(left, until - self._used[name])
            for name, left in ahead.items()
            if first[name] < (until, order.index(job))
        ]
        seconds = (own + sum(shares)) / self._workers
        begun = [one.left() for one in self._jobs.values() if one.state in RUNNING]
        if not self._may_begin(job, len(begun)):  # the shortest of these ends first
            shortest = min(inf if left is None else left for left in begun)
            seconds = max(seconds, shortest * len(begun) / self._workers)
        # Running jobs check for another's turn only between two parts of their work.
        return None if seconds == inf else max(seconds, SHORTEST_TURN)

    def _at_work(self) -> list[Job]:
        return [job for job in self._jobs.values() if job.state not in FINISHED]

    def _waiting(self) -> list[Job]:
        return [job for job in self._jobs.values() if job.state == "waiting"]

    def _forget(self) -> None:
        """Drop finished jobs that are too old or too many of their kind, and shares now unused."""
        names = {name for job in self._at_work() for name in job.names}
        least = min((self._used[name] for name in names if len(name) == 1), default=inf)
        self._used = {
            name: used
            for name, used in self._used.items()
            if name in names or (len(name) == 1 and used > least)
        }
        now = time.monotonic()
        kept: Counter[str] = Counter()
        done = [job for job in self._jobs.values() if job.state in FINISHED]
        for job in sorted(done, key=lambda job: job.ended, reverse=True):
            kept[job.kind] += 1
            if now - job.ended > KEEP_SECONDS or kept[job.kind] > KEEP_FINISHED:
                del self._jobs[job.id]

    def _notify(self, job: Job) -> None:
        """Report the current state of a job; one report at a time, so the last is the latest."""
        if job.on_change is None:
            return
        with job.telling:
            with self._changed:
                state = job.to_json()
            try:
                job.on_change(state)
            except Exception:
                logger.exception("The state of the job “%s” could not be reported.", job.title)
