"""The tab “Teach”: where rows come from other than the keyboard, and which handler answers to what.

Pasted lines, an uploaded file, an example, and rows that are suggested.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import gradio as gr

from symdemo.pairs import shorten
from symdemo.teaching.table import Table
from symdemo.ui.shared.events import UNQUEUED, Updates, guarded
from symdemo.ui.shared.problems import attempt
from symdemo.ui.teach.grid import decode, encode
from symdemo.ui.teach.page import Page
from symdemo.ui.teach.panels import near_label_panel, preview_panel
from symdemo.ui.teach.rows import (
    add_example,
    add_file,
    find_near_label,
    paste_lines,
    preview_file,
    read_columns,
    relabel_rows,
    save_rows,
    suggest_rows,
    tidy_rows,
    use_suggestions,
)


def connect_rows(page: Page) -> None:
    """Connect the grid, and everything that adds rows to it."""
    _connect_grid(page)
    _connect_labels(page)
    _connect_offered(page)
    _connect_lines(page)
    _connect_file(page)
    _connect_suggestions(page)


def _connect_grid(page: Page) -> None:
    w, sessions = page.w, page.sessions

    def edited(visit, id, grid) -> Updates:
        return page.show_rows(save_rows(sessions, id, visit, decode(grid)), id)

    def widened(visit, id, grid, whole) -> Updates:
        sheet = replace(decode(grid), whole=whole)
        view = save_rows(sessions, id, visit, sheet)
        if view.whole and not whole:
            message = "Some rows are given by whole sentences, so their columns stay."
            view = replace(view, message=message)
        return page.show_rows(view, id, w.rows_message)

    def tidied(visit, id, grid) -> Updates:
        return page.show_rows(tidy_rows(sessions, id, visit, decode(grid)), id, w.rows_message)

    # A cell that is changed while the last change is on its way must not be lost.
    w.grid.input(
        guarded(w.problem, edited),
        [page.project, w.grid],
        page.row_outputs,
        trigger_mode="always_last",
        **UNQUEUED,
    )
    for place, function, more in ((w.whole.input, widened, [w.whole]), (w.tidy.click, tidied, [])):
        place(
            guarded(w.rows_message, function),
            [page.project, w.grid, *more],
            page.row_outputs,
            **UNQUEUED,
        )


def _connect_labels(page: Page) -> None:
    """Ask about labels that are probably meant for others."""
    w, sessions = page.w, page.sessions
    box = [w.asked, w.asked_box, w.asked_text, w.use_meant, w.keep_typed]

    def asked(_visit, id, settled) -> Updates:
        near = find_near_label(sessions, id, settled)
        if near is None:
            return {w.asked: None, w.asked_box: gr.Column(visible=False)}
        return {
            w.asked: near,
            w.asked_box: gr.Column(visible=True),
            w.asked_text: near_label_panel(near),
            w.use_meant: gr.Button(f"Use “{shorten(near.meant, 40)}”"),
            w.keep_typed: gr.Button(f"Keep “{shorten(near.typed, 40)}”"),
        }

    def used(visit, id, grid, near) -> Updates:
        if near is None:
            return {}
        sheet = decode(grid)
        view = relabel_rows(sessions, id, visit, sheet, near.typed, near.meant)
        return page.show_rows(view, id, w.rows_message)

    def kept(_visit, id, near, settled) -> Updates:
        settled = [*settled, near.typed] if near else settled
        return {w.settled: settled} | asked(_visit, id, settled)

    # The report changes with every label, whichever way it came.
    w.report.change(
        guarded(w.problem, asked, quiet=True),
        [page.project, w.settled],
        [w.problem, *box],
        **UNQUEUED,
    )
    w.use_meant.click(
        guarded(w.rows_message, used),
        [page.project, w.grid, w.asked],
        page.row_outputs,
        **UNQUEUED,
    )
    w.keep_typed.click(
        guarded(w.rows_message, kept),
        [page.project, w.asked, w.settled],
        [w.rows_message, w.settled, *box],
        **UNQUEUED,
    )


def _connect_offered(page: Page) -> None:
    """Show what another tab put into the project."""
    w = page.w

    def redrawn(visit, id, grid) -> Updates:
        view = save_rows(page.sessions, id, visit, decode(grid))
        return page.show_rows(replace(view, merged=()), id)  # it is the visitor's own doing

    page.visitor.offered.change(
        guarded(w.problem, redrawn), [page.project, w.grid], page.row_outputs, **UNQUEUED
    )


def _connect_lines(page: Page) -> None:
    w, sessions = page.w, page.sessions
    table = [page.project, w.grid]

    def pasted(visit, id, grid, text) -> Updates:
        view = paste_lines(sessions, id, visit, decode(grid), text)
        return page.show_rows(view, id, w.paste_message) | {w.pasted: view.unread}

    def example(name: str):
        def add(visit, id, grid) -> Updates:
            view = add_example(sessions, id, visit, decode(grid), name)
            return page.show_rows(view, id, w.example_message)

        return add

    w.paste.click(
        guarded(w.paste_message, pasted),
        [*table, w.pasted],
        [*page.row_outputs, w.pasted, w.paste_message],
        **UNQUEUED,
    )
    for name, button in w.examples.items():
        button.click(
            guarded(w.example_message, example(name)),
            table,
            [*page.row_outputs, w.example_message],
            **UNQUEUED,
        )


def _connect_file(page: Page) -> None:
    """Connect the upload of a file: its columns are mapped and looked at before it is taken."""
    w, sessions = page.w, page.sessions

    def mapped(path, headed: bool | None) -> Updates:
        upload = read_columns(path, headed)
        choices = [("–", ""), *((name, name) for name in upload.columns)]
        boxes = {
            box: gr.Dropdown(choices, value=upload.mapping.get(field, ""))
            for field, box in w.mapping.items()
        }
        return {
            w.mapping_box: gr.Column(visible=True),
            w.headed: gr.Checkbox(upload.headed, visible=not upload.named),
            **boxes,
            **shown(path, upload.headed, upload.mapping),
        }

    def shown(path, headed: bool, mapping: Mapping[str, str]) -> Updates:
        found = attempt(preview_file, sessions, path, mapping, headed)
        return {w.preview: preview_panel(found)}

    def chosen(_visit, path) -> Updates:
        return mapped(path, None) if path else {w.mapping_box: gr.Column(visible=False)}

    def looked_at(_visit, path, headed, *columns) -> Updates:
        return shown(path, headed, dict(zip(w.mapping, columns, strict=True))) if path else {}

    def added(visit, id, grid, path, headed, *columns) -> Updates:
        mapping = dict(zip(w.mapping, columns, strict=True))
        view = add_file(sessions, id, visit, decode(grid), path, mapping, headed)
        hidden = {w.table_file: None, w.mapping_box: gr.Column(visible=False)}
        return page.show_rows(view, id, w.file_message) | hidden

    file, box = [w.table_file, w.headed], [w.file_message, w.mapping_box, w.headed, w.preview]
    w.table_file.change(
        guarded(w.file_message, chosen, quiet=True),
        w.table_file,
        [*box, *w.mapping.values()],
        **UNQUEUED,
    )
    w.headed.input(
        guarded(w.file_message, lambda _visit, *given: mapped(*given)),
        file,
        [*box, *w.mapping.values()],
        **UNQUEUED,
    )
    gr.on(
        [column.input for column in w.mapping.values()],
        guarded(w.file_message, looked_at),
        [*file, *w.mapping.values()],
        [w.file_message, w.preview],
        **UNQUEUED,
    )
    w.add_file.click(
        guarded(w.file_message, added),
        [page.project, w.grid, *file, *w.mapping.values()],
        [*page.row_outputs, w.table_file, w.mapping_box, w.file_message],
        **UNQUEUED,
    )


def _connect_suggestions(page: Page) -> None:
    w, sessions = page.w, page.sessions

    def suggested(_visit, grid, seed) -> Updates:
        rows = suggest_rows(sessions, decode(grid), seed)
        return {
            w.suggestions: encode(Table.of(rows), spare=False),
            w.suggestions_box: gr.Column(visible=True),
            w.seed: seed + 1,
        }

    def used(visit, id, grid, suggested) -> Updates:
        more = decode(suggested).cells
        view = use_suggestions(sessions, id, visit, decode(grid), more)
        return page.show_rows(view, id, w.rows_message) | {
            w.suggestions_box: gr.Column(visible=False)
        }

    box = [w.rows_message, w.suggestions, w.suggestions_box, w.seed]
    w.suggest.click(guarded(w.rows_message, suggested), [w.grid, w.seed], box, **UNQUEUED)
    w.use_suggestions.click(
        guarded(w.rows_message, used),
        [page.project, w.grid, w.suggestions],
        [*page.row_outputs, w.suggestions_box],
        **UNQUEUED,
    )
    w.drop_suggestions.click(lambda: gr.Column(visible=False), None, w.suggestions_box, **UNQUEUED)
