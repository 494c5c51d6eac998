"""The service: start, stop, restart, removed versions, and what visitors share."""

import gc
import json
from dataclasses import replace
from pathlib import Path

import pytest
from analyse_tools import Page, finish, start, text_of
from job_fakes import Gate
from refusals import refusal
from teaching_tools import fail_with

from symdemo import SymmetryClassifier
from symdemo.analysis import running, workspace
from symdemo.analysis.loaded import LoadedPairs
from symdemo.analysis.workspace import AskedModel
from symdemo.errors import InputError, ModelError
from symdemo.pairs import Pair
from symdemo.teaching.rows import TeachRow
from symdemo.ui.analyse.explorer import Explorer
from symdemo.ui.shared import sessions
from symdemo.ui.shared.gradio_hooks import Origin
from symdemo.ui.shared.store import VERSION_PREFIX, VisitorModels
from symdemo.ui.shared.temporary import temporary_files
from symdemo.ui.teach.transfer import delete_project, pack_project


@pytest.fixture
def held(monkeypatch):
    """A gate before every batch, and small batches."""
    gate, embed = Gate(), SymmetryClassifier.embed
    monkeypatch.setattr(running, "PART", 6)

    def wait(self, pairs):
        gate.begun.set()
        assert gate.let_go.wait(10)
        return embed(self, pairs)

    monkeypatch.setattr(SymmetryClassifier, "embed", wait)
    return gate


class OneVersion:
    """A project with one version, which may be removed."""

    id, name, gone = "p", "My version", False

    def __init__(self, model):
        self.taught = model

    def version(self, id):
        if self.gone:
            raise InputError("It was removed.")
        return self

    def model(self, id):
        return self.version(id).taught

    def put_into(self, sessions, patch):
        own = VisitorModels(sessions.store, self)
        patch.setattr(sessions, "models", lambda id: own if id and not self.gone else own.shared)


def test_a_run_that_was_stopped_resumes(service, data, held, counted):
    workspace = service.start(lambda reports: data, ["tiny"])
    assert held.begun.wait(10)
    assert "1 is allowed" in refusal(service.run, workspace)
    service.sessions.stop_current(workspace.id, "analysis")
    held.let_go.set()
    assert finish(service, workspace).state == "stopped"
    page = Page(Explorer(service), workspace)
    done = sum(counted)
    assert "Stopped." in text_of(page.look()["parts"]["job"])
    page.act("resume")
    assert finish(service, workspace).state == "done"
    assert sum(counted) == 48
    assert 0 < done < 48
    assert not page.look()["parts"]["job"].strip()


def test_a_run_that_a_restart_interrupted_resumes(make_service, data, held, counted):
    first = make_service()
    workspace = first.start(lambda reports: data, ["tiny"])
    assert held.begun.wait(10)
    first.sessions.queue.close(0.01)
    held.let_go.set()
    second = make_service()
    found = second.store.open(workspace.id)
    page = Page(Explorer(second), found)
    assert "Interrupted." in text_of(page.look()["parts"]["job"])
    page.act("resume")
    finish(second, found)
    assert second.opened(found).analysis.models == ("tiny", "system")
    asked = len(counted)
    third = Page(Explorer(make_service()), workspace)
    assert "Accuracy" in text_of(third.look()["parts"]["main"])
    assert len(counted) == asked  # a finished run is only read


