"""Teaching five relations of one's own: what it gives and what it costs.

Each set of `teach_sets` is taught in both ways of the app, with its settings: at once (`instant`)
and by retraining. Accuracy is on six further entity pairs of each relation, in the taught words and
in other words (`teach_reworded.csv`, written before anything was measured). A seed deals the
entities of a set anew, draws the entities of the other questions and orders a retraining. The sets
of DEVELOPMENT were looked at while the settings were chosen and stay out of the figures.

The cost is measured where the model is not at its ceiling: relations never taught (`withheld`),
relations of the bank about other entities (`bank`), and hand-written sentences (`sentences`).
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments.runner import Ledger, main
from experiments.scoring import GroupBootstrap, sts_change
from experiments.splits import REPLACED, never_taught
from symdemo import join
from symdemo.classifier import SymmetryClassifier
from symdemo.data.bank import load_kinds, shipped_bank
from symdemo.data.bank_phrasings import fill, finish
from symdemo.data.pair_files import load_pairs
from symdemo.evaluation.scores import evaluate
from symdemo.files.paths import ASSETS
from symdemo.pairs import Pair, labels_of
from symdemo.teaching.comparison import benchmark_accuracy
from symdemo.teaching.plan import TeachSettings
from symdemo.teaching.retraining import retrain

HERE = Path(__file__).parent
SETS, REWORDED = HERE / "teach_sets", HERE / "teach_reworded.csv"
DEVELOPMENT = ("beekeeping", "orchestra")
SEEDS, WAYS, MODEL = 3, ("instant", "retrained"), "general"
TITLES = {
    "withheld": "Relations never taught",
    "bank": "Relations of the bank, other entities",
    "sentences": "Free and blind sentences",
}


def cells() -> list[dict[str, Any]]:
    """Return a cell for each seed, set and way."""
    names = sorted(path.stem for path in SETS.glob("*.csv"))
    return [
        {"set": name, "way": way, "seed": seed, "model": MODEL}
        for seed in range(SEEDS)
        for name in names
        for way in WAYS
    ]


def measure(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Teach a set in one way; return accuracies, seconds and what was asked besides."""
    base, seed = _base(cell["model"]), cell["seed"]
    taught, tested = read_set(cell["set"], seed)
    began = time.perf_counter()
    if cell["way"] == "instant":
        model = base.teach(taught)
    else:
        model, *_ = retrain(base, taught, TeachSettings(seed=seed))
    found: dict[str, Any] = {"seconds": time.perf_counter() - began}
    if cell["way"] == "retrained" and (sts := sts_change(base.encoder, model.encoder)):
        found["sts_lost"] = sts["sts_before"] - sts["sts_after"]
    benchmark = [100 * (benchmark_accuracy(own) or 0) for own in (base, model)]
    found |= {"benchmark_lost": benchmark[0] - benchmark[1]}
    asked = {"accuracy": tested, "reworded": reword(tested, cell["set"])}
    for name, pairs in asked.items():
        found[name] = evaluate(model, pairs).accuracy
        found[f"before {name}"] = evaluate(base, pairs).accuracy
        found[f"looked_up {name}"] = looked_up(taught, pairs)
    return found | {"asked": compare(base, model, seed)}


@cache
def _base(name: str) -> SymmetryClassifier:
    model = SymmetryClassifier.from_pretrained(name)
    model.predict([Pair("Kenya borders Uganda.", "Uganda borders Kenya.")])  # loads everything
    return model


def read_set(name: str, seed: int = 0) -> tuple[list[Pair], list[Pair]]:
    """Return the pairs to teach and to test, with entities dealt anew by a seed above 0.

    Labels belong to relations, so any entity may take any place; taught and tested ones stay apart.
    """
    rows = pd.read_csv(SETS / f"{name}.csv", dtype=str).to_dict("records")
    names = list(dict.fromkeys(row[end] for row in rows for end in ("subject", "object")))
    dealt = random.Random(seed).sample(names, len(names)) if seed else names
    now = dict(zip(names, dealt, strict=True))
    parts: dict[str, list[Pair]] = {"teach": [], "test": []}
    for row in rows:
        head, tail, relation = now[row["subject"]], now[row["object"]], row["relation"]
        sentences = join(head, relation, tail), join(tail, relation, head)
        parts[row["split"]].append(Pair(*sentences, row["label"], relation, head, tail))
    return parts["teach"], parts["test"]


def reword(pairs: Sequence[Pair], name: str) -> list[Pair]:
    """Return each pair of a set in every other wording of its relation, with its label."""
    rows = pd.read_csv(REWORDED, dtype=str).query("set == @name").to_dict("records")
    return [
        replace(
            pair,
            premise=finish(fill(row["phrasing"], str(pair.head), str(pair.tail))),
            hypothesis=finish(fill(row["phrasing"], str(pair.tail), str(pair.head))),
        )
        for pair in pairs
        for row in rows
        if row["relation"] == pair.relation
    ]


