"""Files that survive a kill or a full disk, and files that may come from a stranger.

A draft is written beside the target, flushed to the disk and renamed: after a kill the target is
the old one or the new one. An old folder is first renamed to a fixed name, so that it can be
restored after a kill between the two renames.
"""

from __future__ import annotations

import errno
import hashlib
import json
import math
import os
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from glob import escape
from itertools import accumulate
from pathlib import Path
from typing import Any

from symdemo.errors import DiskError, InputError
from symdemo.text import readable_size, shorten

try:
    import fcntl
except ImportError:  # on Windows, where one process is expected
    fcntl = None  # type: ignore[assignment]

_STALE_SECONDS = 3_600  # age at which a draft is taken for one of a killed process

_CAUSES = {
    errno.ENOSPC: "The disk of this server is full, so this was not written; what was kept before "
    "is as it was. Deleting a version or a project makes room.",
    errno.EROFS: "The disk of this server can only be read at the moment, so this was not written "
    "and nothing can be deleted; what was kept before is as it was.",
}
_CAUSES[errno.EDQUOT] = _CAUSES[errno.ENOSPC]


def write_text(path: Path, text: str) -> None:
    """Write `text` as UTF-8 to `path`, and make its folder if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as draft:
        draft.write_text(text, encoding="utf-8")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a draft to write to, and rename it to `path` unless an error is raised."""
    for old in path.parent.glob(f".{escape(path.name)}.draft-*"):
        with suppress(OSError):
            if time.time() - old.stat().st_mtime > _STALE_SECONDS:
                old.unlink()
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.draft-", dir=path.parent)
    os.close(handle)
    draft = Path(name)
    try:
        yield draft
        draft.chmod(0o644)
        with draft.open("rb") as file:
            os.fsync(file.fileno())
        draft.replace(path)
        sync_folder(path.parent)
    finally:
        draft.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Flush renames in `folder` to the disk, if the system lets a folder be opened."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def write_folder(folder: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill an empty draft, then put it in the place of `folder`."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}.draft-", dir=folder.parent))
    try:
        write(draft)
        for path in files_in(draft):
            path.chmod(0o644)  # safetensors makes files that only their owner may read
            with path.open("rb") as file:
                os.fsync(file.fileno())
        _put(draft, folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _put(draft: Path, folder: Path) -> None:
    """Rename `draft` to `folder`, and restore the old folder if that fails."""
    draft.chmod(0o755)
    aside = _aside(folder)
    for last in (False, False, True):  # a reader may restore the old folder in between
        if folder.exists():
            shutil.rmtree(aside, ignore_errors=True)
            folder.rename(aside)
        try:
            draft.rename(folder)
            break
        except OSError:
            if last or not folder.exists():
                restore(folder)
                raise
    shutil.rmtree(aside, ignore_errors=True)


def restore(folder: Path) -> None:
    """Restore the old folder if a process was killed between the two renames."""
    if not os.path.exists(folder) and os.path.isdir(_aside(folder)):  # noqa: PTH110, PTH112
        with suppress(OSError):  # another process was faster
            _aside(folder).rename(folder)


def _aside(folder: Path) -> Path:
    return folder.parent / f".{folder.name}.previous"


@contextmanager
def explaining_disk_errors() -> Iterator[None]:
    """Raise `DiskError` for a system error whose cause is a full or read-only disk."""
    try:
        yield
    except OSError as error:
        if cause := _CAUSES.get(error.errno or 0):
            raise DiskError(cause) from error
        raise


def check_free(folder: Path, reserve: int) -> None:
    """Raise `DiskError` if fewer than `reserve` bytes are free on the disk of `folder`."""
    free = shutil.disk_usage(folder).free
    if free < reserve:
        raise DiskError(
            f"The disk of this server is nearly full: {readable_size(free)} are free, and "
            f"{readable_size(reserve)} are kept so; deleting a version or a project makes room."
        )


def write_shared(path: Path, data: bytes, shared: Path) -> None:
    """Write a file that never changes, as a hard link if `shared` has its data already."""
    kept = shared / hashlib.sha256(data).hexdigest()
    with suppress(OSError):  # not written yet, or no hard links on this system
        if kept.stat().st_size == len(data):
            os.link(kept, path)
            return
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())  # others may link to it from now on
    with suppress(OSError):
        shared.mkdir(exist_ok=True)
        os.link(path, kept)


def drop_unshared(shared: Path) -> None:
    """Remove the files of the folder `shared` that have no other link."""
    with suppress(OSError):
        for path in shared.iterdir():
            if path.stat().st_nlink == 1:
                path.unlink()
        shared.rmdir()  # if empty


