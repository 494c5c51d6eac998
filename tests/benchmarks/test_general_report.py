"""The report on the general model: temperatures by the other folds, and the README's table."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
from general_report import BEGIN, END, markdown, summarise, with_earlier_rows

REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Run:
    method: str
    fold: int
    seed: int


def figures(*losses, accuracy=(0.5, 0.7)):
    """A run that was judged at two temperatures."""
    return {
        "by_temperature": [
            {
                "temperature": temperature,
                "three": share,
                "two": share,
                "by_label": {"entailment": share, "contradiction": share, "neutral": share},
                "by_kind": {"plain": [share, 10]},
                "calibration_error": 0.01,
                "log_loss": loss,
                "swap_consistency": 1.0,
                "free": share,
                "blind": share,
                "wrong": {"met": 1},
            }
            for temperature, loss, share in zip((0.1, 0.2), losses, accuracy, strict=True)
        ],
        "nearest": [n / 100 for n in range(101)],
        "seconds": 4.0,
        "sts_before": 80.0,
        "sts_after": 79.5,
    }


def report(found):
    return summarise(found, {"pairs": 20, "sentences": {"free": 3, "blind": 4}}, {"folds": 2})


def test_models_that_were_not_measured_again_keep_their_rows_and_their_machine():
    old = report({Run("general", 0, 0): figures(0.1, 0.9), Run("setfit", 0, 0): figures(0.1, 0.9)})
    old["made_by"]["machine"]["processor"] = "abacus"
    for row in old["rows"].values():
        del row["processor"]  # as in reports that did not say it for each row
    new = report({Run("general", 0, 0): figures(0.9, 0.1)})
    rows = with_earlier_rows(new, old)["rows"]
    assert rows["general"] == new["rows"]["general"]
    assert rows["setfit"] == old["rows"]["setfit"] | {"processor": "abacus"}
    assert "The seconds of setfit are of another machine (abacus)." in markdown(
        new | {"rows": rows}
    )
    assert "another machine" not in markdown(new)
    of_other_pairs = old | {"data": old["data"] | {"pairs": 21}}
    assert with_earlier_rows(new, of_other_pairs) == new


def test_the_temperature_of_a_fold_is_chosen_on_the_others():
    own = {
        Run("general", 0, 0): figures(0.1, 0.9),  # would choose the first for itself
        Run("general", 1, 0): figures(0.9, 0.1),  # and this one the second
    }
    row = report(own)["rows"]["general"]
    assert row["temperature"] == [0.2, 0.1]
    assert row["three"]["mean"] == pytest.approx(0.6)
    assert row["sts_loss"] == {"mean": 0.5, "most": 0.5}
    assert row["most_often_wrong"] == [("met", 2)]
    assert row["nearest_95"] == pytest.approx(0.95)
    assert row["false_alarms"] == pytest.approx(0.05)


def test_a_row_says_at_which_commits_its_runs_were_made():
    runs = (Run("general", fold, 0) for fold in (0, 1, 2))
    commits = ({"commit": "b"}, {"commit": "a"}, {})  # the last was kept before runs said so
    own = {run: figures(0.5, 0.5) | commit for run, commit in zip(runs, commits, strict=True)}
    assert report(own)["rows"]["general"]["commits"] == ["a", "b"]


def test_seeds_are_averaged_apart():
    own = {
        Run("general", fold, seed): figures(0.1 + seed, 0.9) for fold in (0, 1) for seed in (0, 1)
    }
    row = report(own)["rows"]["general"]
    assert (row["runs"], row["seeds"], len(row["three"]["by_seed"])) == (4, 2, 2)


def test_the_readme_says_what_the_results_say():
    results = REPOSITORY / "benchmarks" / "results" / "general.json"
    text = markdown(json.loads(results.read_text(encoding="utf-8")))
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert readme.split(BEGIN)[1].split(END)[0] == f"\n{text}"
