"""The table that a visitor writes into: input boxes inside a `gr.HTML`, and how it is saved.

`gr.Dataframe` 6.31 loses the first letter typed into a cell, lets its headers be overwritten, and
is hard to use on a phone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import zip_longest
from typing import Any

import gradio as gr
from pydantic import AliasChoices, BaseModel, Field, ValidationError

from symdemo.data.columns import HEADINGS
from symdemo.errors import InputError
from symdemo.jobs.deadline import within
from symdemo.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL
from symdemo.teaching.limits import Limits
from symdemo.teaching.merge import merge
from symdemo.teaching.project import Project
from symdemo.teaching.project_files import RowTable, is_row_id, new_row_id
from symdemo.teaching.rows import RowReport, TeachRow, check_rows, read_label
from symdemo.ui.shared.html import draw, draw_html, read_script
from symdemo.ui.shared.sessions import Sessions

Cells = list[list[str]]

PARTS = ("subject", "relation", "object", "label")
WHOLE = (*PARTS, "premise", "hypothesis")
HEADERS = ("Subject", "Relation", "Object", "Label")
WHOLE_HEADERS = (*HEADERS, "Whole sentence", "Second sentence (empty: the swap)")
FIELD_NAMES = dict(zip(WHOLE, WHOLE_HEADERS, strict=True))

MIN_ROWS = 6
SPARE_ROWS = 2  # fewest empty rows at the end

MAX_CHARACTERS = 4_000_000
"""Size of a table as the page sends it; a full one has about a million characters."""

REPORT_SECONDS = 3.0  # at most, to check the rows after a change

LABEL_WORDS = {ENTAILMENT: "Yes, still true", CONTRADICTION: "No, false", NEUTRAL: "Can’t tell"}


class Sheet(BaseModel, strict=True, frozen=True):
    """The grid as a page sends it: its cells, and what the page started from."""

    cells: Cells = Field(alias="rows")
    headers: list[str] = []
    ids: list[str] | None = None  # of the rows; without ids they replace whatever table there is
    was: dict[str, list[str] | None] = {}  # id of a changed row → its cells before; None if new
    revision: int = 0  # of the table that the page started from
    # Number of changes on the page so far. In what the server sends, the number that it answers.
    seq: int | None = Field(None, validation_alias=AliasChoices("seq", "answers"))

    @property
    def whole(self) -> bool:
        """True if the columns for whole sentences are shown."""
        return len(self.headers) > len(HEADERS)

    @cached_property
    def rows(self) -> list[TeachRow]:
        """The rows; words such as yes and no become labels."""
        return [row_of_cells(line) for line in self.cells]

    def table(self, limits: Limits) -> RowTable:
        """Return its rows without the empty ones at the end; `InputError` for too many."""
        rows = list(self.rows)
        while rows and rows[-1].is_blank:
            rows.pop()
        limits.check("rows", len(rows))
        ids: dict[str, None] = {}
        for _, id in zip_longest(rows, (self.ids or ())[: len(rows)]):
            ids[id if is_row_id(id) and id not in ids else new_row_id()] = None
        return RowTable(tuple(rows), tuple(ids), self.revision)

    def base(self) -> dict[str, TeachRow]:
        """Return the rows that the page started from, by id."""
        rows = dict(zip(self.ids or (), self.rows, strict=False))
        rows |= {id: row_of_cells(line) for id, line in self.was.items() if line is not None}
        return {id: row for id, row in rows.items() if self.was.get(id, ()) is not None}

    def read_as(self) -> tuple[tuple[str, str], ...]:
        """Return words in its cells, such as yes, with the labels they were read as."""
        place = PARTS.index("label")
        typed = ["".join(line[place : place + 1]).strip() for line in self.cells]
        found = zip(typed, (row.label for row in self.rows), strict=True)
        return tuple(dict.fromkeys((word, label) for word, label in found if word != label))


def decode(value: Any) -> Sheet:
    """Read the grid of a page as it was sent; `InputError` for what no page sends."""
    try:
        if not isinstance(value, str) or len(value) > MAX_CHARACTERS:
            raise ValueError
        return Sheet.model_validate_json(value)
    except (ValidationError, ValueError):
        raise InputError("The table could not be read; reload the page.") from None


def encode(table: RowTable, whole: bool = False, answers: int | None = None) -> str:
    """Return the value of a grid with empty rows to write in; `whole` adds two columns.

    `answers` is the `Sheet.seq` of the grid that it answers: the page keeps changes made since. If
    it is None, the value replaces everything on the page.
    """
    headers, cells = WHOLE_HEADERS if whole else HEADERS, cells_of_rows(table.rows, whole)
    spare = max(SPARE_ROWS, MIN_ROWS - len(cells))
    rows = cells + [[""] * len(headers)] * spare
    value = {"headers": headers, "rows": rows, "ids": table.ids, "revision": table.revision}
    return json.dumps(value | {"answers": answers})


def row_of_cells(line: Sequence[str]) -> TeachRow:
    """Return one line of a grid as a row."""
    row = TeachRow(**dict(zip(WHOLE, line, strict=False)))
    with suppress(InputError):  # kept as it is, and the report says why
        return replace(row, label=read_label(row.label))
    return row


def cells_of_rows(rows: Iterable[TeachRow], whole: bool = False) -> Cells:
    """Return the grid of rows, optionally with columns for whole sentences."""
    return [[getattr(row, name) for name in (WHOLE if whole else PARTS)] for row in rows]


def has_whole(rows: Iterable[TeachRow]) -> bool:
    """True if some row is given by whole sentences."""
    return any(row.premise.strip() or row.hypothesis.strip() for row in rows)


def draw_grid() -> gr.HTML:
    """Draw an empty table; `encode` makes its value, and `decode` reads it."""
    return draw_html(
        encode(RowTable()),
        html_template=draw("teach/grid.html", labels=LABEL_WORDS, headings=HEADINGS),
        js_on_load=read_script("grid.js"),
        elem_id="teach-grid",
        elem_classes="grid",
    )


@dataclass(frozen=True)
class RowsView:
    """The table as it is now."""

    opened: Project | None = field(compare=False)  # None if nothing was written yet
    table: RowTable  # without empty rows at the end
    report: RowReport
    message: str = ""  # what was done
    notes: tuple[str, ...] = ()  # problems of lines that gave no row
    unread: str = ""  # these lines
    merged: tuple[str, ...] = ()  # what another page did to the rows
    read_as: tuple[tuple[str, str], ...] = ()  # words in the grid with the labels they mean
    whole: bool = False  # show the columns for whole sentences
    answers: int | None = None  # the `Sheet.seq` of the page; None draws the whole grid again

    @property
    def project(self) -> str:
        """The id to keep; empty if nothing was written yet."""
        return self.opened.id if self.opened else ""

    @property
    def rows(self) -> tuple[TeachRow, ...]:
        """The rows of the table, including blank ones in between."""
        return self.table.rows


def report_on(sessions: Sessions, project: Project | None, rows: Sequence[TeachRow]) -> RowReport:
    """Check rows for the model that the project starts from, for at most `REPORT_SECONDS`.

    The rows left are reported as unread; the next call goes on from there.
    """
    with within(REPORT_SECONDS):
        return check_rows(rows, sessions.limits, sessions.checker(project))


def load_rows(sessions: Sessions, id: str) -> RowsView:
    """Return the stored table; `InputError` if the project is gone."""
    project = sessions.find(id)
    table = project.table if project else RowTable()
    report = report_on(sessions, project, table.rows)
    return RowsView(project, table, report, whole=has_whole(table.rows))


@dataclass(frozen=True)
class RowsEdit:
    """A change of rows as a page sends it.

    Saving raises `InputError` if the table is larger than allowed, and `LostProjectError` if the
    browser keeps the key of a project that cannot be opened now; what was stored before stays.
    """

    sessions: Sessions
    id: str  # of the project, as the browser keeps it
    visit: str | None  # the name of the open page
    sheet: Sheet

    def save(self) -> RowsView:
        """Save the grid; the first row written creates the project."""
        return self.change()[0]

    def save_in_new_project(self) -> RowsView:
        """Save the grid in a new project, whatever project the page had before."""
        self.sessions.forget_page(self.visit)
        view = replace(self, id="", sheet=self.sheet.model_copy(update={"revision": 0})).save()
        return replace(view, message="These rows are saved in a new project.")

    def change(
        self, change: Callable[[RowTable], RowTable] = lambda table: table
    ) -> tuple[RowsView, RowTable]:
        """Save what the page shows with `change` applied; also return it without `change`."""
        sessions, sheet = self.sessions, self.sheet
        project = sessions.find_own(self.id)
        mine, notes = sheet.table(sessions.limits), tuple[str, ...]()
        if project is None and any(not row.is_blank for row in change(mine).rows):
            project = sessions.find_or_create(self.id, self.visit)
        if project is None:
            before, table = mine, change(mine)
        else:
            with project.changing():
                before, notes = self._merged(project, mine)
                table = project.change_table(lambda _: change(before))
                if self.visit and sheet.seq is not None:
                    sessions.pages.note(project.id, table.revision, self.visit, sheet.seq)
        view = RowsView(
            project,
            table,
            report_on(sessions, project, table.rows),
            merged=notes,
            read_as=sheet.read_as(),
            whole=sheet.whole or has_whole(table.rows),
            answers=sheet.seq,
        )
        return view, before

    def _merged(self, project: Project, mine: RowTable) -> tuple[RowTable, tuple[str, ...]]:
        """Merge what the page shows with what other pages saved since it was loaded."""
        sheet, theirs = self.sheet, project.table
        if sheet.ids is None or sheet.revision == theirs.revision:
            return mine, ()
        base = sheet.base()
        if sheet.revision < theirs.revision and self.visit and sheet.seq is not None:
            last = self.sessions.pages.last_of(
                project.id, self.visit, sheet.revision, theirs.revision
            )
            if last is not None and sheet.seq <= last:
                return theirs, ()
            if last is not None:  # sent before the answer to the page's own last save arrived
                seen = {id: row for id, row in theirs.by_id().items() if id in base}
                return merge(base | seen, mine, theirs)[0], ()
        return merge(base, mine, theirs)
