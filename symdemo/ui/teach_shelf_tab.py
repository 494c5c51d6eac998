"""The tab “Teach”: how the versions are drawn, and what is taken away or brought along."""

from __future__ import annotations

from typing import Any

import gradio as gr

from symdemo.ui import teach_versions
from symdemo.ui.teach_handlers import Shelf
from symdemo.ui.teach_widgets import draw_html, draw_message, has_login

_PROGRAM = """client.predict("Kenya borders Uganda.", model="Version 1",
               project=KEY, api_name="/predict")"""


def draw_versions(values: dict[str, Any]) -> None:
    """Draw the table of versions and what can be done with one; the components go to `values`."""
    values["versions"] = draw_html(teach_versions.versions_panel(Shelf()), elem_id="versions")
    values["sure"] = gr.Checkbox(visible=False)
    with gr.Column(visible=False) as values["version_box"]:
        with gr.Row(elem_classes="tools"):
            values["version"] = gr.Dropdown(
                [], label="Version", filterable=False, min_width=220, elem_id="version"
            )
            values["use"] = gr.Button("Use it", min_width=100, elem_id="use")
            values["undo"] = gr.Button("Undo the last teaching", min_width=170, elem_id="undo")
            values["delete"] = gr.Button(
                "Delete it", variant="stop", min_width=100, elem_id="delete-version"
            )
        with gr.Row(elem_classes="tools"):
            values["new_name"] = gr.Textbox(
                label="Another name for it", max_length=80, min_width=220, elem_id="new-name"
            )
            values["rename"] = gr.Button("Rename it", min_width=100, elem_id="rename")
            values["other"] = gr.Dropdown(
                [], label="Compare it with", filterable=False, min_width=220, elem_id="other"
            )
        values["compared"] = draw_html(elem_id="compared", elem_classes="may-be-empty")
    values["version_problem"] = draw_message("version-problem")


def draw_away(values: dict[str, Any]) -> None:
    """Draw downloads, archives and the hub; the components go to `values`."""
    with gr.Accordion("Download", open=False):
        with gr.Row(elem_classes="tools"):
            values["save_project"] = gr.Button("Download the whole project", elem_id="save-project")
            values["save_model"] = gr.Button("Download the version in use", elem_id="save-model")
            for name in ("project_file", "model_file"):  # what a press has packed
                values[name] = gr.DownloadButton(visible="hidden")
        values["download_said"] = draw_message("download-said")
        draw_html(
            '<p class="quiet">The project holds your rows and all versions, to be opened here '
            "again. The version is a folder that symdemo and sentence-transformers load.</p>"
        )
    with gr.Accordion("Open a project, or begin another", open=False):
        values["archive"] = gr.File(
            label="A project that was downloaded here (.zip)",
            file_types=[".zip"],
            height=120,
            elem_id="archive",
        )
        values["open_archive"] = gr.Button("Open this project", size="md", elem_id="open-archive")
        draw_html(
            '<p class="quiet">It takes the place of the project in this browser, so download that '
            "one first.</p>"
        )
        with gr.Row(elem_classes="tools"):
            values["begin_anew"] = gr.Button("Begin an empty project", elem_id="begin-anew")
            values["delete_all"] = gr.Button(
                "Delete this project for good", variant="stop", elem_id="delete-all"
            )
        values["open_said"] = draw_message("open-said")
    with gr.Accordion("Ask it from a program", open=False):
        draw_html(
            '<p class="quiet">Programs reach this page’s address with <code>gradio_client</code>. '
            "Whoever has the key can read, change and delete your project, so keep it to "
            "yourself.</p>"
            f"<pre><code>{_PROGRAM}</code></pre>"
        )
        values["show_key"] = gr.Button("Show the key of this project", elem_id="show-key")
        values["key"] = gr.Textbox(
            label="Key", interactive=False, visible=False, buttons=["copy"], elem_id="key"
        )
        values["key_problem"] = draw_message("key-problem")
    with gr.Accordion("Push to the Hugging Face Hub", open=False):
        _draw_push(values)


def _draw_push(values: dict[str, Any]) -> None:
    with gr.Row(elem_classes="tools"):
        values["repository"] = gr.Textbox(
            label="Where to", placeholder="your-name/my-relations", max_length=200, min_width=200
        )
        values["token"] = gr.Textbox(
            label="Your token, with the right to write",
            info="Used for this once, and kept nowhere.",
            type="password",
            max_length=200,
            min_width=200,
            elem_id="token",
        )
    if has_login():
        gr.LoginButton(size="md")
        draw_html('<p class="quiet">Once signed in, you need no token.</p>')
    values["private"] = gr.Checkbox(True, label="Only I may see it", container=False)
    values["push"] = gr.Button("Push the version in use", elem_id="push")
    values["push_said"] = draw_message("push-said")
