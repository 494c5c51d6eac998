"""How good the general model is on relations it was never taught, beside what else could be used.

    python benchmarks/general.py [--seeds 3] [--only METHOD ...] [--report]

The relations of the bank are dealt into five folds by group; each fold is judged by a model that
was taught the other four. Every finished run is kept in `--runs`, so that the command can be
stopped and continued; the report is written when asked for or when all runs are there.

The temperature of the vote is chosen, for each fold, by log loss on the *other* folds. The free
sentences and the withheld phrasings are judged at the mean of these temperatures.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from general_report import BEGIN, END, markdown, summarise

from symdemo.bank import BankRelation, load_bank, split_relations
from symdemo.calibration import TEMPERATURES, expected_calibration_error, log_loss
from symdemo.classifier import SymmetryClassifier
from symdemo.encoders import DEFAULT_ENCODER, load_encoder
from symdemo.forgetting import load_sts, sts_spearman
from symdemo.general import CONFIG, by_kind, fit_general, remembered_pairs, withhold_phrasing
from symdemo.pairs import CONTRADICTION, ENTAILMENT, LABELS, Pair, hash_pairs, load_pairs
from symdemo.paths import MEASURING_DATA, RESULTS
from symdemo.reproduction.command import README
from symdemo.reproduction.tables import write_into

FOLDS, SPLIT_SEED, TEST_SEED = 5, 0, 7
FREE = Path(__file__).parent / "free_sentences.csv"
METHODS = ("general", "knn", "fine-tuning", "untouched", "wikidata14", "setfit", "phrasings")
"""`knn` and `fine-tuning` are the paper's methods on the same pairs; `phrasings` is the general
model taught all relations but one phrasing of each, and judged on that one."""
ONCE = {"fine-tuning": 1, "knn": 1, "untouched": 1, "wikidata14": 1, "setfit": 1, "phrasings": 1}
"""How many seeds of a comparison, where it is not all of them."""
TWO = (ENTAILMENT, CONTRADICTION)


@dataclass(frozen=True)
class Run:
    """A model to make and the fold to judge it on."""

    method: str
    fold: int
    seed: int

    @property
    def name(self) -> str:
        """Of its file."""
        return f"{self.method}-fold{self.fold}-seed{self.seed}"


def runs(methods: Sequence[str], seeds: int) -> Iterator[Run]:
    """All runs, the general model's first."""
    for method in methods:
        for seed in range(min(seeds, ONCE.get(method, seeds))):
            for fold in range(1 if method == "phrasings" else FOLDS):
                yield Run(method, fold, seed)


class Bench:
    """What the runs share."""

    def __init__(self):
        self.bank = load_bank()
        self.encoder = load_encoder(DEFAULT_ENCODER)
        self.folds = split_relations(self.bank, FOLDS, SPLIT_SEED)
        self.free = load_pairs(FREE)
        path = MEASURING_DATA / "sts" / "sts-test.csv"
        self.sts = load_sts(path) if path.is_file() else None
        self.sts_before = sts_spearman(self.encoder, self.sts) if self.sts else None

    def make(self, run: Run) -> tuple[SymmetryClassifier, Sequence[BankRelation]]:
        """The model of a run and the relations to judge it on."""
        taught = [r for n, fold in enumerate(self.folds) if n != run.fold for r in fold]
        held_out = self.folds[run.fold]
        if run.method == "untouched":
            untaught = SymmetryClassifier.from_encoder(self.encoder, "knn")
            return untaught.teach(remembered_pairs(self.bank, taught)), held_out
        if run.method == "wikidata14":
            return SymmetryClassifier.from_pretrained("wikidata14"), held_out
        if run.method == "phrasings":
            taught, held_out = withhold_phrasing(self.bank.relations, run.seed)
        options = {
            "knn": {"method": "knn", "config": replace(CONFIG, loss="contrast")},
            "fine-tuning": {"method": "fine-tuning"},
        }.get(run.method, {})
        return fit_general(self.encoder, self.bank, taught, run.seed, **options), held_out

    def measure(self, run: Run) -> dict:
        """All figures of a run, at every temperature where all taught pairs vote."""
        if run.method == "setfit":
            return self._measure_setfit(run)
        model, relations = self.make(run)
        phrasings = [p for relation in relations for p in relation.phrasings]
        test = self.bank.pairs(relations, seed=TEST_SEED)
        judged = _Judged(model, test), _Judged(model, [pair.reversed() for pair in test])
        free = _Judged(model, self.free)
        temperatures = [None] if model.readout or run.method == "wikidata14" else TEMPERATURES
        figures = {
            "by_temperature": [
                _figures(t, test, phrasings, *(own.shares(t) for own in judged))
                | {"free": _accuracy(free.shares(t), self.free)}
                | {"free_wrong": _wrong(free.shares(t), self.free)}
                for t in temperatures
            ],
            "nearest": np.quantile(judged[0].nearest, np.linspace(0, 1, 101)).round(4).tolist(),
            "free_nearest": np.sort(free.nearest).round(4).tolist(),
            "pairs": len(test),
            "relations": len(relations),
            "seconds": model.card.training.get("seconds", 0.0),
            "steps": model.card.training.get("steps", 0),
        }
        if self.sts:
            after = sts_spearman(model.encoder, self.sts)
            figures |= {"sts_before": self.sts_before, "sts_after": after}
        return figures

    def _measure_setfit(self, run: Run) -> dict:
        from setfit_rival import setfit_probabilities

        taught = [r for n, fold in enumerate(self.folds) if n != run.fold for r in fold]
        test = self.bank.pairs(self.folds[run.fold], seed=TEST_SEED)
        phrasings = [p for relation in self.folds[run.fold] for p in relation.phrasings]
        shares, seconds = setfit_probabilities(
            remembered_pairs(self.bank, taught),
            [test, [pair.reversed() for pair in test], self.free],
            run.seed,
        )
        figures = _figures(None, test, phrasings, *shares[:2])
        figures |= {"free": _accuracy(shares[2], self.free)}
        figures |= {"free_wrong": _wrong(shares[2], self.free)}
        return {
            "by_temperature": [figures],
            "pairs": len(test),
            "relations": len(self.folds[run.fold]),
            "seconds": seconds,
        }


