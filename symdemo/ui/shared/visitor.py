"""The visitor of a page: the components that every tab shares, and rows added to their project."""

from __future__ import annotations

from dataclasses import dataclass

import gradio as gr

from symdemo.teaching.project import Project
from symdemo.teaching.rows import TeachRow, labelled_pair, read_label, rows_of_pairs
from symdemo.text import shorten
from symdemo.ui.shared.sessions import Sessions

STORAGE_KEY = "symdemo-project"
STORAGE_SECRET = "symdemo: what this browser keeps"
"""Fixed, so that a browser can read its storage after the program restarts. The page receives it,
so it protects nothing: the stored id is the secret."""


@dataclass(frozen=True)
class Visitor:
    """The components that tell every tab whose page this is."""

    sessions: Sessions  # projects and jobs of all visitors
    project: gr.BrowserState  # the id of this visitor's project, kept by their browser
    chosen: gr.Textbox  # changes when “Try it” should show another version or another name
    offered: gr.Textbox  # given the stamp of an added row, after which the tab “Teach” shows it
    opened: gr.Textbox  # given a stamp as a page opens whose browser has a project

    @classmethod
    def draw(cls, sessions: Sessions) -> Visitor:
        """Make the components, inside a `gr.Blocks`."""
        project = gr.BrowserState("", storage_key=STORAGE_KEY, secret=STORAGE_SECRET)
        # The change of a gr.State triggers no event unless the event goes through the queue.
        stamps = (
            gr.Textbox(visible="hidden", interactive=False, show_label=False) for _ in range(3)
        )
        return cls(sessions, project, *stamps)


def add_row(
    sessions: Sessions,
    project_key: str,
    premise: str,
    hypothesis: str,
    label: str,
    visit: str | None = None,
) -> tuple[Project, str]:
    """Save a labelled pair in a visitor's project; return it, and what was done in a sentence.

    The first pair creates the project. A row of the same two sentences is not repeated: it gets the
    new label. `project_key` is what the browser keeps, `visit` the open page, as in
    `Sessions.find_or_create`. `InputError` for sentences or a label that cannot be taught, or no
    room for another row; nothing is changed then, and no project created.
    """
    label = read_label(sessions.limits.check_label(label))
    pair = labelled_pair(TeachRow(premise=premise, hypothesis=hypothesis, label=label))
    sessions.checker(None)(pair)
    (row,) = rows_of_pairs([pair])
    for name in ("subject", "relation", "object", "premise", "hypothesis"):
        sessions.limits.check_text(name, getattr(row, name))
    project = sessions.find_or_create(project_key, visit)
    with project.changing():
        table, place, had = project.table.labelled(row)
        project.change_table(lambda _: table)
    message = f"Row {place + 1} of your rows now says “{shorten(label, 40)}”."
    if had is None:
        message = f"Saved as row {place + 1}, with the label “{shorten(label, 40)}”."
    elif had == label:
        message = f"Row {place + 1} of your rows says so already."
    return project, message
