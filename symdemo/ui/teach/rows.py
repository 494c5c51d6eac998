"""Step 1 of the tab “Teach”, without Gradio: cells in, rows with a report out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from symdemo.data.tables import TableFile
from symdemo.errors import InputError
from symdemo.jobs.deadline import within
from symdemo.teaching.propose import propose
from symdemo.teaching.row_check import NearLabel, RowReport, check_rows, near_labels
from symdemo.teaching.row_sources import EXAMPLES, read_file, read_lines, unread_lines
from symdemo.teaching.rows import RowTable, TeachRow
from symdemo.ui.shared.html import count
from symdemo.ui.shared.sessions import Sessions
from symdemo.ui.teach.save import Saved, save
from symdemo.ui.teach.sheet import Cells, Sheet, has_whole, rows_of_cells

SUGGESTIONS = 12
REPORT_SECONDS = 3.0
"""For reading the rows after one change of them."""


@dataclass(frozen=True)
class RowsView:
    """The table as it is now.

    Attributes:
        project: the id to keep; empty where nothing was written yet.
        table: the rows, without the empty ones at the end.
        report: what is right and wrong with them.
        message: what was done, in a sentence; or nothing.
        notes: lines that gave no row, each with the reason.
        unread: these lines.
        merged: what another page did to the rows meanwhile, a sentence each.
        read_as: words in the grid, and the labels that they were read as.
        whole: whether the columns for whole sentences are to be shown.
        answers: the `Sheet.seq` that this answers; None where the grid is to be drawn anew.
    """

    project: str
    table: RowTable
    report: RowReport
    message: str = ""
    notes: tuple[str, ...] = ()
    unread: str = ""
    merged: tuple[str, ...] = ()
    read_as: tuple[tuple[str, str], ...] = ()
    whole: bool = False
    answers: int | None = None

    @property
    def rows(self) -> tuple[TeachRow, ...]:
        """The rows of the table, blank ones in between included."""
        return self.table.rows


def report_on(sessions: Sessions, id: str, rows: Sequence[TeachRow]) -> RowReport:
    """What is right and wrong with rows, for the model that this project starts from.

    Those for which there is no time now are read the next time.
    """
    project = sessions.find(id)
    with within(REPORT_SECONDS):
        return check_rows(rows, sessions.limits, sessions.checker(project))


def load_rows(sessions: Sessions, id: str, sheet: Sheet | Cells = ()) -> RowsView:
    """The table as it was kept, as an answer to `sheet`, if one was sent.

    Raises:
        InputError: there is no such project any more.
    """
    project = sessions.find(id)
    table = project.table if project else RowTable()
    return _view(sessions, project.id if project else "", _sheet(sheet), Saved(table, table))


def change_rows(
    sessions: Sessions,
    id: str,
    visit: str | None,
    sheet: Sheet | Cells,
    change: Callable[[RowTable], RowTable] = lambda table: table,
) -> tuple[RowsView, RowTable]:
    """Keep what a page shows and do `change` to it; the first row written makes the project.

    Returns:
        The table as it is now, and as it was before `change`.

    Raises:
        InputError: it is larger than allowed; what was kept before stays.
        LostProjectError: the browser keeps the key of a project that cannot be opened now.
    """
    sheet = _sheet(sheet)
    project = sessions.find_own(id)
    if project is None:
        mine = sheet.table(sessions.limits)
        table = change(mine)
        if all(row.is_blank for row in table.rows):
            return _view(sessions, "", sheet, Saved(table, mine)), mine
        project = sessions.find_or_create(id, visit)
    saved = save(sessions.pages, project, visit, sheet, change)
    return _view(sessions, project.id, sheet, saved), saved.before


def _view(sessions: Sessions, id: str, sheet: Sheet, saved: Saved) -> RowsView:
    rows = saved.table.rows
    return RowsView(
        id,
        saved.table,
        report_on(sessions, id, rows),
        merged=saved.notes,
        read_as=sheet.read_as(),
        whole=sheet.whole or has_whole(rows),
        answers=sheet.seq,
    )


def _sheet(sheet: Sheet | Cells) -> Sheet:
    return sheet if isinstance(sheet, Sheet) else Sheet(sheet)


def save_rows(sessions: Sessions, id: str, visit: str | None, sheet: Sheet | Cells) -> RowsView:
    """Keep what stands in the grid."""
    return change_rows(sessions, id, visit, sheet)[0]


def keep_in_new_project(sessions: Sessions, visit: str | None, sheet: Sheet | Cells) -> RowsView:
    """Keep what stands in the grid in a new project, whatever project the page had before."""
    sheet = _sheet(sheet)
    sessions.forget_page(visit)
    sheet = replace(sheet, revision=0, was=dict.fromkeys(sheet.ids))  # all of it is new there
    return save_rows(sessions, "", visit, sheet)


def paste_lines(
    sessions: Sessions, id: str, visit: str | None, sheet: Sheet | Cells, text: str
) -> RowsView:
    """Add pasted lines below what stands in the grid; those that give no row are left over."""
    rows, problems = read_lines(text, sessions.limits)
    if not rows and not problems:
        raise InputError("The box is empty; paste a few lines, such as Ann, knows, Bob, yes.")
    left, reasons = unread_lines(text, problems)
    return replace(add_rows(sessions, id, visit, sheet, rows, reasons), unread=left)


def add_example(
    sessions: Sessions, id: str, visit: str | None, sheet: Sheet | Cells, example: str
) -> RowsView:
    """Add the rows of an example that are not in the grid yet."""
    found = next((e for e in EXAMPLES if e.id == example), None)
    if found is None:
        raise InputError("There is no such example; choose one of those that are shown.")
    return add_rows(sessions, id, visit, sheet, found.rows(), ())


def suggest_rows(sessions: Sessions, sheet: Sheet | Cells, seed: int = 0) -> tuple[TeachRow, ...]:
    """More rows of the same relations, to be looked through before they are used.

    Raises:
        InputError: there is nothing to put together anew.
    """
    rows = _sheet(sheet).table(sessions.limits).rows
    found = propose(rows, SUGGESTIONS, seed)
    if not found:
        raise InputError(
            "There is nothing to suggest yet; write two rows of the same relation with different "
            "names first."
        )
    return tuple(found)


def use_suggestions(
    sessions: Sessions, id: str, visit: str | None, sheet: Sheet | Cells, suggested: Cells
) -> RowsView:
    """Add suggested rows, as they were edited, below what stands in the grid."""
    rows = [row for row in rows_of_cells(suggested, sessions.limits) if not row.is_blank]
    return add_rows(sessions, id, visit, sheet, rows, ())


def tidy_rows(sessions: Sessions, id: str, visit: str | None, sheet: Sheet | Cells) -> RowsView:
    """Take out empty rows and those that say the same as one before."""
    view, before = change_rows(sessions, id, visit, sheet, _tidied)
    written = sum(not row.is_blank for row in before.rows)
    gone = written - len(view.rows)
    message = f"{count(gone, 'repeated row')} taken out." if gone else "Empty rows are taken out."
    return replace(view, message=message)


def find_near_label(sessions: Sessions, id: str, settled: Collection[str]) -> NearLabel | None:
    """The first label of a project that is probably meant for another, if there is one."""
    project = sessions.find(id)
    found = near_labels(project.rows, settled) if project else []
    return found[0] if found else None


def relabel_rows(
    sessions: Sessions,
    id: str,
    visit: str | None,
    sheet: Sheet | Cells,
    typed: str,
    meant: str,
) -> RowsView:
    """Give the rows of one label another."""

    def changed(table: RowTable) -> RowTable:
        rows = (replace(r, label=meant) if r.label.strip() == typed else r for r in table.rows)
        return replace(table, rows=tuple(rows))

    view, before = change_rows(sessions, id, visit, sheet, changed)
    n = sum(row.label.strip() == typed for row in before.rows)
    says = "says" if n == 1 else "say"
    return replace(view, message=f"{count(n, 'row')} now {says} “{meant}”.")


def _tidied(table: RowTable) -> RowTable:
    first: dict[TeachRow, str] = {}
    for id, row in table.by_id().items():
        if not row.is_blank:
            first.setdefault(row, id)
    return RowTable(tuple(first), tuple(first.values()), table.revision)


def add_rows(
    sessions: Sessions,
    id: str,
    visit: str | None,
    sheet: Sheet | Cells,
    rows: Iterable[TeachRow],
    notes: Iterable[str],
) -> RowsView:
    """Add rows below what stands in the grid, without those that stand there already."""
    rows = list(rows)
    view, before = change_rows(sessions, id, visit, sheet, lambda table: table.with_new(rows))
    new = len(view.rows) - len(before.rows)
    message = f"{count(new, 'row')} added."
    if left := len(rows) - new:
        message += f" {count(left, 'row')} left out: already there."
    return replace(view, message=message, notes=tuple(notes))


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

    rows: tuple[TeachRow, ...] = ()
    notes: tuple[str, ...] = ()


def read_columns(path: str | None, headed: bool | None = None) -> Upload:
    """The columns of an uploaded file, to be mapped; `headed` is found out where it is None."""
    file = _file(path)
    table = TableFile(file, headed)
    is_jsonl = file.suffix.lower() == ".jsonl"
    return Upload(tuple(table.columns), table.guess(), table.headed, is_jsonl)


def preview_file(
    sessions: Sessions, path: str | None, mapping: Mapping[str, str | None], headed: bool
) -> Preview:
    """What the first lines of an uploaded file would give.

    Raises:
        InputError: these columns make no rows.
    """
    rows, problems = read_file(_file(path), _chosen(mapping), sessions.limits, headed, PREVIEWED)
    return Preview(tuple(rows), tuple(problem.message for problem in problems))


def add_file(
    sessions: Sessions,
    id: str,
    visit: str | None,
    sheet: Sheet | Cells,
    path: str | None,
    mapping: Mapping[str, str | None],
    headed: bool = True,
) -> RowsView:
    """Add the rows of an uploaded file below what stands in the grid."""
    rows, problems = read_file(_file(path), _chosen(mapping), sessions.limits, headed)
    return add_rows(sessions, id, visit, sheet, rows, [problem.message for problem in problems])


def _chosen(mapping: Mapping[str, str | None]) -> dict[str, str]:
    return {field: column for field, column in mapping.items() if column}


def _file(path: str | None) -> Path:
    if not path:
        raise InputError("No file was chosen; a CSV, TSV or JSONL file is expected.")
    return Path(path)
