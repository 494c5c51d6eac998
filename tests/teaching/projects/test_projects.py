"""Projects: what is saved is there again, and apart from what is another's."""

import json
import zipfile
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from project_stores import BASE, make_store
from project_tools import ROWS, add, files_of, said

from symdemo.errors import ModelError
from symdemo.teaching.archive import export_project


def test_a_project_is_there_again(store, project, fitted):
    project.save_rows(ROWS)
    again = make_store(store.root, fitted["knn"]).open(project.id)
    assert (again.name, again.base, again.selected) == ("Family", BASE, None)
    assert again.rows == ROWS
    assert again.versions() == []
    assert datetime.now(UTC) - datetime.fromisoformat(again.info.created) < timedelta(seconds=60)
    project.save_rows([])
    assert again.rows == []


@pytest.mark.parametrize(
    "id",
    [
        "", ".", "..", "/", "../other", "a/b", "x" * 24, "x" * 5000, "\0", "é" * 24, None, 3,
        "/etc/passwd", ".draft-xxxxxxxxxxxxxxxxxx", "A" * 23 + "\n", "%2e%2e%2f" * 3, ["a"],
    ],
)  # fmt: skip
def test_a_wrong_id_is_refused_with_the_same_words_as_an_unknown_one(store, project, id):
    before = files_of(store.root)
    unknown = said(store.open, "A" * 24)
    assert said(store.open, id) == unknown
    assert said(store.delete, id) == unknown
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


def test_a_version_is_there_again_and_answers_the_same(store, project, fitted, pairs):
    project.save_rows(ROWS)
    version = add(
        project,
        fitted["fine-tuning"],
        scores={"own": np.float32(0.5), "text": "a\ud800b"},
        training={"epochs": 4},
        curve=[{"step": 1, "loss": float("nan")}, (1, 2)],
    )
    again = make_store(store.root, fitted["knn"]).open(project.id)
    assert again.versions() == [version]
    assert again.version(version.id) == version
    assert version.name == "Version 1"
    assert version.scores == {"own": 0.5, "text": "a?b"}
    assert version.curve == [{"step": 1, "loss": None}, [1, 2]]
    assert (version.rows, version.method, version.base) == (3, "fine-tuning", BASE)
    assert set(version.labels) == {"entailment", "contradiction"}
    assert again.selected == version.id
    expected = fitted["fine-tuning"].predict(pairs)
    found = again.model(version.id).predict(pairs)
    assert [p.label for p in found] == [p.label for p in expected]
    assert again.model() is fitted["knn"]


def test_versions_are_numbered_in_order_and_numbers_are_not_used_twice(project, fitted):
    first, second = add(project, fitted["knn"]), add(project, fitted["knn"], name="  best ")
    assert [v.name for v in project.versions()] == ["Version 1", "best"]
    project.delete_version(second.id)
    third = add(project, fitted["knn"], how="instant", parent=first.id)
    assert (third.name, third.how, third.parent) == ("Version 3", "instant", first.id)
    assert [v.id for v in project.versions()] == sorted([first.id, third.id])
    project.rename_version(first.id, "Ältere “Fassung”")
    assert [v.name for v in project.versions()] == ["Ältere “Fassung”", "Version 3"]


def test_selecting_and_going_back(project, fitted):
    first = add(project, fitted["knn"])
    second = add(project, fitted["knn"], parent=first.id)
    third = add(project, fitted["knn"], parent=second.id)
    assert project.selected == third.id
    assert project.undo() == project.selected == second.id
    project.delete_version(second.id)
    assert project.selected == first.id
    project.select(third.id)
    assert project.version(third.id).parent == second.id
    assert project.undo() is None
    assert project.selected is None
    assert "nothing to undo" in said(project.undo)
    project.select(first.id)
    project.delete_version(first.id)
    assert project.selected is None
    assert "no such version" in said(project.select, first.id)


def test_a_version_of_one_project_is_none_of_another(store, fitted):
    mine, theirs = store.create(), store.create()
    version = add(mine, fitted["knn"])
    add(theirs, fitted["knn"])
    unknown = said(theirs.version, "v000001-00000000")
    paths = ["..", "", f"../../{mine.id}/versions/{version.id}", f"{version.id}/../{version.id}"]
    for id in [version.id, *paths, "v000001-0000000g", version.id + "\n", ".draft-1", 1]:
        for call in (theirs.version, theirs.model, theirs.select, theirs.delete_version):
            assert said(call, id) == unknown
        assert said(theirs.rename_version, id, "new") == unknown
    assert mine.model(version.id).labels == fitted["knn"].labels
    assert [v.id for v in mine.versions()] == [version.id]


def test_a_removed_project_is_gone_for_all(store, project, fitted):
    other = make_store(store.root, fitted["knn"]).open(project.id)
    version = add(project, fitted["knn"])
    other.model(version.id)
    store.delete(project.id)
    unknown = said(store.open, project.id)
    for call in (other.versions, other.touch, lambda: other.rows, lambda: other.name):
        assert call == other.versions or said(call) == unknown
    assert other.versions() == []
    assert said(other.save_rows, ROWS) == unknown
    assert said(add, other, fitted["knn"]) == unknown
    assert "no such version" in said(other.model, version.id)
    assert list(store.root.iterdir()) == []


def test_a_damaged_version_does_not_hide_the_others(project, fitted):
    first, second, third = (add(project, fitted["knn"]) for _ in range(3))
    (project.folder / "versions" / first.id / "version.json").write_text("{")
    other = project.folder / "versions" / second.id / "version.json"
    other.write_text(json.dumps(third.model_dump()))
    assert [v.id for v in project.versions()] == [third.id]
    (project.folder / "versions" / third.id / "model" / "taught.jsonl").write_text("")
    with pytest.raises(ModelError, match=r"taught.jsonl in model has 0 bytes"):
        project.model(third.id)


@pytest.mark.parametrize(
    "base", ["../../etc", "someone/model", "/tmp", "wikidata14", "x" * 90, "a\0"]
)
def test_a_base_model_is_one_of_the_known_names(store, base):
    said(store.create, "mine", base)
    assert list(store.root.iterdir()) == []
