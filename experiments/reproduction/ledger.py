"""A log of finished measurements, so that a long study can be stopped and continued.

One JSON object a line: the key that names a measurement, its result, and where that was made. A
line is written whole and flushed to disk before the next measurement begins; a line broken by a
kill is dropped. Lines of before it was kept do not say where they were made.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from symdemo.errors import InputError
from symdemo.evaluation.results import Origin
from symdemo.files.atomic import write_text

Key = dict[str, Any]
"""What names a measurement, as JSON values."""


class Ledger:
    """Results by key, in memory and in a JSONL file (or in memory only, without a path).

    Args:
        path: of the file.
        made_by: `provenance` of what is measured from now on, with what it depends on, or what
            gives it for a key, where not all that is measured depends on the same.
    """

    def __init__(
        self,
        path: str | Path | None = None,
        made_by: Mapping[str, Any] | Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None,
    ):
        self.path = Path(path) if path else None
        self._now = made_by if callable(made_by) else lambda _: made_by or {}
        self._results: dict[str, dict] = {}
        self._made_by: dict[str, dict] = {}
        if self.path and self.path.exists():
            self._read(self.path)

    def _read(self, path: Path) -> None:
        lines = path.read_text(encoding="utf-8").splitlines()
        whole = []
        for number, line in enumerate(lines, start=1):
            try:
                entry = json.loads(line)
                name = _name(entry["key"])
                self._results[name] = entry["result"]
                self._made_by[name] = entry.get("made_by") or {}
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

    def made_by(self, key: Mapping[str, Any]) -> dict:
        """Where a result was made; empty where nobody wrote it down."""
        return self._made_by.get(_name(key), {})

    def origins(self, keys: Iterable[Mapping[str, Any]] | None = None) -> list[Origin]:
        """Return how many rows were measured where, the most first; of some keys, or of all."""
        made = Counter(
            (by.get("commit"), (by.get("machine") or {}).get("processor"))
            for by in map(self.made_by, self if keys is None else keys)
        )
        return [Origin(commit=c, processor=p, rows=n) for (c, p), n in made.most_common()]

    def merge(self, other: Ledger) -> int:
        """Take over the rows of another ledger that this one lacks; how many there were.

        Raises:
            InputError: a row has another result here, more than other seconds apart.
        """
        taken = 0
        for key in other:
            result = other.get(key) or {}
            if (own := self.get(key)) is None:
                self.add(key, result, other.made_by(key))
                taken += 1
            elif _figures(own) != _figures(result):
                raise InputError(
                    f"{other.path} has another result than {self.path} for {_name(key)}: "
                    f"{_figures(result)}, here {_figures(own)}."
                )
        return taken

    def add(
        self, key: Mapping[str, Any], result: dict, made_by: Mapping[str, Any] | None = None
    ) -> None:
        """Keep a result, on disk first; one that was made elsewhere says so by `made_by`."""
        made_by = dict(self._now(key) if made_by is None else made_by)
        entry = {"key": key, "result": result} | ({"made_by": made_by} if made_by else {})
        if self.path:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry, ensure_ascii=False) + "\n")
                file.flush()
                os.fsync(file.fileno())
        # through JSON, so that a continued study sees what a fresh one does
        self._results[_name(key)] = json.loads(json.dumps(result))
        self._made_by[_name(key)] = json.loads(json.dumps(made_by))


def _figures(result: Mapping[str, Any]) -> dict[str, Any]:
    """A result without what differs from one run to the next."""
    return {name: value for name, value in result.items() if name != "seconds"}


def _name(key: Mapping[str, Any]) -> str:
    return json.dumps(key, sort_keys=True, ensure_ascii=False)
