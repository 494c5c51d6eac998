"""Files that visitors upload and download: in a folder of this process, bounded, and short-lived.

The folder is locked while its process lives. The next start removes the folders of ended processes.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

from symdemo.errors import SymdemoError
from symdemo.files.storage import acquire, check_free, files_in, folder_bytes, release
from symdemo.teaching.limits import Limits
from symdemo.text import MIB, readable_size

UPLOAD_SECONDS = 3_600  # age at which an unused upload is removed
DOWNLOAD_SECONDS = 900  # age at which a file packed for download is removed

MOST_BYTES = 2_048 * MIB
SHARE = 4  # uploads of one address may take 1/SHARE of the space

_PREFIX = "symdemo-files-"
_VARIABLE = "GRADIO_TEMP_DIR"


class TemporaryFiles:
    """A new folder in `parent` for uploads and downloads; those of ended processes are removed.

    An upload is refused if the folder would exceed `most_bytes`, or one address its share.
    """

    def __init__(self, parent: Path, most_bytes: int = MOST_BYTES):
        parent.mkdir(parents=True, exist_ok=True)
        for old in parent.glob(f"{_PREFIX}*"):
            with suppress(OSError):
                handle = acquire(old, blocking=False)
                if handle is not None:  # its process has ended
                    shutil.rmtree(old, ignore_errors=True)
                    release(handle)
        self.folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent)).resolve()
        self._handle = acquire(self.folder)  # held until this process ends
        self._most = most_bytes
        self._lock = threading.Lock()
        self._announced: list[tuple[float, str, int]] = []

    def place(self, name: str, of: str) -> Path:
        """Return a path for a download called `name`, which cannot be guessed.

        `of` is the key of what it was made from; `drop(of)` removes it. Raises `DiskError` if the
        disk is nearly full.
        """
        self.sweep()
        check_free(self.folder, Limits().free_bytes)
        folder = self._away(of)
        folder.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(dir=folder)) / name

    def drop(self, of: str) -> None:
        """Remove the downloads of `of`."""
        shutil.rmtree(self._away(of), ignore_errors=True)

    def _away(self, of: str) -> Path:
        return self.folder / "away" / sha256(of.encode()).hexdigest()[:24]  # reveals no key

    def sweep(self) -> None:
        """Remove what is too old."""
        now = time.time()
        for path in files_in(self.folder):
            with suppress(OSError):
                away = path.is_relative_to(self.folder / "away")
                if now - path.lstat().st_ctime > (DOWNLOAD_SECONDS if away else UPLOAD_SECONDS):
                    path.unlink()
                    path.parent.rmdir()  # fails unless it was the last file

    def check_upload(self, address: str, number: int) -> None:
        """Register an upload of `number` bytes; `SymdemoError` if there is no room for it."""
        self.sweep()
        check_free(self.folder, Limits().free_bytes + number)
        here, now = folder_bytes(self.folder), time.monotonic()
        with self._lock:
            self._announced = [one for one in self._announced if now - one[0] < UPLOAD_SECONDS]
            own = sum(size for _, who, size in self._announced if who == address) + number
            for whose, size, most in (
                ("Your uploads of the last hour", own, self._most // SHARE),
                ("All uploads here", here + number, self._most),
            ):
                if size > most:
                    raise SymdemoError(
                        f"{whose} would take {readable_size(size)}; there is room for "
                        f"{readable_size(most)}, so try again later."
                    )
            self._announced.append((now, address, number))


@cache
def temporary_files() -> TemporaryFiles:
    """Return the folder of this process; Gradio is told to keep its files there."""
    user = getattr(os, "getuid", lambda: "")()  # another user's folder could not be written
    usual = Path(tempfile.gettempdir()) / f"symdemo-{user}"
    files = TemporaryFiles(Path(os.environ.get(_VARIABLE) or usual))
    os.environ[_VARIABLE] = str(files.folder)
    return files
