"""The tab “Teach”: what is drawn where. Three steps from top to bottom, versions below."""

from __future__ import annotations

from typing import Any

import gradio as gr

from symdemo.methods import METHODS
from symdemo.teaching.examples import EXAMPLES
from symdemo.teaching.limits import Limits
from symdemo.teaching.rows import FIELDS
from symdemo.ui import teach_changes, teach_panels
from symdemo.ui.about_panel import METHODS_IN_WORDS
from symdemo.ui.store import ModelStore
from symdemo.ui.teach_events import connect
from symdemo.ui.teach_grid import draw_grid
from symdemo.ui.teach_handlers import Shelf
from symdemo.ui.teach_settings import NUMBERS
from symdemo.ui.teach_shelf_tab import draw_away, draw_versions
from symdemo.ui.teach_show import STOP, start_choices
from symdemo.ui.teach_widgets import Visitor, Widgets, draw_html, draw_message
from symdemo.ui.try_handlers import Problem, attempt

POLL_SECONDS = 1.0
FIELD_NAMES = {
    "subject": "Subject",
    "relation": "Relation",
    "object": "Object",
    "premise": "Whole sentence",
    "hypothesis": "Swapped sentence",
    "label": "Label",
}
METHOD_CHOICES = [
    ("as usual", ""),
    *((f"{METHODS_IN_WORDS[name]} ({name})", name) for name in METHODS),
]


def build_teach_tab(store: ModelStore, demo: gr.Blocks, visitor: Visitor) -> None:
    """Draw the tab and connect it."""
    connect(draw(visitor.sessions.limits, store), visitor, demo)


def draw(limits: Limits, store: ModelStore) -> Widgets:
    """Draw the tab."""
    values: dict[str, Any] = {}
    draw_html(teach_panels.LEAD)
    with gr.Column(elem_classes="step", elem_id="teach-rows"):
        draw_html(_heading(1, "Write your relations"))
        _draw_rows(values)
    with gr.Column(elem_classes="step", elem_id="teach-teach"):
        draw_html(_heading(2, "Teach"))
        _draw_teach(values, store)
    with gr.Column(elem_classes="step", elem_id="teach-changes"):
        draw_html(_heading(3, "See what changed"))
        values["changes"] = draw_html(teach_changes.NOTHING, elem_id="changes")
        with gr.Column(visible=False) as values["judge_box"]:
            with gr.Row(elem_classes="small-buttons"):
                values["judge"] = gr.Button(
                    "Ask about every row, relation by relation", size="sm", elem_id="judge"
                )
            values["judge_problem"] = draw_message("judge-problem")
            values["every_row"] = draw_html(elem_id="every-row", elem_classes="may-be-empty")
        with gr.Accordion("How it learnt", open=False, visible=False) as values["curve_box"]:
            values["curve"] = gr.Plot(show_label=False, container=False, elem_id="curve")
    with gr.Column(elem_classes="step", elem_id="teach-versions"):
        draw_html("<h2>Your versions</h2>")
        draw_versions(values)
    with gr.Column(elem_classes="step", elem_id="teach-away"):
        draw_html("<h2>Take it with you</h2>")
        draw_away(values)
    draw_html(teach_panels.limits_panel(limits))
    values["timer"] = gr.Timer(POLL_SECONDS, active=False)
    return Widgets(**values)


def _heading(number: int, title: str) -> str:
    return (
        f'<h2 class="step__title"><span class="step__number" aria-hidden="true">{number}</span>'
        f"{title}</h2>"
    )


def _draw_rows(values: dict[str, Any]) -> None:
    with gr.Row(elem_classes="split"):
        with gr.Column(scale=7, min_width=300):
            values["grid"] = draw_grid("Your relations", "teach-grid")
            for name in ("problem", "merged", "read_as"):
                values[name] = draw_message(f"rows-{name.replace('_', '-')}")
            _draw_asked(values)
            with gr.Row(elem_classes="small-buttons"):
                values["suggest"] = gr.Button(
                    "Suggest more rows", size="sm", min_width=110, elem_id="suggest"
                )
                values["tidy"] = gr.Button(
                    "Take out empty and repeated rows", size="sm", min_width=110
                )
            values["whole"] = gr.Checkbox(
                label="Columns for whole sentences too",
                info="For what does not fit into three parts. Left empty, the swap is found.",
                container=False,
                elem_id="whole",
            )
            values["said"] = draw_message("rows-said")
            _draw_suggestions(values)
            _draw_sources(values)
        with gr.Column(scale=4, min_width=280):
            values["report"] = draw_html(teach_panels.NO_ROWS, elem_id="report")
            with gr.Column(elem_classes="card starters"):
                draw_html("<h3>Start from an example</h3>")
                values["examples"] = tuple(
                    gr.Button(example.title, size="sm", elem_id=f"example-{example.id}")
                    for example in EXAMPLES
                )
                values["example_said"] = draw_message("example-said")
                abouts = "".join(
                    f"<li><b>{example.title}</b>: {example.about}</li>" for example in EXAMPLES
                )
                draw_html(f'<ul class="quiet abouts">{abouts}</ul>')


