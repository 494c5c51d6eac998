"""The two pictures, as Plotly figures; no data of a visitor reaches them unescaped."""

from __future__ import annotations

import textwrap
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from symdemo.classifier.explaining import rotation_likeness
from symdemo.classifier.index import unit_rows
from symdemo.text import shorten
from symdemo.ui.shared.answers import Answer
from symdemo.ui.shared.figures import (
    COLOURS,
    QUERY_COLOUR,
    base_layout,
    in_words,
    plotly_text,
    to_figure,
)
from symdemo.ui.shared.html import wording

if TYPE_CHECKING:
    from symdemo.pairs import Pair

OTHER_COLOURS = ("#9a6fc4", "#b8860b", "#c2508c", "#5f8f3a")
SYMBOLS = {"holds": "circle", "fails": "diamond", "open": "square"}
OTHER_SYMBOLS = ("triangle-up", "cross", "pentagon", "x")

WIDEST = 150  # degrees on the picture that a scale's own angle is drawn at, left and right of zero
SCALES = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60, 90)
HELD = 0.99  # the share of the amplitude that has to lie inside the scale
MAX_POINTS = 1_000
RING = 0.24
"""How much smaller the ring of each further label is drawn."""

ROTATION_CAPTION = Markup(
    "<p>How far each coordinate is turned on the way from the first sentence to the second: yours "
    "on the outer ring, and inside it the mean of what was taught under each label.</p>"
    '<p><b class="figure">Most like {}.</b> How alike (1 is the same): {}.</p>'
)
MAP_CAPTION = Markup(
    "<p>Every remembered example as a point, yours as a star, with lines to its nearest ones.{}{} "
    "Two axes show {:.0%} of the differences, so what is near on the map need not be near; the "
    "distances of the list are the true ones.</p>"
)


def scale_of(phases: np.ndarray, amplitudes: np.ndarray) -> float:
    """The angle in degrees to zoom to: the smallest round one that holds 99% of the amplitude.

    180 means no zoom: angles are drawn as they are.
    """
    degrees = np.abs(np.degrees(phases))
    order = np.argsort(degrees, kind="stable")
    held = np.cumsum(amplitudes[order])
    if not len(held) or held[-1] <= 0:
        return 180.0
    bound = degrees[order][int(np.searchsorted(held, HELD * held[-1]).clip(max=len(held) - 1))]
    return float(next((scale for scale in SCALES if bound <= scale), 180))


def draw_rotation(answer: Answer) -> dict[str, Any] | None:
    """The pair's rotation on a circle, and the mean one of each label on rings inside it.

    Zero is on top, and larger points weigh more. None for a model that has no rotation.
    """
    model = answer.model.classifier
    likeness = rotation_likeness(model, answer.prediction)
    if likeness is None:
        return None
    rings = [
        ("your sentence", QUERY_COLOUR, answer.prediction.phases, answer.prediction.amplitudes)
    ]
    for place, label in enumerate(likeness.means):
        style = wording(label).style
        colour = COLOURS.get(style, OTHER_COLOURS[place % len(OTHER_COLOURS)])
        rings.append((label, colour, likeness.phases(label), likeness.amplitudes(label)))
    scale = max(scale_of(phases, amplitudes) for _, _, phases, amplitudes in rings)
    traces = [_ring(*ring, scale, 1 - RING * place) for place, ring in enumerate(rings)]
    layout = base_layout(height=360, margin={"l": 4, "r": 4, "t": 8, "b": 8})
    axis = {"visible": False, "range": [-1.4, 1.4], "fixedrange": True}
    layout |= {"xaxis": axis, "yaxis": axis | {"scaleanchor": "x", "range": [-1.16, 1.28]}}
    layout |= {"showlegend": True, "legend": {"orientation": "h", "x": 0, "y": -0.02}}
    ring = {"type": "circle", "layer": "below", "line": {"color": QUERY_COLOUR, "width": 1}}
    radii = [1 - RING * place for place in range(len(rings))]
    layout["shapes"] = [ring | {"x0": -r, "x1": r, "y0": -r, "y1": r} for r in radii]
    layout["annotations"] = [_tick(angle, angle * _zoom(scale)) for angle in _ticks(scale)]
    return to_figure(traces, layout)


