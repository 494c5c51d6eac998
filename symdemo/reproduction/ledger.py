"""A log of finished measurements, so that a long study can be stopped and continued.

One JSON object a line: the key that names a measurement, its result, and where that was made. A
line is written whole and flushed to disk before the next measurement begins; a line broken by a
kill is dropped. Lines of before it was kept do not say where they were made.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from symdemo.errors import InputError
from symdemo.files.atomic import write_text
from symdemo.files.provenance import changed

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

    def origins(self, keys: Iterable[Mapping[str, Any]] | None = None) -> list[dict[str, Any]]:
        """How many rows were made where, the most first; of some keys, or of all.

        `commit` and `processor` are None where nobody wrote them down. `today` says whether all
        that the rows depend on is what it was; None where that cannot be told.
        """
        known: dict[str, bool | None] = {}
        origins = []
        for made_by in map(self.made_by, self if keys is None else keys):
            depends = json.dumps(made_by.get("depends"))
            if depends not in known:
                since = changed(made_by)
                known[depends] = None if since is None else not since
            processor = (made_by.get("machine") or {}).get("processor")
            origins.append((made_by.get("commit"), processor, known[depends]))
        names = ("commit", "processor", "today", "rows")
        return [
            dict(zip(names, (*origin, n), strict=True))
            for origin, n in Counter(origins).most_common()
        ]

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


def origins_in_words(origins: Sequence[Mapping[str, Any]]) -> str:
    """Where the rows of a report were made, in a sentence; empty where nothing is known of any."""
    known = [origin for origin in origins if origin["commit"]]
    told = [
        f"{origin['rows']:,} at commit {origin['commit']} ({origin['processor']}"
        f"{', by other code or another model' * (origin['today'] is False)})"
        for origin in known
    ]
    rest = sum(origin["rows"] for origin in origins) - sum(origin["rows"] for origin in known)
    if rest:
        told.append(f"{rest:,} as of then, before commits were kept")
    return f"Measurements: {'; '.join(told)}." if known else ""


def _figures(result: Mapping[str, Any]) -> dict[str, Any]:
    """A result without what differs from one run to the next."""
    return {name: value for name, value in result.items() if name != "seconds"}


def _name(key: Mapping[str, Any]) -> str:
    return json.dumps(key, sort_keys=True, ensure_ascii=False)
