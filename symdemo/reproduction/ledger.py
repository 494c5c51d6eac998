"""A log of finished measurements, so that a long study can be stopped and continued.

One JSON object a line: the key that names a measurement, and its result. A line is written whole
and flushed to disk before the next measurement begins; a line broken by a kill is dropped.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from symdemo.errors import InputError
from symdemo.files.atomic import write_text

Key = dict[str, Any]
"""What names a measurement, as JSON values."""


class Ledger:
    """Results by key, in memory and in a JSONL file (or in memory only, without a path)."""

    def __init__(self, path: str | Path | None = None):
        self.path = Path(path) if path else None
        self._results: dict[str, dict] = {}
        if self.path and self.path.exists():
            self._read(self.path)

    def _read(self, path: Path) -> None:
        lines = path.read_text(encoding="utf-8").splitlines()
        whole = []
        for number, line in enumerate(lines, start=1):
            try:
                entry = json.loads(line)
                self._results[_name(entry["key"])] = entry["result"]
                whole.append(line)
            except (ValueError, KeyError, TypeError):
                if number < len(lines):
                    raise InputError(
                        f"{path}, line {number}: not a measurement; move the file away to "
                        "start afresh."
                    ) from None
        if len(whole) < len(lines):
            write_text(path, "".join(f"{line}\n" for line in whole))

    def __len__(self) -> int:
        return len(self._results)

    def __contains__(self, key: Mapping[str, Any]) -> bool:
        return _name(key) in self._results

    def __iter__(self) -> Iterator[Key]:
        """The keys of all measurements, in the order in which they were made."""
        return map(json.loads, self._results)

    def get(self, key: Mapping[str, Any]) -> dict | None:
        """The result of a measurement, or None where it was not made yet."""
        return self._results.get(_name(key))

    def add(self, key: Mapping[str, Any], result: dict) -> None:
        """Keep a result, on disk first."""
        if self.path:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, "result": result}, ensure_ascii=False) + "\n")
                file.flush()
                os.fsync(file.fileno())
        # through JSON, so that a continued study sees what a fresh one does
        self._results[_name(key)] = json.loads(json.dumps(result))


def _name(key: Mapping[str, Any]) -> str:
    return json.dumps(key, sort_keys=True, ensure_ascii=False)