def test_visitors_share_only_runs_of_shipped_models_on_built_in_sets(
    service, data, counted, fitted, monkeypatch
):
    other = start(service, data, ["tiny"])
    assert list((other.folder / "runs").iterdir())
    assert not service.shared.root.exists()
    data = replace(data, built_in="free-sentences")
    monkeypatch.setattr(workspace, "load_built_in", lambda name: data)
    spoilt = replace(fitted["knn"], encoder=fitted["fine-tuning"].encoder)  # its card and index
    OneVersion(spoilt).put_into(service.sessions, monkeypatch)
    eve = start(service, data, [VERSION_PREFIX + "p"], project="Eve’s")
    assert not service.shared.root.exists()
    ann = start(service, data, ["tiny"])
    assert len(list(service.shared.root.iterdir())) == 1
    assert ann.models[0].key != eve.models[0].key
    asked = len(counted)
    bob = service.start(lambda reports: replace(data, name="Bob’s"), ["tiny"])
    assert len(counted) == asked
    assert service.job(bob) is None
    ann.mark([1], True)
    ann.note([2], "Ann’s own")
    assert ann.id != bob.id
    assert not bob.personal.marked
    assert service.opened(ann) is service.opened(ann)
    assert service.opened(ann) is not service.opened(bob)
    Page(Explorer(service), ann).ready(part="suggestions")
    assert not any(key[0] == "suggestions" for key in service.opened(bob).known)
    assert "Ann’s own" not in str(Page(Explorer(service), bob).look(part="rows"))
    job = service.sessions.queue.current(ann.id, "figures")
    with pytest.raises(InputError):
        service.sessions.queue.get(job.id, bob.id)


@pytest.mark.parametrize("models", [["tiny"], []])
def test_unreadable_data_is_one_sentence_in_the_panel(service, models):
    def load(reports):
        raise InputError("Line 3 has no sentence.")

    workspace = service.start(load, models, rows=3_000)
    assert finish(service, workspace).state == "failed"
    page = Page(Explorer(service), workspace)
    found = page.look()
    assert "Failed. Line 3 has no sentence." in text_of(found["parts"]["job"])
    assert not found["again"]
    assert "choose it again" in page.act("resume")["problem"]


def test_a_failed_start_leaves_nothing_behind(service, data):
    for load, models, says in (
        (lambda reports: (_ for _ in ()).throw(InputError("no table")), ["tiny"], "no table"),
        (lambda reports: data, ["tiny", "tiny"], "Two models are called"),
        (lambda reports: data, ["nobody"], "There is no model “nobody”"),
        (lambda reports: replace(data, systems={"tiny": (None,) * 24}), ["tiny"], "Two models"),
        (lambda reports: replace(data, systems={}), [], "No model was chosen"),
    ):
        with pytest.raises((InputError, ModelError), match=says):
            service.start(load, models)
    with pytest.raises(ZeroDivisionError):
        service.start(lambda reports: 1 / 0, ["tiny"])
    assert not service.store.root.exists() or not list(service.store.root.iterdir())


def test_nobody_pushes_out_what_another_noted(service, explorer, monkeypatch):
    def send(address: str) -> None:
        monkeypatch.setattr(sessions, "current_origin", lambda: Origin("page", address))

    monkeypatch.setattr(workspace, "load_built_in", lambda name: data)
    monkeypatch.setattr("symdemo.ui.analyse.explorer.load_built_in", lambda name: data)
    pairs = (Pair("Ann met Ben.", "Ben met Ann.", "entailment"),) * 3
    data = LoadedPairs("A set", "a test", pairs, (None,) * 3, built_in="free-sentences")
    own = replace(data, built_in=None)
    service.sessions.limits = replace(service.sessions.limits, analyses_per_address=3)
    send("ann")
    noted = start(service, own, ["tiny"])
    noted.note([1], "mine")
    send("eve")
    start(service, data, ["tiny"])
    for _ in range(5):
        assert "analysis" in explorer.analyse_open(json.dumps({"shared": "free-sentences:tiny"}))
    assert [path.name for path in service.store.root.iterdir()] == [noted.folder.name]
    for note in ("eve’s", "eve’s", "", "", "eve’s"):  # those without a note make room
        made = start(service, own, ["tiny"])
        if note:
            made.note([1], note)
        del made
        service.store._opened.clear()  # as if others were opened since
        gc.collect()
    assert "There would be 4 analyses from your network" in refusal(start, service, own, ["tiny"])
    assert noted.personal.notes == {1: "mine"}


