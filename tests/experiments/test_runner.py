"""The runner: what is measured is kept, and a stopped study continues where it was."""

import json
import os

import pytest
from programs import REPOSITORY, run_python

from experiments.runner import Ledger, run

CELLS = [{"method": method, "seed": seed} for method in ("a", "b") for seed in range(3)]
NOW = {"commit": "b" * 12, "machine": {"processor": "Two"}}


def figures(cell):
    return {"accuracy": cell["seed"] / 10}


def test_a_stopped_study_continues_to_the_same_ledger(tmp_path):
    assert run(CELLS, figures, Ledger(tmp_path / "whole.jsonl", NOW))
    left = iter([False] * 2 + [True])
    path = tmp_path / "stopped.jsonl"
    assert not run(CELLS, figures, Ledger(path, NOW), lambda: next(left))
    assert len(Ledger(path)) == 2
    measured = []
    assert run(CELLS, lambda cell: measured.append(cell) or figures(cell), Ledger(path, NOW))
    assert measured == CELLS[2:]
    assert path.read_text() == (tmp_path / "whole.jsonl").read_text()


def test_a_line_broken_by_a_kill_is_measured_again(tmp_path):
    path = tmp_path / "rows.jsonl"
    run(CELLS, figures, Ledger(path, NOW))
    text = path.read_text()
    path.write_text(text[:-20])
    assert len(Ledger(path)) == len(CELLS) - 1
    run(CELLS, figures, Ledger(path, NOW))
    assert path.read_text() == text


def test_a_row_says_where_it_was_measured_and_is_found_by_its_values(tmp_path):
    ledger = Ledger(tmp_path / "rows.jsonl", NOW)
    ledger.add({"a": 1, "b": 2}, {"x": (1, 2)})
    ledger.add({"a": 2}, {}, {"commit": "c" * 12})
    for read in (ledger, Ledger(ledger.path)):
        assert read.get({"b": 2, "a": 1}) == {"x": [1, 2]}
        assert read.made_by({"a": 1, "b": 2}) == NOW
        assert [one["commit"] for one in read.origins()] == ["b" * 12, "c" * 12]


STUDIES = {"general": 30, "second_sentences": 3, "visitors": 12}


@pytest.mark.slow
@pytest.mark.parametrize("name", STUDIES)
def test_every_study_starts(name):
    pytest.importorskip("gradio")
    run_alone = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = run_python("-m", f"experiments.{name}", "--list", env=run_alone)
    assert not done.returncode, done.stderr
    cells = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(cells) == STUDIES[name]
    ledger = REPOSITORY / "experiments" / "results" / f"{name}.jsonl"
    if ledger.is_file():  # what is published is what the study measures
        assert [cell for cell in cells if cell not in Ledger(ledger)] == []
