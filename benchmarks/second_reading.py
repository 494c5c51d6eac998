"""Do the labels hold up? A second reading with the labels hidden, and how far it agrees.

    python benchmarks/second_reading.py [--draw NEW.csv]

`second_reading.csv` holds phrasings of the relation bank, filled with entities, and sentences of
the sets that are measured on: drawn at random, as many of each label, and within a label every
construction of the bank in proportion to its size but with a few at least. The second labels were
written by the convention, before its five lines had their last words, and committed before the
first ones were looked up; then each disagreement was settled, and the bank mended where it had
been wrong. The second reader was a language model: agreement says that the rule can be followed,
not that everybody would draw it there.
Prints and writes how often the two agree, with Wilson's intervals, and Cohen's kappa, with the
bootstrap's, overall and by label; and which way was settled. Writes results/second_reading.json.

`--draw` draws the rows of such a file from the bank and the sets as they are now, without labels.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import checkout  # noqa: F401
import numpy as np

from symdemo.data.bank import RelationBank, shipped_bank
from symdemo.data.bank_phrasings import fill, finish, phrasing_kind
from symdemo.evaluation.intervals import wilson
from symdemo.files.paths import ASSETS
from symdemo.pairs import LABELS

HERE = Path(__file__).parent
READING = HERE / "second_reading.csv"
RESULTS = HERE / "results" / "second_reading.json"
FIRST_LABELS_OF = "2a52d88c06b2"
"""The commit whose labels are the first ones, and from which the rows were drawn."""
ANSWERS_OF = "fbe3162109d3"
"""The commit that holds the second labels alone."""

SEED = 20
OF_BANK, LEAST, OF_SETS = 80, 5, 36
"""Phrasings of the bank per label, shared out; more of each construction; set sentences a label."""

SETS = (
    ("free", ASSETS / "free_sentences.csv", ("premise", "hypothesis", "label"), (69, 234)),
    ("blind", ASSETS / "blind_sentences.csv", ("premise", "hypothesis", "label"), (1, 97)),
    ("questions", HERE / "questions.csv", ("sentence", "swapped", "verdict"), (123, 403)),
)
"""Name, file, columns, and rows drawn from; the second reader had seen the labels of the others."""

FIELDS = ("source", "where", "phrasing", "sentence", "swapped", "first", "second", "settled", "why")


@dataclass(frozen=True)
class Read:
    """A sentence with its labels: the first, the second, and the settled one with the reason.

    `where` is the relation of the bank, or the row of the set; `phrasing` is the bank's.
    """

    source: str
    where: str
    phrasing: str
    sentence: str
    swapped: str
    first: str
    second: str = ""
    settled: str = ""
    why: str = ""


def main() -> None:
    """Draw, or compare the two readings and write the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draw", type=Path, metavar="NEW.csv", help="draw rows, and nothing else")
    arguments = parser.parse_args()
    if arguments.draw:
        write_blank(draw(shipped_bank()), arguments.draw)
        return
    from symdemo.files.provenance import provenance  # loads torch, which takes its time

    report = compare(load())
    report["made_by"] = provenance("evaluation.intervals", "benchmarks/second_reading.csv")
    RESULTS.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(text(report))


def draw(bank: RelationBank, seed: int = SEED) -> list[Read]:
    """Rows with their first labels, in an order that tells nothing."""
    rows = [*_draw_bank(bank, seed), *_draw_sets(seed)]
    random.Random(seed).shuffle(rows)
    return rows


def _draw_bank(bank: RelationBank, seed: int) -> Iterator[Read]:
    cells = defaultdict(list)
    for relation in bank.relations:
        for phrasing in relation.phrasings:
            cells[relation.label, phrasing_kind(phrasing)].append((relation, phrasing))
    for label in LABELS:
        own = {cell: found for cell, found in cells.items() if cell[0] == label}
        total = sum(map(len, own.values()))
        for cell, found in sorted(own.items()):
            n = min(len(found), LEAST + round(OF_BANK * len(found) / total))
            for relation, phrasing in random.Random(f"{seed}|{cell}").sample(found, n):
                rng = random.Random(f"{seed}|{relation.id}|{phrasing}")
                head, tail = bank.draw(relation, rng)
                sentence = finish(fill(phrasing, head, tail))
                swapped = finish(fill(phrasing, tail, head))
                yield Read("bank", relation.id, phrasing, sentence, swapped, label)