def test_nothing_is_left_of_a_deleted_project(service, explorer, tmp_path):
    folders = (tmp_path, temporary_files().folder)
    away = temporary_files().folder / "away"
    before = set(away.glob("*"))
    secret = "Zazu adores Quimby"
    rows = [
        TeachRow(premise=f"{secret}{n}.", hypothesis=f"Quimby{n} adores Zazu.", label="neutral")
        for n in range(2)
    ]
    project = service.sessions.projects.create("Mine")
    project.save_rows(rows)
    model = project.model().teach([row.pair() for row in rows])
    version = project.add_version(model, how="instant")
    data = LoadedPairs("My lines", "pasted", tuple(row.pair() for row in rows), (None,) * 2)
    made = start(service, data, ["tiny", VERSION_PREFIX + version.id], project=project.id)
    page = Page(explorer, made)
    page.act("note", rows=[1], text=secret)
    page.act("keep slice", name=secret)
    page.act("query", row=1, premise=f"{secret}.", hypothesis="Quimby adores Zazu.")
    assert page.act("export", kind="csv")["download"]
    pack_project(service.sessions, project.id)
    sought = (secret.encode(), project.id.encode())

    def holding() -> list[Path]:
        found = [path for folder in folders for path in folder.rglob("*")]
        return [
            path
            for path in found
            if project.id in path.name
            or (path.is_file() and any(words in path.read_bytes() for words in sought))
        ]

    assert len(holding()) > 5
    delete_project(service.sessions, project.id)
    assert not holding()
    assert not list(service.store.root.iterdir())  # Parquet is packed and cannot be searched
    assert set(away.glob("*")) == before
    assert "no longer here" in refusal(made.note, [1], secret)


def test_a_full_disk_is_named(service, page, data, monkeypatch):
    monkeypatch.setattr(workspace, "write_json", fail_with(28))
    assert "disk of this server is full" in page.act("note", rows=[1], text="mine")["problem"]
    monkeypatch.undo()
    monkeypatch.setattr(running, "write_folder", fail_with(28))
    full = start(service, replace(data, name="another", pairs=data.pairs[::-1]), ["tiny"])
    assert "disk of this server is full" in str(Page(page.explorer, full).look()["parts"]["job"])


def test_a_column_of_labels_needs_no_model(service, data):
    workspace = service.start(lambda reports: data, [])
    assert service.opened(workspace).analysis.models == ("system",)
    assert "system is a column of labels" in refusal(service.opened(workspace).model, "system")
    page = Page(Explorer(service), workspace, row=1)
    for part in ("overview", "rows", "map", "suggestions", "slices"):
        assert "problem" not in page.ready(part=part)


def test_verdicts_of_a_removed_version_are_still_shown(service, data, fitted, monkeypatch):
    source = VERSION_PREFIX + "p"
    project = OneVersion(fitted["knn-learnt-metric"].with_card(name="mine"))
    project.put_into(service.sessions, monkeypatch)
    workspace = start(service, data, [source], project="secret")
    assert workspace.models[0].name == "My version"
    page = Page(Explorer(service), workspace, row=2)
    assert "was removed" not in text_of(page.look()["parts"]["detail"])
    project.gone = True
    found = page.look(row=4)
    says = "My version was removed, so it has no new answers."
    assert says in text_of(found["parts"]["detail"])
    assert "Accuracy" in text_of(found["parts"]["main"])
    for html in page.look(parts=["variants", "words"])["parts"].values():
        assert says in text_of(html)
    assert "secret" not in str(found)
    with pytest.raises(ModelError, match="There is no model"):
        service.start(lambda reports: data, [source])


def test_an_evicted_run_can_be_repeated(service, data):
    workspace = start(service, data, ["tiny", "other"])
    for path in (workspace.folder / "runs").iterdir():
        (path / "run.json").unlink()
    again = type(service.store)(service.store.root).open(workspace.id)
    assert service.opened(again).analysis.models == ("system",)
    assert again.models == (AskedModel("tiny", "tiny"), AskedModel("other", "other"))
    service.run(again)
    finish(service, again)
    assert service.opened(again).analysis.models == ("tiny", "other", "system")