def looked_up(taught: Sequence[Pair], tested: Sequence[Pair]) -> float:
    """Return the accuracy of the label of the most similar taught sentence, the baseline.

    Similarity: TF-IDF of three to five letters within words, entities left out.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline

    def text(pair: Pair) -> str:
        return pair.premise.replace(pair.head or "", " ").replace(pair.tail or "", " ")

    letters = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
    model = make_pipeline(letters, KNeighborsClassifier(1, metric="cosine"))
    model.fit([text(pair) for pair in taught], labels_of(taught))
    return float(model.score([text(pair) for pair in tested], labels_of(tested)))


@cache
def questions(seed: int) -> dict[str, list[Pair]]:
    """Return the questions that show what teaching cost, by name."""
    bank, own = shipped_bank(), 991 + seed
    kinds = load_kinds(bank=bank)
    held = zip(kinds, never_taught(kinds, bank).values(), strict=True)
    taught = [relation for relation in bank.relations if relation.id not in REPLACED]
    files = ("free_sentences.csv", "blind_sentences.csv")
    return {
        "withheld": [pair for kind, few in held for pair in kind.bank.pairs(few, seed=own)],
        "bank": bank.pairs(taught[::20], seed=own),
        "sentences": [pair for name in files for pair in load_pairs(ASSETS / name)],
    }


@lru_cache(maxsize=2)  # the model of before, and one more
def _right(model: SymmetryClassifier, seed: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return by name of the questions: verdicts, and whether they are right."""
    found = {}
    for name, pairs in questions(seed).items():
        verdicts = np.array(model.predict(pairs).verdict_labels)
        found[name] = verdicts, verdicts == np.array([pair.label for pair in pairs])
    return found


def compare(
    base: SymmetryClassifier, model: SymmetryClassifier, seed: int
) -> dict[str, dict[str, Any]]:
    """Return by name: number, right before, and the places of verdicts that changed."""
    both = zip(_right(base, seed).items(), _right(model, seed).values(), strict=True)
    return {
        name: {
            "n": len(right),
            "right_before": int(right.sum()),
            "changed": int((before != after).sum()),
            "turned_wrong": np.flatnonzero(right & ~still).tolist(),
            "turned_right": np.flatnonzero(~right & still).tolist(),
        }
        for (name, (before, right)), (after, still) in both
    }


def lost(asked: Sequence[Mapping[str, Any]], pairs: Sequence[Pair]) -> dict[str, Any]:
    """Return the drop in accuracy, in percentage points, averaged over sets and seeds.

    `before` and `changed` are shares of the questions. `lost` is the mean drop per question;
    `interval` is its 95% bootstrap interval over relations. `least` and `most` are the smallest
    and largest drop of a single set and seed.
    """
    n = len(pairs)
    runs = np.zeros((len(asked), n))
    for run, found in zip(runs, asked, strict=True):
        run[found["turned_wrong"]] = 100
        run[found["turned_right"]] = -100
    mean = GroupBootstrap([pair.relation or pair.premise for pair in pairs]).interval(runs.mean(0))
    return {
        "n": n,
        "before": sum(found["right_before"] for found in asked) / (n * len(asked)),
        "changed": sum(found["changed"] for found in asked) / (n * len(asked)),
        "lost": mean["mean"],
        "interval": [mean["low"], mean["high"]],
        "least": float(runs.mean(1).min()),
        "most": float(runs.mean(1).max()),
    }


def summarise(ledger: Ledger) -> dict[str, Any]:
    """Return medians and ranges over sets and seeds, and the cost of both ways."""
    rows = pd.DataFrame([{**cell, **(ledger.get(cell) or {})} for cell in ledger])
    rows = rows[~rows.set.isin(DEVELOPMENT)]

    def spread(values: pd.Series) -> dict[str, float]:
        return {"median": values.median(), "least": values.min(), "most": values.max()}

    found: dict[str, Any] = {"sets": rows.set.nunique()}
    beside = [f"{name} {of}" for name in ("before", "looked_up") for of in ("accuracy", "reworded")]
    found |= {name: spread(rows[name]) for name in beside}
    for way, own in rows.groupby("way"):
        figures = own[["accuracy", "reworded", "seconds", "sts_lost", "benchmark_lost"]]
        figures = figures.dropna(axis=1)  # teaching at once leaves the encoder as it is
        found |= {f"{way} {name}": spread(figures[name]) for name in figures}
        found[f"{way} cost"] = {
            name: lost([asked[name] for asked in own.asked], pairs)
            for name, pairs in questions(0).items()
        }
    return found


if __name__ == "__main__":
    sys.exit(main(__doc__, "teach", cells, measure))
