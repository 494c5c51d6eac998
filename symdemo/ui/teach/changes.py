"""Changes of the table in step 1 of the Teach tab, and previews of imports, without Gradio."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from hashlib import sha256
from io import StringIO
from itertools import islice

from markupsafe import Markup

from symdemo.data.columns import (
    FIELDS_BY_PLACE,
    PARTS,
    UnknownOrderError,
    label_names,
    names_sentences,
)
from symdemo.data.pasted import pasted_lines, read_headed
from symdemo.data.tables import TableFile
from symdemo.errors import InputError
from symdemo.files.storage import write_text
from symdemo.teaching.near_labels import NearLabel, near_labels
from symdemo.teaching.project_files import RowTable
from symdemo.teaching.row_sources import Read, read_file, read_lines, unread_lines
from symdemo.teaching.rows import TeachRow
from symdemo.text import shorten
from symdemo.ui.shared.html import count, draw
from symdemo.ui.shared.sessions import Sessions
from symdemo.ui.shared.temporary import temporary_files
from symdemo.ui.teach.grid import (
    FIELD_NAMES,
    HEADERS,
    WHOLE_HEADERS,
    RowsEdit,
    RowsView,
    cells_of_rows,
    has_whole,
)

PREVIEWED = 5
"""Lines in a preview of what is imported."""

_FIELD_WORDS = {name: title.split(" (")[0].lower() for name, title in FIELD_NAMES.items()}


def add(edit: RowsEdit, rows: Iterable[TeachRow], notes: Iterable[str] = ()) -> RowsView:
    """Append rows to the grid, except those that it has already."""
    rows = list(rows)
    view, before = edit.change(lambda table: table.with_new(rows))
    new = len(view.rows) - len(before.rows)
    message = f"{count(new, 'row')} added."
    if left := len(rows) - new:
        message += f" {count(left, 'row')} skipped: already there."
    return replace(view, message=message, notes=tuple(notes))


def paste(edit: RowsEdit, text: str) -> RowsView:
    """Append pasted lines; those that give no row are left over."""
    rows, problems = read_lines(text, edit.sessions.limits)
    if not rows and not problems:
        raise InputError("The box is empty; paste a few lines, such as Ann, knows, Bob, yes.")
    left, reasons = unread_lines(text, problems)
    return replace(add(edit, rows, reasons), unread=left)


def add_file(
    edit: RowsEdit,
    path: str,
    mapping: Mapping[str, str],
    headed: bool = True,
    labels: str | None = None,
    pasted: str = "",
) -> RowsView:
    """Append the rows of an uploaded file, or of `pasted` lines: those that give none are left.

    `labels` is as `columns.label_names` reads them.
    """
    names = label_names(labels or "")
    rows, problems = read_file(path, mapping, edit.sessions.limits, headed, None, names)
    view = add(edit, rows, problems.values())
    lines = pasted_lines(pasted) if problems else []
    left = [*lines[:1], *(lines[number - 1] for number in problems)] if lines else []
    message = f"{view.message} {mapped_words(mapping)}"
    return replace(view, message=message, unread="\n".join(left))


def tidy(edit: RowsEdit) -> RowsView:
    """Remove blank and repeated rows."""

    def tidied(table: RowTable) -> RowTable:
        first: dict[TeachRow, str] = {}
        for id, row in table.by_id().items():
            if not row.is_blank:
                first.setdefault(row, id)
        return RowTable(tuple(first), tuple(first.values()), table.revision)

    view, before = edit.change(tidied)
    gone = sum(not row.is_blank for row in before.rows) - len(view.rows)
    message = f"{count(gone, 'duplicate')} removed." if gone else "Blank rows removed."
    return replace(view, message=message)


def relabel(edit: RowsEdit, typed: str, meant: str) -> RowsView:
    """Replace one label by another."""

    def relabelled(table: RowTable) -> RowTable:
        rows = (replace(r, label=meant) if r.label.strip() == typed else r for r in table.rows)
        return replace(table, rows=tuple(rows))

    view, before = edit.change(relabelled)
    n = sum(row.label.strip() == typed for row in before.rows)
    says = "says" if n == 1 else "say"
    return replace(view, message=f"{count(n, 'row')} now {says} “{meant}”.")


def find_near_label(sessions: Sessions, id: str, settled: Collection[str]) -> NearLabel | None:
    """Return the first label of a project that is probably mistyped."""
    project = sessions.find(id)
    return next(iter(near_labels(project.rows, settled)), None) if project else None


def pasted_file(visit: str | None, text: str | None) -> str | None:
    """Write the pasted lines of a page as a file if they have a header; return its path."""
    rows = read_headed(text or "")
    if not rows:
        return None
    file, page = StringIO(), sha256(str(visit).encode()).hexdigest()
    csv.writer(file).writerows(rows)
    path = temporary_files().folder / "pasted" / page / "lines.csv"
    write_text(path, file.getvalue())
    return str(path)


def guess_columns(table: TableFile) -> dict[str, str]:
    """Return field → column by names; the fields left, by place if as many columns are left."""
    mapping = table.guess()
    fields = [f for f in FIELDS_BY_PLACE.get(len(table.columns), ()) if f not in mapping]
    columns = [column for column in table.columns if column not in mapping.values()]
    return mapping | dict(zip(fields, columns, strict=True) if len(fields) == len(columns) else ())


def mapped_words(mapping: Mapping[str, str]) -> str:
    """Say which column is read as what."""
    told = [f"“{shorten(c, 30)}” as {_FIELD_WORDS[field]}" for field, c in mapping.items()]
    return f"Read {', '.join(told)}."


def preview_file(
    sessions: Sessions,
    path: str,
    mapping: Mapping[str, str],
    headed: bool,
    labels: str | None = None,
) -> Markup:
    """Draw the first lines of an uploaded file, or ask for columns that are not chosen yet.

    Nothing is drawn where the meaning of 0, 1 and 2 has to be chosen first.
    """
    needed = ["label"] if names_sentences(mapping) else [*PARTS, "label"]
    if missing := [_FIELD_WORDS[field] for field in needed if field not in mapping]:
        told = f"Choose the column of the {' and the '.join(missing)} above. The file begins:"
        table = TableFile(path, headed)
        first = [row.cells for row in islice(table.rows(), PREVIEWED)]
        rows = [[cells.get(column, "") for column in table.columns] for cells in first]
        values = {"headers": table.columns, "rows": rows, "lines": ()}
        return draw("teach/preview.html", told=told, read=False, **values)
    names = label_names(labels or "")
    try:
        read = read_file(path, mapping, sessions.limits, headed, PREVIEWED, names)
    except UnknownOrderError:
        return Markup()
    return _preview(mapped_words(mapping), read)


def preview_lines(sessions: Sessions, text: str) -> Markup:
    """Draw the first pasted lines as they will be read."""
    return _preview("", read_lines(text, sessions.limits))


def _preview(told: str, read: Read) -> Markup:
    rows, problems = read[0][:PREVIEWED], [*read[1].values()][:PREVIEWED]
    whole = has_whole(rows)
    headers = WHOLE_HEADERS if whole else HEADERS
    values = {"headers": headers, "rows": cells_of_rows(rows, whole), "lines": problems}
    return draw("teach/preview.html", told=told, read=bool(rows), **values)
