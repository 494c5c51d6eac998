"""The data that a visitor chooses to analyse, and the meaning of its columns."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gradio as gr

from symdemo.analysis.built_in import load_built_in
from symdemo.analysis.loaded import LoadedPairs
from symdemo.analysis.loading import (
    TableLook,
    label_values,
    load_pasted,
    load_table,
    look_at_table,
)
from symdemo.analysis.workspace import MOST_MODELS
from symdemo.errors import InputError
from symdemo.jobs.reporting import Reporter
from symdemo.pairs import LABELS
from symdemo.ui.analyse.service import LoadData
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


def column_updates(look: TableLook) -> dict[str, Any]:
    """Offer all columns for every field, the likely one chosen, for other systems, and to group."""
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
    """Return a function that reads the chosen data, and the number of its rows; 0 for a set.

    Args:
        values: name of a component in `tab.py` → its value.

    Raises:
        InputError: nothing was chosen, the columns cannot be used, or one word is given for two
            labels.
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

    Raises:
        InputError: the owner does not let visitors name models, or there are too many.
    """
    names = list(dict.fromkeys(filter(None, map(str.strip, (text or "").splitlines()))))
    if names and allowed_encoders() is not None:
        raise InputError("This server runs no models by folder or hub id.")
    if len(names) > MOST_MODELS:
        raise InputError(f"There are {len(names)} other models; at most {MOST_MODELS} are run.")
    return names
