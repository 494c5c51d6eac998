"""The server's side of the explorer: a view comes in, the parts it touches go out as HTML."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from symdemo.analysis.loading import load_built_in
from symdemo.analysis.workspace import Kept, Workspace
from symdemo.errors import InputError
from symdemo.files.json_files import plain
from symdemo.ui.analyse.desk import MAP, Desk, Opened
from symdemo.ui.analyse.filters import filter_panel, read_range
from symdemo.ui.analyse.glass import glass_panel, others_panel, read_counterfactual, words_panel
from symdemo.ui.analyse.hints import find_hints, hints_panel
from symdemo.ui.analyse.mapping import area, find_map, map_panel
from symdemo.ui.analyse.named import NotMadeYetError
from symdemo.ui.analyse.overview import overview_panel
from symdemo.ui.analyse.rows import rows_panel
from symdemo.ui.analyse.shown import Shown
from symdemo.ui.analyse.slices import slices_panel
from symdemo.ui.analyse.state import MAX_STATE, View
from symdemo.ui.analyse.taking_out import export
from symdemo.ui.shared.events import bounded
from symdemo.ui.shared.html import draw
from symdemo.ui.shared.problems import Problem, attempt
from symdemo.ui.shared.words import count

Answer = dict[str, Any]
MOST_TAUGHT = 200
"""Rows that go to “Teach” at once."""
_AT_WORK = 1_500
"""Milliseconds between two looks while models are at work."""


class Explorer:
    """Answers the page's script; every answer is JSON, and none is an exception.

    Args:
        desk: the workspaces and their jobs.
    """

    def __init__(self, desk: Desk):
        self.desk = desk

    def analyse_look(self, body: Any) -> Answer:
        """The parts that a view shows: all of them, or those that are named in “parts”."""
        return _answer(lambda: self._look(*self._read(body), _parsed(body).get("parts")))

    def analyse_act(self, body: Any) -> Answer:
        """Do what “action” says, and answer as `analyse_look` with what it changed."""
        return _answer(lambda: self._act(*self._read(body), _parsed(body).get("action")))

    def analyse_open(self, body: Any) -> Answer:
        """Open the built-in set that a link names."""
        return _answer(lambda: self._open(_parsed(body).get("shared")))

    def functions(self) -> list[Callable[[Any], Answer]]:
        """The three as plain functions, which Gradio marks as open to the page."""

        def analyse_look(body: Any) -> Answer:
            return self.analyse_look(body)

        def analyse_act(body: Any) -> Answer:
            return self.analyse_act(body)

        def analyse_open(body: Any) -> Answer:
            return self.analyse_open(body)

        return [analyse_look, analyse_act, analyse_open]

    def _read(self, body: Any) -> tuple[Workspace, View]:
        view = View.read(_parsed(body).get("view"))
        try:
            return self.desk.store.open(view.analysis), view
        except InputError as error:
            raise _GoneError(str(error)) from None

    def _look(self, workspace: Workspace, view: View, parts: Any = None) -> Answer:
        if parts == []:  # the page is hidden, and only stays awake
            return {"again": 2 * _AT_WORK}
        opened = attempt(self.desk.opened, workspace)
        if isinstance(opened, Problem):
            return {"problem": opened.message}
        job = self.desk.job(workspace)
        again = _AT_WORK if job is not None and not job.finished else None
        if opened is not None and isinstance(parts, list):
            return {"parts": self._asked_for(Shown.of(opened, view), parts)}
        values = {"workspace": workspace, "job": job, "opened": opened, "view": view,
                  "own": _own(workspace)}  # fmt: skip
        found: Answer = {"parts": {"job": draw("analyse/job.html", **values)}, "again": again}
        found["shared"] = _shared(workspace) if workspace.loaded else ""
        if opened is None:
            empty = dict.fromkeys(("filters", "main", "glass", "words", "others"), "")
            head = draw("analyse/head.html", **values) if workspace.loaded else ""
            found["parts"] |= {"head": head, **empty}
            return found
        shown = Shown.of(opened, view)
        found["view"] = {
            name: getattr(shown.view, name) for name in ("model", "versus", "row", "pinned")
        }
        found["parts"]["head"] = draw("analyse/head.html", **values | {"view": shown.view})
        return found | self._rest(shown, found)

    def _rest(self, shown: Shown, found: Answer) -> Answer:
        """The filters, the part that is open and the glass, or why they cannot be."""
        wish = shown.wish()
        rows = None if wish else attempt(lambda: shown.rows)
        if isinstance(rows, Problem):  # what was asked for cannot be: say so, keep the rest
            found["parts"]["rescue"] = draw("analyse/rescue.html")
            return {"problem": rows.message}
        found["parts"]["rescue"] = ""
        if wish is not None:
            return self._make(shown.opened, wish)
        found["parts"]["filters"] = filter_panel(shown)
        self._main(shown, found)
        found["parts"]["glass"] = glass_panel(self.desk, shown)
        if shown.view.row is None:
            found["parts"] |= {"words": "", "others": ""}
            return {}
        return {"then": ["others", "words"]}

    def _make(self, opened: Opened, wish: NotMadeYetError) -> Answer:
        """Have made what a filter speaks of, and look again; or say why it cannot be made."""
        if wish.part == MAP:
            _, job = find_map(self.desk, opened, wish.model, wish.kind)
        else:
            _, job = find_hints(self.desk, opened, wish.model)
        if job is not None and job.finished:
            return {"problem": f"What a filter speaks of could not be made: {job.error}"}
        return {"said": str(wish), "again": _AT_WORK}

    def _main(self, shown: Shown, found: Answer) -> None:
        part = shown.view.part
        if part == "overview":
            found["parts"]["main"] = overview_panel(shown)
        elif part == "rows":
            found["parts"]["main"] = rows_panel(shown)
        elif part == "slices":
            found["parts"]["main"], wish = slices_panel(shown)
            if wish is not None:
                found |= self._make(shown.opened, wish)
        elif part == "hints":
            html, again = hints_panel(self.desk, shown)
            found["parts"]["main"] = html
            found["again"] = again or found["again"]
        else:
            answer = map_panel(self.desk, shown)
            found["parts"]["main"] = answer.html
            found["map"] = answer.points
            found["again"] = answer.again or found["again"]

    def _asked_for(self, shown: Shown, parts: list[Any]) -> dict[str, Markup]:
        drawing: dict[str, Callable[[Desk, Shown], Markup]] = {
            "words": words_panel,
            "others": others_panel,
        }
        return {name: make(self.desk, shown) for name, make in drawing.items() if name in parts}

    def _act(self, workspace: Workspace, view: View, action: Any) -> Answer:
        if not isinstance(action, dict) or action.get("do") not in _ACTIONS:
            raise InputError("This is nothing that can be done here; open the page again.")
        return _ACTIONS[action["do"]](self, workspace, view, action)

    def _shown(self, workspace: Workspace, view: View) -> Shown:
        opened = self.desk.opened(workspace)
        if opened is None:
            raise InputError("No model has answered yet; wait for the first.")
        return Shown.of(opened, view)

    def _rows(self, workspace: Workspace, view: View, action: Answer) -> list[int]:
        if action.get("shown"):
            return [int(row) for row in self._shown(workspace, view).rows]
        rows = action.get("rows")
        if not isinstance(rows, list) or not all(type(row) is int for row in rows):
            raise InputError("No rows were named.")
        return rows

    def _mark(self, workspace: Workspace, view: View, action: Answer) -> Answer:
        rows = self._rows(workspace, view, action)
        workspace.mark(rows, bool(action.get("on")))
        said = f"{len(rows):,} rows." if len(rows) > 1 else ""
        return self._look(workspace, view) | {"said": said}

    def _note(self, workspace: Workspace, view: View, action: Answer) -> Answer:
        workspace.note(self._rows(workspace, view, action), action.get("text"))
        return self._look(workspace, view) | {"said": "The note is kept."}

    def _range(self, workspace: Workspace, view: View, action: Answer) -> Answer:
        more = read_range(str(action.get("column")), action.get("low"), action.get("high"))
        return self._with(workspace, view, more)

    def _select(self, workspace: Workspace, view: View, action: Answer) -> Answer:
        shown = self._shown(workspace, view)
        return self._with(workspace, view, area(shown, action.get("polygon")))

    def _with(self, workspace: Workspace, view: View, more: list[Answer]) -> Answer:
        """Look at the view with more conditions; those on a map replace the older area there."""
        old = [
            one
            for one in view.query.get("conditions", [])
            if not (one.get("kind") == "inside" and more[0].get("kind") == "inside")
        ]
        changed = {"query": {**view.query, "conditions": [*old, *more]}, "page": 0, "adding": ""}
        found = self._look(workspace, replace(view, **changed))
        if "problem" in found:  # the page goes on with the filters that it has
            return {"problem": found["problem"]}
        return found | {"view": {**found.get("view", {}), **changed}}

    def _keep_slice(self, workspace: Workspace, view: View, action: Answer) -> Answer:
        kept = {"query": dict(view.query), "text": view.text, "regex": view.regex}
        if len(json.dumps(kept)) > MAX_STATE // 4:
            raise InputError("These filters are too long to be kept; draw a simpler area.")
        shown = self._shown(workspace, view)
        own = " ".join(str(action.get("name")).split())
        if shown.wish() is None:
            _ = replace(shown, slices={own: None}).rows  # it can be told, and not by itself
        name = workspace.keep_slice(action.get("name"), kept)
        return self._look(workspace, view) | {"said": f"Kept as “{name}”, under “Slices”."}

    def _drop_slice(self, workspace: Workspace, view: View, action: Answer) -> Answer:
        workspace.drop_slice(str(action.get("name")))
        return self._look(workspace, view)

    def _ask(self, workspace: Workspace, view: View, action: Answer) -> Answer:
        row = action.get("row")
        workspace.keep_counterfactual(read_counterfactual(row if type(row) is int else -1, action))
        return self._look(workspace, view, ["others"]) | {"said": "Asked, and kept with this row."}

    def _drop(self, workspace: Workspace, view: View, action: Answer) -> Answer:
        old = action.get("old")
        row = action.get("row")
        if not isinstance(old, list) or len(old) != 2 or type(row) is not int:
            raise InputError("No pair was named.")
        workspace.drop_counterfactual(Kept(row, "own", str(old[0]), str(old[1]), None))
        return self._look(workspace, view, ["others"])

    def _teach(self, workspace: Workspace, view: View, action: Answer) -> Answer:
        rows = self._rows(workspace, view, action)
        pairs = [workspace.data.pairs[row] for row in rows if 0 <= row < len(workspace.data.pairs)]
        label = action.get("label")
        given = [(pair, str(label or pair.label or "")) for pair in pairs]
        given = [(pair, own) for pair, own in given if own]
        if not given:
            raise InputError("None of these rows has a label to teach.")
        if len(given) > MOST_TAUGHT:
            raise InputError(f"{len(given):,} rows are shown; at most {MOST_TAUGHT} go to Teach.")
        return {"teach": [_row(p.premise, p.hypothesis, own, p.relation) for p, own in given]}

    def _teach_pair(self, workspace: Workspace, view: View, action: Answer) -> Answer:
        if not action.get("expected"):
            raise InputError("Choose what it should be first.")
        kept = read_counterfactual(0, action)
        return {"teach": [_row(kept.premise, kept.hypothesis, str(kept.expected), "")]}

    def _export(self, workspace: Workspace, view: View, action: Answer) -> Answer:
        return {"download": export(self.desk, self._shown(workspace, view), action.get("kind"))}

    def _stop(self, workspace: Workspace, view: View, action: Answer) -> Answer:
        self.desk.stop(workspace)
        return self._look(workspace, view)

    def _go_on(self, workspace: Workspace, view: View, action: Answer) -> Answer:
        self.desk.run(workspace)
        return self._look(workspace, view)

    def _close(self, workspace: Workspace, view: View, action: Answer) -> Answer:
        self.desk.stop(workspace)
        self.desk.store.delete(workspace.id)
        return {"gone": True}

    def _link(self, workspace: Workspace, view: View, action: Answer) -> Answer:
        return {"copy": _shared(workspace)}

    def _open(self, shared: Any) -> Answer:
        name, _, models = str(shared or "").partition(":")
        if name == "file":
            raise InputError(
                "This link is about a file that only the browser has that brought it. Bring the "
                "file here, and the link shows it."
            )
        asked = [model for model in models.split(",") if model]
        workspace = self.desk.start(lambda reports: load_built_in(name), asked)
        return {"analysis": workspace.id}


_ACTIONS: dict[str, Callable[[Explorer, Workspace, View, Answer], Answer]] = {
    "mark": Explorer._mark,
    "note": Explorer._note,
    "range": Explorer._range,
    "select": Explorer._select,
    "keep slice": Explorer._keep_slice,
    "drop slice": Explorer._drop_slice,
    "ask": Explorer._ask,
    "drop": Explorer._drop,
    "teach": Explorer._teach,
    "teach pair": Explorer._teach_pair,
    "export": Explorer._export,
    "stop": Explorer._stop,
    "go on": Explorer._go_on,
    "close": Explorer._close,
    "link": Explorer._link,
}
"""What a press can do, by the name in its “do”."""


class _GoneError(InputError):
    """There is no such workspace (any more)."""


def _parsed(body: Any) -> dict[str, Any]:
    """The JSON object that the page's script sent, with what JSON has no form for left out."""
    try:
        found = plain(json.loads(body)) if len(body) <= 2 * MAX_STATE else None
    except (TypeError, ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InputError("What the page sent could not be read; open the page again.")
    return found


def _answer(ask: Callable[[], Answer]) -> Answer:
    """What was found, or the problem in one sentence."""

    def asked() -> Answer:
        try:
            return ask()
        except _GoneError as error:
            return {"gone": True, "problem": str(error)}

    found = bounded(asked)
    return {"problem": found.message} if isinstance(found, Problem) else found


def _shared(workspace: Workspace) -> str:
    """What a link says of the data: a built-in set with its models, or which file it was."""
    data = workspace.data
    if data.built_in and not any(one.source != one.name for one in workspace.models):
        return f"{data.built_in}:{','.join(one.source for one in workspace.models)}"
    return f"file:{data.key[:16]}"


def _own(workspace: Workspace) -> str:
    """What the visitor added to an analysis, in words; nothing if nothing."""
    own = workspace.personal
    parts = (("mark", own.marked), ("note", own.notes), ("slice", own.slices),
             ("question", own.kept))  # fmt: skip
    return " and ".join(count(len(found), name) for name, found in parts if found)


def _row(premise: str, hypothesis: str, label: str, relation: str | None) -> dict[str, str]:
    return {
        "premise": premise, "hypothesis": hypothesis, "label": label, "relation": relation or "",
    }  # fmt: skip
