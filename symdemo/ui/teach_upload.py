"""A file that a visitor uploads: its columns are mapped and looked at before it is taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from symdemo.errors import InputError
from symdemo.teaching.reading import columns_of, guess_columns, read_file, seems_headed
from symdemo.teaching.rows import Row
from symdemo.ui.teach_rows import Desk, add
from symdemo.ui.teach_sessions import TeachSessions
from symdemo.ui.teach_sheet import Cells, Sheet

PREVIEWED = 5
"""Lines of a file that are shown before they are taken."""


@dataclass(frozen=True)
class Upload:
    """A file that was uploaded, before any row of it is taken.

    Attributes:
        columns: their names, or made-up ones.
        mapping: which of them probably holds which field of a row.
        headed: whether the first line of the file names the columns.
        named: whether the file has names in any case, as JSONL has.
    """

    columns: tuple[str, ...]
    mapping: dict[str, str]
    headed: bool = True
    named: bool = False


@dataclass(frozen=True)
class Preview:
    """The first rows of a file as they would be taken, and the lines that would give none."""

    rows: tuple[Row, ...] = ()
    notes: tuple[str, ...] = ()


def read_columns(path: str | None, headed: bool | None = None) -> Upload:
    """The columns of an uploaded file, to be mapped; `headed` is found out where it is None."""
    file = _file(path)
    headed = seems_headed(file) if headed is None else headed
    columns = columns_of(file, headed)
    mapping = guess_columns(columns, headed)
    return Upload(tuple(columns), mapping, headed, file.suffix.lower() == ".jsonl")


def preview(
    sessions: TeachSessions, path: str | None, mapping: Mapping[str, str | None], headed: bool
) -> Preview:
    """What the first lines of an uploaded file would give.

    Raises:
        InputError: these columns make no rows.
    """
    rows, problems = read_file(_file(path), _chosen(mapping), sessions.limits, headed, PREVIEWED)
    return Preview(tuple(rows), tuple(problem.message for problem in problems))


def add_file(
    sessions: TeachSessions,
    id: str,
    visit: str | None,
    sheet: Sheet | Cells,
    path: str | None,
    mapping: Mapping[str, str | None],
    headed: bool = True,
) -> Desk:
    """Add the rows of an uploaded file below what stands in the grid."""
    rows, problems = read_file(_file(path), _chosen(mapping), sessions.limits, headed)
    return add(sessions, id, visit, sheet, rows, [problem.message for problem in problems])


def _chosen(mapping: Mapping[str, str | None]) -> dict[str, str]:
    return {field: column for field, column in mapping.items() if column}


def _file(path: str | None) -> Path:
    if not path:
        raise InputError("No file was chosen; a CSV, TSV or JSONL file is expected.")
    return Path(path)
