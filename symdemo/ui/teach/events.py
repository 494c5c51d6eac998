"""The Teach tab: events of teaching, versions and transfers."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace

import gradio as gr

from symdemo.errors import SymdemoError
from symdemo.teaching.project import Project
from symdemo.text import percent, readable_size
from symdemo.ui.shared.events import (
    QUICK_EVENT,
    ROWS_EVENT,
    TEACH_EVENT,
    TRANSFER_EVENT,
    Updates,
    guarded,
)
from symdemo.ui.shared.html import draw
from symdemo.ui.shared.sessions import NO_PROJECT
from symdemo.ui.shared.visitor import Visitor
from symdemo.ui.teach import training, transfer
from symdemo.ui.teach.grid import RowsEdit, decode
from symdemo.ui.teach.page import Page
from symdemo.ui.teach.panels import compare_panel, message_panel
from symdemo.ui.teach.row_events import connect_rows
from symdemo.ui.teach.versions import (
    BASE,
    VersionList,
    chosen_own,
    chosen_version,
    judge_rows,
    list_versions,
)

DOWNLOAD = """(file) => {
  if (!file) return;
  const link = document.createElement("a");
  Object.assign(link, {href: file.url, download: file.orig_name});
  document.body.append(link);
  link.click();
  link.remove();
}"""
"""Downloads the packed file, so that one press is enough."""

OPEN_QUESTION = "Open it in place of the project in this browser?"
BEGIN_QUESTION = (
    "Begin an empty project? Without its key or a download you can’t get the one in this browser "
    "back."
)
DELETE_QUESTION = "Delete this project for good, with its rows, versions and analyses?"


def has_login() -> bool:
    """True on a Space where visitors can sign in with Hugging Face."""
    return bool(os.environ.get("SPACE_ID") and os.environ.get("OAUTH_CLIENT_ID"))


def ask_first(question: str) -> str:
    """Return JavaScript that puts the answer to a question into the first input, a hidden box.

    Nothing is asked if the last input names nothing that could be lost or opened: then the handler
    says so.
    """
    nothing = ["", BASE, NO_PROJECT]
    return (
        f"(sure, ...others) => [{nothing}.includes(others.at(-1) ?? '') || "
        f"window.confirm({question!r}), ...others]"
    )


def connect(widgets: SimpleNamespace, visitor: Visitor) -> None:
    """Connect every component of the tab."""
    page = Page(widgets, visitor)
    connect_rows(page)
    _connect_teaching(page)
    _connect_job(page)
    _connect_versions(page)
    _connect_comparisons(page)
    _connect_downloads(page)
    _connect_projects(page)
    _connect_push(page)
    page.on(
        visitor.opened.change, widgets.problem, lambda _visit, id: page.open(id), [page.project],
        page.everything, ROWS_EVENT,
    )  # fmt: skip


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
        listed = VersionList.of(view.opened) if view.opened else VersionList()
        return {
            **page.show_rows(view, id),
            **page.show_versions(listed),
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

    table, rows, job = [page.project, w.grid], page.row_outputs, page.job_outputs
    shown = [*rows, *page.version_outputs, w.plan_box]
    page.on(w.instant.click, w.teach_problem, instant, table, shown, TEACH_EVENT)
    form, shown = [*table, *w.settings.values()], [*rows, w.plan, w.plan_text, w.plan_box]
    page.on(w.retrain.click, w.retrain_problem, planned, form, shown, TEACH_EVENT)
    plan = [page.project, w.plan]
    page.on(w.start.click, w.plan_problem, started, plan, [w.plan, w.plan_box, *job])
    w.not_now.click(
        lambda: (None, gr.Column(visible=False)), None, [w.plan, w.plan_box], **QUICK_EVENT
    )


def _connect_job(page: Page) -> None:
    w, sessions = page.w, page.sessions

    def polled(_visit, id, job_id, seen) -> Updates:
        try:
            view = training.find_training(sessions, id, job_id)
        except SymdemoError:  # it ended long ago
            view = None
        values = page.show_job(view, seen)
        if view is None or view.finished:
            values |= page.show_versions(list_versions(sessions, id))
        return values

    def stopped(_visit, id, job_id) -> Updates:
        return page.show_job(training.stop_training(sessions, id, job_id))

    job, shown = [page.project, w.job], page.job_outputs
    polling = [*shown, *page.version_outputs]
    page.on(w.timer.tick, w.job_problem, polled, [*job, w.seen], polling, quiet=True)
    page.on(w.stop.click, w.job_problem, stopped, job, shown)


def _connect_versions(page: Page) -> None:
    w, sessions = page.w, page.sessions

    def changed(project: Project, message: str = "") -> Updates:
        """Show the versions; that one is ready and in use may be no longer true."""
        versions = page.show_versions(VersionList.of(project))
        job = page.show_job(training.find_training(sessions, project.id))
        return versions | job | {w.teach_problem: message_panel(message)}

    def used(_visit, id, version) -> Updates:
        project = sessions.require(id)
        project.select(chosen_version(version))
        return changed(project)

    def undone(_visit, id) -> Updates:
        project = sessions.require(id)
        name = VersionList.of(project).name(project.undo())
        return changed(project, f"{name} is in use again. Nothing was deleted.")

    def renamed(_visit, id, version, name) -> Updates:
        project = sessions.require(id)
        project.rename_version(chosen_own(version), name)
        return changed(project)

    def deleted(_visit, sure, id, version) -> Updates:
        if not sure:
            return {}
        project = sessions.require(id)
        project.delete_version(chosen_own(version))
        return changed(project)

    question = ask_first("Delete this version for good?")
    version, outputs = [page.project, w.version], [*page.version_outputs, *page.job_outputs]
    for event, place, function, inputs, js in (
        (w.version.input, w.version_problem, used, version, None),
        (w.undo.click, w.teach_problem, undone, [page.project], None),
        (w.rename.click, w.version_problem, renamed, [*version, w.new_name], None),
        (w.new_name.submit, w.version_problem, renamed, [*version, w.new_name], None),
        (w.delete.click, w.version_problem, deleted, [w.sure, *version], question),
    ):
        page.on(event, place, function, inputs, [*outputs, w.teach_problem], js=js)


def _connect_comparisons(page: Page) -> None:
    """Connect what queries versions about every row: two side by side, or the one in use."""
    w, sessions = page.w, page.sessions

    def compared(_visit, id, version, other) -> Updates:
        if not other:
            return {w.compared: ""}
        listed = list_versions(sessions, id)
        chosen = [*dict.fromkeys([one for one in (version, other) if one and one != BASE]), None]
        results = judge_rows(sessions, id, listed, chosen)
        return {w.compared: compare_panel(listed, chosen, results)}

    def judged(_visit, id) -> Updates:
        listed = list_versions(sessions, id)
        results = judge_rows(sessions, id, listed, [listed.selected, None])
        return {w.compared: draw("teach/results.html", results=results)}

    place, shown = w.version_problem, [w.compared]
    inputs = [page.project, w.version, w.other]
    page.on(w.other.input, place, compared, inputs, shown, TEACH_EVENT)
    page.on(w.judge.click, place, judged, [page.project], shown, TEACH_EVENT)


def _connect_downloads(page: Page) -> None:
    w, sessions = page.w, page.sessions

    def packed(_visit, id, what, pack) -> Updates:
        path = pack(sessions, id)
        size = readable_size(path.stat().st_size)
        message = f"{what} ({size}) is on its way to your downloads."
        return {w.packed: str(path), w.download_message: message_panel(message)}

    place, given = w.download_message, ([page.project], [w.packed], TRANSFER_EVENT)
    for button, what, pack in (
        (w.save_project, "The project", transfer.pack_project),
        (w.save_model, "The version", transfer.pack_version),
    ):
        cleared = button.click(lambda: None, None, w.packed, **QUICK_EVENT)
        done = page.on(cleared.then, place, partial(packed, what=what, pack=pack), *given)
        done.then(None, w.packed, None, js=DOWNLOAD)


def _connect_projects(page: Page) -> None:
    """Connect the key, and what replaces the project of this browser by another one."""
    w, sessions = page.w, page.sessions

    def key_shown(_visit, id) -> Updates:
        return {w.key: gr.Textbox(sessions.require(id).id, visible=True)}

    def replacing(change: Callable[..., tuple[str, str]], clear: tuple = ()):
        """Make a handler of `change`, which returns the new project's id and a message."""

        def replaced(visit, sure, *values) -> Updates:
            if not sure:
                return {}
            id, message = change(*values)
            updates = page.show_project(id)
            sessions.forget_page(visit)
            cleared = dict.fromkeys(clear)
            return {**updates, **cleared, w.open_message: message_panel(message)}

        return replaced

    def opened(_id, path) -> tuple[str, str]:
        return transfer.open_project(sessions, path), "The project is open."

    def opened_by_key(_id, typed) -> tuple[str, str]:
        return transfer.open_by_key(sessions, typed), "The project is open."

    def begun(_id) -> tuple[str, str]:
        return "", "This is an empty project."

    def deleted(id) -> tuple[str, str]:
        transfer.delete_project(sessions, id)
        return "", "The project is deleted, with its rows, versions and analyses."

    page.on(w.show_key.click, w.key_problem, key_shown, [page.project], [w.key])
    outputs = [*page.everything, w.archive, w.typed_key]
    for event, function, more, question, kind in (
        (w.open_archive.click, opened, (w.archive,), OPEN_QUESTION, TRANSFER_EVENT),
        (w.open_key.click, opened_by_key, (w.typed_key,), OPEN_QUESTION, ROWS_EVENT),
        (w.typed_key.submit, opened_by_key, (w.typed_key,), OPEN_QUESTION, ROWS_EVENT),
        (w.begin_anew.click, begun, (), BEGIN_QUESTION, QUICK_EVENT),
        (w.delete_all.click, deleted, (), DELETE_QUESTION, QUICK_EVENT),
    ):
        inputs, js = [w.sure, page.project, *more], ask_first(question)
        page.on(event, w.open_message, replacing(function, more), inputs, outputs, kind, js=js)


def _connect_push(page: Page) -> None:
    w, sessions = page.w, page.sessions

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
        **TRANSFER_EVENT,
    )
