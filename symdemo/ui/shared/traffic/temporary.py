"""What visitors upload and download: in a folder of this process alone, bounded, and not for long.

The folder is locked while its process lives. Whoever starts next removes the folders of processes
that ended, however they ended, so nothing outlives a restart.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from symdemo.errors import SymdemoError
from symdemo.files.disk import check_free, files_in, folder_bytes
from symdemo.files.locks import acquire, release
from symdemo.teaching.limits import Limits
from symdemo.text import MIB, readable_size
from symdemo.ui.shared.traffic.callers import address_of

UPLOAD_SECONDS = 3_600
"""After which an upload is removed that nobody made anything of."""

DOWNLOAD_SECONDS = 900
"""After which what was packed for a download is removed."""

MOST_BYTES = 2_048 * MIB
SHARE = 4
"""Uploads of one address may take that part of what all may take."""

_PREFIX = "symdemo-files-"
_VARIABLE = "GRADIO_TEMP_DIR"


class TemporaryFiles:
    """A folder for uploads and downloads.

    Args:
        parent: where it is made; what earlier processes left there is removed.
        most_bytes: that may lie in it before no more uploads are taken.
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
        self._handle = acquire(self.folder)  # for as long as this process lives
        self._most = most_bytes
        self._lock = threading.Lock()
        self._announced: list[tuple[float, str, int]] = []

    def place(self, name: str, of: str) -> Path:
        """Where to write a file called `name` for a download, under what `drop` knows it by."""
        self.sweep()
        folder = self.folder / "away" / of
        folder.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(dir=folder)) / name

    def drop(self, of: str) -> None:
        """Remove all that was put away under `of`: its addresses answer no more."""
        shutil.rmtree(self.folder / "away" / of, ignore_errors=True)

    def sweep(self) -> None:
        """Remove what is too old."""
        now = time.time()
        for path in files_in(self.folder):
            with suppress(OSError):
                away = path.is_relative_to(self.folder / "away")
                keep = DOWNLOAD_SECONDS if away else UPLOAD_SECONDS
                if now - path.lstat().st_ctime > keep:
                    path.unlink()
                    path.parent.rmdir()  # where it was the last one

    def check_upload(self, address: str, number: int) -> None:
        """Take note of an upload of `number` bytes.

        Raises:
            SymdemoError: there is no room for it.
        """
        self.sweep()
        check_free(self.folder, Limits().free_bytes + number)
        here, now = folder_bytes(self.folder), time.monotonic()
        with self._lock:
            fresh = [one for one in self._announced if now - one[0] < UPLOAD_SECONDS]
            own = sum(size for _, who, size in fresh if who == address) + number
            self._announced = [*fresh, (now, address, number)]
            for whose, size, most in (
                ("Your uploads of the last hour", own, self._most // SHARE),
                ("All uploads here", here + number, self._most),
            ):
                if size > most:
                    self._announced = fresh
                    raise SymdemoError(
                        f"{whose} would take {readable_size(size)}; there is room for "
                        f"{readable_size(most)}, so try again later."
                    )


@cache
def temporary_files() -> TemporaryFiles:
    """The folder of this process; Gradio puts there what it is sent, and what it gives away."""
    user = getattr(os, "getuid", lambda: "")()  # another user's folder could not be written
    usual = Path(tempfile.gettempdir()) / f"symdemo-{user}"
    files = TemporaryFiles(Path(os.environ.get(_VARIABLE) or usual))
    os.environ[_VARIABLE] = str(files.folder)
    return files


class UploadGate:
    """Lets uploads in while there is room for them; all else passes."""

    def __init__(self, app: ASGIApp):
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] == "http" and scope["path"].rstrip("/").endswith("/upload"):
            request = Request(scope)
            length, client = request.headers.get("content-length") or "", request.client
            number = int(length) if length.isdecimal() else Limits().archive_bytes
            forwarded = request.headers.get("x-forwarded-for") or ""
            address = address_of(client.host if client else "", forwarded)
            try:
                await to_thread.run_sync(temporary_files().check_upload, address, number)
            except SymdemoError as error:
                await PlainTextResponse(str(error), 413)(scope, receive, send)
                return
        await self._app(scope, receive, send)
