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
from symdemo.ui.shared.html import draw, draw_html, draw_message
from symdemo.ui.shared.store import ModelStore
from symdemo.ui.shared.visitor import Visitor
from symdemo.ui.teach.events import connect, has_login
from symdemo.ui.teach.grid import FIELD_NAMES, draw_grid
from symdemo.ui.teach.page import STOP, report_panel, start_choices
from symdemo.ui.teach.training import NUMBERS
from symdemo.ui.teach.versions import VersionList, changes_panel

POLL_SECONDS = 1.0


def build_teach_tab(visitor: Visitor, demo: gr.Blocks) -> None:
    """Draw the tab and connect it."""
    connect(_draw(visitor.sessions.limits, visitor.sessions.store), visitor)


def _draw(limits: Limits, store: ModelStore) -> SimpleNamespace:
    """Draw the tab, and return its components by name."""
    w = SimpleNamespace(sure=gr.Checkbox(visible=False), settled=gr.State([]))
    w.asked, w.plan, w.job, w.seen = gr.State(None), gr.State(None), gr.State(""), gr.State("")
    draw_html(draw("teach/lead.html"))
    with gr.Row(elem_classes="panes"):
        with gr.Column(scale=7, min_width=320):
            _draw_rows(w)
            with gr.Accordion("Import", open=False, elem_id="import"):
                _draw_import(w)
            draw_html(convention_panel(), elem_id="labels-mean")
            more = "More: train deeper, key, hub, limits"
            with gr.Accordion(more, open=False, elem_id="teach-more"):
                with gr.Accordion("Train deeper", open=False, elem_id="deeper"):
                    _draw_retraining(w, store)
                _draw_transfers(w)
                draw_html(draw("teach/limits.html", limits=limits))
        with gr.Column(scale=5, min_width=320, elem_id="teach-side"):
            _draw_teaching(w)
            with gr.Column(elem_id="versions"):
                _draw_versions(w)
    w.timer = gr.Timer(POLL_SECONDS, active=False)
    return w


def _quiet(text: str) -> None:
    """Draw a line of explanation, given as HTML."""
    draw_html(f'<p class="quiet">{text}</p>')


def _draw_rows(w: SimpleNamespace) -> None:
    w.grid = draw_grid()
    w.problem, w.merged, w.read_as = map(
        draw_message, ("rows-problem", "rows-merged", "rows-read-as")
    )
    with gr.Column(visible=False, elem_classes="asked", elem_id="lost") as w.lost_box:
        w.lost_text = draw_html()
        w.begin_new = gr.Button("Begin a new project with the rows on this page", size="sm")
    # Asks about a label that is probably mistyped.
    with gr.Column(visible=False, elem_classes="asked", elem_id="asked") as w.asked_box:
        w.asked_text = draw_html()
        with gr.Row(elem_classes="small-buttons"):
            w.use_meant = gr.Button(size="sm", min_width=110, elem_id="use-meant")
            w.keep_typed = gr.Button(size="sm", min_width=110, elem_id="keep-typed")
    with gr.Row(elem_classes="small-buttons"):
        w.tidy = gr.Button("Remove blanks and duplicates", size="sm", min_width=110)
        w.examples = {
            name: gr.Button(f"Example: {name}", size="sm", min_width=90, elem_id=f"example-{name}")
            for name in EXAMPLES
        }
    w.whole = gr.Checkbox(
        label="Show whole-sentence columns", container=False, elem_id="whole",
        info="The second may be any about the same two things; empty, it is the swap.",
    )  # fmt: skip
    w.rows_message = draw_message("rows-said")


