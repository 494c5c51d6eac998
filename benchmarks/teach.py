"""Teaching sets of five relations with four entity pairs each, to a model that knows none of them.

    python benchmarks/teach.py [--model general] [--sets NAME ...] [--seed 0]

Each set of `benchmarks/teach_sets` is taught at once and by retraining, with the settings that the
app has; accuracy is on its six further entity pairs of each relation. Beside it stands what the
teaching cost: the built-in benchmark, STS-B, and how many verdicts on other relations, those of the
bank about new entities, are not what they were. The two sets of DEVELOPMENT were looked at while
the settings were chosen, and stay out of the figures.
"""

from __future__ import annotations

import argparse
import csv
import json
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from symdemo import join
from symdemo.classifier import SymmetryClassifier
from symdemo.data.bank import load_bank
from symdemo.evaluation.scores import evaluate
from symdemo.evaluation.sentences.sts import sts_at_hand, sts_spearman
from symdemo.files.paths import DOCS, RESULTS
from symdemo.files.provenance import provenance
from symdemo.pairs import Pair, hash_pairs
from symdemo.reproduction.tables import table, write_into
from symdemo.teaching.lessons.compare import benchmark_accuracy
from symdemo.teaching.lessons.estimate import estimate
from symdemo.teaching.lessons.instant import teach_instantly
from symdemo.teaching.lessons.retrain import retrain
from symdemo.teaching.lessons.settings import TeachSettings

SETS = Path(__file__).parent / "teach_sets"
DEVELOPMENT = ("beekeeping", "orchestra")
BANK_SHARE, BANK_SEED = 7, 991  # every seventh relation, about entities that nothing was taught of


