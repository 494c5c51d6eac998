"""The named endpoint `/teach`, for programs: teach a few rows at once, and ask about others."""

from __future__ import annotations

from collections.abc import Callable

import gradio as gr

from symdemo.classifier import asking
from symdemo.errors import InputError
from symdemo.teaching.instant import teach_instantly, teach_project_instantly
from symdemo.teaching.project import Project
from symdemo.teaching.row_check import pairs_to_teach
from symdemo.teaching.row_sources import read_lines
from symdemo.teaching.rows import TeachRow
from symdemo.text import check_is_text
from symdemo.ui.shared.events import Problem, bounded
from symdemo.ui.shared.sessions import Sessions

TEACH = "teach"
NEW = "new"
"""Given for the key of a project, it begins one; no key is so short."""

MAX_QUESTIONS = 50


def make_teach(sessions: Sessions) -> Callable[[str, str, str], dict]:
    """The function behind `/teach`."""

    def teach(rows: str, ask: str = "", project: str = "") -> dict:
        """Teach the model relations of your own at once, without retraining.

        Args:
            rows: a line for each: subject, relation, object, label; or premise, hypothesis, label;
                or premise, label. Separated by commas, semicolons, | or tabs. A label is
                entailment, contradiction, neutral (or yes, no, maybe), or a name of your own.
            ask: sentences to ask the taught model about, one on a line; they are swapped for you.
            project: the key of a project, which gets the rows added that it has not yet, and a new
                version, or stays as it is where these rows are refused; “new” for a project to
                begin with; without one nothing is kept.

        Returns:
            labels that the taught model can answer with, comparison (own_before, own_after,
            benchmark_before, benchmark_after, drift, probes, …), verdicts on what was asked,
            version (its id in the project, or null), and project (the key, or null; keep it: it is
            all that opens the project, here and at /predict).
        """
        found = bounded(_teach, sessions, rows, ask, project, long=True)
        if isinstance(found, Problem):
            raise gr.Error(found.message, print_exception=False)
        return found

    return teach


def _teach(sessions: Sessions, text: str, ask: str, id: str) -> dict:
    check_is_text(ask=ask)
    rows, problems = read_lines(text, sessions.limits)
    if problems:
        raise InputError(problems[0].message)
    questions = [asking.read(line) for line in ask.splitlines() if line.strip()]
    if len(questions) > MAX_QUESTIONS:
        raise InputError(f"{len(questions)} sentences were asked; at most {MAX_QUESTIONS} are.")
    project = _begin(sessions, rows) if id == NEW else sessions.find(id)
    if project is None:
        base = sessions.projects.base_model()
        model, comparison = teach_instantly(base, pairs_to_teach(rows, base, sessions.limits))
        version, scores = None, comparison.to_json()
    else:
        made = teach_project_instantly(project, rows)
        model, version, scores = project.model(made.id), made.id, made.scores
    verdicts = asking.ask(model, questions) if questions else []
    return {
        "labels": list(model.labels),
        "comparison": scores,
        "verdicts": [found.prediction.to_json() for found in verdicts],
        "version": version,
        "project": project.id if project else None,
    }


def _begin(sessions: Sessions, rows: list[TeachRow]) -> Project:
    """A new project; where the rows cannot be taught it is not even begun."""
    pairs_to_teach(rows, sessions.projects.base_model(), sessions.limits)
    return sessions.begin(sessions.projects.create)
