"""Facts → a data set folder: its parts, what it says of itself, and nothing half written."""

import hashlib
import json
from collections import Counter

import pytest

from symdemo.data.dataset_folder import ABOVE_LIMIT, build_dataset, limit_facts
from symdemo.errors import InputError


def test_the_share_holds_in_each_relation_and_the_seed_decides(many, tmp_path):
    first, again, other = (
        build_dataset(*many, tmp_path / name, test_share=0.3, seed=seed)
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )
    assert first == again
    for name in ("P25", "P3373"):
        counts = first["by_relation"][name]
        assert (counts["train_facts"], counts["test_facts"], counts["dropped"]) == (70, 30, 0)
    contents = [(tmp_path / name / "test.jsonl").read_bytes() for name in "abc"]
    assert contents[0] == contents[1] != contents[2]
    assert other["seed"] == 2


def test_dataset_json_says_what_the_folder_is_made_of(many, tmp_path):
    content = build_dataset(*many, tmp_path / "out", limit=10, relations=["P3373"], seed=5)
    assert json.loads((tmp_path / "out" / "dataset.json").read_text("utf-8")) == content
    assert content["inputs"]["triples"] == {
        "file": "triples.txt",
        "bytes": many[0].stat().st_size,
        "sha256": hashlib.sha256(many[0].read_bytes()).hexdigest(),
    }
    assert (content["lines"], content["triples"], content["facts"]) == (200, 100, 10)
    assert content["dropped"][ABOVE_LIMIT] == 90
    assert content["facts"] + sum(content["dropped"].values()) == content["triples"]
    assert content["pairs"] == {"train": 16, "test": 4}
    assert content["pairs_by_label"]["test"] == {"entailment": 4}
    assert (content["seed"], content["limit"], content["relations"]) == (5, 10, ["P3373"])


def test_a_limit_leaves_at_most_so_many_of_each_relation(facts):
    limited = limit_facts(facts, 2, seed=3)
    assert set(Counter(fact.relation.id for fact in limited).values()) == {2}
    assert [fact for fact in facts if fact in limited] == limited
    assert limit_facts(facts, 2, seed=3) == limited != limit_facts(facts, 2, seed=4)
    assert limit_facts(facts, None) == list(facts) == limit_facts(facts, 99)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test_share": 0}, "The test share is 0; a number between 0 and 1"),
        ({"test_share": float("nan")}, "The test share is nan"),
        ({"limit": 0}, "The limit is 0; at least 1"),
        ({"relations": ["P31"]}, "The relation “P31” is unknown"),
        ({"test_share": 0.001}, "200 facts at a test share of 0.001 leave one side empty"),
    ],
)
def test_unusable_options_write_nothing(many, tmp_path, options, message):
    with pytest.raises(InputError, match=message):
        build_dataset(*many, tmp_path / "out", **options)
    assert not list(tmp_path.glob("*out*"))


def test_an_existing_folder_is_kept_and_an_empty_one_used(many, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    build_dataset(*many, out)
    before = {path: path.read_bytes() for path in out.iterdir()}
    with pytest.raises(InputError, match="exists and is not empty"):
        build_dataset(*many, out)
    with pytest.raises(InputError, match="exists and is not empty"):
        build_dataset(*many, many[0])
    with pytest.raises(InputError, match="cannot be written"):
        build_dataset(*many, many[0] / "below a file")
    assert {path: path.read_bytes() for path in out.iterdir()} == before
    assert len(before) == 5


def test_a_failure_while_writing_leaves_no_trace(many, tmp_path, monkeypatch):
    def fail(*_):
        raise OSError("the disk is full")

    monkeypatch.setattr("symdemo.files.storage.os.fsync", fail)
    with pytest.raises(InputError, match="cannot be written: the disk is full"):
        build_dataset(*many, tmp_path / "out")
    assert {path.name for path in tmp_path.iterdir()} == {"triples.txt", "entities.txt"}
