"""What all tabs know of one visitor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import gradio as gr

from symdemo.ui.shared.sessions import Sessions

STORAGE_KEY = "symdemo-project"
STORAGE_SECRET = "symdemo: what this browser keeps"
"""Fixed, so that a browser can read what it kept after the program was started anew. The page is
sent it, so it protects nothing: the id that is kept is the secret."""


@dataclass(frozen=True)
class Visitor:
    """The components that tell every tab whose page this is.

    Attributes:
        sessions: the projects and jobs of all visitors.
        project: the id of this visitor's project, kept by their browser.
        chosen: changes whenever another version, or another name, is to be seen in “Try it”.
        offered: to be changed by whoever puts a row into the project from outside the tab “Teach”,
            which then shows it; see `AddRow`.
    """

    sessions: Sessions
    project: gr.BrowserState
    chosen: gr.Textbox
    offered: gr.Textbox

    @classmethod
    def draw(cls, sessions: Sessions) -> Visitor:
        """Make the components, inside a `gr.Blocks`."""
        project = gr.BrowserState("", storage_key=STORAGE_KEY, secret=STORAGE_SECRET)
        # A gr.State would not tell of its change where an event does not go through the queue.
        chosen, offered = (
            gr.Textbox(visible="hidden", interactive=False, show_label=False) for _ in range(2)
        )
        return cls(sessions, project, chosen, offered)


@dataclass(frozen=True)
class AddedRow:
    """What became of a row that another tab put into the visitor's project.

    Attributes:
        project: the id that the browser is to keep.
        row: its number in the table, from 1.
        message: what was done, in a sentence for the visitor.
        stamp: a new value for `Visitor.offered`, which lets the tab “Teach” draw its rows anew.
    """

    project: str
    row: int
    message: str
    stamp: str


class AddRow(Protocol):
    """Puts a pair of sentences with its label into a visitor's project."""

    def __call__(
        self,
        sessions: Sessions,
        project_key: str,
        premise: str,
        hypothesis: str,
        label: str,
        *,
        visit: str | None = None,
    ) -> AddedRow:
        """Add the row, or relabel the one that says the same."""
