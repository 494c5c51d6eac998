"""Projects: what is saved can be opened again, by its key alone; how much they may hold."""

import json
import os
import zipfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_folders import files_of
from refusals import refusal
from retrain_tools import QUICK
from teaching_tools import BASE, ROWS, add, fail_with, make_store

from symdemo.errors import DiskError, ModelError
from symdemo.files.storage import MAX_DEPTH, folder_bytes, parse_json, plain, read_json, write_json
from symdemo.teaching.archive import export_project
from symdemo.teaching.plan import make_plan
from symdemo.teaching.project_files import new_key, read_key
from symdemo.teaching.retraining import retrain_planned
from symdemo.teaching.rows import TeachRow
from symdemo.teaching.store import CONFIRM_SECONDS

DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"


@pytest.mark.parametrize(
    "id",
    [
        "", ".", "..", "/", "../other", "a/b", "x" * 24, "x" * 5000, "\0", "é" * 24, None, 3,
        "/etc/passwd", ".draft-xxxxxxxxxxxxxxxxxx", "A" * 23 + "\n", "%2e%2e%2f" * 3, ["a"],
    ],
)  # fmt: skip
def test_a_malformed_id_is_refused_like_an_unknown_one(store, project, id):
    before = files_of(store.root)
    unknown = refusal(store.open, "A" * 24)
    assert refusal(store.open, id) == refusal(store.delete, id) == unknown
    assert files_of(store.root) == before


def test_the_id_is_not_in_any_file(store, project, fitted, tmp_path):
    project.save_rows(ROWS)
    add(project, fitted["knn"])
    export_project(project, tmp_path / "mine.zip")
    contents = files_of(store.root)
    with zipfile.ZipFile(tmp_path / "mine.zip") as archive:
        contents |= {name: archive.read(name) for name in archive.namelist()}
    assert len(contents) > 12
    assert not [name for name, data in contents.items() if project.id.encode() in data]


def test_a_version_is_opened_again_and_answers_the_same(store, project, fitted, pairs):
    project.save_rows(ROWS)
    version = add(
        project,
        fitted["fine-tuning"],
        scores={"own": np.float32(0.5), "text": "a\ud800b"},
        curve=[{"step": 1, "loss": float("nan")}, (1, 2)],
    )
    again = make_store(store.root, fitted["knn"]).open(project.id)
    assert again.versions() == [version] == [again.version(version.id)]
    assert version.scores == {"own": 0.5, "text": "a?b"}
    assert version.curve == [{"step": 1, "loss": None}, [1, 2]]
    assert (version.name, version.rows, version.method) == ("Version 1", 3, "fine-tuning")
    assert (version.base, again.selected) == (BASE, version.id)
    assert set(version.labels) == {"entailment", "contradiction"}
    expected = fitted["fine-tuning"].predict(pairs)
    found = again.model(version.id).predict(pairs)
    assert [p.label for p in found] == [p.label for p in expected]
    assert again.model() is fitted["knn"]


def test_version_numbers_are_not_used_twice(project, fitted):
    first, second = add(project, fitted["knn"]), add(project, fitted["knn"], name="  best ")
    assert [v.name for v in project.versions()] == ["Version 1", "best"]
    project.delete_version(second.id)
    third = add(project, fitted["knn"], how="instant", parent=first.id)
    assert (third.name, third.how, third.parent) == ("Version 3", "instant", first.id)
    assert [v.id for v in project.versions()] == sorted([first.id, third.id])
    project.rename_version(first.id, "Ältere “Fassung”")
    assert [v.name for v in project.versions()] == ["Ältere “Fassung”", "Version 3"]


def test_versions_are_selected_and_undone(project, fitted):
    first = add(project, fitted["knn"])
    second = add(project, fitted["knn"], parent=first.id)
    third = add(project, fitted["knn"], parent=second.id)
    assert project.selected == third.id
    assert project.undo() == project.selected == second.id
    project.delete_version(second.id)
    assert project.selected == first.id
    project.select(third.id)
    assert project.version(third.id).parent == second.id
    assert project.undo() == project.selected == first.id
    assert project.undo() is project.selected is None
    assert "nothing to undo" in refusal(project.undo)
    project.select(first.id)
    project.delete_version(first.id)
    assert project.selected is None
    assert "no such version" in refusal(project.select, first.id)


def test_undo_goes_to_what_was_in_use_before(project, fitted):
    first, second, third = (add(project, fitted["knn"], how="instant").id for _ in range(3))
    for chosen in (first, None):
        project.select(chosen)
    assert [project.undo() for _ in range(5)] == [first, third, second, first, None]
    assert not project.used
    project.select(second)
    path = project.folder / "project.json"
    kept = json.loads(path.read_text())
    kept.pop("used")  # as projects were before
    path.write_text(json.dumps(kept))
    assert [project.undo() for _ in range(2)] == [first, None]


