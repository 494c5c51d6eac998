"""The layout of the Teach tab: rows on the left, teaching and versions in sight on the right."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import gradio as gr

from symdemo.data.columns import ORDERS
from symdemo.data.text_rows import ENDINGS
from symdemo.teaching.limits import Limits
from symdemo.teaching.row_sources import EXAMPLES
from symdemo.teaching.rows import FIELDS
from symdemo.training.methods import METHODS
from symdemo.ui.shared.about import METHODS_IN_WORDS, convention_panel
from symdemo.ui.shared.events import Problem, attempt
from symdemo.ui.shared.html import draw, draw_html, draw_message
from symdemo.ui.shared.store import ModelStore
from symdemo.ui.shared.visitor import Visitor
from symdemo.ui.teach.events import connect, has_login
from symdemo.ui.teach.grid import FIELD_NAMES, draw_grid
from symdemo.ui.teach.page import STOP, start_choices
from symdemo.ui.teach.panels import changes_panel, report_panel
from symdemo.ui.teach.training import NUMBERS
from symdemo.ui.teach.versions import VersionList

POLL_SECONDS = 1.0
METHOD_CHOICES = [
    ("default", ""),
    *((f"{METHODS_IN_WORDS[name]} ({name})", name) for name in METHODS),
]


def build_teach_tab(store: ModelStore, demo: gr.Blocks, visitor: Visitor) -> None:
    """Draw the tab and connect it."""
    connect(_draw(visitor.sessions.limits, store), visitor)


def _draw(limits: Limits, store: ModelStore) -> SimpleNamespace:
    """Draw the tab, and return its components by name."""
    values: dict[str, Any] = {"sure": gr.Checkbox(visible=False)}
    draw_html(draw("teach/lead.html"))
    with gr.Row(elem_classes="panes"):
        with gr.Column(scale=7, min_width=320):
            _draw_rows(values)
            _draw_import(values)
            draw_html(convention_panel(), elem_id="labels-mean")
            with gr.Accordion(
                "More: train deeper, key, hub, limits", open=False, elem_id="teach-more"
            ):
                _draw_retraining(values, store)
                _draw_transfers(values)
                draw_html(draw("teach/limits.html", limits=limits))
        with gr.Column(scale=5, min_width=320, elem_id="teach-side"):
            _draw_teaching(values)
            _draw_versions(values)
    values["timer"] = gr.Timer(POLL_SECONDS, active=False)
    return SimpleNamespace(**values)


def _draw_rows(values: dict[str, Any]) -> None:
    values["grid"] = draw_grid("Your relations", "teach-grid")
    for name in ("problem", "merged", "read_as"):
        values[name] = draw_message(f"rows-{name.replace('_', '-')}")
    with gr.Column(visible=False, elem_classes="asked", elem_id="lost") as values["lost_box"]:
        values["lost_text"] = draw_html()
        values["begin_new"] = gr.Button(
            "Begin a new project with the rows on this page", size="sm", elem_id="begin-new"
        )
    _draw_asked(values)
    values["examples"] = {}
    with gr.Row(elem_classes="small-buttons"):
        values["tidy"] = gr.Button("Remove blanks and duplicates", size="sm", min_width=110)
        for example in EXAMPLES:
            values["examples"][example] = gr.Button(
                f"Example: {example}", size="sm", min_width=90, elem_id=f"example-{example}"
            )
    values["whole"] = gr.Checkbox(
        label="Show whole-sentence columns",
        info="The second may be any about the same two things; empty, it is the swap.",
        container=False,
        elem_id="whole",
    )
    values["rows_message"] = draw_message("rows-said")


def _draw_asked(values: dict[str, Any]) -> None:
    """Draw the question about a label that is probably mistyped."""
    values |= {"asked": gr.State(None), "settled": gr.State([])}
    with gr.Column(visible=False, elem_classes="asked", elem_id="asked") as values["asked_box"]:
        values["asked_text"] = draw_html()
        with gr.Row(elem_classes="small-buttons"):
            values["use_meant"] = gr.Button(size="sm", min_width=110, elem_id="use-meant")
            values["keep_typed"] = gr.Button(size="sm", min_width=110, elem_id="keep-typed")


def _draw_import(values: dict[str, Any]) -> None:
    """Draw the import of pasted lines or of a file, with a preview of the rows."""
    with gr.Accordion("Import", open=False, elem_id="import"):
        values["table_file"] = gr.File(
            label="CSV, Excel, text, JSON or Parquet",
            file_types=list(ENDINGS),
            height=120,
            elem_id="table-file",
        )
        values["pasted"] = gr.Textbox(
            label="Or paste lines: subject, relation, object, label",
            info="Or: sentence, second sentence, label. Or: sentence, label. Commas, semicolons, | "
            "or tabs between them.",
            placeholder="Ann, is married to, Bob, yes\nCora, is the boss of, Dan, no",
            lines=4,
            max_lines=12,
            elem_id="pasted",
        )
        with gr.Column(visible=False) as values["mapping_box"]:
            draw_html(
                '<p class="quiet">Which column holds what? Give subject, relation and object, or '
                "the whole sentence; the label always.</p>"
            )
            values["headed"] = gr.Checkbox(
                label="The first line names the columns", container=False, elem_id="headed"
            )
            with gr.Row():
                values["mapping"] = {
                    name: gr.Dropdown(
                        [], label=FIELD_NAMES[name], min_width=140, elem_id=f"map-{name}"
                    )
                    for name in FIELDS
                }
            orders = [", ".join(f"{n} = {o}" for n, o in enumerate(t.split(","))) for t in ORDERS]
            values["order"] = gr.Dropdown(
                list(zip(orders, ORDERS, strict=True)),
                label="What 0, 1 and 2 mean",
                visible=False,
                elem_id="label-order",
            )
        values["preview"] = draw_html(elem_id="preview")
        values["add"] = gr.Button("Add these rows", size="md", elem_id="add-rows")
        values["import_message"] = draw_message("import-said")


def _draw_teaching(values: dict[str, Any]) -> None:
    """Draw what is ready, the button, what runs, and before and after."""
    with gr.Column(elem_classes="card", elem_id="teach-bar"):
        values["report"] = draw_html(report_panel(None), elem_id="report")
        values["teach_problem"] = draw_message("teach-problem")
        with gr.Row(elem_classes="small-buttons"):
            values["instant"] = gr.Button("Teach now", variant="primary", elem_id="instant")
            values["undo"] = gr.Button("Undo", visible=False, min_width=90, elem_id="undo")
        values |= {"job": gr.State(""), "seen": gr.State("")}
        with gr.Column(visible=False, elem_id="job") as values["job_box"]:
            values["job_text"] = draw_html(elem_id="job-text")
            values["stop"] = gr.Button(STOP, size="sm", elem_id="stop")
            values["job_problem"] = draw_message("job-problem")
            with gr.Accordion("Curve and log", open=False, elem_id="job-more") as values[
                "job_more"
            ]:
                values["job_curve"] = gr.Plot(
                    show_label=False, container=False, visible=False, elem_id="job-curve"
                )
                values["job_log"] = draw_html(elem_id="job-log")
    values["changes"] = draw_html(changes_panel(VersionList()), elem_id="changes")
    with gr.Accordion("How it learnt", open=False, visible=False) as values["curve_box"]:
        values["curve"] = gr.Plot(show_label=False, container=False, elem_id="curve")


def _draw_retraining(values: dict[str, Any], store: ModelStore) -> None:
    """Draw deeper training: its settings, and the plan to confirm."""
    with gr.Accordion("Train deeper", open=False, elem_id="deeper"):
        draw_html(
            '<p class="quiet">Takes minutes. Use it if “Teach now” isn’t enough. May shift a few '
            "other answers. You see how long it takes before it starts.</p>"
        )
        _draw_settings(values, store)
        values["retrain"] = gr.Button("Train deeper…", elem_id="retrain")
        values["retrain_problem"] = draw_message("retrain-problem")
        values["plan"] = gr.State(None)
        with gr.Column(visible=False, elem_id="plan") as values["plan_box"]:
            values["plan_text"] = draw_html()
            with gr.Row(elem_classes="small-buttons"):
                values["start"] = gr.Button("Start training", variant="primary", elem_id="start")
                values["not_now"] = gr.Button("Not now", elem_id="not-now")
            values["plan_problem"] = draw_message("plan-problem")


def _draw_settings(values: dict[str, Any], store: ModelStore) -> None:
    cards = attempt(store.cards)
    starts, usual = start_choices(VersionList(), {} if isinstance(cards, Problem) else cards)
    with gr.Row():
        method = gr.Dropdown(METHOD_CHOICES, value="", label="How it decides", filterable=False)
        base = gr.Dropdown(
            starts,
            value=usual,
            label="Start from",
            info="The version in use, another of yours, or a built-in model.",
            filterable=False,
            elem_id="start-from",
        )
    with gr.Row():
        numbers = {
            name: gr.Textbox(
                label=label, placeholder="default", max_length=20, min_width=150, lines=1
            )
            for name, label in NUMBERS.items()
        }
    values["settings"] = {"method": method, "base": base, **numbers}


_PROGRAM = """client.predict("Kenya borders Uganda.", model="Version 1",
               project=KEY, api_name="/predict")"""


def _draw_versions(values: dict[str, Any]) -> None:
    """Draw the list of versions, which is also the choice of the one in use."""
    with gr.Column(elem_id="versions"):
        values["no_version"] = draw_html(
            '<p class="quiet">No version yet. Each time you teach, a version is saved.</p>'
        )
        with gr.Column(visible=False) as values["version_box"]:
            values["version"] = gr.Radio(
                [], label="Versions", info="The marked one is in use.", elem_id="version"
            )
            with gr.Accordion("Rename, compare, test, delete", open=False):
                with gr.Row(elem_classes="tools"):
                    values["new_name"] = gr.Textbox(
                        label="New name", max_length=80, min_width=140, elem_id="new-name"
                    )
                    values["rename"] = gr.Button("Rename", min_width=90, elem_id="rename")
                values["other"] = gr.Dropdown(
                    [], label="Compare with", filterable=False, elem_id="other"
                )
                with gr.Row(elem_classes="small-buttons"):
                    values["judge"] = gr.Button("Test every row", size="sm", elem_id="judge")
                    values["delete"] = gr.Button(
                        "Delete this version", variant="stop", size="sm", elem_id="delete-version"
                    )
        values["version_problem"] = draw_message("version-problem")
        values["compared"] = draw_html(elem_id="compared", elem_classes="may-be-empty")


def _draw_transfers(values: dict[str, Any]) -> None:
    """Draw downloads, archives, keys and the hub."""
    with gr.Accordion("Download", open=False):
        with gr.Row(elem_classes="tools"):
            values["save_project"] = gr.Button("Download the whole project", elem_id="save-project")
            values["save_model"] = gr.Button("Download the version in use", elem_id="save-model")
            values["packed"] = gr.DownloadButton(visible=False)
        values["download_message"] = draw_message("download-said")
        draw_html(
            '<p class="quiet">The project holds your rows and all versions, to be opened here '
            "again. The version is a folder that symdemo and sentence-transformers load.</p>"
        )
    with gr.Accordion("Open or begin another project", open=False):
        with gr.Row(elem_classes="tools"):
            values["typed_key"] = gr.Textbox(
                label="Project key",
                placeholder="7k2m-q9xd-04ct-hv8w-m3rs",
                max_length=80,
                min_width=220,
                elem_id="typed-key",
            )
            values["open_key"] = gr.Button("Open by key", min_width=120, elem_id="open-key")
        values["archive"] = gr.File(
            label="A project that was downloaded here (.zip)",
            file_types=[".zip"],
            height=120,
            elem_id="archive",
        )
        values["open_archive"] = gr.Button("Open this project", size="md", elem_id="open-archive")
        draw_html(
            '<p class="quiet">What you open takes the place of the project in this browser, so '
            "download that one, or copy its key, first.</p>"
        )
        with gr.Row(elem_classes="tools"):
            values["begin_anew"] = gr.Button("Begin an empty project", elem_id="begin-anew")
            values["delete_all"] = gr.Button(
                "Delete this project", variant="stop", elem_id="delete-all"
            )
        values["open_message"] = draw_message("open-said")
    with gr.Accordion("Project key", open=False):
        draw_html(
            '<p class="quiet">Copy the key or write it down: it opens your project in another '
            "browser or a program. Anyone who has the key can read, change and delete your "
            "project, so keep it private.</p>"
        )
        values["show_key"] = gr.Button("Show key", elem_id="show-key")
        values["key"] = gr.Textbox(
            label="Key", interactive=False, visible=False, buttons=["copy"], elem_id="key"
        )
        values["key_problem"] = draw_message("key-problem")
        draw_html(
            '<p class="quiet">Programs reach this page’s address with <code>gradio_client</code>.'
            f"</p><pre><code>{_PROGRAM}</code></pre>"
        )
    with gr.Accordion("Push to the Hugging Face Hub", open=False):
        _draw_push(values)


def _draw_push(values: dict[str, Any]) -> None:
    with gr.Row(elem_classes="tools"):
        values["repository"] = gr.Textbox(
            label="Repository", placeholder="your-name/my-relations", max_length=200, min_width=200
        )
        values["token"] = gr.Textbox(
            label="Token with write access",
            info="Used once, and not stored.",
            type="password",
            max_length=200,
            min_width=200,
            elem_id="token",
        )
    if has_login():
        gr.LoginButton(size="md")
        draw_html('<p class="quiet">Once signed in, you need no token.</p>')
    values["private"] = gr.Checkbox(True, label="Private repository", container=False)
    values["push"] = gr.Button("Push the version in use", elem_id="push")
    values["push_message"] = draw_message("push-said")
