"""The tab “Teach”: what answers to the versions, and to what is taken away or brought along."""

from __future__ import annotations

from collections.abc import Callable

import gradio as gr

from symdemo.ui.shared.events import (
    LESSON_EVENT,
    QUICK_EVENT,
    ROWS_EVENT,
    TRANSFER_EVENT,
    Updates,
    guarded,
)
from symdemo.ui.teach.page import Page
from symdemo.ui.teach.panels import message_panel
from symdemo.ui.teach.transfer import (
    Download,
    delete_project,
    open_by_key,
    open_project,
    pack_project,
    pack_version,
    project_key,
    push_version,
)
from symdemo.ui.teach.version_panels import compare_panel, results_panel
from symdemo.ui.teach.versions import (
    BASE,
    delete_version,
    judge_rows,
    list_versions,
    rename_version,
    undo_teaching,
    use_version,
)
from symdemo.ui.teach.widgets import has_login

DOWNLOAD = """(file) => {
  if (!file) return;
  const link = document.createElement("a");
  Object.assign(link, {href: file.url, download: file.orig_name});
  document.body.append(link);
  link.click();
  link.remove();
}"""
"""Downloads what was packed, so that one press is enough."""

OPEN_QUESTION = "Open it in place of the project in this browser?"
BEGIN_QUESTION = (
    "Begin an empty project? The one in this browser cannot be had back without its key or its "
    "download."
)
DELETE_QUESTION = "Delete this project for good, with its rows and all its versions?"


def ask_first(question: str) -> str:
    """JavaScript that puts into the first input, a hidden box, whether the visitor is sure."""
    return f"(sure, ...others) => [window.confirm({question!r}), ...others]"


def connect_versions(page: Page) -> None:
    """Connect the table of versions."""
    w, sessions = page.w, page.sessions

    def used(_visit, id, version) -> Updates:
        return page.show_versions(use_version(sessions, id, version))

    def undone(_visit, id) -> Updates:
        listed = undo_teaching(sessions, id)
        message = f"{listed.name(listed.selected)} is in use again. Nothing was deleted."
        return page.show_versions(listed) | {w.version_problem: message_panel(message)}

    def renamed(_visit, id, version, name) -> Updates:
        return page.show_versions(rename_version(sessions, id, version, name))

    def deleted(_visit, sure, id, version) -> Updates:
        if not sure:
            return {}
        return page.show_versions(delete_version(sessions, id, version))

    def on(place, function, inputs, **more) -> None:
        outputs = [*page.version_outputs, w.version_problem]
        place(guarded(w.version_problem, function), inputs, outputs, **QUICK_EVENT, **more)

    on(w.use.click, used, [page.project, w.version])
    on(w.undo.click, undone, [page.project])
    on(w.rename.click, renamed, [page.project, w.version, w.new_name])
    on(w.new_name.submit, renamed, [page.project, w.version, w.new_name])
    on(
        w.delete.click,
        deleted,
        [w.sure, page.project, w.version],
        js=ask_first("Delete this version for good?"),
    )
    _connect_comparisons(page)


def _connect_comparisons(page: Page) -> None:
    """Connect what asks versions about every row: two side by side, or the one in use."""
    w, sessions = page.w, page.sessions

    def compared(_visit, id, version, other) -> Updates:
        if not other:
            return {w.compared: ""}
        listed = list_versions(sessions, id)
        chosen = [None if one == BASE else one for one in (version, other)]
        chosen = [*dict.fromkeys([*(one for one in chosen if one), None])]  # the base comes last
        results = judge_rows(sessions, id, listed, chosen)
        return {w.compared: compare_panel(listed, chosen, results)}

    def judged(_visit, id) -> Updates:
        listed = list_versions(sessions, id)
        results = judge_rows(sessions, id, listed, [listed.selected, None])
        return {w.every_row: results_panel(results)}

    gr.on(
        [w.version.input, w.other.input],
        guarded(w.version_problem, compared, long=True),
        [page.project, w.version, w.other],
        [w.version_problem, w.compared],
        show_progress_on=w.compared,
        **LESSON_EVENT,
    )
    w.judge.click(
        guarded(w.judge_problem, judged, long=True),
        page.project,
        [w.judge_problem, w.every_row],
        show_progress_on=w.judge_problem,
        **LESSON_EVENT,
    )


def connect_transfers(page: Page) -> None:
    """Connect downloads, archives and the hub."""
    _connect_downloads(page)
    _connect_key(page)
    _connect_projects(page)
    _connect_push(page)


