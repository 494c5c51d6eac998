"""Locks on folders: between the threads of a process, and between processes.

The system frees a lock when its process ends, however it ends, so a kill leaves none behind.
"""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

try:
    import fcntl
except ImportError:  # not on Windows, where one process at a time is expected
    fcntl = None

# Some network file systems have no locks between processes; one process at a time is safe there.
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)

_jobs: dict[Path, int] = {}
_jobs_guard = threading.Lock()


class FolderLock:
    """A lock on a folder that is there; the thread that holds it may take it again."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._threads = threading.RLock()
        self._depth = 0
        self._handle: int | None = None

    def take(self, wait: bool = True) -> bool:
        """Take the lock; without `wait`, False where somebody else has it.

        Raises:
            OSError: the folder is not there.
        """
        if not self._threads.acquire(blocking=wait):
            return False
        try:
            if not self._depth:
                self._handle = hold(self._folder, wait)
                if self._handle is None:
                    self._threads.release()
                    return False
            self._depth += 1
        except BaseException:
            self._threads.release()
            raise
        return True

    def free(self) -> None:
        """Give the lock back, once for every time it was taken."""
        self._depth -= 1
        if not self._depth:
            let_go(self._handle)
            self._handle = None
        self._threads.release()

    def __enter__(self) -> FolderLock:
        self.take()
        return self

    def __exit__(self, *_) -> None:
        self.free()


def hold(path: Path, wait: bool) -> int | None:
    """Lock a folder or a file and give the handle for `let_go`; None where it is locked already."""
    if fcntl is None:
        return -1
    handle = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError as error:
        if error.errno in _NO_LOCKS:
            return handle
        os.close(handle)
        if isinstance(error, BlockingIOError):
            return None
        raise
    return handle


def let_go(handle: int | None) -> None:
    """Free what `hold` gave."""
    if handle is not None and handle >= 0:
        os.close(handle)


def hold_job(path: Path) -> None:
    """Show other processes, by a lock on the file `path`, that a job is alive in this one."""
    with _jobs_guard:
        if path not in _jobs:
            path.touch()
            handle = hold(path, wait=False)
            if handle is not None:
                _jobs[path] = handle


def let_go_of_job(path: Path) -> None:
    """The job that `hold_job` spoke of has ended."""
    with _jobs_guard:
        let_go(_jobs.pop(path, None))


def job_is_elsewhere(path: Path) -> bool:
    """Whether another process that lives holds the job of the file `path`."""
    with _jobs_guard:
        if path in _jobs or not path.exists():
            return False
        handle = hold(path, wait=False)
        let_go(handle)
        return handle is None
