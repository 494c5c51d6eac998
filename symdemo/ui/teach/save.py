"""Keeping the rows of a page, while another page of the same visitor may keep its own.

Every save is done under the project's lock. A page that has not seen the latest table has its
changes merged into it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from symdemo.teaching.merge import merge
from symdemo.teaching.project import Project
from symdemo.teaching.rows import RowTable
from symdemo.ui.shared.sessions import PageLog
from symdemo.ui.teach.sheet import Sheet


@dataclass(frozen=True)
class Saved:
    """A table as it was kept.

    Attributes:
        table: what is kept now.
        before: the same before `change` was done to it.
        notes: what another page had done to it, and what became of that.
    """

    table: RowTable
    before: RowTable
    notes: tuple[str, ...] = ()


def save(
    log: PageLog,
    project: Project,
    visit: str | None,
    sheet: Sheet,
    change: Callable[[RowTable], RowTable] = lambda table: table,
) -> Saved:
    """Keep what a page shows, and do `change` to it.

    Args:
        log: of the app.
        project: that the rows are of.
        visit: the page.
        sheet: what it shows.
        change: what else is done to the table, such as adding rows.

    Raises:
        InputError: more or longer rows than the limits allow; what was kept before stays.
    """
    mine = sheet.table(project.limits)
    with project.changing():
        merged, notes = _settle(log, project, visit, sheet, mine)
        kept = project.change_table(lambda _: change(merged))
        if visit and sheet.seq is not None:
            log.note(project.id, kept.revision, visit, sheet.seq)
    return Saved(kept, merged, notes)


def _settle(
    log: PageLog, project: Project, visit: str | None, sheet: Sheet, mine: RowTable
) -> tuple[RowTable, tuple[str, ...]]:
    theirs = project.table
    if not sheet.named or sheet.revision == theirs.revision:
        return mine, ()
    base = sheet.base()
    if sheet.revision < theirs.revision and visit and sheet.seq is not None:
        last = log.last_of(project.id, visit, sheet.revision, theirs.revision)
        if last is not None and sheet.seq <= last:
            return theirs, ()
        if last is not None:  # sent before the answer to an earlier save had come
            seen = {id: row for id, row in theirs.by_id().items() if id in base}
            return merge(base | seen, mine, theirs)[0], ()
    return merge(base, mine, theirs)
