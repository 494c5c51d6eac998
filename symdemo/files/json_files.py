"""JSON files: written whole or not at all, read with bounds on size and depth."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from symdemo.errors import InputError
from symdemo.files.atomic import write_text
from symdemo.text import readable_size, shorten

MAX_DEPTH = 24
MAX_OBJECTS = 50_000
"""Lists and objects in a file: an empty one takes two bytes there and sixty in memory."""

MAX_DIGITS = 18
"""Digits of a whole number; more do not fit into eight bytes."""

_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)


def write_json(path: Path, value: Any) -> None:
    """Write `value` to `path`; after a kill there is the old file or the new one."""
    text = json.dumps(plain(value), ensure_ascii=False, indent=1, allow_nan=False)
    write_text(path, text + "\n")


def read_json(path: Path, most_bytes: int, name: str | None = None) -> Any:
    """Read a JSON file that may come from a stranger.

    Args:
        path: of the file.
        most_bytes: larger files are refused before they are parsed.
        name: of the file in errors; its own name if None.

    Raises:
        InputError: missing, not JSON, too large, too many parts, nested too deep, or a number that
            is not finite or too long.
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
    _check_objects(data, name)

    def refuse(number: str) -> Any:
        raise InputError(
            f"The file {name} has the number {shorten(number, 20)}; a finite number of at most "
            f"{MAX_DIGITS} digits is expected."
        )

    def whole(digits: str) -> int:
        return int(digits) if len(digits) <= MAX_DIGITS else refuse(digits)

    def broken(digits: str) -> float:
        number = float(digits)
        return number if math.isfinite(number) else refuse(digits)

    try:
        text = data.decode("utf-8")
        value = json.loads(text, parse_int=whole, parse_float=broken, parse_constant=refuse)
    except RecursionError:
        raise _too_deep(name) from None
    except InputError:
        raise
    except ValueError:  # UnicodeDecodeError is one, and so are numbers of thousands of digits
        raise InputError(f"The file {name} is not JSON in UTF-8.") from None
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [child for parent in level for child in _children(parent)]
        if not level:
            return value
    raise _too_deep(name)


def _check_objects(data: bytes, name: str) -> None:
    """Count lists and objects before parsing, without the brackets in strings."""
    if data.count(b"{") + data.count(b"[") > MAX_OBJECTS:
        bare = _STRING.sub(b"", data)
        if bare.count(b"{") + bare.count(b"[") > MAX_OBJECTS:
            raise InputError(f"The file {name} has more than {MAX_OBJECTS:,} lists and objects.")


def _too_deep(name: str) -> InputError:
    return InputError(f"The file {name} is nested deeper than {MAX_DEPTH} levels.")


def _children(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        return iter(value.values())
    return iter(value if isinstance(value, list) else ())


def plain(value: Any) -> Any:
    """Return `value` in the types of JSON; numbers that are not finite become None, tuples lists.

    Raises:
        TypeError: a value that has no form in JSON.
    """
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
