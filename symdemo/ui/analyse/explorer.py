"""The server side of the explorer: a view comes in, the parts it touches go out as HTML."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial, wraps
from typing import Any

from symdemo.analysis.built_in import load_built_in
from symdemo.analysis.workspace import READING, Kept, Workspace
from symdemo.errors import InputError
from symdemo.files.storage import plain
from symdemo.text import tidy_text
from symdemo.ui.analyse.computed import (
    area_condition,
    compute_missing,
    map_panel,
    suggestions_panel,
)
from symdemo.ui.analyse.detail import (
    detail_panel,
    read_counterfactual,
    variants_panel,
    words_panel,
)
from symdemo.ui.analyse.export import export
from symdemo.ui.analyse.overview import overview_panel
from symdemo.ui.analyse.rows import filter_panel, range_condition, rows_panel, slices_panel
from symdemo.ui.analyse.service import AnalyseService
from symdemo.ui.analyse.view import (
    MAX_STATE,
    NEAREST,
    NotComputedError,
    ShownRows,
    View,
    read_view,
)
from symdemo.ui.shared.events import Problem, attempt, bounded
from symdemo.ui.shared.html import count, draw

Answer = dict[str, Any]
MAX_SENTENCE = 300
"""Characters of a sentence to which the nearest rows are found."""
MOST_TAUGHT = 200
"""Rows that go to “Teach” in one press."""
_POLL = 1_500
"""Milliseconds between two looks while models run."""


class Explorer:
    """Answers the page's script with JSON; errors are answers as well."""

    def __init__(self, service: AnalyseService):
        self.service = service

    def analyse_look(self, body: Any) -> Answer:
        """Draw the parts that a view shows, or those named in “parts”."""
        return _answer(body, lambda sent: ExplorerRequest(self.service, sent).look_at_parts())

    def analyse_act(self, body: Any) -> Answer:
        """Do what “action” says, and answer as `analyse_look` with what changed."""
        return _answer(body, lambda sent: ExplorerRequest(self.service, sent).act())

    def analyse_open(self, body: Any) -> Answer:
        """Open the built-in set or the analysis that a link names."""
        return _answer(body, self._open)

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

    def functions(self) -> list[Callable[[Any], Answer]]:
        """Return the three as objects that Gradio can set attributes on, unlike methods."""
        methods = (self.analyse_look, self.analyse_act, self.analyse_open)
        return [wraps(one)(partial(one)) for one in methods]


