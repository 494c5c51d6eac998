"""The endpoint `/teach` for programs: teach rows instantly, and query other sentences."""

from __future__ import annotations

from collections.abc import Callable

import gradio as gr

from symdemo.classifier import asking
from symdemo.errors import InputError
from symdemo.teaching.instant import teach_instantly, teach_project_instantly
from symdemo.teaching.row_sources import read_lines
from symdemo.teaching.rows import pairs_to_teach
from symdemo.text import check_is_text
from symdemo.ui.shared.events import Problem, bounded
from symdemo.ui.shared.sessions import Sessions

TEACH = "teach"
NEW = "new"
"""Value of `project` that creates one; no key is this short."""

MAX_QUESTIONS = 50


def make_teach(sessions: Sessions) -> Callable[[str, str, str], dict]:
    """Make the function of `/teach`."""

    def teach(rows: str, ask: str = "", project: str = "") -> dict:
        """Teach the model relations of your own instantly, without retraining.

        Args:
            rows: one per line: subject, relation, object, label; or premise, hypothesis, label;
                or premise, label. Separated by commas, semicolons, | or tabs. A label is
                entailment, contradiction, neutral (or yes, no, maybe), or a name of your own.
            ask: sentences for the taught model, one per line; they are swapped for you.
            project: the key of a project, which gets the new rows and a new version, or stays as
                it is if the rows are refused; “new” creates a project; without one nothing is
                saved.

        Returns:
            labels of the taught model, comparison (own_before, own_after, benchmark_before,
            benchmark_after, drift, probes, …), verdicts on `ask`, version (its id in the project,
            or null), and project (the key, or null; keep it, as nothing else opens the project,
            here and at /predict).
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
        raise InputError(
            f"There are {len(questions)} sentences to query; at most {MAX_QUESTIONS} are allowed."
        )
    base = sessions.projects.base_model()
    project = None if id == NEW else sessions.find(id)
    if id == NEW:
        pairs_to_teach(rows, base, sessions.limits)  # if they cannot be taught, create no project
        project = sessions.begin(sessions.projects.create)
    if project is None:
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
