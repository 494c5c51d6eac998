"""What `experiments/general.py` published: every figure can be made again, and the pages say it."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from experiments.general_arms import ARMS
from experiments.general_bench import SHORT
from experiments.general_kept import KEPT
from experiments.general_report import (
    REPORT,
    make_report,
    results_page,
)
from experiments.general_scores import Kept, errors, is_right
from symdemo.files.paths import RESULTS
from symdemo.pairs import LABELS

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def published() -> dict:
    return json.loads(REPORT.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def made() -> dict:
    return json.loads(json.dumps(make_report(KEPT)))


def test_the_published_figures_are_those_of_the_kept_answers(published, made):
    for part in ("data", "rows", "errors"):
        assert rounded(made[part]) == rounded(published[part])


def rounded(value):
    if isinstance(value, dict):
        return {name: rounded(own) for name, own in value.items()}
    if isinstance(value, list):
        return [rounded(own) for own in value]
    return round(value, 6) if isinstance(value, float) else value


def test_the_matched_score_again_with_pandas(published):
    rows = pd.read_parquet(KEPT / "rows.parquet")
    asked = pd.read_parquet(KEPT / "words.parquet").merge(rows.drop(columns="fold"), on="row")
    asked = asked[asked.set == "bank"]
    asked["right"] = asked[list(LABELS)].astype(float).idxmax(axis=1) == asked.label
    built_alike, n = asked.groupby(["fold", "skeleton"]), 0
    total = 0.0
    for _, own in built_alike:
        counts = own.label.value_counts()
        if len(counts) == len(LABELS):
            n += counts.min() * len(LABELS)
            total += counts.min() * own.groupby("label").right.mean().sum()
    assert total / n == pytest.approx(published["rows"]["words"]["matched"]["mean"])
    assert n == pytest.approx(published["data"]["matched"]["weight"])


def test_construction_alone_scores_a_third_where_it_is_matched(published):
    for name in ("skeleton", "majority"):
        assert published["rows"][name]["matched"]["mean"] == pytest.approx(1 / 3, abs=1e-9)


def test_every_row_says_how_it_was_made_and_whether_its_answers_are_kept(published):
    page = results_page(published)
    for name, row in published["rows"].items():
        assert row["commits"]
        assert row["machines"]
        assert row["kept"] == (KEPT / f"{name}.parquet").is_file()
        if row["kept"]:
            assert row["versions"]
            assert len(row["fingerprints"]) == len(set(row["fingerprints"])) == row["runs"]
            if name in ("general", "first-stage"):
                assert row["precision"] in (["fp32"], ["bf16"], ["bf16", "fp32"])
        else:
            (line,) = (
                line
                for line in page.splitlines()
                if line.startswith("†") and ARMS[name].title.replace("*", "") in line
            )
            assert row["commits"][0] in line
            assert "were not kept" in line


def test_intervals_hold_their_means_and_differences_are_paired(published):
    for name, row in published["rows"].items():
        for headline in ("three", "unjoined", "matched", "two"):
            figure = row[headline]
            if not row["kept"] or figure["low"] is None:
                continue
            assert figure["low"] <= figure["mean"] <= figure["high"]
            if name != "words":
                rival = published["rows"]["words"][headline]["mean"]
                assert figure["more"]["mean"] == pytest.approx(figure["mean"] - rival)


def test_errors_are_wrong_and_in_order():
    found = errors(Kept(KEPT), "words", n=5)
    for wrong in found.values():
        assert len(wrong) == 5
        assert all(one["answer"] != one["label"] for one in wrong)
    sure = [one["sure"] for one in found["most certain"]]
    unsure = [one["sure"] for one in found["least certain"]]
    assert sure == sorted(sure, reverse=True)
    assert unsure == sorted(unsure)
    assert min(sure) > max(unsure)


def test_the_first_of_equal_shares_is_the_answer():
    frame = pd.DataFrame({"label": [LABELS[1], LABELS[0]]})
    frame[list(LABELS)] = np.array([[0.4, 0.4, 0.2], [0.4, 0.4, 0.2]])
    assert is_right(frame).tolist() == [0, 1]
    frame[list(LABELS)] = np.array([[0.1, 0.2, 0.7], [0.1, 0.2, 0.7]])
    assert is_right(frame, LABELS[:2]).tolist() == [1, 0]


def test_setfit_is_trained_at_the_best_rate_that_was_tried():
    tried = json.loads((RESULTS / "setfit_rates.json").read_text(encoding="utf-8"))
    assert min(tried["rows"], key=lambda row: row["log_loss"])["rate"] == tried["best"]
    rates = sorted(row["rate"] for row in tried["rows"])
    assert rates[0] < SHORT["body_learning_rate"] == tried["best"] < rates[-1]
