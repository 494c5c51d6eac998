"""Transfer tasks against scikit-learn used directly; retrieval of captions by hand."""

import numpy as np
import pytest
from sentence_data import FakeEncoder
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score

from experiments import transfer as module
from experiments.transfer import (
    TransferData,
    features,
    retrieve,
    score_features,
    score_retrieval,
)
from symdemo.evaluation.intervals import wilson
from symdemo.evaluation.sentences.sts import some_of


def made(n=80, classes=2, parts=(), second=()):
    rng = np.random.default_rng(1)
    labels = np.arange(n) % classes
    rows = rng.normal(size=(n, 6)).astype(np.float32)
    rows[:, 0] += 1.2 * labels
    texts = tuple(f"text {number}" for number in range(n))
    return rows, TransferData(texts, labels, second, parts)


def best_by_hand(rows, labels, folds):
    """Return the strength with the best mean accuracy over folds; the first of equals."""
    split = StratifiedKFold(folds, shuffle=True, random_state=1111)
    means = [
        cross_val_score(LogisticRegression(C=c, max_iter=300), rows, labels, cv=split).mean()
        for c in module.STRENGTHS
    ]
    return module.STRENGTHS[int(np.argmax(means))]


def test_ten_folds_choose_and_answer_as_by_hand():
    rows, data = made()
    hits = 0
    for learn, test in StratifiedKFold(10, shuffle=True, random_state=1111).split(
        rows, data.labels
    ):
        strength = best_by_hand(rows[learn], data.labels[learn], module.INNER_FOLDS)
        model = LogisticRegression(C=strength, max_iter=300).fit(rows[learn], data.labels[learn])
        hits += int((model.predict(rows[test]) == data.labels[test]).sum())
    found = score_features(rows, data)
    assert found["value"] == pytest.approx(100 * hits / 80)
    assert (found["low"], found["high"]) == pytest.approx([100 * x for x in wilson(hits, 80)])
    assert (found["n"], found["learnt_from"], found["f1"]) == (80, 72, None)


def test_some_rows_are_evenly_spaced_and_keep_labels_and_parts():
    _, data = made(parts=("train",) * 60 + ("test",) * 20)
    some = some_of(data, 8)
    assert some.first == tuple(f"text {number}" for number in range(0, 80, 10))
    assert (some.labels.tolist(), some.second) == ([0] * 8, ())
    assert some.parts == ("train",) * 6 + ("test",) * 2
    assert some_of(some, 100).first == some.first


def test_a_pair_is_its_difference_and_product():
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [0.0, 1.0]], dtype=np.float32)
    found = features(rows, pairs=True)
    root = 2**0.5
    assert found[0] == pytest.approx([0.4 * root, 0.8 * root, 0.6 * 2, 0.0])
    assert found[1] == pytest.approx([0, 0, 0, 2])
    assert features(rows, pairs=False)[2] == pytest.approx([0.6 * root, 0.8 * root])


def test_retrieval_by_hand():
    similar = np.zeros((3, 15))
    similar[0, :5] = 9, 8, 7, 6, 5  # all four
    similar[1, [5, 6, 7, 8, 0]] = 9, 8, 7, 6, 5  # three of four
    similar[2, [1, 2, 3, 4, 10]] = 9, 8, 7, 6, 9  # none, as a duplicate is as near as itself
    result = score_retrieval(similar)
    low, high = wilson(1, 3)
    strict = {"value": 100 / 3, "low": 100 * low, "high": 100 * high, "n": 3}
    assert result["strict"] == pytest.approx(strict)
    assert result["recall"] == pytest.approx(100 * 7 / 12)


def test_two_pictures_apart_and_one_caption_astray():
    angles = [0, 1, 2, 3, 4, 90, 91, 92, 93, -20]  # the last caption is far from its picture
    captions = [f"caption {n}" for n in range(10)]
    rows = [[np.cos(np.radians(a)), np.sin(np.radians(a)), 0, 0] for a in angles]
    encoder = FakeEncoder(dict(zip(captions, rows, strict=True)))
    found = retrieve(encoder, captions)
    assert (found["strict"]["value"], found["recall"]) == (50, 100 * 7 / 8)
