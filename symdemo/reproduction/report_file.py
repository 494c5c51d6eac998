"""A report as a file: read again only when it changed, refused in one sentence where it is none."""

from __future__ import annotations

import json
from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Self, cast

from symdemo.errors import InputError
from symdemo.files.paths import RESULTS
from symdemo.reproduction.fitting import misfit


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
