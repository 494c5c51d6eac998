"""The second reading: its figures against scikit-learn, its file against the bank and the sets."""

import csv
import json
import random
import sys
from collections import Counter
from pathlib import Path

import pytest
from sklearn.metrics import cohen_kappa_score

from symdemo.data.bank import shipped_bank
from symdemo.evaluation.intervals import wilson
from symdemo.files.paths import ASSETS
from symdemo.pairs import LABELS

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import second_reading
from second_reading import Read, compare, draw, kappa, kappa_interval, load, write_blank

ROWS = load()
BANK = {relation.id: relation for relation in shipped_bank().relations}


def anew(what: str, key: str) -> dict[str, dict[str, str]]:
    with (ASSETS / "bank" / "judged_anew.csv").open(encoding="utf-8", newline="") as file:
        return {row[key]: row for row in csv.DictReader(file) if row["what"] == what}


@pytest.mark.parametrize("seed", range(4))
def test_kappa_is_scikit_learns(seed):
    rng = random.Random(seed)
    first = rng.choices(LABELS, weights=(5, 2, 1), k=60)
    second = [rng.choice(LABELS) if rng.random() < 0.3 else label for label in first]
    assert kappa(first, second) == pytest.approx(cohen_kappa_score(first, second))


def test_kappa_by_hand():
    # 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: agreement 0.7, chance 0.5 · 0.6 + 0.5 · 0.4.
    first = ["yes"] * 25 + ["no"] * 25
    second = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    assert kappa(first, second) == pytest.approx(0.4)
    low, high = kappa_interval(first, second, 400)
    assert 0.1 < low < 0.4 < high < 0.7
    assert kappa_interval(first, second, 400) == (low, high)
    assert kappa(["yes"] * 3, ["yes"] * 3) == 1.0
    assert kappa_interval(first, first, 50) == (1.0, 1.0)


def test_the_figures_are_counted_right():
    rows = [
        Read("bank", "a", "", "A.", "B.", "neutral", "neutral", "neutral"),
        Read("bank", "b", "", "A.", "B.", "neutral", "contradiction", "contradiction", "why"),
        Read("free", "1", "", "A.", "B.", "contradiction", "neutral", "contradiction", "why"),
        Read("free", "2", "", "A.", "B.", "entailment", "entailment", "entailment"),
    ]
    report = compare(rows)
    assert (report["n"], report["agreed"], report["agreement"]) == (4, 2, 0.5)
    assert report["agreement_interval"] == wilson(2, 4)
    assert report["by_label"]["neutral"]["agreement"] == 0.5
    assert report["by_label"]["entailment"]["kappa"] == 1.0
    assert report["by_source"]["bank"]["n"] == report["by_source"]["sets"]["n"] == 2
    assert report["settled"] == {"first": 1, "second": 1}
    assert report["disagreements"]["neutral / contradiction"] == 1


def test_the_file_is_large_and_of_all_labels():
    of_bank = Counter(row.first for row in ROWS if row.source == "bank")
    of_sets = Counter(row.first for row in ROWS if row.source != "bank")
    assert of_bank.total() >= 300
    assert of_sets.total() >= 100
    assert min(of_bank.values()) >= 90
    assert min(of_sets.values()) >= 30
    assert len({(row.source, row.where, row.phrasing) for row in ROWS}) == len(ROWS)


def test_disagreements_are_settled_with_a_reason():
    for row in ROWS:
        assert {row.first, row.second, row.settled} <= set(LABELS)
        assert row.settled in (row.first, row.second)
        assert bool(row.why) == (row.first != row.second), row


def test_first_labels_are_the_banks_or_listed_as_mended():
    patterns, wordings = anew("pattern", "name"), anew("wording", "before")
    for row in ROWS:
        if row.source != "bank":
            continue
        relation = BANK[row.where]
        if row.phrasing not in relation.phrasings:
            assert wordings[row.phrasing]["name"] == row.where
        elif relation.label != row.first:
            assert row.where in patterns, row
        else:
            assert row.settled == relation.label, row


def test_rows_of_sets_are_the_sets():
    changed = anew("label", "name")
    for name, path, columns, (start, end) in second_reading.SETS:
        with path.open(encoding="utf-8", newline="") as file:
            rows = dict(enumerate(csv.DictReader(file), 1))
        for row in (row for row in ROWS if row.source == name):
            assert start <= int(row.where) <= end
            sentence, swapped, label = (rows[int(row.where)][column] for column in columns)
            assert (sentence, swapped) == (row.sentence, row.swapped)
            assert label == row.settled
            assert label == row.first or sentence in changed


def test_the_results_are_those_of_the_file():
    report = json.loads(second_reading.RESULTS.read_text(encoding="utf-8"))
    assert report.pop("made_by")["commit"]
    assert report == json.loads(json.dumps(compare(ROWS)))


def test_a_draw_is_by_seed_and_its_file_hides_the_labels(tmp_path):
    rows = draw(shipped_bank(), seed=3)
    assert rows == draw(shipped_bank(), seed=3)
    assert rows != draw(shipped_bank(), seed=4)
    assert {row.first for row in rows} == set(LABELS)
    write_blank(rows, tmp_path / "new.csv")
    written = (tmp_path / "new.csv").read_text(encoding="utf-8")
    assert written.count("\n") == len(rows) + 1
    with (tmp_path / "new.csv").open(encoding="utf-8", newline="") as file:
        for row, read in zip(csv.DictReader(file), rows, strict=True):
            assert (row["sentence"], row["swapped"]) == (read.sentence, read.swapped)
            assert list(row) == ["number", "sentence", "swapped", "second"]
            assert not row["second"]
