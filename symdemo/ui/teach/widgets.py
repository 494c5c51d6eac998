"""The tab “Teach”: its components, and what all tabs share of one visitor."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import gradio as gr


@dataclass(frozen=True)
class Widgets:
    """The components of the tab, by what they are for."""

    # rows
    grid: gr.HTML
    whole: gr.Checkbox
    report: gr.HTML
    merged: gr.HTML
    read_as: gr.HTML
    rows_message: gr.HTML
    lost_box: gr.Column
    lost_text: gr.HTML
    begin_new: gr.Button
    problem: gr.HTML
    asked_box: gr.Column
    asked: gr.State
    asked_text: gr.HTML
    use_meant: gr.Button
    keep_typed: gr.Button
    settled: gr.State
    paste_message: gr.HTML
    file_message: gr.HTML
    example_message: gr.HTML
    suggest: gr.Button
    tidy: gr.Button
    examples: dict[str, gr.Button]  # by the id of the example
    pasted: gr.Textbox
    paste: gr.Button
    table_file: gr.File
    mapping_box: gr.Column
    headed: gr.Checkbox
    mapping: dict[str, gr.Dropdown]  # by the field of a row
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
    settings: dict[str, Any]  # by the name of the setting
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
    download_message: gr.HTML
    show_key: gr.Button
    key: gr.Textbox
    key_problem: gr.HTML
    typed_key: gr.Textbox
    open_key: gr.Button
    archive: gr.File
    open_archive: gr.Button
    begin_anew: gr.Button
    delete_all: gr.Button
    open_message: gr.HTML
    repository: gr.Textbox
    token: gr.Textbox
    private: gr.Checkbox
    push: gr.Button
    push_message: gr.HTML


def has_login() -> bool:
    """Whether visitors can sign in with Hugging Face here: on a Space that asks for it."""
    return bool(os.environ.get("SPACE_ID") and os.environ.get("OAUTH_CLIENT_ID"))
