"""Accuracy against labelled pairs as a Plotly figure; texts of a report are escaped."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from symdemo.evaluation.results import PaperReport
from symdemo.ui.benchmark.words import VERSION_NAMES, method_name, spread_words
from symdemo.ui.shared.figures import (
    FAINT,
    GRID,
    axis,
    base_layout,
    faded,
    legend,
    note,
    plotly_text,
    to_figure,
)
from symdemo.ui.shared.html import count, plain

TICKS = (7, 14, 28, 56, 112)
CHANCE = 0.45
"""The accuracy axis begins here at the latest, so that the height above chance can be judged."""


class Look(NamedTuple):
    """How a method is told from the others, with and without colours.

    Sizes differ so that of several marks on one place, each still shows around the next.
    """

    colour: str
    symbol: str
    dash: str
    size: int


LOOKS = {
    "random-label-embeddings": Look("#9a6fc4", "diamond", "dot", 13),
    "knn": Look("#1f9d83", "circle", "solid", 11),
    "knn-learnt-metric": Look("#d9603f", "square", "dash", 9),
    "fine-tuning": Look("#5a82c8", "triangle-up", "dashdot", 8),
}
OTHER_LOOK = Look("#b8860b", "x", "longdash", 7)


def draw_accuracy(report: PaperReport, encoder: str | None, version: str) -> dict[str, Any] | None:
    """Accuracy against labelled pairs: median lines, bands least to most."""
    methods = [row["method"] for row in report.rows("methods", encoder)]
    traces: list[dict[str, Any]] = []
    for method in methods:
        traces += _curve(report.curve(encoder, method), method, version)
    if not traces:
        return None
    lows = [low for t in traces for low in t.pop("lows", ())]
    xs = [x for t in traces for x in t["x"]]
    floor = math.floor(min([100 * CHANCE, *lows]) / 5) * 5
    layout = base_layout(height=430, margin={"l": 46, "r": 10, "t": 8, "b": 48})
    layout |= {"showlegend": True, "legend": legend(-0.17)}
    layout["xaxis"] = axis("labelled pairs (logarithmic)") | {
        "type": "log",
        "range": [math.log10(min(xs) * 0.88), math.log10(max(xs) * 2.2)],
        "tickvals": list(TICKS),
        "ticktext": [str(tick) for tick in TICKS],
    }
    layout["yaxis"] = axis("accuracy, %") | {
        "range": [floor, 102],
        "tickvals": list(range(floor if floor % 10 == 0 else floor + 5, 101, 10)),
    }
    layout["shapes"], layout["annotations"] = [], []
    _add_baseline(layout, report, encoder, version)
    return to_figure(traces, layout)


def _curve(rows: Sequence[Mapping[str, Any]], method: str, version: str) -> list[dict[str, Any]]:
    """Line and band over sizes that all seeds were measured at; the other sizes as hollow points.

    Medians over other seeds are not joined: the line would rise and fall with the seeds.
    """
    look, name = LOOKS.get(method, OTHER_LOOK), plotly_text(method_name(method))
    rows = [row for row in rows if row.get(version)]
    seeds = max((row[version]["n"] for row in rows), default=0)
    whole = [row for row in rows if row[version]["n"] == seeds]
    part = [row for row in rows if row not in whole]
    traces = []
    base = {"type": "scatter", "legendgroup": name, "name": name}
    if len(whole) > 1:
        x = [row["samples"] for row in whole]
        edge = [percent(row[version]["most"]) for row in whole]
        edge += [percent(row[version]["least"]) for row in reversed(whole)]
        traces.append(
            base
            | {
                "x": [*x, *reversed(x)],
                "y": edge,
                "mode": "lines",
                "fill": "toself",
                "fillcolor": faded(look.colour, 0.16),
                "line": {"width": 0},
                "hoverinfo": "skip",
                "showlegend": False,
            }
        )
    for rows_, hollow in ((whole, False), (part, True)):
        if rows_:
            traces.append(base | _points(rows_, version, look, name, hollow))
            traces[-1]["showlegend"] = not hollow or not whole
    return traces


def _points(
    rows: Sequence[Mapping[str, Any]], version: str, look: Look, name: str, hollow: bool
) -> dict[str, Any]:
    values = [row[version] for row in rows]
    trace = {
        "mode": "markers" if hollow else "lines+markers",
        "x": [row["samples"] for row in rows],
        "y": [percent(value["median"]) for value in values],
        "line": {"color": look.colour, "dash": look.dash, "width": 2.2},
        "marker": {
            "color": look.colour,
            "symbol": look.symbol + ("-open" if hollow else ""),
            "size": look.size,
            "line": {"width": 1.6, "color": look.colour},
        },
        "hoverinfo": "text",
        "hovertext": [
            f"<b>{name}</b><br>{row['samples']} pairs, {count(value['n'], 'seed')}<br>"
            f"{spread_words(value, 1, 100, '%')}"
            for row, value in zip(rows, values, strict=True)
        ],
        "lows": [percent(value["least"]) for value in values],
    }
    if hollow:
        trace["error_y"] = error(values, look.colour, 100)
    return trace


def _add_baseline(
    layout: dict[str, Any], report: PaperReport, encoder: str | None, version: str
) -> None:
    probe = dict(next(iter(report.rows("probes", encoder)), {})).get(version)
    if not probe:
        return
    y = percent(probe["median"])
    line = {"color": FAINT, "width": 1.4, "dash": "longdash"}
    layout["shapes"].append(
        {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": y, "y1": y, "line": line}
    )
    words = f"untouched encoder: {plain(y, 1)}%"
    layout["annotations"].append(note(words, x=0, y=y, yanchor="bottom", xshift=4))


def error(values: Sequence[Mapping[str, float]], colour: str, factor: float) -> dict[str, Any]:
    """Whiskers from least to most."""
    return {
        "type": "data",
        "symmetric": False,
        "array": [round(factor * (value["most"] - value["median"]), 4) for value in values],
        "arrayminus": [round(factor * (value["median"] - value["least"]), 4) for value in values],
        "color": colour,
        "thickness": 1.4,
        "width": 4,
    }


def percent(share: float) -> float:
    """A share in percent."""
    return round(100 * share, 3)


class Mark(NamedTuple):
    """A mark in the picture of forgetting: its name in the legend and its looks."""

    name: str
    symbol: str
    colour: str
    offset: float


STS_WITH = Mark("STS-B, with retention", "circle", "#1f9d83", 0.12)
STS_WITHOUT = Mark("STS-B, without", "circle-open", "#d9603f", 0.12)
NLI_WITH = Mark("NLI, with retention", "square", "#1f9d83", -0.12)
NLI_WITHOUT = Mark("NLI, without", "square-open", "#d9603f", -0.12)
BOUGHT = ((STS_WITH, "with retention"), (STS_WITHOUT._replace(offset=-0.12), "without"))


def draw_forgetting(
    report: PaperReport, encoder: str | None, version: str
) -> dict[str, Any] | None:
    """A row for each method: left what was lost, right the accuracy that it bought."""
    rows = report.rows("methods", encoder)
    marks: dict[Mark, list[tuple[float, Any, str]]] = {}
    bought: dict[Mark, list[tuple[float, Any, str]]] = {}
    for i, row in enumerate(rows):
        name = plotly_text(method_name(row["method"]))
        for mark, spread, words in _losses(row):
            marks.setdefault(mark, []).append(
                (mark.offset - i, spread, f"<b>{name}</b><br>{words}")
            )
        for mark, key in BOUGHT:
            accuracy = ((row.get("forgetting") or {}).get(key) or {}).get(version)
            words = f"<b>{name}</b>, {_term(key)}<br>accuracy {VERSION_NAMES[version]}: "
            words += spread_words(accuracy, 1, 100, "%")
            bought.setdefault(mark, []).append((mark.offset - i, accuracy, words))
    if not marks:
        return None
    order = [STS_WITH, STS_WITHOUT, NLI_WITH, NLI_WITHOUT]
    traces = [_mark(mark, marks[mark], 1, "x") for mark in order if mark in marks]
    traces += [
        _mark(mark, points, 100, "x2") | {"showlegend": False} for mark, points in bought.items()
    ]
    lows = [
        100 * spread["least"] for points in bought.values() for _, spread, _ in points if spread
    ]
    names = [plotly_text(method_name(row["method"])) for row in rows]
    return to_figure([trace for trace in traces if trace["x"]], _layout(names, lows))


def _layout(names: Sequence[str], lows: Sequence[float]) -> dict[str, Any]:
    """Two axes on common rows; accuracies reach from the least, and at most 95%, to 100%."""
    n, floor = len(names), min([95.0, *lows])
    room = (100 - floor) * 0.08
    layout = base_layout(height=130 + 74 * n, margin={"l": 8, "r": 12, "t": 8, "b": 48})
    layout |= {"showlegend": True, "legend": legend(-0.16)}
    layout["xaxis"] = axis("points lost") | {"domain": [0, 0.62], "rangemode": "tozero"}
    layout["xaxis"] |= {"zeroline": True, "zerolinecolor": FAINT, "zerolinewidth": 1.5}
    layout["xaxis2"] = axis("accuracy, %") | {"domain": [0.7, 1], "nticks": 4, "tickangle": 0}
    layout["xaxis2"]["range"] = [floor - room, 100 + room]
    layout["yaxis"] = {"visible": False, "fixedrange": True, "range": [0.55 - n, 0.62]}
    beside_zero = {"xref": "x", "x": 0, "xshift": 7}
    layout["annotations"] = [
        note(f"<b>{name}</b>", y=0.34 - i, yanchor="middle", **beside_zero)
        for i, name in enumerate(names)
    ]
    layout["shapes"] = [
        {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": 0.53 - i, "y1": 0.53 - i}
        | {"line": {"color": GRID, "width": 1}}
        for i in range(1, n)
    ]
    return layout


def _losses(row: Mapping[str, Any]) -> list[tuple[Mark, Any, str]]:
    """The marks of one method: STS-B and NLI, each with and without the term."""
    found: list[tuple[Mark, Any, str]] = []
    forgetting, loss = row.get("forgetting") or {}, (row.get("nli") or {}).get("loss") or {}
    for mark, key in ((STS_WITH, "with retention"), (STS_WITHOUT, "without")):
        found.append((mark, (forgetting.get(key) or {}).get("sts_loss"), f"STS-B, {_term(key)}"))
    for mark, key in ((NLI_WITH, "with"), (NLI_WITHOUT, "without")):
        found.append((mark, loss.get(key), f"NLI, {_term(key)}"))
    return [
        (mark, spread, f"{words}<br>{spread_words(spread, 2)} points lost{_seeds(spread)}")
        for mark, spread, words in found
        if spread
    ]


def _seeds(spread: Mapping[str, int]) -> str:
    return f", {count(spread['n'], 'seed')}" if "n" in spread else ""


def _term(key: str) -> str:
    return "without the retention term" if key == "without" else "with the retention term"


def _mark(
    mark: Mark, points: Sequence[tuple[float, Any, str]], factor: float, axis: str
) -> dict[str, Any]:
    points = [point for point in points if point[1]]
    values = [spread for _, spread, _ in points]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": mark.name,
        "x": [round(value["median"] * factor, 4) for value in values],
        "y": [y for y, *_ in points],
        "xaxis": axis,
        "yaxis": "y",
        "marker": {
            "symbol": mark.symbol,
            "color": mark.colour,
            "size": 11,
            "line": {"width": 2, "color": mark.colour},
        },
        "error_x": error(values, mark.colour, factor),
        "hoverinfo": "text",
        "hovertext": [words for *_, words in points],
    }
