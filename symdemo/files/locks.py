"""Locks on folders: between the threads of a process, and between processes.

The system frees a lock when its process ends, however it ends, so a kill leaves none behind.
The package filelock is no help here: it locks files, and a file in the folder would make a deleted
folder anew and keep Windows from renaming it, one beside it would outlive what it is about.
"""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

try:
    import fcntl
except ImportError:  # not on Windows, where one process at a time is expected
    fcntl = None  # type: ignore[assignment]  # the types are those of a system that has it

# Some network file systems have no locks between processes; one process at a time is safe there.
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)

_jobs: dict[Path, int] = {}
_jobs_guard = threading.Lock()


class FolderLock:
    """A lock on a folder that is there; the thread that holds it may acquire it again."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._threads = threading.RLock()
        self._depth = 0
        self._handle: int | None = None

    def acquire(self, blocking: bool = True) -> bool:
        """Acquire the lock; without `blocking`, False where somebody else has it.

        Raises:
            OSError: the folder is not there.
        """
        if not self._threads.acquire(blocking):
            return False
        acquired = False
        try:
            if not self._depth:
                self._handle = acquire(self._folder, blocking)
            acquired = self._handle is not None
            self._depth += acquired
        finally:
            if not acquired:
                self._threads.release()
        return acquired

    def release(self) -> None:
        """Give the lock back, once for every time it was acquired."""
        self._depth -= 1
        if not self._depth:
            release(self._handle)
            self._handle = None
        self._threads.release()

    def __enter__(self) -> FolderLock:
        self.acquire()
        return self

    def __exit__(self, *_) -> None:
        self.release()


def acquire(path: Path, blocking: bool = True) -> int | None:
    """Lock a folder or a file and give the handle for `release`; None where another has it.

    Raises:
        OSError: there is nothing at `path`.
    """
    if fcntl is None:
        return -1
    handle = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if blocking else fcntl.LOCK_NB))
    except OSError as error:
        if error.errno in _NO_LOCKS:
            return handle
        os.close(handle)
        if isinstance(error, BlockingIOError):
            return None
        raise
    return handle


def release(handle: int | None) -> None:
    """Free what `acquire` gave; None is nothing to free."""
    if handle is not None and handle >= 0:
        os.close(handle)


def acquire_job(path: Path) -> None:
    """Show other processes, by a lock on the file `path`, that a job is alive in this one."""
    with _jobs_guard:
        if path not in _jobs:
            path.touch()
            handle = acquire(path, blocking=False)
            if handle is not None:
                _jobs[path] = handle


def release_job(path: Path) -> None:
    """Free what `acquire_job` locked, if anything: the job has ended."""
    with _jobs_guard:
        release(_jobs.pop(path, None))


def is_job_alive(path: Path) -> bool:
    """Whether this process or another that lives holds the job of the file `path`."""
    with _jobs_guard:
        if path in _jobs:
            return True
    return is_job_elsewhere(path)


def is_job_elsewhere(path: Path) -> bool:
    """Whether another process that lives holds the job of the file `path`."""
    with _jobs_guard:
        if path in _jobs or not path.exists():
            return False
        handle = acquire(path, blocking=False)
        release(handle)
        return handle is None
