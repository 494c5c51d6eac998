"""A disk that is full or can only be read: told in one sentence, and data that is kept once."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from symdemo.errors import DiskError
from symdemo.text import readable_size

_SENTENCES = {
    errno.ENOSPC: "The disk of this server is full, so this was not written; what was kept before "
    "is as it was. Deleting a version or a project makes room.",
    errno.EROFS: "The disk of this server can only be read at the moment, so this was not written "
    "and nothing can be deleted; what was kept before is as it was.",
}
_SENTENCES[errno.EDQUOT] = _SENTENCES[errno.ENOSPC]


@contextmanager
def telling_of_disk() -> Iterator[None]:
    """Turn the system's error into a `DiskError` where a full or read-only disk is its cause."""
    try:
        yield
    except OSError as error:
        if sentence := _SENTENCES.get(error.errno or 0):
            raise DiskError(sentence) from error
        raise


def check_free(folder: Path, reserve: int) -> None:
    """Raise `DiskError` where less than `reserve` bytes are free on the disk of `folder`."""
    free = shutil.disk_usage(folder).free
    if free < reserve:
        raise DiskError(
            f"The disk of this server is nearly full: {readable_size(free)} are free, and "
            f"{readable_size(reserve)} are kept so; deleting a version or a project makes room."
        )


def write_shared(path: Path, data: bytes, shared: Path) -> None:
    """Write a file that never changes; the same data is kept once, and linked where it recurs.

    Args:
        path: of the file, on the disk of `shared`.
        data: that is to be there.
        shared: a folder of such data, by its SHA-256. Once all other links to it are gone,
            `drop_unshared` removes it.
    """
    kept = shared / hashlib.sha256(data).hexdigest()
    with suppress(OSError):  # it is not there yet, or this system has no links
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
    """Remove what nobody but the folder `shared` has a link to any more."""
    with suppress(OSError):
        for path in shared.iterdir():
            if path.stat().st_nlink == 1:
                path.unlink()
        shared.rmdir()  # where it is empty


def folder_bytes(folder: Path) -> int:
    """What a folder takes on the disk, in bytes; a file under several names counts once."""
    sizes: dict[tuple[int, int], int] = {}
    for path in files_in(folder):
        with suppress(OSError):
            found = path.lstat()
            sizes[found.st_dev, found.st_ino] = found.st_size
    return sum(sizes.values())


def files_in(folder: Path) -> Iterator[Path]:
    """All files in a folder and in those in it, some of which may be gone by now."""
    for place, _, names in os.walk(folder):  # unlike Path.rglob, it passes over what goes meanwhile
        yield from (Path(place, name) for name in names)
