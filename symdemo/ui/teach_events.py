"""The tab “Teach”: which handler answers to what."""

from __future__ import annotations

from typing import Any

import gradio as gr

from symdemo.errors import InputError, SymdemoError
from symdemo.teaching.examples import EXAMPLES
from symdemo.teaching.rows import FIELDS
from symdemo.ui import teach_handlers, teach_panels, teach_rows
from symdemo.ui.teach_grid import decode, encode
from symdemo.ui.teach_rows import rows_of_cells
from symdemo.ui.teach_shelf_events import connect_away, connect_versions
from symdemo.ui.teach_show import LIGHT, WORK, Page, Values
from symdemo.ui.teach_widgets import SETTINGS, Visitor, Widgets


def connect(widgets: Widgets, visitor: Visitor, demo: gr.Blocks) -> None:
    """Connect every component of the tab."""
    page = Page(widgets, visitor)
    _connect_grid(page)
    _connect_offered(page)
    _connect_sources(page)
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

    def edited(visit, id, cells) -> Values:
        return page.show_desk(teach_rows.edit(sessions, id, visit, decode(cells)), id, redraw=False)

    def widened(_visit, cells, whole) -> Values:
        rows = rows_of_cells(decode(cells), sessions.limits)
        if not whole and teach_rows.has_whole(rows):
            said = "Some rows are given by whole sentences, so their columns stay."
            return {w.whole: True, w.said: teach_panels.said_panel(said)}
        return {w.grid: encode(rows, whole)}

    def tidied(visit, id, cells, whole) -> Values:
        return page.show_desk(teach_rows.tidy(sessions, id, visit, decode(cells)), id, whole)

    def on(place: Any, function: Any, inputs: list[Any]) -> None:
        place(page.guarded(w.problem, function), inputs, page.table, **LIGHT)

    # A cell that is changed while the last change is on its way must not be lost.
    w.grid.input(
        page.guarded(w.problem, edited),
        [page.project, w.grid],
        page.table,
        trigger_mode="always_last",
        **LIGHT,
    )
    on(w.whole.input, widened, [w.grid, w.whole])
    on(w.tidy.click, tidied, [page.project, w.grid, w.whole])


def _connect_offered(page: Page) -> None:
    """Show what another tab put into the project."""
    w = page.w

    def redrawn(_visit, id, whole) -> Values:
        return page.show_desk(teach_rows.load(page.sessions, id), id, whole)

    page.visitor.offered.change(
        page.guarded(w.problem, redrawn), [page.project, w.whole], page.table, **LIGHT
    )


def _connect_sources(page: Page) -> None:
    w, sessions = page.w, page.sessions
    table = [page.project, w.grid, w.whole]

    def pasted(visit, id, cells, whole, text) -> Values:
        desk = teach_rows.paste(sessions, id, visit, decode(cells), text)
        return page.show_desk(desk, id, whole) | {w.pasted: ""}

    def chosen(_visit, path) -> Values:
        if not path:
            return {w.mapping_box: gr.Column(visible=False)}
        upload = teach_rows.read_columns(path)
        choices = [("–", ""), *((name, name) for name in upload.columns)]
        boxes = {
            box: gr.Dropdown(choices, value=upload.mapping.get(field, ""))
            for field, box in zip(FIELDS, w.mapping, strict=True)
        }
        return {w.mapping_box: gr.Column(visible=True), **boxes}

    def added(visit, id, cells, whole, path, *columns) -> Values:
        mapping = dict(zip(FIELDS, columns, strict=True))
        desk = teach_rows.add_file(sessions, id, visit, decode(cells), path, mapping)
        hidden = {w.table_file: None, w.mapping_box: gr.Column(visible=False)}
        return page.show_desk(desk, id, whole) | hidden

    def example(name: str):
        def add(visit, id, cells, whole) -> Values:
            return page.show_desk(
                teach_rows.add_example(sessions, id, visit, decode(cells), name), id, whole
            )

        return add

    guarded, light = page.guarded, LIGHT
    w.paste.click(guarded(w.problem, pasted), [*table, w.pasted], [*page.table, w.pasted], **light)
    w.table_file.change(
        guarded(w.problem, chosen), w.table_file, [w.problem, w.mapping_box, *w.mapping], **light
    )
    w.add_file.click(
        guarded(w.problem, added),
        [*table, w.table_file, *w.mapping],
        [*page.table, w.table_file, w.mapping_box],
        **light,
    )
    for button, known in zip(w.examples, EXAMPLES, strict=True):
        button.click(guarded(w.problem, example(known.id)), table, page.table, **light)


def _connect_suggestions(page: Page) -> None:
    w, sessions = page.w, page.sessions

    def suggested(_visit, cells, seed) -> Values:
        rows = teach_rows.suggest(sessions, decode(cells), seed)
        return {
            w.suggestions: encode(rows, spare=False),
            w.suggestions_box: gr.Column(visible=True),
            w.seed: seed + 1,
        }

    def used(visit, id, cells, whole, suggested) -> Values:
        desk = teach_rows.use_suggestions(sessions, id, visit, decode(cells), decode(suggested))
        return page.show_desk(desk, id, whole) | {w.suggestions_box: gr.Column(visible=False)}

    box = [w.problem, w.suggestions, w.suggestions_box, w.seed]
    w.suggest.click(page.guarded(w.problem, suggested), [w.grid, w.seed], box, **LIGHT)
    w.use_suggestions.click(
        page.guarded(w.problem, used),
        [page.project, w.grid, w.whole, w.suggestions],
        [*page.table, w.suggestions_box],
        **LIGHT,
    )
    w.drop_suggestions.click(lambda: gr.Column(visible=False), None, w.suggestions_box, **LIGHT)


def _connect_teaching(page: Page) -> None:
    w, sessions = page.w, page.sessions

    def at_once(visit, id, cells) -> Values:
        project, version = teach_handlers.teach_at_once(sessions, id, visit, decode(cells))
        desk = teach_rows.load(sessions, project)
        done = f"{version.name} is ready and in use. See step 3, or ask it in “Try it”."
        return {
            **page.show_desk(desk, id, redraw=False),
            **page.shelf_now(project),
            w.said: "",
            w.plan_box: gr.Column(visible=False),
            w.teach_problem: teach_panels.said_panel(done),
        }

    def planned(visit, id, cells, *form) -> Values:
        settings = dict(zip(SETTINGS, form, strict=True))
        plan = teach_handlers.plan(sessions, id, visit, decode(cells), settings)
        kept = {page.project: plan.project} if plan.project != id else {}
        return {
            **kept,
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
        [page.project, w.plan, w.plan_text, w.plan_box, w.teach_problem],
        show_progress_on=w.teach_problem,
        **WORK,
    )
    w.start.click(
        page.guarded(w.teach_problem, begun),
        [page.project, w.plan],
        [w.teach_problem, w.plan, w.plan_box, *page.job],
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
        page.guarded(w.teach_problem, polled),
        [page.project, w.job, w.seen],
        [w.teach_problem, *page.job, *page.shelf],
        **LIGHT,
    )
    w.stop.click(
        page.guarded(w.teach_problem, stopped),
        [page.project, w.job],
        [w.teach_problem, *page.job],
        **LIGHT,
    )
