"""The table that a visitor writes into: input boxes inside a `gr.HTML`, and its JSON value.

`gr.Dataframe` 6.31 loses the first letter typed into a cell, lets its headers be overwritten, and
is hard to use on a phone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import isnan
from typing import Any

import gradio as gr

from symdemo.errors import InputError
from symdemo.files.paths import ASSETS
from symdemo.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL
from symdemo.teaching.limits import Limits
from symdemo.teaching.project_files import RowTable, is_row_id, new_row_id
from symdemo.teaching.rows import TeachRow, read_label
from symdemo.ui.shared.html import draw

Cells = Sequence[Sequence[Any]]

PARTS = ("subject", "relation", "object", "label")
WHOLE = (*PARTS, "premise", "hypothesis")
HEADERS = ("Subject", "Relation", "Object", "Label")
WHOLE_HEADERS = (*HEADERS, "Whole sentence", "Swapped sentence")

MIN_ROWS = 6
SPARE_ROWS = 2
"""Empty rows below what is written."""

MAX_CHARACTERS = 4_000_000
"""Size of a table as the page sends it; a full one has about a million characters."""

LABEL_WORDS = {
    ENTAILMENT: "yes, still true",
    CONTRADICTION: "no, false",
    NEUTRAL: "can’t tell",
}


@dataclass(frozen=True)
class Sheet:
    """The grid of a page: its cells, and what the page started from.

    Attributes:
        cells: row by row.
        ids: the ids of the rows.
        was: the cells that the page started from, where they differ now: by row id, None for a new
            row.
        revision: of the table that the page started from.
        seq: number of changes on the page when it sent the cells; None if it does not count.
        whole: the columns for whole sentences are shown.
        named: a page sent it. Cells without ids replace whatever table there is.
    """

    cells: Cells
    ids: tuple[str, ...] = ()
    was: Mapping[str, Sequence[Any] | None] = field(default_factory=dict)
    revision: int = 0
    seq: int | None = None
    whole: bool = False
    named: bool = False

    def table(self, limits: Limits) -> RowTable:
        """Return its rows without the empty ones at the end; `InputError` for too many."""
        rows = rows_of_cells(self.cells, limits)
        ids: dict[str, None] = {}
        for place in range(len(rows)):
            id = self.ids[place] if place < len(self.ids) else None
            ids[id if is_row_id(id) and id not in ids else new_row_id()] = None
        return RowTable(tuple(rows), tuple(ids), self.revision)

    def base(self) -> dict[str, TeachRow]:
        """Return the rows that the page started from, by id."""
        rows = {id: row_of_cells(line) for id, line in zip(self.ids, self.cells, strict=True)}
        rows |= {id: row_of_cells(line) for id, line in self.was.items() if line is not None}
        return {id: row for id, row in rows.items() if self.was.get(id, ()) is not None}

    def read_as(self) -> tuple[tuple[str, str], ...]:
        """Return words in its cells, such as yes, with the labels they were read as."""
        label = PARTS.index("label")
        typed = [(_text(line, label).strip(), row_of_cells(line).label) for line in self.cells]
        return tuple(dict.fromkeys((word, label) for word, label in typed if word != label))


def rows_of_cells(cells: Cells, limits: Limits) -> list[TeachRow]:
    """Return the rows of a grid; words such as yes and no become labels.

    Raises:
        InputError: more rows than allowed.
    """
    rows = [row_of_cells(line) for line in cells]
    while rows and rows[-1].is_blank:
        rows.pop()
    limits.check("rows", len(rows))
    return rows


def row_of_cells(line: Sequence[Any]) -> TeachRow:
    """Return one line of a grid as a row."""
    row = TeachRow(**{name: _text(line, place) for place, name in enumerate(WHOLE)})
    with suppress(InputError):  # kept as it is, and the report says why
        return replace(row, label=read_label(row.label))
    return row


def _text(line: Sequence[Any], place: int) -> str:
    cell = line[place] if place < len(line) else None
    return "" if cell is None or (isinstance(cell, float) and isnan(cell)) else str(cell)


def cells_of_rows(
    rows: Iterable[TeachRow], whole: bool = False, spare: bool = True
) -> list[list[str]]:
    """Return the grid of rows, optionally with columns for whole sentences and empty rows."""
    names = WHOLE if whole else PARTS
    cells = [[getattr(row, name) for name in names] for row in rows]
    if spare:
        missing = max(SPARE_ROWS, MIN_ROWS - len(cells))
        cells += [[""] * len(names) for _ in range(missing)]
    return cells


def has_whole(rows: Iterable[TeachRow]) -> bool:
    """True if some row is given by whole sentences."""
    return any(row.premise.strip() or row.hypothesis.strip() for row in rows)


def draw_grid(label: str, elem_id: str) -> gr.HTML:
    """Draw an empty table; `encode` makes its value, and `decode` reads it."""
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
    """Return the value of a grid.

    Args:
        table: its rows.
        whole: add two columns for whole sentences.
        spare: add empty rows to write in.
        answers: the `Sheet.seq` that this answers; later changes on the page are kept. None
            replaces the whole table.
    """
    value = {
        "headers": WHOLE_HEADERS if whole else HEADERS,
        "rows": cells_of_rows(table.rows, whole, spare),
        "ids": table.ids,
        "revision": table.revision,
        "answers": answers,
    }
    return json.dumps(value)


def decode(value: Any) -> Sheet:
    """Read the grid of a page as it was sent.

    Raises:
        InputError: it is not what the page sends.
    """
    if isinstance(value, str) and len(value) <= MAX_CHARACTERS:
        with suppress(ValueError, KeyError, TypeError, RecursionError):
            return _sheet(json.loads(value))
    raise InputError("The table could not be read; reload the page.")


def _sheet(sent: dict[str, Any]) -> Sheet:
    """Read the grid; `TypeError` if a part of it has the wrong type."""
    rows, was = sent["rows"], sent.get("was") or {}
    ids, headers = sent.get("ids") or [], sent.get("headers") or []
    revision, seq = sent.get("revision", 0), sent.get("seq", sent.get("answers"))
    if not (
        isinstance(rows, list)
        and all(isinstance(line, list) for line in rows)
        and isinstance(was, dict)
        and all(line is None or isinstance(line, list) for line in was.values())
        and isinstance(ids, list)
        and all(isinstance(id, str) for id in ids)
        and isinstance(headers, list)
        and type(revision) is int
        and (seq is None or type(seq) is int)
    ):
        raise TypeError
    ids = [*ids, *(new_row_id() for _ in rows[len(ids) :])][: len(rows)]
    return Sheet(
        rows, tuple(ids), was, revision, seq, len(headers) > len(HEADERS), named="ids" in sent
    )
