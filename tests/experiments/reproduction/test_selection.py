"""Choosing hyperparameters: on facts of their own, the best first, and read by the study."""

import argparse
import json
from dataclasses import replace

import pytest
from bench_fakes import FIRST, PLAN, FakeBench

from experiments.reproduction import command
from experiments.reproduction.experiments import config_of
from experiments.reproduction.ledger import Ledger
from experiments.reproduction.options import add_arguments
from experiments.reproduction.selection import (
    GRID,
    SELECTION,
    Inner,
    choose,
    selection_jobs,
    with_selection,
)
from symdemo.data.relations import facts_hash, part_of_facts
from symdemo.encoders import DEFAULT_ENCODER
from symdemo.errors import InputError
from symdemo.training.methods import METHODS

INNER = Inner()


def filled(result):
    """A ledger with a made-up result for each training."""
    ledger = Ledger()
    for job in selection_jobs(INNER, FakeBench()):
        point = next(
            place
            for place, changes in enumerate(GRID)
            if all(job.key["config"].get(name, value) == value for name, value in changes.items())
        )
        ledger.add(job.key, {"steps": 42, "seconds": 1.0} | result(point, job.key))
    return ledger


def right(accuracy, distance=0.1, **others):
    return {"lexicalized": accuracy, "delexicalized": accuracy, "distance": distance} | others


def test_no_fact_that_is_measured_on_is_taught_or_asked():
    measured = set(part_of_facts("measuring"))
    for cell in INNER.cells("knn", GRID[0]):
        assert all(side and not measured & set(side) for side in cell.sides)


def test_every_method_has_the_same_grid_of_at_most_six():
    wanted = selection_jobs(INNER, FakeBench())
    configs = {
        method: {json.dumps(job.key["config"]) for job in wanted if job.key["method"] == method}
        for method in METHODS
    }
    assert len(GRID) <= 6
    for found in configs.values():
        assert len(found) == len(GRID) * len(INNER.seeds)


@pytest.mark.parametrize(
    ("result", "winner"),
    [
        (lambda point, key: right(0.9 + 0.01 * (point == 2)), 2),
        (lambda point, key: right(1.0, 0.1 - 0.05 * (point == 1)), 1),
        (lambda point, key: right(1.0, 0.1, steps=84 - 42 * (point == 3)), 3),
        (lambda point, key: right(1.0 - 0.1 * (key["seed"] == 1 and point != 2)), 2),
        (lambda point, key: right(1.0, 0.1 - 0.001 * point, steps=42 + point), 0),
    ],
)
def test_accuracy_comes_first_then_what_moves_least_then_what_costs_least(result, winner):
    found = choose(INNER, filled(result))
    assert found["winners"] == dict.fromkeys(METHODS, GRID[winner])
    assert len(found["results"]) == len(METHODS) * len(GRID)
    assert found["inner"]["facts"] == facts_hash()


def test_an_unfinished_selection_chooses_nothing():
    with pytest.raises(InputError, match="is not finished"):
        choose(INNER, Ledger())


def test_the_study_takes_the_settings_over_and_other_encoders_keep_their_rate(tmp_path):
    found = choose(INNER, filled(lambda point, key: right(0.9 + 0.01 * (point == 3))))
    made_by = {"commit": "c" * 12}
    (tmp_path / SELECTION).write_text(json.dumps(found | {"made_by": made_by}))
    plan = with_selection(PLAN, [tmp_path])
    assert plan.chosen_at == "c" * 12
    bench = FakeBench()
    for encoder, expected in ((FIRST, GRID[3]["learning_rate"]), ("other", None)):
        config = config_of(plan.cell(encoder, "knn", 28, 0), bench.encoder(encoder))
        usual = config_of(PLAN.cell(encoder, "knn", 28, 0), bench.encoder(encoder))
        assert config.learning_rate == (expected or usual.learning_rate)
        assert (config.min_steps, config.schedule) == (GRID[3]["min_steps"], GRID[3]["schedule"])
    changed = plan.cell(FIRST, "knn", 28, 0, changes={"retention": 0.0})
    config = config_of(changed, bench.encoder(FIRST))
    assert (config.retention, config.min_steps) == (0.0, GRID[3]["min_steps"])


def test_an_encoder_with_a_selection_of_its_own_has_that_and_else_the_first_ones(tmp_path):
    first, own = (
        {"min_steps": steps, "learning_rate": rate} for steps, rate in ((84, 1), (112, 2))
    )
    for encoder, winners in ((DEFAULT_ENCODER, {"knn": first, "r": first}), ("big", {"knn": own})):
        about = {"encoder": encoder, "winners": winners, "inner": {"facts": facts_hash()}}
        made_by = {"commit": encoder[:3]}
        (tmp_path / Inner.of(encoder).file).write_text(json.dumps(about | {"made_by": made_by}))
    plan = with_selection(replace(PLAN, encoders=(DEFAULT_ENCODER, "big", "new")), [tmp_path])
    assert plan.chosen_at == "all"
    assert plan.cell("big", "knn", 28, 0).changes == own
    assert plan.cell("big", "r", 28, 0).changes == {"min_steps": 84}
    assert plan.cell("new", "knn", 28, 0).changes == {"min_steps": 84}


def test_without_a_selection_the_defaults_are_used(tmp_path):
    assert with_selection(PLAN, [tmp_path]) == PLAN


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "is not a selection"),
        ("{}", "is not a selection"),
        (
            '{"encoder": "e", "winners": {}, "made_by": {"commit": "c"}, "inner": {"facts": "x"}}',
            "have changed since",
        ),
    ],
)
def test_what_is_no_selection_of_today_is_refused(tmp_path, text, says):
    (tmp_path / SELECTION).write_text(text)
    with pytest.raises(InputError, match=says):
        with_selection(PLAN, [tmp_path])


@pytest.mark.slow
def test_the_command_trains_what_is_missing_and_writes_the_selection(
    tiny_folder, tmp_path, monkeypatch, capsys
):
    inner = replace(INNER, encoder=str(tiny_folder), methods=("knn",), seeds=(0,))
    monkeypatch.setattr(Inner, "of", lambda encoder: inner)
    monkeypatch.setattr(Inner, "file", SELECTION)
    quick = tuple(changes | {"min_steps": 4} for changes in GRID[::2])
    monkeypatch.setattr("experiments.reproduction.selection.GRID", quick)
    monkeypatch.setattr(
        "experiments.reproduction.selection.unseen_sentences",
        lambda: ["One.", "Two.", "Three."] * 4,
    )
    parser = argparse.ArgumentParser()
    add_arguments(parser)

    def run(*options):
        return command.run(parser.parse_args(["--select", "--out", str(tmp_path), *options]))

    assert run("--share", "1/2") == 0
    assert not (tmp_path / SELECTION).exists(), "half of the grid chooses nothing"
    assert run() == 0
    found = json.loads((tmp_path / SELECTION).read_text(encoding="utf-8"))
    assert found["made_by"]["commit"]
    best = max(row["accuracy"] for row in found["results"])
    (winner,) = (row for row in found["results"] if row["changes"] == found["winners"]["knn"])
    assert winner["accuracy"] == best
    before = (tmp_path / "selection.jsonl").read_text()
    assert run() == 0
    assert (tmp_path / "selection.jsonl").read_text() == before, "nothing is trained twice"