def folder_bytes(folder: Path) -> int:
    """Return the bytes of a folder; a file with several links counts once."""
    sizes: dict[tuple[int, int], int] = {}
    for path in files_in(folder):
        with suppress(OSError):
            found = path.lstat()
            sizes[found.st_dev, found.st_ino] = found.st_size
    return sum(sizes.values())


def files_in(folder: Path) -> Iterator[Path]:
    """Yield all files below a folder; some may be gone by then."""
    for place, _, names in os.walk(folder):  # unlike Path.rglob, it ignores what disappears
        yield from (Path(place, name) for name in names)


MAX_DEPTH, MAX_OBJECTS = 24, 50_000
"""Lists and objects in a JSON file: an empty one takes two bytes there and sixty in memory."""

_MAX_DIGITS = 18  # of a whole number; more do not fit into eight bytes
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def write_json(path: Path, value: Any) -> None:
    """Write `value` to `path`; after a kill there is the old file or the new one."""
    text = json.dumps(plain(value), ensure_ascii=False, indent=1, allow_nan=False)
    write_text(path, text + "\n")


def read_json(path: Path, most_bytes: int, name: str | None = None) -> Any:
    """Read a JSON file that may come from a stranger; errors call it `name`.

    `InputError` if it is missing, not JSON, larger than `most_bytes`, of too many parts, nested too
    deep, or has a number that is not finite or too long.
    """
    name = name or path.name
    try:
        with path.open("rb") as file:
            data = file.read(most_bytes + 1)
    except OSError as error:
        raise InputError(f"The file {name} cannot be read ({type(error).__name__}).") from None
    return parse_json(data, most_bytes, name)


def parse_json(data: bytes, most_bytes: int, name: str) -> Any:
    """Parse JSON; see `read_json` for the errors."""
    if len(data) > most_bytes:
        raise InputError(
            f"The file {name} is larger than {readable_size(most_bytes)}; at most that is read."
        )
    brackets = _STRING.sub(b"", data).translate(None, _NO_BRACKETS)  # before memory is taken
    if brackets.count(b"{") + brackets.count(b"[") > MAX_OBJECTS:
        raise InputError(f"The file {name} has more than {MAX_OBJECTS:,} lists and objects.")
    if max(accumulate(1 if b in b"[{" else -1 for b in brackets), default=0) >= MAX_DEPTH:
        raise InputError(f"The file {name} is nested deeper than {MAX_DEPTH} levels.")

    def refuse(number: str) -> Any:
        raise InputError(
            f"The file {name} has the number {shorten(number, 20)}; a finite number of at most "
            f"{_MAX_DIGITS} digits is expected."
        )

    def whole(digits: str) -> int:
        return int(digits) if len(digits) <= _MAX_DIGITS else refuse(digits)

    def broken(digits: str) -> float:
        number = float(digits)
        return number if math.isfinite(number) else refuse(digits)

    try:
        text = data.decode("utf-8")
        return json.loads(text, parse_int=whole, parse_float=broken, parse_constant=refuse)
    except InputError:
        raise
    except ValueError:  # UnicodeDecodeError is one, and so are numbers of thousands of digits
        raise InputError(f"The file {name} is not JSON in UTF-8.") from None


def plain(value: Any) -> Any:
    """Return `value` as JSON types: NaN and infinities become None, tuples become lists."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")  # lone surrogates
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {plain(str(key)): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):  # NumPy and torch
        return plain(value.tolist())
    raise TypeError(f"{type(value).__name__} has no form in JSON")


# Some network file systems have no locks between processes; one process at a time is safe there.
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)
_jobs: dict[Path, int] = {}
_jobs_guard = threading.Lock()


class FolderLock:
    """A reentrant lock on an existing folder, between threads and between processes.

    The system frees it when its process ends. The package filelock locks only files that it makes:
    one inside the folder would recreate a deleted folder, and one beside it would outlive it.
    """

    def __init__(self, folder: Path):
        self._folder = folder
        self._threads = threading.RLock()
        self._depth = 0
        self._handle: int | None = None

    def acquire(self, blocking: bool = True) -> bool:
        """Acquire the lock; without `blocking`, return False if it is taken."""
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
    """Lock an existing folder or file and return the handle for `release`; None if it is taken."""
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


def is_job_alive(path: Path, elsewhere: bool = False) -> bool:
    """True if a living process holds the job of the file `path`; `elsewhere` excludes this one."""
    with _jobs_guard:
        if path in _jobs:
            return not elsewhere
        if not path.exists():
            return False
        handle = acquire(path, blocking=False)
        release(handle)
        return handle is None
