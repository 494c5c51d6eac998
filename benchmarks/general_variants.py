"""What was tried for the general model, side by side, at a size that a laptop can repeat.

    python benchmarks/general_variants.py [--rounds 1] [--share 0.5] [--precision bf16]

What is measured already is kept in `--out`, so that the command can be stopped and continued.

One fold of another split than the one `benchmarks/general.py` reports is judged; each variant is
taught the same share of the other relations with the same seeds, and differs from the first in what
its name says. With one fold and small trainings, a point or two between variants means nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import checkout  # noqa: F401
from general_figures import Judged, figures_at
from general_report import (
    APART_BEGIN,
    APART_END,
    VARIANTS_BEGIN,
    VARIANTS_END,
    variants_markdown,
)

from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.calibration import TEMPERATURES
from symdemo.data.bank import BankRelation, load_bank, split_relations
from symdemo.encoders import DEFAULT_ENCODER, load_encoder
from symdemo.evaluation.sentences.sts import sts_at_hand, sts_spearman
from symdemo.files.paths import DOCS, RESULTS
from symdemo.files.provenance import provenance
from symdemo.pairs import Pair, hash_pairs
from symdemo.recipes.general import CONFIG, fit_averaged, fit_general
from symdemo.reproduction.tables import write_into
from symdemo.training.config import Precision

SPLIT_SEED, FOLD, FOLDS, TEST_SEED = 100, 0, 5, 11


PAGE = DOCS / "method.md"
BASE = replace(CONFIG, dropout=True)
"""Where the search began: with dropout, and each phrasing shown once."""


def _with(**changes: Any) -> dict:
    return {"config": replace(BASE, **changes)}


VARIANTS: Mapping[str, dict] = {
    "where the search began": {},
    "mean of three trainings": {"seeds": (0, 1, 2)},
    "twice the rounds": {"rounds": 2},
    "half the relations": {"share": 0.5},
    "what a first training gets wrong, shown once more": {"mined": True},
    "all phrasings in the index": {"remembered": None},
    "no modifiers": {"modified": 0.0},
    "Eq. 5 in place of prototypes": _with(loss="contrast"),
    "Eq. 5 with labels weighing alike": _with(loss="balanced"),
    "Eq. 5 and Eq. 3 together": _with(loss="mixed"),
    "premise and hypothesis read apart": {"method": "knn"},
    "read apart, with Eq. 5": {"method": "knn"} | _with(loss="contrast"),
    "read apart, no dropout, twice the rounds": {"method": "knn", "rounds": 2}
    | _with(dropout=False),
    "read apart, no dropout, twice the rounds, twice the retention": {"method": "knn", "rounds": 2}
    | _with(dropout=False, retention=2 * BASE.retention),
    "read apart, no dropout, four rounds": {"method": "knn", "rounds": 4} | _with(dropout=False),
    "random labels (Eq. 3)": {"method": "random-label-embeddings"} | _with(loss="contrast"),
    "a classification head": {"method": "fine-tuning"},
    "a classification head, logits scaled": {"method": "fine-tuning"} | _with(loss="scaled"),
    "a third of the learning rate": _with(learning_rate=1e-4),
    "no dropout": _with(dropout=False),
    "no dropout, twice the rounds": {"rounds": 2} | _with(dropout=False),
    "no retention": _with(retention=0.0),
    "half the retention": _with(retention=BASE.retention / 2),
    "twice the retention": _with(retention=2 * BASE.retention),
    "three times the generic sentences a step": _with(retention_batch=3 * BASE.retention_batch),
    "twice the rounds and the retention": {"rounds": 2} | _with(retention=2 * BASE.retention),
    "steps of any lengths": _with(batching="random"),
    "three lowest layers frozen": _with(freeze_layers=3),
    "averaged with the start (30%)": _with(average_with_start=0.3),
}
"""Name → options of `fit_general`, or of `fit_averaged` where there are seeds; `rounds` and `share`
of the relations are times those of the command; `mined` is explained at `Trial.hard`."""


class Trial:
    """The fold, the encoder and the figures that all variants share."""

    def __init__(self, rounds: int, share: float, precision: Precision = BASE.precision):
        self.rounds, self.share, self.precision = rounds, share, precision
        self.encoder, self.bank = load_encoder(DEFAULT_ENCODER), load_bank()
        folds = split_relations(self.bank, FOLDS, SPLIT_SEED)
        self.judged = folds[FOLD]
        self.others = [r for n, fold in enumerate(folds) if n != FOLD for r in fold]
        self.sts = sts_at_hand("dev")
        self.sts_before = sts_spearman(self.encoder, self.sts) if self.sts else None

    def fit(self, options: Mapping[str, Any]) -> SymmetryClassifier:
        """A model taught with some options of its own."""
        options = dict(options)
        rounds = self.rounds * options.pop("rounds", 1)
        taught = self.others[:: round(1 / (self.share * options.pop("share", 1)))]
        if options.pop("mined", False):
            options["extra"] = self.hard(taught, rounds)
        config = replace(options.get("config", BASE), precision=self.precision)
        options = options | {"config": config}
        fit: Callable = fit_averaged if "seeds" in options else fit_general
        return fit(self.encoder, self.bank, taught, rounds=rounds, **options)

    def hard(self, taught: Sequence[BankRelation], rounds: int) -> list[Pair]:
        """Taught pairs, about other entities, that a model of its own misjudges: hard examples."""
        config = replace(BASE, precision=self.precision)
        first = fit_general(self.encoder, self.bank, taught, config=config, rounds=rounds)
        pairs = self.bank.pairs(taught, seed=TEST_SEED + 1)
        answers = zip(first.predict(pairs), pairs, strict=True)
        return [pair for answer, pair in answers if answer.label != pair.label]

    def measure(self, options: Mapping[str, Any]) -> dict:
        """Accuracy at the best temperature, and what is left of sentence similarity."""
        model = self.fit(options)
        test = self.bank.pairs(self.judged, seed=TEST_SEED)
        judged = Judged(model, test)
        figures = [
            figures_at(t, test, judged.shares(t))
            for t in ([None] if model.readout else TEMPERATURES)
        ]
        best = min(figures, key=lambda own: own["log_loss"])
        names = ("two", "three", "by_label", "calibration_error", "temperature")
        row = {name: best[name] for name in names}
        row["seconds"] = model.card.training["seconds"]
        if self.sts and self.sts_before is not None:
            row["sts_loss"] = self.sts_before - sts_spearman(model.encoder, self.sts)
        return row


def main() -> None:
    """Measure the variants that are still missing; write results and their table after each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--share", type=float, default=0.5, help="of the other folds' relations")
    parser.add_argument("--precision", choices=get_args(Precision), default=BASE.precision)
    parser.add_argument("--only", nargs="+", choices=VARIANTS, default=list(VARIANTS))
    parser.add_argument("--out", type=Path, default=RESULTS / "general_variants.json")
    arguments = parser.parse_args()
    trial = Trial(arguments.rounds, arguments.share, arguments.precision)
    settings: dict[str, Any] = {
        "command": f"python benchmarks/general_variants.py --share {arguments.share:g}",
        "split": {"folds": FOLDS, "seed": SPLIT_SEED, "fold": FOLD},
        "taught": {"rounds": arguments.rounds, "share": arguments.share},
        "bank": hash_pairs(trial.bank.pairs(seed=TEST_SEED))[:16],
        "relations": len(trial.judged),
    }
    if arguments.precision != BASE.precision:
        settings["precision"] = arguments.precision
        settings["command"] += f" --precision {arguments.precision} --out {arguments.out}"
    rows = measured(arguments.out, settings)
    for name in arguments.only:
        if name not in rows:
            rows[name] = trial.measure(VARIANTS[name]) | {"commit": provenance()["commit"]}
            sys.stdout.write(f"{name:36} three {rows[name]['three']:.1%} {rows[name]}\n")
            sys.stdout.flush()
        write_report(arguments.out, settings, rows)


def measured(path: Path, settings: Mapping[str, Any]) -> dict[str, dict]:
    """The rows that a file holds already, if they were measured with the same settings."""
    if not path.is_file():
        return {}
    report = json.loads(path.read_text(encoding="utf-8"))
    return report["rows"] if all(report.get(k) == v for k, v in settings.items()) else {}


def write_report(path: Path, settings: Mapping[str, Any], rows: Mapping[str, dict]) -> None:
    """The rows measured so far, in order; into docs/method.md too, if they are those published."""
    in_order = {name: rows[name] for name in VARIANTS if name in rows}
    text = json.dumps({**settings, "made_by": provenance(), "rows": in_order}, indent=1) + "\n"
    path.write_text(text, encoding="utf-8")
    if path == RESULTS / "general_variants.json":
        write_into(PAGE, variants_markdown(json.loads(text)), VARIANTS_BEGIN, VARIANTS_END)
    if path.resolve() == RESULTS / "read_apart.json":
        lead = "How near reading the two apart comes, in single precision, by"
        write_into(PAGE, variants_markdown(json.loads(text), lead), APART_BEGIN, APART_END)


if __name__ == "__main__":
    main()
