"""Which results were made by other code, another model or other sentences than today's.

    python benchmarks/stale.py [--strict]

Measures nothing: every file of results, and every row of a ledger, says what it depends on
(`symdemo.files.provenance`). Prints a line for each file and commit; with --strict it fails where
anything has changed since. Code that `same_answers.py` found to answer as before has not: that is
told below the table.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import checkout  # noqa: F401

from symdemo.files.paths import RESULTS
from symdemo.files.provenance import changed, same_answers, version_of
from symdemo.reproduction.markdown import table

HEADER = ("Results", "Commit", "Rows", "Changed since")


def main() -> int:
    """Print what there is; 1 where it is to be strict and something is stale."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--strict", action="store_true")
    arguments = parser.parse_args()
    found = list(states(RESULTS))
    sys.stdout.write(table(HEADER, [line(*state) for state in found]) + "\n")
    sys.stdout.writelines(f"{text}\n" for text in taken_for_the_same())
    return int(arguments.strict and any(since for *_, since in found))


State = tuple[str, str, int, list[str] | None]


def states(folder: Path) -> Iterator[State]:
    """File, commit, how many parts or rows were made there, and what has changed since."""
    for path in sorted([*folder.rglob("*.json"), *folder.rglob("*.jsonl")]):
        name, text = path.relative_to(folder).as_posix(), path.read_text(encoding="utf-8")
        values = map(json.loads, text.splitlines() if path.suffix == ".jsonl" else [text])
        counts = Counter(json.dumps(own) for value in values for own in origins(value))
        for origin, n in counts.items():
            made_by = json.loads(origin)
            yield name, made_by.get("commit", "not told"), n, changed(made_by)


def origins(value: Any) -> list[dict[str, Any]]:
    """Where a value says that it, or a part of it, was made; a row of a ledger says it or not.

    A report that was only put together out of a ledger says nothing that the ledger does not.
    """
    if isinstance(value, dict):
        if "rows_made_by" in value and "depends" not in value["made_by"]:
            return []
        if "made_by" in value or value.keys() == {"key", "result"}:
            return [value.get("made_by", {})]
        value = list(value.values())
    children: Sequence[Any] = value if isinstance(value, list) else ()
    return [own for child in children for own in origins(child)]


def line(name: str, commit: str, n: int, since: list[str] | None) -> list[str]:
    """A row of the table."""
    words = "not told" if since is None else ", ".join(since) or "nothing"
    return [name, commit, f"{n:,}", words]


def taken_for_the_same() -> Iterator[str]:
    """What was found to answer as before, so that nothing is told of it in the table."""
    for row in same_answers():
        but = f", but for figures of {' and '.join(row['but_for'])}" if row["but_for"] else ""
        for name, own in row["of"].items():
            if version_of(name) == own["now"]:
                versions = f"{name} {own['then']} answers as {own['now']}"
                yield f"{versions} ({row['command']}){but}."


if __name__ == "__main__":
    sys.exit(main())
