"""The server side of the explorer: a view comes in, the parts it touches go out as HTML."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial, wraps
from typing import Any

from symdemo.analysis.built_in import load_built_in
from symdemo.analysis.workspace import READING, Kept, Workspace
from symdemo.errors import InputError
from symdemo.files.storage import plain
from symdemo.pairs import Pair
from symdemo.text import tidy_text
from symdemo.ui.analyse.computed import compute, map_panel, suggestions_panel
from symdemo.ui.analyse.detail import detail_panel, read_counterfactual, variants_panel, words_panel
from symdemo.ui.analyse.export import export
from symdemo.ui.analyse.overview import overview_panel
from symdemo.ui.analyse.rows import filter_panel, range_condition, rows_panel, slices_panel
from symdemo.ui.analyse.service import AnalyseService, NotComputedError
from symdemo.ui.analyse.view import MAX_STATE, NEAREST, ShownRows, View, coordinate_names, read_view
from symdemo.ui.shared.events import Problem, attempt, bounded
from symdemo.ui.shared.html import draw

Answer = dict[str, Any]
MAX_SENTENCE = 300  # characters of a sentence to which the nearest rows are found
MOST_TAUGHT = 200  # rows that go to “Teach” in one press
_POLL, _SOON = 1_500, 1_200
"""Milliseconds until the page asks again, while models run and while a part is computed."""


class Explorer:
    """Answers the page's script with JSON; errors are answers as well."""

    def __init__(self, service: AnalyseService):
        self.service = service

    def analyse_look(self, body: Any) -> Answer:
        """Draw the parts that a view shows, or those named in “parts”."""
        return _answer(body, lambda sent: self._request(sent, ExplorerRequest.look_at_parts))

    def analyse_act(self, body: Any) -> Answer:
        """Do what “action” says, and answer as `analyse_look` with what changed."""
        return _answer(body, lambda sent: self._request(sent, ExplorerRequest.act))

    def analyse_open(self, body: Any) -> Answer:
        """Open the built-in set or the analysis that a link names."""
        return _answer(body, self._open)

    def functions(self) -> list[Callable[[Any], Answer]]:
        """Return these methods as objects on which Gradio can set attributes."""
        methods = (self.analyse_look, self.analyse_act, self.analyse_open)
        return [wraps(one)(partial(one)) for one in methods]

    def _request(self, sent: Answer, method: Callable[[ExplorerRequest], Answer]) -> Answer:
        view, action = read_view(sent.get("view")), sent.get("action")
        try:
            workspace = self.service.open(view.analysis)
        except InputError as error:
            return {"gone": True, "problem": str(error)}
        action = action if isinstance(action, dict) else {}
        return method(ExplorerRequest(self.service, workspace, view, sent.get("parts"), action))

    def _open(self, sent: Answer) -> Answer:
        shared = str(sent.get("shared") or "")
        if shared.startswith(READING):
            self.service.open(shared)  # raises if it is gone
            return {"analysis": shared}
        name, _, models = shared.partition(":")
        if name == "file":
            raise InputError(
                "This address is about a file that only the browser it was made in has. Upload the "
                "file here to see it, or ask for the link that “Copy link” makes."
            )
        names = [model for model in models.split(",") if model]
        return {"analysis": self.service.start(lambda reports: load_built_in(name), names).id}


def _answer(body: Any, function: Callable[[Answer], Answer]) -> Answer:
    """Answer the JSON object that the page's script sent, without its NaN and infinities."""

    def run() -> Answer:
        try:
            sent = plain(json.loads(body)) if len(body) <= 2 * MAX_STATE else None
        except (TypeError, ValueError, RecursionError):
            sent = None
        if not isinstance(sent, dict):
            raise InputError("The page’s request could not be read; open the page again.")
        return function(sent)

    found = bounded(run)
    return {"problem": found.message} if isinstance(found, Problem) else found


