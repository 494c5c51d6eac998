"""What a model gets right of sentences whose relation was taught: in the same words, or not at all.

    python benchmarks/overlap.py [--model general]

No sentence of the free and the blind set stands in the bank, and no relation that is held out of
the kinds is taught; but most of what they say is taught. `overlap.csv` says of each sentence
whether the bank or a taught kind holds its relation

- in the same words: a phrasing has them, with other names, another tense or number, and without
  what was added on place, time, manner or the speaker;
- in other words: only phrasings that say the same otherwise; or
- not at all,

and names the relation for the two sets. It was judged by hand beside the nearest phrasings. The
parts are scored apart here, with the share of the part's commonest label and Wilson's interval; of
the held-out kinds each phrasing is asked about one pair of entities. Writes results/overlap.json.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import checkout  # noqa: F401

from symdemo.data.bank import shipped_bank
from symdemo.data.bank_kinds import load_kinds, never_taught
from symdemo.data.pair_files import load_pairs
from symdemo.evaluation.intervals import wilson
from symdemo.files.paths import ASSETS
from symdemo.pairs import Pair

HERE = Path(__file__).parent
OVERLAP = HERE / "overlap.csv"
RESULTS = HERE / "results" / "overlap.json"
PARTS = ("same words", "other words", "none")
TEST_SEED = 77
SETS = {"free": ASSETS / "free_sentences.csv", "blind": ASSETS / "blind_sentences.csv"}


@dataclass(frozen=True)
class Row:
    """A sentence of a set, or a phrasing of a held-out kind, and whether its relation is taught.

    `where` is the row of the set, or the relation of the kind; `relation` the one that is taught.
    """

    set: str
    where: str
    sentence: str
    overlap: str
    relation: str


def main() -> None:
    """Ask a model, print a line for each part, write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="general")
    arguments = parser.parse_args()
    # torch takes its time to load, and nothing above needs it
    from symdemo.classifier import SymmetryClassifier
    from symdemo.files.provenance import ANSWERS, provenance

    rows, pairs = load(), asked()
    model = SymmetryClassifier.from_pretrained(arguments.model, inference_only=True)
    labels = [prediction.label for prediction in model.predict(pairs)]
    report = {
        "model": arguments.model,
        "made_by": provenance(*ANSWERS, *(f"assets/{path.name}" for path in SETS.values())),
        **scored(rows, pairs, labels),
    }
    RESULTS.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(text(report))


def load(path: Path = OVERLAP) -> list[Row]:
    """What was judged, in the order of `asked`."""
    with path.open(encoding="utf-8", newline="") as file:
        return [Row(**row) for row in csv.DictReader(file)]


def asked() -> list[Pair]:
    """The labelled pairs of the rows: both sets, then the phrasings that are held out of kinds."""
    return [*(pair for path in SETS.values() for pair in load_pairs(path)), *_held_out()]


def _held_out() -> Iterator[Pair]:
    bank = shipped_bank()
    kinds = load_kinds(bank=bank)
    for kind, held in zip(kinds, never_taught(kinds, bank).values(), strict=True):
        yield from kind.bank.pairs(held, 1, TEST_SEED)


def scored(rows: Sequence[Row], pairs: Sequence[Pair], labels: Sequence[str]) -> dict[str, Any]:
    """For each set and part of it: how many, how many right, the commonest label, the interval."""
    parts: dict[str, dict[str, list[tuple[str | None, str]]]] = {}
    for row, pair, label in zip(rows, pairs, labels, strict=True):
        of_set = parts.setdefault(row.set, defaultdict(list))
        for part in (row.overlap, "all"):
            of_set[part].append((pair.label, label))
    return {
        "sets": {
            name: {part: _figures(own[part]) for part in (*PARTS, "all") if part in own}
            for name, own in parts.items()
        }
    }


def _figures(answers: Sequence[tuple[str | None, str]]) -> dict[str, Any]:
    n = len(answers)
    right = sum(wanted == given for wanted, given in answers)
    ((commonest, times),) = Counter(wanted for wanted, _ in answers).most_common(1)
    return {
        "n": n,
        "right": right,
        "accuracy": right / n,
        "interval": wilson(right, n),
        "commonest": commonest,
        "always_commonest": times / n,
    }


def text(report: dict[str, Any]) -> str:
    """A line for each part of each set."""
    lines = []
    for name, parts in report["sets"].items():
        for part, own in parts.items():
            low, high = own["interval"]
            lines.append(
                f"{name:6} {part:12} {own['n']:4} ({own['n'] / parts['all']['n']:4.0%}) right "
                f"{own['accuracy']:6.1%} [{low:.1%}–{high:.1%}], always {own['commonest']} "
                f"{own['always_commonest']:.1%}"
            )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