def _draw_asked(values: dict[str, Any]) -> None:
    """Draw the question whether another label is meant."""
    values |= {"asked": gr.State(None), "settled": gr.State([])}
    with gr.Column(visible=False, elem_classes="asked", elem_id="asked") as values["asked_box"]:
        values["asked_text"] = draw_html()
        with gr.Row(elem_classes="small-buttons"):
            values["use_meant"] = gr.Button(size="sm", min_width=110, elem_id="use-meant")
            values["keep_typed"] = gr.Button(size="sm", min_width=110, elem_id="keep-typed")


def _draw_suggestions(values: dict[str, Any]) -> None:
    with gr.Column(visible=False, elem_classes="card") as values["suggestions_box"]:
        draw_html("<h3>Suggested rows</h3>" + teach_panels.SUGGESTIONS_NOTE)
        values["suggestions"] = draw_grid("Suggested rows", "suggestions")
        with gr.Row(elem_classes="small-buttons"):
            values["use_suggestions"] = gr.Button(
                "Add these to my rows", variant="primary", size="sm", elem_id="use-suggestions"
            )
            values["drop_suggestions"] = gr.Button("Leave them", size="sm")
    values["seed"] = gr.State(0)


def _draw_sources(values: dict[str, Any]) -> None:
    with gr.Accordion("Paste lines", open=False):
        values["pasted"] = gr.Textbox(
            label="One row a line: subject, relation, object, label",
            info="Or: sentence, swapped sentence, label. Or: sentence, label. Separated by commas, "
            "semicolons, | or tabs, as copied from a spreadsheet. Yes, no and maybe are read as "
            "entailment, contradiction and neutral.",
            placeholder="Ann, is married to, Bob, yes\nCora, is the boss of, Dan, no",
            lines=5,
            max_lines=12,
            elem_id="pasted",
        )
        values["paste"] = gr.Button("Add these lines", size="md", elem_id="paste")
        values["paste_said"] = draw_message("paste-said")
    with gr.Accordion("Upload a file", open=False):
        values["table_file"] = gr.File(
            label="CSV, TSV or JSONL",
            file_types=[".csv", ".tsv", ".jsonl"],
            height=120,
            elem_id="table-file",
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
                values["mapping"] = tuple(
                    gr.Dropdown([], label=FIELD_NAMES[name], min_width=140, elem_id=f"map-{name}")
                    for name in FIELDS
                )
            values["preview"] = draw_html(elem_id="preview")
            values["add_file"] = gr.Button("Add these rows", size="md", elem_id="add-file")
        values["file_said"] = draw_message("file-said")


def _draw_teach(values: dict[str, Any], store: ModelStore) -> None:
    with gr.Row(elem_classes="ways"):
        with gr.Column(min_width=280, elem_classes="card"):
            values["at_once"] = gr.Button("Teach at once", variant="primary", elem_id="at-once")
            draw_html(
                '<p class="quiet">Takes seconds. The model keeps your rows in mind as examples and '
                "stays as it is otherwise.</p>"
            )
        with gr.Column(min_width=280, elem_classes="card"):
            values["retrain"] = gr.Button("Retrain…", elem_id="retrain")
            draw_html(
                '<p class="quiet">Takes minutes. The model itself learns, often more, and may '
                "forget a little. You are told how long it takes before it starts.</p>"
            )
    values["teach_problem"] = draw_message("teach-problem")
    with gr.Accordion("Advanced settings for retraining", open=False):
        _draw_settings(values, store)
    values["plan"] = gr.State(None)
    with gr.Column(visible=False, elem_classes="card", elem_id="plan") as values["plan_box"]:
        values["plan_text"] = draw_html()
        with gr.Row(elem_classes="small-buttons"):
            values["start"] = gr.Button("Start retraining", variant="primary", elem_id="start")
            values["not_now"] = gr.Button("Not now", elem_id="not-now")
        values["plan_problem"] = draw_message("plan-problem")
    values |= {"job": gr.State(""), "seen": gr.State("")}
    with gr.Column(visible=False, elem_classes="card", elem_id="job") as values["job_box"]:
        values["job_text"] = draw_html(elem_id="job-text")
        values["stop"] = gr.Button(STOP, size="sm", elem_id="stop")
        values["job_problem"] = draw_message("job-problem")
        values["job_curve"] = gr.Plot(
            show_label=False, container=False, visible=False, elem_id="job-curve"
        )
        with gr.Accordion("Log", open=False):
            values["job_log"] = draw_html(elem_id="job-log")


def _draw_settings(values: dict[str, Any], store: ModelStore) -> None:
    cards = attempt(store.cards)
    starts, usual = start_choices(Shelf(), {} if isinstance(cards, Problem) else cards)
    with gr.Row():
        method = gr.Dropdown(METHOD_CHOICES, value="", label="How it decides", filterable=False)
        base = gr.Dropdown(
            starts,
            value=usual,
            label="Start from",
            info="What you use now, a version of yours, or a built-in model.",
            filterable=False,
            elem_id="start-from",
        )
    with gr.Row():
        numbers = [
            gr.Textbox(label=name, placeholder="as usual", max_length=20, min_width=150, lines=1)
            for name in NUMBERS.values()
        ]
    draw_html('<p class="quiet">Fields left empty take the values that did best when measured.</p>')
    values["settings"] = (method, base, *numbers)
