"""The Teach tab: results of handlers as new values of its components."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import gradio as gr

from symdemo.errors import SymdemoError
from symdemo.jobs.state import JobView
from symdemo.teaching.project_files import RowTable, is_project_id
from symdemo.text import shorten
from symdemo.ui.shared.events import (
    QUICK_EVENT,
    TEACH_EVENT,
    TRANSFER_EVENT,
    Problem,
    Updates,
    attempt,
    guarded,
    problem_panel,
)
from symdemo.ui.shared.figures import plot_data
from symdemo.ui.shared.html import draw
from symdemo.ui.shared.sessions import NO_PROJECT, Sessions
from symdemo.ui.shared.visitor import Visitor
from symdemo.ui.teach.grid import RowsView, encode, load_rows
from symdemo.ui.teach.panels import (
    changes_panel,
    draw_curves,
    gain,
    job_panel,
    message_panel,
    report_panel,
)
from symdemo.ui.teach.training import find_training
from symdemo.ui.teach.versions import BASE, VersionList, list_versions

if TYPE_CHECKING:
    from symdemo.classifier.card import ModelCard

SHOWN_LOG = 12
STOP = "Stop and keep"
STOP_MEASURING = "Skip the check"


@dataclass(frozen=True)
class Page:
    """The components of the tab by name, and the visitor.

    The methods return values by component, for the outputs of the same name.
    """

    w: SimpleNamespace
    visitor: Visitor

    @property
    def sessions(self) -> Sessions:
        """The projects and jobs of all visitors."""
        return self.visitor.sessions

    @property
    def project(self) -> gr.BrowserState:
        """The component that keeps the visitor’s project id."""
        return self.visitor.project

    @property
    def row_outputs(self) -> list[Any]:
        """Outputs of `show_rows`, apart from its `place`, and of `show_lost`."""
        w = self.w
        return [
            self.project, w.grid, w.whole, w.report, w.merged, w.read_as, w.rows_message,
            w.problem, w.lost_box, w.lost_text,
        ]  # fmt: skip

    @property
    def version_outputs(self) -> list[Any]:
        """Outputs of `show_versions`."""
        w = self.w
        return [
            w.changes, w.curve_box, w.curve, w.no_version, w.version_box, w.version, w.other,
            w.compared, w.new_name, w.rename, w.delete, w.undo, w.settings["base"],
            self.visitor.chosen,
        ]  # fmt: skip

    @property
    def job_outputs(self) -> list[Any]:
        """Outputs of `show_job`."""
        w = self.w
        return [
            w.job, w.seen, w.job_box, w.job_text, w.job_more, w.job_curve, w.job_log, w.stop,
            w.timer,
        ]  # fmt: skip

    def on(
        self,
        event: Callable[..., Any],
        place: gr.HTML,
        function: Callable[..., Updates],
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        kind: dict[str, Any] = QUICK_EVENT,
        quiet: bool = False,
        **options: Any,
    ) -> Any:
        """Connect an event, such as `button.click`; problems are shown in `place`."""
        long = kind in (TEACH_EVENT, TRANSFER_EVENT)
        run = guarded(place, function, quiet=quiet, long=long)
        options |= {"show_progress_on": place} | options if long else {}
        outputs = list(dict.fromkeys([*outputs, place]))
        return event(run, list(inputs), outputs, **kind, **options)

    def show_rows(self, view: RowsView, id: str, place: gr.HTML | None = None) -> Updates:
        """Show the rows and their report; the message goes to `place`."""
        w = self.w
        values: Updates = {
            w.grid: encode(view.table, view.whole, answers=view.answers),
            w.whole: view.whole,
            w.report: report_panel(view),
            w.problem: "",
            w.lost_box: gr.Column(visible=False),
        }
        if view.merged:
            values[w.merged] = message_panel("", view.merged)
        if view.read_as:
            values[w.read_as] = message_panel(read_as(view.read_as))
        if place is not None:
            values[place] = message_panel(view.message, view.notes)
        if view.project != id:
            values[self.project] = view.project or NO_PROJECT
        return values

    def show_lost(self, error: SymdemoError, id: object) -> Updates:
        """Show that the project of this browser cannot be opened; its key is kept."""
        key = id if is_project_id(id) else ""  # it is worth keeping
        lost = draw("teach/lost.html", message=str(error), key=key)
        return {self.w.lost_box: gr.Column(visible=True), self.w.lost_text: lost}

    def show_versions(self, listed: VersionList) -> Updates:
        """Show everything that depends on the versions and the one in use."""
        w, current = self.w, listed.current
        curve = draw_curves(current.curve) if current else None
        newest_first = listed.versions[::-1]
        base = (listed.name(None), BASE)
        names = [*((v.name, v.id) for v in newest_first), base]
        gains = [*((f"{v.name}: {gain(v)}", v.id) for v in newest_first), base]
        starts, usual = start_choices(listed, self.sessions.store.cards())
        return {
            w.changes: changes_panel(listed),
            w.curve_box: gr.Accordion(visible=curve is not None),
            w.curve: plot_data(curve) if curve else gr.skip(),
            w.no_version: gr.HTML(visible=not listed.versions),
            w.version_box: gr.Column(visible=bool(listed.versions)),
            w.version: gr.Radio(gains, value=listed.selected or BASE),
            w.other: gr.Dropdown([("–", ""), *names], value=""),
            w.compared: "",
            w.new_name: gr.update(value="", visible=current is not None),
            w.rename: gr.update(visible=current is not None),
            w.delete: gr.update(visible=current is not None),
            w.undo: gr.update(visible=listed.undoable),
            w.settings["base"]: gr.Dropdown(starts, value=usual),
            self.visitor.chosen: _fingerprint(listed),
        }

    def show_job(self, view: JobView | None, seen: str = "") -> Updates:
        """Show a training; its curve and log only if they changed since the stamp `seen`."""
        w = self.w
        if view is None:
            off = gr.Timer(active=False)
            return {w.job: "", w.seen: "", w.job_box: gr.Column(visible=False), w.timer: off}
        alive = not view.finished
        step = view.events[-1].get("step", 0) if view.events else 0
        stamp = f"{view.id} {view.state} {step} {len(view.log)} {view.measures}"
        values: Updates = {
            w.job: view.id,
            w.seen: stamp,
            w.job_text: job_panel(view),
            w.timer: gr.Timer(active=alive),
        }
        if stamp != seen:
            curve = draw_curves(view.events) if alive else None
            values |= {
                w.job_box: gr.Column(visible=True),
                w.job_more: gr.Accordion(visible=bool(curve or view.log)),
                w.job_log: draw("teach/log.html", lines=view.log[-SHOWN_LOG:]),
                w.stop: gr.Button(
                    STOP_MEASURING if view.measures or view.state == "stopping" else STOP,
                    visible=bool(view.id) and alive and not view.cut,
                ),
                w.job_curve: gr.Plot(plot_data(curve), visible=True)
                if curve
                else gr.Plot(visible=False),
            }
        return values

    def open(self, id: str) -> Updates:
        """Show the project that the browser keeps, if any, or why it cannot be opened."""
        if not id or id == NO_PROJECT:
            return {}
        try:
            self.sessions.find_own(id)
        except SymdemoError as error:
            return self.show_lost(error, id)
        return self.show_project(id)

    def show_project(self, id: str) -> Updates:
        """Show rows, versions and training of a project, as after opening the page.

        A damaged part is reported and does not hide the others.

        Raises:
            InputError: the project cannot be opened at all.
        """
        w, sessions = self.w, self.sessions
        project = sessions.find(id)
        values: dict[Any, Any] = dict.fromkeys(self.messages, "")
        values |= {
            self.project: project.id if project else NO_PROJECT,
            w.grid: encode(RowTable()),
            w.lost_box: gr.Column(visible=False),
            w.plan_box: gr.Column(visible=False),
            w.plan: None,
            w.key: gr.Textbox("", visible=False),
        }
        repaired = attempt(project.repair) if project else []
        problems = [repaired.message] if isinstance(repaired, Problem) else repaired
        for part in (
            lambda: self.show_rows(load_rows(sessions, id), id),
            lambda: self.show_versions(list_versions(sessions, id)),
            lambda: self.show_job(find_training(sessions, id)),
        ):
            found = attempt(part)
            if isinstance(found, Problem):
                problems.append(found.message)
            else:
                values |= found
        if problems:
            values[w.problem] = problem_panel(Problem(" ".join(dict.fromkeys(problems))))
        return values

    @property
    def messages(self) -> list[Any]:
        """Places for messages."""
        w = self.w
        return [
            w.merged, w.read_as, w.rows_message, w.import_message, w.teach_problem,
            w.retrain_problem, w.plan_problem, w.job_problem, w.version_problem,
            w.download_message, w.key_problem, w.push_message,
        ]  # fmt: skip

    @property
    def everything(self) -> list[Any]:
        """Outputs of `show_project`."""
        w = self.w
        more = [w.plan_box, w.plan, w.key]
        return list(
            dict.fromkeys(
                [*self.row_outputs, *self.version_outputs, *self.job_outputs, *more, *self.messages]
            )
        )


def start_choices(
    listed: VersionList, cards: Mapping[str, ModelCard]
) -> tuple[list[tuple[str, str]], str | None]:
    """Return what a retraining can start from, as (title, name), and the default."""
    versions = [
        (f"{version.name} (in use)" if version.id == listed.selected else version.name, version.id)
        for version in reversed(listed.versions)
    ]
    built_in = [(f"{name} (built in): {card.summary}", name) for name, card in cards.items()]
    usual = listed.selected or listed.base
    known = [name for _, name in (*versions, *built_in)]
    return [*versions, *built_in], usual if usual in known else next(iter(cards), None)


def read_as(words: Sequence[tuple[str, str]]) -> str:
    """Describe which words were read as labels."""
    listed = [f"“{shorten(word, 20)}” as {label}" for word, label in words[:4]]
    return f"Read {', '.join(listed)}." if listed else ""


def _fingerprint(listed: VersionList) -> str:
    """Return a value that changes with the versions, so that other tabs notice."""
    names = "\n".join(f"{version.id} {version.name}" for version in listed.versions)
    return sha256(f"{listed.project}\n{listed.selected}\n{names}".encode()).hexdigest()
