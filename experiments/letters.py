"""Swaps with letters in place of names, and a larger encoder, on the first fold.

`general`'s first stage with a scaled head reads each pair with its names, or with x and z in their
places. A sentence without names looks the same in each round, so one round was enough for the
larger encoder.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from experiments.baselines import in_order
from experiments.general import Kept, shipped_bench
from experiments.recipes import general as recipe
from experiments.runner import main
from symdemo.classifier import SymmetryClassifier
from symdemo.encoders import DEFAULT_ENCODER, load_encoder
from symdemo.pairs import LABELS, Pair, labels_of

LARGER = "sentence-transformers/all-mpnet-base-v2"


def cells() -> list[dict[str, Any]]:
    """Return the cells."""
    return [
        {"reads": "names", "encoder": DEFAULT_ENCODER, "rounds": 2, "fold": 0, "seed": 0},
        {"reads": "letters", "encoder": DEFAULT_ENCODER, "rounds": 2, "fold": 0, "seed": 0},
        {"reads": "letters", "encoder": LARGER, "rounds": 1, "fold": 0, "seed": 0},
    ]


def with_letters(pair: Pair) -> Pair:
    """Return the pair with x for its head and z for its tail."""
    ends = sorted(((str(pair.head), "\1"), (str(pair.tail), "\2")), key=lambda end: -len(end[0]))
    sentences = []
    for sentence in (pair.premise, pair.hypothesis):
        text = sentence
        for name, mark in ends:
            pattern = rf"(?<![^\W_]){re.escape(name)}(?![^\W_])"
            text = re.sub(pattern, mark, text, count=1, flags=re.IGNORECASE)
        sentences.append(text.replace("\1", "x").replace("\2", "z"))
    return replace(pair, premise=sentences[0], hypothesis=sentences[1], head="x", tail="z")


def measure(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Teach four folds and test the fifth."""
    bench = shipped_bench()
    relations, tested = bench.relations({**cell}), bench.tested({**cell})
    sets = [
        recipe.training_pairs(bench.bank, relations, cell["seed"], cell["rounds"]),
        recipe.remembered_pairs(bench.bank, relations),
        tested,
    ]
    if cell["reads"] == "letters":
        sets = [list(map(with_letters, pairs)) for pairs in sets]
    config = replace(recipe.CONFIG, precision="bf16", loss="scaled", seed=cell["seed"])
    model = SymmetryClassifier.from_encoder(load_encoder(cell["encoder"]), "fine-tuning").fit(
        sets[0], config=config, remembered=sets[1], name="letters"
    )
    found = model.predict(sets[2])
    shares = in_order(found.probabilities, found.labels)
    labels = np.array([LABELS.index(label) for label in labels_of(tested)])
    kept = Kept()
    weights = kept.weights["matched"][kept.bank.fold.to_numpy() == cell["fold"]]
    right = (shares.argmax(1) == labels).astype(float)
    return {
        "three": float(right.mean()),
        "matched": float(np.average(right, weights=weights)),
        "n": len(right),
    }


if __name__ == "__main__":
    sys.exit(main(__doc__, "letters", cells, measure))