@dataclass(frozen=True)
class ExplorerRequest:
    """One look at a workspace, or one action on it; each method raises `InputError`."""

    service: AnalyseService
    workspace: Workspace
    view: View
    parts: Any
    action: Answer

    def shown(self) -> ShownRows:
        """Apply the view; `InputError` if no model has answered yet."""
        opened = self.service.opened(self.workspace)
        if opened is None:
            raise InputError("No model has answered yet; wait for the first.")
        return ShownRows.of(opened, self.view)

    def look_at_parts(self) -> Answer:
        """Draw the parts that were named, or all."""
        if not isinstance(self.parts, list):
            return self.look()
        if not self.parts:  # the page is hidden, and only keeps its workspace in use
            return {"again": 2 * _POLL}
        shown, drawing = self.shown(), {"words": words_panel, "variants": variants_panel}
        names = [name for name in drawing if name in self.parts]
        return {"parts": {name: drawing[name](shown) for name in names}}

    def look(self, view: View | None = None) -> Answer:
        """Draw all parts but those that query models."""
        view, workspace = view or self.view, self.workspace
        opened = attempt(self.service.opened, workspace)
        if isinstance(opened, Problem):
            return {"problem": opened.message}
        job = self.service.job(workspace)
        shown = ShownRows.of(opened, view) if opened else None
        view = shown.view if shown else view
        values = {"workspace": workspace, "job": job, "opened": opened, "view": view}
        parts: Answer = {"job": draw("analyse/job.html", **values), "head": ""}
        found: Answer = {"parts": parts, "again": None, "shared": ""}
        if job is not None and not job.finished:
            found["again"] = _POLL
        if workspace.loaded:
            # Somebody may copy the address without meaning to share the data: leave the key out.
            found["shared"] = view.analysis if view.reads_only else _link_name(workspace)
            parts["head"] = draw("analyse/head.html", **values)
        if shown is None:
            return found | {"parts": parts | dict.fromkeys(("filters", "main", *_UNDER), "")}
        kept = ("model", "versus", "row", "pinned")
        found["view"] = {name: getattr(view, name) for name in kept}
        missing = attempt(shown.missing)
        parts["rescue"] = draw("analyse/rescue.html") if isinstance(missing, Problem) else ""
        if isinstance(missing, Problem):  # say so, and keep the rest
            return found | {"problem": missing.message}
        if missing is not None:
            return found | self._compute(shown, missing)
        parts["filters"] = filter_panel(shown)
        self._draw_main(shown, found)
        if view.row is None:
            return found | {"parts": parts | dict.fromkeys(_UNDER, "")}
        parts["detail"] = detail_panel(shown, view.row)
        return found | {"then": ["variants", "words"]}

    def _draw_main(self, shown: ShownRows, found: Answer) -> None:
        job = None
        match shown.view.part:
            case "overview":
                main, job = overview_panel(shown)
            case "rows":
                main = rows_panel(shown)
            case "slices":
                main, missing = slices_panel(shown)
                if missing is not None:
                    found |= self._compute(shown, missing)
            case "suggestions":
                main, job = suggestions_panel(shown)
            case "map":
                main, found["map"], job = map_panel(shown)
        found["parts"]["main"] = main
        if job is not None and not job.finished:
            found["again"] = _SOON

    def _compute(self, shown: ShownRows, missing: NotComputedError) -> Answer:
        _, job = compute(shown.opened, *missing.key)
        if job is not None and job.finished:
            return {"problem": f"A filter needs something that failed: {job.error}"}
        return {"said": str(missing), "again": _POLL}

    def act(self) -> Answer:
        """Do what the action says; actions that change the workspace are in `_change`."""
        do, given, workspace = self.action.get("do"), self.action.get, self.workspace
        match do:
            case "range":
                found = self._add(
                    range_condition(str(given("column")), given("low"), given("high"))
                )
            case "select":  # an area of the map, in place of the one before
                x, y = coordinate_names(self.view.kind, self.shown().view.model)
                area = {"kind": "inside", "x": x, "y": y, "polygon": given("polygon")}
                found = self._add(area, "inside")
            case "near":  # sort the rows by their distance to a sentence
                text = tidy_text("sentence", given("text"), MAX_SENTENCE)
                sort = self.shown().name(NEAREST + text)
                query = {**self.view.query, "sort": sort, "descending": False}
                found = self._turn({"query": query, "page": 0, "part": "rows"})
            case "teach":
                found = {"teach": self._to_teach()}
            case "teach pair":  # a variant of a row
                kept = read_counterfactual(0, self.action)
                if not kept.expected:
                    raise InputError("Choose what it should be first.")
                found = {"teach": [_taught(kept, kept.expected)]}
            case "export":
                found = {"download": export(self.shown(), given("kind"))}
            case "link":
                found = {"copy": workspace.reading_key if workspace.kept else _link_name(workspace)}
            case "close":
                if not self.view.reads_only:
                    self.service.sessions.delete_analysis(workspace.id)
                found = {"gone": True}
            case _ if self.view.reads_only:
                raise InputError(
                    "This analysis was shared with you to read; only its owner changes it."
                )
            case _:
                found = self._change(do, given)
        return found

    def _change(self, do: Any, given: Callable[[str], Any]) -> Answer:
        """Do what only the owner of the workspace may."""
        workspace, said = self.workspace, None
        match do:
            case "mark":
                rows = self._rows()
                workspace.mark(rows, bool(given("on")))
                said = f"{len(rows):,} rows." if len(rows) > 1 else ""
            case "note":
                workspace.note(self._rows(), given("text"))
                said = "Note saved."
            case "keep slice":
                said = f"Kept as “{self._keep_slice(given('name'))}”, under “Slices”."
            case "drop slice":
                workspace.drop_slice(str(given("name")))
            case "query":  # keep a variant of a row, and query the models about it
                workspace.keep_counterfactual(read_counterfactual(self._row(), self.action))
                return self._variants() | {"said": "Saved with this row."}
            case "drop":  # forget a variant of a row
                row, old = self._row(), given("old")
                if not isinstance(old, list) or len(old) != 2:
                    raise InputError("No pair was named.")
                workspace.drop_counterfactual(Kept(row, "own", str(old[0]), str(old[1]), None))
                return self._variants()
            case "stop":
                self.service.sessions.stop_current(workspace.id, "analysis")
            case "resume":
                self.service.run(workspace)
            case _:
                raise InputError("There is no such action; open the page again.")
        return self.look() | ({} if said is None else {"said": said})

    def _rows(self) -> list[int]:
        if self.action.get("shown"):
            return [int(row) for row in self.shown().rows]
        rows = self.action.get("rows")
        if not isinstance(rows, list) or not all(type(row) is int for row in rows):
            raise InputError("No rows were named.")
        return rows

    def _row(self) -> int:
        row = self.action.get("row")
        if type(row) is not int:
            raise InputError("No row was named.")
        return row

    def _add(self, added: Answer, replaced: str = "") -> Answer:
        old = self.view.query.get("conditions", [])
        kept = [one for one in old if not replaced or one.get("kind") != replaced]
        query = {**self.view.query, "conditions": [*kept, added]}
        return self._turn({"query": query, "page": 0, "adding": ""})

    def _turn(self, changed: Answer) -> Answer:
        """Change the view; if the new one cannot be shown, return the problem and keep the old."""
        found = self.look(replace(self.view, **changed))
        if "problem" in found:  # the page keeps the filters that it has
            return {"problem": found["problem"]}
        return found | {"view": {**found.get("view", {}), **changed}}

    def _keep_slice(self, name: Any) -> str:
        kept = {"query": dict(self.view.query), "text": self.view.text, "regex": self.view.regex}
        if len(json.dumps(kept)) > MAX_STATE // 4:
            raise InputError("These filters are too long to be kept; draw a simpler area.")
        shown = self.shown()
        if shown.missing() is None:  # raises if it contains itself
            _ = replace(shown, slices={" ".join(str(name).split()): None}).rows
        return self.workspace.keep_slice(name, kept)

    def _variants(self) -> Answer:
        return {"parts": {"variants": variants_panel(self.shown())}}

    def _to_teach(self) -> list[dict[str, str]]:
        """Return rows for the tab “Teach”, with their true label or the one that is given."""
        pairs, label = self.workspace.data.pairs, self.action.get("label")
        chosen = [pairs[row] for row in self._rows() if 0 <= row < len(pairs)]
        found = [_taught(one, label or one.label) for one in chosen if label or one.label]
        if not found:
            raise InputError("None of these rows has a label to teach.")
        if len(found) > MOST_TAUGHT:
            raise InputError(f"{len(found):,} rows are shown; at most {MOST_TAUGHT} go to Teach.")
        return found


_UNDER = ("detail", "words", "variants")  # parts of an open row


def _taught(pair: Pair | Kept, label: Any) -> dict[str, str]:
    return {"premise": pair.premise, "hypothesis": pair.hypothesis, "label": str(label)}


def _link_name(workspace: Workspace) -> str:
    """Return what a link calls the data: a built-in set and its models, or the file's hash."""
    data = workspace.data
    if data.built_in and not any(one.source != one.name for one in workspace.models):
        return f"{data.built_in}:{','.join(one.source for one in workspace.models)}"
    return f"file:{data.key[:16]}"
