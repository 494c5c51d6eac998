"""The Teach tab: events of teaching, versions and transfers."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import SimpleNamespace

import gradio as gr

from symdemo.errors import SymdemoError
from symdemo.teaching.project import Project
from symdemo.text import percent, readable_size
from symdemo.ui.shared import events
from symdemo.ui.shared.events import Updates, guarded
from symdemo.ui.shared.html import draw
from symdemo.ui.shared.visitor import Visitor
from symdemo.ui.teach import training, transfer
from symdemo.ui.teach.grid import RowsEdit, decode
from symdemo.ui.teach.page import Page, message_panel
from symdemo.ui.teach.rows import connect_rows
from symdemo.ui.teach.versions import BASE, VersionList, compare_panel, judge_rows, list_versions

OPEN = "Open it in place of the project in this browser?"
BEGIN = (
    "Begin an empty project? Without its key or a download you can’t get the one in this browser "
    "back."
)
DELETE = "Delete this project for good, with its rows, versions and analyses?"
OPENED, BEGUN = "The project is open.", "This is an empty project."
DELETED = "The project is deleted, with its rows, versions and analyses."


def has_login() -> bool:
    """True on a Space where visitors can sign in with Hugging Face."""
    return bool(os.environ.get("SPACE_ID") and os.environ.get("OAUTH_CLIENT_ID"))


def connect(widgets: SimpleNamespace, visitor: Visitor) -> None:
    """Connect every component of the tab."""
    page = Page(widgets, visitor)
    connect_rows(page)
    _connect_teaching(page)
    _connect_job(page)
    _connect_versions(page)
    _connect_transfers(page)
    _connect_projects(page)
    opened, problem = visitor.opened.change, widgets.problem
    page.on(opened, problem, lambda _visit, id: page.open(id), kind=events.ROWS)


def _connect_teaching(page: Page) -> None:
    """Connect instant teaching, and retraining, which is planned first and then started."""
    w, sessions = page.w, page.sessions

    def instant(visit, id, grid) -> Updates:
        before = list_versions(sessions, id).selected
        view, version = training.teach_instantly(RowsEdit(sessions, id, visit, decode(grid)))
        own = [percent(version.scores.get(f"own_{side}")) for side in ("before", "after")]
        gained = "" if percent(None) in own else f" Your rows: {' → '.join(own)}."
        done = f"{version.name} is in use.{gained} Try it in “Try it”."
        if version.id == before:
            done = f"{version.name}, which is in use, was taught just these rows."
        return {
            **page.show_rows(view, id),
            **page.show_versions(list_versions(sessions, view.project)),
            w.plan_box: gr.Column(visible=False),
            w.teach_problem: message_panel(done),
        }

    def planned(visit, id, grid, *form) -> Updates:
        settings = dict(zip(w.settings, form, strict=True))
        view, plan = training.plan_training(RowsEdit(sessions, id, visit, decode(grid)), settings)
        return {
            **page.show_rows(view, id),
            w.plan: plan,
            w.plan_text: draw("teach/plan.html", plan=plan),
            w.plan_box: gr.Column(visible=True),
        }

    def started(_visit, id, plan) -> Updates:
        view = training.start_training(sessions, id, plan)
        return {w.plan: None, w.plan_box: gr.Column(visible=False), **page.show_job(view)}

    form = [w.grid, *w.settings.values()]
    page.on(w.instant.click, w.teach_problem, instant, [w.grid], events.TEACH)
    page.on(w.retrain.click, w.retrain_problem, planned, form, events.TEACH)
    page.on(w.start.click, w.plan_problem, started, [w.plan])
    w.not_now.click(
        lambda: (None, gr.Column(visible=False)), None, [w.plan, w.plan_box], **events.QUICK
    )


def _connect_job(page: Page) -> None:
    w, sessions = page.w, page.sessions

    def polled(_visit, id, job_id, seen) -> Updates:
        view = None
        with suppress(SymdemoError):  # it ended long ago
            view = training.find_training(sessions, id, job_id)
        values = page.show_job(view, seen)
        if view is None or view.finished:
            values |= page.show_versions(list_versions(sessions, id))
        return values

    def stopped(_visit, id, job_id) -> Updates:
        """Stop a training; what it has learnt so far is saved as a version."""
        project = sessions.require(id)
        sessions.queue.stop(job_id, project.id)
        return page.show_job(sessions.queue.get(job_id, project.id))

    watched = [w.job, w.seen]
    page.on(w.timer.tick, w.job_problem, polled, watched, quiet=True, outputs=page.job_outputs)
    page.on(w.stop.click, w.job_problem, stopped, [w.job])


def _connect_versions(page: Page) -> None:
    w, sessions = page.w, page.sessions

    def changing(change: Callable[..., str | None]):
        """Return a handler that applies `change` to the project and shows its message, if any."""

        def changed(_visit, id, *values) -> Updates:
            project = sessions.require(id)
            message = change(project, *values)
            job = training.find_training(sessions, id)  # None if its version is not in use any more
            return {
                **page.show_versions(VersionList.of(project)),
                **page.show_job(job),
                w.teach_problem: message_panel(message or ""),
            }

        return changed

    def used(project: Project, version) -> None:
        project.select(None if version == BASE else version or "")

    def undone(project: Project) -> str:
        name = VersionList.of(project).name(project.undo())
        return f"{name} is in use again. Nothing was deleted."

    renamed, deleted = Project.rename_version, Project.delete_version
    for event, place, change, inputs, ask in (
        (w.version.input, w.version_problem, used, [w.version], ""),
        (w.undo.click, w.teach_problem, undone, [], ""),
        (w.rename.click, w.version_problem, renamed, [w.version, w.new_name], ""),
        (w.new_name.submit, w.version_problem, renamed, [w.version, w.new_name], ""),
        (w.delete.click, w.version_problem, deleted, [w.version], "Delete this version for good?"),
    ):
        page.on(event, place, changing(change), inputs, ask=ask)

    # Versions are queried about every row: two side by side, or the one in use.
    def compared(_visit, id, version, other) -> Updates:
        if not other:
            return {w.compared: ""}
        listed = list_versions(sessions, id)
        chosen = [*dict.fromkeys([one for one in (version, other) if one and one != BASE]), None]
        results = judge_rows(sessions, id, listed, chosen)
        return {w.compared: compare_panel(listed, results)}

    def judged(_visit, id) -> Updates:
        listed = list_versions(sessions, id)
        results = judge_rows(sessions, id, listed, [listed.selected, None])
        return {w.compared: draw("teach/results.html", results=results)}

    page.on(w.other.input, w.version_problem, compared, [w.version, w.other], events.TEACH)
    page.on(w.judge.click, w.version_problem, judged, [], events.TEACH)


def _connect_transfers(page: Page) -> None:
    """Connect downloads, and the push to the hub."""
    w, sessions = page.w, page.sessions

    def packed(_visit, id, what, pack) -> Updates:
        path = pack(sessions, id)
        size = readable_size(path.stat().st_size)
        message = f"{what} ({size}) is on its way to your downloads."
        return {w.packed: str(path), w.download_message: message_panel(message)}

    for button, what, pack in (
        (w.save_project, "The project", transfer.pack_project),
        (w.save_model, "The version", transfer.pack_version),
    ):
        cleared = button.click(lambda: None, None, w.packed, **events.QUICK)
        packing = partial(packed, what=what, pack=pack)
        done = page.on(cleared.then, w.download_message, packing, [], events.TRANSFER)
        done.then(None, w.packed, None, js="(file) => window.symdemo.save(file)")

    def push(_visit, id, repository, token, private) -> Updates:
        address = transfer.push_version(sessions, id, repository, token, bool(private))
        return {w.token: "", w.push_message: message_panel(f"The version is at {address} now.")}

    run = guarded(w.push_message, push, long=True)

    def signed_in(request: gr.Request, oauth: gr.OAuthToken | None, id, repository, token, private):
        """Use the token of the visitor's sign-in if none was typed."""
        return run(request, id, repository, token or (oauth.token if oauth else ""), private)

    w.push.click(
        signed_in if has_login() else run,
        [page.project, w.repository, w.token, w.private],
        [w.push_message, w.token],
        show_progress_on=w.push_message,
        **events.TRANSFER,
    )


