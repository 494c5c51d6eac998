"""Many sentences at once: a box to paste them into, and a table to take home."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import gradio as gr
from markupsafe import Markup

from symdemo.classifier import asking
from symdemo.data.tables import csv_text
from symdemo.errors import InputError
from symdemo.ui.shared.events import MODEL_EVENT, Problem, Updates, attempt, guarded
from symdemo.ui.shared.html import draw, draw_html
from symdemo.ui.shared.store import ModelStore
from symdemo.ui.shared.visitor import Visitor

if TYPE_CHECKING:
    from symdemo.classifier.asking import Answer

MOST = 50
MAX_PASTED = 50_000
"""Characters of everything pasted."""

COLUMNS = ("sentence", "swapped", "verdict", "share", "sure", "doubts")


def build_many(visitor: Visitor, model: gr.Dropdown) -> None:
    """Draw the box and connect it; the chosen model answers."""
    pasted = gr.Textbox(
        label=f"Sentences, one a line (up to {MOST})",
        placeholder="Kenya borders Uganda.\nAnn is Bob's mother.",
        lines=5,
        max_lines=12,
        max_length=MAX_PASTED,
        elem_id="many-sentences",
    )
    button = gr.Button("Check all of them", elem_id="check-many")
    table = draw_html(elem_id="many-table")

    def checked(_visit, text, model, project) -> Updates:
        return {table: many_panel(check_many(visitor.sessions.models(project), text, model))}

    inputs = [pasted, model, visitor.project]
    button.click(guarded(table, checked), inputs, table, **MODEL_EVENT)


def check_many(store: ModelStore, text: Any, model: str | None) -> list[tuple[str, Answer | str]]:
    """Each line with its answer, or with why it has none.

    Raises:
        InputError: nothing was pasted, or too much.
        ModelError: there is no such model.
    """
    lines = [" ".join(line.split()) for line in str(text or "")[: MAX_PASTED + 1].splitlines()]
    lines = [line for line in lines if line]
    if not lines:
        raise InputError("Nothing was pasted: give at least one sentence, each on its own line.")
    if len(lines) > MOST:
        raise InputError(f"{len(lines)} lines were pasted; at most {MOST} are checked at once.")
    classifier = store.get(model).classifier
    return [(line, found) for line, found in zip(lines, _answers(classifier, lines), strict=True)]


def _answers(classifier: Any, lines: Sequence[str]) -> list[Answer | str]:
    """All that can be read is judged in one pass; a line that the encoder refuses is told alone."""
    read = [attempt(asking.read, line) for line in lines]
    found: list[Answer | str] = []
    fit: list[asking.Question] = []
    for question in read:
        if not isinstance(question, Problem):
            checked = attempt(classifier.check, question.pair)
            question = checked if isinstance(checked, Problem) else question  # noqa: PLW2901
        if not isinstance(question, Problem):
            fit.append(question)
        found.append(question.message if isinstance(question, Problem) else "")
    answers = iter(asking.ask(classifier, fit) if fit else ())
    return [problem or next(answers) for problem in found]


def many_panel(rows: Sequence[tuple[str, Answer | str]]) -> Markup:
    """The table, and the same as a file."""
    file = quote("\ufeff" + to_csv(rows))
    answered = sum(not isinstance(found, str) for _, found in rows)
    return draw("try_it/many.html", rows=rows, answered=answered, file=file)


def to_csv(rows: Sequence[tuple[str, Answer | str]]) -> str:
    """The answers as CSV."""
    return csv_text([COLUMNS, *(_cells(line, found) for line, found in rows)])


def _cells(line: str, found: Answer | str) -> list[str]:
    if isinstance(found, str):
        return [line, "", "", "", "", found]
    pair, label, sure = found.prediction.pair, found.prediction.label, found.sure
    doubts = " ".join(found.doubts)
    return [line, pair.hypothesis, label, f"{found.share:.4f}", "yes" if sure else "no", doubts]