def _draw_import(w: SimpleNamespace) -> None:
    """Draw the import of pasted lines or of a file, with a preview of the rows."""
    title, kinds = "CSV, Excel, text, JSON or Parquet", list(ENDINGS)
    w.table_file = gr.File(label=title, file_types=kinds, height=120, elem_id="table-file")
    w.pasted = gr.Textbox(
        label="Or paste lines: subject, relation, object, label",
        info="Or: sentence, second sentence, label. Or: sentence, label. Commas, semicolons, | "
        "or tabs between them.",
        placeholder="Ann, is married to, Bob, yes\nCora, is the boss of, Dan, no",
        lines=4, max_lines=12, elem_id="pasted",
    )  # fmt: skip
    with gr.Column(visible=False) as w.mapping_box:
        _quiet(
            "Which column holds what? Give subject, relation and object, or the whole sentence; "
            "the label always."
        )
        first = "The first line names the columns"
        w.headed = gr.Checkbox(label=first, container=False, elem_id="headed")
        with gr.Row():
            w.mapping = {
                name: gr.Dropdown([], label=FIELD_NAMES[name], min_width=140, elem_id=f"map-{name}")
                for name in FIELDS
            }
        orders = [", ".join(f"{n} = {o}" for n, o in enumerate(t.split(","))) for t in ORDERS]
        w.order = gr.Dropdown(
            list(zip(orders, ORDERS, strict=True)), label="What 0, 1 and 2 mean", visible=False,
            elem_id="label-order",
        )  # fmt: skip
    w.preview = draw_html(elem_id="preview")
    w.add = gr.Button("Add these rows", size="md", elem_id="add-rows")
    w.import_message = draw_message("import-said")


def _draw_teaching(w: SimpleNamespace) -> None:
    """Draw what is ready, the button, what runs, and before and after."""
    plot: dict[str, Any] = {"show_label": False, "container": False}
    with gr.Column(elem_classes="card", elem_id="teach-bar"):
        w.report = draw_html(report_panel(None), elem_id="report")
        w.teach_problem = draw_message("teach-problem")
        with gr.Row(elem_classes="small-buttons"):
            w.instant = gr.Button("Teach now", variant="primary", elem_id="instant")
            w.undo = gr.Button("Undo", visible=False, min_width=90, elem_id="undo")
        with gr.Column(visible=False, elem_id="job") as w.job_box:
            w.job_text = draw_html(elem_id="job-text")
            w.stop = gr.Button(STOP, size="sm", elem_id="stop")
            w.job_problem = draw_message("job-problem")
            with gr.Accordion("Curve and log", open=False, elem_id="job-more") as w.job_more:
                w.job_curve = gr.Plot(visible=False, elem_id="job-curve", **plot)
                w.job_log = draw_html(elem_id="job-log")
    w.changes = draw_html(changes_panel(VersionList()), elem_id="changes")
    with gr.Accordion("How it learnt", open=False, visible=False) as w.curve_box:
        w.curve = gr.Plot(elem_id="curve", **plot)


def _draw_retraining(w: SimpleNamespace, store: ModelStore) -> None:
    """Draw “Train deeper”: its settings, and the plan to confirm."""
    _quiet(
        "Takes minutes. Use it if “Teach now” isn’t enough. May shift a few other answers. You see "
        "how long it takes before it starts."
    )
    starts, usual = start_choices(VersionList(), store.cards())
    methods = [(f"{METHODS_IN_WORDS[name]} ({name})", name) for name in METHODS]
    with gr.Row():
        method = gr.Dropdown(
            [("default", ""), *methods], value="", label="How it decides", filterable=False
        )
        base = gr.Dropdown(
            starts, value=usual, label="Start from", filterable=False, elem_id="start-from",
            info="The version in use, another of yours, or a built-in model.",
        )  # fmt: skip
    with gr.Row():
        numbers = {
            name: gr.Textbox(
                label=label, placeholder="default", max_length=20, min_width=150, lines=1
            )
            for name, label in NUMBERS.items()
        }
    w.settings = {"method": method, "base": base, **numbers}
    w.retrain = gr.Button("Train deeper…", elem_id="retrain")
    w.retrain_problem = draw_message("retrain-problem")
    with gr.Column(visible=False, elem_id="plan") as w.plan_box:
        w.plan_text = draw_html()
        with gr.Row(elem_classes="small-buttons"):
            w.start = gr.Button("Start training", variant="primary", elem_id="start")
            w.not_now = gr.Button("Not now", elem_id="not-now")
        w.plan_problem = draw_message("plan-problem")


