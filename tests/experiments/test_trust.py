"""What one visitor does to the others: the parts are whole, bounded in time, and merged."""

import importlib
import json
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

EXPERIMENTS = Path(__file__).resolve().parents[2] / "experiments"


@pytest.fixture(scope="module")
def trust():
    sys.path.insert(0, str(EXPERIMENTS))
    try:
        yield importlib.import_module("trust")
    finally:
        sys.path.remove(str(EXPERIMENTS))


def test_every_part_says_what_it_does_and_for_how_long_at_most(trust):
    assert "burst" in trust.PARTS
    for name in trust.PARTS:
        part = importlib.import_module(f"trials.{name}")
        assert part.__doc__
        assert 0 < part.SECONDS <= 5400
        assert callable(part.run)


def test_a_part_that_takes_too_long_is_told_as_failed(trust, monkeypatch):
    for action in ("start", "stop"):
        monkeypatch.setattr(trust.App, action, lambda self, number=0: None)
    slow = SimpleNamespace(SECONDS=0.1, run=lambda app: time.sleep(30), __doc__="Slow.")
    monkeypatch.setitem(sys.modules, "trials.slow", slow)
    found = trust.measure("slow", True)
    assert (found["tried"], found["failed"]) == (1, 1)
    assert found["seconds"] < 10
    assert found["made_by"]["commit"]


def test_parts_are_merged_one_by_one(trust, tmp_path):
    path = tmp_path / "trust.json"
    for name, tried in (("one", 1), ("two", 2), ("one", 3)):
        trust.merge(path, name, {"tried": tried})
    parts = json.loads(path.read_text())["parts"]
    assert {name: part["tried"] for name, part in parts.items()} == {"one": 3, "two": 2}


def test_the_paragraph_is_made_of_the_parts_that_ended(trust):
    part = {"made_by": {"commit": "abc", "machine": {"threads": 2, "processor": "some"}}}
    waits = {"tried": 12, "others": {"p95_seconds": 0.52, "peak_mebibytes": 2048}}
    grown = {"tried": 25, "mebibytes": {"before": 1000.0, "after": 1030.0}}
    parts = {"bodies": part | waits, "trainings": part | grown}
    made = {"command": "python experiments/trust.py", "parts": parts}
    text = trust.markdown(made)
    assert "**0.5 s** under 12 bodies" in text
    assert "+3.0% after 25 retrainings; at most 2.0 GiB" in text
    assert text.count("\n- ") == 2
    ended = {"error": "too long", "tried": 1, "failed": 1}
    assert trust.markdown(made | {"parts": parts | {"disk": part | ended}}) == text


def test_each_machine_stands_with_its_own_commits(trust):
    def made(commit, processor):
        machine = {"threads": 2, "processor": processor}
        return {"made_by": {"commit": commit, "machine": machine}}

    parts = {"a": made("abc", "some"), "b": made("def", "some"), "c": made("abc", "another")}
    text = trust.markdown({"command": "trust", "parts": parts})
    assert "2 cores of some (commits abc, def); 2 cores of another (commit abc):" in text
