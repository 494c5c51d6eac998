"""The tab “Teach”: its components, and what all tabs share of one visitor."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import gradio as gr

from symdemo.ui.teach_sessions import TeachSessions
from symdemo.ui.teach_settings import NUMBERS

STORAGE_KEY = "symdemo-project"
STORAGE_SECRET = "symdemo: what this browser keeps"
"""Fixed, so that a browser can read what it kept after the program was started anew. The page is
sent it, so it protects nothing: the id that is kept is the secret."""

SETTINGS = ("method", "base", *NUMBERS)


@dataclass(frozen=True)
class Visitor:
    """What all tabs share of one visitor.

    Attributes:
        sessions: the projects and jobs of all visitors.
        project: the id of this visitor's project, kept by their browser.
        chosen: changes whenever another version, or another name, is to be seen in “Try it”.
        offered: to be changed by whoever puts a row into the project from outside the tab “Teach”,
            which then shows it; see `teach_receive`.
    """

    sessions: TeachSessions
    project: gr.BrowserState
    chosen: gr.Textbox
    offered: gr.Textbox

    @classmethod
    def draw(cls, sessions: TeachSessions) -> Visitor:
        """Make the components, inside a `gr.Blocks`."""
        project = gr.BrowserState("", storage_key=STORAGE_KEY, secret=STORAGE_SECRET)
        # A gr.State would not tell of its change where an event does not go through the queue.
        chosen, offered = (
            gr.Textbox(visible="hidden", interactive=False, show_label=False) for _ in range(2)
        )
        return cls(sessions, project, chosen, offered)


@dataclass(frozen=True)
class Widgets:
    """The components of the tab, by what they are for."""

    # rows
    grid: gr.HTML
    whole: gr.Checkbox
    report: gr.HTML
    merged: gr.HTML
    read_as: gr.HTML
    said: gr.HTML
    problem: gr.HTML
    asked_box: gr.Column
    asked: gr.State
    asked_text: gr.HTML
    use_meant: gr.Button
    keep_typed: gr.Button
    settled: gr.State
    paste_said: gr.HTML
    file_said: gr.HTML
    example_said: gr.HTML
    suggest: gr.Button
    tidy: gr.Button
    examples: tuple[gr.Button, ...]
    pasted: gr.Textbox
    paste: gr.Button
    table_file: gr.File
    mapping_box: gr.Column
    headed: gr.Checkbox
    mapping: tuple[gr.Dropdown, ...]
    preview: gr.HTML
    add_file: gr.Button
    suggestions_box: gr.Column
    suggestions: gr.HTML
    use_suggestions: gr.Button
    drop_suggestions: gr.Button
    seed: gr.State
    # teaching
    at_once: gr.Button
    retrain: gr.Button
    teach_problem: gr.HTML
    settings: tuple[Any, ...]
    plan: gr.State
    plan_box: gr.Column
    plan_text: gr.HTML
    plan_problem: gr.HTML
    start: gr.Button
    not_now: gr.Button
    job: gr.State
    seen: gr.State
    job_box: gr.Column
    job_text: gr.HTML
    job_problem: gr.HTML
    job_curve: gr.Plot
    job_log: gr.HTML
    stop: gr.Button
    timer: gr.Timer
    # changes and versions
    changes: gr.HTML
    judge_box: gr.Column
    judge: gr.Button
    judge_problem: gr.HTML
    every_row: gr.HTML
    curve_box: gr.Accordion
    curve: gr.Plot
    versions: gr.HTML
    version_box: gr.Column
    version: gr.Dropdown
    use: gr.Button
    undo: gr.Button
    new_name: gr.Textbox
    rename: gr.Button
    delete: gr.Button
    other: gr.Dropdown
    compared: gr.HTML
    version_problem: gr.HTML
    sure: gr.Checkbox
    # to take away and to bring along
    save_project: gr.Button
    project_file: gr.DownloadButton
    save_model: gr.Button
    model_file: gr.DownloadButton
    download_said: gr.HTML
    show_key: gr.Button
    key: gr.Textbox
    key_problem: gr.HTML
    archive: gr.File
    open_archive: gr.Button
    begin_anew: gr.Button
    delete_all: gr.Button
    open_said: gr.HTML
    repository: gr.Textbox
    token: gr.Textbox
    private: gr.Checkbox
    push: gr.Button
    push_said: gr.HTML


def has_login() -> bool:
    """Whether visitors can sign in with Hugging Face here: on a Space that asks for it."""
    return bool(os.environ.get("SPACE_ID") and os.environ.get("OAUTH_CLIENT_ID"))


def draw_message(elem_id: str) -> gr.HTML:
    """Where something is said about a press, beside what was pressed; empty until then."""
    return draw_html(elem_id=elem_id, elem_classes="may-be-empty")


def draw_html(value: str = "", **options: Any) -> gr.HTML:
    """A panel whose looks are the style sheet's alone."""
    return gr.HTML(value, apply_default_css=False, **options)
