"""The table that a visitor writes into: plain input boxes inside a `gr.HTML`.

`gr.Dataframe` 6.31 loses the first letter that is typed into a cell, lets its headers be
overwritten, and is hard to use on a telephone.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import gradio as gr

from symdemo.errors import InputError
from symdemo.files.paths import ASSETS
from symdemo.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL
from symdemo.teaching.rows import RowTable, new_row_id
from symdemo.ui.shared.html import draw
from symdemo.ui.teach.sheet import HEADERS, WHOLE_HEADERS, Sheet, cells_of_rows

MAX_CHARACTERS = 4_000_000
"""Of a table as it comes from the page; a full one has about a million."""

LABEL_WORDS = {
    ENTAILMENT: "yes, it still holds",
    CONTRADICTION: "no, it is then false",
    NEUTRAL: "that stays open",
}


def draw_grid(label: str, elem_id: str) -> gr.HTML:
    """An empty table; its value is what `encode` gives, and `decode` reads it."""
    return gr.HTML(
        encode(RowTable()),
        html_template=draw("teach/grid.html", label=label, labels=LABEL_WORDS),
        js_on_load=(ASSETS / "grid.js").read_text(encoding="utf-8"),
        apply_default_css=False,
        elem_id=elem_id,
        elem_classes="grid",
    )


def encode(
    table: RowTable, whole: bool = False, spare: bool = True, answers: int | None = None
) -> str:
    """The value of a table of rows.

    Args:
        table: of the rows.
        whole: whether there are two more columns, for whole sentences.
        spare: whether there are empty rows below to write in.
        answers: the `Sheet.seq` that the page is to take it as the answer to: what was changed
            there since then stays. None draws the table anew.
    """
    headers = WHOLE_HEADERS if whole else HEADERS
    value = {
        "headers": headers,
        "rows": cells_of_rows(table.rows, whole, spare),
        "ids": table.ids,
        "revision": table.revision,
        "answers": answers,
    }
    return json.dumps(value)


def decode(value: Any) -> Sheet:
    """The grid of a page as it was sent.

    Raises:
        InputError: it is not what the page sends.
    """
    if isinstance(value, str) and len(value) <= MAX_CHARACTERS:
        with suppress(ValueError, KeyError, TypeError, RecursionError):
            return _sheet(json.loads(value))
    raise InputError("The table could not be read; open the page again.")


def _sheet(sent: dict[str, Any]) -> Sheet:
    """The grid that was sent; `TypeError` where a part of it is something else."""
    rows, was = sent["rows"], sent.get("was") or {}
    ids, headers = sent.get("ids") or [], sent.get("headers") or []
    if not (
        isinstance(rows, list)
        and all(isinstance(line, list) for line in rows)
        and isinstance(was, dict)
        and all(line is None or isinstance(line, list) for line in was.values())
        and isinstance(ids, list)
        and all(isinstance(id, str) for id in ids)
        and isinstance(headers, list)
    ):
        raise TypeError
    revision, seq = sent.get("revision", 0), sent.get("seq", sent.get("answers"))
    if type(revision) is not int or not (seq is None or type(seq) is int):
        raise TypeError
    ids = [*ids, *(new_row_id() for _ in rows[len(ids) :])][: len(rows)]
    return Sheet(
        rows, tuple(ids), was, revision, seq, len(headers) > len(HEADERS), named="ids" in sent
    )
