"""The tab “Teach”, step 1: which handler answers to a change of the rows, and where rows come from.

They are typed, pasted, read from a file, or taken from an example or from what is suggested.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from symdemo.teaching.rows import RowTable
from symdemo.text import shorten
from symdemo.ui.shared.events import ROWS_EVENT, Updates, attempt, guarded
from symdemo.ui.shared.sessions import LostProjectError
from symdemo.ui.teach.grid import decode, encode
from symdemo.ui.teach.page import Page
from symdemo.ui.teach.panels import near_label_panel, preview_panel
from symdemo.ui.teach.rows import (
    RowsView,
    add_example,
    add_file,
    find_near_label,
    keep_in_new_project,
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
    _connect_lines(page)
    _connect_file(page)
    _connect_suggestions(page)


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
    """Connect an event that changes the rows: they are drawn anew, and `place` tells what was done.

    `change` is given the sessions, the project, the page, its grid and the values of `inputs`;
    `also` gives what else changes, which is among `outputs`.
    """

    def changed(visit, id, grid, *values) -> Updates:
        try:
            view = change(page.sessions, id, visit, decode(grid), *values)
        except LostProjectError as error:
            return page.show_lost(error, id)
        return page.show_rows(view, id, place) | also(view)

    written = list(dict.fromkeys([*page.row_outputs, *outputs, place]))
    event(
        guarded(place, changed),
        [page.project, page.w.grid, *inputs],
        written,
        **ROWS_EVENT,
        **options,
    )


def _connect_grid(page: Page) -> None:
    w = page.w

    def widened(sessions, id, visit, sheet, whole) -> RowsView:
        view = save_rows(sessions, id, visit, replace(sheet, whole=whole))
        if view.whole and not whole:
            message = "Some rows are given by whole sentences, so their columns stay."
            view = replace(view, message=message)
        return view

    def offered(*edit) -> RowsView:
        """What another tab put into the project is the visitor's own doing, and told there."""
        return replace(save_rows(*edit), merged=())

    # A cell that is changed while the last change is on its way must not be lost.
    _on_change(page, w.grid.input, w.problem, save_rows, trigger_mode="always_last")
    _on_change(page, w.whole.input, w.rows_message, widened, [w.whole])
    _on_change(page, w.tidy.click, w.rows_message, tidy_rows)
    _on_change(page, page.visitor.offered.change, w.problem, offered)

    def begun_anew(sessions, _id, visit, sheet) -> RowsView:
        view = keep_in_new_project(sessions, visit, sheet)
        return replace(view, message="These rows are kept in a new project.")

    _on_change(page, w.begin_new.click, w.rows_message, begun_anew)


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

    def used(sessions, id, visit, sheet, near) -> RowsView:
        if near is None:
            return save_rows(sessions, id, visit, sheet)
        return relabel_rows(sessions, id, visit, sheet, near.typed, near.meant)

    def kept(_visit, id, near, settled) -> Updates:
        settled = [*settled, near.typed] if near else settled
        return {w.settled: settled} | asked(_visit, id, settled)

    # The report changes with every label, whichever way it came.
    w.report.change(
        guarded(w.problem, asked, quiet=True),
        [page.project, w.settled],
        [w.problem, *box],
        **ROWS_EVENT,
    )
    _on_change(page, w.use_meant.click, w.rows_message, used, [w.asked])
    w.keep_typed.click(
        guarded(w.rows_message, kept),
        [page.project, w.asked, w.settled],
        [w.rows_message, w.settled, *box],
        **ROWS_EVENT,
    )


def _connect_lines(page: Page) -> None:
    w = page.w
    _on_change(
        page,
        w.paste.click,
        w.paste_message,
        paste_lines,
        [w.pasted],
        lambda view: {w.pasted: view.unread},
        [w.pasted],
    )
    for name, button in w.examples.items():
        add = partial(add_example, example=name)
        _on_change(page, button.click, w.example_message, add)


def _show_columns(page: Page, path, headed: bool | None) -> Updates:
    """The columns of a file to be mapped, and what comes of the mapping that seems right."""
    w, upload = page.w, read_columns(path, headed)
    choices = [("–", ""), *((name, name) for name in upload.columns)]
    boxes = {
        box: gr.Dropdown(choices, value=upload.mapping.get(field, ""))
        for field, box in w.mapping.items()
    }
    return {
        w.mapping_box: gr.Column(visible=True),
        w.headed: gr.Checkbox(upload.headed, visible=not upload.named),
        **boxes,
        **_show_preview(page, path, upload.headed, upload.mapping),
    }


def _show_preview(page: Page, path, headed: bool, mapping: Mapping[str, str]) -> Updates:
    found = attempt(preview_file, page.sessions, path, mapping, headed)
    return {page.w.preview: preview_panel(found)}


def _connect_file(page: Page) -> None:
    """Connect the upload of a file: its columns are mapped and looked at before it is taken."""
    w = page.w

    def chosen(_visit, path) -> Updates:
        return (
            _show_columns(page, path, None) if path else {w.mapping_box: gr.Column(visible=False)}
        )

    def renamed(_visit, path, headed) -> Updates:
        return _show_columns(page, path, headed)

    def looked_at(_visit, path, headed, *columns) -> Updates:
        mapping = dict(zip(w.mapping, columns, strict=True))
        return _show_preview(page, path, headed, mapping) if path else {}

    def added(sessions, id, visit, sheet, path, headed, *columns) -> RowsView:
        mapping = dict(zip(w.mapping, columns, strict=True))
        view = add_file(sessions, id, visit, sheet, path, mapping, headed)
        Path(path).unlink(missing_ok=True)  # what was uploaded is not needed any more
        return view

    file, columns = [w.table_file, w.headed], list(w.mapping.values())
    box = [w.file_message, w.mapping_box, w.headed, w.preview, *columns]
    told = partial(guarded, w.file_message)
    w.table_file.change(told(chosen, quiet=True), w.table_file, box, **ROWS_EVENT)
    w.headed.input(told(renamed), file, box, **ROWS_EVENT)
    gr.on(
        [column.input for column in columns],
        told(looked_at),
        [*file, *columns],
        [w.file_message, w.preview],
        **ROWS_EVENT,
    )
    _on_change(
        page,
        w.add_file.click,
        w.file_message,
        added,
        [*file, *columns],
        lambda view: {w.table_file: None, w.mapping_box: gr.Column(visible=False)},
        [w.table_file, w.mapping_box],
    )


def _connect_suggestions(page: Page) -> None:
    w, sessions = page.w, page.sessions

    def suggested(_visit, grid, seed) -> Updates:
        rows = suggest_rows(sessions, decode(grid), seed)
        return {
            w.suggestions: encode(RowTable.of(rows), spare=False),
            w.suggestions_box: gr.Column(visible=True),
            w.seed: seed + 1,
        }

    def used(sessions, id, visit, sheet, suggested) -> RowsView:
        return use_suggestions(sessions, id, visit, sheet, decode(suggested).cells)

    box = [w.rows_message, w.suggestions, w.suggestions_box, w.seed]
    w.suggest.click(guarded(w.rows_message, suggested), [w.grid, w.seed], box, **ROWS_EVENT)
    _on_change(
        page,
        w.use_suggestions.click,
        w.rows_message,
        used,
        [w.suggestions],
        lambda view: {w.suggestions_box: gr.Column(visible=False)},
        [w.suggestions_box],
    )
    w.drop_suggestions.click(
        lambda: gr.Column(visible=False), None, w.suggestions_box, **ROWS_EVENT
    )
