"""Projects stay whole when writers compete, fail or are killed, and when the disk is full."""

import os
import random
import signal
import tempfile
import threading
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
import torch
from killing import LINUX, beside, kill_at_work
from model_folders import files_of
from refusals import refusal
from teaching_tools import ROWS, add, fail_with, make_store

from symdemo import Pair
from symdemo.classifier import SymmetryClassifier, checkpoints
from symdemo.errors import DiskError
from symdemo.teaching.archive import export_project, import_project
from symdemo.teaching.project_files import Version
from symdemo.teaching.rows import TeachRow

KILLS = int(os.environ.get("SYMDEMO_KILLS", "8"))


def test_a_failed_save_leaves_the_versions_as_they_were(project, fitted, monkeypatch):
    version = add(project, fitted["knn"])
    before = files_of(project.folder / "versions")
    for place, name in ((checkpoints, "save_pairs"), (checkpoints, "readme"), (Version, "write")):
        with monkeypatch.context() as patch:
            patch.setattr(place, name, fail_with(28))
            with pytest.raises(DiskError, match="disk of this server is full"):
                add(project, fitted["knn"])
    assert files_of(project.folder / "versions") == before
    assert project.selected == version.id


def test_the_drafts_of_a_killed_process_are_swept(store, project, fitted):
    version = add(project, fitted["knn"])
    before = files_of(store.root)
    for name in (
        f"{project.id}/versions/.draft-a/model/config.json",
        f"{project.id}/versions/.deleted-{version.id}/version.json",
        f"{project.id}/.rows.json.draft-b",
        ".draft-c/project.json",
        f".deleted-{'A' * 24}/project.json",
    ):
        (store.root / name).parent.mkdir(parents=True, exist_ok=True)
        (store.root / name).write_text("half")
    make_store(store.root, fitted["knn"])
    assert files_of(store.root) == before


def test_a_draft_in_the_making_is_not_swept(store, fitted):
    with store.draft() as draft:
        make_store(store.root, fitted["knn"])
        assert draft.is_dir()
    with store.locked(store.create().id):
        kept = next(store.root.iterdir()) / ".rows.json.draft-x"
        kept.write_text("half")
        make_store(store.root, fitted["knn"])
        assert kept.exists()
    make_store(store.root, fitted["knn"])
    assert not kept.exists()


@pytest.mark.parametrize("state", ["waiting", "running", "stopping"])
def test_a_job_that_died_reads_broken_off(store, project, fitted, state):
    project.save_job_state({"state": state, "title": "Teaching", "progress": (1, 2)})
    assert project.job_state["state"] == state
    again = make_store(store.root, fitted["knn"]).open(project.id)
    assert again.job_state == {"state": "broken off", "title": "Teaching", "progress": [1, 2]}


@pytest.mark.parametrize(("number", "why"), [(28, "server is full"), (30, "can only be read")])
def test_on_a_full_disk_a_project_can_be_read_and_its_versions_deleted(
    store, fitted, monkeypatch, number, why
):
    project = store.create()
    project.save_rows(ROWS)
    first = add(project, fitted["knn"])
    second = add(project, fitted["knn"], parent=first.id)
    project.info.save(project.folder, touched="2026-01-01T00:00:00+00:00")
    monkeypatch.setattr(tempfile, "mkstemp", fail_with(number))
    monkeypatch.setattr(tempfile, "mkdtemp", fail_with(number))
    again = make_store(store.root, fitted["knn"]).open(project.id)
    assert [version.id for version in again.versions()] == [first.id, second.id]
    assert again.selected == second.id
    assert again.model(second.id).labels == fitted["knn"].labels
    for change in (
        lambda: again.save_rows(ROWS[:1]),
        lambda: again.select(None),
        lambda: add(again, fitted["knn"]),
        store.create,
    ):
        assert why in refusal(change, raising=DiskError)
    assert again.rows == ROWS
    again.delete_version(second.id)
    assert [version.id for version in again.versions()] == [first.id]
    store.delete(project.id)
    assert not project.folder.exists()


def test_a_damaged_job_state_is_ignored(store, project, fitted):
    for text in ("{", "[]", "[" * 99, ""):
        (project.folder / "job.json").write_text(text)
        assert project.job_state is None
        assert make_store(store.root, fitted["knn"]).open(project.id).rows == []
    project.save_job_state({"state": "done"})
    assert project.job_state == {"state": "done"}


def test_two_threads_and_two_stores_lose_nothing(store, project, fitted):
    other = make_store(store.root, fitted["knn"]).open(project.id)
    start = threading.Barrier(4)

    def work(number):
        mine, kept = (project, other)[number % 2], []
        start.wait()
        for turn in range(4):
            kept.append(add(mine, fitted["knn"], name=f"{number} {turn}").id)
            mine.save_rows(ROWS[: 1 + turn % 3])
            assert len(mine.rows) in (1, 2, 3)
            if turn == 2:
                mine.delete_version(kept.pop())
            assert {v.id for v in mine.versions()} >= set(kept)
        return kept

    with ThreadPoolExecutor(4) as pool:
        made = sorted(id for kept in pool.map(work, range(4), timeout=60) for id in kept)
    assert made == [v.id for v in project.versions()]
    assert len({id[:7] for id in made}) == 12  # no number was given twice
    assert project.selected in made or project.selected is None
    assert not list(project.folder.glob("**/.draft*"))


