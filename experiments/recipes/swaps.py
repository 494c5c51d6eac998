"""How often the swap is one that a person would make, by kind of sentence.

`assets/swaps.csv` has sentences of the kinds that visitors type, each with the swap that a person
would make and others that are as good (`none`: refusing is right). One half is for development;
of the other only the figures were looked at. The baseline exchanges the first and the last noun
phrase.

    python -m experiments.recipes.swaps
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from contextlib import suppress

from experiments.swaps import Sentence, ends_exchanged, is_right, read
from symdemo.errors import InputError
from symdemo.files.paths import ASSETS
from symdemo.swapping import Swap, swap_many

FILE = ASSETS / "swaps.csv"
NONE = "none"
HALVES = ("development", "held out")
COLUMNS = (
    "sentences", "exact", "acceptable", "first and last", "sure", "sure and wrong", "refused",
)  # fmt: skip


def sentences(half: str) -> list[Sentence]:
    """Return the sentences of a half with their swaps, the one to be met exactly first."""
    with FILE.open(encoding="utf-8", newline="") as lines:
        return read(row for row in csv.DictReader(lines) if row["split"] == half)


def counts(rows: Sequence[Sentence], got: Sequence[Swap | InputError]) -> dict[str, list[int]]:
    """Return the counts of `COLUMNS` by kind and for all."""
    found: dict[str, list[int]] = {"all": [0] * len(COLUMNS)}
    for row, made in zip(rows, got, strict=True):
        refused = isinstance(made, InputError)
        first = row._replace(right=row.right[:1])
        exact = not row.right if refused else is_right(first, made.hypothesis)
        right = refused and (not row.right or NONE in row.right)
        right = right or (not refused and is_right(row, made.hypothesis))
        by_ends = False
        with suppress(ValueError, IndexError):
            by_ends = is_right(row, ends_exchanged(row.text))
        sure = not refused and made.sure
        told = (True, exact, right, by_ends, sure, sure and not right, refused)
        for kind in ("all", row.kind):
            own = found.setdefault(kind, [0] * len(COLUMNS))
            found[kind] = [n + one for n, one in zip(own, told, strict=True)]
    return found


def table(half: str) -> str:
    """Return the counts of a half as Markdown."""
    rows = sentences(half)
    lines = [f"| {half} | {' | '.join(COLUMNS)} |", "| --- " * (len(COLUMNS) + 1) + "|"]
    for kind, told in counts(rows, list(swap_many(row.text for row in rows))).items():
        lines.append(f"| {kind} | {' | '.join(map(str, told))} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print("\n\n".join(map(table, HALVES)))
