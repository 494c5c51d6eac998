"""`symdemo reproduce`: cells, figures, the selection, and real measurements on a tiny encoder."""

import argparse
import json
from dataclasses import replace

import pytest
from bench_fakes import FIRST, PLAN, FakeBench, made_up

from experiments import nli, reproduce
from experiments.paper import Training, reading_nothing
from experiments.reproduce import (
    GRID,
    LEDGER,
    Plan,
    Resources,
    bases_of,
    cells,
    choose,
    planned,
    selection_cells,
    summarise,
    with_selection,
)
from experiments.runner import Ledger
from symdemo.cli.studies import reproduce_arguments
from symdemo.data.relations import pairs_of_facts
from symdemo.errors import SymdemoError
from symdemo.evaluation.results import PaperReport
from symdemo.files.paths import RESULTS
from symdemo.pairs import ENTAILMENT

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


def test_the_usual_setting_is_measured_once_for_all_ablations():
    usual = [
        cell
        for cell in cells(ALONE, FakeBench().bases(ALONE))
        if cell.get("hyperparameters") == "usual" and cell["changes"] == {}
    ]
    assert len(usual) == 1
    rows = summarise(ALONE, measured(ALONE))["ablations"]
    assert len([row for row in rows if "margin" in row["changes"]]) == 2


def test_nli_is_measured_with_two_recipes_and_once_without_retention():
    plan = replace(ALONE, parts=("nli",))
    summary = summarise(plan, measured(plan))
    rows = [row for row in summary["nli"]["rows"] if row["method"] == "knn"]
    assert [row["recipe"] for row in rows] == ["own", "own", "one", "one", "without"]
    knn = next(row["nli"] for row in summary["methods"] if row["method"] == "knn")
    losses = [row["lost"][0] for row in rows if row["recipe"] == "own"]
    assert (knn["loss"]["with"]["least"], knn["loss"]["with"]["n"]) == (min(losses), 2)
    assert knn["loss"]["without"]["n"] == 1

    def other(cell, figures):
        return figures | ({"data": "other"} if cell.get("seed") == 1 else {})

    rows = summarise(plan, measured(plan, other))["nli"]["rows"]
    assert {row["start"] for row in rows} == {0}, "figures on other data are left out"


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


def test_the_lookup_is_right_once_each_relation_was_taught():
    tested = pairs_of_facts(Training("", "", 14, 0).sides[1])
    commonest = sum(pair.label != ENTAILMENT for pair in tested) / len(tested)
    assert reading_nothing(14, 0) == {"constant": pytest.approx(commonest), "look-up": 1.0}
    assert reading_nothing(7, 0)["look-up"] < 1


def test_the_best_settings_win_and_among_equals_what_moves_sentences_least():
    ledger, bases = Ledger(), {FIRST: "0" * 16}
    found = dict(zip(map(str, GRID), [(0.9, 0.0), (1, 0.2), (1, 0.1), (1, 0.1)], strict=True))
    for cell in selection_cells(FIRST, bases):
        assert choose(FIRST, ledger) == {}, "a training is missing"
        right, distance = found[str(cell["changes"])]
        figures = {"lexicalized": right, "delexicalized": right, "distance": distance}
        ledger.add(cell, figures | {"steps": cell["changes"]["min_steps"]})
    assert choose(FIRST, ledger)["knn"] == GRID[2]


def test_an_encoder_without_a_selection_takes_the_first_one_s_settings_but_its_rate():
    plan = replace(PLAN, settings={FIRST: {"knn": {"learning_rate": 1.0, "min_steps": 7}}})
    changes = {
        row[1]: cell["changes"]
        for row, cell in planned(plan, FakeBench().bases(plan))
        if row[0] == "usual" and row[2] == "knn"
    }
    assert list(changes.values()) == [{"learning_rate": 1.0, "min_steps": 7}, {"min_steps": 7}]


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
