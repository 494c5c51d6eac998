"""The desk: starting, stopping, restarts, versions that go, and what visitors share."""

import threading
from dataclasses import replace

import pytest
from analyse_tools import Page, finish, start, text_of
from job_fakes import Gate

from symdemo import SymmetryClassifier
from symdemo.analysis import running
from symdemo.analysis.loading import LoadedPairs
from symdemo.analysis.workspace import AskedModel
from symdemo.errors import InputError, ModelError
from symdemo.ui.analyse import desk as desks
from symdemo.ui.analyse.explorer import Explorer
from symdemo.ui.shared.store import VERSION_PREFIX, VisitorModels


@pytest.fixture
def counted(monkeypatch):
    sizes, embed = [], SymmetryClassifier.embed

    def count(self, pairs, progress=None):
        sizes.append(len(pairs))
        return embed(self, pairs, progress)

    monkeypatch.setattr(SymmetryClassifier, "embed", count)
    return sizes


@pytest.fixture
def held(monkeypatch):
    """A gate that every part has to pass, and small parts."""
    gate, embed = Gate(), SymmetryClassifier.embed
    monkeypatch.setattr(running, "PART", 6)

    def wait(self, pairs, progress=None):
        gate.begun.set()
        assert gate.let_go.wait(10)
        return embed(self, pairs, progress)

    monkeypatch.setattr(SymmetryClassifier, "embed", wait)
    return gate


def test_from_start_to_opened(desk, data):
    workspace = start(desk, data, ["tiny", "other"])
    opened = desk.opened(workspace)
    assert opened.analysis.models == ("tiny", "other", "rival")
    assert len(opened.table) == len(data.pairs)
    assert desk.opened(workspace) is opened
    assert desk.job(workspace).progress == (96, 96)


def test_what_was_stopped_goes_on_where_it_was(desk, data, held, counted):
    workspace = desk.start(lambda reports: data, ["tiny"])
    assert held.begun.wait(10)
    desk.stop(workspace)
    held.let_go.set()
    assert finish(desk, workspace).state == "stopped"
    page = Page(Explorer(desk), workspace)
    done = sum(counted)
    assert "Stopped." in text_of(page.look()["parts"]["job"])
    page.act("go on")
    assert finish(desk, workspace).state == "done"
    assert sum(counted) == 48
    assert 0 < done < 48
    assert not page.look()["parts"]["job"].strip()


def test_what_a_restart_broke_off_goes_on(make_desk, data, held, counted):
    first = make_desk()
    workspace = first.start(lambda reports: data, ["tiny"])
    assert held.begun.wait(10)
    first.sessions.queue.close(0.01)
    held.let_go.set()
    second = make_desk()
    found = second.store.open(workspace.id)
    page = Page(Explorer(second), found)
    assert "It was broken off." in text_of(page.look()["parts"]["job"])
    page.act("go on")
    finish(second, found)
    assert second.opened(found).analysis.models == ("tiny", "rival")


def test_one_that_is_done_is_there_after_a_restart_without_asking(make_desk, data, counted):
    workspace = start(make_desk(), data, ["tiny"])
    asked = len(counted)
    second = make_desk()
    page = Page(Explorer(second), workspace)
    assert "How often it is right" in text_of(page.look()["parts"]["main"])
    assert len(counted) == asked


def test_visitors_with_the_same_data_share_the_runs_alone(desk, data, counted):
    ann = start(desk, data, ["tiny"])
    asked = len(counted)
    bob = desk.start(lambda reports: replace(data, name="Bob’s"), ["tiny"])
    assert len(counted) == asked
    assert desk.job(bob) is None
    ann.mark([1], True)
    ann.note([2], "Ann’s own")
    assert ann.id != bob.id
    assert not bob.personal.marked
    assert desk.opened(ann) is not desk.opened(bob)
    Page(Explorer(desk), ann).ready(part="hints")
    assert not any(key[0] == "hints" for key in desk.opened(bob).known)
    assert "Ann’s own" not in str(Page(Explorer(desk), bob).look(part="rows"))
    job = desk.sessions.queue.current(ann.id, "figures")
    with pytest.raises(InputError):
        desk.sessions.queue.get(job.id, bob.id)