def read_set(name: str) -> tuple[list[Pair], list[Pair]]:
    """The pairs to teach and the pairs to test on."""
    parts: dict[str, list[Pair]] = {"teach": [], "test": []}
    with (SETS / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            ends = row["subject"], row["object"]
            premise = join(row["subject"], row["relation"], row["object"])
            hypothesis = join(row["object"], row["relation"], row["subject"])
            pair = Pair(premise, hypothesis, row["label"], row["relation"], *ends)
            parts[row["split"]].append(pair)
    return parts["teach"], parts["test"]


class Others:
    """Pairs of the bank, and what a model said of them before it was taught anything."""

    def __init__(self, base: SymmetryClassifier):
        bank = load_bank()
        self.pairs = bank.pairs(bank.relations[::BANK_SHARE], seed=BANK_SEED)
        self.embeddings = base.embed(self.pairs)
        self.before = self._labels(base)

    def _labels(self, model: SymmetryClassifier) -> list[str]:
        answers = model.predict_embedded(self.pairs, self.embeddings)
        return [answer.label for answer in answers]

    def changed(self, model: SymmetryClassifier) -> float:
        """Share of the verdicts that a model with the same encoder has changed."""
        now = self._labels(model)
        return sum(a != b for a, b in zip(self.before, now, strict=True)) / len(now)


def measure(base: SymmetryClassifier, name: str, seed: int, sts, others: Others) -> dict:
    """All figures of one set."""
    teach, test = read_set(name)
    began = time.perf_counter()
    instant = base.teach(teach)
    at_once = time.perf_counter() - began
    began = time.perf_counter()
    _, compared = teach_instantly(base, teach)
    with_figures = time.perf_counter() - began
    settings = TeachSettings(seed=seed)
    expected = estimate(base, teach, settings)
    began = time.perf_counter()
    retrained, _, curve = retrain(base, teach, settings)
    seconds = time.perf_counter() - began
    figures = {
        "set": name,
        "labels": sorted({pair.label for pair in teach}),
        "data": hash_pairs([*teach, *test])[:16],
        "before": evaluate(base, test).accuracy,
        "instant": {
            "accuracy": evaluate(instant, test).accuracy,
            "seconds": at_once,
            "seconds_with_comparison": with_figures,
            "leave_one_out": compared.own_after,
            "benchmark_lost": 100 * (benchmark_accuracy(base) - benchmark_accuracy(instant)),
            "others_changed": others.changed(instant),
        },
        "retrained": {
            "accuracy": evaluate(retrained, test).accuracy,
            "seconds": seconds,
            "estimated": expected.seconds,
            "steps": len(curve),
            "benchmark_lost": 100 * (benchmark_accuracy(base) - benchmark_accuracy(retrained)),
        },
    }
    if sts:
        lost = sts_spearman(base.encoder, sts) - sts_spearman(retrained.encoder, sts)
        figures["retrained"]["sts_lost"] = lost
    return figures


def summarise(rows: Sequence[dict]) -> dict:
    """Medians and extremes over the sets that were not looked at."""
    rows = [row for row in rows if row["set"] not in DEVELOPMENT]
    before = [row["before"] for row in rows]
    found = {
        "before": {"median": statistics.median(before), "least": min(before), "most": max(before)}
    }
    for way in ("instant", "retrained"):
        for name in sorted({key for row in rows for key in row[way]}):
            values = [row[way][name] for row in rows]
            found[f"{way} {name}"] = {
                "median": statistics.median(values),
                "least": min(values),
                "most": max(values),
            }
    return found | {"sets": len(rows)}


BEGIN, END = "<!-- teach: begin -->", "<!-- teach: end -->"
_FIGURES = (
    ("accuracy", "Right on new entity pairs", 100, "%"),
    ("benchmark_lost", "Built-in benchmark lost, points", 1, ""),
    ("others_changed", "Verdicts on other relations changed", 100, "%"),
    ("sts_lost", "STS-B lost, points", 1, ""),
    ("seconds", "Seconds", 1, ""),
)


def markdown(report: dict) -> str:
    """The table of docs/teaching.md: medians over the sets, least to most in brackets."""
    summary, made_by = report["summary"], report["made_by"]
    rows = []
    for key, title, scale, unit in _FIGURES:
        cells = []
        for way in ("instant", "retrained"):
            digits = 2 if (way, key) == ("instant", "seconds") or key == "others_changed" else 1
            cells.append(_spread(summary.get(f"{way} {key}"), scale, unit, digits))
        rows.append([title, *cells])
    before = _spread(summary["before"], 100, "%", 1)
    return (
        f"Made by `{report['command']}` at commit {made_by['commit']}, "
        f"{made_by['machine']['processor']}, {made_by['machine']['threads']} threads: "
        f"{summary['sets']} sets of five relations with four entity pairs each, asked about six "
        f"others each. Right before teaching: {before}.\n\n"
        + table(["", "At once", "Retrained"], rows)
        + "\n"
    )


def _spread(values: dict | None, scale: float, unit: str, digits: int) -> str:
    if not values:
        return "–"
    least, median, most = (
        f"{scale * values[name] + 0.0:.{digits}f}".replace("-", "−")
        for name in ("least", "median", "most")
    )
    return f"{median}{unit} [{least}–{most}]"


def main() -> None:
    """Measure the sets and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = sorted(path.stem for path in SETS.glob("*.csv"))
    parser.add_argument("--model", default="general")
    parser.add_argument("--sets", nargs="+", choices=names, default=names)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=RESULTS / "teach.json")
    arguments = parser.parse_args()
    base = SymmetryClassifier.from_pretrained(arguments.model)
    base.predict([Pair("Kenya borders Uganda.", "Uganda borders Kenya.")])  # loads what it needs
    sts = sts_at_hand()
    rows, others = [], Others(base)
    for name in arguments.sets:
        rows.append(measure(base, name, arguments.seed, sts, others))
        sys.stdout.write(json.dumps(rows[-1]) + "\n")
        sys.stdout.flush()
    report = {
        "command": f"python benchmarks/teach.py --model {arguments.model}",
        "made_by": provenance(),
        "seed": arguments.seed,
        "development": list(DEVELOPMENT),
        "summary": summarise(rows) if len(arguments.sets) == len(names) else None,
        "rows": rows,
    }
    text = json.dumps(report, indent=1, ensure_ascii=False) + "\n"
    arguments.out.write_text(text, encoding="utf-8")
    if report["summary"] and arguments.out == RESULTS / "teach.json":
        write_into(DOCS / "teaching.md", markdown(json.loads(text)), BEGIN, END)


if __name__ == "__main__":
    main()