class ExplorerRequest:
    """One look at a workspace, or one action on it.

    Raises:
        InputError: the view or the workspace cannot be used.
    """

    def __init__(self, service: AnalyseService, sent: Answer):
        self.service = service
        self.view = read_view(sent.get("view"))
        self.parts = sent.get("parts")
        action = sent.get("action")
        self.action: Answer = action if isinstance(action, dict) else {}
        try:
            self.workspace = service.open(self.view.analysis)
        except InputError as error:
            raise _GoneError(str(error)) from None

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
        return {"parts": {name: drawing[name](self.service, shown) for name in names}}

    def look(self, view: View | None = None) -> Answer:
        """Draw all parts but those that query models."""
        view, workspace = view or self.view, self.workspace
        opened = attempt(self.service.opened, workspace)
        if isinstance(opened, Problem):
            return {"problem": opened.message}
        job = self.service.job(workspace)
        own = "" if view.reads_only else _own(workspace)
        values = {"workspace": workspace, "job": job, "opened": opened, "own": own}
        parts: Answer = {"job": draw("analyse/job.html", **values, view=view), "head": ""}
        found: Answer = {
            "parts": parts,
            "again": _POLL if job is not None and not job.finished else None,
            "shared": self._address() if workspace.loaded else "",
        }
        shown = ShownRows.of(opened, view) if opened else None
        if workspace.loaded:
            parts["head"] = draw("analyse/head.html", **values, view=shown.view if shown else view)
        if shown is None:
            parts |= dict.fromkeys(("filters", "main", "detail", "words", "variants"), "")
            return found
        kept = ("model", "versus", "row", "pinned")
        found["view"] = {name: getattr(shown.view, name) for name in kept}
        missing = shown.missing()
        rows = None if missing else attempt(lambda: shown.rows)
        parts["rescue"] = draw("analyse/rescue.html") if isinstance(rows, Problem) else ""
        if isinstance(rows, Problem):  # say so, and keep the rest
            return found | {"problem": rows.message}
        if missing is not None:
            return found | self._compute(shown, missing)
        parts["filters"] = filter_panel(shown)
        self._draw_main(shown, found)
        if shown.view.row is None:
            parts |= dict.fromkeys(("detail", "words", "variants"), "")
            return found
        parts["detail"] = detail_panel(self.service, shown, shown.view.row)
        return found | {"then": ["variants", "words"]}

    def _draw_main(self, shown: ShownRows, found: Answer) -> None:
        again = None
        match shown.view.part:
            case "overview":
                main, again = overview_panel(self.service, shown)
            case "rows":
                main = rows_panel(shown)
            case "slices":
                main, missing = slices_panel(shown)
                if missing is not None:
                    found |= self._compute(shown, missing)
            case "suggestions":
                main, again = suggestions_panel(self.service, shown)
            case "map":
                main, found["map"], again = map_panel(self.service, shown)
        found["parts"]["main"] = main
        found["again"] = again or found["again"]

    def _compute(self, shown: ShownRows, missing: NotComputedError) -> Answer:
        job = compute_missing(self.service, shown.opened, missing)
        if job is not None and job.finished:
            return {"problem": f"A filter needs something that failed: {job.error}"}
        return {"said": str(missing), "again": _POLL}

    def act(self) -> Answer:
        """Do what the action says, by the method named after it."""
        do = self.action.get("do")
        if not isinstance(do, str) or do not in ACTIONS:
            raise InputError("There is no such action; open the page again.")
        if self.view.reads_only and do not in READING_ACTIONS:
            raise InputError(
                "This analysis was shared with you to read; only its owner changes it."
            )
        return ACTIONS[do](self)

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

    def _do_mark(self) -> Answer:
        rows = self._rows()
        self.workspace.mark(rows, bool(self.action.get("on")))
        return self.look() | {"said": f"{len(rows):,} rows." if len(rows) > 1 else ""}

    def _do_note(self) -> Answer:
        self.workspace.note(self._rows(), self.action.get("text"))
        return self.look() | {"said": "Note saved."}

    def _do_range(self) -> Answer:
        low, high = self.action.get("low"), self.action.get("high")
        return self._add(range_condition(str(self.action.get("column")), low, high))

    def _do_select(self) -> Answer:
        """Select an area of the map, in place of the one before."""
        return self._add(area_condition(self.shown(), self.action.get("polygon")), "inside")

    def _do_near(self) -> Answer:
        """Sort the rows by their distance to a sentence."""
        text = tidy_text("sentence", self.action.get("text"), MAX_SENTENCE)
        query = {**self.view.query, "sort": self.shown().name(NEAREST + text), "descending": False}
        return self._turn({"query": query, "page": 0, "part": "rows"})

    def _add(self, added: Answer, replaced: str = "") -> Answer:
        old = self.view.query.get("conditions", [])
        kept = [one for one in old if not replaced or one.get("kind") != replaced]
        query = {**self.view.query, "conditions": [*kept, added]}
        return self._turn({"query": query, "page": 0, "adding": ""})

    def _turn(self, changed: Answer) -> Answer:
        """Change the view, unless nothing can be shown then."""
        found = self.look(replace(self.view, **changed))
        if "problem" in found:  # the page keeps the filters that it has
            return {"problem": found["problem"]}
        return found | {"view": {**found.get("view", {}), **changed}}

    def _do_keep_slice(self) -> Answer:
        kept = {"query": dict(self.view.query), "text": self.view.text, "regex": self.view.regex}
        if len(json.dumps(kept)) > MAX_STATE // 4:
            raise InputError("These filters are too long to be kept; draw a simpler area.")
        shown, name = self.shown(), self.action.get("name")
        if shown.missing() is None:  # raises if it contains itself
            _ = replace(shown, slices={" ".join(str(name).split()): None}).rows
        name = self.workspace.keep_slice(name, kept)
        return self.look() | {"said": f"Kept as “{name}”, under “Slices”."}

    def _do_drop_slice(self) -> Answer:
        self.workspace.drop_slice(str(self.action.get("name")))
        return self.look()

    def _do_query(self) -> Answer:
        """Keep a variant of a row, and query the models about it."""
        self.workspace.keep_counterfactual(read_counterfactual(self._row(), self.action))
        return self._variants() | {"said": "Saved with this row."}

    def _do_drop(self) -> Answer:
        """Forget a variant of a row."""
        row, old = self._row(), self.action.get("old")
        if not isinstance(old, list) or len(old) != 2:
            raise InputError("No pair was named.")
        self.workspace.drop_counterfactual(Kept(row, "own", str(old[0]), str(old[1]), None))
        return self._variants()

    def _variants(self) -> Answer:
        return {"parts": {"variants": variants_panel(self.service, self.shown())}}

    def _do_teach(self) -> Answer:
        """Send rows to the tab “Teach”, with their true label or the one that is given."""
        pairs, label = self.workspace.data.pairs, self.action.get("label")
        chosen = [pairs[row] for row in self._rows() if 0 <= row < len(pairs)]
        found = [
            _taught(pair.premise, pair.hypothesis, label or pair.label)
            for pair in chosen
            if label or pair.label
        ]
        if not found:
            raise InputError("None of these rows has a label to teach.")
        if len(found) > MOST_TAUGHT:
            raise InputError(f"{len(found):,} rows are shown; at most {MOST_TAUGHT} go to Teach.")
        return {"teach": found}

    def _do_teach_pair(self) -> Answer:
        """Send a variant of a row to the tab “Teach”."""
        kept = read_counterfactual(0, self.action)
        if not kept.expected:
            raise InputError("Choose what it should be first.")
        return {"teach": [_taught(kept.premise, kept.hypothesis, kept.expected)]}

    def _do_export(self) -> Answer:
        return {"download": export(self.shown(), self.action.get("kind"))}

    def _do_stop(self) -> Answer:
        self.service.stop(self.workspace)
        return self.look()

    def _do_resume(self) -> Answer:
        self.service.run(self.workspace)
        return self.look()

    def _do_close(self) -> Answer:
        if not self.view.reads_only:
            self.service.sessions.delete_analysis(self.workspace.id)
        return {"gone": True}

    def _do_link(self) -> Answer:
        workspace = self.workspace
        return {"copy": workspace.reading_key if workspace.kept else _link_name(workspace)}

    def _address(self) -> str:
        """Return what the address of the page calls the analysis; a reading key only for readers.

        Who copies the address need not mean to share the data.
        """
        return self.view.analysis if self.view.reads_only else _link_name(self.workspace)


