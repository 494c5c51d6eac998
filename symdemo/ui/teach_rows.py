"""Step 1 of the tab “Teach”, without Gradio: cells in, rows with a report out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from symdemo.errors import InputError
from symdemo.teaching.examples import EXAMPLES
from symdemo.teaching.near_labels import NearLabel, near_labels
from symdemo.teaching.propose import propose
from symdemo.teaching.reading import (
    read_lines,
    unread_lines,
)
from symdemo.teaching.row_check import RowReport, check_rows
from symdemo.teaching.rows import Row
from symdemo.teaching.table import Table
from symdemo.ui.teach_save import Saved, save
from symdemo.ui.teach_sessions import TeachSessions
from symdemo.ui.teach_sheet import Cells, Sheet, has_whole, rows_of_cells

SUGGESTIONS = 12
GONE = (
    "This project is not here any more. Your rows still stand on this page: change one of them, "
    "and all are kept in a new project."
)


@dataclass(frozen=True)
class Desk:
    """The table as it is now.

    Attributes:
        project: the id to keep; empty where nothing was written yet.
        table: the rows, without the empty ones at the end.
        report: what is right and wrong with them.
        said: what was done, in a sentence; or nothing.
        notes: lines that gave no row, each with the reason.
        left: these lines.
        merged: what another page did to the rows meanwhile, a sentence each.
        read_as: words in the grid, and the labels that they were read as.
        whole: whether the columns for whole sentences are to be shown.
        answers: the `Sheet.seq` that this answers; None where the grid is to be drawn anew.
    """

    project: str
    table: Table
    report: RowReport
    said: str = ""
    notes: tuple[str, ...] = ()
    left: str = ""
    merged: tuple[str, ...] = ()
    read_as: tuple[tuple[str, str], ...] = ()
    whole: bool = False
    answers: int | None = None

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows of the table."""
        return self.table.rows


def report_on(sessions: TeachSessions, id: str, rows: Sequence[Row]) -> RowReport:
    """What is right and wrong with rows, for the model that this project starts from."""
    project = sessions.find(id)
    return check_rows(rows, sessions.limits, sessions.checker(project))


def load(sessions: TeachSessions, id: str, sheet: Sheet | Cells = ()) -> Desk:
    """The table as it was kept, as an answer to `sheet`, if one was sent.

    Raises:
        InputError: there is no such project any more.
    """
    project = sessions.find(id)
    table = project.table if project else Table()
    return _desk(sessions, project.id if project else "", _sheet(sheet), Saved(table, table))


def keep(
    sessions: TeachSessions,
    id: str,
    visit: str | None,
    sheet: Sheet | Cells,
    change: Callable[[Table], Table] = lambda table: table,
) -> tuple[Desk, Table]:
    """Keep what a page shows and do `change` to it; the first row written makes the project.

    Returns:
        The table as it is now, and as it was before `change`.

    Raises:
        InputError: it is larger than allowed; what was kept before stays.
    """
    sheet = _sheet(sheet)
    project = None
    with suppress(InputError):  # it was idle too long, but the page still holds its rows
        project = sessions.find(id)
    if project is None:
        mine = sheet.table(sessions.limits)
        table = change(mine)
        if id and sheet.named and not sheet.was and table == mine:
            raise InputError(GONE)
        if all(row.is_blank for row in table.rows):
            return _desk(sessions, "", sheet, Saved(table, mine)), mine
        if id:  # what was kept is gone with its project, so that all of the page is new
            sheet = replace(sheet, revision=0, was=dict.fromkeys(sheet.ids))
        project = sessions.find_or_create(id, visit)
    saved = save(sessions.pages, project, visit, sheet, change)
    return _desk(sessions, project.id, sheet, saved), saved.before


