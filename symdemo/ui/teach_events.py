"""The tab “Teach”: which handler answers to what."""

from __future__ import annotations

from dataclasses import replace

import gradio as gr

from symdemo.errors import InputError, SymdemoError
from symdemo.pairs import shorten
from symdemo.ui import teach_handlers, teach_panels, teach_rows
from symdemo.ui.teach_grid import decode
from symdemo.ui.teach_shelf_events import connect_away, connect_versions
from symdemo.ui.teach_show import LIGHT, WORK, Page, Values
from symdemo.ui.teach_source_events import connect_sources
from symdemo.ui.teach_widgets import SETTINGS, Visitor, Widgets


def connect(widgets: Widgets, visitor: Visitor, demo: gr.Blocks) -> None:
    """Connect every component of the tab."""
    page = Page(widgets, visitor)
    _connect_grid(page)
    _connect_labels(page)
    _connect_offered(page)
    connect_sources(page)
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

    def redrawn(visit, id, grid) -> Values:
        desk = teach_rows.edit(page.sessions, id, visit, decode(grid))
        return page.show_desk(replace(desk, merged=()), id)  # it is the visitor's own doing

    page.visitor.offered.change(
        page.guarded(w.problem, redrawn), [page.project, w.grid], page.table, **LIGHT
    )


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
