"""The tab “Analyse”: its components and events."""

from __future__ import annotations

import json
import secrets
from pathlib import Path
from typing import Any

import gradio as gr

from symdemo.analysis.built_in import built_in_sets
from symdemo.analysis.example import MODELS, example_data
from symdemo.analysis.loading import look_at_table
from symdemo.data.text_rows import ENDINGS
from symdemo.errors import InputError, SymdemoError
from symdemo.files.paths import ASSETS
from symdemo.pairs import LABELS
from symdemo.ui.analyse.explorer import MOST_TAUGHT, Explorer
from symdemo.ui.analyse.inputs import (
    BUILT_IN,
    FIELDS,
    FILE,
    KINDS,
    PASTED,
    chosen_data,
    chosen_others,
    column_updates,
    label_updates,
)
from symdemo.ui.analyse.service import AnalyseService
from symdemo.ui.analyse.view import PARTS
from symdemo.ui.shared.about import QUIET
from symdemo.ui.shared.events import QUICK_EVENT, TRANSFER_EVENT, Updates, guarded
from symdemo.ui.shared.html import draw, draw_html, draw_message
from symdemo.ui.shared.sessions import allowed_encoders
from symdemo.ui.shared.store import ModelStore
from symdemo.ui.shared.visitor import Visitor, add_row

SET_WORDS = {one.id: one.words for one in built_in_sets()}
_TEACH = """
window.symdemo ??= {};
window.symdemo.teachMany = (rows) => {
  props.value = JSON.stringify({rows, number: Date.now()});
  trigger("input");
};
"""

Components = dict[str, Any]
"""Name → component."""


def build_analyse_tab(store: ModelStore, demo: gr.Blocks, visitor: Visitor) -> Any:
    """Draw the tab and connect it; returns a function that connects the opening of the tab.

    Args:
        store: the shared models.
        demo: the page.
        visitor: whose versions can be analysed too.
    """
    service = AnalyseService(visitor.sessions)
    draw_html(draw("analyse/lead.html"))
    example = gr.Button("Open a worked example", size="md", elem_id="analyse-example")
    with gr.Accordion("Data and models", open=True, elem_id="analyse-setup") as setup:
        inputs, panels = _draw_inputs(store)
        start = gr.Button("Analyse", variant="primary", elem_id="analyse-start")
    problem = draw_message("analyse-problem")
    explorer = _draw_explorer(service)
    _connect_data(inputs, panels, problem)
    _connect_teach(visitor)

    def opened(workspace_id: str, versus: str = "") -> Updates:
        value = {"analysis": workspace_id, "seen": {"part": "overview", "versus": versus}}
        value["number"] = secrets.token_hex(4)  # opening the same analysis again is a change too
        return {explorer: json.dumps(value), setup: gr.Accordion(open=False)}

    def run(_visit, project, *values) -> Updates:
        given = dict(zip(inputs, values, strict=True))
        others = chosen_others(given["others"])
        load, rows = chosen_data(given)
        models, exchanged = given["models"] or (), bool(given["exchanged"])
        workspace = service.start(load, models, project, exchanged, rows, others)
        return opened(workspace.id)

    def run_example(_visit) -> Updates:
        here = [name for name in MODELS if store.card(name)]
        workspace = service.start(lambda reports: example_data(), here)
        return opened(workspace.id, versus=here[-1] if len(here) > 1 else "")

    def offer_models(_visit, project, chosen) -> Updates:
        """List the shared models and the visitor's versions."""
        offered = [(name, name) for name in store.cards()]
        models = visitor.sessions.models(project)
        if not isinstance(models, ModelStore):
            offered += models.choices()
        names = [name for _, name in offered]
        kept = [name for name in chosen or () if name in names]
        return {inputs["models"]: gr.CheckboxGroup(offered, value=kept or names[:1])}

    outputs = [explorer, setup, problem]
    sent = [visitor.project, *inputs.values()]
    start.click(guarded(problem, run), sent, outputs, **TRANSFER_EVENT)
    example.click(guarded(problem, run_example), None, outputs, **TRANSFER_EVENT)
    return lambda tab: tab.select(
        guarded(None, offer_models), [visitor.project, inputs["models"]], inputs["models"],
        **QUICK_EVENT,
    )  # fmt: skip


def _draw_inputs(store: ModelStore) -> tuple[Components, Components]:
    """Draw what is to be analysed; returns the inputs, and the panels beside them."""
    sets = [(one.name, one.id) for one in built_in_sets()]
    inputs: Components = {}
    panels: Components = {}
    inputs["kind"] = gr.Radio(KINDS, value=BUILT_IN, label="Data", elem_id="analyse-kind")
    with gr.Column() as panels[BUILT_IN]:
        inputs["built_in"] = gr.Dropdown(
            sets, value=sets[0][1], label="Set", filterable=False, elem_id="analyse-set"
        )
        panels["set_words"] = draw_html(QUIET.format(SET_WORDS[sets[0][1]]))
    with gr.Column(visible=False) as panels[FILE]:
        inputs["file"] = gr.File(
            label="CSV, Excel, text, JSON or Parquet, up to 100,000 pairs",
            file_types=list(ENDINGS), height=120, elem_id="analyse-file",
        )  # fmt: skip
        with gr.Column(visible=False) as panels["columns"]:  # until there is a file
            panels["preview"] = draw_html()
            _draw_columns(inputs)
    with gr.Column(visible=False) as panels[PASTED]:
        inputs["pasted"] = gr.Textbox(
            label="Lines", lines=6, max_lines=14, elem_id="analyse-pasted",
            placeholder="Kenya borders Uganda. | entailment\nAnn is Bob’s mother.",
            info="One or two sentences, and a label if you have one, separated by | or a tab.",
        )  # fmt: skip
    names = list(store.cards())
    inputs["models"] = gr.CheckboxGroup(
        names, value=names[:1], label="Models", elem_id="analyse-models",
        info="Versions that you taught are listed too.",
    )  # fmt: skip
    inputs["others"] = gr.Textbox(
        label="NLI models of others, to compare with", lines=2, max_lines=6,
        visible=allowed_encoders() is None, elem_id="analyse-others",
        placeholder="FacebookAI/roberta-large-mnli", info="A folder or hub id a line.",
    )  # fmt: skip
    inputs["exchanged"] = gr.Checkbox(
        True, label="Also test the reverse pair (twice as long)", elem_id="analyse-exchanged",
        info="Shows whether a model contradicts itself.",
    )  # fmt: skip
    return inputs, panels


