"""What a visitor chooses before an analysis: the data, what its columns mean, and the models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
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
from symdemo.errors import InputError
from symdemo.pairs import LABELS
from symdemo.ui.shared.html import draw

BUILT_IN, FILE, PASTED = "built-in", "file", "pasted"
KINDS = [("A set that is here", BUILT_IN), ("A file of mine", FILE), ("Pasted lines", PASTED)]
NONE = ""
FIELDS = {
    "premise": "First sentence",
    "hypothesis": "Second sentence, if any",
    "label": "True label",
    "relation": "Relation",
    "construction": "Kind of sentence",
    "subject": "Subject, if there are no sentences",
    "object": "Object, if there are no sentences",
}
"""What a column can hold, and what that is called on the page."""
AT_ONCE = 2_000
"""Rows that are read while the visitor waits; more are read in the background."""

Load = Callable[[RunReports], LoadedPairs]


def look_at(path: Any, headed: bool | None = None) -> TableLook:
    """What an uploaded table has.

    Raises:
        InputError: it is no table that can be read.
    """
    return look_at_table(_came(path), headed)


def _came(path: Any) -> Path:
    """Where an uploaded file is: Gradio gives only paths in its folder for uploads."""
    if not isinstance(path, str | Path):
        raise InputError("No file has come; choose a CSV, TSV, JSONL or Parquet file.")
    return Path(path)


def column_updates(look: TableLook) -> dict[str, Any]:
    """Choices for every field, with the likely column chosen, and for other systems' labels."""
    choices = [("–", NONE), *((name, name) for name in look.columns)]
    found: dict[str, Any] = {
        f"field_{field}": gr.Dropdown(choices, value=look.guess.get(field, NONE))
        for field in FIELDS
    }
    return found | {"systems": gr.Dropdown(list(look.columns), value=[])}


def preview(look: TableLook) -> Markup:
    """The first rows of a table, as they stand in it."""
    return draw("analyse/preview.html", look=look)


def label_updates(path: Any, column: str, headed: bool) -> dict[str, Any]:
    """For each label the words in the file that mean it, the usual ones chosen."""
    if not column:
        return {f"means_{label}": gr.Dropdown([], value=[], visible=False) for label in LABELS}
    values = label_values(_came(path), column, headed)
    words = [value for value, _ in values if value]
    found = {}
    for label in LABELS:
        usual = [word for word in words if usual_label(word) == label]
        found[f"means_{label}"] = gr.Dropdown(words, value=usual, visible=True)
    return found


def usual_label(word: str) -> str | None:
    """The label that a word usually means; None for any other word."""
    from symdemo.data.columns import LABEL_OF_WORD

    return LABEL_OF_WORD.get(word.casefold().strip())


def chosen_data(kind: Any, values: Mapping[str, Any]) -> tuple[Load, bool]:
    """How to read what was chosen, and whether that belongs into the background.

    Args:
        kind: one of `KINDS`.
        values: of the components, by their names in `Choices`.

    Raises:
        InputError: nothing was chosen, or columns that cannot be used.
    """
    if kind == BUILT_IN:
        name = str(values.get("built_in") or "")
        return (lambda reports: load_built_in(name)), False
    if kind == PASTED:
        text = str(values.get("pasted") or "")
        return (lambda reports: load_pasted(text)), len(text.splitlines()) > AT_ONCE
    path = values.get("file")
    look = look_at(path, bool(values.get("headed")))
    mapping = {
        field: str(values[f"field_{field}"]) for field in FIELDS if values.get(f"field_{field}")
    }
    means = label_names(values)
    systems = [str(name) for name in values.get("systems") or ()]
    load = partial(_load_file, Path(str(path)), mapping, means, bool(values.get("headed")), systems)
    return load, look.n_rows is None or look.n_rows > AT_ONCE


def label_names(values: Mapping[str, Any]) -> dict[str, str]:
    """Word in the file → label, of the words that were chosen.

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


def _load_file(
    path: Path,
    mapping: Mapping[str, str],
    means: Mapping[str, str],
    headed: bool,
    systems: Sequence[str],
    reports: RunReports,
) -> LoadedPairs:
    return load_table(
        path, mapping, means, headed, systems=systems,
        progress=lambda done, total: reports.progress(done, total, None),
        should_stop=reports.stopped,
    )  # fmt: skip


def set_choices() -> list[tuple[str, str]]:
    """The built-in sets: what they are called, and their ids."""
    return [(one.name, one.id) for one in built_in_sets()]


def set_words(id: Any) -> Markup:
    """What a built-in set is, in a sentence."""
    words = next((one.words for one in built_in_sets() if one.id == id), "")
    return Markup('<p class="quiet">{}</p>').format(words)
