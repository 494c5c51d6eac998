"""Folders that are written whole or not at all.

A folder is written beside its place and then renamed there. An old folder steps aside for that
under a fixed name, so that whoever comes after a kill between the two renames can put it back.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


def write_folder(folder: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill an empty folder, then put that in the place of `folder`."""
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
    """Rename `draft` to `folder`; an old folder steps aside and is put back if that fails."""
    draft.chmod(0o755)
    aside = _aside(folder)
    for last in (False, False, True):  # a reader may put the old folder back in between
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
    """Put back what stood at `folder` where a save was killed between its two renames."""
    if not os.path.exists(folder) and os.path.isdir(_aside(folder)):  # noqa: PTH110, PTH112
        with suppress(OSError):  # another process was faster
            _aside(folder).rename(folder)


def _aside(folder: Path) -> Path:
    return folder.parent / f".{folder.name}.previous"
