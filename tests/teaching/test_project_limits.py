"""How much a store, a project and a file may hold."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from model_folders import files_of
from refusals import refusal
from teaching_tools import ROWS, add, fail_with, make_store

from symdemo.errors import DiskError
from symdemo.files.storage import MAX_DEPTH, folder_bytes, parse_json, plain, read_json, write_json
from symdemo.teaching.rows import TeachRow
from symdemo.teaching.store import CONFIRM_SECONDS


def clean(store, now):
    """Clean twice, hours of running time apart."""
    then = now - timedelta(seconds=CONFIRM_SECONDS)
    clock = now.timestamp()
    store.clean_idle(then, clock - CONFIRM_SECONDS)
    return store.clean_idle(now, clock)


def touch(project, when):
    project.info.save(project.folder, touched=when.isoformat())


def test_idle_projects_are_removed_and_busy_ones_kept(store):
    old, busy, used = store.create(), store.create(), store.create()
    busy.save_job_state({"state": "running"})
    later = datetime.now(UTC) + timedelta(days=7.5)
    assert clean(store, datetime.now(UTC) + timedelta(days=6.9)) == 0
    touch(used, later - timedelta(days=6))
    assert clean(store, later) == 1
    assert busy.name == used.name == "My relations"
    refusal(store.open, old.id)
    busy.save_job_state({"state": "done"})
    assert clean(store, later + timedelta(hours=6)) == 1
    assert clean(store, later + timedelta(days=7)) == 1
    assert list(store.root.iterdir()) == []


def test_one_wrong_clock_removes_nothing(store):
    store.create()
    later = datetime.now(UTC) + timedelta(days=30)
    clocks = (0, CONFIRM_SECONDS - 1, CONFIRM_SECONDS)
    assert [store.clean_idle(later, clock) for clock in clocks] == [0, 0, 1]


def test_opening_an_old_project_keeps_it(store, project):
    touch(project, datetime.now(UTC) - timedelta(days=6.99))
    store.open(project.id)
    assert clean(store, datetime.now(UTC) + timedelta(days=1)) == 0


def test_a_full_store_removes_what_was_not_taught_longest_unused_first(tmp_path, fitted):
    store = make_store(tmp_path, fitted["knn"], projects=4)
    taught, busy, old, new = (store.create() for _ in range(4))
    add(taught, fitted["knn"])
    busy.save_job_state({"state": "waiting"})
    for day, project in enumerate((taught, busy, old, new), start=1):
        touch(project, datetime(2026, 1, day, tzinfo=UTC))
    with store.locked(old.id), ThreadPoolExecutor(1) as pool:  # it is in use
        first = pool.submit(store.create).result(20)
    touch(first, datetime(2026, 1, 5, tzinfo=UTC))
    second = store.create()
    ids = {path.name for path in tmp_path.glob("*-*")}
    assert ids == {taught.id, busy.id, first.id, second.id}
    for project in (first, second):
        add(project, fitted["knn"])
    assert "There would be 5 projects here; at most 4 are kept" in refusal(store.create)


def test_all_projects_together_have_a_limit_and_the_disk_a_reserve(tmp_path, fitted):
    store = make_store(tmp_path / "small", fitted["knn"], all_bytes=60_000)
    project = store.create()
    for _ in range(3):
        add(project, fitted["knn"])
    again = make_store(tmp_path / "small", fitted["knn"], all_bytes=60_000)
    assert "All projects on this server take" in refusal(again.create)
    assert "All projects on this server" in refusal(add, again.open(project.id), fitted["knn"])
    full = make_store(tmp_path / "full", fitted["knn"], free_bytes=2**60)
    with pytest.raises(DiskError, match=r"nearly full: .* MiB are free"):
        full.create()


def test_equal_weights_are_kept_once_and_go_with_the_last_version(tmp_path, fitted):
    store = make_store(tmp_path, fitted["knn"])
    one, other = store.create(), store.create()
    versions = [add(project, fitted["knn"]) for project in (one, one, other)]
    kept = list((tmp_path / ".weights").iterdir())
    assert [path.stat().st_nlink for path in kept] == [4]
    assert one.model(versions[0].id).labels == fitted["knn"].labels
    changed = add(other, fitted["fine-tuning"])
    assert len(list((tmp_path / ".weights").iterdir())) == 2
    other.delete_version(changed.id)
    for version in versions[:2]:
        one.delete_version(version.id)
    assert [path.stat().st_nlink for path in (tmp_path / ".weights").iterdir()] == [2]
    store.delete(other.id)
    assert [path.name for path in tmp_path.iterdir()] == [one.id]


@pytest.mark.parametrize(
    ("limits", "rows", "says"),
    [
        ({"rows": 2}, ROWS, "There are 3 rows; at most 2 are allowed."),
        ({"labels": 1}, ROWS, "There are 2 different labels; at most 1 can be taught."),
        ({"relations": 2}, ROWS, "There are 3 different relations; at most 2 can be taught."),
        ({"characters": 15}, ROWS, "Row 2: The relation “is the mother of” has 16 characters; at"),
        ({"label_characters": 12}, ROWS, "Row 2: The label “contradiction” has 13 characters; at"),
        ({}, [TeachRow("a\0b")], "Row 1: The subject contains the control character U+0000"),
        ({}, [TeachRow("a\ud800b")], "Row 1: The subject contains the control character U+D800"),
        ({}, [TeachRow(3)], "Row 1: The subject is int; text is expected."),
    ],
)
def test_a_table_beyond_the_limits_leaves_the_old_one(tmp_path, fitted, limits, rows, says):
    project = make_store(tmp_path, fitted["knn"], **limits).create()
    project.save_rows([TeachRow("Ann", "is", "Ben")])
    assert refusal(project.save_rows, rows).startswith(says)
    assert project.rows == [TeachRow("Ann", "is", "Ben")]


def test_a_full_project_takes_no_more_versions(tmp_path, fitted):
    project = make_store(tmp_path, fitted["knn"], versions=1).create()
    version = add(project, fitted["knn"])
    assert "would have 2 versions; at most 1 are kept" in refusal(add, project, fitted["knn"])
    small = make_store(tmp_path, fitted["knn"], project_bytes=20_000).open(project.id)
    small.delete_version(version.id)
    assert "The project would take" in refusal(add, small, fitted["knn"])
    assert project.versions() == list((project.folder / "versions").iterdir()) == []
    assert folder_bytes(project.folder) < 1000


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"[" * MAX_DEPTH + b"1" + b"]" * MAX_DEPTH, "nested deeper than"),
        (b'{"a":' * 900 + b"1" + b"}" * 900, "nested deeper than"),
        (b"[" + b"1," * 600_000 + b"1]", "is larger than 1.0 MiB"),
        (b"\x80\x04K\x01.", "is not JSON in UTF-8"),
        (b"9" * 5000, "has the number 999"),
        *((number, "has the number") for number in (b"1e400", b"-1e400", b"NaN", b"Infinity")),
    ],
)
def test_json_of_a_stranger_is_bounded(data, says):
    assert says in refusal(parse_json, data, 1024**2, "rows.json")


def test_json_is_read_up_to_its_bounds(tmp_path):
    deep = b"[" * (MAX_DEPTH - 1) + b'"[[\\"["' + b"]" * (MAX_DEPTH - 1)
    assert json.dumps(parse_json(deep, len(deep), "a")) == deep.decode()
    write_json(tmp_path / "a.json", {"x": (1, None, True, "é")})
    assert read_json(tmp_path / "a.json", 100) == {"x": [1, None, True, "é"]}
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]
    assert "a.json cannot be read" in refusal(read_json, tmp_path / "b" / "a.json", 100)
    with pytest.raises(TypeError):
        plain({1, 2})


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    write_json(tmp_path / "a.json", 1)
    monkeypatch.setattr(os, "fsync", fail_with(5))
    with pytest.raises(OSError, match="no"):
        write_json(tmp_path / "a.json", 2)
    assert files_of(tmp_path) == {"a.json": b"1\n"}
