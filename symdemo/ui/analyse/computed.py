"""What is computed in the background: map, suggestions, and what each second sentence changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from markupsafe import Markup

from symdemo.analysis.analysing import find_changes, find_swaps
from symdemo.analysis.projection import Projected, describe, project
from symdemo.analysis.suggestions import Answered, Suggestion, suggest
from symdemo.errors import InputError
from symdemo.jobs.queue import JobHandle, JobView
from symdemo.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL
from symdemo.swapping.changes import SWAPPED
from symdemo.text import shorten
from symdemo.ui.analyse.service import CHANGES, MAP, PAIR_SECONDS, SUGGESTIONS, OpenedAnalysis
from symdemo.ui.analyse.view import ShownRows
from symdemo.ui.shared.figures import plotly_text
from symdemo.ui.shared.html import draw, relation_name

TITLES = {
    "label_errors": "Labels that may be wrong",
    "near_duplicates": "Near-duplicates with different labels",
    "wrongly_taught_relations": "Relations that one side gets wrong",
    "error_groups": "Where errors cluster",
}
EXAMPLES = 3
MOST_POINTS = 4_000  # most points drawn, a random sample of more; a selection still takes all
MOST_GROUPS = 8  # groups with a colour of their own; all others share one
COLOURS = {"label": "true label", "verdict": "verdict", "right": "right or wrong",
           "relation": "relation", "models": "which model is right"}  # fmt: skip

Look = tuple[str, str, str]  # name, colour and symbol of a group of points
_GREY = "#8a8f98"
_UNLABELLED: Look = ("no true label", _GREY, "circle")
_RIGHT: dict[Any, Look] = {
    None: _UNLABELLED,
    True: ("right", "holds", "circle"),
    False: ("wrong", "fails", "x"),
}
_LABELS: dict[Any, Look] = {
    None: ("not given", _GREY, "circle"),
    ENTAILMENT: (ENTAILMENT, "holds", "circle"),
    CONTRADICTION: (CONTRADICTION, "fails", "x"),
    NEUTRAL: (NEUTRAL, "open", "diamond"),
}
_PALETTE = ("#0f766e", "#b45309", "#6d28d9", "#be185d", "#1d4ed8", "#4d7c0f", "#9f1239", "#0e7490")


def compute(opened: OpenedAnalysis, *key: str) -> tuple[Any, JobView | None]:
    """Return (what a key names, None), or (None, the state of the job that computes it).

    The key is `CHANGES`, or `SUGGESTIONS` and a model, or `MAP`, a kind and a model. A failed job
    is reported once and started again at the next call.
    """
    makers: dict[str, tuple[Callable[..., Any], str]] = {
        CHANGES: (_find_changes, "Kinds of pairs"),
        SUGGESTIONS: (_suggest, "Suggestions"),
        MAP: (_project, "Map"),
    }
    work, title = makers[key[0]]
    with opened.lock:
        if key in opened.known:
            return opened.known[key], None
        workspace, jobs, sessions = opened.workspace, opened.jobs, opened.sessions
        try:
            view = sessions.queue.get(jobs[key], workspace.id)
        except (KeyError, InputError):  # not started, or forgotten by the queue
            seconds = PAIR_SECONDS * len(workspace.data.pairs)
            view = sessions.submit(
                workspace.id, title, partial(work, opened, *key[1:]), "figures", seconds,
                workspace.project,
            )  # fmt: skip
            jobs[key] = view.id
        if view.finished:
            del jobs[key]
        if view.state != "done":
            return None, view
        opened.known[key] = view.result
        return view.result, None


def _find_changes(opened: OpenedAnalysis, handle: JobHandle) -> tuple[str, ...]:
    return find_changes(opened.workspace.data.pairs, handle)


def _suggest(opened: OpenedAnalysis, model: str, handle: JobHandle) -> list[Suggestion]:
    if opened.changes is None:
        swaps = find_swaps(opened.workspace.data.pairs, handle)
    else:
        swaps = np.array(opened.changes) == SWAPPED
    answered = Answered.of_run(opened.analysis, model, opened.runs.get(model), swaps)
    return suggest(answered, reports=handle)


def _project(opened: OpenedAnalysis, kind: Any, model: str, handle: JobHandle) -> Projected:
    """Return the map of a model; unreadable pairs have no place."""
    embeddings = opened.runs[model].embeddings
    read = ~np.isnan(embeddings[:, 0])
    placed = project(embeddings[read], kind, reports=handle)
    xy = np.full((len(read), 2), np.nan, np.float32)
    xy[read] = placed.xy
    return replace(placed, xy=xy)


def suggestions_panel(shown: ShownRows) -> tuple[Markup, JobView | None]:
    """Draw the suggestions for one model over all rows; returns the job that computes them too."""
    model = shown.view.model
    found, job = compute(shown.opened, SUGGESTIONS, model)
    if found is None:
        return draw("analyse/later.html", job=job, what="Suggestions"), job
    kinds: dict[str, list[dict[str, Any]]] = {}
    for number, one in enumerate(found):
        query = {"conditions": [{"set": f"hint:{model}:{number}"}]}
        examples = shown.opened.table.page(one.rows, 0, EXAMPLES, ["premise", "label"])
        card = {"title": one.title, "why": one.why, "n": len(one.rows), "query": query}
        kinds.setdefault(TITLES[one.kind], []).append(card | {"examples": examples})
    return draw("analyse/suggestions.html", model=model, kinds=kinds), None


def map_panel(shown: ShownRows) -> tuple[Markup, dict[str, Any] | None, JobView | None]:
    """Draw the map's panel; returns its points, and the job that computes them, too."""
    opened, view = shown.opened, shown.view
    if view.model not in opened.runs:
        words = f"{shorten(view.model)} is a column of labels; it has no embeddings to map."
        return Markup("<p>{}</p>").format(words), None, None
    placed, job = compute(opened, MAP, view.kind, view.model)
    colours = {name: words for name, words in COLOURS.items() if name != "models" or view.versus}
    values: dict[str, Any] = {"view": view, "job": job, "colours": colours, "words": ""}
    if placed is None:
        return draw("analyse/map.html", **values, ready=False), None, job
    traces, note = _traces(shown, placed)
    words = describe(placed)
    points = {"traces": traces, "words": f"Map of {len(opened.table):,} pairs. {words}"}
    values["words"] = f"{words} {note}"
    return draw("analyse/map.html", **values, ready=True), points, None