def _connect_projects(page: Page) -> None:
    """Connect the key, and what replaces the project of this browser by another one."""
    w, sessions = page.w, page.sessions

    def key_shown(_visit, id) -> Updates:
        return {w.key: gr.Textbox(sessions.require(id).id, visible=True)}

    def replacing(change: Callable[..., str | None], inputs: list[gr.Textbox | gr.File], done: str):
        """Return a handler that calls `change` and shows the project whose id it returns."""

        def replaced(visit, id, *values) -> Updates:
            updates = page.show_project(change(sessions, *(values or [id])) or "")
            sessions.forget_page(visit)
            return {**updates, **dict.fromkeys(inputs), w.open_message: message_panel(done)}

        return replaced

    page.on(w.show_key.click, w.key_problem, key_shown)
    for event, change, inputs, done, question, kind in (
        (w.open_archive.click, transfer.open_project, [w.archive], OPENED, OPEN, events.TRANSFER),
        (w.open_key.click, transfer.open_by_key, [w.typed_key], OPENED, OPEN, events.ROWS),
        (w.typed_key.submit, transfer.open_by_key, [w.typed_key], OPENED, OPEN, events.ROWS),
        (w.begin_anew.click, lambda *_: "", [], BEGUN, BEGIN, events.QUICK),
        (w.delete_all.click, transfer.delete_project, [], DELETED, DELETE, events.QUICK),
    ):
        handler = replacing(change, inputs, done)
        page.on(event, w.open_message, handler, inputs, kind, ask=question)
