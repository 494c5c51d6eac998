"""Long work in the background: first come, first served within a kind, and all see their place.

A job runs in a daemon thread of its own. What it reports (progress, events, log) is kept in
bounded memory, and whoever owns it sees a snapshot; a failed job keeps its cause.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from symdemo.errors import InputError, SymdemoError
from symdemo.jobs.kinds import KindPolicy
from symdemo.jobs.memory import trim_heap
from symdemo.jobs.priority import give_way
from symdemo.jobs.state import (
    FINISHED,
    RUNNING,
    STOP_SECONDS,
    Job,
    JobHandle,
    JobView,
    State,
    StoppedError,
    seconds_ahead,
)

__all__ = ["FINISHED", "JobHandle", "JobQueue", "JobView", "KindPolicy", "StoppedError"]

logger = logging.getLogger(__name__)

KEEP_SECONDS = 3600.0
KEEP_FINISHED = 200
"""Finished jobs are forgotten after the one; of each kind no more than the other are kept."""


class JobQueue:
    """Jobs that wait, run and have ended; safe to use from any thread.

    Args:
        kinds: how much of each kind of work is taken on; the first is meant where none is named.
        keep_seconds: for how long a finished job can be asked about.
        gives_way: whether jobs compute only where nobody else in the program wants to.
    """

    def __init__(
        self,
        kinds: Mapping[str, KindPolicy] | None = None,
        keep_seconds: float = KEEP_SECONDS,
        gives_way: bool = False,
    ):
        self._kinds = kinds or {"job": KindPolicy()}
        self._keep_seconds = keep_seconds
        self._gives_way = gives_way
        self._changed = threading.Condition()
        self._jobs: dict[str, Job] = {}  # in the order of their coming
        self._usual = next(iter(self._kinds))
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
    ) -> str:
        """Queue a job and return its id.

        Args:
            owner: who may ask about it.
            title: for people.
            run: the work; it reports through its handle and looks whether it is to stop.
            on_change: told of every change of state, as JSON values; its failure is logged alone.
            expected_seconds: for the waiting time of those behind.
            kind: of work, whose limits hold for it.
            group: of owners who share a limit, such as a network address; empty for none.

        Raises:
            InputError: the owner or the group has too many jobs of the kind already, too many of it
                wait, or the queue was closed.
            KeyError: there is no such kind.
        """
        kind = kind or self._usual
        policy = self._kinds[kind]
        job = Job(
            secrets.token_urlsafe(9), owner, title, run, on_change, expected_seconds, kind, group
        )
        with self._changed:
            if self._closed:
                raise InputError("No more jobs are taken: the program is ending.")
            self._forget()
            at_work = [other for other in self._of(kind) if other.state not in FINISHED]
            own = sum(other.owner == owner for other in at_work)
            of_group = sum(bool(group) and other.group == group for other in at_work)
            policy.check(own + 1, of_group + 1, len(self._waiting(kind)) + 1)
            self._jobs[job.id] = job
            self._start_next(kind)
        self._notify(job)
        return job.id

    def get(self, job_id: str, owner: str) -> JobView:
        """How a job stands.

        Raises:
            InputError: there is no such job, or it is another's; the sentence is the same.
        """
        with self._changed:
            return self._view(self._own(job_id, owner))

    def current(self, owner: str, kind: str | None = None) -> JobView | None:
        """The owner's first job of a kind that has not ended, else the last that has, else None."""
        with self._changed:
            self._forget()
            own = [job for job in self._of(kind or self._usual) if job.owner == owner]
            at_work = [job for job in own if job.state not in FINISHED]
            return self._view((at_work or own[-1:])[0]) if own else None

    def stop(self, job_id: str, owner: str) -> None:
        """Ask a job to stop: at once where it waits, at its next look where it runs.

        One that learns measures what it has learnt so far for `STOP_SECONDS` more. One that
        measures, or is asked again, ends without.

        Raises:
            InputError: there is no such job, or it is another's.
        """
        with self._changed:
            job = self._own(job_id, owner)
            if job.state == "waiting":
                job.finish("stopped")
            elif job.state in RUNNING:
                if job.measures or job.state == "stopping":
                    job.cut.set()
                elif job.state == "running":
                    job.patience_ends = time.monotonic() + STOP_SECONDS
                job.state = "stopping"
                job.stop.set()
            self._changed.notify_all()
        self._notify(job)

    def wait(self, job_id: str, owner: str, timeout: float | None = None) -> JobView:
        """Wait until a job is finished, or for `timeout` seconds, and say how it stands."""
        with self._changed:
            job = self._own(job_id, owner)
            self._changed.wait_for(lambda: job.state in FINISHED, timeout)
            return self._view(job)

    def close(self, timeout: float = 5.0) -> None:
        """Take no more jobs, stop all, and wait so many seconds for those at work to end."""
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

    def _start_next(self, kind: str) -> None:
        """Start the waiting jobs of a kind for which there are free workers."""
        policy = self._kinds[kind]
        free = policy.workers - sum(job.state in RUNNING for job in self._of(kind))
        for job in self._waiting(kind)[: max(0, free)]:
            job.start(policy.seconds)
            job.thread = threading.Thread(target=self._work, args=(job,), name=kind, daemon=True)
            job.thread.start()

    def _work(self, job: Job) -> None:
        if self._gives_way:
            give_way()
        self._notify(job)
        state, result, error = self._outcome(job)
        with self._changed:
            if job.state not in FINISHED:  # else it was broken off meanwhile
                job.finish(state, result, error)
            self._changed.notify_all()
        self._notify(job)
        trim_heap()
        with self._changed:
            self._start_next(job.kind)

    def _outcome(self, job: Job) -> tuple[State, Any, str | None]:
        """Run a job: its last state, what it gave, and why it failed."""
        try:
            if job.run is None:  # broken off before it could begin
                return "broken off", None, None
            result = job.run(JobHandle(job, self._changed))
        except StoppedError:
            return "stopped", None, None
        except SymdemoError as error:
            return "failed", None, str(error)
        except MemoryError:
            logger.exception("The job “%s” ran out of memory.", job.title)
            return "failed", None, "There was not enough memory for this; ask for fewer rows."
        except BaseException as error:  # whatever it is, the next job has its turn
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
        waiting = self._waiting(job.kind)
        place = waiting.index(job)
        running = [j for j in self._of(job.kind) if j.state in RUNNING]
        ahead = [*running, *waiting[:place]]
        return job.view(place + 1, seconds_ahead(ahead, self._kinds[job.kind].workers))

    def _of(self, kind: str) -> list[Job]:
        """The jobs of a kind, in the order of their coming."""
        return [job for job in self._jobs.values() if job.kind == kind]

    def _waiting(self, kind: str) -> list[Job]:
        return [job for job in self._of(kind) if job.state == "waiting"]

    def _forget(self) -> None:
        """Drop finished jobs that are too old, or of their kind too many."""
        now = time.monotonic()
        for kind in self._kinds:
            done = [job for job in self._of(kind) if job.state in FINISHED]
            done.sort(key=lambda job: job.ended)
            for number, job in enumerate(done):
                if now - job.ended > self._keep_seconds or number < len(done) - KEEP_FINISHED:
                    del self._jobs[job.id]

    def _notify(self, job: Job) -> None:
        """Report a job's state as it is now; of two reports at once the later says the latest."""
        if job.on_change is None:
            return
        with job.telling:
            with self._changed:
                state = job.to_json()
            try:
                job.on_change(state)
            except Exception:
                logger.exception("The state of the job “%s” could not be reported.", job.title)
