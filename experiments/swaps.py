"""Swapping sentences as people write them, and recognising pairs that are not swaps.

`natural_sentences.csv` has sentences with all right swaps (none: refusing is right). A swap is
right if it equals one of them except for white space and apostrophes. The baseline exchanges the
first and the last noun phrase. `edited_pairs.csv` has pairs that are swaps or edits that are not;
its baseline compares the words. One half of each file was looked at during development.
"""

from __future__ import annotations

import csv
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from experiments.runner import main
from symdemo.errors import InputError
from symdemo.evaluation.intervals import wilson
from symdemo.swapping import Swap, exchanged, swap
from symdemo.swapping.exchange import capitalise, lower_first
from symdemo.swapping.parsing import parse

HERE = Path(__file__).parent
OUTCOMES = (
    "right and sure",
    "right and doubted",
    "second is right",
    "wrong and doubted",
    "wrong and sure",
    "refused",
    "rightly refused",
)


class Sentence(NamedTuple):
    """A sentence with all its right swaps, and its kind."""

    text: str
    right: tuple[str, ...]
    kind: str


def cells() -> list[dict[str, str]]:
    """Return a cell for each file and half."""
    files = ("natural_sentences", "edited_pairs")
    return [{"file": file, "split": split} for file in files for split in ("test", "dev")]


def measure(cell: Mapping[str, str]) -> dict[str, Any]:
    """Return what becomes of the sentences or pairs of a half."""
    with (HERE / f"{cell['file']}.csv").open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["split"] == cell["split"]]
    return edits(rows) if cell["file"] == "edited_pairs" else natural(read(rows))


def read(rows: Iterable[Mapping[str, str]]) -> list[Sentence]:
    """Return the sentences of a table."""
    return [
        Sentence(
            row["sentence"],
            tuple(t.strip() for t in [row["swapped"], *row["also"].split(" | ")] if t.strip()),
            row["kind"],
        )
        for row in rows
    ]


def natural(rows: Sequence[Sentence]) -> dict[str, Any]:
    """Return outcomes of all sentences and by kind, milliseconds, and the baseline."""
    swap(rows[0].text)  # the parser is loaded once, and not timed
    outcomes, milliseconds = [], []
    for row in rows:
        start = time.process_time()
        try:
            got = swap(row.text)
        except InputError:
            got = None
        milliseconds.append(1000 * (time.process_time() - start))
        outcomes.append(outcome(row, got))
    told = list(zip(rows, outcomes, strict=True))
    by_kind = {
        kind: [one for one in told if one[0].kind == kind]
        for kind in sorted({r.kind for r in rows})
    }
    swappable = [row for row in rows if row.right]
    ends = sum(is_right(row, ends_exchanged(row.text)) for row in swappable)
    return {
        "milliseconds": {
            "median": round(median(milliseconds), 1),
            "95 of 100 under": round(sorted(milliseconds)[int(0.95 * len(rows))], 1),
        },
        "all": tally(rows, outcomes),
        "kinds": {kind: tally(*zip(*own, strict=True)) for kind, own in by_kind.items()},
        "baseline": share(ends, len(swappable)),
    }


def outcome(row: Sentence, got: Swap | None) -> str:
    """Return which of `OUTCOMES` a swap is."""
    if got is None:
        return "refused" if row.right else "rightly refused"
    if is_right(row, got.hypothesis):
        return "right and sure" if got.sure else "right and doubted"
    if got.sure:
        return "wrong and sure"
    second = any(is_right(row, other.hypothesis) for other in got.others[:1])
    return "second is right" if second else "wrong and doubted"


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


def tally(rows: Sequence[Sentence], told: Sequence[str]) -> dict[str, Any]:
    """Return counts of all outcomes, and the shares that matter with 95% intervals."""
    counts = Counter(told)
    right = counts["right and sure"] + counts["right and doubted"]
    swappable = sum(bool(row.right) for row in rows)
    return {
        "sentences": len(rows),
        "outcomes": {name: counts[name] for name in OUTCOMES},
        "exact": share(right, swappable),
        "exact or second": share(right + counts["second is right"], swappable),
        "wrong and sure": share(counts["wrong and sure"], len(rows)),
        "doubted of the right": share(counts["right and doubted"], right),
    }


def share(count: int, total: int) -> dict[str, Any]:
    """Return a share with its 95% Wilson interval."""
    if not total:
        return {"count": 0, "of": 0, "share": None, "interval": None}
    interval = [round(end, 4) for end in wilson(count, total)]
    return {"count": count, "of": total, "share": round(count / total, 4), "interval": interval}


def edits(rows: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    """Return how many edits are recognised, and how many true swaps are refused."""
    found: dict[str, Any] = {}
    for name, verdict, told in (("edits", "no", "recognised"), ("swaps", "yes", "refused")):
        own = [(r["premise"], r["hypothesis"]) for r in rows if r["is_swap"] == verdict]
        refused = sum(not exchanged(*pair).is_swap for pair in own)
        by_words = sum(_other_words(*pair) for pair in own) / len(own)
        found[name] = {"n": len(own), told: share(refused, len(own)), "same_words": by_words}
    return found


def _other_words(premise: str, hypothesis: str) -> bool:
    """True if the words are others, or in the same order: the baseline for “not a swap”."""
    one, two = (re.findall(r"\w+", text.lower()) for text in (premise, hypothesis))
    return one == two or Counter(one) != Counter(two)


if __name__ == "__main__":
    sys.exit(main(__doc__, "swaps", cells, measure))
