"""Step 1 of the Teach tab, without Gradio: changes of the table in, rows with a report out."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from symdemo.data.tables import TableFile
from symdemo.errors import InputError
from symdemo.jobs.deadline import within
from symdemo.teaching.merge import merge
from symdemo.teaching.project import Project
from symdemo.teaching.project_files import RowTable
from symdemo.teaching.row_sources import EXAMPLES, read_file, read_lines, unread_lines
from symdemo.teaching.row_suggestions import NearLabel, near_labels, propose
from symdemo.teaching.rows import (
    RowReport,
    TeachRow,
    check_rows,
    labelled_pair,
    read_label,
    rows_of_pairs,
    same_sentence,
)
from symdemo.text import shorten
from symdemo.ui.shared.html import count
from symdemo.ui.shared.sessions import Sessions
from symdemo.ui.shared.visitor import AddedRow
from symdemo.ui.teach.grid import Cells, Sheet, has_whole, rows_of_cells

SUGGESTIONS = 12
PREVIEWED = 5
"""Lines of a file in its preview."""

REPORT_SECONDS = 3.0
"""Time to read the rows after a change."""


@dataclass(frozen=True)
class RowsView:
    """The table as it is now.

    Attributes:
        project: the id to keep; empty if nothing was written yet.
        table: the rows, without the empty ones at the end.
        report: its problems and counts.
        message: a sentence about what was done, or nothing.
        notes: problems of lines that gave no row.
        unread: these lines.
        merged: sentences about what another page did to the rows.
        read_as: words in the grid with the labels they were read as.
        whole: show the columns for whole sentences.
        answers: the `Sheet.seq` that this answers; None draws the grid anew.
        opened: the project itself.
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
    opened: Project | None = field(default=None, compare=False)

    @property
    def rows(self) -> tuple[TeachRow, ...]:
        """The rows of the table, including blank ones in between."""
        return self.table.rows


def report_on(sessions: Sessions, project: Project | None, rows: Sequence[TeachRow]) -> RowReport:
    """Check rows for the model that the project starts from.

    Rows for which there is no time now are read the next time.
    """
    with within(REPORT_SECONDS):
        return check_rows(rows, sessions.limits, sessions.checker(project))


def load_rows(sessions: Sessions, id: str) -> RowsView:
    """Return the stored table; `InputError` if the project is gone."""
    project = sessions.find(id)
    table = project.table if project else RowTable()
    report = report_on(sessions, project, table.rows)
    whole = has_whole(table.rows)
    return RowsView(project.id if project else "", table, report, whole=whole, opened=project)


@dataclass(frozen=True)
class RowsEdit:
    """What a page sends with a change of its rows. Its methods save them and return the result.

    Saving raises `InputError` if the table is larger than allowed, and `LostProjectError` if the
    browser keeps the key of a project that cannot be opened now; what was stored before stays.

    Attributes:
        sessions: of the app.
        id: the project id that the browser keeps.
        visit: the id of the open page.
        sheet: the grid as it is shown.
    """

    sessions: Sessions
    id: str
    visit: str | None
    sheet: Sheet

    def save(self) -> RowsView:
        """Save the grid; the first row written creates the project."""
        return self._change()[0]

    def save_in_new_project(self) -> RowsView:
        """Save the grid in a new project, whatever project the page had before."""
        self.sessions.forget_page(self.visit)
        new = replace(self.sheet, revision=0, was=dict.fromkeys(self.sheet.ids))
        return replace(self, id="", sheet=new).save()

    def add(self, rows: Iterable[TeachRow], notes: Iterable[str] = ()) -> RowsView:
        """Append rows to the grid, except those that it has already."""
        rows = list(rows)
        view, before = self._change(lambda table: table.with_new(rows))
        new = len(view.rows) - len(before.rows)
        message = f"{count(new, 'row')} added."
        if left := len(rows) - new:
            message += f" {count(left, 'row')} skipped: already there."
        return replace(view, message=message, notes=tuple(notes))

    def paste(self, text: str) -> RowsView:
        """Append pasted lines; those that give no row are left over."""
        rows, problems = read_lines(text, self.sessions.limits)
        if not rows and not problems:
            raise InputError("The box is empty; paste a few lines, such as Ann, knows, Bob, yes.")
        left, reasons = unread_lines(text, problems)
        return replace(self.add(rows, reasons), unread=left)

    def add_example(self, name: str) -> RowsView:
        """Append the rows of an example."""
        found = next((example for example in EXAMPLES if example.id == name), None)
        if found is None:
            raise InputError("There is no such example; choose one of those that are shown.")
        return self.add(found.rows())

    def add_file(
        self, path: str | None, mapping: Mapping[str, str | None], headed: bool = True
    ) -> RowsView:
        """Append the rows of an uploaded file."""
        rows, problems = read_file(_file(path), _chosen(mapping), self.sessions.limits, headed)
        return self.add(rows, [problem.message for problem in problems])

    def add_suggestions(self, suggested: Cells) -> RowsView:
        """Append suggested rows, as they were edited."""
        rows = rows_of_cells(suggested, self.sessions.limits)
        return self.add(row for row in rows if not row.is_blank)

    def suggest(self, seed: int = 0) -> tuple[TeachRow, ...]:
        """Propose more rows of the same relations, without saving anything.

        Raises:
            InputError: there is nothing to recombine.
        """
        rows = self.sheet.table(self.sessions.limits).rows
        found = propose(rows, SUGGESTIONS, seed)
        if not found:
            raise InputError(
                "There is nothing to suggest yet; write two rows of the same relation with "
                "different names first."
            )
        return tuple(found)

    def tidy(self) -> RowsView:
        """Remove blank and repeated rows."""

        def tidied(table: RowTable) -> RowTable:
            first: dict[TeachRow, str] = {}
            for id, row in table.by_id().items():
                if not row.is_blank:
                    first.setdefault(row, id)
            return RowTable(tuple(first), tuple(first.values()), table.revision)

        view, before = self._change(tidied)
        gone = sum(not row.is_blank for row in before.rows) - len(view.rows)
        message = f"{count(gone, 'duplicate')} removed." if gone else "Blank rows removed."
        return replace(view, message=message)

    def relabel(self, typed: str, meant: str) -> RowsView:
        """Replace one label by another."""

        def relabelled(table: RowTable) -> RowTable:
            rows = (replace(r, label=meant) if r.label.strip() == typed else r for r in table.rows)
            return replace(table, rows=tuple(rows))

        view, before = self._change(relabelled)
        n = sum(row.label.strip() == typed for row in before.rows)
        says = "says" if n == 1 else "say"
        return replace(view, message=f"{count(n, 'row')} now {says} “{meant}”.")

    def _change(
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
            project.id if project else "",
            table,
            report_on(sessions, project, table.rows),
            merged=notes,
            read_as=sheet.read_as(),
            whole=sheet.whole or has_whole(table.rows),
            answers=sheet.seq,
            opened=project,
        )
        return view, before

    def _merged(self, project: Project, mine: RowTable) -> tuple[RowTable, tuple[str, ...]]:
        """Merge what the page shows with what other pages saved since it was loaded."""
        sheet, theirs = self.sheet, project.table
        if not sheet.named or sheet.revision == theirs.revision:
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