ACTIONS: dict[str, Callable[[ExplorerRequest], Answer]] = {
    name.removeprefix("_do_").replace("_", " "): method
    for name, method in vars(ExplorerRequest).items()
    if name.startswith("_do_")
}
"""Name in the “do” of a press → method."""
READING_ACTIONS = frozenset(
    {"range", "select", "near", "teach", "teach pair", "export", "link", "close"}
)
"""Those that change nothing in the workspace."""


class _GoneError(InputError):
    """The workspace does not exist (any more)."""


def _answer(body: Any, function: Callable[[Answer], Answer]) -> Answer:
    """Answer the JSON object that the page's script sent, without its NaN and infinities."""

    def run() -> Answer:
        try:
            sent = plain(json.loads(body)) if len(body) <= 2 * MAX_STATE else None
        except (TypeError, ValueError, RecursionError):
            sent = None
        if not isinstance(sent, dict):
            raise InputError("The page’s request could not be read; open the page again.")
        try:
            return function(sent)
        except _GoneError as error:
            return {"gone": True, "problem": str(error)}

    found = bounded(run)
    return {"problem": found.message} if isinstance(found, Problem) else found


def _taught(premise: str, hypothesis: str, label: Any) -> dict[str, str]:
    return {"premise": premise, "hypothesis": hypothesis, "label": str(label)}


def _link_name(workspace: Workspace) -> str:
    """Return what a link calls the data: a built-in set and its models, or the file's hash."""
    data = workspace.data
    if data.built_in and not any(one.source != one.name for one in workspace.models):
        return f"{data.built_in}:{','.join(one.source for one in workspace.models)}"
    return f"file:{data.key[:16]}"


def _own(workspace: Workspace) -> str:
    """Count in words what the visitor added to an analysis; empty if nothing."""
    own = workspace.personal
    parts = (("mark", own.marked), ("note", own.notes), ("slice", own.slices),
             ("variant", own.kept))  # fmt: skip
    return " and ".join(count(len(found), name) for name, found in parts if found)
