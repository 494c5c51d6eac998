"""Step 1 of the tab “Teach”, without Gradio: cells in, rows with a report out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import isnan
from pathlib import Path
from typing import Any

from symdemo.errors import InputError
from symdemo.teaching.examples import EXAMPLES
from symdemo.teaching.limits import Limits
from symdemo.teaching.propose import propose
from symdemo.teaching.reading import columns_of, guess_mapping, read_file, read_lines
from symdemo.teaching.row_check import RowReport, check_rows
from symdemo.teaching.rows import Row, read_label
from symdemo.ui.teach_sessions import TeachSessions

Cells = Sequence[Sequence[Any]]

PARTS = ("subject", "relation", "object", "label")
WHOLE = (*PARTS, "premise", "hypothesis")
HEADERS = ("Subject", "Relation", "Object", "Label")
WHOLE_HEADERS = (*HEADERS, "Whole sentence", "Swapped sentence")

SHOWN_ROWS = 6
SPARE_ROWS = 2
"""So many rows are drawn at least, and so many empty ones below what is written."""

SUGGESTIONS = 12


@dataclass(frozen=True)
class Desk:
    """The table as it is now.

    Attributes:
        project: the id to keep; empty where nothing was written yet.
        rows: the table, without the empty rows at its end.
        report: what is right and wrong with it.
        said: what was done, in a sentence; or nothing.
        notes: lines that gave no row, each with the reason.
    """

    project: str
    rows: tuple[Row, ...]
    report: RowReport
    said: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Upload:
    """The columns of a file, and which of them probably holds which field of a row."""

    columns: tuple[str, ...]
    mapping: dict[str, str]


def rows_of_cells(cells: Cells, limits: Limits) -> list[Row]:
    """The rows of a grid; words such as yes and no become the labels they mean.

    Raises:
        InputError: more rows than allowed.
    """
    limits.check_rows(len(cells))
    rows = [_row(line) for line in cells]
    while rows and rows[-1].is_blank:
        rows.pop()
    return rows


def _row(line: Sequence[Any]) -> Row:
    texts = ["" if _is_empty(cell) else str(cell) for cell in line[: len(WHOLE)]]
    row = Row(**dict(zip(WHOLE, texts, strict=False)))
    with suppress(InputError):  # as it is, the report says what is wrong with it
        return replace(row, label=read_label(row.label))
    return row


def _is_empty(cell: Any) -> bool:
    return cell is None or (isinstance(cell, float) and isnan(cell))


def cells_of_rows(rows: Iterable[Row], whole: bool = False, spare: bool = True) -> list[list[str]]:
    """The grid of rows, with two more columns for whole sentences, and empty rows to write in."""
    names = WHOLE if whole else PARTS
    cells = [[getattr(row, name) for name in names] for row in rows]
    if spare:
        missing = max(SPARE_ROWS, SHOWN_ROWS - len(cells))
        cells += [[""] * len(names) for _ in range(missing)]
    return cells


def has_whole(rows: Iterable[Row]) -> bool:
    """Whether some row is given by whole sentences."""
    return any(row.premise.strip() or row.hypothesis.strip() for row in rows)


def report_on(sessions: TeachSessions, id: str, rows: Sequence[Row]) -> RowReport:
    """What is right and wrong with rows, for the model that this project starts from."""
    project = sessions.find(id)
    return check_rows(rows, sessions.limits, sessions.checker(project))


def load(sessions: TeachSessions, id: str) -> Desk:
    """The table as it was kept; `InputError` where there is no such project any more."""
    project = sessions.find(id)
    rows = tuple(project.rows) if project else ()
    return Desk(project.id if project else "", rows, report_on(sessions, id, rows))


def keep(
    sessions: TeachSessions, id: str, visit: str | None, rows: Sequence[Row], said: str = ""
) -> Desk:
    """Keep a table; the first row that is written makes the project.

    Raises:
        InputError: it is larger than allowed; what was kept before stays.
    """
    rows = tuple(rows)
    if not (id or any(not row.is_blank for row in rows)):
        return Desk("", rows, check_rows(rows, sessions.limits), said)
    project = sessions.find_or_create(id, visit)
    project.save_rows(rows)
    return Desk(project.id, rows, report_on(sessions, project.id, rows), said)


def edit(sessions: TeachSessions, id: str, visit: str | None, cells: Cells) -> Desk:
    """Keep what stands in the grid."""
    return keep(sessions, id, visit, rows_of_cells(cells, sessions.limits))


def paste(sessions: TeachSessions, id: str, visit: str | None, cells: Cells, text: str) -> Desk:
    """Add pasted lines below what stands in the grid."""
    rows, problems = read_lines(text, sessions.limits)
    if not rows and not problems:
        raise InputError("The box is empty; paste a few lines, such as Ann, knows, Bob, yes.")
    return _add(sessions, id, visit, cells, rows, [problem.message for problem in problems])


def read_columns(path: str | None) -> Upload:
    """The columns of an uploaded file, to be mapped."""
    columns = columns_of(_file(path))
    return Upload(tuple(columns), guess_mapping(columns))


def add_file(
    sessions: TeachSessions,
    id: str,
    visit: str | None,
    cells: Cells,
    path: str | None,
    mapping: Mapping[str, str | None],
) -> Desk:
    """Add the rows of an uploaded file below what stands in the grid."""
    chosen = {field: column for field, column in mapping.items() if column}
    rows, problems = read_file(_file(path), chosen, sessions.limits)
    return _add(sessions, id, visit, cells, rows, [problem.message for problem in problems])


def add_example(
    sessions: TeachSessions, id: str, visit: str | None, cells: Cells, example: str
) -> Desk:
    """Add the rows of an example that are not in the grid yet."""
    found = next((e for e in EXAMPLES if e.id == example), None)
    if found is None:
        raise InputError("There is no such example; choose one of those that are shown.")
    return _add(sessions, id, visit, cells, found.rows(), ())


def suggest(sessions: TeachSessions, cells: Cells, seed: int = 0) -> tuple[Row, ...]:
    """More rows of the same relations, to be looked through before they are used.

    Raises:
        InputError: there is nothing to put together anew.
    """
    rows = rows_of_cells(cells, sessions.limits)
    found = propose(rows, SUGGESTIONS, seed)
    if not found:
        raise InputError(
            "There is nothing to suggest yet; write two rows of the same relation with different "
            "names first."
        )
    return tuple(found)


def use_suggestions(
    sessions: TeachSessions, id: str, visit: str | None, cells: Cells, suggested: Cells
) -> Desk:
    """Add suggested rows, as they were edited, below what stands in the grid."""
    rows = [row for row in rows_of_cells(suggested, sessions.limits) if not row.is_blank]
    return _add(sessions, id, visit, cells, rows, ())


def tidy(sessions: TeachSessions, id: str, visit: str | None, cells: Cells) -> Desk:
    """Take out empty rows and those that say the same as one before."""
    rows = [row for row in rows_of_cells(cells, sessions.limits) if not row.is_blank]
    kept = list(dict.fromkeys(rows))
    gone = len(rows) - len(kept)
    said = f"{_count(gone, 'repeated row')} taken out." if gone else "Empty rows are taken out."
    return keep(sessions, id, visit, kept, said)


def _add(sessions, id, visit, cells, rows: Iterable[Row], notes: Iterable[str]) -> Desk:
    here = rows_of_cells(cells, sessions.limits)
    known, rows = set(here), list(rows)
    new = [row for row in dict.fromkeys(rows) if row not in known]
    said = f"{_count(len(new), 'row')} added."
    if left := len(rows) - len(new):
        said += f" {_count(left, 'row')} left out: already there."
    return replace(keep(sessions, id, visit, [*here, *new], said), notes=tuple(notes))


def _file(path: str | None) -> Path:
    if not path:
        raise InputError("No file was chosen; a CSV, TSV or JSONL file is expected.")
    return Path(path)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