def _zoom(scale: float) -> float:
    return 1.0 if scale == 180 else WIDEST / scale


def _ring(
    name: str,
    colour: str,
    phases: np.ndarray,
    amplitudes: np.ndarray,
    scale: float,
    radius: float,
) -> dict[str, Any]:
    """The coordinates of one label embedding on a circle of its own."""
    degrees = np.degrees(phases)
    inside = np.abs(degrees) <= scale
    zoom = _zoom(scale)
    drawn = np.radians(np.clip(degrees * zoom, -WIDEST, WIDEST) if zoom > 1 else degrees)
    weight = np.sqrt(amplitudes / max(float(amplitudes.max(initial=0)), 1e-12))
    return {
        "type": "scatter",
        "mode": "markers",
        "name": plotly_text(shorten(name, 40)),
        "x": (radius * np.sin(drawn)).round(4).tolist(),
        "y": (radius * np.cos(drawn)).round(4).tolist(),
        "marker": {
            "size": (4 + 12 * weight).round(1).tolist(),
            "opacity": (0.15 + 0.6 * weight).round(2).tolist(),
            "color": colour,
            "symbol": np.where(inside, "circle", "circle-open").tolist(),
            "line": {"width": 1, "color": colour},
        },
        "hoverinfo": "text",
        "hovertext": [
            f"coordinate {i + 1}<br>angle {angle:+.2f}°<br>amplitude {size:.4f}"
            for i, (angle, size) in enumerate(zip(degrees, amplitudes, strict=True))
        ],
    }


def _ticks(scale: float) -> list[float]:
    return [-90, 0, 90, 180] if scale == 180 else [-scale, -scale / 2, 0, scale / 2, scale]


def _tick(angle: float, drawn: float) -> dict[str, Any]:
    turn = np.radians(drawn)
    return {
        "x": round(1.24 * float(np.sin(turn)), 4),
        "y": round(1.16 * float(np.cos(turn)), 4),
        "text": "0°" if angle == 0 else f"{angle:+g}°".replace("-", "−"),
        "showarrow": False,
        "font": {"size": 12},
    }


def rotation_caption(answer: Answer) -> str:
    """What the picture of the rotation shows, and which mean rotation the pair's is most like."""
    likeness = rotation_likeness(answer.model.classifier, answer.prediction)
    if likeness is None:
        return ""
    told = [
        f"The mean rotation of what was taught as {label}: cosine similarity {cosine:.2f}."
        for label, cosine in likeness.cosines.items()
    ]
    shares = sorted(likeness.cosines.items(), key=lambda item: -item[1])
    return ROTATION_CAPTION.format(
        shorten(likeness.closest, 40),
        ", ".join(f"{shorten(label, 40)} {cosine:.2f}" for label, cosine in shares),
    ) + in_words("rotation", "The rotation of your pair beside the mean of each label", told)


def draw_map(answer: Answer) -> dict[str, Any]:
    """Taught label embeddings on two axes, the query among them, joined to its neighbours."""
    plane, index = answer.model.plane, answer.model.classifier.index
    near = [neighbour.row for neighbour in answer.prediction.neighbours]
    shown = _sample(len(index), near)
    query = plane.place(unit_rows(answer.prediction.label_embedding[None]))[0].astype(float)
    traces = [_spokes(query, plane.place(index.embeddings[near]))]
    for place, label in enumerate(index.labels):
        rows = [row for row in shown if index.pairs[row].label == label]
        traces.append(_cloud(label, place, rows, near, answer))
    traces.append(
        {
            "type": "scatter",
            "mode": "markers",
            "name": "your sentence",
            "x": [round(float(query[0]), 4)],
            "y": [round(float(query[1]), 4)],
            "marker": {"symbol": "star", "size": 20, "color": "#e0a100", "line": {"width": 1.5}},
            "hoverinfo": "text",
            "hovertext": [_hover(answer.prediction.pair, "your sentence")],
        }
    )
    layout = base_layout(height=380, margin={"l": 8, "r": 8, "t": 8, "b": 8})
    axis = {
        "showticklabels": False,
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
        "title": None,
    }
    layout |= {"xaxis": axis, "yaxis": dict(axis), "showlegend": True}
    layout["legend"] = {"orientation": "h", "x": 0, "y": -0.02, "yanchor": "top"}
    return to_figure(traces, layout)


