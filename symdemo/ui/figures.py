"""The two pictures, as Plotly figures; no data of a visitor reaches them unescaped."""

from __future__ import annotations

import json
import textwrap
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from symdemo.pairs import shorten
from symdemo.ui.panels import wording

if TYPE_CHECKING:
    from gradio.components.plot import PlotData

    from symdemo.pairs import Pair
    from symdemo.prediction import Prediction
    from symdemo.ui.try_handlers import Answer

# Middle tones: each reads on white and on near-black. Texts, lines and grids are coloured by the
# style sheet, which knows whether the page is light or dark.
COLOURS = {"holds": "#1f9d83", "fails": "#d9603f", "open": "#5a82c8"}
OTHER_COLOURS = ("#9a6fc4", "#b8860b", "#c2508c", "#5f8f3a")
SYMBOLS = {"holds": "circle", "fails": "diamond", "open": "square"}
OTHER_SYMBOLS = ("triangle-up", "cross", "pentagon", "x")
QUERY_COLOUR = "#8a8f98"

WIDEST = 150  # degrees on the picture that a scale's own angle is drawn at, left and right of zero
SCALES = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60, 90)
HELD = 0.99  # the share of the amplitude that has to lie inside the scale
MAX_POINTS = 1_000


def scale_of(phases: np.ndarray, amplitudes: np.ndarray) -> float:
    """The angle in degrees to zoom to: the smallest round one that holds 99% of the amplitude.

    180 means no zoom: angles are drawn as they are.
    """
    degrees = np.abs(np.degrees(phases))
    order = np.argsort(degrees)
    held = np.cumsum(amplitudes[order])
    if not len(held) or held[-1] <= 0:
        return 180.0
    bound = degrees[order][int(np.searchsorted(held, HELD * held[-1]).clip(max=len(held) - 1))]
    return float(next((scale for scale in SCALES if bound <= scale), 180))


def draw_rotation(prediction: Prediction) -> dict[str, Any]:
    """Phases of the label embedding on a circle, zero on top, amplitude as size and weight."""
    amplitudes, degrees = prediction.amplitudes, np.degrees(prediction.phases)
    scale = scale_of(prediction.phases, amplitudes)
    zoom = 1.0 if scale == 180 else WIDEST / scale
    inside = np.abs(degrees) <= scale
    drawn = np.radians(np.clip(degrees * zoom, -WIDEST, WIDEST) if zoom > 1 else degrees)
    weight = np.sqrt(amplitudes / max(float(amplitudes.max(initial=0)), 1e-12))
    trace = {
        "type": "scatter",
        "mode": "markers",
        "x": np.sin(drawn).round(4).tolist(),
        "y": np.cos(drawn).round(4).tolist(),
        "marker": {
            "size": (4 + 14 * weight).round(1).tolist(),
            "opacity": (0.15 + 0.6 * weight).round(2).tolist(),
            "color": COLOURS["open"],
            "symbol": np.where(inside, "circle", "circle-open").tolist(),
            "line": {"width": 1, "color": COLOURS["open"]},
        },
        "hoverinfo": "text",
        "hovertext": [
            f"coordinate {i + 1}<br>angle {angle:+.2f}°<br>amplitude {size:.4f}"
            for i, (angle, size) in enumerate(zip(degrees, amplitudes, strict=True))
        ],
    }
    layout = base_layout(height=340, margin={"l": 4, "r": 4, "t": 8, "b": 8})
    axis = {"visible": False, "range": [-1.4, 1.4], "fixedrange": True}
    layout |= {"xaxis": axis, "yaxis": axis | {"scaleanchor": "x", "range": [-1.16, 1.28]}}
    ring = {"type": "circle", "x0": -1, "x1": 1, "y0": -1, "y1": 1, "layer": "below"}
    layout["shapes"] = [ring | {"line": {"color": QUERY_COLOUR, "width": 1}}]
    layout["annotations"] = [_tick(angle, angle * zoom) for angle in _ticks(scale)]
    return to_figure([trace], layout)


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


def rotation_caption(prediction: Prediction) -> str:
    """What the picture of the rotation shows, its scale, and the symmetry score."""
    degrees = np.abs(np.degrees(prediction.phases))
    scale = scale_of(prediction.phases, prediction.amplitudes)
    if scale == 180:
        zoom = "Angles are drawn as they are."
    else:
        beyond = int((degrees > scale).sum())
        zoom = f"Angles are drawn {WIDEST / scale:g} times wider."
        if beyond:
            zoom += (
                f" {beyond} faint {'point' if beyond == 1 else 'points'} beyond ±{scale:g}° sit, "
                "hollow, at the ends."
            )
    return (
        "<p>How far each coordinate is turned on the way from the first sentence to the second; "
        f"larger points weigh more. {zoom}</p>"
        f'<p><b class="figure">Symmetry {prediction.symmetry:.4f}.</b> At 1 nothing is turned, '
        "and the model sees no difference between the two directions. The verdict does not rest on "
        "this number, but on what lies near.</p>"
    )


def draw_map(answer: Answer) -> dict[str, Any]:
    """Taught label embeddings on two axes, the query among them, joined to its neighbours."""
    projection, index = answer.model.projection, answer.model.classifier.index
    near = [neighbour.row for neighbour in answer.prediction.neighbours]
    shown = _sample(len(index), near)
    query = projection.project(answer.prediction.label_embedding).astype(float)
    traces = [_spokes(query, projection.points[near])]
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
    style, pairs = wording(label).style, answer.model.classifier.index.pairs
    points = answer.model.projection.points[rows].round(4)
    return {
        "type": "scatter",
        "mode": "markers",
        "name": escape(shorten(label, 40)),
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
    return "<br>".join([*map(escape, lines), f"<b>{escape(shorten(label, 40))}</b>"])


def map_caption(answer: Answer) -> str:
    """What the map shows and what it leaves out."""
    n, share = len(answer.model.classifier.index), answer.model.projection.share
    sample = f" {MAX_POINTS:,} of {n:,} are drawn." if n > MAX_POINTS else ""
    return (
        "<p>Every taught example as a point, yours as a star, with lines to its nearest ones."
        f"{sample} Two axes show {share:.0%} of the differences, so what is near on the map need "
        "not be near; the table’s distances are the true ones.</p>"
    )


def base_layout(height: int, margin: dict[str, int]) -> dict[str, Any]:
    """A transparent layout without tools, to which a picture adds its axes."""
    return {
        "height": height,
        "margin": margin,
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "showlegend": False,
        "dragmode": False,  # so that a finger on the picture scrolls the page
        "hovermode": "closest",
        "font": {"family": "system-ui, sans-serif", "size": 13, "color": QUERY_COLOUR},
        "hoverlabel": {
            "align": "left",
            "bgcolor": "#1e293b",
            "bordercolor": "#475569",
            "font": {"size": 13, "color": "#f8fafc"},
        },
    }


def to_figure(data: list[dict[str, Any]], layout: dict[str, Any]) -> dict[str, Any]:
    """A figure as Plotly reads it, without its tool bar."""
    return {"data": data, "layout": layout, "config": {"displayModeBar": False}}


def plot_data(figure: dict[str, Any]) -> PlotData:
    """A figure for `gr.Plot`, which would drop the configuration of a Plotly object."""
    from gradio.components.plot import PlotData

    return PlotData(type="plotly", plot=json.dumps(figure))
