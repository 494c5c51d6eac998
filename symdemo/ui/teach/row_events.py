"""The Teach tab, step 1: events of the grid and of everything that adds rows to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import gradio as gr
from markupsafe import Markup

from symdemo.data.tables import TableFile
from symdemo.data.text_rows import PARQUET
from symdemo.teaching.row_sources import example_rows
from symdemo.text import shorten
from symdemo.ui.shared.events import ROWS_EVENT, Problem, Updates, attempt
from symdemo.ui.shared.html import draw
from symdemo.ui.teach import changes
from symdemo.ui.teach.grid import RowsEdit, RowsView, has_whole
from symdemo.ui.teach.page import Page
from symdemo.ui.teach.versions import VersionList

NAMED_FORMATS = (".json", ".jsonl", PARQUET)
"""Files whose columns always have names."""

NO_PREVIEW = Markup('<p class="quiet" role="status">{}</p>')


def connect_rows(page: Page) -> None:
    """Connect the grid, and everything that adds rows to it."""
    _connect_grid(page)
    _connect_labels(page)
    _connect_import(page)


def _connect_grid(page: Page) -> None:
    w = page.w

    def widened(edit: RowsEdit, whole: bool) -> RowsView:
        view = edit.save()
        if whole or not has_whole(view.rows):
            return replace(view, whole=whole)
        return replace(view, message="Some rows are whole sentences, so their columns stay.")

    # A cell that is changed while the last change is on its way must not be lost.
    page.on_change(w.grid.input, w.problem, RowsEdit.save, trigger_mode="always_last")
    page.on_change(w.whole.input, w.rows_message, widened, [w.whole])
    page.on_change(w.tidy.click, w.rows_message, changes.tidy)
    page.on_change(w.begin_new.click, w.rows_message, RowsEdit.save_in_new_project)
    for name, button in w.examples.items():
        add = partial(changes.add, rows=example_rows(name))
        page.on_change(button.click, w.rows_message, add)
    page.on_change(  # another tab added a row or taught one, and reported that
        page.visitor.offered.change,
        w.problem,
        lambda edit: replace(edit.save(), merged=()),
        also=lambda view: page.show_versions(VersionList.of(view.opened)) if view.opened else {},
    )


def _connect_labels(page: Page) -> None:
    """Ask about labels that are probably mistyped."""
    w, sessions = page.w, page.sessions

    def asked(_visit, id, settled) -> Updates:
        near = changes.find_near_label(sessions, id, settled)
        if near is None:
            return {w.asked: None, w.asked_box: gr.Column(visible=False)}
        return {
            w.asked: near,
            w.asked_box: gr.Column(visible=True),
            w.asked_text: draw("teach/near_label.html", near=near),
            w.use_meant: gr.Button(f"Use “{shorten(near.meant, 40)}”"),
            w.keep_typed: gr.Button(f"Keep “{shorten(near.typed, 40)}”"),
        }

    def used(edit: RowsEdit, near) -> RowsView:
        return changes.relabel(edit, near.typed, near.meant) if near else edit.save()

    def kept(visit, id, near, settled) -> Updates:
        settled = [*settled, near.typed] if near else settled
        return {w.settled: settled} | asked(visit, id, settled)

    # The report changes with every label, wherever it came from.
    page.on(w.report.change, w.problem, asked, [w.settled], ROWS_EVENT, quiet=True)
    page.on_change(w.use_meant.click, w.rows_message, used, [w.asked])
    page.on(w.keep_typed.click, w.rows_message, kept, [w.asked, w.settled], ROWS_EVENT)


def _connect_import(page: Page) -> None:
    """Connect pasted lines and files, whose columns are mapped and previewed."""
    w, sessions = page.w, page.sessions

    def typed(visit, _id, path, text, headed: bool | None = None) -> Updates:
        """Show the columns of a file, or of pasted lines with a header; else how lines are read."""
        if not (path := path or changes.pasted_file(visit, text)):
            found = attempt(changes.preview_lines, sessions, text) if text else ""
            return {w.preview: _drawn(found), w.mapping_box: gr.Column(visible=False)}
        table = TableFile(path, headed)
        choices = [("–", ""), *((name, name) for name in table.columns)]
        mapping = changes.guess_columns(table)
        named = table.path.suffix.lower() in NAMED_FORMATS
        return {
            w.mapping_box: gr.Column(visible=True),
            w.headed: gr.Checkbox(table.headed, visible=not named),
            **{box: gr.Dropdown(choices, value=mapping.get(f, "")) for f, box in w.mapping.items()},
            **preview(path, table.headed, None, mapping),
        }

    def chosen(visit, id, path, text) -> Updates:
        return {w.pasted: gr.Textbox(visible=not path)} | typed(visit, id, path, text)

    def preview(path, headed: bool, order: str | None, mapping: Mapping[str, str]) -> Updates:
        found = _drawn(attempt(changes.preview_file, sessions, path, mapping, headed, order))
        # Without a preview, the meaning of 0, 1 and 2 has to be chosen.
        return {w.order: gr.update(value=order, visible=bool(order) or not found), w.preview: found}

    def mapping_of(columns) -> dict[str, str]:
        return {field: column for field, column in zip(w.mapping, columns, strict=True) if column}

    def mapped(visit, _id, path, text, headed, order, *columns) -> Updates:
        path = path or changes.pasted_file(visit, text)
        return preview(path, headed, order, mapping_of(columns)) if path else {}

    def added(edit: RowsEdit, path, text, headed, order, *columns) -> RowsView:
        table = path or changes.pasted_file(edit.visit, text)
        if not table:
            return changes.paste(edit, text)
        mapping = mapping_of(columns)
        if not mapping:  # pressed before the columns were shown
            opened = TableFile(table)
            mapping, headed = changes.guess_columns(opened), opened.headed
        view = changes.add_file(edit, table, mapping, headed, order, "" if path else text)
        Path(table).unlink(missing_ok=True)
        return replace(view, unread=text) if path else view

    place, source = w.import_message, [w.table_file, w.pasted]
    form = [*source, w.headed, w.order, *w.mapping.values()]
    page.on(w.table_file.change, place, chosen, source, ROWS_EVENT, quiet=True)
    # Gradio's event “input” comes with keys alone, and not with what is pasted.
    page.on(
        w.pasted.change, place, typed, source, ROWS_EVENT, quiet=True, trigger_mode="always_last"
    )
    page.on(w.headed.input, place, typed, [*source, w.headed], ROWS_EVENT)
    boxes = partial(gr.on, [box.input for box in form[3:]])
    page.on(boxes, place, mapped, form, ROWS_EVENT)
    cleared = {w.table_file: None, w.preview: ""}
    page.on_change(
        w.add.click, place, added, form, also=lambda view: cleared | {w.pasted: view.unread}
    )


def _drawn(found: str | Problem) -> str:
    """Return a preview, or why there is none."""
    return NO_PREVIEW.format(found.message) if isinstance(found, Problem) else found
