"""What is computed in the background: the parts “Map” and “Suggestions”, and kinds of pairs."""

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
from symdemo.jobs.queue import JobHandle, JobView
from symdemo.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL
from symdemo.swapping.frames import SWAPPED
from symdemo.text import shorten
from symdemo.ui.analyse.service import CHANGES, MAP, SUGGESTIONS, AnalyseService, OpenedAnalysis
from symdemo.ui.analyse.view import NotComputedError, ShownRows, coordinate_names
from symdemo.ui.shared.figures import plotly_text
from symdemo.ui.shared.html import draw, relation_name

SOON = 1_200
"""Milliseconds until the page asks again for what is being computed."""
TITLES = {
    "label_errors": "Labels that may be wrong",
    "near_duplicates": "Near-duplicates with different labels",
    "wrongly_taught_relations": "Relations that one side gets wrong",
    "error_groups": "Where errors cluster",
}
EXAMPLES = 3
MOST_POINTS = 4_000
"""Points that are drawn, a random sample of more; a selection still takes all."""
MOST_GROUPS = 8
"""Colours, beside that of all other groups."""
_GREY = "#8a8f98"
COLOURS = {"label": "true label", "verdict": "verdict", "right": "right or wrong",
           "relation": "relation", "models": "which model is right"}  # fmt: skip
TONES = {ENTAILMENT: "holds", CONTRADICTION: "fails", NEUTRAL: "open"}
SYMBOLS = {ENTAILMENT: "circle", CONTRADICTION: "x", NEUTRAL: "diamond"}
_PALETTE = ("#0f766e", "#b45309", "#6d28d9", "#be185d", "#1d4ed8", "#4d7c0f", "#9f1239", "#0e7490")

Look = tuple[str, str, str]
"""Name, colour and symbol of points that look alike."""


def compute_missing(
    service: AnalyseService, opened: OpenedAnalysis, missing: NotComputedError
) -> JobView | None:
    """Start what a filter needs; returns the state of its job, None once it is done."""
    part, *key = missing.key
    makers: dict[str, Callable[..., tuple[Any, JobView | None]]] = {
        MAP: find_map, SUGGESTIONS: find_suggestions, CHANGES: start_changes,
    }  # fmt: skip
    return makers[part](service, opened, *key)[1]


def start_changes(
    service: AnalyseService, opened: OpenedAnalysis
) -> tuple[tuple[str, ...] | None, JobView | None]:
    """Return what the second sentence of each pair changes, or the state of the job."""
    pairs = opened.workspace.data.pairs
    return service.later(opened, (CHANGES,), "Kinds of pairs", partial(find_changes, pairs))


def soon(job: JobView | None) -> int | None:
    """Return when to ask again for what a job computes; None if it has ended."""
    return None if job is None or job.finished else SOON


def find_suggestions(
    service: AnalyseService, opened: OpenedAnalysis, model: str
) -> tuple[list[Suggestion] | None, JobView | None]:
    """Return the suggestions for one model over all rows, or the state of their job."""

    def make(handle: JobHandle) -> list[Suggestion]:
        if opened.changes is None:
            swaps = find_swaps(opened.workspace.data.pairs, handle)
        else:
            swaps = np.array(opened.changes) == SWAPPED
        columns = Answered.of_run(opened.analysis, model, opened.runs.get(model), swaps)
        return suggest(columns, reports=handle)

    return service.later(opened, (SUGGESTIONS, model), "Suggestions", make)


def suggestions_panel(service: AnalyseService, shown: ShownRows) -> tuple[Markup, int | None]:
    """Draw the suggestions; also returns when to ask again while they are computed."""
    model = shown.view.model
    found, job = find_suggestions(service, shown.opened, model)
    if found is None:
        return draw("analyse/later.html", job=job, what="Suggestions"), soon(job)
    kinds: dict[str, list[dict[str, Any]]] = {}
    for number, one in enumerate(found):
        query = {"conditions": [{"set": f"hint:{model}:{number}"}]}
        examples = shown.opened.table.page(one.rows, 0, EXAMPLES, ["premise", "label"])
        own = {"title": one.title, "why": one.why, "n": len(one.rows), "query": query}
        kinds.setdefault(TITLES[one.kind], []).append(own | {"examples": examples})
    return draw("analyse/suggestions.html", model=model, kinds=kinds), None


