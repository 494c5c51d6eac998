"""The two pictures, the rotation and the map, as Plotly figures with their captions."""

from __future__ import annotations

import textwrap
from collections import Counter
from typing import Any

import numpy as np
from markupsafe import Markup

from symdemo.classifier.explaining import rotation_likeness
from symdemo.classifier.index import unit_rows
from symdemo.pairs import Pair
from symdemo.text import shorten
from symdemo.ui.shared import figures
from symdemo.ui.shared.answers import LoadedAnswer
from symdemo.ui.shared.html import draw, wording

OTHER_COLOURS = ("#9a6fc4", "#b8860b", "#c2508c", "#5f8f3a")
SYMBOLS = {"holds": "circle", "fails": "diamond", "open": "square"}
OTHER_SYMBOLS = ("triangle-up", "cross", "pentagon", "x")

WIDEST = 150  # degrees from the top at which a zoomed picture draws the angle of its scale
SCALES = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60, 90)
HELD = 0.99  # share of the amplitude that lies within the scale
MAX_POINTS = 1_000
RING = 0.24  # difference in radius between the rings of two labels


def scale_of(phases: np.ndarray, amplitudes: np.ndarray) -> float:
    """Return the smallest of `SCALES`, in degrees, that holds 99% of the amplitude; 180 if none.

    `phases` (n,) are in radians. A picture zooms to that angle; 180 means no zoom.
    """
    if not amplitudes.any():
        return 180.0
    degrees = np.abs(np.degrees(phases))
    bound = np.quantile(degrees, HELD, weights=amplitudes, method="inverted_cdf")
    return float(next((scale for scale in SCALES if bound <= scale), 180))


def draw_rotation(answer: LoadedAnswer) -> tuple[dict[str, Any], Markup] | None:
    """Draw the pair's rotation on a circle, and the mean one of each label on rings inside it.

    Zero is on top, and larger points have a larger amplitude. Returns the figure and its caption,
    or None for a model without a rotation.
    """
    likeness = rotation_likeness(answer.model.classifier, answer.prediction)
    if likeness is None:
        return None
    pair = answer.prediction
    rings = [("your sentence", figures.QUERY_COLOUR, pair.phases, pair.amplitudes)]
    for place, (label, mean) in enumerate(likeness.means.items()):
        phases, amplitudes = np.angle(mean), np.abs(mean)
        rings.append((label, _marker(label, place)["color"], phases, amplitudes))
    radii = [1 - RING * place for place in range(len(rings))]
    scale = max(scale_of(phases, amplitudes) for _, _, phases, amplitudes in rings)
    zoom = 1.0 if scale == 180 else WIDEST / scale
    layout = figures.base_layout(height=360, margin={"l": 4, "r": 4, "t": 8, "b": 8})
    axis = {"visible": False, "range": [-1.4, 1.4], "fixedrange": True}
    line = {"color": figures.QUERY_COLOUR, "width": 1}
    circle = {"type": "circle", "layer": "below", "line": line}
    ticks = [-90, 0, 90, 180] if scale == 180 else [-scale, -scale / 2, 0, scale / 2, scale]
    layout |= {
        "xaxis": axis,
        "yaxis": axis | {"scaleanchor": "x", "range": [-1.16, 1.28]},
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": -0.02},
        "shapes": [circle | {"x0": -r, "x1": r, "y0": -r, "y1": r} for r in radii],
        "annotations": [_tick(angle, np.radians(angle * zoom)) for angle in ticks],
    }
    traces = []
    for radius, (name, colour, phases, amplitudes) in zip(radii, rings, strict=True):
        degrees = np.degrees(phases)
        drawn = np.radians(np.clip(degrees * zoom, -WIDEST, WIDEST) if zoom > 1 else degrees)
        weight = np.sqrt(amplitudes / max(float(amplitudes.max(initial=0)), 1e-12))
        marker = {
            "size": (4 + 12 * weight).round(1).tolist(),
            "opacity": (0.15 + 0.6 * weight).round(2).tolist(),
            "color": colour,
            "symbol": np.where(np.abs(degrees) <= scale, "circle", "circle-open").tolist(),
            "line": {"width": 1, "color": colour},
        }
        hover = [
            f"coordinate {i + 1}<br>angle {angle:+.2f}°<br>amplitude {size:.4f}"
            for i, (angle, size) in enumerate(zip(degrees, amplitudes, strict=True))
        ]
        x, y = ((radius * turn(drawn)).round(4).tolist() for turn in (np.sin, np.cos))
        traces.append(figures.markers(figures.plotly_text(shorten(name, 40)), x, y, marker, hover))
    told = [
        f"The mean rotation of the examples of {label}: cosine similarity {cosine:.2f}."
        for label, cosine in likeness.cosines.items()
    ]
    title = "The rotation of your pair beside the mean of each label"
    caption = draw("try_it/rotation.html", likeness=likeness)
    return figures.to_figure(traces, layout), caption + figures.in_words("rotation", title, told)


