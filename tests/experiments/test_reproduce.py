"""`symdemo reproduce`: cells, figures, the selection, and real measurements on a tiny encoder."""

import argparse
import json
from dataclasses import replace

import pytest
from bench_fakes import FIRST, PLAN, FakeBench, made_up

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
from symdemo.errors import SymdemoError
from symdemo.evaluation.results import PaperReport
from symdemo.files.paths import RESULTS

ALONE = replace(PLAN, encoders=(FIRST,))


def options(*words):
    parser = argparse.ArgumentParser()
    reproduce_arguments(parser)
    return parser.parse_args(words)


def measured(plan, change=lambda cell, figures: figures):
    ledger = Ledger()
    for cell in cells(plan, FakeBench().bases(plan)):
        ledger.add(cell, change(cell, made_up(cell)))
    return ledger


def test_the_published_report_is_that_of_the_published_ledger():
    published = PaperReport.find(RESULTS)
    encoders = tuple(published.summary["plan"]["encoders"])
    plan = with_selection(Plan(encoders=encoders, other_seeds=(0,)))
    ledger = Ledger(RESULTS / LEDGER)
    assert json.loads(json.dumps(summarise(plan, ledger))) == published.summary
    assert [cell for cell in cells(plan, bases_of(ledger)) if cell not in ledger] == []


def test_the_smallest_size_is_the_one_from_which_on_nothing_is_wrong():
    perfect = {0: {14, 56, 112}, 1: {7, 14, 28, 56, 112}, 2: {7}}

    def change(cell, figures):
        if cell["measure"] != "training":
            return figures
        right = 1.0 if cell["samples"] in perfect.get(cell["seed"], ()) else 0.9
        return figures | {"lexicalized": right, "delexicalized": right}

    plan = replace(ALONE, methods=("knn",), parts=("search",))
    (row,) = summarise(plan, measured(plan, change))["methods"]
    assert row["smallest_perfect"]["by_seed"] == [56, 7, None]
    assert row["smallest_perfect"]["reached"] == 2


def test_the_best_settings_win_and_among_equals_what_moves_sentences_least():
    ledger, bases = Ledger(), {FIRST: "0" * 16}
    found = dict(zip(map(str, GRID), [(0.9, 0.0), (1, 0.2), (1, 0.1), (1, 0.1)], strict=True))
    for cell in selection_cells(FIRST, bases):
        assert choose(FIRST, ledger) == {}, "a training is missing"
        right, distance = found[str(cell["changes"])]
        figures = {"lexicalized": right, "delexicalized": right, "distance": distance}
        ledger.add(cell, figures | {"steps": cell["changes"]["min_steps"]})
    assert choose(FIRST, ledger)["knn"] == GRID[2]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--methods", "guessing"], "guessing"),
        (["--encoders", "no-such-encoder"], "no-such-encoder"),
        (["--quick", "--publish"], "leave out --quick"),
        (["--no-nli", "--publish"], "the whole study"),
    ],
)
def test_wrong_options_are_refused_in_one_sentence(tmp_path, words, says):
    with pytest.raises(SymdemoError, match=says):
        reproduce.run(options("--out", str(tmp_path), *words), FakeBench())


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
