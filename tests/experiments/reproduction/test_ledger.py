"""The log of measurements: where each was made is kept, and nothing is made up for old ones."""

import json

import pytest

from experiments.reproduction.ledger import Ledger
from symdemo.errors import InputError

THEN = {"commit": "a" * 12, "machine": {"processor": "One"}}
NOW = {
    "commit": "b" * 12,
    "machine": {"processor": "Two"},
}


@pytest.fixture
def path(tmp_path):
    """Two rows of before it was kept, and one that says where it was made."""
    path = tmp_path / "measurements.jsonl"
    path.write_text("".join(json.dumps({"key": {"n": n}, "result": {}}) + "\n" for n in (1, 2)))
    Ledger(path, THEN).add({"n": 3}, {"right": 1})
    return path


def test_a_row_says_where_it_was_made(path):
    ledger = Ledger(path, NOW)
    ledger.add({"n": 4}, {"right": 2})
    for read in (ledger, Ledger(path)):
        assert [read.made_by(key) for key in read] == [{}, {}, THEN, NOW]
        assert read.get({"n": 3}) == {"right": 1}


def test_a_copied_row_keeps_where_it_was_made(path, tmp_path):
    source, copy = Ledger(path), Ledger(tmp_path / "copy.jsonl", NOW)
    for key in source:
        copy.add(key, source.get(key), source.made_by(key))
    assert (tmp_path / "copy.jsonl").read_text() == path.read_text()


def test_origins_count_the_rows_of_each_commit(path):
    ledger = Ledger(path, NOW)
    ledger.add({"n": 4}, {})
    nobody_knows = {"commit": None, "processor": None, "rows": 2}
    then = {"commit": "a" * 12, "processor": "One", "rows": 1}
    now = {"commit": "b" * 12, "processor": "Two", "rows": 1}
    assert ledger.origins() == [nobody_knows, then, now]
    assert sum(origin["rows"] for origin in ledger.origins()) == len(ledger)


def test_merging_takes_what_is_missing_and_refuses_another_result(path, tmp_path):
    other = Ledger(tmp_path / "other.jsonl", NOW)
    other.add({"n": 3}, {"right": 1, "seconds": 5.0})
    other.add({"n": 4}, {"right": 2})
    ledger = Ledger(path)
    assert ledger.merge(other) == 1
    assert (ledger.get({"n": 3}), ledger.made_by({"n": 3})) == ({"right": 1}, THEN)
    assert ledger.made_by({"n": 4}) == NOW
    assert [*Ledger(path)] == [*ledger]
    conflicting = Ledger(tmp_path / "conflicting.jsonl", NOW)
    conflicting.add({"n": 3}, {"right": 0})
    with pytest.raises(InputError, match="has another result"):
        ledger.merge(conflicting)
