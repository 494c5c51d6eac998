"""The Teach tab, step 1: events of the grid and of everything that adds rows to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from symdemo.data.text_rows import PARQUET
from symdemo.teaching.row_sources import example_rows
from symdemo.text import shorten
from symdemo.ui.shared.events import ROWS_EVENT, Updates, attempt
from symdemo.ui.shared.html import draw
from symdemo.ui.shared.sessions import LostProjectError
from symdemo.ui.teach import changes
from symdemo.ui.teach.grid import RowsEdit, RowsView, decode
from symdemo.ui.teach.page import Page
from symdemo.ui.teach.panels import preview_panel
from symdemo.ui.teach.versions import VersionList


def connect_rows(page: Page) -> None:
    """Connect the grid, and everything that adds rows to it."""
    _connect_grid(page)
    _connect_labels(page)
    _connect_import(page)


def _on_change(
    page: Page,
    event: Callable[..., Any],
    place: gr.HTML,
    change: Callable[..., RowsView],
    inputs: Sequence[Any] = (),
    also: Callable[[RowsView], Updates] = lambda view: {},
    outputs: Sequence[Any] = (),
    **options: Any,
) -> None:
    """Connect an event that changes the rows.

    `change` is called with the `RowsEdit` and the values of `inputs`; `place` shows its message,
    and `also` returns further updates, of `outputs`.
    """

    def changed(visit, id, grid, *values) -> Updates:
        try:
            view = change(RowsEdit(page.sessions, id, visit, decode(grid)), *values)
        except LostProjectError as error:
            return page.show_lost(error, id)
        return page.show_rows(view, id, place) | also(view)

    inputs, outputs = [page.project, page.w.grid, *inputs], [*page.row_outputs, *outputs]
    page.on(event, place, changed, inputs, outputs, ROWS_EVENT, **options)


def _connect_grid(page: Page) -> None:
    w = page.w

    def widened(edit: RowsEdit, whole: bool) -> RowsView:
        view = replace(edit, sheet=replace(edit.sheet, whole=whole)).save()
        if view.whole and not whole:
            message = "Some rows are whole sentences, so their columns stay."
            view = replace(view, message=message)
        return view

    def begun_anew(edit: RowsEdit) -> RowsView:
        return replace(
            changes.save_in_new_project(edit), message="These rows are saved in a new project."
        )

    # A cell that is changed while the last change is on its way must not be lost.
    _on_change(page, w.grid.input, w.problem, RowsEdit.save, trigger_mode="always_last")
    _on_change(page, w.whole.input, w.rows_message, widened, [w.whole])
    _on_change(page, w.tidy.click, w.rows_message, changes.tidy)
    _on_change(
        # Another tab added a row or taught one, and reported that.
        page, page.visitor.offered.change, w.problem,
        lambda edit: replace(edit.save(), merged=()), [],
        lambda view: page.show_versions(VersionList.of(view.opened)) if view.opened else {},
        page.version_outputs,
    )  # fmt: skip
    _on_change(page, w.begin_new.click, w.rows_message, begun_anew)


def _connect_labels(page: Page) -> None:
    """Ask about labels that are probably mistyped."""
    w, sessions = page.w, page.sessions
    box = [w.asked, w.asked_box, w.asked_text, w.use_meant, w.keep_typed]

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
    inputs = [page.project, w.settled]
    page.on(w.report.change, w.problem, asked, inputs, box, ROWS_EVENT, quiet=True)
    _on_change(page, w.use_meant.click, w.rows_message, used, [w.asked])
    inputs, outputs = [page.project, w.asked, w.settled], [w.settled, *box]
    page.on(w.keep_typed.click, w.rows_message, kept, inputs, outputs, ROWS_EVENT)


def _connect_import(page: Page) -> None:
    """Connect examples, pasted lines and files, whose columns are mapped and previewed."""
    w = page.w

    def show_columns(path, headed: bool | None) -> Updates:
        table = changes.open_upload(path, headed)
        choices = [("–", ""), *((name, name) for name in table.columns)]
        mapping = changes.guess_columns(table)
        boxes = {
            box: gr.Dropdown(choices, value=mapping.get(field, ""))
            for field, box in w.mapping.items()
        }
        named = table.path.suffix.lower() in (".json", ".jsonl", PARQUET)
        return {
            w.mapping_box: gr.Column(visible=True),
            w.headed: gr.Checkbox(table.headed, visible=not named),
            **boxes,
            **show_preview(path, table.headed, None, mapping),
        }

    def show_preview(path, headed: bool, order: str | None, mapping: Mapping[str, str]) -> Updates:
        found = attempt(changes.preview_file, page.sessions, path, mapping, headed, order)
        asks = isinstance(found, changes.Preview) and found.asks_order
        return {
            w.order: gr.update(value=order, visible=asks or bool(order)),
            w.preview: "" if asks else preview_panel(found),
        }

    def typed(visit, text) -> Updates:
        if path := changes.pasted_file(visit, text):
            return show_columns(path, None)
        found = attempt(changes.preview_lines, page.sessions, text) if text else None
        panel = preview_panel(found) if found else ""
        return {w.preview: panel, w.mapping_box: gr.Column(visible=False)}

    def chosen(visit, path, text) -> Updates:
        found = show_columns(path, None) if path else typed(visit, text)
        return {w.pasted: gr.Textbox(visible=not path)} | found

    def headed_changed(visit, path, text, headed) -> Updates:
        return show_columns(path or changes.pasted_file(visit, text), headed)

    def mapped(visit, path, text, headed, order, *columns) -> Updates:
        mapping = dict(zip(w.mapping, columns, strict=True))
        path = path or changes.pasted_file(visit, text)
        return show_preview(path, headed, order, mapping) if path else {}

    def added(edit: RowsEdit, path, text, headed, order, *columns) -> RowsView:
        table = path or changes.pasted_file(edit.visit, text)
        if not table:
            return changes.paste(edit, text)
        mapping = dict(zip(w.mapping, columns, strict=True))
        if not any(columns):  # pressed before the columns were shown
            opened = changes.open_upload(table)
            mapping, headed = changes.guess_columns(opened), opened.headed
        view = changes.add_file(edit, table, mapping, headed, order, "" if path else text)
        Path(table).unlink(missing_ok=True)
        return replace(view, unread=text) if path else view

    source, columns = [w.table_file, w.pasted], list(w.mapping.values())
    box = [w.mapping_box, w.headed, w.order, w.preview, *columns]
    mapping = partial(gr.on, [box.input for box in (w.order, *columns)])
    for event, function, inputs, outputs, options in (
        (w.table_file.change, chosen, source, [*box, w.pasted], {"quiet": True}),
        # Gradio's event “input” comes with keys alone, and not with what is pasted.
        (w.pasted.change, typed, [w.pasted], box, {"quiet": True, "trigger_mode": "always_last"}),
        (w.headed.input, headed_changed, [*source, w.headed], box, {}),
        (mapping, mapped, [*source, w.headed, w.order, *columns], [w.order, w.preview], {}),
    ):  # fmt: skip
        page.on(event, w.import_message, function, inputs, outputs, ROWS_EVENT, **options)
    _on_change(
        page,
        w.add.click,
        w.import_message,
        added,
        [*source, w.headed, w.order, *columns],
        lambda view: {w.pasted: view.unread, w.table_file: None, w.preview: ""},
        [*source, w.preview],
    )
    for example, button in w.examples.items():
        _on_change(
            page, button.click, w.rows_message,
            lambda edit, example=example: changes.add(edit, example_rows(example)),
        )  # fmt: skip