def test_data_that_is_read_in_the_background_tells_how_far_it_is(desk, data):
    reading, let_go = threading.Event(), threading.Event()

    def load(reports):
        reports.progress(300, 1_200, None)
        reading.set()
        assert let_go.wait(10)
        return data

    workspace = desk.start(load, ["tiny"], background=True)
    assert reading.wait(10)
    page = Page(Explorer(desk), workspace)
    found = page.look()
    assert "Reading the data: 25%" in text_of(found["parts"]["job"])
    assert found["again"]
    assert found["shared"] == ""
    let_go.set()
    finish(desk, workspace)
    assert "24 pairs" in text_of(page.look()["parts"]["head"])


@pytest.mark.parametrize("models", [["tiny"], []])
def test_data_that_cannot_be_read_is_one_sentence_in_the_panel(desk, models):
    def load(reports):
        raise InputError("Line 3 has no sentence.")

    workspace = desk.start(load, models, background=True)
    assert finish(desk, workspace).state == "failed"
    page = Page(Explorer(desk), workspace)
    found = page.look()
    assert "It failed. Line 3 has no sentence." in text_of(found["parts"]["job"])
    assert not found["again"]
    assert "bring it again" in page.act("go on")["problem"]


def test_what_fails_at_once_leaves_nothing_behind(desk, data):
    for load, models, says in (
        (lambda reports: (_ for _ in ()).throw(InputError("no table")), ["tiny"], "no table"),
        (lambda reports: data, ["tiny", "tiny"], "Two models are called"),
        (lambda reports: data, ["nobody"], "There is no model “nobody”"),
        (lambda reports: replace(data, systems={"tiny": (None,) * 24}), ["tiny"], "Two models"),
        (lambda reports: replace(data, systems={}), [], "No model was chosen"),
    ):
        with pytest.raises((InputError, ModelError), match=says):
            desk.start(load, models)
    with pytest.raises(ZeroDivisionError):
        desk.start(lambda reports: 1 / 0, ["tiny"])
    assert not desk.store.root.exists() or not list(desk.store.root.iterdir())


def test_another_systems_column_needs_no_model(desk, data):
    workspace = desk.start(lambda reports: data, [])
    assert desk.opened(workspace).analysis.models == ("rival",)
    with pytest.raises(InputError, match="rival is a column of labels"):
        desk.model(workspace, "rival")
    page = Page(Explorer(desk), workspace, row=1)
    for part in ("overview", "rows", "map", "hints", "slices"):
        assert "problem" not in page.ready(part=part)


def test_one_analysis_has_one_job_at_a_time(desk, data, held):
    workspace = desk.start(lambda reports: data, ["tiny"])
    with pytest.raises(InputError, match="2 runs of one analysis at once; 1 is allowed"):
        desk.run(workspace)
    held.let_go.set()
    finish(desk, workspace)


def test_a_version_that_went_is_still_shown_and_the_glass_says_so(desk, data, fitted, monkeypatch):
    class Project:
        id, gone = "p", False

        def version(self, id):
            if self.gone:
                raise InputError("It was removed.")
            return self

        def model(self, id):
            self.version(id)
            return fitted["knn-learnt-metric"].with_card(name="mine")

        name = "My version"

    project, source = Project(), VERSION_PREFIX + "p"
    monkeypatch.setattr(
        desk.sessions, "models",
        lambda id: desk.sessions.store if project.gone or not id
        else VisitorModels(desk.sessions.store, project),
    )  # fmt: skip
    workspace = start(desk, data, [source], project="secret")
    assert workspace.models[0].name == "My version"
    page = Page(Explorer(desk), workspace, row=2)
    assert "cannot be asked" not in text_of(page.look()["parts"]["glass"])
    project.gone = True
    page = Page(Explorer(desk), workspace, row=4)
    found = page.look()
    assert "My version cannot be asked anything new: it is gone." in text_of(
        found["parts"]["glass"]
    )
    assert "How often it is right" in text_of(found["parts"]["main"])
    others = page.look(parts=["others", "words"])["parts"]
    assert "it is gone" in text_of(others["others"])
    assert "it is gone" in text_of(others["words"])
    assert "secret" not in str(found)
    with pytest.raises(ModelError, match="There is no model"):
        desk.start(lambda reports: data, [source])


