"""JSON files that are written whole or not at all, and read with a bound on size and depth."""

from __future__ import annotations

import json
import math
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import Any

from symdemo.errors import InputError
from symdemo.teaching.limits import readable_size

MAX_DEPTH = 24
_STALE_SECONDS = 3_600


def write_json(path: Path, value: Any) -> None:
    """Write `value` in the place of `path`; after a kill there is the old file or the new one."""
    text = json.dumps(plain(value), ensure_ascii=False, indent=1, allow_nan=False)
    with replacing(path) as draft:
        draft.write_text(text + "\n", encoding="utf-8")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a file beside `path` to write to, and rename it to `path` once that went well."""
    for old in path.parent.glob(f".{escape(path.name)}.draft-*"):  # of a process that was killed
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
    """Make a rename in `folder` last, where the system lets a folder be opened."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def read_json(path: Path, most_bytes: int, name: str | None = None) -> Any:
    """Read a JSON file that may come from a stranger.

    Args:
        path: of the file.
        most_bytes: that are read; more are refused before they are parsed.
        name: what an error calls the file; its own name if None.

    Raises:
        InputError: missing, too large, nested too deep, or not JSON.
    """
    name = name or path.name
    try:
        with path.open("rb") as file:
            data = file.read(most_bytes + 1)
    except OSError as error:
        raise InputError(f"The file {name} cannot be read ({type(error).__name__}).") from None
    return parse_json(data, most_bytes, name)


def parse_json(data: bytes, most_bytes: int, name: str) -> Any:
    """The value in `data`; errors as in `read_json`."""
    if len(data) > most_bytes:
        raise InputError(
            f"The file {name} is larger than {readable_size(most_bytes)}, which is all that is "
            "read of it."
        )
    try:
        value = json.loads(data.decode("utf-8"))
    except RecursionError:
        raise _too_deep(name) from None
    except ValueError:  # UnicodeDecodeError is one, and so are numbers of thousands of digits
        raise InputError(f"The file {name} is not JSON in UTF-8.") from None
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [child for parent in level for child in _children(parent)]
        if not level:
            return value
    raise _too_deep(name)


def _too_deep(name: str) -> InputError:
    return InputError(f"The file {name} is nested deeper than {MAX_DEPTH} levels.")


def _children(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        return iter(value.values())
    return iter(value if isinstance(value, list) else ())


def plain(value: Any) -> Any:
    """`value` in the types of JSON: numbers that are not finite become None, tuples lists.

    Raises:
        TypeError: there is something in it that JSON has no form for.
    """
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")  # half a character has no bytes
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {plain(str(key)): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):  # numbers and arrays of NumPy and torch
        return plain(value.tolist())
    raise TypeError(f"{type(value).__name__} has no form in JSON")