def test_one_model_is_loaded_once_for_all_threads(project, fitted, monkeypatch):
    version, calls = add(project, fitted["knn"]), []
    load = SymmetryClassifier.from_pretrained

    def slow(folder):
        calls.append(folder)
        time.sleep(0.05)
        return load(folder)

    monkeypatch.setattr(SymmetryClassifier, "from_pretrained", slow)
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda _: project.model(version.id), range(6)))
    assert len(calls) == 1
    assert len({id(model) for model in found}) == 1


def work_for_ever(root, model, encoder, id, log):
    """In a child process: save rows and versions, export, import; write down what is finished."""
    torch.set_num_threads(1)
    checkpoints.load_encoder = lambda *_, **__: encoder
    store = make_store(root, model)
    project, archive = store.open(id), root.parent / "export.zip"
    with open(log, "a", buffering=1) as done:  # noqa: PTH123
        for turn in range(10_000):
            project.save_job_state({"state": "running", "turn": turn})
            project.save_rows([TeachRow("Ann", "is next to", "Ben", label=str(turn))] * 200)
            done.write(f"rows {turn}\n")
            version = project.add_version(model, how="retrained", name=str(turn))
            done.write(f"version {version.id}\n")
            export_project(project, archive)
            done.write("export\n")
            done.write(f"imported {import_project(store, archive).id}\n")
            if len(project.versions()) > 4:
                oldest = project.versions()[0].id
                done.write(f"deleting {oldest}\n")
                project.delete_version(oldest)
                done.write(f"deleted {oldest}\n")


def stop_within_a_save(root, pid):
    """Halt a process where a draft of its own lies on disk."""
    limit = time.monotonic() + 20
    while time.monotonic() < limit:
        os.kill(pid, signal.SIGSTOP)
        if list(root.glob("**/.*draft*")):
            return
        os.kill(pid, signal.SIGCONT)
        time.sleep(random.uniform(0, 0.02))


def check_and_delete_imports(store, told, kept):
    imported = {path.name for path in store.root.iterdir() if path.is_dir()} - kept
    assert imported >= told
    for copy in map(store.open, imported):
        versions = {version.id for version in copy.versions()}
        assert versions == {path.name for path in (copy.folder / "versions").iterdir()}
        assert copy.model(max(versions)).labels
        assert len(copy.rows) == 200
        store.delete(copy.id)


@pytest.mark.slow
@LINUX
def test_a_kill_loses_nothing_that_was_finished(tmp_path, fitted, tiny_encoder):
    root, log, model = tmp_path / "projects", tmp_path / "log", fitted["knn"]
    id = make_store(root, model).create().id
    given, drafts = (root, model, tiny_encoder, id), 0
    for turn in range(KILLS):
        halt = partial(stop_within_a_save, root) if turn % 2 else None
        own = kill_at_work(work_for_ever, *given, log=log, begun="version", within=0.25, halt=halt)
        drafts += len(list(root.glob("**/.*draft*")))
        store = make_store(root, model)
        project = store.open(id)
        assert {path.name for path in root.glob("**/.*")} <= {".job.lock", ".weights"}
        lines = [line.split() for line in log.read_text().splitlines()]
        finished = {line[1] for line in lines if line[0] == "version"}
        leaving = {line[1] for line in lines if line[0] == "deleting"}
        left = {line[1] for line in lines if line[0] == "deleted"}
        found = {version.id for version in project.versions()}
        assert found >= finished - leaving - left
        assert not found & left
        assert found == {path.name for path in (project.folder / "versions").iterdir()}
        for version in found:
            asked = [Pair("Ann is next.", "Next is Ann.")]
            assert project.model(version).predict(asked)[0].label in model.labels
        for version in sorted(found)[:-6]:  # there is room for 12
            project.delete_version(version)
            with log.open("a") as file:
                file.write(f"deleted {version}\n")
        told = {line[1] for line in own if line[0] == "imported"}
        check_and_delete_imports(store, told, kept={id, ".weights"})
        last = [int(line[1]) for line in lines if line[0] == "rows"][-1]
        labels = {row.label for row in project.rows}
        assert len(project.rows) == 200
        assert labels in ({str(last)}, {str(last + 1)})
        assert project.job_state["state"] == "broken off"
        assert project.selected is None or project.selected in found
        if (tmp_path / "export.zip").exists():
            with zipfile.ZipFile(tmp_path / "export.zip") as archive:
                assert archive.testzip() is None
    assert drafts >= KILLS // 2  # every other kill came in the middle of a save


@LINUX
def test_a_job_that_lives_in_another_process_is_not_marked(store, project, fitted):
    def begin():
        make_store(store.root, fitted["knn"]).open(project.id).save_job_state({"state": "running"})

    with beside(begin):
        make_store(store.root, fitted["knn"])
        assert project.job_state == {"state": "running"}
    make_store(store.root, fitted["knn"])
    assert project.job_state == {"state": "broken off"}
