"""Plots of the measurements of BeLLM, each also in words; texts of a report are escaped."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from symdemo.evaluation.results import SentenceReport, SettingRow
from symdemo.ui.shared.figures import (
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

BELOW = 0.2
"""Offset of a mark below the middle of its row, which has a name of two lines; in rows."""


class LineStyle(NamedTuple):
    """Colour, symbol and dash of a line, which differs from others without colour too."""

    colour: str
    symbol: str
    dash: str


LINE_STYLES = (
    LineStyle("#5a82c8", "circle", "solid"),
    LineStyle("#1f9d83", "diamond", "dash"),
    LineStyle("#d9603f", "square", "dot"),
    LineStyle("#9a6fc4", "triangle-up", "dashdot"),
    LineStyle("#b8860b", "x", "longdash"),
)
"""In the order of the report's rows; they repeat after the last one."""


def draw_layers(report: SentenceReport) -> dict[str, Any] | None:
    """Plot the paper's Figure 4: agreement with people by number of layers, the best marked."""
    rows = [row for row in report.summary["degradation"] if row["layers"]]
    if not rows:
        return None
    traces: list[dict[str, Any]] = []
    for number, row in enumerate(rows):
        look, name = LINE_STYLES[number % len(LINE_STYLES)], plotly_text(_name(row, rows))
        base = {"type": "scatter", "legendgroup": name, "name": name}
        words = [
            f"<b>{name}</b><br>{count(layer, 'layer')}: {plain(value, 1)}"
            for layer, value in zip(row["layers"], row["spearman"], strict=False)
        ]
        traces.append(base | {
            "mode": "lines+markers", "x": row["layers"], "y": row["spearman"],
            "line": {"color": look.colour, "dash": look.dash, "width": 2.2},
            "marker": {"color": look.colour, "symbol": look.symbol, "size": 6},
            "hoverinfo": "text", "hovertext": words,
        })  # fmt: skip
        if (best := _turn(row)) is not None:
            traces.append(base | {
                "mode": "markers", "x": [row["turning_point"]], "y": [best], "showlegend": False,
                "marker": {"color": look.colour, "symbol": "circle-open", "size": 17,
                           "line": {"width": 2.4}},
                "hoverinfo": "text",
                "hovertext": f"<b>{name}</b><br>turns after {count(row['turning_point'], 'layer')}",
            })  # fmt: skip
    layout = base_layout(height=400, margin={"l": 46, "r": 10, "t": 8, "b": 48})
    layout |= {"showlegend": True, "legend": legend(-0.19)}
    layout["xaxis"] = axis("layers, counted from the first") | {"rangemode": "tozero"}
    layout["yaxis"] = axis("agreement with people, Spearman × 100")
    return to_figure(traces, layout)


def layers_words(report: SentenceReport) -> list[str]:
    """Describe the curves in sentences."""
    rows = [row for row in report.summary["degradation"] if row["layers"]]
    sentences = []
    for row in rows:
        ends = " and ".join(
            f"{plain(row['spearman'][i], 1)} with {count(row['layers'][i], 'layer')}"
            for i in sorted({0, len(row["layers"]) - 1})
        )
        best = _turn(row)
        turn = "" if best is None else f"; best with {row['turning_point']}: {plain(best, 1)}"
        sentences.append(f"{_name(row, rows)}: {ends}{turn}.")
    return sentences


