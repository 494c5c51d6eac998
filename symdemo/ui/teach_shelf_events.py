"""The tab “Teach”: what answers to the versions, and to what is taken away or brought along."""

from __future__ import annotations

import gradio as gr

from symdemo.ui import teach_away, teach_handlers, teach_panels, teach_versions
from symdemo.ui.teach_away import Parcels
from symdemo.ui.teach_show import AWAY, LIGHT, Page, Values
from symdemo.ui.teach_widgets import has_login

ANEW = "Begin an empty project? The one in this browser cannot be had back without its download."
DELETE = "Delete this project for good, with its rows and all its versions?"


def ask_first(question: str) -> str:
    """JavaScript that puts into the first input, a hidden box, whether the visitor is sure."""
    return f"(sure, ...others) => [window.confirm({question!r}), ...others]"


def connect_versions(page: Page) -> None:
    """Connect the table of versions."""
    w, sessions = page.w, page.sessions

    def used(_visit, id, version) -> Values:
        return page.show_shelf(teach_handlers.select(sessions, id, version))

    def undone(_visit, id) -> Values:
        shelf = teach_handlers.undo(sessions, id)
        said = f"{shelf.name(shelf.selected)} is in use again. Nothing was deleted."
        return page.show_shelf(shelf) | {w.version_problem: teach_panels.said_panel(said)}

    def renamed(_visit, id, version, name) -> Values:
        return page.show_shelf(teach_handlers.rename(sessions, id, version, name))

    def deleted(_visit, sure, id, version) -> Values:
        if not sure:
            return {}
        return page.show_shelf(teach_handlers.delete(sessions, id, version))

    def compared(_visit, id, version, other) -> Values:
        shelf = teach_handlers.shelf(sessions, id)
        return {w.compared: teach_versions.compare_panel(shelf, version, other)}

    def on(place, function, inputs, **more) -> None:
        place(page.guarded(w.version_problem, function), inputs, page.shelf, **LIGHT, **more)

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
    gr.on(
        [w.version.input, w.other.input],
        page.guarded(w.version_problem, compared),
        [page.project, w.version, w.other],
        [w.version_problem, w.compared],
        **LIGHT,
    )


def connect_away(page: Page) -> None:
    """Connect downloads, archives and the hub."""
    _connect_downloads(page)
    _connect_key(page)
    _connect_projects(page)
    _connect_push(page)


def _connect_downloads(page: Page) -> None:
    w, sessions, parcels = page.w, page.sessions, Parcels()

    def packed(_visit, id) -> Values:
        parcel = teach_away.save_project(sessions, parcels, id)
        return {w.project_file: _download("the project", parcel)}

    def packed_model(_visit, id) -> Values:
        selected = teach_handlers.shelf(sessions, id).selected
        parcel = teach_away.save_model(sessions, parcels, id, selected)
        return {w.model_file: _download("the version", parcel)}

    for button, function, file in (
        (w.save_project, packed, w.project_file),
        (w.save_model, packed_model, w.model_file),
    ):
        button.click(
            page.guarded(w.away_problem, function),
            page.project,
            [w.away_problem, file],
            show_progress_on=w.away_problem,
            **AWAY,
        )


def _download(what: str, parcel: teach_away.Parcel) -> gr.DownloadButton:
    return gr.DownloadButton(f"Download {what} ({parcel.size})", value=parcel.path, visible=True)


def _connect_key(page: Page) -> None:
    w, sessions = page.w, page.sessions

    def shown(_visit, id) -> Values:
        key = teach_away.key(sessions, id)
        return {w.key: gr.Textbox(key, visible=True)}

    w.show_key.click(
        page.guarded(w.away_problem, shown), page.project, [w.away_problem, w.key], **LIGHT
    )


def _connect_projects(page: Page) -> None:
    w, sessions = page.w, page.sessions

    def opened(visit, sure, _id, path) -> Values:
        if not sure:
            return {}
        new = teach_away.open_project(sessions, path)
        sessions.leave(visit)
        return page.all_now(new, "The project is open.") | {w.archive: None}

    def begun(visit, sure, _id) -> Values:
        if not sure:
            return {}
        sessions.leave(visit)
        return page.all_now("", "This is an empty project.")

    def deleted(visit, sure, id) -> Values:
        if not sure:
            return {}
        teach_handlers.remove(sessions, id)
        sessions.leave(visit)
        return page.all_now("", "The project is deleted, with its rows and all its versions.")

    inputs, outputs = [w.sure, page.project], [*page.everything, w.archive]
    w.open_archive.click(
        page.guarded(w.away_problem, opened),
        [*inputs, w.archive],
        outputs,
        js=ask_first("Open it in place of the project in this browser?"),
        show_progress_on=w.away_problem,
        **AWAY,
    )
    for button, function, question in (
        (w.begin_anew, begun, ANEW),
        (w.delete_all, deleted, DELETE),
    ):
        button.click(
            page.guarded(w.away_problem, function), inputs, outputs, js=ask_first(question), **LIGHT
        )


def _connect_push(page: Page) -> None:
    w, sessions = page.w, page.sessions

    def push(_visit, id, repository, token, private) -> Values:
        selected = teach_handlers.shelf(sessions, id).selected
        address = teach_away.push(sessions, id, selected, repository, token, bool(private))
        said = f"The version is at {address} now."
        return {w.token: "", w.away_problem: teach_panels.said_panel(said)}

    run = page.guarded(w.away_problem, push)

    def signed_in(request: gr.Request, oauth: gr.OAuthToken | None, id, repository, token, private):
        """The token of the visitor's own sign-in, where none was typed."""
        return run(request, id, repository, token or (oauth.token if oauth else ""), private)

    w.push.click(
        signed_in if has_login() else run,
        [page.project, w.repository, w.token, w.private],
        [w.away_problem, w.token],
        show_progress_on=w.away_problem,
        **AWAY,
    )
