"""A queue of long work: first come, first served within a kind, each with its place in the queue.

A job runs in a daemon thread. Its reports (progress, events, log) are kept in bounded memory, and
its owner sees a snapshot; a failed job keeps its cause.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from symdemo.errors import InputError, SymdemoError
from symdemo.jobs.background import lower_priority, trim_heap
from symdemo.jobs.reporting import StoppedError
from symdemo.jobs.state import (
    FINISHED,
    RUNNING,
    STOP_SECONDS,
    Job,
    JobHandle,
    JobView,
    State,
    seconds_ahead,
)

__all__ = ["FINISHED", "JobHandle", "JobQueue", "JobView", "KindPolicy"]

logger = logging.getLogger(__name__)

KEEP_SECONDS = 3600.0
KEEP_FINISHED = 200
"""Finished jobs that are kept of each kind, at most for `KEEP_SECONDS`."""


@dataclass(frozen=True, slots=True)
class KindPolicy:
    """Limits of one kind of work, so that no kind holds up another.

    Attributes:
        workers: jobs that run at the same time.
        waiting: jobs that may wait, of all owners together.
        per_owner: jobs that one owner may have waiting or running.
        per_group: the same for all owners of a group, such as one network.
        seconds: after which a running job is asked to stop.
        full: message if too many would wait; its braces take the two numbers.
        busy: message to an owner who would have too many.
        crowded: message to an owner whose group would have too many.
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
        """Raise `InputError` if an owner, a group or the queue would have too many jobs."""
        for number, most, sentence in (
            (own, self.per_owner, self.busy),
            (of_group, self.per_group, self.crowded),
            (waiting, self.waiting, self.full),
        ):
            if number > most:
                raise InputError(sentence.format(number, most))


class JobQueue:
    """Waiting, running and finished jobs; safe to use from any thread.

    Args:
        kinds: limits by kind of work; the first kind is the default.
        keep_seconds: how long finished jobs are kept.
        low_priority: whether jobs leave the processor to the rest of the program.
    """

    def __init__(
        self,
        kinds: Mapping[str, KindPolicy] | None = None,
        keep_seconds: float = KEEP_SECONDS,
        low_priority: bool = False,
    ):
        self._kinds = kinds or {"job": KindPolicy()}
        self._keep_seconds = keep_seconds
        self._low_priority = low_priority
        self._changed = threading.Condition()
        self._jobs: dict[str, Job] = {}  # by arrival
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
    ) -> str:
        """Queue a job and return its id.

        Args:
            owner: key of those who may see the job.
            title: for users.
            run: the work; it reports through its handle, and asks it if it should stop.
            on_change: called with every change of state, as JSON values; a failure is logged.
            expected_seconds: for the waiting time of the jobs behind.
            kind: the kind of work; see `kinds`.
            group: owners who share a limit, such as those of a network address; empty for none.

        Raises:
            InputError: the owner or the group has too many jobs of this kind, too many of them are
                waiting, or the queue was closed.
            KeyError: unknown kind.
        """
        kind = kind or self._default
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
        """Return a snapshot of a job.

        Raises:
            InputError: no such job, or another owner's; the message is the same.
        """
        with self._changed:
            return self._view(self._own(job_id, owner))

    def current(self, owner: str, kind: str | None = None) -> JobView | None:
        """Return the owner's first unfinished job of a kind, else the last finished one or None."""
        with self._changed:
            self._forget()
            own = [job for job in self._of(kind or self._default) if job.owner == owner]
            at_work = [job for job in own if job.state not in FINISHED]
            return self._view((at_work or own[-1:])[0]) if own else None

    def stop(self, job_id: str, owner: str) -> None:
        """Stop a waiting job, or ask a running one to stop.

        A job that is training may check its result for `STOP_SECONDS` more. One that is checking,
        or is asked again, ends without.

        Raises:
            InputError: no such job, or another owner's.
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

    def _start_next(self, kind: str) -> None:
        """Start waiting jobs of a kind while there are free workers."""
        policy = self._kinds[kind]
        free = policy.workers - sum(job.state in RUNNING for job in self._of(kind))
        for job in self._waiting(kind)[: max(0, free)]:
            job.start(policy.seconds)
            job.thread = threading.Thread(target=self._work, args=(job,), name=kind, daemon=True)
            job.thread.start()

    def _work(self, job: Job) -> None:
        if self._low_priority:
            lower_priority()
        self._notify(job)
        state, result, error = self._outcome(job)
        with self._changed:
            if job.state not in FINISHED:  # else `close` has broken it off
                job.finish(state, result, error)
            self._changed.notify_all()
        self._notify(job)
        trim_heap()
        with self._changed:
            self._start_next(job.kind)

    def _outcome(self, job: Job) -> tuple[State, Any, str | None]:
        """Run a job and return its final state, its result, and the cause of a failure."""
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
        waiting = self._waiting(job.kind)
        place = waiting.index(job)
        running = [j for j in self._of(job.kind) if j.state in RUNNING]
        ahead = [*running, *waiting[:place]]
        return job.view(place + 1, seconds_ahead(ahead, self._kinds[job.kind].workers))

    def _of(self, kind: str) -> list[Job]:
        return [job for job in self._jobs.values() if job.kind == kind]

    def _waiting(self, kind: str) -> list[Job]:
        return [job for job in self._of(kind) if job.state == "waiting"]

    def _forget(self) -> None:
        """Drop finished jobs that are too old or too many of their kind."""
        now = time.monotonic()
        for kind in self._kinds:
            done = [job for job in self._of(kind) if job.state in FINISHED]
            done.sort(key=lambda job: job.ended)
            for number, job in enumerate(done):
                if now - job.ended > self._keep_seconds or number < len(done) - KEEP_FINISHED:
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
