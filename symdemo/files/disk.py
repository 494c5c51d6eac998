"""Full and read-only disks as one-sentence errors, and files that share equal data."""

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
    """Raise `DiskError` for a system error whose cause is a full or read-only disk."""
    try:
        yield
    except OSError as error:
        if sentence := _SENTENCES.get(error.errno or 0):
            raise DiskError(sentence) from error
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
    """Write a file that never changes, as a hard link if the same data was written before.

    Args:
        path: of the file, on the disk of `shared`.
        data: of the file.
        shared: a folder of links named by SHA-256; see `drop_unshared`.
    """
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
