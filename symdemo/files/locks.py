"""Locks on folders, between the threads of a process and between processes.

The system frees a lock when its process ends, so a kill leaves none behind. The package filelock
locks only files that it makes: one inside the folder would recreate a deleted folder and stop
Windows from renaming it, and one beside it would outlive it.
"""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

try:
    import fcntl
except ImportError:  # on Windows, where one process is expected
    fcntl = None  # type: ignore[assignment]

# Some network file systems have no locks between processes; one process at a time is safe there.
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)

_jobs: dict[Path, int] = {}
_jobs_guard = threading.Lock()


class FolderLock:
    """A reentrant lock on an existing folder."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._threads = threading.RLock()
        self._depth = 0
        self._handle: int | None = None

    def acquire(self, blocking: bool = True) -> bool:
        """Acquire the lock; without `blocking`, return False if it is taken.

        Raises:
            OSError: there is no such folder.
        """
        if not self._threads.acquire(blocking):
            return False
        try:
            if not self._depth:
                self._handle = acquire(self._folder, blocking)
            self._depth += self._handle is not None
        finally:
            if self._handle is None:
                self._threads.release()
        return self._handle is not None

    def release(self) -> None:
        """Release the lock, once for every `acquire`."""
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
    """Lock a folder or file and return the handle for `release`; None if it is taken.

    Raises:
        OSError: nothing exists at `path`.
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
    """Release what `acquire` returned."""
    if handle is not None and handle >= 0:
        os.close(handle)


def acquire_job(path: Path) -> None:
    """Lock the file `path`, so that other processes see a living job."""
    with _jobs_guard:
        if path not in _jobs:
            path.touch()
            handle = acquire(path, blocking=False)
            if handle is not None:
                _jobs[path] = handle


def release_job(path: Path) -> None:
    """Release the lock of `acquire_job`, if there is one."""
    with _jobs_guard:
        release(_jobs.pop(path, None))


def is_job_alive(path: Path) -> bool:
    """True if this or another living process holds the job of the file `path`."""
    return path in _jobs or is_job_elsewhere(path)


def is_job_elsewhere(path: Path) -> bool:
    """True if another living process holds the job of the file `path`."""
    with _jobs_guard:
        if path in _jobs or not path.exists():
            return False
        handle = acquire(path, blocking=False)
        release(handle)
        return handle is None
