"""A disk that is full or can only be read: one can look, and delete, and is told which it is."""

import json
import tempfile

import pytest
from project_stores import make_store
from project_tools import ROWS, add

from symdemo.errors import DiskError
from symdemo.files.storage import write_json

WHY = {28: "disk of this server is full", 30: "can only be read"}


@pytest.fixture(params=WHY)
def full(request, monkeypatch):
    """Call it, and no file can be begun any more; it gives what is then said."""

    def fill():
        def fail(*_, **__):
            raise OSError(request.param, "no")

        monkeypatch.setattr(tempfile, "mkstemp", fail)
        monkeypatch.setattr(tempfile, "mkdtemp", fail)
        return WHY[request.param]

    return fill


def test_on_a_full_disk_a_project_is_looked_at_and_its_versions_deleted(store, fitted, full):
    project = store.create()
    project.save_rows(ROWS)
    first = add(project, fitted["knn"])
    second = add(project, fitted["knn"], parent=first.id)
    info = json.loads((project.folder / "project.json").read_text())
    write_json(project.folder / "project.json", info | {"touched": "2026-01-01T00:00:00+00:00"})
    why = full()
    again = make_store(store.root, fitted["knn"]).open(project.id)
    assert again.rows == ROWS
    assert [version.id for version in again.versions()] == [first.id, second.id]
    assert again.selected == second.id
    assert again.model(second.id).labels == fitted["knn"].labels
    for change in (
        lambda: again.save_rows(ROWS[:1]),
        lambda: again.select(None),
        lambda: add(again, fitted["knn"]),
        store.create,
    ):
        with pytest.raises(DiskError, match=why):
            change()
    assert again.rows == ROWS
    again.delete_version(second.id)
    assert [version.id for version in again.versions()] == [first.id]
    store.delete(project.id)
    assert not project.folder.exists()


def test_a_damaged_job_counts_as_none(store, project, fitted):
    for text in ("{", "[]", "[" * 99, ""):
        (project.folder / "job.json").write_text(text)
        assert project.job_state is None
        assert make_store(store.root, fitted["knn"]).open(project.id).rows == []
    project.save_job_state({"state": "done"})
    assert project.job_state == {"state": "done"}
