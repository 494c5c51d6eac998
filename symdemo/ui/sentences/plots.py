"""Plots of the measurements of BeLLM, each also in words; texts of a report are escaped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle
from typing import Any, NamedTuple

from symdemo.evaluation.results import Row
from symdemo.ui.sentences.comparing import model_name
from symdemo.ui.shared import figures
from symdemo.ui.shared.html import count, plain

BELOW = 0.2  # share of a row by which marks lie below its middle, to leave room for a long name

LINE_STYLES = (
    ("#5a82c8", "circle", "solid"),
    ("#1f9d83", "diamond", "dash"),
    ("#d9603f", "square", "dot"),
    ("#9a6fc4", "triangle-up", "dashdot"),
    ("#b8860b", "x", "longdash"),
)
"""Colour, symbol and dash of each row of a report; they repeat after the last one."""

Rows = Sequence[Row]


def draw_layers(rows: Rows) -> dict[str, Any]:
    """Plot the paper's Figure 4: agreement with people by number of layers, the best marked."""
    traces: list[dict[str, Any]] = []
    for (colour, symbol, dash), row in zip(cycle(LINE_STYLES), rows, strict=False):
        name, layers, scores = figures.plotly_text(_name(row, rows)), row["layers"], row["spearman"]
        words = [
            f"<b>{name}</b><br>{count(layer, 'layer')}: {plain(value, 1)}"
            for layer, value in zip(layers, scores, strict=True)
        ]
        marker: dict[str, Any] = {"color": colour, "symbol": symbol, "size": 6}
        line = {"color": colour, "dash": dash, "width": 2.2}
        traces.append(figures.markers(
            name, layers, scores, marker, words,
            mode="lines+markers", line=line, legendgroup=name,
        ))  # fmt: skip
        turn, ring = row["turning_point"], {"symbol": "circle-open", "size": 17}
        words = [f"<b>{name}</b><br>turns after {count(turn, 'layer')}"]
        traces.append(figures.markers(
            name, [turn], [_best(row)], marker | ring | {"line": {"width": 2.4}}, words,
            legendgroup=name, showlegend=False,
        ))  # fmt: skip
    layout = figures.base_layout(height=400, margin={"l": 46, "r": 10, "t": 8, "b": 48})
    layout |= {"showlegend": True, "legend": figures.legend(-0.19)}
    layout["xaxis"] = figures.axis("layers, counted from the first") | {"rangemode": "tozero"}
    layout["yaxis"] = figures.axis("agreement with people, Spearman × 100")
    return figures.to_figure(traces, layout)


def layers_words(rows: Rows) -> list[str]:
    """Describe the curves in sentences."""
    sentences = []
    for row in rows:
        ends = " and ".join(
            f"{plain(row['spearman'][i], 1)} with {count(row['layers'][i], 'layer')}"
            for i in sorted({0, len(row["layers"]) - 1})
        )
        best = f"best with {row['turning_point']}: {plain(_best(row), 1)}"
        sentences.append(f"{_name(row, rows)}: {ends}; {best}.")
    return sentences


def _best(row: Row) -> float:
    return row["spearman"][row["layers"].index(row["turning_point"])]


def _name(row: Row, rows: Rows) -> str:
    several = len({other["data"] for other in rows}) > 1
    return f"{model_name(row)}, {row['data']}" if several else model_name(row)


def draw_settings(rows: Rows) -> dict[str, Any]:
    """Plot the paper's Table 4: for each setting its seeds, their mean and their range."""
    rows = _ranked(rows)
    names = [figures.plotly_text(setting_name(row)).replace(", ", ",<br>", 1) for row in rows]
    runs = [(i, run) for i, row in enumerate(rows) for run in row["runs"]]
    seeds = figures.markers(
        "one training",
        [run["spearman"] for _, run in runs],
        [-i - BELOW for i, _ in runs],
        {"color": figures.faded("#5a82c8", 0.55), "size": 7, "symbol": "circle-open"},
        [f"<b>{names[i]}</b><br>seed {run['seed']}: {plain(run['spearman'], 2)}"
         for i, run in runs],
    )  # fmt: skip
    ends = [
        (row["mean"], [run["spearman"] for run in row["runs"]] or [row["mean"]]) for row in rows
    ]
    means = figures.markers(
        "mean and range",
        [row["mean"] for row in rows],
        [-i - BELOW for i in range(len(rows))],
        {"color": "#1f9d83", "size": 11, "symbol": "diamond"},
        [f"<b>{name}</b><br>{_spread(row)}" for name, row in zip(names, rows, strict=True)],
        error_x={
            "type": "data", "symmetric": False, "color": "#1f9d83", "thickness": 1.6, "width": 5,
            "array": [round(max(scores) - mean, 4) for mean, scores in ends],
            "arrayminus": [round(mean - min(scores), 4) for mean, scores in ends],
        },
    )  # fmt: skip
    layout = _rows_layout(names, "Spearman × 100 on STS-B, test part")
    layout |= {"showlegend": True, "legend": figures.legend(-0.12 - 0.5 / len(rows))}
    return figures.to_figure([seeds, means], layout)


