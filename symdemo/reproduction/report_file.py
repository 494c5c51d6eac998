"""A report as a file: read again only when it changed, refused in one sentence where it is none."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import UnionType
from typing import Any, ClassVar, Self, cast, get_args, get_origin, is_typeddict

from symdemo.errors import InputError
from symdemo.files.paths import RESULTS


@dataclass(frozen=True)
class ReportFile:
    """What a file of results holds, under a stamp of its state.

    Attributes:
        stamp: another one for another state of the file.
        values: what the file holds, of the typed dictionary `KIND`.
    """

    NAME: ClassVar[str]
    COMMAND: ClassVar[str]
    KIND: ClassVar[Any]

    stamp: str
    values: Any

    @classmethod
    def from_json(cls, values: object, stamp: str = "") -> Self:
        """The report that JSON values are.

        Raises:
            InputError: they are none; the message says where they differ.
        """
        if differs := misfit(values, cls.KIND, "it"):
            raise InputError(
                f"{cls.NAME} is not a report of “{cls.COMMAND}” ({differs}); run it again."
            )
        return cls(stamp, values)

    @classmethod
    def find(cls, folder: Path = RESULTS) -> Self | None:
        """The report in a folder; None where there is none.

        Raises:
            InputError: the file is no report.
        """
        path = folder / cls.NAME
        try:
            state = path.stat()
        except OSError:
            return None
        return _read(cast(Hashable, cls), path, f"{state.st_mtime_ns}-{state.st_size}")


@lru_cache(maxsize=8)
def _read(kind: Any, path: Path, stamp: str) -> Any:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        values = None
    return kind.from_json(values, stamp)


def misfit(value: object, kind: Any, where: str) -> str:
    """Where a JSON value is not of a kind, in a few words; empty where it is."""
    if kind is Any or (kind is float and isinstance(value, int | float)):
        return ""
    if isinstance(kind, UnionType):  # a kind or None
        return "" if value is None else misfit(value, get_args(kind)[0], where)
    parts: list[tuple[object, Any, str]] = []
    if is_typeddict(kind) and isinstance(value, Mapping):
        if lost := sorted(kind.__required_keys__ - value.keys()):
            return f"{where} has no “{lost[0]}”"
        known = kind.__annotations__.items()
        parts = [(value[key], own, f"“{key}”") for key, own in known if key in value]
    elif get_origin(kind) is dict and isinstance(value, Mapping):
        parts = [(own, get_args(kind)[1], f"“{key}”") for key, own in value.items()]
    elif get_origin(kind) is list and isinstance(value, list | tuple):
        parts = [(own, get_args(kind)[0], f"a row of {where}") for own in value]
    elif is_typeddict(kind) or not isinstance(value, get_origin(kind) or kind):
        return f"{where} is {type(value).__name__}"
    return next(filter(None, (misfit(*part) for part in parts)), "")