def _name(row: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> str:
    several = len({other["data"] for other in rows}) > 1
    return f"{row['label']}, {row['data']}" if several else str(row["label"])


def _turn(row: Mapping[str, Any]) -> float | None:
    """Return the score at the turning point; None if that is not among the layers."""
    found = dict(zip(row["layers"], row["spearman"], strict=False))
    return found.get(row["turning_point"])


def draw_settings(report: SentenceReport) -> dict[str, Any] | None:
    """Plot the paper's Table 4: for each setting its seeds, their mean and their range."""
    rows = _settings(report)
    if not rows:
        return None
    names = [plotly_text(setting_name(row)).replace(", ", ",<br>", 1) for row in rows]
    seeds = {
        "type": "scatter", "mode": "markers", "name": "one training",
        "x": [run["spearman"] for row in rows for run in row["runs"]],
        "y": [-i - BELOW for i, row in enumerate(rows) for _ in row["runs"]],
        "marker": {"color": faded("#5a82c8", 0.55), "size": 7, "symbol": "circle-open"},
        "hoverinfo": "text",
        "hovertext": [f"<b>{name}</b><br>seed {run['seed']}: {plain(run['spearman'], 2)}"
                      for name, row in zip(names, rows, strict=True) for run in row["runs"]],
    }  # fmt: skip
    ranges = [[run["spearman"] for run in row["runs"]] or [row["mean"]] for row in rows]
    means = {
        "type": "scatter", "mode": "markers", "name": "mean and range",
        "x": [row["mean"] for row in rows], "y": [-i - BELOW for i in range(len(rows))],
        "marker": {"color": "#1f9d83", "size": 11, "symbol": "diamond"},
        "error_x": {
            "type": "data", "symmetric": False, "color": "#1f9d83", "thickness": 1.6, "width": 5,
            "array": [round(max(some) - row["mean"], 4)
                      for some, row in zip(ranges, rows, strict=True)],
            "arrayminus": [round(row["mean"] - min(some), 4)
                           for some, row in zip(ranges, rows, strict=True)],
        },
        "hoverinfo": "text",
        "hovertext": [f"<b>{name}</b><br>{_spread(row)}"
                      for name, row in zip(names, rows, strict=True)],
    }  # fmt: skip
    layout = _rows_layout(names, "Spearman × 100 on STS-B, test part")
    layout |= {"showlegend": True, "legend": legend(-0.12 - 0.5 / len(rows))}
    return to_figure([seeds, means], layout)


def settings_words(report: SentenceReport) -> list[str]:
    """Describe the settings in sentences, the best first."""
    return [f"{setting_name(row)}: {_spread(row)}." for row in _settings(report)]


def setting_name(row: SettingRow) -> str:
    """Describe a setting in a few words."""
    layers = row["looking_back"]
    if not layers:
        looks = "left to right only"
    else:
        which = "all layers" if layers == "all" else f"last {count(layers, 'layer')}"
        how = "added" if row["strategy"] == "addition" else "in place"
        looks = f"{which} looking back ({how})".replace("last 1 layer ", "last layer ")
    prompt = "prompt" if row["prompt"] else "no prompt"
    return f"{looks}, {row['pooling']} pooling, {prompt}"


def _settings(report: SentenceReport) -> list[SettingRow]:
    return sorted(report.summary["ablation"], key=lambda row: -row["mean"])


def _spread(row: SettingRow) -> str:
    values = [run["spearman"] for run in row["runs"]]
    if len(values) < 2:
        return f"{plain(row['mean'], 2)}, one seed"
    ends = f"{plain(min(values), 2)} to {plain(max(values), 2)}"
    return f"{plain(row['mean'], 2)} on average, {ends} over {count(len(values), 'seed')}"


def draw_tokens(report: SentenceReport) -> dict[str, Any] | None:
    """Plot the paper's Figures 2 and 5: a box for each encoder and data set."""
    rows = report.summary["dependencies"]
    rows = [row for row in rows if len(row["quartiles"]) == 3 and len(row["whiskers"]) == 2]
    if not rows:
        return None
    names = [plotly_text(_name(row, rows)) for row in rows]
    traces = []
    for i, row in enumerate(rows):
        low, middle, high = row["quartiles"]
        look = LINE_STYLES[i % len(LINE_STYLES)]
        traces.append({
            "type": "box", "orientation": "h", "y": [-i], "name": names[i], "width": 0.34,
            "q1": [low], "median": [middle], "q3": [high], "mean": [row["mean"]],
            "lowerfence": [row["whiskers"][0]], "upperfence": [row["whiskers"][1]],
            "line": {"color": look.colour, "width": 1.8},
            "fillcolor": faded(look.colour, 0.25), "hoverinfo": "x",
        })  # fmt: skip
    return to_figure(traces, _rows_layout(names, "correlation with the other words"))


def tokens_words(report: SentenceReport) -> list[str]:
    """Describe the boxes in sentences."""
    rows = report.summary["dependencies"]
    return [
        f"{_name(row, rows)}: {plain(row['mean'], 2)} on average over "
        f"{count(row['n'], 'sentence')}; half of them lie between {plain(row['quartiles'][0], 2)} "
        f"and {plain(row['quartiles'][2], 2)}; it is the {row['pivot']} word."
        for row in rows
        if len(row["quartiles"]) == 3
    ]


def _rows_layout(names: Sequence[str], title: str) -> dict[str, Any]:
    """Return a layout with a row for each name, written above it to save width on phones."""
    n = len(names)
    layout = base_layout(height=110 + 70 * n, margin={"l": 8, "r": 12, "t": 8, "b": 48})
    layout["xaxis"] = axis(title)
    layout["yaxis"] = {"visible": False, "fixedrange": True, "range": [0.45 - n, 0.62]}
    layout["annotations"] = [
        note(name, x=0, y=0.52 - i, yanchor="top", align="left") for i, name in enumerate(names)
    ]
    line = {"color": GRID, "width": 1}
    layout["shapes"] = [
        {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": 0.55 - i, "y1": 0.55 - i}
        | {"line": line}
        for i in range(1, n)
    ]
    return layout


class ReportPlot(NamedTuple):
    """A plot of a report: its `elem_id`, title, figure and description in sentences."""

    id: str
    title: str
    draw: Callable[[SentenceReport], dict[str, Any] | None]
    words: Callable[[SentenceReport], list[str]]


PLOTS = {
    "layers": ReportPlot("lab-layers", "Accuracy by layer", draw_layers, layers_words),
    "settings": ReportPlot("lab-settings", "What makes BeLLM work", draw_settings, settings_words),
    "tokens": ReportPlot(
        "lab-tokens",
        "How well the sentence vector reflects its words",
        draw_tokens,
        tokens_words,
    ),
}