def test_a_run_that_had_to_go_can_be_asked_anew(desk, data):
    workspace = start(desk, data, ["tiny", "other"])
    for path in desk.cache.root.iterdir():
        (path / "run.json").unlink()
    again = desk.store.__class__(desk.store.root).open(workspace.id)
    opened = desk.opened(again)
    assert opened.analysis.models == ("rival",)
    assert again.models == (AskedModel("tiny", "tiny"), AskedModel("other", "other"))
    desk.run(again)
    finish(desk, again)
    assert desk.opened(again).analysis.models == ("tiny", "other", "rival")


def test_what_was_made_stays_when_another_model_has_answered(desk, data):
    workspace = start(desk, data, ["tiny", "other"])
    key = workspace.models[1].key
    workspace.set_key("other", "")
    Page(Explorer(desk), workspace).ready(part="map")
    made = desk.opened(workspace).known["map", "pca", "tiny"]
    workspace.set_key("other", key)
    assert desk.opened(workspace).analysis.models == ("tiny", "other", "rival")
    assert desk.opened(workspace).known["map", "pca", "tiny"] is made


def test_the_time_left_is_of_all_models(desk, data, fitted):
    told = []

    class Handle:
        def log(self, text): ...

        def stopped(self):
            return False

        def progress(self, *state):
            told.append(state)

    class Cache:
        def get(self, model, pairs, key, exchanged, reports):
            for done in (10, 20, 40):
                reports.progress(done, 40, (40 - done) / 2.0)
            return replace_key

    replace_key = type("Run", (), {"key": "k"})
    workspace = desk.store.create([AskedModel("a", "tiny"), AskedModel("b", "other")])
    workspace.put(data)
    desk.cache = Cache()
    desk._ask(workspace, list(workspace.models), desk.sessions.store.get, Handle())
    assert told == [(10, 80, 35), (20, 80, 30), (40, 80, None), (50, 80, 15), (60, 80, 10),
                    (80, 80, None)]  # fmt: skip


def test_long_data_is_not_looked_up_while_the_visitor_waits(desk, data, monkeypatch):
    monkeypatch.setattr(desks, "AT_ONCE", 5)
    start(desk, data, ["tiny"])
    second = desk.start(lambda reports: data, ["tiny"])
    assert finish(desk, second).state == "done"
    assert isinstance(second.data, LoadedPairs)


@pytest.fixture
def go():
    """What a job waits for before it ends."""
    return threading.Event()


def test_what_is_made_in_the_background_fails_in_one_sentence_and_is_tried_again(desk, data, go):
    opened = desk.opened(start(desk, data, ["tiny"]))

    def fail(handle):
        go.wait(30)
        raise InputError("There are too few.")

    assert desk.later(opened, ("map", "x"), "Map", fail)[0] is None
    go.set()
    finish(desk, opened.workspace, "figures")
    found, job = desk.later(opened, ("map", "x"), "Map", fail)
    assert (found, job.error) == (None, "There are too few.")
    go.clear()
    assert desk.later(opened, ("map", "x"), "Map", lambda handle: go.wait(30) and 7)[0] is None
    go.set()
    finish(desk, opened.workspace, "figures")
    assert desk.later(opened, ("map", "x"), "Map", fail) == (7, None)
    assert not opened.jobs


def test_what_has_ended_as_soon_as_it_was_begun_is_given_at_once(desk, data, monkeypatch):
    opened, queue = desk.opened(start(desk, data, ["tiny"])), desk.sessions.queue
    submit = queue.submit

    def submit_and_wait(owner, *rest, **options):
        number = submit(owner, *rest, **options)
        queue.wait(number, owner, 30)
        return number

    monkeypatch.setattr(queue, "submit", submit_and_wait)
    assert desk.later(opened, ("map", "x"), "Map", lambda handle: 7) == (7, None)
    assert not opened.jobs
