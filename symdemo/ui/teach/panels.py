"""HTML and figures of the Teach tab."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import count as count_up
from math import isfinite
from typing import Any

from markupsafe import Markup

from symdemo.jobs.state import JobView
from symdemo.teaching.project import Version
from symdemo.teaching.rows import BLOCKING
from symdemo.text import is_number, percent, shorten
from symdemo.ui.shared.events import Problem
from symdemo.ui.shared.figures import COLOURS, GRID, QUERY_COLOUR, base_layout, note, to_figure
from symdemo.ui.shared.html import count, draw
from symdemo.ui.teach.changes import Preview
from symdemo.ui.teach.grid import HEADERS, WHOLE_HEADERS, RowsView, cells_of_rows, has_whole
from symdemo.ui.teach.versions import RowResults, VersionList

SHOWN_NEIGHBOURS = 3
CHECKED = {
    "held out": "rows that were held out from training",
    "leave one out": "rows, each pair of names left out in turn",
    "none": "",
}
CURVE_HEIGHT = 300
CURVE_TITLES = ("Error (loss)", "Right on held-out rows")
_numbers = count_up(1)


def report_panel(view: RowsView | None) -> Markup:
    """Draw how many rows there are of what, and what to fix."""
    written = view is not None and any(not row.is_blank for row in view.rows)
    report = view.report if view else None
    wrong = BLOCKING - {"unfinished"}  # a cell that is still empty is no mistake
    return draw("teach/report.html", written=written, report=report, wrong=wrong)


def message_panel(message: str, notes: Iterable[str] = ()) -> str:
    """Draw a message and the lines that could not be read; it stays until it is closed."""
    notes = list(notes)
    if not message and not notes:
        return ""
    return draw("teach/message.html", message=message, lines=notes, number=next(_numbers))


def preview_panel(found: Preview | Problem) -> Markup:
    """Draw the first rows of a file."""
    if isinstance(found, Problem):
        return Markup('<p class="quiet" role="status">{}</p>').format(found.message)
    whole = has_whole(found.rows)
    headers: Sequence[str] = WHOLE_HEADERS if whole else HEADERS
    rows = cells_of_rows(found.rows, whole, spare=False)
    if found.cells:
        headers, rows = [*found.cells[0]], [[*cells.values()] for cells in found.cells]
    values = {"headers": headers, "rows": rows, "lines": found.notes}
    return draw("teach/preview.html", told=found.told, read=bool(found.rows), **values)


def job_panel(view: JobView) -> Markup:
    """Draw a training: its place in the queue, its progress, or how it ended."""
    return draw("teach/job.html", view=view)


def changes_panel(listed: VersionList) -> Markup:
    """Draw before and after, for the version in use.

    A version may come from an archive that anybody wrote, so scores of the wrong type are skipped.
    """
    version = listed.current
    scores = version.scores if version else {}
    unchecked = scores.get("unchecked")
    note = "not checked: every relation has only one pair of names"
    if scores.get("own_n"):
        note = f"{scores['own_n']} {CHECKED.get(str(scores.get('how_held_out')), 'rows')}"
    probes = [
        _probe(probe)
        for probe in _dicts(scores.get("probes"))
        if isinstance(probe.get("premise"), str) and isinstance(probe.get("hypothesis"), str)
    ]
    return draw(
        "teach/changes.html",
        listed=listed,
        version=version,
        own_note=note,
        unchecked=unchecked if isinstance(unchecked, list) else (),
        probes=probes,
    )


def _dicts(values: Any) -> list[dict[str, Any]]:
    return [v for v in values if isinstance(v, dict)] if isinstance(values, list) else []


def _probe(probe: Mapping[str, Any]) -> dict[str, Any]:
    """Return a probe with the verdicts and the nearest pairs of both sides."""
    sides = {title: probe.get(title.lower()) for title in ("Before", "After")}
    near = {
        title: _dicts(verdict.get("neighbours"))[:SHOWN_NEIGHBOURS]
        for title, verdict in sides.items()
        if isinstance(verdict, dict)
    }
    return {"probe": probe, "wanted": probe.get("label"), "sides": sides, "near": near}


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


def compare_panel(
    listed: VersionList, compared: Sequence[str | None], results: RowResults
) -> Markup:
    """Draw two or three versions side by side, None being the base model; then every row."""
    return draw(
        "teach/compared.html",
        titles=[listed.name(id) for id in compared],
        figures=[
            _figures(listed, id, compared, column.labels)
            for id, column in zip(compared, results.columns, strict=True)
        ],
        results=results,
    )


def _figures(
    listed: VersionList, id: str | None, compared: Sequence[str | None], labels: Sequence[str]
) -> dict[str, str]:
    """Return the figures of a version, or of the base model, by title."""
    version, scores = listed.find(id), {}
    made, how, rows = "–", "unchanged", "–"
    if version:
        made, how, rows = _when(version.created), version.how, f"{version.rows:,}"
        scores = {name: version.scores.get(f"{name}_after") for name in ("own", "benchmark")}
        scores["drift"] = version.scores.get("drift")
    else:  # as measured before something was taught to it
        taught = next((v for one in compared if (v := listed.find(one)) and not v.parent), None)
        if taught and taught.base == listed.base:
            scores = {n: taught.scores.get(f"{n}_before") for n in ("own", "benchmark")}
            scores["drift"] = 1.0
    return {
        "Made": made,
        "How": how,
        "Rows taught": rows,
        "Your rows": percent(scores.get("own")),
        "Built-in benchmark": percent(scores.get("benchmark")),
        "Other sentences kept": percent(scores.get("drift")),
        "Labels": shorten(", ".join(labels), 120),
    }


def _when(created: str) -> str:
    moment = datetime.fromisoformat(created)
    return Markup('<time datetime="{}">{} UTC</time>').format(created, f"{moment:%d %b %Y, %H:%M}")


def draw_curves(points: Sequence[Any]) -> dict[str, Any] | None:
    """Draw loss above held-out accuracy, over the steps; None before the first step.

    Args:
        points: of a learning curve: dicts with `step`, `total`, `loss` and `accuracy` (in [0, 1],
            None between measurements). Other values, which an archive may hold, are skipped.
    """
    points = [p for p in points if isinstance(p, Mapping) and _drawable(p, "step")]
    loss = [(p["step"], round(p["loss"], 5)) for p in points if _drawable(p, "loss")]
    if not loss:
        return None
    right = [(p["step"], round(100 * p["accuracy"], 5)) for p in points if _drawable(p, "accuracy")]
    total = max([p["total"] for p in points if _drawable(p, "total")] or [loss[-1][0]])
    traces = [
        {
            "type": "scatter",
            "mode": mode,
            "x": [x for x, _ in drawn],
            "y": [y for _, y in drawn],
            "yaxis": axis,
            "line": {"color": colour, "width": 2},
            "marker": {"color": colour, "size": 9},
            "hovertemplate": f"step %{{x}}<br>{hover}<extra></extra>",
        }
        for drawn, colour, axis, mode, hover in (
            (loss, COLOURS["fails"], "y", "lines", "loss %{y:.3f}"),
            (right, COLOURS["holds"], "y2", "lines+markers", "%{y:.0f}% right"),
        )
    ]
    title = {"x": 0, "yref": "paper", "yanchor": "bottom"}
    title["font"] = {"size": 13, "color": QUERY_COLOUR}
    percents = {"tickvals": [0, 50, 100], "ticktext": ["0%", "50%", "100%"]}
    axis = {"fixedrange": True, "zeroline": False, "gridcolor": GRID}
    layout = base_layout(CURVE_HEIGHT, {"l": 44, "r": 12, "t": 26, "b": 34}) | {
        "xaxis": axis | {"range": [0, total], "anchor": "y2", "title": {"text": "step"}},
        "yaxis": axis | {"domain": [0.58, 1], "rangemode": "tozero", "nticks": 4},
        "yaxis2": axis | {"domain": [0, 0.4], "range": [-4, 104]} | percents,
        "annotations": [
            note(text, y=y, **title) for text, y in zip(CURVE_TITLES, (1.0, 0.4), strict=True)
        ],
    }
    return to_figure(traces, layout)


def _drawable(point: Mapping[str, Any], name: str) -> bool:
    return is_number(point.get(name)) and isfinite(point[name])