def _draw_versions(w: SimpleNamespace) -> None:
    """Draw the list of versions, which is also the choice of the one in use."""
    w.no_version = draw_html(
        '<p class="quiet">No version yet. Each time you teach, a version is saved.</p>'
    )
    with gr.Column(visible=False) as w.version_box:
        info = "The marked one is in use."
        w.version = gr.Radio([], label="Versions", info=info, elem_id="version")
        with gr.Accordion("Rename, compare, test, delete", open=False):
            with gr.Row(elem_classes="tools"):
                w.new_name = gr.Textbox(
                    label="New name", max_length=80, min_width=140, elem_id="new-name"
                )
                w.rename = gr.Button("Rename", min_width=90, elem_id="rename")
            w.other = gr.Dropdown([], label="Compare with", filterable=False, elem_id="other")
            with gr.Row(elem_classes="small-buttons"):
                w.judge = gr.Button("Test every row", size="sm", elem_id="judge")
                w.delete = gr.Button(
                    "Delete this version", variant="stop", size="sm", elem_id="delete-version"
                )
    w.version_problem = draw_message("version-problem")
    w.compared = draw_message("compared")


def _draw_transfers(w: SimpleNamespace) -> None:
    """Draw downloads, archives, keys and the hub."""
    with gr.Accordion("Download", open=False):
        with gr.Row(elem_classes="tools"):
            w.save_project = gr.Button("Download the whole project", elem_id="save-project")
            w.save_model = gr.Button("Download the version in use", elem_id="save-model")
            w.packed = gr.DownloadButton(visible=False)
        w.download_message = draw_message("download-said")
        _quiet(
            "The project holds your rows and all versions, to be opened here again. The version is "
            "a folder that symdemo and sentence-transformers load."
        )
    with gr.Accordion("Open or begin another project", open=False):
        with gr.Row(elem_classes="tools"):
            w.typed_key = gr.Textbox(
                label="Project key", placeholder="7k2m-q9xd-04ct-hv8w-m3rs", max_length=80,
                min_width=220, elem_id="typed-key",
            )  # fmt: skip
            w.open_key = gr.Button("Open by key", min_width=120, elem_id="open-key")
        title = "A project that was downloaded here (.zip)"
        w.archive = gr.File(label=title, file_types=[".zip"], height=120, elem_id="archive")
        w.open_archive = gr.Button("Open this project", size="md", elem_id="open-archive")
        _quiet(
            "What you open takes the place of the project in this browser, so download that one, "
            "or copy its key, first."
        )
        with gr.Row(elem_classes="tools"):
            w.begin_anew = gr.Button("Begin an empty project", elem_id="begin-anew")
            w.delete_all = gr.Button("Delete this project", variant="stop", elem_id="delete-all")
        w.open_message = draw_message("open-said")
    with gr.Accordion("Project key", open=False):
        _quiet(
            "Copy the key or write it down: it opens your project in another browser or a program. "
            "Anyone who has the key can read, change and delete your project, so keep it private."
        )
        w.show_key = gr.Button("Show key", elem_id="show-key")
        w.key = gr.Textbox(
            label="Key", interactive=False, visible=False, buttons=["copy"], elem_id="key"
        )
        w.key_problem = draw_message("key-problem")
        draw_html(draw("teach/program.html"))
    with gr.Accordion("Push to the Hugging Face Hub", open=False):
        with gr.Row(elem_classes="tools"):
            text: dict[str, Any] = {"max_length": 200, "min_width": 200}
            example = "your-name/my-relations"
            w.repository = gr.Textbox(label="Repository", placeholder=example, **text)
            w.token = gr.Textbox(
                label="Token with write access", info="Used once, and not stored.",
                type="password", elem_id="token", **text,
            )  # fmt: skip
        if has_login():
            gr.LoginButton(size="md")
            _quiet("Once signed in, you need no token.")
        w.private = gr.Checkbox(True, label="Private repository", container=False)
        w.push = gr.Button("Push the version in use", elem_id="push")
        w.push_message = draw_message("push-said")