def _connect_downloads(page: Page) -> None:
    w, sessions = page.w, page.sessions

    def packer(what: str, file: gr.DownloadButton, pack: Callable[[str], Download]):
        def packed(_visit, id) -> Updates:
            download = pack(id)
            message = f"{what} ({download.size}) is on its way to your downloads."
            return {file: download.path, w.download_message: message_panel(message)}

        return packed

    def project(id: str) -> Download:
        return pack_project(sessions, id)

    def version(id: str) -> Download:
        selected = list_versions(sessions, id).selected
        return pack_version(sessions, id, selected)

    for button, what, file, pack in (
        (w.save_project, "The project", w.project_file, project),
        (w.save_model, "The version", w.model_file, version),
    ):
        button.click(lambda: None, None, file, **QUICK_EVENT).then(
            guarded(w.download_message, packer(what, file, pack), long=True),
            page.project,
            [w.download_message, file],
            show_progress_on=w.download_message,
            **TRANSFER_EVENT,
        ).then(None, file, None, js=DOWNLOAD)


def _connect_key(page: Page) -> None:
    w, sessions = page.w, page.sessions

    def shown(_visit, id) -> Updates:
        key = project_key(sessions, id)
        return {w.key: gr.Textbox(key, visible=True)}

    w.show_key.click(
        guarded(w.key_problem, shown), page.project, [w.key_problem, w.key], **QUICK_EVENT
    )


def _connect_projects(page: Page) -> None:
    w, sessions = page.w, page.sessions

    def opened(visit, sure, _id, path) -> Updates:
        if not sure:
            return {}
        new = open_project(sessions, path)
        sessions.forget_page(visit)
        return page.show_project(new) | {
            w.open_message: message_panel("The project is open."),
            w.archive: None,
        }

    def opened_by_key(visit, sure, _id, typed) -> Updates:
        if not sure:
            return {}
        found = page.show_project(open_by_key(sessions, typed))
        sessions.forget_page(visit)
        return found | {w.open_message: message_panel("The project is open."), w.typed_key: ""}

    def begun(visit, sure, _id) -> Updates:
        if not sure:
            return {}
        sessions.forget_page(visit)
        return page.show_project("") | {w.open_message: message_panel("This is an empty project.")}

    def deleted(visit, sure, id) -> Updates:
        if not sure:
            return {}
        delete_project(sessions, id)
        sessions.forget_page(visit)
        message = "The project is deleted, with its rows and all its versions."
        return page.show_project("") | {w.open_message: message_panel(message)}

    inputs = [w.sure, page.project]
    outputs = [*page.everything, w.archive, w.open_message]
    w.open_archive.click(
        guarded(w.open_message, opened, long=True),
        [*inputs, w.archive],
        outputs,
        js=ask_first(OPEN_QUESTION),
        show_progress_on=w.open_message,
        **TRANSFER_EVENT,
    )
    for event in (w.open_key.click, w.typed_key.submit):
        event(
            guarded(w.open_message, opened_by_key),
            [*inputs, w.typed_key],
            [*outputs, w.typed_key],
            js=ask_first(OPEN_QUESTION),
            **ROWS_EVENT,
        )
    for button, function, question in (
        (w.begin_anew, begun, BEGIN_QUESTION),
        (w.delete_all, deleted, DELETE_QUESTION),
    ):
        button.click(
            guarded(w.open_message, function),
            inputs,
            outputs,
            js=ask_first(question),
            **QUICK_EVENT,
        )


def _connect_push(page: Page) -> None:
    w, sessions = page.w, page.sessions

    def push(_visit, id, repository, token, private) -> Updates:
        selected = list_versions(sessions, id).selected
        address = push_version(sessions, id, selected, repository, token, bool(private))
        message = f"The version is at {address} now."
        return {w.token: "", w.push_message: message_panel(message)}

    run = guarded(w.push_message, push, long=True)

    def signed_in(request: gr.Request, oauth: gr.OAuthToken | None, id, repository, token, private):
        """The token of the visitor's own sign-in, where none was typed."""
        return run(request, id, repository, token or (oauth.token if oauth else ""), private)

    w.push.click(
        signed_in if has_login() else run,
        [page.project, w.repository, w.token, w.private],
        [w.push_message, w.token],
        show_progress_on=w.push_message,
        **TRANSFER_EVENT,
    )