def _draw_sets(seed: int) -> Iterator[Read]:
    rows = defaultdict(list)
    for name, path, columns, (start, end) in SETS:
        with path.open(encoding="utf-8", newline="") as file:
            for number, row in enumerate(csv.DictReader(file), 1):
                if start <= number <= end:
                    sentence, swapped, label = (row[column] for column in columns)
                    rows[label].append(Read(name, str(number), "", sentence, swapped, label))
    for label in LABELS:
        yield from random.Random(f"{seed}|sets|{label}").sample(rows[label], OF_SETS)


def write_blank(rows: Sequence[Read], path: Path) -> None:
    """Write rows for a reader: nothing that says or hints at their label."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["number", "sentence", "swapped", "second"])
        for number, row in enumerate(rows, 1):
            writer.writerow([number, row.sentence, row.swapped, ""])


def load(path: Path = READING) -> list[Read]:
    """The rows of a reading."""
    with path.open(encoding="utf-8", newline="") as file:
        return [Read(**row) for row in csv.DictReader(file)]


def kappa(first: Sequence[str], second: Sequence[str]) -> float:
    """Cohen's (1960): (agreement − chance) / (1 − chance); 1 where both know one label alone.

    Chance is the agreement of two who give each label as often, but to sentences at random.
    """
    n = len(first)
    agreed = sum(map(str.__eq__, first, second)) / n
    one, other = Counter(first), Counter(second)
    chance = sum(one[label] * other[label] for label in one) / n**2
    return (agreed - chance) / (1 - chance) if chance < 1 else 1.0


def kappa_interval(
    first: Sequence[str], second: Sequence[str], resamples: int = 2000, seed: int = 0
) -> tuple[float, float]:
    """From the 2.5th to the 97.5th percentile of kappas of rows drawn again (bootstrap)."""
    rng = np.random.default_rng(seed)
    n = len(first)
    found = []
    for _ in range(resamples):
        drawn = rng.integers(0, n, n)
        found.append(kappa([first[i] for i in drawn], [second[i] for i in drawn]))
    low, high = np.percentile(found, [2.5, 97.5])
    return float(low), float(high)


def compare(rows: Sequence[Read]) -> dict[str, Any]:
    """Agreement and kappa overall and by first label, by source, and what was settled which way."""
    first, second = [row.first for row in rows], [row.second for row in rows]
    by_label = {}
    for label in LABELS:
        one, other = ([str(x == label) for x in labels] for labels in (first, second))
        by_label[label] = _agreement([row for row in rows if row.first == label]) | {
            "kappa": kappa(one, other),
            "kappa_interval": kappa_interval(one, other),
        }
    apart = [row for row in rows if row.first != row.second]
    return {
        "first_labels_of": FIRST_LABELS_OF,
        "answers_of": ANSWERS_OF,
        **_agreement(rows),
        "kappa": kappa(first, second),
        "kappa_interval": kappa_interval(first, second),
        "by_label": by_label,
        "by_source": {
            name: _agreement([row for row in rows if (row.source == "bank") == (name == "bank")])
            for name in ("bank", "sets")
        },
        "disagreements": Counter(f"{row.first} / {row.second}" for row in apart),
        "settled": Counter("first" if row.settled == row.first else "second" for row in apart),
    }


def _agreement(rows: Sequence[Read]) -> dict[str, Any]:
    agreed = sum(row.first == row.second for row in rows)
    return {
        "n": len(rows),
        "agreed": agreed,
        "agreement": agreed / len(rows),
        "agreement_interval": wilson(agreed, len(rows)),
    }


def text(report: dict[str, Any]) -> str:
    """The report as lines to read."""
    named = [("all", report), *report["by_label"].items(), *report["by_source"].items()]
    lines = []
    for name, part in named:
        low, high = part["agreement_interval"]
        line = f"{name:13} agreed on {part['agreed']} of {part['n']}: {part['agreement']:.1%} "
        line += f"[{low:.1%}–{high:.1%}]"
        if "kappa" in part:
            low, high = part["kappa_interval"]
            line += f", kappa {part['kappa']:.3f} [{low:.3f}–{high:.3f}]"
        lines.append(line)
    for heading in ("disagreements", "settled"):
        lines.append(f"{heading}: " + ", ".join(f"{k} {n}" for k, n in report[heading].items()))
    return "\n".join(lines)


if __name__ == "__main__":
    main()
