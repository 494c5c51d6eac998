"""HTML and figures of the Teach tab."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import count as count_up
from math import isfinite
from typing import Any

from markupsafe import Markup

from symdemo.teaching.project import Version
from symdemo.teaching.rows import BLOCKING
from symdemo.text import is_number, percent, shorten
from symdemo.ui.shared.figures import COLOURS, GRID, QUERY_COLOUR, base_layout, note, to_figure
from symdemo.ui.shared.html import count, draw
from symdemo.ui.teach.grid import RowsView
from symdemo.ui.teach.versions import RowResults, VersionList

CHECKED = {
    "held out": "rows that were held out from training",
    "leave one out": "rows, each pair of names left out in turn",
    "none": "",
}
TIME = Markup('<time datetime="{}">{:%d %b %Y, %H:%M} UTC</time>')
CURVE_HEIGHT = 300
_numbers = count_up(1)


def report_panel(view: RowsView | None) -> Markup:
    """Draw how many rows there are of what, and what to fix."""
    wrong = BLOCKING - {"unfinished"}  # a cell that is still empty is no mistake
    return draw("teach/report.html", view=view, wrong=wrong)


def message_panel(message: str, notes: Sequence[str] = ()) -> str:
    """Draw a message and the lines that could not be read; it stays until it is closed."""
    if not message and not notes:
        return ""
    return draw("teach/message.html", message=message, lines=notes, number=next(_numbers))


def changes_panel(listed: VersionList) -> Markup:
    """Draw before and after, for the version in use.

    A version may come from an archive that anybody wrote, so scores of the wrong type are skipped.
    """
    scores = listed.current.scores if listed.current else {}
    note = "not checked: every relation has only one pair of names"
    if scores.get("own_n"):
        note = f"{scores['own_n']} {CHECKED.get(str(scores.get('how_held_out')), 'rows')}"
    unchecked, texts = scores.get("unchecked"), ("premise", "hypothesis")
    return draw(
        "teach/changes.html",
        listed=listed,
        version=listed.current,
        own_note=note,
        unchecked=unchecked if isinstance(unchecked, list) else (),
        probes=[
            probe
            for probe in _dicts(scores.get("probes"))
            if all(isinstance(probe.get(name), str) for name in texts)
        ],
        dicts=_dicts,
    )


def _dicts(values: Any) -> list[dict[str, Any]]:
    return [v for v in values if isinstance(v, dict)] if isinstance(values, list) else []


def gain(version: Version) -> str:
    """Describe how a version was made, what it gained on the visitor's rows, and what it cost."""
    scores = version.scores
    parts = [f"{version.how}, {count(version.rows, 'row')}"]
    for title, name in (("your rows", "own"), ("benchmark", "benchmark")):
        sides = [scores.get(f"{name}_{side}") for side in ("before", "after")]
        if all(map(is_number, sides)):
            parts.append(f"{title} {' → '.join(map(percent, sides))}")
    if is_number(scores.get("drift")):
        parts.append(f"other sentences kept {percent(scores['drift'])}")
    return "; ".join(parts)


def compare_panel(listed: VersionList, results: RowResults) -> Markup:
    """Draw two or three models side by side, the base model being the last; then every row."""
    versions = [listed.find(column.id) for column in results.columns]
    first = next((v for v in versions if v and not v.parent and v.base == listed.base), None)
    columns = []
    for version, column in zip(versions, results.columns, strict=True):
        figures = {"Made": "–", "How": "unchanged", "Rows taught": "–"}
        if version:
            made = TIME.format(version.created, datetime.fromisoformat(version.created))
            figures = {"Made": made, "How": version.how, "Rows taught": f"{version.rows:,}"}
            scores, side = version.scores, "after"
        else:  # as measured before something was taught to it
            scores, side = first.scores | {"drift": 1.0} if first else {}, "before"
        columns.append(
            figures
            | {
                "Your rows": percent(scores.get(f"own_{side}")),
                "Built-in benchmark": percent(scores.get(f"benchmark_{side}")),
                "Other sentences kept": percent(scores.get("drift")),
                "Labels": shorten(", ".join(column.labels), 120),
            }
        )
    return draw("teach/compared.html", columns=columns, results=results)


def draw_curves(points: Iterable[Any]) -> dict[str, Any] | None:
    """Draw loss above held-out accuracy, over the steps; None before the first step.

    Args:
        points: of a learning curve: dicts with `step`, `total`, `loss` and `accuracy` (in [0, 1],
            None between measurements). Other values, which an archive may hold, are skipped.
    """
    points = [p for p in points if isinstance(p, Mapping)]

    def drawn(name: str, factor: float = 1) -> list[tuple[float, float]]:
        drawable = [p for p in points if all(_is_finite(p.get(key)) for key in ("step", name))]
        return [(p["step"], round(factor * p[name], 5)) for p in drawable]

    if not (loss := drawn("loss")):
        return None
    traces = [
        {
            "type": "scatter",
            "mode": mode,
            "x": [x for x, _ in curve],
            "y": [y for _, y in curve],
            "yaxis": axis,
            "line": {"color": colour, "width": 2},
            "marker": {"color": colour, "size": 9},
            "hovertemplate": f"step %{{x}}<br>{hover}<extra></extra>",
        }
        for curve, colour, axis, mode, hover in (
            (loss, COLOURS["fails"], "y", "lines", "loss %{y:.3f}"),
            (drawn("accuracy", 100), COLOURS["holds"], "y2", "lines+markers", "%{y:.0f}% right"),
        )
    ]
    total = max([total for _, total in drawn("total")] or [loss[-1][0]])
    percents = {"tickvals": [0, 50, 100], "ticktext": ["0%", "50%", "100%"]}
    title = {"x": 0, "yref": "paper", "yanchor": "bottom"}
    title["font"] = {"size": 13, "color": QUERY_COLOUR}
    axis = {"fixedrange": True, "zeroline": False, "gridcolor": GRID}
    layout = base_layout(CURVE_HEIGHT, {"l": 44, "r": 12, "t": 26, "b": 34}) | {
        "xaxis": axis | {"range": [0, total], "anchor": "y2", "title": {"text": "step"}},
        "yaxis": axis | {"domain": [0.58, 1], "rangemode": "tozero", "nticks": 4},
        "yaxis2": axis | {"domain": [0, 0.4], "range": [-4, 104]} | percents,
        "annotations": [
            note("Error (loss)", y=1.0, **title),
            note("Right on held-out rows", y=0.4, **title),
        ],
    }
    return to_figure(traces, layout)


def _is_finite(value: Any) -> bool:
    return is_number(value) and isfinite(value)
