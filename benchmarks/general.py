"""How good the general model is on relations it was never taught, beside what else could be used.

    python benchmarks/general.py [--seeds 3] [--only METHOD ...] [--report]

The relations of the bank are dealt into five folds by group; each fold is judged by a model that
was taught the other four. Every finished run is kept in `--runs`, so that the command can be
stopped and continued; the report is written when asked for or when all runs are there. Models that
`--runs` knows nothing of keep the rows that were published, if those are over the same pairs.

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
from general_figures import Judged, accuracy, figures_at
from general_report import BEGIN, END, markdown, summarise, with_earlier_rows

from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.calibration import TEMPERATURES
from symdemo.data.bank import BankRelation, load_bank, split_relations
from symdemo.data.pair_files import load_pairs
from symdemo.encoders import DEFAULT_ENCODER, load_encoder
from symdemo.evaluation.sentences.sts import sts_at_hand, sts_spearman
from symdemo.files.paths import ASSETS, RESULTS
from symdemo.pairs import hash_pairs
from symdemo.recipes.averaging import average_models
from symdemo.recipes.general import CONFIG, fit_general, remembered_pairs, withhold_phrasing
from symdemo.reproduction.command import README
from symdemo.reproduction.experiments import provenance
from symdemo.reproduction.tables import write_into

FOLDS, SPLIT_SEED, TEST_SEED = 5, 0, 7
SENTENCES = {name: ASSETS / f"{name}_sentences.csv" for name in ("free", "blind")}
"""Written by hand; the blind ones without a look at the bank or the model, and not looked at since.
`second_reading.py` says how far their labels hold, `overlap.py` what of them the bank has too."""
METHODS = (
    "general",
    "averaged",
    "fine-tuning",
    "knn",
    "setfit",
    "wikidata14",
    "untouched",
    "phrasings",
)
"""`averaged` has the mean of the weights that `general` got with all seeds; `knn` and `fine-tuning`
are the paper's methods on the same pairs; `phrasings` is the general model taught all relations but
one phrasing of each, and judged on that one."""
ONE_FOLD = ("knn", "phrasings")
ALL_SEEDS = ("general", "phrasings")
"""The others are measured with one seed."""

SETFIT_PHRASINGS = 2
"""Of each relation: SetFit reads every text beside one of its label and one of another, so two
phrasings are eight readings, where the other methods have five."""


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
        for seed in range(seeds if method in ALL_SEEDS else 1):
            for fold in range(1 if method in ONE_FOLD else FOLDS):
                yield Run(method, fold, seed)


class Resources:
    """What the runs share.

    Args:
        folder: of the runs; the weights of the general models are kept there too.
        seeds: how many of them are averaged.
    """

    def __init__(self, folder: Path, seeds: int):
        self.folder, self.seeds = folder, range(seeds)
        self.bank = load_bank()
        self.encoder = load_encoder(DEFAULT_ENCODER)
        self.folds = split_relations(self.bank, FOLDS, SPLIT_SEED)
        self.sentences = {name: load_pairs(path) for name, path in SENTENCES.items()}
        self.sts = sts_at_hand()
        self.sts_before = sts_spearman(self.encoder, self.sts) if self.sts else None

    def make(self, run: Run) -> tuple[SymmetryClassifier, Sequence[BankRelation]]:
        """The model of a run and the relations to judge it on."""
        taught = [r for n, fold in enumerate(self.folds) if n != run.fold for r in fold]
        held_out = self.folds[run.fold]
        if run.method == "untouched":
            untaught = SymmetryClassifier.from_encoder(self.encoder, "knn")
            return untaught.teach(remembered_pairs(self.bank, taught, most=None)), held_out
        if run.method == "wikidata14":
            return SymmetryClassifier.from_pretrained("wikidata14"), held_out
        if run.method == "phrasings":
            taught, held_out = withhold_phrasing(self.bank.relations, run.seed)
        if run.method == "averaged":
            seeds = [replace(run, method="general", seed=seed) for seed in self.seeds]
            models = [self.trained(own, taught) for own in seeds]
            return average_models(models, self.encoder), held_out
        if run.method == "general":
            return self.trained(run, taught), held_out
        options = {
            "knn": {"method": "knn", "config": replace(CONFIG, loss="contrast")},
            "fine-tuning": {"method": "fine-tuning", "config": replace(CONFIG, retention=0.0)},
        }.get(run.method, {})
        return fit_general(self.encoder, self.bank, taught, run.seed, **options), held_out

    def trained(self, run: Run, taught: Sequence[BankRelation]) -> SymmetryClassifier:
        """The general model of a fold and a seed: trained once, then read from its folder."""
        place = self.folder / "models" / run.name
        if not place.exists():
            fit_general(self.encoder, self.bank, taught, run.seed).save_pretrained(place)
        return SymmetryClassifier.from_pretrained(place)

    def measure(self, run: Run) -> dict:
        """All figures of a run, at every temperature where all taught pairs vote."""
        if run.method == "setfit":
            return self._measure_setfit(run)
        model, relations = self.make(run)
        phrasings = [p for relation in relations for p in relation.phrasings]
        test = self.bank.pairs(relations, seed=TEST_SEED)
        judged = Judged(model, test), Judged(model, [pair.reversed() for pair in test])
        sentences = {name: Judged(model, pairs) for name, pairs in self.sentences.items()}
        temperatures = [None] if model.readout or run.method == "wikidata14" else TEMPERATURES
        figures = {
            "by_temperature": [
                figures_at(t, test, phrasings, *(own.shares(t) for own in judged))
                | {
                    name: accuracy(own.shares(t), self.sentences[name])
                    for name, own in sentences.items()
                }
                for t in temperatures
            ],
            "nearest": np.quantile(judged[0].nearest, np.linspace(0, 1, 101)).round(4).tolist(),
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
            remembered_pairs(self.bank, taught, SETFIT_PHRASINGS),
            [test, [pair.reversed() for pair in test], *self.sentences.values()],
            run.seed,
        )
        figures = figures_at(None, test, phrasings, *shares[:2])
        for (name, pairs), own in zip(self.sentences.items(), shares[2:], strict=True):
            figures[name] = accuracy(own, pairs)
        return {
            "by_temperature": [figures],
            "pairs": len(test),
            "relations": len(self.folds[run.fold]),
            "seconds": seconds,
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
    resources = Resources(arguments.runs, arguments.seeds)
    for run in list(runs(arguments.only, arguments.seeds))[place::of]:
        path = arguments.runs / f"{run.name}.json"
        if path.exists() or arguments.report:
            continue
        sys.stderr.write(f"{run.name}\n")
        text = json.dumps(resources.measure(run) | {"commit": provenance()["commit"]})
        draft = path.with_suffix(".draft")
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    found = {}
    for run in runs(METHODS, arguments.seeds):
        path = arguments.runs / f"{run.name}.json"
        if path.exists():
            found[run] = json.loads(path.read_text(encoding="utf-8"))
    pairs = resources.bank.pairs(seed=TEST_SEED)
    report = summarise(
        found,
        {
            "bank": hash_pairs(pairs)[:16],
            "pairs": len(pairs),
            "sentences": {k: len(own) for k, own in resources.sentences.items()},
        },
        {"folds": FOLDS, "seed": SPLIT_SEED, "by": "group of relations"},
    )
    published = RESULTS / "general.json"
    if published.is_file():
        report = with_earlier_rows(report, json.loads(published.read_text(encoding="utf-8")))
    if arguments.report or of == 1:
        text = json.dumps(report, indent=1, ensure_ascii=False) + "\n"
        published.write_text(text, encoding="utf-8")
        write_into(README, markdown(json.loads(text)), BEGIN, END)
    for name, row in report["rows"].items():
        sys.stdout.write(
            f"{name:12} {row['runs']:3} runs  two {row['two']['mean']:.1%}  three "
            f"{row['three']['mean']:.1%}  ECE {row['calibration_error']['mean']:.3f}  swap "
            f"{row['swap_consistency']['mean']:.1%}  free {row['free']['mean']:.1%}  "
            f"blind {row['blind']['mean']:.1%}  STS lost {row['sts_loss']}  "
            f"{row['seconds']:.0f} s\n"
        )


if __name__ == "__main__":
    main()