def _desk(sessions: TeachSessions, id: str, sheet: Sheet, saved: Saved) -> Desk:
    rows = saved.table.rows
    return Desk(
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


def edit(sessions: TeachSessions, id: str, visit: str | None, sheet: Sheet | Cells) -> Desk:
    """Keep what stands in the grid."""
    return keep(sessions, id, visit, sheet)[0]


def paste(
    sessions: TeachSessions, id: str, visit: str | None, sheet: Sheet | Cells, text: str
) -> Desk:
    """Add pasted lines below what stands in the grid; those that give no row are left over."""
    rows, problems = read_lines(text, sessions.limits)
    if not rows and not problems:
        raise InputError("The box is empty; paste a few lines, such as Ann, knows, Bob, yes.")
    left, reasons = unread_lines(text, problems)
    return replace(add(sessions, id, visit, sheet, rows, reasons), left=left)


def add_example(
    sessions: TeachSessions, id: str, visit: str | None, sheet: Sheet | Cells, example: str
) -> Desk:
    """Add the rows of an example that are not in the grid yet."""
    found = next((e for e in EXAMPLES if e.id == example), None)
    if found is None:
        raise InputError("There is no such example; choose one of those that are shown.")
    return add(sessions, id, visit, sheet, found.rows(), ())


def suggest(sessions: TeachSessions, sheet: Sheet | Cells, seed: int = 0) -> tuple[Row, ...]:
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
    sessions: TeachSessions, id: str, visit: str | None, sheet: Sheet | Cells, suggested: Cells
) -> Desk:
    """Add suggested rows, as they were edited, below what stands in the grid."""
    rows = [row for row in rows_of_cells(suggested, sessions.limits) if not row.is_blank]
    return add(sessions, id, visit, sheet, rows, ())


def tidy(sessions: TeachSessions, id: str, visit: str | None, sheet: Sheet | Cells) -> Desk:
    """Take out empty rows and those that say the same as one before."""
    desk, before = keep(sessions, id, visit, sheet, _tidied)
    written = sum(not row.is_blank for row in before.rows)
    gone = written - len(desk.rows)
    said = f"{_count(gone, 'repeated row')} taken out." if gone else "Empty rows are taken out."
    return replace(desk, said=said)


def ask_about(sessions: TeachSessions, id: str, settled: Collection[str]) -> NearLabel | None:
    """The first label of a project that is probably meant for another, if there is one."""
    project = sessions.find(id)
    found = near_labels(project.rows, settled) if project else []
    return found[0] if found else None


def relabel(
    sessions: TeachSessions,
    id: str,
    visit: str | None,
    sheet: Sheet | Cells,
    typed: str,
    meant: str,
) -> Desk:
    """Give the rows of one label another."""

    def changed(table: Table) -> Table:
        rows = (replace(r, label=meant) if r.label.strip() == typed else r for r in table.rows)
        return replace(table, rows=tuple(rows))

    desk, before = keep(sessions, id, visit, sheet, changed)
    n = sum(row.label.strip() == typed for row in before.rows)
    says = "says" if n == 1 else "say"
    return replace(desk, said=f"{_count(n, 'row')} now {says} “{meant}”.")


def _tidied(table: Table) -> Table:
    first: dict[Row, str] = {}
    for id, row in table.by_id().items():
        if not row.is_blank:
            first.setdefault(row, id)
    return Table(tuple(first), tuple(first.values()), table.revision)


def add(
    sessions: TeachSessions,
    id: str,
    visit: str | None,
    sheet: Sheet | Cells,
    rows: Iterable[Row],
    notes: Iterable[str],
) -> Desk:
    """Add rows below what stands in the grid, without those that stand there already."""
    rows = list(rows)
    desk, before = keep(sessions, id, visit, sheet, lambda table: table.with_new(rows))
    new = len(desk.rows) - len(before.rows)
    said = f"{_count(new, 'row')} added."
    if left := len(rows) - new:
        said += f" {_count(left, 'row')} left out: already there."
    return replace(desk, said=said, notes=tuple(notes))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
