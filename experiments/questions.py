"""Sentences as visitors type them: is the swap the expected one, and is the verdict right?

Each sentence goes the way that the page takes. It is right if the swap is one of those written down
for it, except for capitals and the full stop, and the verdict is the label written down.
`wrong_and_sure` counts wrong answers shown as certain. Baselines: the commonest label for every
sentence, and word 1-to-3-grams taught the same pairs (verdicts only).
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from experiments.baselines import Ngrams, fit_ngrams
from experiments.recipes.general import shown_kinds, training_pairs
from experiments.runner import main
from experiments.scoring import share
from experiments.splits import REPLACED
from experiments.swaps import read_rows, right_swaps
from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.asking import ask, read
from symdemo.data.bank import load_kinds, shipped_bank
from symdemo.errors import InputError
from symdemo.pairs import LABELS
from symdemo.swapping import swap

FILE = Path(__file__).with_name("questions.csv")
WORDS, CONSTANT = "word 1-to-3-grams", "commonest label"


def cells() -> list[dict[str, str]]:
    """Return a cell for each half of the file and each model or baseline."""
    models = (CONSTANT, WORDS, "general", "wikidata14")
    return [{"split": split, "model": model} for split in ("dev", "test") for model in models]


def measure(cell: Mapping[str, str]) -> dict[str, Any]:
    """Return shares with intervals; of a baseline those of its verdicts."""
    rows = read_rows(FILE, cell["split"])
    labels = [row["verdict"] for row in rows]
    if cell["model"] == CONSTANT:
        label, _ = Counter(labels).most_common(1)[0]
        return _verdicts([label] * len(rows), labels) | {"label": label}
    if cell["model"] == WORDS:
        shares = _ngrams().shares([_phrasing(row["sentence"]) for row in rows])
        return _verdicts([LABELS[n] for n in shares.argmax(axis=1)], labels)
    model = SymmetryClassifier.from_pretrained(cell["model"])
    right, sure = np.array([judge(model, row) for row in rows]).T
    return {"n": len(rows), "right": share(right), "wrong_and_sure": share(sure & ~right)}


def judge(model: SymmetryClassifier, row: Mapping[str, str]) -> tuple[bool, bool]:
    """Return whether the page answers a question rightly, and whether it seems sure."""
    try:
        answer = ask(model, [read(row["sentence"])])[0]
    except InputError:
        return False, False
    swapped = _plain(answer.prediction.pair.hypothesis)
    right = swapped in map(_plain, right_swaps(row))
    return right and answer.prediction.label == row["verdict"], answer.sure


def _plain(sentence: str) -> str:
    return sentence.casefold().replace("’", "'").rstrip(".?! ")


def _verdicts(answers: Sequence[str], labels: Sequence[str]) -> dict[str, Any]:
    right = share([answer == label for answer, label in zip(answers, labels, strict=True)])
    return {"n": len(labels), "verdict_right": right}


@cache
def _ngrams() -> Ngrams:
    """Return the word baseline, taught what `general` is shown of the bank and the kinds."""
    bank, kinds = shipped_bank(), load_kinds()
    relations = [relation for relation in bank.relations if relation.id not in REPLACED]
    taught = [*training_pairs(bank, relations, 0), *shown_kinds(kinds, 0)]
    every = [*bank.relations, *(r for kind in kinds for r in kind.bank.relations)]
    group_of = {relation.id: relation.group or relation.id for relation in every}
    return fit_ngrams(taught, [group_of[str(pair.relation)] for pair in taught])


def _phrasing(sentence: str) -> str:
    """Return the sentence with [X] and [Y], so that no word of a name counts."""
    try:
        return swap(sentence).relation
    except InputError:
        return sentence


if __name__ == "__main__":
    sys.exit(main(__doc__, "questions", cells, measure))
