"""The tab “Teach”: where rows come from other than the keyboard, and which handler answers to what.

Pasted lines, an uploaded file, an example, and rows that are suggested.
"""

from __future__ import annotations

from collections.abc import Mapping

import gradio as gr

from symdemo.teaching.examples import EXAMPLES
from symdemo.teaching.rows import FIELDS
from symdemo.teaching.table import Table
from symdemo.ui import teach_panels, teach_rows, teach_upload
from symdemo.ui.teach_grid import decode, encode
from symdemo.ui.teach_show import LIGHT, Page, Values
from symdemo.ui.try_handlers import attempt


def connect_sources(page: Page) -> None:
    """Connect everything that adds rows."""
    _connect_lines(page)
    _connect_file(page)
    _connect_suggestions(page)


def _connect_lines(page: Page) -> None:
    w, sessions = page.w, page.sessions
    table = [page.project, w.grid]

    def pasted(visit, id, grid, text) -> Values:
        desk = teach_rows.paste(sessions, id, visit, decode(grid), text)
        return page.show_desk(desk, id, w.paste_said) | {w.pasted: desk.left}

    def example(name: str):
        def add(visit, id, grid) -> Values:
            desk = teach_rows.add_example(sessions, id, visit, decode(grid), name)
            return page.show_desk(desk, id, w.example_said)

        return add

    guarded, light = page.guarded, LIGHT
    w.paste.click(
        guarded(w.paste_said, pasted),
        [*table, w.pasted],
        [*page.table, w.pasted, w.paste_said],
        **light,
    )
    for button, known in zip(w.examples, EXAMPLES, strict=True):
        button.click(
            guarded(w.example_said, example(known.id)),
            table,
            [*page.table, w.example_said],
            **light,
        )


def _connect_file(page: Page) -> None:
    """Connect the upload of a file: its columns are mapped and looked at before it is taken."""
    w, sessions = page.w, page.sessions

    def mapped(path, headed: bool | None) -> Values:
        upload = teach_upload.read_columns(path, headed)
        choices = [("–", ""), *((name, name) for name in upload.columns)]
        boxes = {
            box: gr.Dropdown(choices, value=upload.mapping.get(field, ""))
            for field, box in zip(FIELDS, w.mapping, strict=True)
        }
        return {
            w.mapping_box: gr.Column(visible=True),
            w.headed: gr.Checkbox(upload.headed, visible=not upload.named),
            **boxes,
            **shown(path, upload.headed, upload.mapping),
        }

    def shown(path, headed: bool, mapping: Mapping[str, str]) -> Values:
        found = attempt(teach_upload.preview, sessions, path, mapping, headed)
        return {w.preview: teach_panels.preview_panel(found)}

    def chosen(_visit, path) -> Values:
        return mapped(path, None) if path else {w.mapping_box: gr.Column(visible=False)}

    def looked_at(_visit, path, headed, *columns) -> Values:
        return shown(path, headed, dict(zip(FIELDS, columns, strict=True))) if path else {}

    def added(visit, id, grid, path, headed, *columns) -> Values:
        mapping = dict(zip(FIELDS, columns, strict=True))
        desk = teach_upload.add_file(sessions, id, visit, decode(grid), path, mapping, headed)
        hidden = {w.table_file: None, w.mapping_box: gr.Column(visible=False)}
        return page.show_desk(desk, id, w.file_said) | hidden

    file, box = [w.table_file, w.headed], [w.file_said, w.mapping_box, w.headed, w.preview]
    w.table_file.change(
        page.guarded(w.file_said, chosen, quiet=True), w.table_file, [*box, *w.mapping], **LIGHT
    )
    w.headed.input(
        page.guarded(w.file_said, lambda _visit, *given: mapped(*given)),
        file,
        [*box, *w.mapping],
        **LIGHT,
    )
    gr.on(
        [column.input for column in w.mapping],
        page.guarded(w.file_said, looked_at),
        [*file, *w.mapping],
        [w.file_said, w.preview],
        **LIGHT,
    )
    w.add_file.click(
        page.guarded(w.file_said, added),
        [page.project, w.grid, *file, *w.mapping],
        [*page.table, w.table_file, w.mapping_box, w.file_said],
        **LIGHT,
    )


def _connect_suggestions(page: Page) -> None:
    w, sessions = page.w, page.sessions

    def suggested(_visit, grid, seed) -> Values:
        rows = teach_rows.suggest(sessions, decode(grid), seed)
        return {
            w.suggestions: encode(Table.of(rows), spare=False),
            w.suggestions_box: gr.Column(visible=True),
            w.seed: seed + 1,
        }

    def used(visit, id, grid, suggested) -> Values:
        more = decode(suggested).cells
        desk = teach_rows.use_suggestions(sessions, id, visit, decode(grid), more)
        return page.show_desk(desk, id, w.said) | {w.suggestions_box: gr.Column(visible=False)}

    box = [w.said, w.suggestions, w.suggestions_box, w.seed]
    w.suggest.click(page.guarded(w.said, suggested), [w.grid, w.seed], box, **LIGHT)
    w.use_suggestions.click(
        page.guarded(w.said, used),
        [page.project, w.grid, w.suggestions],
        [*page.table, w.suggestions_box],
        **LIGHT,
    )
    w.drop_suggestions.click(lambda: gr.Column(visible=False), None, w.suggestions_box, **LIGHT)
