"""The tab “Teach”: what a handler found, as new values of the components that show it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import gradio as gr

from symdemo.pairs import shorten
from symdemo.teaching.job_state import JobView
from symdemo.ui import teach_changes, teach_handlers, teach_panels, teach_versions
from symdemo.ui.figures import plot_data
from symdemo.ui.panels import problem_panel
from symdemo.ui.teach_figures import draw_curves
from symdemo.ui.teach_grid import encode
from symdemo.ui.teach_handlers import BASE, Shelf
from symdemo.ui.teach_rows import Desk
from symdemo.ui.teach_sessions import TeachSessions
from symdemo.ui.teach_widgets import Visitor, Widgets
from symdemo.ui.try_events import HEAVY
from symdemo.ui.try_handlers import Problem, attempt

if TYPE_CHECKING:
    from symdemo.cards import ModelCard

LIGHT: dict[str, Any] = {"queue": False, "api_visibility": "private", "show_progress": "hidden"}
WORK: dict[str, Any] = HEAVY | {"api_visibility": "private"}
AWAY: dict[str, Any] = {
    "concurrency_id": "away",
    "concurrency_limit": 2,
    "api_visibility": "private",
}
"""For what waits for a disk or for the hub: nobody who asks a model has to wait behind it."""

STOP = "Stop and keep the best so far"
STOP_MEASURING = "Stop now, without measuring"

Values = dict[Any, Any]
"""Component → its new value; what is left out stays as it is."""


@dataclass(frozen=True)
class Page:
    """The tab as drawn, and the visitor that all its events are for."""

    w: Widgets
    visitor: Visitor

    @property
    def sessions(self) -> TeachSessions:
        """The projects and jobs of all visitors."""
        return self.visitor.sessions

    @property
    def project(self) -> gr.BrowserState:
        """The component that holds the visitor’s project id."""
        return self.visitor.project

    @property
    def table(self) -> list[Any]:
        """What a change of the rows writes."""
        w = self.w
        return [
            self.project, w.grid, w.whole, w.report, w.merged, w.read_as, w.said, w.problem,
        ]  # fmt: skip

    @property
    def shelf(self) -> list[Any]:
        """What a change of the versions writes."""
        w = self.w
        return [
            w.changes, w.curve_box, w.curve, w.versions, w.version_box, w.version, w.other,
            w.compared, w.judge_box, w.every_row, w.new_name, w.settings[1], self.visitor.chosen,
        ]  # fmt: skip

    @property
    def job(self) -> list[Any]:
        """What the progress of a training writes."""
        w = self.w
        return [w.job, w.seen, w.job_box, w.job_text, w.job_curve, w.job_log, w.stop, w.timer]

    def guarded(
        self, place: gr.HTML, function: Callable[..., Values], quiet: bool = False
    ) -> Callable[[gr.Request, Any], Values]:
        """An event's function: what `function(visit, …)` gives, or the problem in its place.

        `visit` names the open page. A message in the place stays until the next press there: what
        happens by itself, which is `quiet`, leaves it where it went well.
        """

        def run(request: gr.Request, *inputs: Any) -> Values:
            visit = getattr(request, "session_hash", None)
            found = attempt(function, visit, *inputs)
            if isinstance(found, Problem):
                return {place: problem_panel(found)}
            return found if quiet else {place: ""} | found

        return run

    def show_desk(self, desk: Desk, id: str, place: gr.HTML | None = None) -> Values:
        """The rows and the report on them; what was done is said in `place`."""
        w = self.w
        values: Values = {
            w.grid: encode(desk.table, desk.whole, answers=desk.answers),
            w.whole: desk.whole,
            w.report: teach_panels.report_panel(desk),
            w.problem: "",
        }
        if desk.merged:
            values[w.merged] = teach_panels.said_panel("", desk.merged)
        if desk.read_as:
            values[w.read_as] = teach_panels.said_panel(read_as(desk.read_as))
        if place is not None:
            values[place] = teach_panels.said_panel(desk.said, desk.notes)
        if desk.project != id:
            values[self.project] = desk.project
        return values

    def show_shelf(self, shelf: Shelf) -> Values:
        """Everything that depends on the versions and on which of them is in use."""
        w, current = self.w, shelf.current
        curve = draw_curves(current.curve) if current else None
        choices = [(shelf.name(v.id), v.id) for v in reversed(shelf.versions)]
        with_base = [*choices, (shelf.name(None), BASE)]
        starts, usual = start_choices(shelf, self.sessions.store.cards())
        return {
            w.changes: teach_changes.changes_panel(shelf),
            w.curve_box: gr.Accordion(visible=curve is not None),
            w.curve: plot_data(curve) if curve else gr.skip(),
            w.versions: teach_versions.versions_panel(shelf),
            w.version_box: gr.Column(visible=bool(shelf.versions)),
            w.version: gr.Dropdown(with_base, value=shelf.selected or BASE),
            w.other: gr.Dropdown([("–", ""), *with_base], value=""),
            w.compared: "",
            w.judge_box: gr.Column(visible=bool(shelf.versions)),
            w.every_row: "",
            w.new_name: "",
            w.settings[1]: gr.Dropdown(starts, value=usual),
            self.visitor.chosen: _fingerprint(shelf),
        }

    def show_job(self, view: JobView | None, seen: str = "") -> Values:
        """How a training stands; its curve and its log only where they changed.

        Where it has just ended, the versions are to be shown anew: that is the caller's part.
        """
        w = self.w
        if view is None:
            return {w.job: "", w.seen: "", w.job_box: gr.Column(visible=False), w.timer: _off()}
        alive = not view.finished
        stamp = f"{view.id} {view.state} {_last_step(view)} {len(view.log)} {view.measures}"
        values: Values = {
            w.job: view.id,
            w.seen: stamp,
            w.job_text: teach_panels.job_panel(view),
            w.timer: gr.Timer(active=alive),
        }
        if stamp != seen:
            curve = draw_curves(view.events) if alive else None
            values |= {
                w.job_box: gr.Column(visible=True),
                w.job_log: teach_panels.log_panel(view),
                w.stop: gr.Button(
                    STOP_MEASURING if view.measures or view.state == "stopping" else STOP,
                    visible=alive and not view.cut,
                ),
                w.job_curve: gr.Plot(plot_data(curve), visible=True)
                if curve
                else gr.Plot(visible=False),
            }
        return values

    def shelf_now(self, id: str) -> Values:
        """The versions of a project as they are now."""
        return self.show_shelf(teach_handlers.shelf(self.sessions, id))

    def all_now(self, id: str) -> Values:
        """Rows, versions and training of a project, as after opening the page."""
        from symdemo.ui import teach_rows

        w = self.w
        desk = teach_rows.load(self.sessions, id)
        values = self.show_desk(desk, "") | self.shelf_now(id)
        values |= self.show_job(teach_handlers.job(self.sessions, id))
        values[self.project] = desk.project
        values |= {
            w.suggestions_box: gr.Column(visible=False),
            w.plan_box: gr.Column(visible=False),
            w.plan: None,
            w.key: gr.Textbox("", visible=False),
        }
        return values | dict.fromkeys(self.messages, "")

    @property
    def messages(self) -> list[Any]:
        """Where something is said about a press."""
        w = self.w
        return [
            w.merged, w.read_as, w.said, w.paste_said, w.file_said, w.example_said,
            w.teach_problem, w.plan_problem, w.job_problem, w.judge_problem, w.version_problem,
            w.download_said, w.key_problem, w.push_said,
        ]  # fmt: skip

    @property
    def everything(self) -> list[Any]:
        """What `all_now` writes."""
        w = self.w
        more = [w.suggestions_box, w.plan_box, w.plan, w.key]
        return list(dict.fromkeys([*self.table, *self.shelf, *self.job, *more, *self.messages]))


def start_choices(
    shelf: Shelf, cards: Mapping[str, ModelCard]
) -> tuple[list[tuple[str, str]], str | None]:
    """What a retraining can start from, as (what to call it, its name), and the usual choice."""
    versions = [
        (f"{version.name} (in use)" if version.id == shelf.selected else version.name, version.id)
        for version in reversed(shelf.versions)
    ]
    built_in = [(f"{name} (built in): {card.summary}", name) for name, card in cards.items()]
    usual = shelf.selected or shelf.base
    known = [name for _, name in (*versions, *built_in)]
    return [*versions, *built_in], usual if usual in known else next(iter(cards), None)


def read_as(words: Sequence[tuple[str, str]]) -> str:
    """That some words were read as labels, in a sentence."""
    listed = [f"“{shorten(word, 20)}” as {label}" for word, label in words[:4]]
    return f"Read {', '.join(listed)}." if listed else ""


def _fingerprint(shelf: Shelf) -> str:
    names = "\n".join(f"{version.id} {version.name}" for version in shelf.versions)
    return sha256(f"{shelf.project}\n{shelf.selected}\n{names}".encode()).hexdigest()


def _last_step(view: JobView) -> int:
    return view.events[-1].get("step", 0) if view.events else 0


def _off() -> gr.Timer:
    return gr.Timer(active=False)
