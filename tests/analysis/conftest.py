"""Verdicts made by hand, of which every figure is known."""

import numpy as np
import pytest

from symdemo.classifier.index import LabelIndex
from symdemo.classifier.prediction import Predictions
from symdemo.pairs import Pair

LABELS = ("entailment", "contradiction", "neutral")
TAUGHT = (
    Pair("Ann meets Ben.", "Ben meets Ann.", "entailment", "meets"),
    Pair("Ann bore Ben.", "Ben bore Ann.", "contradiction", "bore"),
)

# label, relation, words of the premise, verdict, its probability, distance, nearest taught pair
CASES = (
    ("entailment", "meets", 3, "entailment", 0.95, 0.005, 0),
    ("entailment", "meets", 6, "entailment", 0.9, 0.02, 0),
    ("entailment", "meets", 9, "contradiction", 0.85, 0.05, 1),
    ("contradiction", "bore", 3, "contradiction", 0.75, 0.005, 1),
    ("contradiction", "bore", 25, "entailment", 0.65, 0.5, 0),
    ("contradiction", "meets", 4, "contradiction", 0.55, 0.15, 1),
    ("neutral", "likes", 5, "entailment", 0.99, 0.4, 0),
    ("neutral", "likes", 8, "neutral", 0.45, 0.25, 1),
)


def predictions_of(pairs, cases):
    verdicts = np.array([LABELS.index(case[3]) for case in cases])
    shares = np.zeros((len(cases), len(LABELS)))
    for row, case in enumerate(cases):
        shares[row] = (1 - case[4]) / 2
        shares[row, verdicts[row]] = case[4]
    rows = np.array([[case[6], 1 - case[6]] for case in cases])
    distances = np.array([[case[5], 1.0] for case in cases], np.float32)
    return Predictions(
        pairs=pairs,
        labels=LABELS,
        probabilities=shares,
        verdicts=verdicts,
        rows=rows,
        distances=distances,
        label_embeddings=np.ones((len(cases), 4), np.float32),
        taught=LabelIndex(TAUGHT, np.eye(2, 4, dtype=np.float32)),
        familiar_within=0.1,
        rotation=True,
        judged=np.ones(len(cases), bool),
    )


@pytest.fixture(scope="session")
def asked():
    made = []
    for number, (label, relation, words, *_) in enumerate(CASES):
        text = " ".join([f"Ann{number}", *["then"] * (words - 2), "Ben."])
        made.append(Pair(text, f"Ben {text}", label, relation, "Ann", "Ben"))
    return made


@pytest.fixture(scope="session")
def answered(asked):
    return predictions_of(asked, CASES)


@pytest.fixture(scope="session")
def other(asked):
    """Right on rows 0, 2, 3 and 6 alone."""
    right = {0, 2, 3, 6}
    cases = [
        (*case[:3], case[0] if row in right else next(x for x in LABELS if x != case[0]), *case[4:])
        for row, case in enumerate(CASES)
    ]
    return predictions_of(asked, cases)
