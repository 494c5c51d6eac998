"""Steps 2 and 3 of the tab “Teach”, without Gradio: teach, watch, and the versions that come of it.

Every function takes the id that the browser keeps, and opens nothing but the project it opens.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from symdemo.errors import InputError
from symdemo.teaching.estimate import Estimate, estimate
from symdemo.teaching.instant import teach_project_instantly
from symdemo.teaching.job_state import JobView
from symdemo.teaching.project import Project, Version
from symdemo.teaching.retrain import teach_project
from symdemo.teaching.settings import TeachSettings
from symdemo.teaching.split import pairs_to_teach
from symdemo.teaching.start import find_start
from symdemo.ui.teach_rows import edit
from symdemo.ui.teach_sessions import TeachSessions
from symdemo.ui.teach_settings import read_settings
from symdemo.ui.teach_sheet import Cells, Sheet

NOTHING_YET = "There is no project yet; write a few rows first."
AT_WORK = "A training of yours is under way; wait for it, or stop it first."
BASE = "base"
"""Stands for the base model where versions are chosen from."""


@dataclass(frozen=True)
class Shelf:
    """The versions of a project, oldest first, the one in use, and the name of the base model."""

    versions: tuple[Version, ...] = ()
    selected: str | None = None
    base: str = ""
    project: str = ""

    def find(self, id: str | None) -> Version | None:
        """A version by its id; None for the base model and for one that is gone."""
        return next((version for version in self.versions if version.id == id), None)

    @property
    def current(self) -> Version | None:
        """The version in use."""
        return self.find(self.selected)

    def name(self, id: str | None) -> str:
        """What to call a version, or the base model."""
        if id is None:
            return f"Base model ({self.base})"
        found = self.find(id)
        return found.name if found else "a deleted version"

    def origin(self, version: Version) -> str:
        """What to call that which a version was made from."""
        return self.name(version.parent) if version.parent else f"Base model ({version.base})"


@dataclass(frozen=True)
class Plan:
    """A retraining as it would be done, what it starts from, and how long it would take."""

    project: str
    settings: TeachSettings
    estimate: Estimate
    start: str = ""


def shelf(sessions: TeachSessions, id: str) -> Shelf:
    """The versions of a project; an empty shelf for a visitor who has none."""
    project = sessions.find(id)
    if project is None:
        return Shelf()
    return Shelf(tuple(project.versions()), project.selected, project.base, project.id)


def teach_at_once(
    sessions: TeachSessions, id: str, visit: str | None, sheet: Sheet | Cells
) -> tuple[str, Version]:
    """Keep the grid, teach its rows at once, and return the project's id and the new version."""
    project = _ready(sessions, id, visit, sheet)
    return project.id, teach_project_instantly(project)


def plan(
    sessions: TeachSessions,
    id: str,
    visit: str | None,
    sheet: Sheet | Cells,
    form: Mapping[str, Any],
) -> Plan:
    """Keep the grid and say how long a retraining of its rows would take; nothing starts yet.

    Where nothing else was chosen it starts from the version in use.

    Raises:
        InputError: rows or settings that cannot be used, or a training that would take too long.
    """
    project = _ready(sessions, id, visit, sheet)
    settings = read_settings(form).check(sessions.limits)
    sessions.limits.check_versions(len(project.versions()) + 1)
    start = find_start(project, settings.base or project.selected)
    # Settled now: another version may be in use once it is its turn.
    settings = replace(settings, base=start.version or start.base)
    base = start.model(project)
    found = estimate(base, pairs_to_teach(project.rows, base, sessions.limits), settings)
    sessions.limits.check_job_minutes(found.seconds / 60)
    return Plan(project.id, settings, found, start.name)


def start(sessions: TeachSessions, id: str, planned: Plan) -> JobView:
    """Put a planned retraining into the queue."""
    if not isinstance(planned, Plan) or planned.project != id:
        raise InputError("There is no plan to start; press “Retrain” again.")
    project = _project(sessions, id)
    job = sessions.queue.submit(
        project.id,
        project.name,
        lambda handle: teach_project(project, planned.settings, handle),
        project.save_job_state,
        planned.estimate.seconds,
    )
    return sessions.queue.get(job, project.id)


def job(sessions: TeachSessions, id: str, job_id: str = "") -> JobView | None:
    """How a project's training stands; its latest one where no job is named.

    One that the queue no longer knows is told of as it was written down: its program has ended.
    """
    project = sessions.find(id)
    if project is None:
        return None
    if job_id:
        return sessions.queue.get(job_id, project.id)
    return sessions.queue.current(project.id) or _as_written(project)


def _as_written(project: Project) -> JobView | None:
    state = project.job_state
    if not isinstance(state, dict) or state.get("state") not in ("failed", "broken off"):
        return None
    return JobView(
        id="",
        owner=project.id,
        title=project.name,
        state=state["state"],
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


def stop(sessions: TeachSessions, id: str, job_id: str) -> JobView:
    """Ask a training to stop; what it has learnt so far is kept as a version."""
    project = _project(sessions, id)
    sessions.queue.stop(job_id, project.id)
    return sessions.queue.get(job_id, project.id)


def select(sessions: TeachSessions, id: str, version: str | None) -> Shelf:
    """Use a version, or the base model."""
    _project(sessions, id).select(_version(version))
    return shelf(sessions, id)


def undo(sessions: TeachSessions, id: str) -> Shelf:
    """Go back to what the version in use was made from."""
    _project(sessions, id).undo()
    return shelf(sessions, id)


def rename(sessions: TeachSessions, id: str, version: str | None, name: str) -> Shelf:
    """Call a version something else."""
    _project(sessions, id).rename_version(_own_version(version), name)
    return shelf(sessions, id)


def delete(sessions: TeachSessions, id: str, version: str | None) -> Shelf:
    """Remove a version."""
    _project(sessions, id).delete_version(_own_version(version))
    return shelf(sessions, id)


def remove(sessions: TeachSessions, id: str) -> None:
    """Delete a project with all that is in it; a training of it is stopped."""
    project = _project(sessions, id)
    current = sessions.queue.current(project.id)
    if current is not None and not current.finished:
        sessions.queue.stop(current.id, project.id)
    sessions.projects.delete(project.id)


def _version(chosen: str | None) -> str | None:
    if not chosen:
        raise InputError("No version was chosen; choose one first.")
    return None if chosen == BASE else chosen


def _own_version(chosen: str | None) -> str:
    version = _version(chosen)
    if version is None:
        raise InputError("The base model stays as it is; choose one of your own versions.")
    return version


def _project(sessions: TeachSessions, id: str) -> Project:
    project = sessions.find(id)
    if project is None:
        raise InputError(NOTHING_YET)
    return project


def _ready(sessions: TeachSessions, id: str, visit: str | None, sheet: Sheet | Cells) -> Project:
    """The project with the grid kept in it, and nothing under way."""
    desk = edit(sessions, id, visit, sheet)
    if not desk.project:
        raise InputError(NOTHING_YET)
    project = _project(sessions, desk.project)
    current = sessions.queue.current(project.id)
    if current is not None and not current.finished:
        raise InputError(AT_WORK)
    return project
