"""The grid of the tab “Teach” as cells, and what a page says of its cells when it sends them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import isnan
from typing import Any

from symdemo.errors import InputError
from symdemo.teaching.limits import Limits
from symdemo.teaching.rows import RowTable, TeachRow, is_row_id, new_row_id, read_label

Cells = Sequence[Sequence[Any]]

PARTS = ("subject", "relation", "object", "label")
WHOLE = (*PARTS, "premise", "hypothesis")
LABEL = PARTS.index("label")
HEADERS = ("Subject", "Relation", "Object", "Label")
WHOLE_HEADERS = (*HEADERS, "Whole sentence", "Swapped sentence")

SHOWN_ROWS = 6
SPARE_ROWS = 2
"""So many rows are drawn at least, and so many empty ones below what is written."""


@dataclass(frozen=True)
class Sheet:
    """The grid of a page: its cells, and what the page began with.

    Attributes:
        cells: row by row.
        ids: the names of the rows.
        was: the cells that the page began with, where they are others now: by the name of the row,
            None for a row that is new.
        revision: of the table that the page began with.
        seq: how many changes the page had seen when it sent the cells; None where it counts none.
        whole: whether the columns for whole sentences are shown.
        named: whether a page sent it. Cells without names stand in the place of whatever table
            there is.
    """

    cells: Cells
    ids: tuple[str, ...] = ()
    was: Mapping[str, Sequence[Any] | None] = field(default_factory=dict)
    revision: int = 0
    seq: int | None = None
    whole: bool = False
    named: bool = False

    def table(self, limits: Limits) -> RowTable:
        """Its rows, without the empty ones at the end.

        Raises:
            InputError: more rows than allowed.
        """
        rows = rows_of_cells(self.cells, limits)
        return RowTable(tuple(rows), self._names()[: len(rows)], self.revision)

    def base(self) -> dict[str, TeachRow]:
        """The rows that the page began with, by their names."""
        rows = {id: row_of_cells(line) for id, line in zip(self.ids, self.cells, strict=True)}
        rows |= {id: row_of_cells(line) for id, line in self.was.items() if line is not None}
        return {id: row for id, row in rows.items() if self.was.get(id, ()) is not None}

    def read_as(self) -> tuple[tuple[str, str], ...]:
        """Words in its cells, such as yes, and the labels that they were read as."""
        typed = [(_text(line, LABEL).strip(), row_of_cells(line).label) for line in self.cells]
        return tuple(dict.fromkeys((word, label) for word, label in typed if word != label))

    def _names(self) -> tuple[str, ...]:
        """The names of the rows; one that is missing, odd or taken is made anew."""
        names: dict[str, None] = {}
        for place in range(len(self.cells)):
            name = self.ids[place] if place < len(self.ids) else None
            names[name if is_row_id(name) and name not in names else new_row_id()] = None
        return tuple(names)


def rows_of_cells(cells: Cells, limits: Limits) -> list[TeachRow]:
    """The rows of a grid; words such as yes and no become the labels they mean.

    Raises:
        InputError: more rows than allowed.
    """
    rows = [row_of_cells(line) for line in cells]
    while rows and rows[-1].is_blank:
        rows.pop()
    limits.check("rows", len(rows))
    return rows


def row_of_cells(line: Sequence[Any]) -> TeachRow:
    """One line of a grid as a row."""
    texts = [_text(line, place) for place in range(min(len(line), len(WHOLE)))]
    row = TeachRow(**dict(zip(WHOLE, texts, strict=False)))
    with suppress(InputError):  # as it is, the report says what is wrong with it
        return replace(row, label=read_label(row.label))
    return row


def _text(line: Sequence[Any], place: int) -> str:
    cell = line[place] if place < len(line) else None
    return "" if cell is None or (isinstance(cell, float) and isnan(cell)) else str(cell)


def cells_of_rows(
    rows: Iterable[TeachRow], whole: bool = False, spare: bool = True
) -> list[list[str]]:
    """The grid of rows, with two more columns for whole sentences, and empty rows to write in."""
    names = WHOLE if whole else PARTS
    cells = [[getattr(row, name) for name in names] for row in rows]
    if spare:
        missing = max(SPARE_ROWS, SHOWN_ROWS - len(cells))
        cells += [[""] * len(names) for _ in range(missing)]
    return cells


def has_whole(rows: Iterable[TeachRow]) -> bool:
    """Whether some row is given by whole sentences."""
    return any(row.premise.strip() or row.hypothesis.strip() for row in rows)
