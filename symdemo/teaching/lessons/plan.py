"""A retraining of a project as it is announced and then done: its rows are read here, once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from symdemo.teaching.lessons.estimate import Estimate, estimate_lesson
from symdemo.teaching.lessons.lesson import Lesson
from symdemo.teaching.lessons.settings import DEFAULT_SETTINGS, TeachSettings
from symdemo.teaching.lessons.split import pairs_to_teach
from symdemo.teaching.lessons.start import Start, find_start

if TYPE_CHECKING:
    from symdemo.teaching.projects.project import Project


@dataclass(frozen=True, slots=True)
class Plan:
    """A retraining that can wait: edits of the table after it was made change nothing about it.

    Attributes:
        project: the id of the project.
        start: the model that is retrained.
        lesson: the pairs in their parts, and the settings.
        rows: lines of the table that the pairs were read from.
        estimate: how long it will take; None where that was not asked for.
    """

    project: str
    start: Start
    lesson: Lesson
    rows: int
    estimate: Estimate | None = None


def make_plan(
    project: Project, settings: TeachSettings = DEFAULT_SETTINGS, timed: bool = True
) -> Plan:
    """Read, check and split the rows of a project, and say how long training on them will take.

    Args:
        project: whose rows, and from one of whose models.
        settings: the person's choices; `settings.base` names the model to start from.
        timed: whether to estimate the time, which makes two real steps where none were timed yet.

    Raises:
        InputError: rows that cannot be taught, settings or a time beyond the limits, nothing of the
            name that `settings.base` gives, or no room for another version.
        ModelError: the model to start from is damaged.
    """
    limits = project.limits
    limits.check_versions(len(project.versions()) + 1)
    start = find_start(project, settings.check(limits).base)
    base, rows = start.model(project), project.rows
    lesson = Lesson.of(base, pairs_to_teach(rows, base, limits), settings)
    estimate = estimate_lesson(base, lesson) if timed else None
    if estimate is not None:
        limits.check_job_minutes(estimate.seconds / 60)
    return Plan(project.id, start, lesson, len(rows), estimate)