def _traces(shown: ShownRows, placed: Projected) -> tuple[list[dict[str, Any]], str]:
    """Return the points by colour, those outside the filters faint, and a note if sampled."""
    there = np.flatnonzero(placed.placed)
    chosen = np.isin(there, shown.rows)
    front, back, note = there[chosen], there[~chosen], ""
    if len(there) > MOST_POINTS:
        rng = np.random.default_rng(0)
        front = np.sort(rng.permutation(front)[:MOST_POINTS])
        back = np.sort(rng.permutation(back)[: max(0, MOST_POINTS - len(front))])
        note = (
            f"A random {len(front) + len(back):,} of {len(there):,} pairs are drawn; an area "
            "that you draw selects all pairs inside it."
        )

    def trace(look: Look, rows: Any, **style: bool) -> dict[str, Any]:
        cells = shown.opened.table.page(np.array(rows), 0, len(rows), ["premise", "label"])
        texts = [(shorten(one["premise"], 110), one["label"] or "no true label") for one in cells]
        return {
            "name": _plotly_safe(look[0]),
            "colour": look[1],
            "symbol": look[2],
            "x": [round(float(x), 5) for x in placed.xy[rows, 0]],
            "y": [round(float(y), 5) for y in placed.xy[rows, 1]],
            "rows": list(map(int, rows)),
            "text": [f"{_plotly_safe(a)}<br>{_plotly_safe(shorten(b, 40))}" for a, b in texts],
            "faint": False,
            **style,
        }

    traces = [trace(look, rows) for look, rows in _groups(shown, front).items()]
    if len(back):
        traces.insert(0, trace(("not in the filters", _GREY, "circle"), back, faint=True))
    for name, row in (("open row", shown.view.row), ("pinned", shown.view.pinned)):
        if row is not None and row in there:
            traces.append(trace((name, "#e0a100", "star"), [row], big=True))
    return traces, note


def _plotly_safe(text: str) -> str:
    """Escape tags, and the braces that Plotly would read as a template."""
    return plotly_text(text).replace("{", "(").replace("}", ")")


def _groups(shown: ShownRows, rows: np.ndarray) -> dict[Look, list[int]]:
    """Split rows by colour, at most `MOST_GROUPS` values and all others."""
    view, table = shown.view, shown.opened.table
    looks: dict[tuple[Any, ...], Look]
    if view.colour == "models" and view.versus:
        columns = [shown.name("right", model) for model in shown.models]
        looks = {
            (True, True): ("both right", "holds", "circle"),
            (True, False): (f"only {view.model}", "open", "diamond"),
            (False, True): (f"only {view.versus}", "other", "square"),
            (False, False): ("both wrong", "fails", "x"),
            (None, None): _UNLABELLED,
        }
    else:
        of_model = view.colour in ("verdict", "right")
        columns = [shown.name(view.colour) if of_model else view.colour.replace("models", "label")]
        known, looks = _RIGHT if view.colour == "right" else _LABELS, {}
        for place, (value, _) in enumerate(table.values(columns[0], rows, most=MOST_GROUPS)):
            words = relation_name(str(value)) if view.colour == "relation" else str(value)
            other = (shorten(words, 40), _PALETTE[place % len(_PALETTE)], "circle")
            looks[(value,)] = known.get(value, other)
    groups: dict[Look, list[int]] = {look: [] for look in looks.values()}
    for cells in table.page(rows, 0, len(rows), columns):
        look = looks.get(tuple(cells[name] for name in columns), ("others", _GREY, "circle"))
        groups.setdefault(look, []).append(cells["row"])
    return {look: own for look, own in groups.items() if own}
