"""The figures of `benchmarks/kinds.py`, by hand."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
from kinds import by_kind, earlier, table, taught_pairs

from symdemo.data.bank import shipped_bank
from symdemo.data.bank_kinds import load_kinds, never_taught
from symdemo.pairs import LABELS, Pair

YES, NO, OPEN = LABELS


def pairs(*labels):
    return [
        Pair(f"Ann likes it {n}.", f"It likes Ann {n}.", label) for n, label in enumerate(labels)
    ]


def test_figures_of_each_kind_by_hand():
    test = {"one": pairs(YES, NO), "two": pairs(OPEN, OPEN, NO)}
    shares = np.array(
        [[0.9, 0.1, 0], [0.85, 0.1, 0.05], [0, 0.3, 0.7], [0, 0.6, 0.4], [0.1, 0.9, 0]]
    )
    found = by_kind(shares, test)
    assert found["kinds"]["one"] == {
        "pairs": 2,
        "accuracy": 0.5,
        "surely_wrong": 0.5,
        "sure": 1.0,
        "calibration_error": pytest.approx((0.9 + 0.85) / 2 - 0.5),
    }
    assert found["kinds"]["two"]["accuracy"] == pytest.approx(2 / 3)
    assert found["kinds"]["two"]["surely_wrong"] == 0
    assert found["all"]["accuracy"] == pytest.approx(3 / 5)
    assert found["all"]["surely_wrong"] == pytest.approx(1 / 5)
    assert "50.0%, 50.0%" in table({"model": found})


def test_nothing_that_is_judged_is_taught_to_a_rival():
    bank = shipped_bank()
    kinds = load_kinds(bank=bank)
    held = never_taught(kinds, bank)
    judged = {
        pair.premise for kind in kinds for pair in kind.bank.pairs(held[kind.name], 3, seed=77)
    }
    taught = taught_pairs()
    assert not judged & {pair.premise for pair in taught}
    assert not {r.id for own in held.values() for r in own} & {pair.relation for pair in taught}


def test_earlier_rows_are_kept_for_the_same_pairs_alone(tmp_path):
    path = tmp_path / "kinds.json"
    assert earlier(path, "abc") == {}
    path.write_text(json.dumps({"data": "abc", "rows": {"words": 1}}))
    assert earlier(path, "abc") == {"words": 1}
    assert earlier(path, "other") == {}
