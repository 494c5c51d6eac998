"""The Teach tab: how its events are connected, and results as new values of its components."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import chain, count
from types import SimpleNamespace
from typing import Any

import gradio as gr
from markupsafe import Markup

from symdemo.classifier.card import ModelCard
from symdemo.errors import SymdemoError
from symdemo.jobs.state import JobView
from symdemo.teaching.project_files import RowTable, is_project_id
from symdemo.teaching.rows import BLOCKING
from symdemo.text import shorten
from symdemo.ui.shared import events
from symdemo.ui.shared.events import Problem, Updates, attempt, guarded, problem_panel
from symdemo.ui.shared.figures import plot_data
from symdemo.ui.shared.html import draw
from symdemo.ui.shared.sessions import NO_PROJECT, LostProjectError, Sessions
from symdemo.ui.shared.visitor import Visitor
from symdemo.ui.teach import versions
from symdemo.ui.teach.grid import RowsEdit, RowsView, decode, encode, load_rows
from symdemo.ui.teach.training import find_training
from symdemo.ui.teach.versions import BASE, VersionList, list_versions

SHOWN_LOG = 12
STOP = "Stop and keep"
STOP_MEASURING = "Skip the check"
_numbers = count()


@dataclass(frozen=True)
class Page:
    """The components of the tab by name; the methods `show_…` return values by component."""

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

    @cached_property
    def outputs(self) -> list[Any]:
        """All components that an event may change; it sends values only of those that it does."""
        named = vars(self.w).values()
        groups = (one.values() if isinstance(one, dict) else (one,) for one in named)
        return [self.project, self.visitor.chosen, *chain.from_iterable(groups)]

    @property
    def row_outputs(self) -> list[Any]:
        """All that `show_rows` and `show_lost` may change."""
        w = self.w
        return [
            self.project, w.grid, w.whole, w.report, w.merged, w.read_as, w.problem, w.lost_box,
            w.lost_text,
        ]  # fmt: skip

    @property
    def job_outputs(self) -> list[Any]:
        """All that `show_job` and `show_versions` may change."""
        w = self.w
        return [
            w.job, w.seen, w.job_box, w.job_text, w.job_more, w.job_curve, w.job_log, w.stop,
            w.timer, w.changes, w.curve_box, w.curve, w.no_version, w.version_box, w.version,
            w.other, w.compared, w.new_name, w.rename, w.delete, w.undo, w.settings["base"],
            self.visitor.chosen,
        ]  # fmt: skip

    def on(
        self,
        event: Callable[..., Any],
        place: gr.HTML,
        function: Callable[..., Updates],
        inputs: Sequence[Any] = (),
        kind: dict[str, Any] = events.QUICK,
        quiet: bool = False,
        ask: str = "",
        outputs: Sequence[Any] | None = None,
        **options: Any,
    ) -> Any:
        """Connect an event, such as `button.click`.

        `function` is called with the name of the open page, the id of its project, and the values
        of `inputs`; if `ask` is a question, only after a yes. Problems, and the progress of long
        events, are shown in `place`. `kind` has the options of all such events, and `options` more.
        An event that happens often names its `outputs`, as each costs time; others may change all.
        """
        given = [self.project, *inputs]
        if ask:
            given = [self.w.sure, *given]  # a hidden box that takes the answer
            options["js"] = f"(...values) => window.symdemo.askFirst({ask!r}, ...values)"

        def answered(visit, sure, *values) -> Updates:
            return function(visit, *values) if sure else {}

        long = kind in (events.TEACH, events.TRANSFER)
        options |= {"show_progress_on": place} if long else {}
        run = guarded(place, answered if ask else function, quiet=quiet, long=long)
        shown = self.outputs if outputs is None else [*outputs, place]
        return event(run, given, list(dict.fromkeys(shown)), **kind, **options)

    def on_change(
        self,
        event: Callable[..., Any],
        place: gr.HTML,
        change: Callable[..., RowsView],
        inputs: Sequence[Any] = (),
        also: Callable[[RowsView], Updates] | None = None,
        **options: Any,
    ) -> None:
        """Connect an event that changes the rows.

        `change` is called with the `RowsEdit` and the values of `inputs`; `place` shows its
        message, and `also` returns further updates.
        """

        def changed(visit, id, grid, *values) -> Updates:
            try:
                view = change(RowsEdit(self.sessions, id, visit, decode(grid)), *values)
            except LostProjectError as error:
                return self.show_lost(error, id)
            said = {place: message_panel(view.message, view.notes)}
            return self.show_rows(view, id) | said | (also(view) if also else {})

        shown = None if also else self.row_outputs
        values = [self.w.grid, *inputs]
        self.on(event, place, changed, values, events.ROWS, outputs=shown, **options)

    def show_rows(self, view: RowsView, id: str) -> Updates:
        """Show the rows and their report."""
        w = self.w
        values: Updates = {
            w.grid: encode(view.table, view.whole, view.answers),
            w.whole: view.whole,
            w.report: report_panel(view),
            w.problem: "",
            w.lost_box: gr.Column(visible=False),
        }
        if view.merged:
            values[w.merged] = message_panel("", view.merged)
        if view.read_as:
            words = [f"“{shorten(word, 20)}” as {label}" for word, label in view.read_as[:4]]
            values[w.read_as] = message_panel(f"Read {', '.join(words)}.")
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
        curve = versions.draw_curves(current.curve) if current else None
        newest_first = listed.versions[::-1]
        base = (listed.name(None), BASE)
        names = [*((v.name, v.id) for v in newest_first), base]
        gains = [*((f"{v.name}: {versions.gain(v)}", v.id) for v in newest_first), base]
        starts, usual = start_choices(listed, self.sessions.store.cards())
        stamp = [
            f"{listed.project}\n{listed.selected}",
            *(f"{v.id} {v.name}" for v in newest_first),
        ]
        own = gr.update(visible=current is not None)
        return {
            w.changes: versions.changes_panel(listed),
            w.curve_box: gr.Accordion(visible=curve is not None),
            w.curve: plot_data(curve) if curve else gr.skip(),
            w.no_version: gr.HTML(visible=not listed.versions),
            w.version_box: gr.Column(visible=bool(listed.versions)),
            w.version: gr.Radio(gains, value=listed.selected or BASE),
            w.other: gr.Dropdown([("–", ""), *names], value=""),
            w.compared: "",
            w.new_name: own | {"value": ""},
            w.rename: own,
            w.delete: own,
            w.undo: gr.update(visible=listed.undoable),
            w.settings["base"]: gr.Dropdown(starts, value=usual),
            # Other tabs notice when it changes.
            self.visitor.chosen: sha256("\n".join(stamp).encode()).hexdigest(),
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
            w.job_text: draw("teach/job.html", view=view),
            w.timer: gr.Timer(active=alive),
        }
        if stamp == seen:
            return values
        curve = versions.draw_curves(view.events) if alive else None
        drawn: dict[str, Any] = {"value": plot_data(curve)} if curve else {}
        ends = view.measures or view.state == "stopping"
        return values | {
            w.job_box: gr.Column(visible=True),
            w.job_more: gr.Accordion(visible=bool(curve or view.log)),
            w.job_log: draw("teach/log.html", lines=view.log[-SHOWN_LOG:]),
            w.stop: gr.Button(
                STOP_MEASURING if ends else STOP, visible=bool(view.id) and alive and not view.cut
            ),
            w.job_curve: gr.update(visible=curve is not None, **drawn),
        }

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
        """Show rows, versions and training of a project; `InputError` if it cannot be opened.

        A damaged part is reported and does not hide the others.
        """
        w, sessions = self.w, self.sessions
        project = sessions.find(id)
        values: Updates = {
            **{one: "" for one in self.outputs if "may-be-empty" in one.elem_classes},
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


def report_panel(view: RowsView | None) -> Markup:
    """Draw how many rows there are of what, and what to fix."""
    wrong = BLOCKING - {"unfinished"}  # a cell that is still empty is no mistake
    return draw("teach/report.html", view=view, wrong=wrong)


def message_panel(message: str, notes: Sequence[str] = ()) -> str:
    """Draw a message and the lines that could not be read; it stays until it is closed."""
    if not message and not notes:
        return ""
    return draw("teach/message.html", message=message, lines=notes, number=next(_numbers))


def start_choices(
    listed: VersionList, cards: Mapping[str, ModelCard]
) -> tuple[list[tuple[str, str]], str | None]:
    """Return what a retraining can start from, as (title, name), and the default."""
    choices = [
        (f"{version.name} (in use)" if version.id == listed.selected else version.name, version.id)
        for version in reversed(listed.versions)
    ]
    choices += [(f"{name} (built in): {card.summary}", name) for name, card in cards.items()]
    usual = listed.selected or listed.base
    known = [name for _, name in choices]
    return choices, usual if usual in known else next(iter(cards), None)
