"""Projects: what is saved can be opened again, by its key alone."""

import json
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_folders import files_of
from refusals import refusal
from retrain_tools import QUICK
from teaching_tools import BASE, ROWS, add, make_store

from symdemo.errors import DiskError, ModelError
from symdemo.teaching.archive import export_project
from symdemo.teaching.plan import make_plan
from symdemo.teaching.project_files import new_key, read_key
from symdemo.teaching.retraining import retrain_planned

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
