"""The visitor of a page: the components that every tab shares, and rows added to their project."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import gradio as gr

from symdemo.ui.shared.sessions import Sessions

STORAGE_KEY = "symdemo-project"
STORAGE_SECRET = "symdemo: what this browser keeps"
"""Fixed, so that a browser can read its storage after the program restarts. The page receives it,
so it protects nothing: the stored id is the secret."""


@dataclass(frozen=True)
class Visitor:
    """The components that tell every tab whose page this is.

    Attributes:
        sessions: projects and jobs of all visitors.
        project: the id of this visitor's project, kept by their browser.
        chosen: changes when “Try it” should show another version or another name.
        offered: changed by an `AddRow`, after which the tab “Teach” shows the new row.
    """

    sessions: Sessions
    project: gr.BrowserState
    chosen: gr.Textbox
    offered: gr.Textbox

    @classmethod
    def draw(cls, sessions: Sessions) -> Visitor:
        """Make the components, inside a `gr.Blocks`."""
        project = gr.BrowserState("", storage_key=STORAGE_KEY, secret=STORAGE_SECRET)
        # The change of a gr.State triggers no event unless the event goes through the queue.
        chosen, offered = (
            gr.Textbox(visible="hidden", interactive=False, show_label=False) for _ in range(2)
        )
        return cls(sessions, project, chosen, offered)


@dataclass(frozen=True)
class AddedRow:
    """The result of adding a row to the visitor's project from another tab.

    Attributes:
        project: the id for the browser to keep.
        row: the number of the row in the table, from 1.
        message: what was done, in a sentence for the visitor.
        stamp: a new value for `Visitor.offered`.
    """

    project: str
    row: int
    message: str
    stamp: str


AddRow = Callable[..., AddedRow]
"""Adds a labelled pair of sentences to a visitor's project, or relabels an equal one; called with
the sessions, the project key, premise, hypothesis and label, and `visit`, the open page."""
