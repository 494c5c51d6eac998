"""The tab “Teach” without a browser: teaching at once, retraining, and the queue."""

import json
import threading
import time
from dataclasses import replace

import pytest

pytest.importorskip("gradio")

from symdemo.teaching.estimate import Estimate
from symdemo.teaching.settings import TeachSettings
from teach_fakes import BLANK, QUICK, make_cells, planned, until, wait_for
from ui_fakes import NASTY, TINY, make_tiny_store

from symdemo.errors import InputError, ModelError
from symdemo.ui import teach_changes, teach_panels, teach_rows
from symdemo.ui import teach_handlers as handlers
from symdemo.ui.store import OWN, OwnModels
from symdemo.ui.teach_figures import draw_curves
from symdemo.ui.teach_handlers import BASE, Shelf
from symdemo.ui.teach_sessions import TeachSessions
from symdemo.ui.teach_settings import read_settings
from symdemo.ui.teach_show import start_choices


def test_teaching_at_once_makes_a_version_that_try_it_uses(sessions, project):
    id, version = handlers.teach_at_once(sessions, project, "page", make_cells())
    assert id == project
    shelf = handlers.shelf(sessions, project)
    assert (shelf.selected, shelf.current.how) == (version.id, "instant")
    models = sessions.models(project)
    assert isinstance(models, OwnModels)
    assert models.default == OWN + version.id
    assert models.choices() == [("Version 1 (yours)", OWN + version.id)]
    model = models.get(models.default).classifier
    assert "depends" in model.labels
    assert any("Ann 77" in pair.premise for pair in model.index.pairs)
    assert models.card(models.default).name == "Version 1"
    assert models.get(TINY).classifier is sessions.store.get(TINY).classifier
    handlers.undo(sessions, project)
    assert sessions.models(project).default == TINY


def test_nobody_meets_the_version_of_another(sessions, project):
    _, version = handlers.teach_at_once(sessions, project, "page", make_cells())
    other = teach_rows.edit(sessions, "", "other page", make_cells("88")).project
    models = sessions.models(other)
    assert models.choices() == []
    for name in (OWN + version.id, f"{OWN}../{project}/versions/{version.id}"):
        with pytest.raises(InputError, match="no such version"):
            models.get(name)
        with pytest.raises(ModelError, match="There is no model"):
            sessions.models("").get(name)
    for act in (handlers.select, handlers.delete):
        with pytest.raises(InputError, match="no such version"):
            act(sessions, other, version.id)


def test_rows_in_the_way_are_named_and_nothing_is_made(sessions):
    cells = [*make_cells(), ["Ida", "borders", "", "yes"]]
    with pytest.raises(InputError, match="Row 9"):
        handlers.teach_at_once(sessions, "", "page", cells)
    with pytest.raises(InputError, match="write a few rows first"):
        handlers.teach_at_once(sessions, "", "other", [BLANK])


def test_a_retraining_is_announced_then_done_in_the_queue(sessions, project):
    plan = handlers.plan(sessions, project, "page", make_cells(), QUICK)
    assert plan.settings.epochs == 2
    assert plan.estimate.steps > 0
    words = teach_panels.plan_panel(plan)
    assert "About" in words
    assert "processor" in words
    assert handlers.job(sessions, project) is None
    view = wait_for(sessions, project, handlers.start(sessions, project, plan))
    assert (view.state, view.error) == ("done", None)
    assert view.progress[0] == view.progress[1] > 0
    assert draw_curves(view.events)["data"][0]["x"][-1] == plan.estimate.steps
    assert "Version 1 is ready" in teach_panels.job_panel(view)
    assert "held out to check" in teach_panels.log_panel(view)
    version = handlers.shelf(sessions, project).current
    assert version.how == "retrained"
    assert len(version.curve) == plan.estimate.steps


def test_a_job_is_only_shown_to_its_owner(sessions, project):
    other = teach_rows.edit(sessions, "", "other page", make_cells("88")).project
    view = handlers.start(sessions, project, planned(project))
    assert handlers.job(sessions, other) is None
    for act in (handlers.job, handlers.stop):
        with pytest.raises(InputError, match="no such job"):
            act(sessions, other, view.id)
    with pytest.raises(InputError, match="no plan"):
        handlers.start(sessions, other, planned(project))
    assert handlers.job(sessions, project, view.id).id == view.id


