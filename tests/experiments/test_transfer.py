"""Transfer tasks: the readers, and the regression against scikit-learn used directly."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score

from experiments import transfer as module
from experiments.transfer import (
    SST_FROM_DEV,
    TransferData,
    features,
    find_transfer,
    score_features,
)
from symdemo.errors import InputError
from symdemo.evaluation.intervals import wilson
from symdemo.evaluation.sentences.sts import some_of


def made(n=80, classes=2, parts=(), second=()):
    rng = np.random.default_rng(1)
    labels = np.arange(n) % classes
    rows = rng.normal(size=(n, 6)).astype(np.float32)
    rows[:, 0] += 1.2 * labels
    texts = tuple(f"text {number}" for number in range(n))
    return rows, TransferData("X", texts, labels, second, parts)


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
    assert found.value == pytest.approx(100 * hits / 80)
    assert (found.low, found.high) == pytest.approx([100 * x for x in wilson(hits, 80)])
    assert (found.n, found.learnt_from, found.f1) == (80, 72, None)


def test_train_and_test_of_three_labels_as_by_hand():
    rows, data = made(90, 3, ("train",) * 60 + ("test",) * 30)
    strength = best_by_hand(rows[:60], data.labels[:60], 10)
    model = LogisticRegression(C=strength, max_iter=300).fit(rows[:60], data.labels[:60])
    found = score_features(rows, data)
    assert found.value == pytest.approx(100 * model.score(rows[60:], data.labels[60:]))
    assert (found.n, found.learnt_from) == (30, 60)


def test_a_dev_part_chooses_the_regulariser():
    rows, data = made(90, 2, ("train",) * 40 + ("dev",) * 20 + ("test",) * 30)
    tried = [
        LogisticRegression(C=c, max_iter=300).fit(rows[:40], data.labels[:40])
        for c in module.STRENGTHS
    ]
    best = max(tried, key=lambda m: m.score(rows[40:60], data.labels[40:60]))
    assert score_features(rows, data).value == pytest.approx(
        100 * best.score(rows[60:], data.labels[60:])
    )


def test_some_rows_are_evenly_spaced_and_keep_labels_and_parts():
    _, data = made(parts=("train",) * 60 + ("test",) * 20)
    some = some_of(data, 8)
    assert some.first == tuple(f"text {number}" for number in range(0, 80, 10))
    assert (some.labels.tolist(), some.second, some.name) == ([0] * 8, (), "X")
    assert some.parts == ("train",) * 6 + ("test",) * 2
    assert some_of(some, 100).first == some.first


def test_a_pair_is_its_difference_and_product():
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [0.0, 1.0]], dtype=np.float32)
    found = features(rows, pairs=True)
    root = 2**0.5
    assert found[0] == pytest.approx([0.4 * root, 0.8 * root, 0.6 * 2, 0.0])
    assert found[1] == pytest.approx([0, 0, 0, 2])
    assert features(rows, pairs=False)[2] == pytest.approx([0.6 * root, 0.8 * root])


def test_the_files_as_they_are(tmp_path, monkeypatch):
    def put(place, text, encoding="utf-8"):
        path = tmp_path / "transfer" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode(encoding))

    monkeypatch.setenv("SYMDEMO_DATA", str(tmp_path))
    assert find_transfer("MR") is None
    put("MR/rt-polarity.pos", "good one\nfine\n")
    put("MR/rt-polarity.neg", "bad\n")
    put("SST2/sentiment-dev", "nice \t1\nbad\t0\n")
    put("SST2/sentiment-test", "so so\t0\n")
    put("TREC/train_5500.label", "LOC:city Where is Zürich ?\nHUM:ind Who ?\n", "latin-1")
    put("TREC/TREC_10.label", "HUM:gr Which band ?\n")
    head = "index\tlabel\tsentence1\tsentence2\n"
    put("MRPC/train.tsv", head + '0\t1\t"He ""said"" so"\tHe did\n')
    put("MRPC/validation.tsv", head + "1\t0\tA\tB\n")
    put("MRPC/test.tsv", head + "2\t1\tC\tD\n")
    polar, sst, trec, mrpc = map(find_transfer, ("MR", "SST2", "TREC", "MRPC"))
    assert (polar.first, polar.labels.tolist()) == (("good one", "fine", "bad"), [1, 1, 0])
    assert (sst.first, sst.parts) == (("nice", "bad", "so so"), ("dev", "dev", "test"))
    assert (sst.labels.tolist(), sst.note) == ([1, 0, 0], SST_FROM_DEV)
    assert (trec.first[0], trec.labels.tolist()) == ("Where is Zürich ?", [1, 0, 0])
    assert (mrpc.first[0], mrpc.second) == ('He "said" so', ("He did", "B", "D"))
    assert (mrpc.labels.tolist(), mrpc.parts) == ([1, 0, 1], ("train", "train", "test"))
    put("SST2/sentiment-train", "well\t1\n")
    assert find_transfer("SST2").note == ""
    put("SST2/sentiment-dev", "no label\n")
    with pytest.raises(InputError, match="sentiment-dev, line 1: a label 0 or 1"):
        find_transfer("SST2")
    (tmp_path / "transfer" / "CR").mkdir()
    with pytest.raises(InputError, match=r"custrev\.pos cannot be read"):
        find_transfer("CR")