def find_near_label(sessions: Sessions, id: str, settled: Collection[str]) -> NearLabel | None:
    """Return the first label of a project that is probably mistyped."""
    project = sessions.find(id)
    found = near_labels(project.rows, settled) if project else []
    return found[0] if found else None


@dataclass(frozen=True)
class Preview:
    """The first rows of an uploaded file, and the problems of lines that give none."""

    rows: tuple[TeachRow, ...] = ()
    notes: tuple[str, ...] = ()


def open_upload(path: str | None, headed: bool | None = None) -> TableFile:
    """Open an uploaded file to map its columns; `headed` is detected if None."""
    return TableFile(_file(path), headed)


def preview_file(
    sessions: Sessions, path: str | None, mapping: Mapping[str, str | None], headed: bool
) -> Preview:
    """Read the first lines of an uploaded file; `InputError` if these columns make no rows."""
    rows, problems = read_file(_file(path), _chosen(mapping), sessions.limits, headed, PREVIEWED)
    return Preview(tuple(rows), tuple(problem.message for problem in problems))


def _chosen(mapping: Mapping[str, str | None]) -> dict[str, str]:
    return {field: column for field, column in mapping.items() if column}


def _file(path: str | None) -> Path:
    if not path:
        raise InputError("No file was chosen; a CSV, TSV or JSONL file is expected.")
    return Path(path)


def add_row(
    sessions: Sessions,
    project_key: str,
    premise: str,
    hypothesis: str,
    label: str,
    relation: str = "",
    visit: str | None = None,
) -> AddedRow:
    """Add one row from another tab to a visitor's project; the first one creates the project.

    A row of the same two sentences is not repeated: it gets the new label.

    Args:
        sessions: of the app.
        project_key: the project id that the browser keeps; empty for a new one.
        premise: the sentence.
        hypothesis: the swapped sentence.
        label: a label or a word for one, such as yes.
        relation: if it is known.
        visit: the id of the open page, as in `Sessions.find_or_create`.

    Raises:
        InputError: sentences or a label that cannot be taught, or no room for another row; nothing
            is changed, and no project created.
        LostProjectError: the browser keeps the key of a project that cannot be opened now.
    """
    label = read_label(sessions.limits.check_label(label))
    given = TeachRow(premise=premise, hypothesis=hypothesis, relation=relation or "", label=label)
    pair = labelled_pair(given)
    sessions.checker(None)(pair)
    (row,) = rows_of_pairs([pair])
    for name in ("subject", "relation", "object", "premise", "hypothesis"):
        sessions.limits.check_text(name, getattr(row, name))
    shown, place, message = shorten(label, 40), 0, ""

    def says_the_same(old: TeachRow) -> bool:
        try:
            known = old.pair()
        except InputError:  # it is unfinished
            return False
        return same_sentence(known.premise, pair.premise) and same_sentence(
            known.hypothesis, pair.hypothesis
        )

    def added(table: RowTable) -> RowTable:
        nonlocal place, message
        for place, old in enumerate(table.rows):
            if says_the_same(old):
                if old.label == label:
                    message = f"Row {place + 1} of your rows says so already."
                    return table
                message = f"Row {place + 1} of your rows now says “{shown}”."
                return table.with_row(place, replace(old, label=label))
        place = len(table.rows)
        message = f"Saved as row {place + 1}, with the label “{shown}”."
        return table.with_new([row])

    project = sessions.find_or_create(project_key, visit)
    project.change_table(added)
    return AddedRow(project.id, place + 1, message, secrets.token_urlsafe(6))