def test_eight_at_once_are_served_in_order_and_see_their_places(sessions, monkeypatch):
    let_go, order = threading.Event(), []

    def teach(project, settings, handle):
        order.append(project.id)
        while not let_go.wait(0.01):
            if handle.stopped():
                return

    monkeypatch.setattr(handlers, "teach_project", teach)
    ids = [sessions.find_or_create("", f"page {n}").id for n in range(8)]
    views = [handlers.start(sessions, id, planned(id, 60)) for id in ids]
    until(lambda: handlers.job(sessions, ids[0]).state == "running")
    places = [handlers.job(sessions, id).place for id in ids]
    assert places == list(range(8))
    panel = teach_panels.job_panel(handlers.job(sessions, ids[3]))
    assert "Place 3 in the queue." in panel
    assert "It begins in about 3 minutes." in panel
    with pytest.raises(InputError, match="under way"):
        handlers.plan(sessions, ids[3], "page 3", make_cells(), {})
    handlers.stop(sessions, ids[1], views[1].id)
    assert handlers.job(sessions, ids[3]).place == 2
    let_go.set()
    for id, view in zip(ids, views, strict=True):
        wait_for(sessions, id, view)
    assert order == [id for n, id in enumerate(ids) if n != 1]


def test_measuring_has_a_bar_and_ends_at_once_when_stopped(sessions, project, monkeypatch):
    ended = threading.Event()

    def teach(project, settings, handle):
        handle.progress(6, 6, 40)
        handle.measuring(30, 120, 40)
        while not handle.cut_short():
            ended.wait(0.01)

    monkeypatch.setattr(handlers, "teach_project", teach)
    view = handlers.start(sessions, project, planned(project))
    until(lambda: handlers.job(sessions, project).measures)
    panel = teach_panels.job_panel(handlers.job(sessions, project))
    assert "Now it is measured what changed, about 40 seconds left." in panel
    assert 'value="30" max="120"' in panel
    began = time.monotonic()
    stopping = replace(handlers.stop(sessions, project, view.id), state="stopping")
    assert "put away" in teach_panels.job_panel(stopping)
    assert wait_for(sessions, project, view).state == "stopped"
    assert time.monotonic() - began < 5


def test_stopped_while_it_learns_it_measures_until_it_is_stopped_again(
    sessions, project, monkeypatch
):
    def teach(project, settings, handle):
        handle.progress(1, 6)
        while not handle.stopped():
            time.sleep(0.01)
        handle.measuring(0, 120)
        while not handle.cut_short():
            time.sleep(0.01)

    monkeypatch.setattr(handlers, "teach_project", teach)
    view = handlers.start(sessions, project, planned(project))
    until(lambda: handlers.job(sessions, project).progress == (1, 6))
    assert not handlers.stop(sessions, project, view.id).cut
    until(lambda: handlers.job(sessions, project).measures)
    panel = teach_panels.job_panel(handlers.job(sessions, project))
    assert "Stopped learning. The best so far is kept and measured" in panel
    assert 'max="120"' in panel
    assert handlers.stop(sessions, project, view.id).cut
    assert wait_for(sessions, project, view).state == "stopped"


def test_a_version_that_was_cut_short_says_so(sessions, project):
    _, version = handlers.teach_at_once(sessions, project, "page", make_cells())
    path = sessions.root / project / "versions" / version.id / "version.json"
    values = json.loads(path.read_text())
    assert "Stopped early" not in teach_changes.changes_panel(handlers.shelf(sessions, project))
    values["training"] = {"known": 4992, "remembered": 1200}
    values["scores"] |= {"benchmark_after": None, "drift": None}
    path.write_text(json.dumps(values))
    shown = teach_changes.changes_panel(handlers.shelf(sessions, project))
    assert "it remembers 1,200 of the 4,992 examples" in shown
    assert "<b>–</b>" in shown


