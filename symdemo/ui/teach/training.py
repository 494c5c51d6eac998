"""Step 2 of the Teach tab, without Gradio: instant teaching and retraining."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from symdemo.errors import InputError
from symdemo.jobs.state import JobView
from symdemo.teaching.instant import teach_project_instantly
from symdemo.teaching.plan import RetrainingPlan, TeachSettings, make_plan
from symdemo.teaching.project import Project, Version
from symdemo.teaching.project_files import ALIVE, BROKEN_OFF
from symdemo.teaching.retraining import retrain_planned
from symdemo.text import shorten
from symdemo.ui.shared.sessions import Sessions
from symdemo.ui.teach.grid import RowsEdit, RowsView

BUSY = "You have a training running; wait for it, or stop it first."

NUMBERS = {
    "epochs": "Rounds over all rows",
    "samples": "Rows to learn from",
    "learning_rate": "Learning rate",
    "retention": "Keep other sentences",
    "replay": "Known examples mixed in",
    "seed": "Seed",
}
"""The numeric settings and their titles on the page."""


def teach_instantly(edit: RowsEdit) -> tuple[RowsView, Version]:
    """Save the grid and teach its rows instantly."""
    with edit.sessions.teaching(edit.id):
        view, project = _saved(edit)
        return view, teach_project_instantly(project)


def plan_training(edit: RowsEdit, form: Mapping[str, Any]) -> tuple[RowsView, RetrainingPlan]:
    """Save the grid and plan a retraining of its rows, by default from the version in use.

    Nothing starts yet; `InputError` for rows or settings that cannot be used, or take too long.
    """
    view, project = _saved(edit)
    settings = read_settings(form)
    return view, make_plan(project, replace(settings, base=settings.base or project.selected))


def start_training(sessions: Sessions, id: str, plan: RetrainingPlan) -> JobView:
    """Queue a planned retraining."""
    if not isinstance(plan, RetrainingPlan) or plan.project != id:
        raise InputError("There is no plan to start; press “Train deeper” again.")
    project = sessions.require(id)
    if project.has_job_elsewhere:
        raise InputError(BUSY)
    run = partial(retrain_planned, project, plan)
    seconds = plan.estimate.seconds if plan.estimate else None
    return sessions.submit(
        project.id, project.name, run, "teaching", seconds, project.id, project.save_job_state
    )


def find_training(sessions: Sessions, id: str, job_id: str = "") -> JobView | None:
    """Return the state of a training of a project, the latest one if no job is named.

    Instant teaching has no id. The latest training of another server, or of a program that has
    ended, is shown as it was saved. None if there is no training, or its version is no longer in
    use; `InputError` for an unknown job.
    """
    project = sessions.find(id)
    if project is None:
        return None
    if job_id:
        return sessions.queue.get(job_id, project.id)
    if project.id in sessions.taught_now:
        return JobView("", project.id, project.name, "running", kind="instant")
    return _latest(sessions, project)


def _latest(sessions: Sessions, project: Project) -> JobView | None:
    current = sessions.queue.current(project.id)
    if current and (current.result is None or current.result.id == project.selected):
        return current
    saved = project.job_state or {}
    state: Any = saved.get("state")
    if state in ALIVE:
        state = "running" if project.has_job_elsewhere else BROKEN_OFF
    elif state not in ("failed", BROKEN_OFF):
        return None
    error = str(saved.get("error") or "") or None
    return JobView("", project.id, project.name, state, error=error)  # no id: it cannot be stopped


def _saved(edit: RowsEdit) -> tuple[RowsView, Project]:
    """Save the grid of a project in which no training runs."""
    view = edit.save()
    project = edit.sessions.require(view.project)
    current = _latest(edit.sessions, project)
    if current is not None and not current.finished:
        raise InputError(BUSY)
    return view, project


def read_settings(form: Mapping[str, Any]) -> TeachSettings:
    """Read the settings of the form; an empty field is the default, a wrong one `InputError`."""
    given: dict[str, Any] = {name: str(form[name]) for name in ("method", "base") if form.get(name)}
    for name, title in NUMBERS.items():
        text = "" if form.get(name) is None else str(form[name])
        tidy = " ".join(text.split()).replace(",", ".")
        kind = float if name in ("learning_rate", "retention") else int
        try:
            given |= {name: kind(tidy)} if tidy else {}
        except ValueError:
            raise InputError(
                f"“{title}” is “{shorten(tidy, 20)}”; a number is expected, or nothing."
            ) from None
    return TeachSettings(**given)