def test_no_version_of_another_project_is_reached(store, fitted):
    mine, theirs = store.create(), store.create()
    version = add(mine, fitted["knn"])
    add(theirs, fitted["knn"])
    unknown = refusal(theirs.version, "v000001-00000000")
    paths = ["..", "", f"../../{mine.id}/versions/{version.id}", f"{version.id}/../{version.id}"]
    for id in [version.id, *paths, "v000001-0000000g", version.id + "\n", ".draft-1", 1]:
        for call in (theirs.version, theirs.model, theirs.select, theirs.delete_version):
            assert refusal(call, id) == unknown
        assert refusal(theirs.rename_version, id, "new") == unknown
    assert [v.id for v in mine.versions()] == [version.id]


def test_a_removed_project_is_gone_for_all(store, project, fitted):
    other = make_store(store.root, fitted["knn"]).open(project.id)
    version = add(project, fitted["knn"])
    other.model(version.id)
    store.delete(project.id)
    unknown = refusal(store.open, project.id)
    for call in (other.touch, lambda: other.rows, lambda: other.name):
        assert refusal(call) == unknown
    assert other.versions() == []
    assert refusal(other.save_rows, ROWS) == unknown
    assert refusal(add, other, fitted["knn"]) == unknown
    assert "no such version" in refusal(other.model, version.id)
    assert list(store.root.iterdir()) == []


def test_a_damaged_version_does_not_hide_the_others(project, fitted):
    first, second, third = (add(project, fitted["knn"]) for _ in range(3))
    (project.folder / "versions" / first.id / "version.json").write_text("{")
    other = project.folder / "versions" / second.id / "version.json"
    other.write_text(json.dumps(third.model_dump()))
    for version in (first, second):
        (project.folder / "versions" / version.id / "version.json.copy").unlink()
    assert [v.id for v in project.versions()] == [third.id]
    (project.folder / "versions" / third.id / "model" / "taught.jsonl").write_text("")
    named = [f"Version {version.id}" for version in (first, second)]
    assert [note.split(":")[0] for note in project.repair()] == named
    with pytest.raises(ModelError, match=r"taught.jsonl in model has 0 bytes"):
        project.model(third.id)


@pytest.mark.parametrize("name", ["project.json", "rows.json", "version.json"])
@pytest.mark.parametrize("damage", ["cut", "empty", "another form"])
def test_a_damaged_file_is_repaired_from_its_copy(store, project, fitted, name, damage):
    project.save_rows(ROWS)
    version = add(project, fitted["knn"])
    path = (project.version_folder(version.id) if name == "version.json" else project.folder) / name
    whole = path.read_bytes()
    damaged = {"cut": whole[: len(whole) // 2], "empty": b"", "another form": b"[1]"}[damage]
    path.write_bytes(damaged)
    again = make_store(store.root, fitted["knn"]).open(project.id)  # after another start
    assert (again.rows, again.versions(), again.name) == (ROWS, [version], "Family")
    (note,) = again.repair()
    assert f"The file {name} is not" in note
    assert "Its copy was used instead" in note
    assert again.repair() == []
    assert set(json.loads(path.read_bytes())) == set(json.loads(whole))


def test_retraining_on_a_full_disk_is_refused_before_it_begins(tmp_path, fitted):
    project = make_store(tmp_path / "full", fitted["knn"], free_bytes=1).create()
    project.save_rows(ROWS[:2])
    plan = make_plan(project, QUICK, timed=False)
    full = make_store(tmp_path / "full", fitted["knn"], free_bytes=2**60).open(project.id)
    for start in (lambda: make_plan(full, QUICK), lambda: retrain_planned(full, plan)):
        assert "The disk of this server is nearly full" in refusal(start, raising=DiskError)


@pytest.mark.parametrize(
    "base", ["../../etc", "someone/model", "/tmp", "wikidata14", "x" * 90, "a\0"]
)
def test_a_base_model_is_one_of_the_known_names(store, base):
    refusal(store.create, "mine", base)
    assert list(store.root.iterdir()) == []


@given(st.data())
def test_a_key_is_read_however_it_is_typed(data):
    key = new_key()
    typed = "".join(data.draw(st.sampled_from([sign, sign.upper()])) for sign in key)
    typed = typed.replace("-", data.draw(st.sampled_from(["", " ", "-", " - ", "–"])))
    typed = typed.replace("0", data.draw(st.sampled_from("0oO")))
    typed = typed.replace("1", data.draw(st.sampled_from("1iIlL")))
    assert read_key(f" {typed}\n") == key


@given(st.integers(0, 19), st.integers(1, 30))
def test_one_wrong_digit_is_detected(place, step):
    digits = list(new_key().replace("-", ""))
    value = DIGITS.index(digits[place])
    wrong = step if value == 31 else (value + step) % 31
    if {value, wrong} != {0, 31}:  # the one pair that a prime of 31 cannot tell apart is 0 and z
        digits[place] = DIGITS[wrong]
        assert "typing error" in refusal(read_key, "".join(digits))


def test_other_texts_are_no_keys_but_early_ids_are():
    for text in ("", "  ", None, 3, "7k2m-q9xd", "x" * 5000, "../../etc/passwd"):
        assert "That isn’t a valid key" in refusal(read_key, text)
    assert read_key(" AbCdEfGh_jKlMnOp-rStUvWx ") == "AbCdEfGh_jKlMnOp-rStUvWx"


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