def find_map(
    service: AnalyseService, opened: OpenedAnalysis, kind: Any, model: str
) -> tuple[Projected | None, JobView | None]:
    """Return the map of a model, or the state of its job; unreadable pairs have no place."""

    def make(handle: JobHandle) -> Projected:
        embeddings = opened.runs[model].embeddings
        read = ~np.isnan(embeddings[:, 0])
        placed = project(embeddings[read], kind, reports=handle)
        xy = np.full((len(read), 2), np.nan, np.float32)
        xy[read] = placed.xy
        return replace(placed, xy=xy)

    return service.later(opened, (MAP, kind, model), "Map", make)


def map_panel(
    service: AnalyseService, shown: ShownRows
) -> tuple[Markup, dict[str, Any] | None, int | None]:
    """Draw the map's panel; also returns its points, and when to ask again for them."""
    opened, view = shown.opened, shown.view
    if view.model not in opened.runs:
        words = f"{shorten(view.model)} is a column of labels; it has no embeddings to map."
        return Markup("<p>{}</p>").format(words), None, None
    placed, job = find_map(service, opened, view.kind, view.model)
    colours = {name: words for name, words in COLOURS.items() if name != "models" or view.versus}
    values: dict[str, Any] = {"view": view, "job": job, "colours": colours}
    if placed is None:
        return draw("analyse/map.html", **values, ready=False), None, soon(job)
    traces, note = _traces(shown, placed)
    words = describe(placed)
    points = {"traces": traces, "words": f"Map of {len(opened.table):,} pairs. {words}"}
    return draw("analyse/map.html", **values, ready=True, words=words, note=note), points, None


def _traces(shown: ShownRows, placed: Projected) -> tuple[list[dict[str, Any]], str]:
    """Return the points by colour; rows outside the filters are drawn faintly behind."""
    there = np.flatnonzero(~np.isnan(placed.xy[:, 0]))
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
        return {
            "name": _plotly_safe(look[0]),
            "colour": look[1],
            "symbol": look[2],
            "x": [round(float(x), 5) for x in placed.xy[rows, 0]],
            "y": [round(float(y), 5) for y in placed.xy[rows, 1]],
            "rows": list(map(int, rows)),
            "text": [_hover(one["premise"], one["label"]) for one in cells],
            "faint": False,
            **style,
        }

    traces = [trace(("not in the filters", _GREY, "circle"), back, faint=True)] * bool(len(back))
    traces += [trace(look, rows) for look, rows in _groups(shown, front).items()]
    for name, row in (("open row", shown.view.row), ("pinned", shown.view.pinned)):
        if row is not None and row in there:
            traces.append(trace((name, "#e0a100", "star"), [row], big=True))
    return traces, note


def _hover(premise: str, label: str | None) -> str:
    texts = (shorten(premise, 110), shorten(label, 40) if label else "no true label")
    return "<br>".join(map(_plotly_safe, texts))


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
            (None, None): ("no true label", _GREY, "circle"),
        }
    else:
        of_model = view.colour in ("verdict", "right")
        column = shown.name(view.colour) if of_model else view.colour.replace("models", "label")
        columns, values = [column], table.values(column, rows, most=MOST_GROUPS)
        looks = {(value,): _look(view.colour, value, at) for at, (value, _) in enumerate(values)}
    groups: dict[Look, list[int]] = {look: [] for look in looks.values()}
    for cells in table.page(rows, 0, len(rows), columns):
        look = looks.get(tuple(cells[name] for name in columns), ("others", _GREY, "circle"))
        groups.setdefault(look, []).append(cells["row"])
    return {look: own for look, own in groups.items() if own}


def _look(name: str, value: Any, place: int) -> Look:
    if name == "right":
        return {
            None: ("no true label", _GREY, "circle"),
            True: ("right", "holds", "circle"),
            False: ("wrong", "fails", "x"),
        }[value]
    if value is None:
        return "not given", _GREY, "circle"
    if value in TONES:
        return str(value), TONES[value], SYMBOLS[value]
    shown = relation_name(str(value)) if name == "relation" else str(value)
    return shorten(shown, 40), _PALETTE[place % len(_PALETTE)], "circle"


def area_condition(shown: ShownRows, polygon: Any) -> dict[str, Any]:
    """Return the condition of lying inside an area drawn on the map."""
    x, y = coordinate_names(shown.view.kind, shown.view.model)
    return {"kind": "inside", "x": x, "y": y, "polygon": polygon}
