"""What retraining cost each method, and what it bought, as a Plotly figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from symdemo.reproduction.paper import TABLE_2_ENCODER
from symdemo.ui.bench_figures import FAINT, GRID, axis, error, legend, note
from symdemo.ui.bench_report import Report, Spread
from symdemo.ui.bench_words import VERSION_NAMES, count, method_name, spread_words
from symdemo.ui.figures import base_layout, to_figure


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
PAPER = Mark(f"the paper’s {TABLE_2_ENCODER}, MNLI", "star-open", "#5a82c8", -0.12)
BOUGHT = ((STS_WITH, "with retention"), (STS_WITHOUT._replace(offset=-0.12), "without"))


def draw_forgetting(report: Report, encoder: str | None, version: str) -> dict[str, Any] | None:
    """A row for each method: left what was lost, right the accuracy that it bought."""
    rows = report.rows("methods", encoder)
    marks: dict[str, list[tuple[float, Spread, str]]] = {}
    bought: dict[str, list[tuple[float, Spread, str]]] = {}
    for i, row in enumerate(rows):
        name = method_name(row["method"])
        for mark, spread, words in _losses(row):
            marks.setdefault(mark, []).append(
                (mark.offset - i, spread, f"<b>{name}</b><br>{words}")
            )
        for mark, key in BOUGHT:
            accuracy = ((row.get("forgetting") or {}).get(key) or {}).get(version)
            words = f"<b>{name}</b>, {_term(key)}<br>accuracy {VERSION_NAMES[version]}: "
            words += spread_words(accuracy, 1, 100, "%")
            bought.setdefault(mark, []).append((mark.offset - i, accuracy, words))
    if not any(spread for mark in marks for _, spread, _ in marks[mark] if mark is not PAPER):
        return None
    order = [STS_WITH, STS_WITHOUT, NLI_WITH, NLI_WITHOUT, PAPER]
    traces = [_mark(mark, marks[mark], 1, "x") for mark in order if mark in marks]
    traces += [
        _mark(mark, points, 100, "x2") | {"showlegend": False} for mark, points in bought.items()
    ]
    lows = [
        100 * spread["least"] for points in bought.values() for _, spread, _ in points if spread
    ]
    names = [method_name(row["method"]) for row in rows]
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


def _losses(row: Mapping[str, Any]) -> list[tuple[Mark, Spread, str]]:
    """The marks of one method: STS-B and NLI, each with and without the term, and the paper’s."""
    found: list[tuple[Mark, Spread, str]] = []
    forgetting, loss = row.get("forgetting") or {}, (row.get("nli") or {}).get("loss") or {}
    for mark, key in ((STS_WITH, "with retention"), (STS_WITHOUT, "without")):
        found.append((mark, (forgetting.get(key) or {}).get("sts_loss"), f"STS-B, {_term(key)}"))
    for mark, key in ((NLI_WITH, "with"), (NLI_WITHOUT, "without")):
        found.append((mark, loss.get(key), f"NLI, {_term(key)}"))
    paper = (row.get("paper") or {}).get("forgetting")
    if paper is not None:
        same = dict.fromkeys(("median", "least", "most"), paper)
        found.append((PAPER, same, f"the paper’s {TABLE_2_ENCODER} on MNLI"))
    return [
        (mark, spread, f"{words}<br>{spread_words(spread, 2)} points lost{_seeds(spread)}")
        for mark, spread, words in found
        if spread
    ]


def _seeds(spread: Mapping[str, float]) -> str:
    return f", {count(spread['n'], 'seed')}" if "n" in spread else ""


def _term(key: str) -> str:
    return "without the retention term" if key == "without" else "with the retention term"


def _mark(
    mark: Mark, points: Sequence[tuple[float, Spread, str]], factor: float, axis: str
) -> dict[str, Any]:
    points = [point for point in points if point[1]]
    values = [spread for _, spread, _ in points]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": escape(mark.name),
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
