"""Write files and folders whole or not at all.

A draft is written beside the target, flushed to the disk and renamed: after a kill the target is
the old one or the new one. An old folder is first renamed to a fixed name, so that it can be
restored after a kill between the two renames.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path

_STALE_SECONDS = 3_600
"""Age at which a draft is taken for one of a killed process."""


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
        for path in draft.rglob("*"):
            if path.is_file():
                path.chmod(0o644)  # safetensors writes for the owner alone
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
