"""The two pictures of the tab “Benchmark” as Plotly figures; texts of a report are escaped."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from symdemo.evaluation.results import PaperReport, Row
from symdemo.ui.benchmark import words
from symdemo.ui.shared import figures
from symdemo.ui.shared.html import count, plain

TICKS = (7, 14, 28, 56, 112)
CHANCE = 45.0
"""The accuracy axis, in percent, begins here or lower, so that the height above chance shows."""
LOOKS = {
    "random-label-embeddings": ("#9a6fc4", "diamond", "dot", 13),
    "knn": ("#1f9d83", "circle", "solid", 11),
    "knn-learnt-metric": ("#d9603f", "square", "dash", 9),
    "fine-tuning": ("#5a82c8", "triangle-up", "dashdot", 8),
}
"""Colour, symbol, dash and size of a method; sizes differ so that coinciding marks all show."""
OTHER_LOOK = ("#b8860b", "x", "longdash", 7)
SYMBOLS, HEIGHTS = {"STS-B": "circle", "NLI": "square"}, {"STS-B": 0.12, "NLI": -0.12}
"""Symbol and height, within a method's row, of the marks of points lost."""


def whiskers(values: Sequence[Row], colour: str, factor: float) -> dict[str, Any]:
    """Return error bars from least to most."""
    return {
        "type": "data", "symmetric": False, "color": colour, "thickness": 1.4, "width": 4,
        "array": [round(factor * (value["most"] - value["median"]), 4) for value in values],
        "arrayminus": [round(factor * (value["median"] - value["least"]), 4) for value in values],
    }  # fmt: skip


def _percents(values: Sequence[Row], end: str) -> list[float]:
    return [round(100 * value[end], 3) for value in values]


def _marker(colour: str, symbol: str, size: int, width: float) -> dict[str, Any]:
    line = {"width": width, "color": colour}
    return {"color": colour, "symbol": symbol, "size": size, "line": line}


def draw_accuracy(report: PaperReport, encoder: str | None, version: str) -> dict[str, Any] | None:
    """Draw accuracy against labelled pairs: median lines, bands least to most."""
    curves = {
        row["method"]: [p for p in report.curve(encoder, row["method"]) if p.get(version)]
        for row in report.rows("methods", encoder)
    }
    traces = [t for method, rows in curves.items() for t in _curve(rows, method, version)]
    if not traces:
        return None
    points = [point for rows in curves.values() for point in rows]
    least = min(_percents([point[version] for point in points], "least"))
    floor = math.floor(min(CHANCE, least) / 5) * 5
    sizes = [point["samples"] for point in points]
    layout = figures.base_layout(height=430, margin={"l": 46, "r": 10, "t": 8, "b": 48})
    layout |= {"showlegend": True, "legend": figures.legend(-0.17)}
    layout["xaxis"] = figures.axis("labelled pairs (logarithmic)") | {
        "type": "log",
        "range": [math.log10(min(sizes) * 0.88), math.log10(max(sizes) * 2.2)],
        "tickvals": list(TICKS),
        "ticktext": [str(tick) for tick in TICKS],
    }
    layout["yaxis"] = figures.axis("accuracy, %") | {
        "range": [floor, 102],
        "tickvals": list(range(floor if floor % 10 == 0 else floor + 5, 101, 10)),
    }
    layout["shapes"], layout["annotations"] = [], []
    for probe in report.rows("probes", encoder)[:1]:
        if probe.get(version):
            (y,) = _percents([probe[version]], "median")
            told = f"untouched encoder: {plain(y, 1)}%"
            line = {"color": figures.FAINT, "width": 1.4, "dash": "longdash"}
            layout["shapes"] = [figures.horizontal(y, **line)]
            layout["annotations"] = [figures.note(told, x=0, y=y, yanchor="bottom", xshift=4)]
    return figures.to_figure(traces, layout)


