"""The shipped `pairs` on second sentences that were written apart from what it was taught."""

import csv
import json

import numpy as np
import pytest

from symdemo.classifier import SymmetryClassifier
from symdemo.files.paths import ASSETS, RESULTS
from symdemo.pairs import Pair


@pytest.fixture(scope="module")
def model() -> SymmetryClassifier:
    return SymmetryClassifier.from_pretrained("pairs", "cpu", inference_only=True)


@pytest.mark.slow
def test_the_model_stays_above_its_floor(model):
    """The floor is the lower end of the interval measured on relations that were taught."""
    lines = (RESULTS / "second_sentences.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["key"]["method"] == "roles"]
    floor = rows[0]["result"]["second"]["bank"]["model"]["low"]
    with (ASSETS / "second_sentences.csv").open(encoding="utf-8", newline="") as file:
        pairs = [Pair(r["premise"], r["hypothesis"], r["label"]) for r in csv.DictReader(file)]
    answers = model.predict(pairs).verdict_labels
    right = [answer == pair.label for answer, pair in zip(answers, pairs, strict=True)]
    assert np.mean(right) > floor


@pytest.mark.parametrize(
    ("premise", "hypothesis", "label"),
    [
        ("Kenya borders Uganda.", "Uganda borders Kenya.", "entailment"),
        ("Kenya borders Uganda.", "Kenya does not border Uganda.", "contradiction"),
        ("Ann is Bob's mother.", "Ann is Bob's mother.", "entailment"),
        ("Ann is Bob's mother.", "Bob is Ann's mother.", "contradiction"),
        ("Ann is Bob's mother.", "It rained in Rome.", "not judged"),
    ],
)
def test_the_second_sentence_decides(model, premise, hypothesis, label):
    (answer,) = model.predict([Pair(premise, hypothesis)])
    assert answer.label == label
    assert answer.judged == (label != "not judged")