class _Judged:
    """Pairs embedded once by a model, to be judged at any temperature."""

    def __init__(self, model: SymmetryClassifier, pairs: Sequence[Pair]):
        self.model, self.pairs, self.embeddings = model, pairs, model.embed(pairs)
        near = model.index.search(self.embeddings, k=1)
        self.nearest = np.array([neighbours[0].distance for neighbours in near])

    def shares(self, temperature: float | None) -> np.ndarray:
        """(n, 3) in the order of LABELS; without a temperature the model answers as it does."""
        model = self.model
        if temperature is not None:
            columns = model.index.labels
            found = model.index.kernel_vote(self.embeddings, temperature)
        else:
            columns = LABELS
            predictions = model.predict_embedded(self.pairs, self.embeddings)
            found = np.array([[p.probabilities.get(c, 0.0) for c in columns] for p in predictions])
        return np.stack([_column(found, columns, label) for label in LABELS], axis=1)


def _column(found: np.ndarray, columns: Sequence[str], label: str) -> np.ndarray:
    return found[:, list(columns).index(label)] if label in columns else np.zeros(len(found))


def _rows(pairs: Sequence[Pair]) -> np.ndarray:
    return np.array([LABELS.index(pair.label) for pair in pairs])


def _accuracy(shares: np.ndarray, pairs: Sequence[Pair]) -> float:
    return float((shares.argmax(1) == _rows(pairs)).mean())


def _wrong(shares: np.ndarray, pairs: Sequence[Pair]) -> list[int]:
    return np.flatnonzero(shares.argmax(1) != _rows(pairs)).tolist()


def _figures(
    temperature: float | None,
    test: Sequence[Pair],
    phrasings: Sequence[str],
    shares: np.ndarray,
    swapped: np.ndarray,
) -> dict:
    """Everything at one temperature; `swapped` are the shares of the pairs read the other way."""
    rows = _rows(test)
    right = shares.argmax(1) == rows
    two = rows < len(TWO)  # LABELS begins with these two
    wrong: dict[str, int] = {}
    for pair, correct in zip(test, right, strict=True):
        wrong[pair.relation] = wrong.get(pair.relation, 0) + (not correct)
    return {
        "temperature": temperature,
        "three": float(right.mean()),
        "two": float((shares[two][:, : len(TWO)].argmax(1) == rows[two]).mean()),
        "by_label": {label: float(right[rows == n].mean()) for n, label in enumerate(LABELS)},
        "by_kind": by_kind(phrasings, right.tolist()),
        "calibration_error": expected_calibration_error(shares, rows),
        "log_loss": log_loss(shares, rows),
        "swap_consistency": float((shares.argmax(1) == swapped.argmax(1)).mean()),
        "wrong": {relation: n for relation, n in wrong.items() if n},
    }


def main() -> None:
    """Run what is missing, then write the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=METHODS, default=METHODS)
    parser.add_argument("--share", default="0/1", help="I/N: every Nth run, from the Ith")
    parser.add_argument("--runs", type=Path, default=Path("runs/general"))
    parser.add_argument("--report", action="store_true", help="only write the report")
    arguments = parser.parse_args()
    place, of = map(int, arguments.share.split("/"))
    arguments.runs.mkdir(parents=True, exist_ok=True)
    bench = Bench()
    for run in list(runs(arguments.only, arguments.seeds))[place::of]:
        path = arguments.runs / f"{run.name}.json"
        if path.exists() or arguments.report:
            continue
        sys.stderr.write(f"{run.name}\n")
        text = json.dumps(bench.measure(run))
        draft = path.with_suffix(".draft")
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    found = {}
    for run in runs(METHODS, arguments.seeds):
        path = arguments.runs / f"{run.name}.json"
        if path.exists():
            found[run] = json.loads(path.read_text(encoding="utf-8"))
    pairs = bench.bank.pairs(seed=TEST_SEED)
    report = summarise(
        found,
        {"bank": hash_pairs(pairs)[:16], "pairs": len(pairs), "free": len(bench.free)},
        {"folds": FOLDS, "seed": SPLIT_SEED, "by": "group of relations"},
    )
    if arguments.report or of == 1:
        text = json.dumps(report, indent=1, ensure_ascii=False) + "\n"
        (RESULTS / "general.json").write_text(text, encoding="utf-8")
        write_into(README, markdown(json.loads(text)), BEGIN, END)
    for name, row in report["rows"].items():
        sys.stdout.write(
            f"{name:12} {row['runs']:3} runs  two {row['two']['mean']:.1%}  three "
            f"{row['three']['mean']:.1%}  ECE {row['calibration_error']['mean']:.3f}  swap "
            f"{row['swap_consistency']['mean']:.1%}  free {row['free']['mean']:.1%}  STS lost "
            f"{row['sts_loss']}  {row['seconds']:.0f} s\n"
        )


if __name__ == "__main__":
    main()
