"""The part “Map”: label embeddings on two axes, coloured, to be chosen from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from markupsafe import Markup

from symdemo.analysis.pair_table import PairTable
from symdemo.analysis.projection import Kind, Projected, describe, project
from symdemo.analysis.query import Query
from symdemo.jobs.queue import JobHandle, JobView
from symdemo.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL
from symdemo.text import shorten
from symdemo.ui.analyse.desk import MAP, Desk, Opened
from symdemo.ui.analyse.hints import SOON
from symdemo.ui.analyse.named import place_names
from symdemo.ui.analyse.shown import Shown, conditions_json
from symdemo.ui.shared.figures import plotly_text
from symdemo.ui.shared.html import draw
from symdemo.ui.shared.words import relation_name

MOST_POINTS = 4_000
"""Points that are drawn; of more a part is drawn, by chance; a selection takes them all."""
MOST_GROUPS = 8
"""Colours beside that of all others."""
_NO_COLOUR = "#8a8f98"
COLOURS = {"label": "true label", "verdict": "verdict", "right": "right or wrong",
           "relation": "relation", "models": "which model is right"}  # fmt: skip
TONES = {ENTAILMENT: "holds", CONTRADICTION: "fails", NEUTRAL: "open"}
SYMBOLS = {ENTAILMENT: "circle", CONTRADICTION: "x", NEUTRAL: "diamond"}
_PALETTE = ("#0f766e", "#b45309", "#6d28d9", "#be185d", "#1d4ed8", "#4d7c0f", "#9f1239", "#0e7490")


@dataclass(frozen=True)
class MapAnswer:
    """What the page gets: HTML, the points, and when to ask again."""

    html: Markup
    points: dict[str, Any] | None
    again: int | None


def find_map(
    desk: Desk, opened: Opened, model: str, kind: str
) -> tuple[Projected | None, JobView | None]:
    """The map of a model that was asked, or how the job stands that makes it."""
    run = opened.runs[model]

    def make(handle: JobHandle) -> Projected:
        read = ~np.isnan(run.embeddings[:, 0])
        known: Kind = "umap" if kind == "umap" else "pca"
        placed = project(
            run.embeddings[read], known, should_stop=handle.stopped, progress=handle.progress
        )
        xy = np.full((len(read), 2), np.nan, np.float32)
        xy[read] = placed.xy
        return replace(placed, xy=xy)

    return desk.later(opened, (MAP, kind, model), "Map", make)


def map_panel(desk: Desk, shown: Shown) -> MapAnswer:
    """The map of one model, or how far it is."""
    opened, view = shown.opened, shown.view
    if view.model not in opened.runs:
        words = f"{shorten(view.model)} is a column of labels; there is nothing to draw of it."
        return MapAnswer(Markup("<p>{}</p>").format(words), None, None)
    placed, job = find_map(desk, opened, view.model, view.kind)
    if placed is None:
        html = _draw(shown, None, job, "")
        return MapAnswer(html, None, None if job is None or job.finished else SOON)
    traces, note = _traces(shown, placed)
    points = {"traces": traces, "words": f"Map of {len(opened.table):,} pairs. {describe(placed)}"}
    return MapAnswer(_draw(shown, placed, None, note), points, None)


def _draw(shown: Shown, placed: Projected | None, job: JobView | None, note: str) -> Markup:
    colours = [name for name in COLOURS if name != "models" or shown.view.versus]
    return draw(
        "analyse/map.html",
        view=shown.view,
        ready=placed is not None,
        job=job,
        note=note,
        words="" if placed is None else describe(placed),
        colours=[(name, COLOURS[name]) for name in colours],
    )


def _traces(shown: Shown, placed: Projected) -> tuple[list[dict[str, Any]], str]:
    """The points by colour; what the filters leave out stands faintly behind."""
    table = shown.opened.table
    there = np.flatnonzero(~np.isnan(placed.xy[:, 0]))
    chosen = np.zeros(len(table), bool)
    chosen[shown.rows] = True
    rng = np.random.default_rng(0)
    front, back = there[chosen[there]], there[~chosen[there]]
    note = ""
    if len(there) > MOST_POINTS:
        front = np.sort(rng.permutation(front)[:MOST_POINTS])
        back = np.sort(rng.permutation(back)[: max(0, MOST_POINTS - len(front))])
        note = (
            f"{len(front) + len(back):,} of {len(there):,} placed pairs are drawn, chosen by "
            "chance; an area that you draw takes all the pairs inside it."
        )
    traces = []
    if len(back):
        traces.append(_trace(table, placed, back, "not in the filters", _NO_COLOUR, faint=True))
    for name, colour, symbol, rows in _groups(shown, front):
        traces.append(_trace(table, placed, rows, name, colour, symbol))
    for name, row in (("row under the glass", shown.view.row), ("pinned", shown.view.pinned)):
        if row is not None and row in there:
            own = _trace(table, placed, np.array([row]), name, "#e0a100", "star")
            traces.append(own | {"big": True})
    return traces, note


def _trace(
    table: PairTable,
    placed: Projected,
    rows: np.ndarray,
    name: str,
    colour: str,
    symbol: str = "circle",
    faint: bool = False,
) -> dict[str, Any]:
    cells = table.page(rows, 0, len(rows), ["premise", "label"])
    return {
        "name": _plain(name),
        "colour": colour,
        "symbol": symbol,
        "faint": faint,
        "x": [round(float(x), 5) for x in placed.xy[rows, 0]],
        "y": [round(float(y), 5) for y in placed.xy[rows, 1]],
        "rows": rows.tolist(),
        "text": [_hover(one["premise"], one["label"]) for one in cells],
    }


def _hover(premise: str, label: str | None) -> str:
    texts = (shorten(premise, 110), shorten(label, 40) if label else "no true label")
    return "<br>".join(map(_plain, texts))


def _plain(text: str) -> str:
    """A text for Plotly, which reads tags and braces, so that their signs are spelt out."""
    return plotly_text(text).replace("{", "(").replace("}", ")")


def _groups(shown: Shown, rows: np.ndarray) -> list[tuple[str, str, str, np.ndarray]]:
    """Name, colour, symbol and rows of each group of points."""
    table, view = shown.opened.table, shown.view
    name = view.colour
    if name == "models" and view.versus:
        return _by_models(shown, rows)
    column = {"verdict": shown.name("verdict"), "right": shown.name("right")}.get(name, name)
    column = "label" if column == "models" else column
    cells = np.array([one[column] for one in table.page(rows, 0, len(rows), [column])], object)
    found = []
    values = [value for value, _ in table.values(column, rows, most=MOST_GROUPS)]
    for place, value in enumerate(values):
        own = rows[np.array([cell == value for cell in cells], bool)]
        found.append((*_looks(name, value, place), own))
    others = rows[np.array([cell not in values for cell in cells], bool)]
    return [*found, ("others", _NO_COLOUR, "circle", others)] if len(others) else found


def _looks(name: str, value: Any, place: int) -> tuple[str, str, str]:
    if name == "right":
        words = {True: "right", False: "wrong", None: "no true label"}[value]
        return (
            words,
            {True: "holds", False: "fails", None: _NO_COLOUR}[value],
            ("x" if value is False else "circle"),
        )
    if value is None:
        return "not given", _NO_COLOUR, "circle"
    if value in TONES:
        return str(value), TONES[value], SYMBOLS[value]
    shown = relation_name(str(value)) if name == "relation" else str(value)
    return shorten(shown, 40), _PALETTE[place % len(_PALETTE)], "circle"


def _by_models(shown: Shown, rows: np.ndarray) -> list[tuple[str, str, str, np.ndarray]]:
    a, b = shown.view.model, shown.view.versus
    names = [shown.name("right", a), shown.name("right", b)]
    cells = shown.opened.table.page(rows, 0, len(rows), names)
    looks = {
        (True, True): ("both right", "holds", "circle"),
        (True, False): (f"only {a}", "open", "diamond"),
        (False, True): (f"only {b}", "other", "square"),
        (False, False): ("both wrong", "fails", "x"),
        (None, None): ("no true label", _NO_COLOUR, "circle"),
    }
    found = []
    for key, look in looks.items():
        own = rows[np.array([(one[names[0]], one[names[1]]) == key for one in cells], bool)]
        if len(own):
            found.append((*look, own))
    return found


def area(shown: Shown, polygon: Any) -> list[dict[str, Any]]:
    """The condition of lying inside an area that was drawn on the map.

    Raises:
        InputError: it is no polygon.
    """
    x, y = place_names(shown.view.kind, shown.view.model)
    values = {"kind": "inside", "x": x, "y": y, "polygon": polygon}
    return conditions_json(Query.from_json({"conditions": [values]}).conditions)
