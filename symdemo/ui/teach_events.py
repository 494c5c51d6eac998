"""The tab “Teach”: which handler answers to what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import gradio as gr

from symdemo.errors import InputError, SymdemoError
from symdemo.pairs import shorten
from symdemo.teaching.examples import EXAMPLES
from symdemo.teaching.rows import FIELDS
from symdemo.teaching.table import Table
from symdemo.ui import teach_handlers, teach_panels, teach_rows
from symdemo.ui.teach_grid import decode, encode
from symdemo.ui.teach_shelf_events import connect_away, connect_versions
from symdemo.ui.teach_show import LIGHT, WORK, Page, Values
from symdemo.ui.teach_widgets import SETTINGS, Visitor, Widgets
from symdemo.ui.try_handlers import attempt


def connect(widgets: Widgets, visitor: Visitor, demo: gr.Blocks) -> None:
    """Connect every component of the tab."""
    page = Page(widgets, visitor)
    _connect_grid(page)
    _connect_labels(page)
    _connect_offered(page)
    _connect_sources(page)
    _connect_file(page)
    _connect_suggestions(page)
    _connect_teaching(page)
    _connect_job(page)
    connect_versions(page)
    connect_away(page)
    demo.load(page.guarded(widgets.problem, _opener(page)), page.project, page.everything, **LIGHT)


def _opener(page: Page):
    """What happens when the page is opened: a browser that has a project finds it as it was."""

    def opened(_visit, id) -> Values:
        if not id:
            return {}
        try:
            return page.all_now(id)
        except SymdemoError as error:
            gone = f"{error} Projects untouched for {page.sessions.limits.idle_days:g} days are "
            said = teach_panels.said_panel(f"{gone}deleted. You can begin a new one at once.")
            return {page.project: "", page.w.said: said}

    return opened


def _connect_grid(page: Page) -> None:
    w, sessions = page.w, page.sessions

    def edited(visit, id, grid) -> Values:
        return page.show_desk(teach_rows.edit(sessions, id, visit, decode(grid)), id)

    def widened(visit, id, grid, whole) -> Values:
        sheet = replace(decode(grid), whole=whole)
        desk = teach_rows.edit(sessions, id, visit, sheet)
        if desk.whole and not whole:
            said = "Some rows are given by whole sentences, so their columns stay."
            desk = replace(desk, said=said)
        return page.show_desk(desk, id, w.said)

    def tidied(visit, id, grid) -> Values:
        return page.show_desk(teach_rows.tidy(sessions, id, visit, decode(grid)), id, w.said)

    # A cell that is changed while the last change is on its way must not be lost.
    w.grid.input(
        page.guarded(w.problem, edited),
        [page.project, w.grid],
        page.table,
        trigger_mode="always_last",
        **LIGHT,
    )
    for place, function, more in ((w.whole.input, widened, [w.whole]), (w.tidy.click, tidied, [])):
        place(page.guarded(w.said, function), [page.project, w.grid, *more], page.table, **LIGHT)


def _connect_labels(page: Page) -> None:
    """Ask about labels that are probably meant for others."""
    w, sessions = page.w, page.sessions
    box = [w.asked, w.asked_box, w.asked_text, w.use_meant, w.keep_typed]

    def asked(_visit, id, settled) -> Values:
        near = teach_rows.ask_about(sessions, id, settled)
        if near is None:
            return {w.asked: None, w.asked_box: gr.Column(visible=False)}
        return {
            w.asked: near,
            w.asked_box: gr.Column(visible=True),
            w.asked_text: teach_panels.asked_panel(near),
            w.use_meant: gr.Button(f"Use “{shorten(near.meant, 40)}”"),
            w.keep_typed: gr.Button(f"Keep “{shorten(near.typed, 40)}”"),
        }

    def used(visit, id, grid, near) -> Values:
        if near is None:
            return {}
        sheet = decode(grid)
        desk = teach_rows.relabel(sessions, id, visit, sheet, near.typed, near.meant)
        return page.show_desk(desk, id, w.said)

    def kept(_visit, id, near, settled) -> Values:
        settled = [*settled, near.typed] if near else settled
        return {w.settled: settled} | asked(_visit, id, settled)

    # The report changes with every label, whichever way it came.
    w.report.change(
        page.guarded(w.problem, asked, quiet=True),
        [page.project, w.settled],
        [w.problem, *box],
        **LIGHT,
    )
    w.use_meant.click(
        page.guarded(w.said, used), [page.project, w.grid, w.asked], page.table, **LIGHT
    )
    w.keep_typed.click(
        page.guarded(w.said, kept),
        [page.project, w.asked, w.settled],
        [w.said, w.settled, *box],
        **LIGHT,
    )


def _connect_offered(page: Page) -> None:
    """Show what another tab put into the project."""
    w = page.w

    def redrawn(_visit, id, grid) -> Values:
        return page.show_desk(teach_rows.load(page.sessions, id, decode(grid)), id)

    page.visitor.offered.change(
        page.guarded(w.problem, redrawn), [page.project, w.grid], page.table, **LIGHT
    )


def _connect_sources(page: Page) -> None:
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
        upload = teach_rows.read_columns(path, headed)
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
        found = attempt(teach_rows.preview, sessions, path, mapping, headed)
        return {w.preview: teach_panels.preview_panel(found)}

    def chosen(_visit, path) -> Values:
        return mapped(path, None) if path else {w.mapping_box: gr.Column(visible=False)}

    def looked_at(_visit, path, headed, *columns) -> Values:
        return shown(path, headed, dict(zip(FIELDS, columns, strict=True))) if path else {}

    def added(visit, id, grid, path, headed, *columns) -> Values:
        mapping = dict(zip(FIELDS, columns, strict=True))
        desk = teach_rows.add_file(sessions, id, visit, decode(grid), path, mapping, headed)
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


def _connect_teaching(page: Page) -> None:
    w, sessions = page.w, page.sessions

    def at_once(visit, id, grid) -> Values:
        sheet = decode(grid)
        project, version = teach_handlers.teach_at_once(sessions, id, visit, sheet)
        desk = teach_rows.load(sessions, project, sheet)
        done = f"{version.name} is ready and in use. See step 3, or ask it in “Try it”."
        return {
            **page.show_desk(desk, id),
            **page.shelf_now(project),
            w.plan_box: gr.Column(visible=False),
            w.teach_problem: teach_panels.said_panel(done),
        }

    def planned(visit, id, grid, *form) -> Values:
        settings, sheet = dict(zip(SETTINGS, form, strict=True)), decode(grid)
        plan = teach_handlers.plan(sessions, id, visit, sheet, settings)
        desk = teach_rows.load(sessions, plan.project, sheet)
        return {
            **page.show_desk(desk, id),
            w.plan: plan,
            w.plan_text: teach_panels.plan_panel(plan),
            w.plan_box: gr.Column(visible=True),
        }

    def begun(_visit, id, plan) -> Values:
        if plan is None:
            raise InputError("There is no plan to start; press “Retrain” again.")
        view = teach_handlers.start(sessions, id, plan)
        return {w.plan: None, w.plan_box: gr.Column(visible=False), **page.show_job(view)}

    w.at_once.click(
        page.guarded(w.teach_problem, at_once),
        [page.project, w.grid],
        [*page.table, *page.shelf, w.plan_box, w.teach_problem],
        show_progress_on=w.teach_problem,
        **WORK,
    )
    w.retrain.click(
        page.guarded(w.teach_problem, planned),
        [page.project, w.grid, *w.settings],
        [*page.table, w.plan, w.plan_text, w.plan_box, w.teach_problem],
        show_progress_on=w.teach_problem,
        **WORK,
    )
    w.start.click(
        page.guarded(w.plan_problem, begun),
        [page.project, w.plan],
        [w.plan_problem, w.plan, w.plan_box, *page.job],
        **LIGHT,
    )
    w.not_now.click(lambda: (None, gr.Column(visible=False)), None, [w.plan, w.plan_box], **LIGHT)


def _connect_job(page: Page) -> None:
    w, sessions = page.w, page.sessions

    def polled(_visit, id, job_id, seen) -> Values:
        try:
            view = teach_handlers.job(sessions, id, job_id)
        except SymdemoError:  # it ended long ago
            view = None
        values = page.show_job(view, seen)
        if view is None or view.finished:
            values |= page.shelf_now(id)
        return values

    def stopped(_visit, id, job_id) -> Values:
        return page.show_job(teach_handlers.stop(sessions, id, job_id))

    w.timer.tick(
        page.guarded(w.job_problem, polled, quiet=True),
        [page.project, w.job, w.seen],
        [w.job_problem, *page.job, *page.shelf],
        **LIGHT,
    )
    w.stop.click(
        page.guarded(w.job_problem, stopped),
        [page.project, w.job],
        [w.job_problem, *page.job],
        **LIGHT,
    )