def _marker(label: str, place: int) -> dict[str, Any]:
    """Return colour and symbol of a label by its style, or else by its place among the labels."""
    style, place = wording(label).style, place % len(OTHER_COLOURS)
    return {
        "color": figures.COLOURS.get(style, OTHER_COLOURS[place]),
        "symbol": SYMBOLS.get(style, OTHER_SYMBOLS[place]),
    }


def _tick(angle: float, turn: float) -> dict[str, Any]:
    return {
        "x": round(1.24 * float(np.sin(turn)), 4),
        "y": round(1.16 * float(np.cos(turn)), 4),
        "text": "0°" if angle == 0 else f"{angle:+g}°".replace("-", "−"),
        "showarrow": False,
        "font": {"size": 12},
    }


def draw_map(answer: LoadedAnswer) -> dict[str, Any]:
    """Draw known label embeddings on two axes, the query among them, joined to its neighbours."""
    plane, index = answer.model.plane, answer.model.classifier.index
    near = [neighbour.row for neighbour in answer.prediction.neighbours]
    shown: list[int] = list(range(len(index)))
    if len(index) > MAX_POINTS:  # evenly spaced, and the neighbours
        shown = sorted({*np.linspace(0, len(index) - 1, MAX_POINTS).astype(int).tolist(), *near})
    query = unit_rows(answer.prediction.label_embedding[None])
    x, y = plane.place(query)[0].astype(float).round(4).tolist()
    points = plane.place(index.embeddings).round(4)
    lines = {
        "type": "scatter", "mode": "lines", "hoverinfo": "skip", "showlegend": False,
        "x": [value for row in near for value in (x, float(points[row, 0]), None)],
        "y": [value for row in near for value in (y, float(points[row, 1]), None)],
        "line": {"color": figures.QUERY_COLOUR, "width": 1.2, "dash": "dot"},
    }  # fmt: skip
    traces = [lines]
    for place, label in enumerate(index.labels):
        rows = [row for row in shown if index.pairs[row].label == label]
        marker = _marker(label, place) | {
            "size": [12 if row in near else 8 for row in rows],
            "opacity": [1.0 if row in near else 0.65 for row in rows],
        }
        hover = [_hover(index.pairs[row], label) for row in rows]
        across, up = points[rows].T.tolist()
        name = figures.plotly_text(shorten(label, 40))
        traces.append(figures.markers(name, across, up, marker, hover))
    star = {"symbol": "star", "size": 20, "color": "#e0a100", "line": {"width": 1.5}}
    hover = [_hover(answer.prediction.pair, "your sentence")]
    traces.append(figures.markers("your sentence", [x], [y], star, hover))
    layout = figures.base_layout(height=380, margin={"l": 8, "r": 8, "t": 8, "b": 8})
    axis = {"showticklabels": False, "showgrid": False, "zeroline": False, "fixedrange": True}
    layout |= {"xaxis": axis, "yaxis": dict(axis)}
    layout |= {"showlegend": True, "legend": figures.legend(-0.02)}
    return figures.to_figure(traces, layout)


def _hover(pair: Pair, label: str) -> str:
    """Return both sentences, wrapped and escaped: Plotly renders its texts as a small HTML."""
    lines = [
        line
        for text in (pair.premise, f"→ {pair.hypothesis}")
        for line in textwrap.wrap(shorten(text, 240), 44)
    ]
    label = Markup("<b>{}</b>").format(shorten(label, 40))
    return str(Markup("<br>").join([*lines, label]))


def map_caption(answer: LoadedAnswer) -> Markup:
    """Explain what the map shows and leaves out."""
    model, near = answer.model.classifier, answer.prediction.neighbours
    counts = Counter(pair.label for pair in model.index.pairs).most_common()
    closest = (f"{one.pair.premise} ({one.label}, distance {one.distance:.2f})" for one in near)
    told = [
        f"Examples: {', '.join(f'{count:,} {label}' for label, count in counts)}.",
        f"Closest to yours: {'; '.join(closest)}.",
    ]
    kept = sum(answer.model.plane.explained)
    caption = draw("try_it/map.html", model=model, most=MAX_POINTS, kept=kept)
    title = "Map of the model’s examples, with your sentence"
    return caption + figures.in_words("map", title, told)
