"""The shipped `pairs` on second sentences that were written apart from what it was taught."""

import csv
import json

import numpy as np
import pytest

from symdemo.classifier import SymmetryClassifier
from symdemo.files.paths import ASSETS, RESULTS
from symdemo.pairs import Pair


@pytest.mark.slow
def test_the_model_stays_above_its_floor():
    """The floor is the lower end of the interval measured on relations that were taught."""
    lines = (RESULTS / "second_sentences.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["key"]["method"] == "roles"]
    floor = rows[0]["result"]["second"]["bank"]["model"]["low"]
    with (ASSETS / "second_sentences.csv").open(encoding="utf-8", newline="") as file:
        pairs = [Pair(r["premise"], r["hypothesis"], r["label"]) for r in csv.DictReader(file)]
    model = SymmetryClassifier.from_pretrained("pairs", "cpu", inference_only=True)
    answers = model.predict(pairs).verdict_labels
    right = [answer == pair.label for answer, pair in zip(answers, pairs, strict=True)]
    assert np.mean(right) > floor
