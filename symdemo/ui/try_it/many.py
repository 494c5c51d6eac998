"""Many sentences at once: a box to paste them into, and a table to download."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any
from urllib.parse import quote

import gradio as gr
from markupsafe import Markup

from symdemo.classifier import asking
from symdemo.classifier.asking import Answer
from symdemo.data.text_rows import csv_text
from symdemo.errors import InputError
from symdemo.ui.shared import events
from symdemo.ui.shared.events import Problem, Updates, attempt_all, guarded
from symdemo.ui.shared.html import draw, draw_html
from symdemo.ui.shared.store import Models
from symdemo.ui.shared.visitor import Visitor

MOST = 50
MAX_PASTED = 50_000  # characters of all sentences together

COLUMNS = ("sentence", "swapped", "verdict", "share", "sure", "doubts")


def build_many(visitor: Visitor, model: gr.Dropdown) -> None:
    """Draw the box and connect it; the chosen model answers."""
    pasted = gr.Textbox(
        label=f"Sentences, one per line (up to {MOST})", lines=5, max_lines=12,
        placeholder="Kenya borders Uganda.\nAnn is Bob's mother.", max_length=MAX_PASTED,
    )  # fmt: skip
    button = gr.Button("Check all of them", elem_id="check-many")
    table = draw_html(elem_id="many-table")

    def checked(_visit, text, model, project) -> Updates:
        return {table: many_panel(check_many(visitor.sessions.models(project), text, model))}

    inputs = [pasted, model, visitor.project]
    button.click(guarded(table, checked), inputs, table, **events.MODEL)


def check_many(store: Models, text: Any, model: str | None) -> list[tuple[str, Answer | str]]:
    """Return each line with its answer, or why it has none; `InputError` for none or too many."""
    lines = [" ".join(line.split()) for line in str(text or "")[: MAX_PASTED + 1].splitlines()]
    lines = [line for line in lines if line]
    if not lines:
        raise InputError("Paste at least one sentence, each on its own line.")
    if len(lines) > MOST:
        raise InputError(f"{len(lines)} lines were pasted; at most {MOST} are checked at a time.")
    classifier = store.get(model).classifier

    def question(line: str) -> asking.Question:
        found = asking.read(line)
        if not found.changes_nothing:
            classifier.check(found.pair)
        return found

    answers = attempt_all(question, lines, partial(asking.ask, classifier))
    found = [one.message if isinstance(one, Problem) else one for one in answers]
    return list(zip(lines, found, strict=True))


def many_panel(rows: Sequence[tuple[str, Answer | str]]) -> Markup:
    """Render the table, and a file of it to download."""
    file = quote("\ufeff" + to_csv(rows))
    answered = sum(not isinstance(found, str) for _, found in rows)
    return draw("try_it/many.html", rows=rows, answered=answered, file=file)


def to_csv(rows: Sequence[tuple[str, Answer | str]]) -> str:
    """Return the answers as CSV."""
    return csv_text([COLUMNS, *(_cells(line, found) for line, found in rows)])


def _cells(line: str, found: Answer | str) -> list[str]:
    if isinstance(found, str):
        return [line, "", "", "", "", found]
    hypothesis, doubts = found.prediction.pair.hypothesis, " ".join(found.doubts)
    if not found.in_scope:
        return [line, hypothesis, "none", "", "no", doubts]
    label, sure = found.prediction.label, "yes" if found.sure else "no"
    return [line, hypothesis, label, f"{found.share:.4f}", sure, doubts]
