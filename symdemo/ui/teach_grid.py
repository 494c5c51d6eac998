"""The table that a visitor writes into: plain input boxes inside a `gr.HTML`.

`gr.Dataframe` 6.31 loses the first letter that is typed into a cell, lets its headers be
overwritten, and is hard to use on a telephone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape
from typing import Any

import gradio as gr

from symdemo.errors import InputError
from symdemo.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL
from symdemo.paths import ASSETS
from symdemo.teaching.rows import Row
from symdemo.ui.teach_rows import HEADERS, WHOLE_HEADERS, Cells, cells_of_rows

MAX_CHARACTERS = 4_000_000
"""Of a table as it comes from the page; a full one has about a million."""

_TEMPLATE = """<div class="grid-frame"><table aria-label="{label}"><thead></thead><tbody></tbody>
</table><datalist>{labels}</datalist></div>"""
_LABELS = "".join(
    f'<option value="{label}">{words}</option>'
    for label, words in (
        (ENTAILMENT, "yes, it still holds"),
        (CONTRADICTION, "no, it is then false"),
        (NEUTRAL, "that stays open"),
    )
)


def draw_grid(label: str, elem_id: str) -> gr.HTML:
    """An empty table; its value is what `encode` gives, and `decode` reads it."""
    return gr.HTML(
        encode(()),
        html_template=_TEMPLATE.format(label=escape(label), labels=_LABELS),
        js_on_load=(ASSETS / "grid.js").read_text(encoding="utf-8"),
        apply_default_css=False,
        elem_id=elem_id,
        elem_classes="grid",
    )


def encode(rows: Iterable[Row], whole: bool = False, spare: bool = True) -> str:
    """The value of a table of rows, with two more columns for whole sentences."""
    headers = WHOLE_HEADERS if whole else HEADERS
    return json.dumps({"headers": headers, "rows": cells_of_rows(rows, whole, spare)})


def decode(value: Any) -> Cells:
    """The cells of a table as they came from the page.

    Raises:
        InputError: it is not what the page sends.
    """
    if isinstance(value, str) and len(value) <= MAX_CHARACTERS:
        try:
            rows = json.loads(value)["rows"]
        except (ValueError, KeyError, TypeError, RecursionError):
            rows = None
        if isinstance(rows, list) and all(isinstance(line, list) for line in rows):
            return rows
    raise InputError("The table could not be read; open the page again.")
