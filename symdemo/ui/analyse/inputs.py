"""The data that a visitor chooses to analyse, and the meaning of its columns."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gradio as gr
from markupsafe import Markup

from symdemo.analysis.loading import (
    LoadedPairs,
    TableLook,
    built_in_sets,
    label_values,
    load_built_in,
    load_pasted,
    load_table,
    look_at_table,
)
from symdemo.analysis.running import RunReports
from symdemo.data.columns import LABEL_OF_WORD
from symdemo.errors import InputError
from symdemo.pairs import LABELS
from symdemo.ui.analyse.service import MOST_WAITED_FOR, LoadData

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


def look_at(path: Any, headed: bool | None = None) -> TableLook:
    """Read the columns and the first rows of an uploaded table.

    Raises:
        InputError: it is no table that can be read.
    """
    return look_at_table(_uploaded(path), headed)


def _uploaded(path: Any) -> Path:
    """Check that there is a file; Gradio passes only paths in its upload folder."""
    if not isinstance(path, str | Path):
        raise InputError("Choose a CSV, TSV, JSONL or Parquet file first.")
    return Path(path)


def column_updates(look: TableLook) -> dict[str, Any]:
    """Offer all columns for every field, the likely one chosen, and for other systems' labels."""
    choices = [("–", ""), *((name, name) for name in look.columns)]
    found: dict[str, Any] = {
        f"field_{field}": gr.Dropdown(choices, value=look.guess.get(field, "")) for field in FIELDS
    }
    return found | {"systems": gr.Dropdown(list(look.columns), value=[])}


def label_updates(path: Any, column: str, headed: bool) -> dict[str, Any]:
    """Offer for each label the words in a column, the usual ones chosen."""
    if not column:
        return {f"means_{label}": gr.Dropdown([], value=[], visible=False) for label in LABELS}
    words = [word for word, _ in label_values(_uploaded(path), column, headed) if word]
    usual = {word: LABEL_OF_WORD.get(word.casefold().strip()) for word in words}
    return {
        f"means_{label}": gr.Dropdown(
            words, value=[word for word in words if usual[word] == label], visible=True
        )
        for label in LABELS
    }


def chosen_data(values: Mapping[str, Any]) -> tuple[LoadData, bool]:
    """Return how to read the chosen data, and True if that belongs in the background.

    Args:
        values: of the components, by the names that `tab.py` gives them.

    Raises:
        InputError: nothing was chosen, or columns that cannot be used.
    """
    if values["kind"] == BUILT_IN:
        name = str(values.get("built_in") or "")
        return (lambda reports: load_built_in(name)), False
    if values["kind"] == PASTED:
        text = str(values.get("pasted") or "")
        return (lambda reports: load_pasted(text)), len(text.splitlines()) > MOST_WAITED_FOR
    headed = bool(values.get("headed"))
    look = look_at(values.get("file"), headed)
    path = Path(str(values["file"]))
    mapping = {
        field: str(values[f"field_{field}"]) for field in FIELDS if values.get(f"field_{field}")
    }
    means = label_names(values)
    systems = [str(name) for name in values.get("systems") or ()]

    def load(reports: RunReports) -> LoadedPairs:
        return load_table(
            path, mapping, means, headed, systems=systems,
            progress=lambda done, total: reports.progress(done, total, None),
            should_stop=reports.stopped,
        )  # fmt: skip

    return load, look.n_rows is None or look.n_rows > MOST_WAITED_FOR


def label_names(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the label of each word that was chosen.

    Raises:
        InputError: a word was chosen for two labels.
    """
    found: dict[str, str] = {}
    for label in LABELS:
        for word in values.get(f"means_{label}") or ():
            if word in found:
                raise InputError(f"“{word}” was chosen for both {found[word]} and {label}.")
            found[word] = label
    return found


def set_words(id: Any) -> Markup:
    """Describe a built-in set in a sentence."""
    words = next((one.words for one in built_in_sets() if one.id == id), "")
    return Markup('<p class="quiet">{}</p>').format(words)
