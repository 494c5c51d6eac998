"""The tab “Teach”: which handler answers to what."""

from __future__ import annotations

import gradio as gr

from symdemo.errors import SymdemoError
from symdemo.ui.shared.events import LESSON_EVENT, QUICK_EVENT, ROWS_EVENT, Updates, guarded
from symdemo.ui.shared.sessions import NO_PROJECT
from symdemo.ui.shared.visitor import Visitor
from symdemo.ui.teach.grid import decode
from symdemo.ui.teach.page import Page
from symdemo.ui.teach.panels import message_panel, plan_panel
from symdemo.ui.teach.row_events import connect_rows
from symdemo.ui.teach.rows import load_rows
from symdemo.ui.teach.training import (
    find_training,
    plan_training,
    start_training,
    stop_training,
    teach_at_once,
)
from symdemo.ui.teach.version_events import connect_transfers, connect_versions
from symdemo.ui.teach.widgets import Widgets


def connect(widgets: Widgets, visitor: Visitor, demo: gr.Blocks) -> None:
    """Connect every component of the tab."""
    page = Page(widgets, visitor)
    connect_rows(page)
    _connect_at_once(page)
    _connect_retraining(page)
    _connect_job(page)
    connect_versions(page)
    connect_transfers(page)
    demo.load(guarded(widgets.problem, _opener(page)), page.project, page.everything, **ROWS_EVENT)


def _opener(page: Page):
    """What happens when the page is opened: a browser that has a project finds it as it was."""

    def opened(_visit, id) -> Updates:
        if not id or id == NO_PROJECT:
            return {}
        try:
            page.sessions.find_own(id)
        except SymdemoError as error:
            return page.show_lost(error, id)
        return page.show_project(id)

    return opened


def _connect_at_once(page: Page) -> None:
    w, sessions = page.w, page.sessions

    def at_once(visit, id, grid) -> Updates:
        sheet = decode(grid)
        project, version = teach_at_once(sessions, id, visit, sheet)
        view = load_rows(sessions, project, sheet)
        done = f"{version.name} is ready and in use. See step 3, or ask it in “Try it”."
        return {
            **page.show_rows(view, id),
            **page.versions_now(project),
            w.plan_box: gr.Column(visible=False),
            w.teach_problem: message_panel(done),
        }

    w.at_once.click(
        guarded(w.teach_problem, at_once, long=True),
        [page.project, w.grid],
        [*page.row_outputs, *page.version_outputs, w.plan_box, w.teach_problem],
        show_progress_on=w.teach_problem,
        **LESSON_EVENT,
    )


def _connect_retraining(page: Page) -> None:
    """A retraining is planned first; it begins when the visitor has seen how long it takes."""
    w, sessions = page.w, page.sessions

    def planned(visit, id, grid, *form) -> Updates:
        settings, sheet = dict(zip(w.settings, form, strict=True)), decode(grid)
        plan = plan_training(sessions, id, visit, sheet, settings)
        view = load_rows(sessions, plan.project, sheet)
        return {
            **page.show_rows(view, id),
            w.plan: plan,
            w.plan_text: plan_panel(plan),
            w.plan_box: gr.Column(visible=True),
        }

    def begun(_visit, id, plan) -> Updates:
        view = start_training(sessions, id, plan)
        return {w.plan: None, w.plan_box: gr.Column(visible=False), **page.show_job(view)}

    w.retrain.click(
        guarded(w.teach_problem, planned, long=True),
        [page.project, w.grid, *w.settings.values()],
        [*page.row_outputs, w.plan, w.plan_text, w.plan_box, w.teach_problem],
        show_progress_on=w.teach_problem,
        **LESSON_EVENT,
    )
    w.start.click(
        guarded(w.plan_problem, begun),
        [page.project, w.plan],
        [w.plan_problem, w.plan, w.plan_box, *page.job_outputs],
        **QUICK_EVENT,
    )
    w.not_now.click(
        lambda: (None, gr.Column(visible=False)), None, [w.plan, w.plan_box], **QUICK_EVENT
    )


def _connect_job(page: Page) -> None:
    w, sessions = page.w, page.sessions

    def polled(_visit, id, job_id, seen) -> Updates:
        try:
            view = find_training(sessions, id, job_id)
        except SymdemoError:  # it ended long ago
            view = None
        values = page.show_job(view, seen)
        if view is None or view.finished:
            values |= page.versions_now(id)
        return values

    def stopped(_visit, id, job_id) -> Updates:
        return page.show_job(stop_training(sessions, id, job_id))

    w.timer.tick(
        guarded(w.job_problem, polled, quiet=True),
        [page.project, w.job, w.seen],
        [w.job_problem, *page.job_outputs, *page.version_outputs],
        **QUICK_EVENT,
    )
    w.stop.click(
        guarded(w.job_problem, stopped),
        [page.project, w.job],
        [w.job_problem, *page.job_outputs],
        **QUICK_EVENT,
    )
