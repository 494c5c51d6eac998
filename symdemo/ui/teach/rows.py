"""Step 1 of the Teach tab: editing rows, importing them, and the events of both."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from hashlib import sha256
from io import StringIO
from itertools import islice
from pathlib import Path

import gradio as gr
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
from symdemo.data.text_rows import PARQUET
from symdemo.errors import InputError
from symdemo.files.storage import write_text
from symdemo.teaching.near_labels import near_labels
from symdemo.teaching.project_files import RowTable
from symdemo.teaching.row_sources import Read, example_rows, read_file, read_lines, unread_lines
from symdemo.teaching.rows import TeachRow
from symdemo.text import shorten
from symdemo.ui.shared import events
from symdemo.ui.shared.events import Problem, Updates, attempt
from symdemo.ui.shared.html import count, draw
from symdemo.ui.shared.sessions import Sessions
from symdemo.ui.shared.temporary import temporary_files
from symdemo.ui.teach import grid
from symdemo.ui.teach.grid import RowsEdit, RowsView, has_whole
from symdemo.ui.teach.page import Page
from symdemo.ui.teach.versions import VersionList

PREVIEWED = 5  # lines in a preview of what is imported

_FIELD_WORDS = {name: title.split(" (")[0].lower() for name, title in grid.FIELD_NAMES.items()}

NAMED_FORMATS = (".json", ".jsonl", PARQUET)  # files whose columns always have names

NO_PREVIEW = Markup('<p class="quiet" role="status">{}</p>')


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
    """Append pasted lines as rows; lines that give no row are in the view's `unread`."""
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
    """Append the rows of a file, uploaded or written from `pasted` lines.

    Pasted lines that give no row are in the view's `unread`. `label_names` reads `labels`.
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
    """Return field → column, by name where possible.

    The remaining fields get the remaining columns in order, if there are as many of them.
    """
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


def _preview(told: str, read: Read) -> Markup:
    rows, problems = read[0][:PREVIEWED], [*read[1].values()][:PREVIEWED]
    whole = has_whole(rows)
    headers = grid.WHOLE_HEADERS if whole else grid.HEADERS
    values = {"headers": headers, "rows": grid.cells_of_rows(rows, whole), "lines": problems}
    return draw("teach/preview.html", told=told, read=bool(rows), **values)


def connect_rows(page: Page) -> None:
    """Connect the grid, and everything that adds rows to it."""
    w = page.w

    def widened(edit: RowsEdit, whole: bool) -> RowsView:
        view = edit.save()
        if whole or not has_whole(view.rows):
            return replace(view, whole=whole)
        return replace(view, message="Some rows are whole sentences, so their columns stay.")

    # A cell that is changed while the last change is on its way must not be lost.
    page.on_change(w.grid.input, w.problem, RowsEdit.save, trigger_mode="always_last")
    page.on_change(w.whole.input, w.rows_message, widened, [w.whole])
    page.on_change(w.tidy.click, w.rows_message, tidy)
    page.on_change(w.begin_new.click, w.rows_message, RowsEdit.save_in_new_project)
    for name, button in w.examples.items():
        added = partial(add, rows=example_rows(name))
        page.on_change(button.click, w.rows_message, added)
    page.on_change(  # another tab added a row or taught one, and reported that
        page.visitor.offered.change,
        w.problem,
        lambda edit: replace(edit.save(), merged=()),
        also=lambda view: page.show_versions(VersionList.of(view.opened)) if view.opened else {},
    )
    _connect_labels(page)
    _connect_import(page)


def _connect_labels(page: Page) -> None:
    """Ask about labels that are probably mistyped."""
    w, sessions = page.w, page.sessions

    def asked(_visit, id, settled) -> Updates:
        project = sessions.find(id)
        found = near_labels(project.rows, settled) if project else []
        if not found:
            return {w.asked: None, w.asked_box: gr.Column(visible=False)}
        near = found[0]
        return {
            w.asked: near,
            w.asked_box: gr.Column(visible=True),
            w.asked_text: draw("teach/near_label.html", near=near),
            w.use_meant: gr.Button(f"Use “{shorten(near.meant, 40)}”"),
            w.keep_typed: gr.Button(f"Keep “{shorten(near.typed, 40)}”"),
        }

    def used(edit: RowsEdit, near) -> RowsView:
        return relabel(edit, near.typed, near.meant) if near else edit.save()

    def kept(visit, id, near, settled) -> Updates:
        settled = [*settled, near.typed] if near else settled
        return {w.settled: settled} | asked(visit, id, settled)

    # The report changes with every label, wherever it came from.
    page.on(w.report.change, w.problem, asked, [w.settled], events.ROWS, quiet=True)
    page.on_change(w.use_meant.click, w.rows_message, used, [w.asked])
    page.on(w.keep_typed.click, w.rows_message, kept, [w.asked, w.settled], events.ROWS)


def _connect_import(page: Page) -> None:
    """Connect pasted lines and files, whose columns are mapped and previewed."""
    w, sessions = page.w, page.sessions

    def typed(visit, _id, path, text, headed: bool | None = None) -> Updates:
        """Show the columns of a file, or of pasted lines with a header; else how lines are read."""
        if not (path := path or pasted_file(visit, text)):
            found = attempt(lambda: _preview("", read_lines(text, sessions.limits))) if text else ""
            forgotten = dict.fromkeys(w.mapping.values())  # the next file has columns of its own
            return {w.preview: _drawn(found), w.mapping_box: gr.Column(visible=False)} | forgotten
        table = TableFile(path, headed)
        choices = [("–", ""), *((name, name) for name in table.columns)]
        mapping = guess_columns(table)
        named = table.path.suffix.lower() in NAMED_FORMATS
        return {
            w.mapping_box: gr.Column(visible=True),
            w.headed: gr.Checkbox(table.headed, visible=not named),
            **{box: gr.Dropdown(choices, value=mapping.get(f, "")) for f, box in w.mapping.items()},
            **preview(path, table.headed, None, mapping),
        }

    def chosen(visit, id, path, text) -> Updates:
        said = {place: ""} if path else {}  # it is about the file before
        return {w.pasted: gr.Textbox(visible=not path)} | said | typed(visit, id, path, text)

    def preview(path, headed: bool, order: str | None, mapping: Mapping[str, str]) -> Updates:
        found = _drawn(attempt(preview_file, sessions, path, mapping, headed, order))
        # Without a preview, the meaning of 0, 1 and 2 has to be chosen.
        return {w.order: gr.update(value=order, visible=bool(order) or not found), w.preview: found}

    def mapping_of(columns) -> dict[str, str]:
        return {field: column for field, column in zip(w.mapping, columns, strict=True) if column}

    def mapped(visit, _id, path, text, headed, order, *columns) -> Updates:
        path = path or pasted_file(visit, text)
        return preview(path, headed, order, mapping_of(columns)) if path else {}

    def added(edit: RowsEdit, path, text, headed, order, *columns) -> RowsView:
        table = path or pasted_file(edit.visit, text)
        if not table:
            return paste(edit, text)
        mapping = mapping_of(columns)
        if not mapping:  # pressed before the columns were shown
            opened = TableFile(table)
            mapping, headed = guess_columns(opened), opened.headed
        view = add_file(edit, table, mapping, headed, order, "" if path else text)
        Path(table).unlink(missing_ok=True)
        return replace(view, unread=text) if path else view

    place, source = w.import_message, [w.table_file, w.pasted]
    form = [*source, w.headed, w.order, *w.mapping.values()]
    page.on(w.table_file.change, place, chosen, source, events.ROWS, quiet=True)
    # Gradio's event “input” comes only with keys, and not with pasted text.
    page.on(
        w.pasted.change, place, typed, source, events.ROWS, quiet=True, trigger_mode="always_last"
    )
    page.on(w.headed.input, place, typed, [*source, w.headed], events.ROWS)
    boxes = partial(gr.on, [box.input for box in form[3:]])
    page.on(boxes, place, mapped, form, events.ROWS)
    cleared = {w.table_file: None, w.preview: ""}
    page.on_change(
        w.add.click, place, added, form, also=lambda view: cleared | {w.pasted: view.unread}
    )


def _drawn(found: str | Problem) -> str:
    """Return a preview, or why there is none."""
    return NO_PREVIEW.format(found.message) if isinstance(found, Problem) else found
