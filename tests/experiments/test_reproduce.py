"""`symdemo reproduce`: cells, figures, and real measurements on a tiny encoder."""

import argparse
import json
from collections import Counter

import pytest

from experiments import paper, reproduce, scoring
from experiments.paper import Plan, bases_of, cells
from experiments.reproduce import LEDGER, summarise
from experiments.runner import Ledger
from symdemo.cli.studies import reproduce_arguments
from symdemo.encoders import DEFAULT_ENCODER
from symdemo.evaluation.results import VERSIONS, PaperReport
from symdemo.files.paths import RESULTS
from symdemo.pairs import CONTRADICTION, ENTAILMENT


def options(*words):
    parser = argparse.ArgumentParser()
    reproduce_arguments(parser)
    return parser.parse_args(words)


def test_the_published_report_is_that_of_the_published_ledger():
    published = PaperReport.find(RESULTS)
    encoders = tuple(published.summary["plan"]["encoders"])
    plan = Plan(encoders=encoders, other_seeds=(0,)).with_choices()
    ledger = Ledger(RESULTS / LEDGER)
    assert json.loads(json.dumps(summarise(plan, ledger))) == published.summary
    assert [cell for cell in cells(plan, bases_of(ledger)) if cell not in ledger] == []


def test_a_probe_is_taught_and_tested_on_each_label_by_half(tiny_encoder, monkeypatch):
    seen = []

    def figures(model, facts):
        seen.append(Counter(pair.label for pair in model.index.pairs))
        return dict.fromkeys(VERSIONS, float(facts[0].relation.label == CONTRADICTION))

    monkeypatch.setattr(paper, "figures", figures)
    found = paper.probe_untouched(paper.Training("", "knn", 48, 0), tiny_encoder)
    assert found == dict.fromkeys(VERSIONS, 0.5)  # of an answer that is always the same
    assert seen == [{ENTAILMENT: 24, CONTRADICTION: 24}] * 2


def test_one_arm_has_the_papers_settings_and_numbers_of_pairs():
    planned = cells(Plan(), {DEFAULT_ENCODER: "0" * 16})
    own = [cell for cell in planned if cell.get("hyperparameters") == "paper"]
    assert {cell["method"]: cell["samples"] for cell in own}["knn-learnt-metric"] == 400
    assert all(cell["changes"] == {} and not cell["names"] for cell in own)


@pytest.mark.slow
def test_quick_really_measures_a_tiny_encoder_and_continues(
    tiny_folder, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(scoring, "sts_at_hand", lambda: None)
    words = ["--quick", "--encoders", str(tiny_folder), "--out", str(tmp_path)]
    assert reproduce.run(options(*words)) == 0
    tables = capsys.readouterr().out
    assert "| k-NN |" in tables
    report = PaperReport.find(tmp_path)
    assert report.values["finished"]
    assert report.encoders == [str(tiny_folder)]
    monkeypatch.setattr(reproduce, "measure", None)  # nothing is left to measure
    assert reproduce.run(options(*words)) == 0
    assert capsys.readouterr().out == tables
