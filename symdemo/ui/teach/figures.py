"""The learning curves of a training: how wrong it still is, and how much it gets right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from symdemo.ui.shared.figures import COLOURS, QUERY_COLOUR, base_layout, to_figure

HEIGHT = 300
TITLES = ("Still wrong (loss)", "Right on rows kept back")


def draw_curves(points: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Loss above, held-out accuracy below, over the steps; None before the first step.

    Args:
        points: of a learning curve, each with `step`, `total`, `loss` and `accuracy` (in [0, 1],
            None between measurements).
    """
    points = [p for p in points if isinstance(p, Mapping) and _drawable(p, "step")]
    loss = [(p["step"], p["loss"]) for p in points if _drawable(p, "loss")]
    if not loss:
        return None
    accuracy = [(p["step"], 100 * p["accuracy"]) for p in points if _drawable(p, "accuracy")]
    total = max([p["total"] for p in points if _drawable(p, "total")] or [loss[-1][0]])
    traces = [
        _trace(loss, COLOURS["fails"], "y", "lines", "step %{x}<br>loss %{y:.3f}"),
        _trace(accuracy, COLOURS["holds"], "y2", "lines+markers", "step %{x}<br>%{y:.0f}% right"),
    ]
    layout = base_layout(HEIGHT, {"l": 44, "r": 12, "t": 26, "b": 34})
    axis = {"fixedrange": True, "zeroline": False, "gridcolor": "rgba(138,143,152,0.25)"}
    layout |= {
        "xaxis": axis | {"range": [0, total], "anchor": "y2", "title": {"text": "step"}},
        "yaxis": axis | {"domain": [0.58, 1], "rangemode": "tozero", "nticks": 4},
        "yaxis2": axis
        | {
            "domain": [0, 0.4],
            "range": [-4, 104],
            "tickvals": [0, 50, 100],
            "ticktext": ["0%", "50%", "100%"],
        },
        "annotations": [_title(text, top) for text, top in zip(TITLES, (1.0, 0.4), strict=True)],
    }
    return to_figure(traces, layout)


def _drawable(point: Mapping[str, Any], name: str) -> bool:
    value = point.get(name)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and isfinite(value)


def _trace(points, colour: str, axis: str, mode: str, hover: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": mode,
        "x": [x for x, _ in points],
        "y": [round(y, 5) for _, y in points],
        "yaxis": axis,
        "line": {"color": colour, "width": 2},
        "marker": {"color": colour, "size": 9},
        "hovertemplate": hover + "<extra></extra>",
    }


def _title(text: str, top: float) -> dict[str, Any]:
    return {
        "text": text,
        "x": 0,
        "y": top,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 13, "color": QUERY_COLOUR},
    }
