"""The two pictures of the tab “Benchmark” as Plotly figures; texts of a report are escaped."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from symdemo.evaluation.results import PaperReport, Spread
from symdemo.ui.benchmark.words import VERSION_NAMES, method_name, spread_words
from symdemo.ui.shared.figures import (
    FAINT,
    GRID,
    axis,
    base_layout,
    faded,
    horizontal,
    legend,
    markers,
    note,
    plotly_text,
    to_figure,
)
from symdemo.ui.shared.html import count, plain

TICKS = (7, 14, 28, 56, 112)
CHANCE = 45.0
"""The accuracy axis begins here at the latest, so that the height above chance can be judged."""


class Look(NamedTuple):
    """Colour, symbol and dash of a method; sizes differ so that coinciding marks all show."""

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


def percent(share: float) -> float:
    """Return a share in percent."""
    return round(100 * share, 3)


def whiskers(values: Sequence[Mapping[str, float]], colour: str, factor: float) -> dict[str, Any]:
    """Return error bars from least to most."""
    return {
        "type": "data",
        "symmetric": False,
        "array": [round(factor * (value["most"] - value["median"]), 4) for value in values],
        "arrayminus": [round(factor * (value["median"] - value["least"]), 4) for value in values],
        "color": colour,
        "thickness": 1.4,
        "width": 4,
    }


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
    least = min(percent(point[version]["least"]) for point in points)
    floor = math.floor(min(CHANCE, least) / 5) * 5
    sizes = [point["samples"] for point in points]
    layout = base_layout(height=430, margin={"l": 46, "r": 10, "t": 8, "b": 48})
    layout |= {"showlegend": True, "legend": legend(-0.17)}
    layout["xaxis"] = axis("labelled pairs (logarithmic)") | {
        "type": "log",
        "range": [math.log10(min(sizes) * 0.88), math.log10(max(sizes) * 2.2)],
        "tickvals": list(TICKS),
        "ticktext": [str(tick) for tick in TICKS],
    }
    layout["yaxis"] = axis("accuracy, %") | {
        "range": [floor, 102],
        "tickvals": list(range(floor if floor % 10 == 0 else floor + 5, 101, 10)),
    }
    layout["shapes"], layout["annotations"] = [], []
    for probe in report.rows("probes", encoder)[:1]:
        if probe.get(version):
            y = percent(probe[version]["median"])
            words = f"untouched encoder: {plain(y, 1)}%"
            layout["shapes"] = [horizontal(y, color=FAINT, width=1.4, dash="longdash")]
            layout["annotations"] = [note(words, x=0, y=y, yanchor="bottom", xshift=4)]
    return to_figure(traces, layout)


def _curve(rows: Sequence[Mapping[str, Any]], method: str, version: str) -> list[dict[str, Any]]:
    """Return line and band over sizes measured with all seeds, and hollow points of the others.

    Medians over other seeds are not joined: the line would rise and fall with the seeds.
    """
    look, name = LOOKS.get(method, OTHER_LOOK), plotly_text(method_name(method))
    base = {"type": "scatter", "legendgroup": name, "name": name}
    seeds = max((row[version]["n"] for row in rows), default=0)
    whole = [row for row in rows if row[version]["n"] == seeds]
    part = [row for row in rows if row[version]["n"] != seeds]
    traces = []
    if len(whole) > 1:
        x = [row["samples"] for row in whole]
        edge = [percent(row[version]["most"]) for row in whole]
        edge += [percent(row[version]["least"]) for row in reversed(whole)]
        band = {"x": [*x, *reversed(x)], "y": edge, "mode": "lines", "line": {"width": 0}}
        band |= {"fill": "toself", "fillcolor": faded(look.colour, 0.16)}
        traces.append(base | band | {"hoverinfo": "skip", "showlegend": False})
    for points, hollow in ((whole, False), (part, True)):
        if points:
            values = [row[version] for row in points]
            symbol = look.symbol + "-open" * hollow
            traces.append(
                base
                | {
                    "mode": "markers" if hollow else "lines+markers",
                    "showlegend": not hollow or not whole,
                    "x": [row["samples"] for row in points],
                    "y": [percent(value["median"]) for value in values],
                    "line": {"color": look.colour, "dash": look.dash, "width": 2.2},
                    "marker": _marker(look.colour, symbol, look.size, 1.6),
                    "hoverinfo": "text",
                    "hovertext": [
                        f"<b>{name}</b><br>{row['samples']} pairs, {count(value['n'], 'seed')}<br>"
                        f"{spread_words(value, 1, 100, '%')}"
                        for row, value in zip(points, values, strict=True)
                    ],
                }
                | ({"error_y": whiskers(values, look.colour, 100)} if hollow else {})
            )
    return traces


def _marker(colour: str, symbol: str, size: int, width: float) -> dict[str, Any]:
    line = {"width": width, "color": colour}
    return {"color": colour, "symbol": symbol, "size": size, "line": line}


class Mark(NamedTuple):
    """A mark in the picture of forgetting: its name in the legend, looks, and height in its row."""

    name: str
    symbol: str
    colour: str
    offset: float


MARKS = {
    ("STS-B", True): Mark("STS-B, with retention", "circle", "#1f9d83", 0.12),
    ("STS-B", False): Mark("STS-B, without", "circle-open", "#d9603f", 0.12),
    ("NLI", True): Mark("NLI, with retention", "square", "#1f9d83", -0.12),
    ("NLI", False): Mark("NLI, without", "square-open", "#d9603f", -0.12),
}


def draw_forgetting(
    report: PaperReport, encoder: str | None, version: str
) -> dict[str, Any] | None:
    """Draw a row for each method: left the points lost, right the accuracy gained by them."""
    rows = report.rows("methods", encoder)
    names = [f"<b>{plotly_text(method_name(row['method']))}</b>" for row in rows]
    lost: dict[Mark, list[tuple[float, Spread, str]]] = {mark: [] for mark in MARKS.values()}
    gained: dict[Mark, list[tuple[float, Spread, str]]] = {}
    for i, row in enumerate(rows):
        loss = (row.get("nli") or {}).get("loss") or {}
        for kept in (True, False):
            term = f"with{'' if kept else 'out'} the retention term"
            own = (row.get("forgetting") or {}).get("with retention" if kept else "without") or {}
            nli = loss.get("with" if kept else "without")
            for data, spread in (("STS-B", own.get("sts_loss")), ("NLI", nli)):
                if spread:
                    mark, seeds = MARKS[data, kept], count(spread["n"], "seed")
                    words = f"{data}, {term}<br>{spread_words(spread, 2)} points lost, {seeds}"
                    lost[mark].append((mark.offset - i, spread, f"{names[i]}<br>{words}"))
            if spread := own.get(version):
                mark = MARKS["STS-B", kept]
                words = f"{names[i]}, {term}<br>accuracy {VERSION_NAMES[version]}: "
                words += spread_words(spread, 1, 100, "%")
                place = mark.offset if kept else -mark.offset
                gained.setdefault(mark, []).append((place - i, spread, words))
    if not any(lost.values()):
        return None
    traces = [_trace(mark, points, 1, "x") for mark, points in lost.items() if points]
    traces += [_trace(m, own, 100, "x2") | {"showlegend": False} for m, own in gained.items()]
    lows = [100 * spread["least"] for own in gained.values() for _, spread, _ in own if spread]
    return to_figure(traces, _layout(names, min([95.0, *lows])))


def _layout(names: Sequence[str], floor: float) -> dict[str, Any]:
    """Return two axes on common rows; accuracies reach from `floor` to 100%."""
    n, room = len(names), (100 - floor) * 0.08
    layout = base_layout(height=130 + 74 * n, margin={"l": 8, "r": 12, "t": 8, "b": 48})
    layout |= {"showlegend": True, "legend": legend(-0.16)}
    layout["xaxis"] = axis("points lost") | {"domain": [0, 0.62], "rangemode": "tozero"}
    layout["xaxis"] |= {"zeroline": True, "zerolinecolor": FAINT, "zerolinewidth": 1.5}
    layout["xaxis2"] = axis("accuracy, %") | {"domain": [0.7, 1], "nticks": 4, "tickangle": 0}
    layout["xaxis2"]["range"] = [floor - room, 100 + room]
    layout["yaxis"] = {"visible": False, "fixedrange": True, "range": [0.55 - n, 0.62]}
    layout["annotations"] = [
        note(name, y=0.34 - i, yanchor="middle", xref="x", x=0, xshift=7)
        for i, name in enumerate(names)
    ]
    layout["shapes"] = [horizontal(0.53 - i, color=GRID, width=1) for i in range(1, n)]
    return layout


def _trace(
    mark: Mark, points: Sequence[tuple[float, Any, str]], factor: float, axis: str
) -> dict[str, Any]:
    values = [spread for _, spread, _ in points]
    return markers(
        mark.name,
        [round(value["median"] * factor, 4) for value in values],
        [y for y, *_ in points],
        _marker(mark.colour, mark.symbol, 11, 2),
        [words for *_, words in points],
        xaxis=axis,
        error_x=whiskers(values, mark.colour, factor),
    )
