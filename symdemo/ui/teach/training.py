"""Step 2 of the tab “Teach”, without Gradio: teach at once, or plan, start and watch a retraining.

Every function takes the id that the browser keeps, and opens nothing but the project it opens.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
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
from symdemo.ui.teach.rows import save_rows
from symdemo.ui.teach.sheet import Cells, Sheet

AT_WORK = "A training of yours is under way; wait for it, or stop it first."


def teach_at_once(
    sessions: Sessions, id: str, visit: str | None, sheet: Sheet | Cells
) -> tuple[str, Version]:
    """Keep the grid, teach its rows at once, and return the project's id and the new version."""
    project = _ready(sessions, id, visit, sheet)
    return project.id, teach_project_instantly(project)


def plan_training(
    sessions: Sessions,
    id: str,
    visit: str | None,
    sheet: Sheet | Cells,
    form: Mapping[str, Any],
) -> RetrainingPlan:
    """Keep the grid and say how long a retraining of its rows would take; nothing starts yet.

    Where nothing else was chosen it starts from the version in use.

    Raises:
        InputError: rows or settings that cannot be used, or a training that would take too long.
    """
    project = _ready(sessions, id, visit, sheet)
    settings = read_settings(form)
    return make_plan(project, replace(settings, base=settings.base or project.selected))


def start_training(sessions: Sessions, id: str, planned: RetrainingPlan) -> JobView:
    """Put a planned retraining into the queue."""
    if not isinstance(planned, RetrainingPlan) or planned.project != id:
        raise InputError("There is no plan to start; press “Retrain” again.")
    project = sessions.require(id)
    if project.has_job_elsewhere:
        raise InputError(AT_WORK)
    return sessions.submit(
        project,
        lambda handle: retrain_planned(project, planned, handle),
        planned.estimate.seconds if planned.estimate else None,
    )


def find_training(sessions: Sessions, id: str, job_id: str = "") -> JobView | None:
    """How a project's training stands; its latest one where no job is named.

    One that this queue does not know is told of as it was written down: it is at work in another
    server on the same projects, or its program has ended.
    """
    project = sessions.find(id)
    if project is None:
        return None
    if job_id:
        return sessions.queue.get(job_id, project.id)
    return sessions.queue.current(project.id) or _as_written(project)


def _as_written(project: Project) -> JobView | None:
    """A view without an id: such a job can be looked at, but not stopped from here."""
    state = project.job_state or {}
    now = state.get("state")
    if now in ALIVE:
        now = "running" if project.has_job_elsewhere else BROKEN_OFF
    elif now not in ("failed", BROKEN_OFF):
        return None
    return JobView(
        id="",
        owner=project.id,
        title=project.name,
        state=now,
        place=0,
        ahead_seconds=None,
        progress=(0, 0),
        eta_seconds=None,
        events=(),
        log=(),
        error=str(state.get("error") or "") or None,
        result=None,
        seconds=0.0,
    )


def stop_training(sessions: Sessions, id: str, job_id: str) -> JobView:
    """Ask a training to stop; what it has learnt so far is kept as a version."""
    project = sessions.require(id)
    sessions.queue.stop(job_id, project.id)
    return sessions.queue.get(job_id, project.id)


def _ready(sessions: Sessions, id: str, visit: str | None, sheet: Sheet | Cells) -> Project:
    """The project with the grid kept in it, and nothing under way."""
    view = save_rows(sessions, id, visit, sheet)
    project = sessions.require(view.project)
    current = find_training(sessions, project.id)
    if current is not None and not current.finished:
        raise InputError(AT_WORK)
    return project


NUMBERS = {
    "epochs": "Rounds over all rows",
    "samples": "Rows to learn from",
    "learning_rate": "Learning rate",
    "retention": "Hold on to other sentences",
    "replay": "Known examples mixed in",
    "seed": "Seed",
}
"""The settings that are numbers, and what they are called on the page."""


def read_settings(form: Mapping[str, Any]) -> TeachSettings:
    """The settings of the form; an empty field is the usual value.

    Raises:
        InputError: a value that is not allowed.
    """
    numbers = {name: _number(name, form.get(name)) for name in NUMBERS}
    given = {name: number for name, number in numbers.items() if number is not None}
    base = form.get("base")
    return TeachSettings(
        method=str(form["method"]) if form.get("method") else None,
        base=str(base) if base else None,
        **given,
    )


def _number(name: str, text: Any) -> int | float | None:
    tidy = " ".join(str("" if text is None else text).split()).replace(",", ".")
    if not tidy:
        return None
    try:
        return float(tidy) if name in ("learning_rate", "retention") else int(tidy)
    except ValueError:
        raise InputError(
            f"“{NUMBERS[name]}” is “{shorten(tidy, 20)}”; a number is expected, or nothing."
        ) from None
