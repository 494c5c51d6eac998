"""The tab “Teach” without a browser: instant teaching, retraining, and how jobs end."""

import json

import pytest

pytest.importorskip("gradio")

from teach_fakes import BLANK, QUICK, edit, make_cells, planned, until, wait_for
from ui_fakes import NASTY, TINY

from symdemo.errors import InputError
from symdemo.ui.shared.html import draw
from symdemo.ui.shared.sessions import Sessions
from symdemo.ui.shared.store import VERSION_PREFIX, VisitorModels
from symdemo.ui.teach import training
from symdemo.ui.teach.training import find_training, plan_training, start_training, teach_instantly
from symdemo.ui.teach.versions import draw_curves, list_versions


def test_teaching_at_once_makes_a_version_that_try_it_uses(sessions, project):
    view, version = teach_instantly(edit(sessions, project, "page", make_cells()))
    assert view.project == project
    listed = list_versions(sessions, project)
    assert (listed.selected, listed.current.how) == (version.id, "instant")
    models = sessions.models(project)
    assert isinstance(models, VisitorModels)
    assert models.default == VERSION_PREFIX + version.id
    assert models.choices() == [("Version 1 (yours)", VERSION_PREFIX + version.id)]
    model = models.get(models.default).classifier
    assert "depends" in model.labels
    assert any("Ann 77" in pair.premise for pair in model.index.pairs)
    assert models.card(models.default).name == "Version 1"
    assert models.get(TINY).classifier is sessions.store.get(TINY).classifier
    sessions.find(project).undo()
    assert sessions.models(project).default == TINY


def test_another_page_waits_for_instant_teaching(sessions, project, monkeypatch):
    seen = []

    def teach(project):
        seen.append(find_training(sessions, project.id))
        return taught(project)

    taught = training.teach_project_instantly
    monkeypatch.setattr(training, "teach_project_instantly", teach)
    teach_instantly(edit(sessions, project, "page", make_cells()))
    assert "Teaching your rows" in draw("teach/job.html", view=seen[0])
    assert not seen[0].finished
    assert find_training(sessions, project) is None  # the page that asks then shows the version


def test_rows_in_the_way_are_named_and_nothing_is_made(sessions):
    cells = [*make_cells(), ["Ida", "borders", "", "yes"]]
    with pytest.raises(InputError, match="Row 9"):
        teach_instantly(edit(sessions, "", "page", cells))
    with pytest.raises(InputError, match="Write a few rows first"):
        teach_instantly(edit(sessions, "", "other", [BLANK]))


def test_a_retraining_is_announced_then_done_in_the_queue(sessions, project):
    plan = plan_training(edit(sessions, project, "page", make_cells()), QUICK)[1]
    assert plan.data.config.epochs == 2
    assert plan.estimate.steps > 0
    words = draw("teach/plan.html", plan=plan)
    assert "About" in words
    assert "processor" in words
    assert find_training(sessions, project) is None
    view = wait_for(sessions, project, start_training(sessions, project, plan))
    assert (view.state, view.error) == ("done", None)
    assert view.progress[0] == view.progress[1] > 0
    assert draw_curves(view.events)["data"][0]["x"][-1] == plan.estimate.steps
    assert "Version 1 is ready" in draw("teach/job.html", view=view)
    assert "held out to check" in draw("teach/log.html", lines=view.log)
    version = list_versions(sessions, project).current
    assert version.how == "retrained"
    assert len(version.curve) == plan.estimate.steps
    sessions.find(project).undo()
    assert find_training(sessions, project) is None  # it is not ready and in use any more


def test_a_failed_or_broken_off_training_tells_why(sessions, project, monkeypatch):
    def fail(project, settings, handle):
        raise InputError(f"The disk is full, {NASTY}.")

    monkeypatch.setattr(training, "retrain_planned", fail)
    view = wait_for(sessions, project, start_training(sessions, project, planned(project)))
    panel = draw("teach/job.html", view=view)
    assert "The training failed." in panel
    assert "The disk is full, &lt;img" in panel
    written = sessions.root / project / "job.json"
    until(lambda: json.loads(written.read_text())["state"] == "failed")
    again = Sessions(sessions.store, sessions.root)  # as after a restart
    assert "The disk is full" in draw("teach/job.html", view=find_training(again, project))
    sessions.find(project).save_job_state({"state": "broken off"})
    assert "start it again" in draw("teach/job.html", view=find_training(again, project))


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"epochs": "two"}, "Rounds over all rows"),
        ({"epochs": "999"}, "from 1 to 60"),
        ({"method": "magic"}, "magic"),
        ({"base": "../v1"}, "no such version"),
    ],
)
def test_settings_that_cannot_be_used_are_named(sessions, project, form, message):
    with pytest.raises(InputError, match=message):
        plan_training(edit(sessions, project, "page", make_cells()), form)[1]
