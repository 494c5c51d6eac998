"""The tab “Analyse”: what is drawn where, and how it answers."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gradio as gr

from symdemo.analysis.example import MODELS, example_data
from symdemo.errors import InputError, SymdemoError
from symdemo.files.paths import ASSETS
from symdemo.pairs import LABELS
from symdemo.ui.analyse import choosing
from symdemo.ui.analyse.desk import Desk
from symdemo.ui.analyse.explorer import Explorer
from symdemo.ui.analyse.state import PARTS
from symdemo.ui.shared.events import QUICK_EVENT, TRANSFER_EVENT, Updates, guarded
from symdemo.ui.shared.html import draw, draw_html, draw_message
from symdemo.ui.shared.store import ModelStore
from symdemo.ui.shared.visitor import AddRow, Visitor

SCRIPTS = ("analyse.js", "analyse_map.js")
PART_NAMES = dict(zip(PARTS, ("Overview", "Rows", "Map", "Suggestions", "Slices"), strict=True))

_TEACH = """
window.symdemo ??= {};
window.symdemo.teachMany = (rows) => {
  props.value = JSON.stringify({rows, number: Date.now()});
  trigger("input");
};
if (!window.closesMessages) { // for the whole page, once
  window.closesMessages = true;
  document.addEventListener("click", (event) => {
    if (event.target.matches?.(".said__close")) event.target.closest(".said").remove();
  });
}
"""


@dataclass(frozen=True)
class Choices:
    """The components that say what is to be analysed."""

    kind: gr.Radio
    built_in: gr.Dropdown
    pasted: gr.Textbox
    file: gr.File
    headed: gr.Checkbox
    systems: gr.Dropdown
    models: gr.CheckboxGroup
    exchanged: gr.Checkbox
    fields: dict[str, gr.Dropdown]
    means: dict[str, gr.Dropdown]

    def components(self) -> dict[str, Any]:
        """Name → component, in one order."""
        plain = {
            name: getattr(self, name)
            for name in ("built_in", "pasted", "file", "headed", "systems", "models", "exchanged")
        }
        fields = {f"field_{name}": box for name, box in self.fields.items()}
        means = {f"means_{name}": box for name, box in self.means.items()}
        return {"kind": self.kind, **plain, **fields, **means}


@dataclass(frozen=True)
class Panels:
    """The components that this tab writes."""

    groups: dict[str, gr.Column]
    set_words: gr.HTML
    columns: gr.Column
    preview: gr.HTML
    problem: gr.HTML
    explorer: gr.HTML
    setup: gr.Accordion


def build_analyse_tab(store: ModelStore, demo: gr.Blocks, visitor: Visitor, add_row: AddRow) -> Any:
    """Draw the tab and connect it; `add_row` takes rows to the tab “Teach”.

    What is returned connects its being opened, when the visitor's own versions are offered.
    """
    desk = Desk(visitor.sessions)
    choices, panels, buttons = _draw(store, desk)
    _connect_choices(choices, panels)
    _connect_start(desk, visitor, choices, panels, buttons)
    _connect_teach(visitor, add_row)

    def opened(_visit, project, chosen) -> Updates:
        return {choices.models: _model_choices(store, visitor, project, chosen)}

    return lambda tab: tab.select(
        guarded(None, opened), [visitor.project, choices.models], choices.models, **QUICK_EVENT
    )


def _model_choices(store: ModelStore, visitor: Visitor, project: str, chosen: Any) -> Any:
    offered = [(name, name) for name in store.cards()]
    models = visitor.sessions.models(project)
    if not isinstance(models, ModelStore):
        offered += models.choices()
    names = [name for _, name in offered]
    kept = [name for name in chosen or () if name in names]
    return gr.CheckboxGroup(offered, value=kept or names[:1])


def _connect_choices(choices: Choices, panels: Panels) -> None:
    groups = list(panels.groups.values())

    def kind_chosen(_visit, kind) -> Updates:
        return {box: gr.Column(visible=name == kind) for name, box in panels.groups.items()}

    choices.kind.input(guarded(None, kind_chosen), choices.kind, groups, **QUICK_EVENT)
    choices.built_in.input(
        guarded(None, lambda _visit, id: {panels.set_words: choosing.set_words(id)}),
        choices.built_in, panels.set_words, **QUICK_EVENT,
    )  # fmt: skip
    boxes = choices.components()
    columns = [panels.columns, panels.preview, choices.headed, choices.systems,
               *choices.fields.values(), *choices.means.values()]  # fmt: skip

    def file_came(_visit, path, headed=None) -> Updates:
        if path is None:
            return {panels.columns: gr.Column(visible=False)}
        look = choosing.look_at(path, headed)
        found = choosing.column_updates(look) | choosing.label_updates(
            path, look.guess.get("label", ""), look.headed
        )
        shown = {boxes[name]: value for name, value in found.items()}
        return shown | {
            panels.columns: gr.Column(visible=True),
            panels.preview: choosing.preview(look),
            choices.headed: look.headed,
        }

    def label_chosen(_visit, path, column, headed) -> Updates:
        found = choosing.label_updates(path, column, bool(headed))
        return {boxes[name]: value for name, value in found.items()}

    problem = panels.problem
    choices.file.change(
        guarded(problem, file_came), choices.file, [*columns, problem], **TRANSFER_EVENT
    )
    choices.headed.input(
        guarded(problem, file_came), [choices.file, choices.headed], [*columns, problem],
        **TRANSFER_EVENT,
    )  # fmt: skip
    choices.fields["label"].input(
        guarded(problem, label_chosen),
        [choices.file, choices.fields["label"], choices.headed],
        [*choices.means.values(), problem],
        **TRANSFER_EVENT,
    )


def _connect_start(
    desk: Desk, visitor: Visitor, choices: Choices, panels: Panels, buttons: dict[str, gr.Button]
) -> None:
    boxes = choices.components()
    outputs = [panels.explorer, panels.setup, panels.problem]

    def begun(workspace_id: str, part: str = "overview", versus: str = "") -> Updates:
        value = {"analysis": workspace_id, "seen": {"part": part, "versus": versus}}
        # A number makes the same analysis, opened once more, another value.
        value["number"] = secrets.token_hex(4)
        return {panels.explorer: json.dumps(value), panels.setup: gr.Accordion(open=False)}

    def start(_visit, project, *values) -> Updates:
        given = dict(zip(boxes, values, strict=True))
        load, background = choosing.chosen_data(given["kind"], given)
        models = [str(name) for name in given["models"] or ()]
        workspace = desk.start(load, models, project, bool(given["exchanged"]), background)
        return begun(workspace.id)

    def example(_visit) -> Updates:
        here = [name for name in MODELS if desk.sessions.store.card(name)]
        workspace = desk.start(lambda reports: example_data(), here)
        return begun(workspace.id, versus=here[-1] if len(here) > 1 else "")

    buttons["start"].click(
        guarded(panels.problem, start),
        [visitor.project, *boxes.values()],
        outputs,
        **TRANSFER_EVENT,
    )
    buttons["example"].click(guarded(panels.problem, example), None, outputs, **TRANSFER_EVENT)


def _connect_teach(visitor: Visitor, add_row: AddRow) -> None:
    """Take rows to the tab “Teach”, and say what became of them."""
    rows = draw_html(html_template="", js_on_load=_TEACH, visible="hidden", elem_id="analyse-teach")
    message = draw_message("analyse-taught")

    def send(visit, sent, project) -> Updates:
        given = _sent_rows(sent)
        added, refused = None, []
        for row in given:
            try:
                added = add_row(
                    visitor.sessions, added.project if added else project,
                    row["premise"], row["hypothesis"], row["label"], visit=visit,
                )  # fmt: skip
            except SymdemoError as error:
                refused.append(str(error))
        said = draw(
            "analyse/taught.html", n=len(given) - len(refused), added=added, refused=refused
        )
        found: dict[Any, Any] = {message: said}
        if added:
            found |= {visitor.project: added.project, visitor.offered: added.stamp}
        return found

    rows.input(
        guarded(message, send), [rows, visitor.project],
        [message, visitor.project, visitor.offered], **QUICK_EVENT,
    )  # fmt: skip


def _sent_rows(sent: Any) -> list[dict[str, str]]:
    try:
        rows = json.loads(sent)["rows"]
        names = ("premise", "hypothesis", "label")
        return [{name: str(row[name]) for name in names} for row in rows[:200]]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise InputError("The rows could not be read; open the page again.") from None


def _draw(store: ModelStore, desk: Desk) -> tuple[Choices, Panels, dict[str, gr.Button]]:
    draw_html(draw("analyse/lead.html"))
    buttons = {"example": gr.Button("Open a worked example", size="md", elem_id="analyse-example")}
    with gr.Accordion("Data and models", open=True, elem_id="analyse-setup") as setup:
        choices, panels = _draw_choices(store)
        buttons["start"] = gr.Button("Analyse", variant="primary", elem_id="analyse-start")
    problem = draw_message("analyse-problem")
    explorer = _draw_explorer(desk)
    return choices, Panels(**panels, problem=problem, explorer=explorer, setup=setup), buttons


def _draw_choices(store: ModelStore) -> tuple[Choices, dict[str, Any]]:
    kind = gr.Radio(choosing.KINDS, value=choosing.BUILT_IN, label="Data", elem_id="analyse-kind")
    sets = choosing.set_choices()
    first = sets[0][1] if sets else None
    groups = {}
    with gr.Column() as groups[choosing.BUILT_IN]:
        built_in = gr.Dropdown(
            sets, value=first, label="Set", filterable=False, elem_id="analyse-set"
        )
        set_words = draw_html(choosing.set_words(first))
    with gr.Column(visible=False) as groups[choosing.FILE]:
        file = gr.File(
            label="CSV, TSV, JSONL or Parquet, up to 100,000 pairs",
            file_types=[".csv", ".tsv", ".jsonl", ".parquet"], height=120, elem_id="analyse-file",
        )  # fmt: skip
        columns, parts = _draw_columns()
    with gr.Column(visible=False) as groups[choosing.PASTED]:
        pasted = gr.Textbox(
            label="Lines", lines=6, max_lines=14, elem_id="analyse-pasted",
            placeholder="Kenya borders Uganda. | entailment\nAnn is Bob’s mother.",
            info="A sentence, or two, and a label if you have one, with | or a tab between.",
        )  # fmt: skip
    names = list(store.cards())
    models = gr.CheckboxGroup(
        names, value=names[:1], label="Models", elem_id="analyse-models",
        info="Versions that you taught are listed too.",
    )  # fmt: skip
    exchanged = gr.Checkbox(
        True, label="Also ask each pair the other way round", elem_id="analyse-exchanged",
        info="Shows whether a model contradicts itself; takes as long again.",
    )  # fmt: skip
    preview = parts.pop("preview")
    choices = Choices(
        kind=kind, built_in=built_in, pasted=pasted, file=file, models=models,
        exchanged=exchanged, **parts,
    )  # fmt: skip
    panels = {"groups": groups, "set_words": set_words, "columns": columns, "preview": preview}
    return choices, panels


def _draw_columns() -> tuple[gr.Column, dict[str, Any]]:
    """Draw what the columns of a file mean; unseen until a file has come."""
    with gr.Column(visible=False) as columns:
        preview = draw_html()
        headed = gr.Checkbox(True, label="The first line names the columns")
        with gr.Row():
            fields = {
                name: gr.Dropdown(
                    [],
                    label=words,
                    filterable=False,
                    min_width=220,
                    elem_id=f"analyse-field-{name}",
                )
                for name, words in choosing.FIELDS.items()
            }
        with gr.Row():
            means = {
                label: gr.Dropdown(
                    [], label=f"Words that mean {label}", multiselect=True, visible=False,
                    min_width=220, elem_id=f"analyse-means-{label}",
                )
                for label in LABELS
            }  # fmt: skip
        systems = gr.Dropdown(
            [], label="Columns with the labels of other systems, to compare with",
            multiselect=True, elem_id="analyse-systems",
        )  # fmt: skip
    parts = {"headed": headed, "fields": fields, "means": means, "systems": systems,
             "preview": preview}  # fmt: skip
    return columns, parts


def _draw_explorer(desk: Desk) -> gr.HTML:
    return gr.HTML(
        "",
        html_template=draw("analyse/explorer.html", parts=PART_NAMES.items()),
        js_on_load="\n".join((ASSETS / name).read_text(encoding="utf-8") for name in SCRIPTS),
        server_functions=Explorer(desk).functions(),
        apply_default_css=False,
        elem_id="analyse-explorer",
        plotly=str(plotly_path()),
    )


def plotly_path() -> Path:
    """The drawing library as the package plotly carries it, to be served from here."""
    import plotly

    path = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    gr.set_static_paths([path])
    return path