def _sample(n: int, always: list[int]) -> list[int]:
    """At most `MAX_POINTS` rows of n, evenly spaced, and `always` among them."""
    if n <= MAX_POINTS:
        return list(range(n))
    return sorted({*np.linspace(0, n - 1, MAX_POINTS).astype(int).tolist(), *always})


def _spokes(query: np.ndarray, points: np.ndarray) -> dict[str, Any]:
    x, y = [], []
    for point in points.round(4).tolist():
        x += [round(float(query[0]), 4), point[0], None]
        y += [round(float(query[1]), 4), point[1], None]
    line = {"color": QUERY_COLOUR, "width": 1.2, "dash": "dot"}
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": y,
        "line": line,
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _cloud(
    label: str, place: int, rows: list[int], near: list[int], answer: Answer
) -> dict[str, Any]:
    style, index = wording(label).style, answer.model.classifier.index
    pairs, points = index.pairs, answer.model.plane.place(index.embeddings[rows]).round(4)
    return {
        "type": "scatter",
        "mode": "markers",
        "name": plotly_text(shorten(label, 40)),
        "x": points[:, 0].tolist(),
        "y": points[:, 1].tolist(),
        "marker": {
            "symbol": SYMBOLS.get(style, OTHER_SYMBOLS[place % len(OTHER_SYMBOLS)]),
            "color": COLOURS.get(style, OTHER_COLOURS[place % len(OTHER_COLOURS)]),
            "size": [12 if row in near else 8 for row in rows],
            "opacity": [1.0 if row in near else 0.65 for row in rows],
        },
        "hoverinfo": "text",
        "hovertext": [_hover(pairs[row], label) for row in rows],
    }


def _hover(pair: Pair, label: str) -> str:
    """Both sentences, wrapped and escaped: Plotly reads its texts as a small HTML."""
    lines = [
        line
        for text in (pair.premise, f"⇄ {pair.hypothesis}")
        for line in textwrap.wrap(shorten(text, 240), 44)
    ]
    label = Markup("<b>{}</b>").format(shorten(label, 40))
    return str(Markup("<br>").join([*lines, label]))


def map_caption(answer: Answer) -> Markup:
    """What the map shows and what it leaves out."""
    model, share = answer.model.classifier, sum(answer.model.plane.explained)
    n, taught = len(model.index), model.card.data.get("pairs")
    kept = ""
    if isinstance(taught, int) and taught > n:
        kept = f" Of {taught:,} taught pairs it remembers {n:,} as examples."
    sample = f" {MAX_POINTS:,} of {n:,} are drawn." if n > MAX_POINTS else ""
    return MAP_CAPTION.format(kept, sample, share) + in_words(
        "map", "Map of what the model remembers, with your sentence", _told(answer)
    )


def _told(answer: Answer) -> list[str]:
    """The map in words: whose cloud is how large, and what lies nearest."""
    counts = Counter(pair.label for pair in answer.model.classifier.index.pairs)
    clouds = ", ".join(f"{count:,} {label}" for label, count in counts.most_common())
    near = [
        f"{neighbour.pair.premise} ({neighbour.label}, distance {neighbour.distance:.2f})"
        for neighbour in answer.prediction.neighbours
    ]
    return [f"Remembered examples: {clouds}.", "Nearest to yours: " + "; ".join(near) + "."]
