"""Long work in the background: first come, first served, and everyone sees their place.

A job runs in a daemon thread. What it reports (progress, events, log) is kept in bounded memory,
and whoever owns it sees a snapshot; a failed job keeps its cause.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from symdemo.errors import InputError, SymdemoError
from symdemo.jobs.memory import give_back
from symdemo.jobs.state import (
    FINISHED,
    Job,
    JobHandle,
    JobView,
    StoppedError,
    seconds_ahead,
)
from symdemo.teaching.limits import Limits

__all__ = ["FINISHED", "JobHandle", "JobQueue", "JobView", "StoppedError"]

logger = logging.getLogger(__name__)

KEEP_SECONDS = 3600.0
KEEP_FINISHED = 200
"""Finished jobs are forgotten after the one, and beyond the other the oldest before that."""


class JobQueue:
    """A queue of jobs and the threads that work it off; safe to use from any thread.

    Args:
        workers: how many jobs run at once.
        limits: how many jobs may wait, in all and for one owner, and how long one may run.
        keep_seconds: for how long a finished job can be asked about.
    """

    def __init__(self, workers: int = 1, limits: Limits | None = None, keep_seconds=KEEP_SECONDS):
        self._limits = limits or Limits()
        self._keep_seconds = keep_seconds
        self._changed = threading.Condition()
        self._jobs: dict[str, Job] = {}  # in the order of their coming
        self._waiting: deque[Job] = deque()
        self._closed = False
        self._workers = [
            threading.Thread(target=self._work, name=f"teaching-{n}", daemon=True)
            for n in range(workers)
        ]
        self._started = False

    def submit(
        self,
        owner: str,
        title: str,
        run: Callable[[JobHandle], Any],
        on_change: Callable[[dict], None] | None = None,
        expected_seconds: float | None = None,
    ) -> str:
        """Queue a job and return its id.

        Args:
            owner: who may ask about it.
            title: for people.
            run: the work; it reports through its handle and looks whether it is to stop.
            on_change: told of every change of state, as JSON values; its failure is logged alone.
            expected_seconds: for the waiting time of those behind.

        Raises:
            InputError: the owner has a job already, the queue is full, or it was closed.
        """
        job = Job(secrets.token_urlsafe(9), owner, title, run, on_change, expected_seconds)
        with self._changed:
            if self._closed:
                raise InputError("No more jobs are taken: the program is ending.")
            self._forget()
            own = sum(j.owner == owner and j.state not in FINISHED for j in self._jobs.values())
            self._limits.check_jobs_per_project(own + 1)
            self._limits.check_waiting_jobs(len(self._waiting) + 1)
            self._jobs[job.id] = job
            self._waiting.append(job)
            if not self._started:
                self._started = True
                for worker in self._workers:
                    worker.start()
            self._changed.notify()
        self._tell(job)
        return job.id

    def get(self, job_id: str, owner: str) -> JobView:
        """How a job stands.

        Raises:
            InputError: there is no such job, or it is another's; the sentence is the same.
        """
        with self._changed:
            return self._view(self._own(job_id, owner))

    def current(self, owner: str) -> JobView | None:
        """The owner's waiting or running job, else the last finished one, else None."""
        with self._changed:
            self._forget()
            own = [job for job in self._jobs.values() if job.owner == owner]
            own.sort(key=lambda job: job.state in FINISHED)  # stable: those at work come first
            at_work = [job for job in own if job.state not in FINISHED]
            return self._view((at_work or own[-1:])[0]) if own else None

    def stop(self, job_id: str, owner: str) -> None:
        """Ask a job to stop: at once where it waits, at its next look where it runs.

        One that learns goes on to measure what it has learnt so far. One that measures, or is
        asked again, ends without.

        Raises:
            InputError: there is no such job, or it is another's.
        """
        with self._changed:
            job = self._own(job_id, owner)
            if job.state == "waiting":
                self._waiting.remove(job)
                job.finish("stopped")
            elif job.state in ("running", "stopping"):
                if job.measures or job.state == "stopping":
                    job.cut.set()
                job.state = "stopping"
                job.stop.set()
            self._changed.notify_all()
        self._tell(job)

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
            dropped = list(self._waiting)
            self._waiting.clear()
            for job in dropped:
                job.finish("broken off")
            for job in self._jobs.values():
                job.stop.set()
                job.cut.set()
            self._changed.notify_all()
        for worker in self._workers if self._started else ():
            worker.join(max(0.0, until - time.monotonic()))
        with self._changed:
            late = [job for job in self._jobs.values() if job.state not in FINISHED]
            for job in late:
                job.finish("broken off")
        for job in (*dropped, *late):
            self._tell(job)

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if not self._waiting:
                    return
                job = self._waiting.popleft()
                job.start(60 * self._limits.job_minutes)
            self._tell(job)
            state, result, error = self._outcome(job)
            with self._changed:
                if job.state not in FINISHED:  # else it was broken off meanwhile
                    job.finish(state, result, error)
                self._changed.notify_all()
            self._tell(job)
            give_back()

    def _outcome(self, job: Job) -> tuple[str, Any, str | None]:
        """Run a job: its last state, what it gave, and why it failed."""
        try:
            result = job.run(JobHandle(job, self._changed))
        except StoppedError:
            return "stopped", None, None
        except SymdemoError as error:
            return "failed", None, str(error)
        except MemoryError:
            logger.exception("The job “%s” ran out of memory.", job.title)
            return "failed", None, "There was not enough memory for this; ask for fewer rows."
        except BaseException as error:  # a worker outlives whatever its jobs do
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
        place = self._waiting.index(job)
        running = [j for j in self._jobs.values() if j.state in ("running", "stopping")]
        ahead = [*running, *list(self._waiting)[:place]]
        return job.view(place + 1, seconds_ahead(ahead, len(self._workers)))

    def _forget(self) -> None:
        """Drop finished jobs that are too old or too many."""
        now = time.monotonic()
        done = [job for job in self._jobs.values() if job.state in FINISHED]
        done.sort(key=lambda job: job.ended)
        for number, job in enumerate(done):
            if now - job.ended > self._keep_seconds or number < len(done) - KEEP_FINISHED:
                del self._jobs[job.id]

    def _tell(self, job: Job) -> None:
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
