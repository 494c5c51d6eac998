"""`symdemo reproduce`: cells, figures, the selection, and real measurements on a tiny encoder."""

import argparse
import json

import pytest
from bench_fakes import FIRST

from experiments import nli, reproduce
from experiments.reproduce import (
    GRID,
    LEDGER,
    Plan,
    Resources,
    bases_of,
    cells,
    choose,
    selection_cells,
    summarise,
    with_selection,
)
from experiments.runner import Ledger
from symdemo.cli.studies import reproduce_arguments
from symdemo.evaluation.results import PaperReport
from symdemo.files.paths import RESULTS


def options(*words):
    parser = argparse.ArgumentParser()
    reproduce_arguments(parser)
    return parser.parse_args(words)


def test_the_published_report_is_that_of_the_published_ledger():
    published = PaperReport.find(RESULTS)
    encoders = tuple(published.summary["plan"]["encoders"])
    plan = with_selection(Plan(encoders=encoders, other_seeds=(0,)))
    ledger = Ledger(RESULTS / LEDGER)
    assert json.loads(json.dumps(summarise(plan, ledger))) == published.summary
    assert [cell for cell in cells(plan, bases_of(ledger)) if cell not in ledger] == []


def test_the_best_settings_win_and_among_equals_what_moves_sentences_least():
    ledger, bases = Ledger(), {FIRST: "0" * 16}
    found = dict(zip(map(str, GRID), [(0.9, 0.0), (1, 0.2), (1, 0.1), (1, 0.1)], strict=True))
    for cell in selection_cells(FIRST, bases):
        assert choose(FIRST, ledger) == {}, "a training is missing"
        right, distance = found[str(cell["changes"])]
        figures = {"lexicalized": right, "delexicalized": right, "distance": distance}
        ledger.add(cell, figures | {"steps": cell["changes"]["min_steps"]})
    assert choose(FIRST, ledger)["knn"] == GRID[2]


@pytest.mark.slow
def test_quick_really_measures_a_tiny_encoder_and_continues(
    tiny_folder, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(nli, "sts_at_hand", lambda: None)
    resources = Resources()
    words = ["--quick", "--encoders", str(tiny_folder), "--out", str(tmp_path)]
    assert reproduce.run(options(*words), resources) == 0
    tables = capsys.readouterr().out
    assert "| k-NN |" in tables
    report = PaperReport.find(tmp_path)
    assert report.values["finished"]
    assert report.encoders == [str(tiny_folder)]
    monkeypatch.setattr(resources, "measure", None)  # nothing is left to measure
    assert reproduce.run(options(*words), resources) == 0
    assert capsys.readouterr().out == tables
