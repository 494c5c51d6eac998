"""Swapping sentences as people write them.

`natural_sentences.csv` has sentences with all right swaps (none: refusing is right). A swap is
right if it equals one of them except for white space and apostrophes. The baseline exchanges the
first and the last noun phrase. One half was looked at during development.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from experiments.runner import main
from experiments.scoring import share
from symdemo.errors import InputError
from symdemo.swapping import Swap, swap_many
from symdemo.swapping.exchange import capitalise, lower_first
from symdemo.swapping.parsing import parse

HERE = Path(__file__).parent
NONE = "none"
"""Among the right swaps: refusing is right as well."""


class Sentence(NamedTuple):
    """A sentence with all its right swaps, and its kind."""

    text: str
    right: tuple[str, ...]
    kind: str

    @property
    def refusable(self) -> bool:
        """True if refusing to swap it is right."""
        return not self.right or NONE in self.right


def cells() -> list[dict[str, str]]:
    """Return a cell for each half."""
    return [{"file": "natural_sentences", "split": split} for split in ("test", "dev")]


def measure(cell: Mapping[str, str]) -> dict[str, Any]:
    """Return shares of right swaps, and of wrong ones shown as sure; and the baseline."""
    rows = sentences(read_rows(HERE / f"{cell['file']}.csv", cell["split"]))
    told = outcomes(rows, list(swap_many(row.text for row in rows)))
    swappable = [row for row in rows if row.right]
    return {
        "all": {
            "sentences": len(rows),
            "exact": share(told.right[[bool(row.right) for row in rows]]),
            "wrong and sure": share(told.sure & ~told.right),
        },
        "baseline": share([is_right(row, ends_exchanged(row.text)) for row in swappable]),
    }


def read_rows(path: Path, *splits: str) -> list[dict[str, str]]:
    """Return the rows of a table that belong to one of its parts; without a part it is “”."""
    with path.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row.get("split", "") in splits]


def sentences(rows: Sequence[Mapping[str, str]]) -> list[Sentence]:
    """Return the sentences of a table."""
    return [Sentence(row["sentence"], right_swaps(row), row["kind"]) for row in rows]


def right_swaps(row: Mapping[str, str]) -> tuple[str, ...]:
    """Return the right swaps of a row, the best one first."""
    written = [row["swapped"], *row.get("also", "").split(" | ")]
    return tuple(filter(None, map(str.strip, written)))


def outcomes(rows: Sequence[Sentence], made: Sequence[Swap | InputError]) -> pd.DataFrame:
    """Return whether each swap, or that there is none, is right; and whether it is sure."""
    told = [
        (row.refusable, False)
        if isinstance(swap, InputError)
        else (is_right(row, swap.hypothesis), swap.sure)
        for row, swap in zip(rows, made, strict=True)
    ]
    return pd.DataFrame(told, columns=["right", "sure"])


def is_right(row: Sentence, hypothesis: str) -> bool:
    """True if a swapped sentence is one of the right ones."""

    def plain(text: str) -> str:
        return " ".join(text.replace("’", "'").split())

    return plain(hypothesis) in map(plain, row.right)


def ends_exchanged(sentence: str) -> str:
    """Return the baseline's swap: first and last noun phrase exchanged, capitals corrected."""
    chunks = list(parse(sentence).noun_chunks)
    if len(chunks) < 2:
        return sentence
    first, last = chunks[0], chunks[-1]
    back = first.text if first[0].tag_.startswith("NNP") else lower_first(first.text)
    start, stop = sentence[: first.start_char], sentence[last.end_char :]
    return capitalise(start + last.text + sentence[first.end_char : last.start_char] + back + stop)


if __name__ == "__main__":
    sys.exit(main(__doc__, "swaps", cells, measure))
