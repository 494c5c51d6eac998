"""What a visitor chooses to analyse: the components, the meaning of columns, and the data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gradio as gr

from symdemo.analysis.built_in import built_in_sets, load_built_in
from symdemo.analysis.loaded import LoadedPairs
from symdemo.analysis.loading import TableLook, label_values, load_pasted, load_table, look_at_table
from symdemo.analysis.workspace import MOST_MODELS
from symdemo.data.text_rows import ENDINGS
from symdemo.errors import InputError
from symdemo.jobs.reporting import Reporter
from symdemo.pairs import LABELS
from symdemo.ui.analyse.service import LoadData
from symdemo.ui.shared import events
from symdemo.ui.shared.about import QUIET
from symdemo.ui.shared.events import Updates, guarded
from symdemo.ui.shared.html import draw, draw_html
from symdemo.ui.shared.sessions import allowed_encoders

BUILT_IN, FILE, PASTED = "built-in", "file", "pasted"
KINDS = [("Built-in set", BUILT_IN), ("Upload", FILE), ("Paste", PASTED)]
FIELDS = {
    "premise": "First sentence",
    "hypothesis": "Second sentence, if any",
    "label": "True label",
    "relation": "Relation",
    "construction": "Construction",
    "subject": "Subject, if there are no sentences",
    "object": "Object, if there are no sentences",
}
"""Title of each column that a table can have."""
SET_WORDS = {one.id: one.words for one in built_in_sets()}


def draw_data() -> tuple[dict[str, Any], dict[str, Any]]:
    """Draw what is to be analysed; returns the inputs by name, and the panels beside them."""
    sets = [(one.name, one.id) for one in built_in_sets()]
    inputs, panels = dict[str, Any](), dict[str, Any]()
    inputs["kind"] = gr.Radio(KINDS, value=BUILT_IN, label="Data", elem_id="analyse-kind")
    with gr.Column() as panels[BUILT_IN]:
        inputs["built_in"] = gr.Dropdown(sets, value=sets[0][1], label="Set", filterable=False)
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
    return inputs, panels


def _draw_columns(inputs: dict[str, Any]) -> None:
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


def connect_data(inputs: dict[str, Any], panels: dict[str, Any], problem: gr.HTML) -> None:
    """Show the inputs of the chosen kind of data, and the columns of an uploaded file."""
    groups = {kind: panels[kind] for _, kind in KINDS}
    kind, chosen_set, file = inputs["kind"], inputs["built_in"], inputs["file"]
    headed, label = inputs["headed"], inputs["field_label"]

    def choose_kind(_visit, kind) -> Updates:
        return {box: gr.Column(visible=name == kind) for name, box in groups.items()}

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

    means = [box for name, box in inputs.items() if name.startswith("means_")]
    fields = [box for name, box in inputs.items() if name.startswith("field_")]
    columns = [panels["columns"], panels["preview"], headed, inputs["systems"], inputs["groups"]]
    columns += [*fields, *means, problem]
    kind.input(guarded(None, choose_kind), kind, [*groups.values()], **events.QUICK)
    described = guarded(None, lambda _visit, id: {panels["set_words"]: QUIET.format(SET_WORDS[id])})
    chosen_set.input(described, chosen_set, [panels["set_words"]], **events.QUICK)
    read, given = guarded(problem, read_columns), [file, headed]
    file.change(read, file, columns, **events.TRANSFER)
    headed.input(read, given, columns, **events.TRANSFER)
    read, given = guarded(problem, read_labels), [file, label, headed]
    label.input(read, given, [*means, problem], **events.TRANSFER)


def column_updates(look: TableLook) -> dict[str, Any]:
    """Offer all columns for each field, the likely one chosen, and for other systems and groups."""
    choices = [("–", ""), *((name, name) for name in look.columns)]
    found: dict[str, Any] = {
        f"field_{field}": gr.Dropdown(choices, value=look.guess.get(field, "")) for field in FIELDS
    }
    return found | {
        name: gr.Dropdown(list(look.columns), value=[]) for name in ("systems", "groups")
    }


def label_updates(path: str, column: str, headed: bool) -> dict[str, Any]:
    """Offer for each label the words in a column, the usual ones chosen."""
    words = label_values(path, column, headed) if column else {}
    return {
        f"means_{label}": gr.Dropdown(
            list(words), value=[w for w, own in words.items() if own == label], visible=bool(column)
        )
        for label in LABELS
    }


def chosen_data(values: Mapping[str, Any]) -> tuple[LoadData, int]:
    """Return a function that reads the chosen data, and the number of rows; 0 for a built-in set.

    `values` are those of the inputs, by name. `InputError` if no file was chosen, it cannot be
    read, or one word is given for two labels.
    """
    if values["kind"] == BUILT_IN:
        return (lambda reports: load_built_in(values["built_in"] or "")), 0
    if values["kind"] == PASTED:
        text = values["pasted"] or ""
        return (lambda reports: load_pasted(text)), len(text.splitlines())
    if values["file"] is None:
        raise InputError("Choose a file first, such as a CSV or Excel file.")
    path, headed = Path(values["file"]), bool(values["headed"])
    mapping = {field: values[f"field_{field}"] for field in FIELDS if values[f"field_{field}"]}
    means: dict[str, str] = {}
    for label in LABELS:
        for word in values[f"means_{label}"] or ():
            if word in means:
                raise InputError(f"“{word}” was chosen for both {means[word]} and {label}.")
            means[word] = label

    def load(reports: Reporter) -> LoadedPairs:
        more = {name: values[name] or () for name in ("systems", "groups")}
        return load_table(path, mapping, means, headed, **more, reports=reports)

    return load, look_at_table(path, headed).n_rows


def chosen_others(text: str | None) -> list[str]:
    """Return the folders and hub ids of other NLI models, one a line.

    `InputError` if the owner does not let visitors name models, or there are too many.
    """
    names = list(dict.fromkeys(filter(None, map(str.strip, (text or "").splitlines()))))
    if names and allowed_encoders() is not None:
        raise InputError("This server runs no models by folder or hub id.")
    if len(names) > MOST_MODELS:
        raise InputError(f"There are {len(names)} other models; at most {MOST_MODELS} are run.")
    return names