def _curve(rows: Sequence[Row], method: str, version: str) -> list[dict[str, Any]]:
    """Return the line and band of sizes measured with all seeds, and hollow points for the others.

    Medians over fewer seeds are not joined: the line would rise and fall with the seeds.
    """
    colour, symbol, dash, size = LOOKS.get(method, OTHER_LOOK)
    name = figures.plotly_text(words.method_name(method))
    seeds = max((row[version]["n"] for row in rows), default=0)
    whole = [row for row in rows if row[version]["n"] == seeds]
    fewer = [row for row in rows if row[version]["n"] != seeds]
    traces = []
    for points, hollow in ((whole, False), (fewer, True)):
        x, values = [row["samples"] for row in points], [row[version] for row in points]
        if len(points) > 1 and not hollow:
            edge = _percents(values, "most") + _percents(values, "least")[::-1]
            traces.append({
                "type": "scatter", "legendgroup": name, "name": name, "x": [*x, *reversed(x)],
                "y": edge, "mode": "lines", "line": {"width": 0}, "fill": "toself",
                "fillcolor": figures.faded(colour, 0.16), "hoverinfo": "skip", "showlegend": False,
            })  # fmt: skip
        if points:
            hover = [
                f"<b>{name}</b><br>{row['samples']} pairs, {count(row[version]['n'], 'seed')}<br>"
                f"{words.share_words(row[version])}"
                for row in points
            ]
            marker = _marker(colour, symbol + "-open" * hollow, size, 1.6)
            more = {"error_y": whiskers(values, colour, 100)} if hollow else {}
            traces.append(figures.markers(
                name, x, _percents(values, "median"), marker, hover, legendgroup=name,
                mode="markers" if hollow else "lines+markers",
                showlegend=not hollow or not whole,
                line={"color": colour, "dash": dash, "width": 2.2}, **more,
            ))  # fmt: skip
    return traces


def draw_forgetting(
    report: PaperReport, encoder: str | None, version: str
) -> dict[str, Any] | None:
    """Draw a row for each method: left the points lost, right the accuracy gained by them."""
    rows = report.rows("methods", encoder)
    names = [f"<b>{figures.plotly_text(words.method_name(row['method']))}</b>" for row in rows]
    terms = {True: "with the retention term", False: "without the retention term"}
    traces, lows = [], [95.0]
    for (data, kept), path in words.LOSSES.items():
        found = {i: own for i, row in enumerate(rows) if (own := words.part(row, path))}
        hover = [
            f"{names[i]}<br>{data}, {terms[kept]}<br>{words.spread_words(own, 2)} points lost, "
            f"{count(own['n'], 'seed')}"
            for i, own in found.items()
        ]
        traces += _marks(data, kept, found, HEIGHTS[data], hover)
    if not traces:
        return None
    for kept, place in ((True, words.KEPT), (False, words.LOST)):
        path, shown = f"{place}/{version}", words.VERSION_NAMES[version]
        found = {i: own for i, row in enumerate(rows) if (own := words.part(row, path))}
        hover = [
            f"{names[i]}, {terms[kept]}<br>accuracy {shown}: {words.share_words(own)}"
            for i, own in found.items()
        ]
        height = HEIGHTS["STS-B"] if kept else -HEIGHTS["STS-B"]
        traces += _marks("STS-B", kept, found, height, hover, 100, xaxis="x2", showlegend=False)
        lows += [100 * own["least"] for own in found.values()]
    return figures.to_figure(traces, _layout(names, min(lows)))


def _marks(
    data: str, kept: bool, found: dict[int, Row], height: float, hover: list[str],
    factor: float = 1, **more: Any,
) -> list[dict[str, Any]]:  # fmt: skip
    """Return a trace with one mark for each method in `found`; [] if that is empty.

    `found` has the points lost by the row of the method in the figure.
    """
    colour, values = figures.COLOURS["holds" if kept else "fails"], list(found.values())
    symbol = SYMBOLS[data] if kept else f"{SYMBOLS[data]}-open"
    trace = figures.markers(
        f"{data}, {'with retention' if kept else 'without'}",
        [round(value["median"] * factor, 4) for value in values],
        [height - i for i in found],
        _marker(colour, symbol, 11, 2),
        hover,
        error_x=whiskers(values, colour, factor),
    )
    return [trace | {"xaxis": "x"} | more] if found else []


def _layout(names: Sequence[str], floor: float) -> dict[str, Any]:
    """Return two axes on common rows; accuracies reach from `floor` to 100%."""
    n, room = len(names), (100 - floor) * 0.08
    layout = figures.base_layout(height=130 + 74 * n, margin={"l": 8, "r": 12, "t": 8, "b": 48})
    layout |= {"showlegend": True, "legend": figures.legend(-0.16)}
    layout["xaxis"] = figures.axis("points lost") | {"domain": [0, 0.62], "rangemode": "tozero"}
    layout["xaxis"] |= {"zeroline": True, "zerolinecolor": figures.FAINT, "zerolinewidth": 1.5}
    layout["xaxis2"] = figures.axis("accuracy, %") | {"domain": [0.7, 1], "nticks": 4}
    layout["xaxis2"] |= {"tickangle": 0, "range": [floor - room, 100 + room]}
    layout["yaxis"] = {"visible": False, "fixedrange": True, "range": [0.55 - n, 0.62]}
    layout["annotations"] = [
        figures.note(name, y=0.34 - i, yanchor="middle", xref="x", x=0, xshift=7)
        for i, name in enumerate(names)
    ]
    layout["shapes"] = [
        figures.horizontal(0.53 - i, color=figures.GRID, width=1) for i in range(1, n)
    ]
    return layout