def settings_words(rows: Rows) -> list[str]:
    """Describe each setting in one sentence, ordered from best to worst."""
    return [f"{setting_name(row)}: {_spread(row)}." for row in _ranked(rows)]


def setting_name(row: Row) -> str:
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


def _ranked(rows: Rows) -> Rows:
    return sorted(rows, key=lambda row: -row["mean"])


def _spread(row: Row) -> str:
    values = [run["spearman"] for run in row["runs"]]
    if len(values) < 2:
        return f"{plain(row['mean'], 2)}, one seed"
    ends = f"{plain(min(values), 2)} to {plain(max(values), 2)}"
    return f"{plain(row['mean'], 2)} on average, {ends} over {count(len(values), 'seed')}"


def draw_tokens(rows: Rows) -> dict[str, Any]:
    """Plot the paper's Figures 2 and 5: a box for each encoder and data set."""
    names = [figures.plotly_text(_name(row, rows)) for row in rows]
    traces = []
    for i, ((colour, *_), row) in enumerate(zip(cycle(LINE_STYLES), rows, strict=False)):
        low, middle, high = row["quartiles"]
        traces.append({
            "type": "box", "orientation": "h", "y": [-i], "name": names[i], "width": 0.34,
            "q1": [low], "median": [middle], "q3": [high], "mean": [row["mean"]],
            "lowerfence": [row["whiskers"][0]], "upperfence": [row["whiskers"][1]],
            "line": {"color": colour, "width": 1.8}, "fillcolor": figures.faded(colour, 0.25),
            "hoverinfo": "x",
        })  # fmt: skip
    return figures.to_figure(traces, _rows_layout(names, "correlation with the other words"))


def tokens_words(rows: Rows) -> list[str]:
    """Describe the boxes in sentences."""
    return [
        f"{_name(row, rows)}: {plain(row['mean'], 2)} on average over "
        f"{count(row['n'], 'sentence')}; half of them lie between {plain(row['quartiles'][0], 2)} "
        f"and {plain(row['quartiles'][2], 2)}; it is the {row['pivot']} word."
        for row in rows
    ]


def _rows_layout(names: Sequence[str], title: str) -> dict[str, Any]:
    """Return a layout with a row below each name, to fit phones; `title` is the x axis's."""
    n = len(names)
    layout = figures.base_layout(height=110 + 70 * n, margin={"l": 8, "r": 12, "t": 8, "b": 48})
    layout["xaxis"] = figures.axis(title)
    layout["yaxis"] = {"visible": False, "fixedrange": True, "range": [0.45 - n, 0.62]}
    layout["annotations"] = [
        figures.note(name, x=0, y=0.52 - i, yanchor="top", align="left")
        for i, name in enumerate(names)
    ]
    layout["shapes"] = [
        figures.horizontal(0.55 - i, color=figures.GRID, width=1) for i in range(1, n)
    ]
    return layout


class ReportPlot(NamedTuple):
    """A plot of one part of a report, as a figure and in sentences."""

    id: str  # its `elem_id`
    title: str
    part: str
    draw: Callable[[Rows], dict[str, Any]]  # called only with rows
    words: Callable[[Rows], list[str]]  # called with any number of rows


PLOTS = {
    "layers": ReportPlot(
        "lab-layers", "Accuracy by layer", "degradation", draw_layers, layers_words
    ),
    "settings": ReportPlot(
        "lab-settings", "What makes BeLLM work", "ablation", draw_settings, settings_words
    ),
    "tokens": ReportPlot(
        "lab-tokens", "How well the sentence vector reflects its words", "dependencies",
        draw_tokens, tokens_words,
    ),
}  # fmt: skip
