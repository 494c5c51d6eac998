"""The tab “Teach”: what answers to the versions, and to what is taken away or brought along."""

from __future__ import annotations

from collections.abc import Callable

import gradio as gr

from symdemo.ui import teach_away, teach_handlers, teach_panels, teach_versions
from symdemo.ui.teach_away import Parcel, Parcels
from symdemo.ui.teach_handlers import BASE
from symdemo.ui.teach_results import judge_rows
from symdemo.ui.teach_show import AWAY, LIGHT, WORK, Page, Values
from symdemo.ui.teach_widgets import has_login

DOWNLOAD = """(file) => {
  if (!file) return;
  const link = document.createElement("a");
  Object.assign(link, {href: file.url, download: file.orig_name});
  document.body.append(link);
  link.click();
  link.remove();
}"""
"""Downloads what was packed, so that one press is enough."""

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
        if not other:
            return {w.compared: ""}
        shelf = teach_handlers.shelf(sessions, id)
        chosen = [None if one == BASE else one for one in (version, other)]
        chosen = [*dict.fromkeys([*(one for one in chosen if one), None])]  # the base comes last
        results = judge_rows(sessions, id, shelf, chosen)
        return {w.compared: teach_versions.compare_panel(shelf, chosen, results)}

    def judged(_visit, id) -> Values:
        shelf = teach_handlers.shelf(sessions, id)
        results = judge_rows(sessions, id, shelf, [shelf.selected, None])
        return {w.every_row: teach_versions.results_panel(results)}

    def on(place, function, inputs, **more) -> None:
        outputs = [*page.shelf, w.version_problem]
        place(page.guarded(w.version_problem, function), inputs, outputs, **LIGHT, **more)

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
        show_progress_on=w.compared,
        **WORK,
    )
    w.judge.click(
        page.guarded(w.judge_problem, judged),
        page.project,
        [w.judge_problem, w.every_row],
        show_progress_on=w.judge_problem,
        **WORK,
    )


def connect_away(page: Page) -> None:
    """Connect downloads, archives and the hub."""
    _connect_downloads(page)
    _connect_key(page)
    _connect_projects(page)
    _connect_push(page)


def _connect_downloads(page: Page) -> None:
    w, sessions, parcels = page.w, page.sessions, Parcels()

    def packer(what: str, file: gr.DownloadButton, pack: Callable[[str], Parcel]):
        def packed(_visit, id) -> Values:
            parcel = pack(id)
            said = f"{what} ({parcel.size}) is on its way to your downloads."
            return {file: parcel.path, w.download_said: teach_panels.said_panel(said)}

        return packed

    def project(id: str) -> Parcel:
        return teach_away.save_project(sessions, parcels, id)

    def version(id: str) -> Parcel:
        selected = teach_handlers.shelf(sessions, id).selected
        return teach_away.save_model(sessions, parcels, id, selected)

    for button, what, file, pack in (
        (w.save_project, "The project", w.project_file, project),
        (w.save_model, "The version", w.model_file, version),
    ):
        button.click(lambda: None, None, file, **LIGHT).then(
            page.guarded(w.download_said, packer(what, file, pack)),
            page.project,
            [w.download_said, file],
            show_progress_on=w.download_said,
            **AWAY,
        ).then(None, file, None, js=DOWNLOAD)


def _connect_key(page: Page) -> None:
    w, sessions = page.w, page.sessions

    def shown(_visit, id) -> Values:
        key = teach_away.key(sessions, id)
        return {w.key: gr.Textbox(key, visible=True)}

    w.show_key.click(
        page.guarded(w.key_problem, shown), page.project, [w.key_problem, w.key], **LIGHT
    )


def _connect_projects(page: Page) -> None:
    w, sessions, told = page.w, page.sessions, teach_panels.said_panel

    def opened(visit, sure, _id, path) -> Values:
        if not sure:
            return {}
        new = teach_away.open_project(sessions, path)
        sessions.leave(visit)
        return page.all_now(new) | {w.open_said: told("The project is open."), w.archive: None}

    def begun(visit, sure, _id) -> Values:
        if not sure:
            return {}
        sessions.leave(visit)
        return page.all_now("") | {w.open_said: told("This is an empty project.")}

    def deleted(visit, sure, id) -> Values:
        if not sure:
            return {}
        teach_handlers.remove(sessions, id)
        sessions.leave(visit)
        said = "The project is deleted, with its rows and all its versions."
        return page.all_now("") | {w.open_said: told(said)}

    inputs = [w.sure, page.project]
    outputs = [*page.everything, w.archive, w.open_said]
    w.open_archive.click(
        page.guarded(w.open_said, opened),
        [*inputs, w.archive],
        outputs,
        js=ask_first("Open it in place of the project in this browser?"),
        show_progress_on=w.open_said,
        **AWAY,
    )
    for button, function, question in (
        (w.begin_anew, begun, ANEW),
        (w.delete_all, deleted, DELETE),
    ):
        button.click(
            page.guarded(w.open_said, function), inputs, outputs, js=ask_first(question), **LIGHT
        )


def _connect_push(page: Page) -> None:
    w, sessions = page.w, page.sessions

    def push(_visit, id, repository, token, private) -> Values:
        selected = teach_handlers.shelf(sessions, id).selected
        address = teach_away.push(sessions, id, selected, repository, token, bool(private))
        said = f"The version is at {address} now."
        return {w.token: "", w.push_said: teach_panels.said_panel(said)}

    run = page.guarded(w.push_said, push)

    def signed_in(request: gr.Request, oauth: gr.OAuthToken | None, id, repository, token, private):
        """The token of the visitor's own sign-in, where none was typed."""
        return run(request, id, repository, token or (oauth.token if oauth else ""), private)

    w.push.click(
        signed_in if has_login() else run,
        [page.project, w.repository, w.token, w.private],
        [w.push_said, w.token],
        show_progress_on=w.push_said,
        **AWAY,
    )