def test_a_failed_or_broken_off_training_tells_why(sessions, project, monkeypatch):
    def fail(project, settings, handle):
        raise InputError(f"The disk is full, {NASTY}.")

    monkeypatch.setattr(handlers, "teach_project", fail)
    view = wait_for(sessions, project, handlers.start(sessions, project, planned(project)))
    panel = teach_panels.job_panel(view)
    assert "The training failed." in panel
    assert "The disk is full, &lt;img" in panel
    written = sessions.root / project / "job.json"
    until(lambda: json.loads(written.read_text())["state"] == "failed")
    again = TeachSessions(sessions.store, sessions.root)  # as after a restart
    assert "The disk is full" in teach_panels.job_panel(handlers.job(again, project))
    sessions.find(project).save_job_state({"state": "broken off"})
    assert "start it again" in teach_panels.job_panel(handlers.job(again, project))


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"epochs": "two"}, "Rounds over all rows"),
        ({"epochs": "0"}, "epochs"),
        ({"epochs": "999"}, "from 1 to 60"),
        ({"learning_rate": "nan"}, "learning rate"),
        ({"method": "magic"}, "magic"),
        ({"base": "../v1"}, "no such version"),
    ],
)
def test_settings_that_cannot_be_used_are_named(sessions, project, form, message):
    with pytest.raises(InputError, match=message):
        handlers.plan(sessions, project, "page", make_cells(), form)


def test_empty_settings_are_the_usual_ones():
    assert read_settings({"epochs": " ", "base": "", "seed": None}) == TeachSettings()
    assert read_settings({"retention": "0,5"}).retention == 0.5


def test_a_retraining_starts_from_what_was_chosen(make_sessions, fitted, monkeypatch):
    other = fitted["knn-learnt-metric"]
    sessions = make_sessions(others={"second": other})
    project, first = handlers.teach_at_once(sessions, "", "page", make_cells())
    timed = []
    real = handlers.estimate
    monkeypatch.setattr(handlers, "estimate", lambda base, *_: timed.append(base) or real(base, *_))

    def retrained(chosen):
        form = QUICK | ({"base": chosen} if chosen else {})
        plan = handlers.plan(sessions, project, "page", make_cells(), form)
        view = wait_for(sessions, project, handlers.start(sessions, project, plan))
        assert view.state == "done"
        return plan, view.result

    own = sessions.find(project)
    plan, second = retrained(None)
    assert "It starts from Version 1." in teach_panels.plan_panel(plan)
    assert (second.parent, second.base) == (first.id, TINY)
    assert timed[-1] is own.model(first.id)
    plan, third = retrained("second")
    assert "It starts from second." in teach_panels.plan_panel(plan)
    assert (third.parent, third.base, third.method) == (None, "second", other.method)
    assert timed[-1] is other
    _, fourth = retrained(third.id)
    assert (fourth.parent, fourth.base) == (third.id, "second")
    handlers.select(sessions, project, third.id)
    shown = teach_changes.changes_panel(handlers.shelf(sessions, project))
    assert "made from Base model (second)" in shown
    fifth = handlers.teach_at_once(sessions, project, "page", make_cells())[1]
    assert (fifth.parent, fifth.base) == (third.id, "second")


def test_a_plan_keeps_to_what_it_told(sessions, project):
    plan = handlers.plan(sessions, project, "page", make_cells(), QUICK)
    handlers.teach_at_once(sessions, project, "page", make_cells())
    view = wait_for(sessions, project, handlers.start(sessions, project, plan))
    assert view.result.parent is None


def test_every_version_and_built_in_model_is_offered_to_start_from(sessions, project, fitted):
    cards = make_tiny_store(fitted["knn"], second=fitted["knn"]).cards()
    built_in = [("tiny (built in): A toy.", TINY), ("second (built in): A toy.", "second")]
    assert start_choices(Shelf(), cards) == (built_in, TINY)
    assert start_choices(Shelf(), {}) == ([], None)
    _, first = handlers.teach_at_once(sessions, project, "page", make_cells())
    _, second = handlers.teach_at_once(sessions, project, "page", make_cells())
    choices, usual = start_choices(handlers.shelf(sessions, project), cards)
    assert choices == [("Version 2 (in use)", second.id), ("Version 1", first.id), *built_in]
    assert usual == second.id
    assert start_choices(handlers.select(sessions, project, BASE), cards)[1] == TINY


def test_a_training_that_would_take_too_long_is_refused(make_sessions, monkeypatch):
    sessions = make_sessions()
    monkeypatch.setattr(handlers, "estimate", lambda *_: Estimate(3600, 9000, "cpu"))
    with pytest.raises(InputError, match="60 minutes; at most 30"):
        handlers.plan(sessions, "", "page", make_cells(), {})