def _draw_columns(inputs: Components) -> None:
    """Draw the meaning of a file's columns."""
    inputs["headed"] = gr.Checkbox(True, label="The first line names the columns")
    with gr.Row():
        for name, words in FIELDS.items():
            inputs[f"field_{name}"] = gr.Dropdown(
                [], label=words, filterable=False, min_width=220, elem_id=f"analyse-field-{name}"
            )
    with gr.Row():
        for label in LABELS:
            inputs[f"means_{label}"] = gr.Dropdown(
                [], label=f"Words that mean {label}", multiselect=True, visible=False,
                min_width=220, elem_id=f"analyse-means-{label}",
            )  # fmt: skip
    inputs["systems"] = gr.Dropdown(
        [], label="Columns with the labels of other systems, to compare with",
        multiselect=True, elem_id="analyse-systems",
    )  # fmt: skip
    inputs["groups"] = gr.Dropdown(
        [], label="More columns to group by, such as the genre", multiselect=True,
        max_choices=8, elem_id="analyse-groups",
    )  # fmt: skip


def _draw_explorer(service: AnalyseService) -> gr.HTML:
    import plotly

    script = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    gr.set_static_paths([script])
    scripts = [(ASSETS / name).read_text("utf-8") for name in ("analyse.js", "analyse_map.js")]
    return gr.HTML(
        "",
        html_template=draw("analyse/explorer.html", parts=PARTS),
        js_on_load="\n".join(scripts),
        server_functions=Explorer(service).functions(),
        apply_default_css=False,
        elem_id="analyse-explorer",
        plotly=str(script),
    )


def _connect_data(inputs: Components, panels: Components, problem: gr.HTML) -> None:
    groups = {kind: panels[kind] for _, kind in KINDS}
    file, headed, label = inputs["file"], inputs["headed"], inputs["field_label"]

    def choose_kind(_visit, kind) -> Updates:
        return {box: gr.Column(visible=name == kind) for name, box in groups.items()}

    def describe_set(_visit, id) -> Updates:
        return {panels["set_words"]: QUIET.format(SET_WORDS[id])}

    def read_columns(_visit, path, first_line=None) -> Updates:
        if path is None:
            return {panels["columns"]: gr.Column(visible=False)}
        look = look_at_table(path, first_line)
        found = column_updates(look)
        found |= label_updates(path, look.guess.get("label", ""), look.headed)
        return {inputs[name]: value for name, value in found.items()} | {
            panels["columns"]: gr.Column(visible=True),
            panels["preview"]: draw("analyse/preview.html", look=look),
            headed: look.headed,
        }

    def read_labels(_visit, path, column, first_line) -> Updates:
        found = label_updates(path, column, bool(first_line))
        return {inputs[name]: value for name, value in found.items()}

    means = [inputs[f"means_{name}"] for name in LABELS]
    fields = [inputs[f"field_{name}"] for name in FIELDS]
    more = [inputs["systems"], inputs["groups"]]
    columns = [panels["columns"], panels["preview"], headed, *more, *fields, *means]
    for event, place, function, given, changed, options in (
        (inputs["kind"].input, None, choose_kind, inputs["kind"], [*groups.values()], QUICK_EVENT),
        (inputs["built_in"].input, None, describe_set, inputs["built_in"], [panels["set_words"]],
         QUICK_EVENT),
        (file.change, problem, read_columns, file, [*columns, problem], TRANSFER_EVENT),
        (headed.input, problem, read_columns, [file, headed], [*columns, problem], TRANSFER_EVENT),
        (label.input, problem, read_labels, [file, label, headed], [*means, problem],
         TRANSFER_EVENT),
    ):  # fmt: skip
        event(guarded(place, function), given, changed, **options)


def _connect_teach(visitor: Visitor) -> None:
    """Let the page's script send rows to the tab “Teach”, and report the result."""
    rows = draw_html(html_template="", js_on_load=_TEACH, visible="hidden", elem_id="analyse-teach")
    message = draw_message("analyse-taught")

    def send(visit, sent, project) -> Updates:
        try:
            given = [
                (str(row["premise"]), str(row["hypothesis"]), str(row["label"]))
                for row in json.loads(sent)["rows"][:MOST_TAUGHT]
            ]
        except (ValueError, TypeError, KeyError, RecursionError):
            raise InputError("The rows could not be read; open the page again.") from None
        said, refused = "", []
        for row in given:
            try:
                own, said = add_row(visitor.sessions, project, *row, visit=visit)
                project = own.id
            except SymdemoError as error:
                refused.append(str(error))
        n = len(given) - len(refused)
        found: Updates = {message: draw("analyse/taught.html", n=n, said=said, refused=refused)}
        if n:
            found |= {visitor.project: project, visitor.offered: secrets.token_urlsafe(6)}
        return found

    rows.input(
        guarded(message, send), [rows, visitor.project],
        [message, visitor.project, visitor.offered], **QUICK_EVENT,
    )  # fmt: skip
