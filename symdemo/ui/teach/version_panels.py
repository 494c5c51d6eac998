"""HTML of the tab “Teach”: what a version changed, all versions, and some side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from markupsafe import Markup

from symdemo.text import shorten
from symdemo.ui.shared.about import METHODS_IN_WORDS
from symdemo.ui.shared.html import draw, percent
from symdemo.ui.teach.versions import Results, VersionList

SHOWN_NEIGHBOURS = 3

CHECKED = {
    "held out": "rows that were kept back from the training",
    "leave one out": "rows, each pair of names left out in turn",
    "none": "",
}

TIME = Markup('<time datetime="{}">{} UTC</time>')
HOW = {"instant": "taught at once", "retrained": "retrained"}


def changes_panel(listed: VersionList) -> Markup:
    """Before and after, for the version in use."""
    version = listed.current
    scores = version.scores if version else {}
    unchecked = scores.get("unchecked")
    return draw(
        "teach/changes.html",
        listed=listed,
        version=version,
        own_note=_own_note(scores),
        unchecked=unchecked if isinstance(unchecked, list) else (),
        probes=[_probe(probe) for probe in _shown_probes(scores)],
    )


def _own_note(scores: Mapping[str, Any]) -> str:
    if not scores.get("own_n"):
        return "not checked: every relation has only one pair of names"
    return f"{scores['own_n']} {CHECKED.get(str(scores.get('how_held_out')), 'rows')}"


def _shown_probes(scores: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The probes that can be shown: a version may come from an archive that anybody wrote."""
    probes = _dicts(scores.get("probes"))
    texts = ("premise", "hypothesis")
    return [probe for probe in probes if all(isinstance(probe.get(name), str) for name in texts)]


def _dicts(values: Any) -> list[dict[str, Any]]:
    return [v for v in values if isinstance(v, dict)] if isinstance(values, list) else []


def _probe(probe: Mapping[str, Any]) -> dict[str, Any]:
    """A probe with the verdicts and the nearest pairs of both sides, as far as they are any."""
    sides = {title: probe.get(title.lower()) for title in ("Before", "After")}
    near = {
        title: _dicts(verdict.get("neighbours"))[:SHOWN_NEIGHBOURS]
        for title, verdict in sides.items()
        if isinstance(verdict, dict)
    }
    return {"probe": probe, "wanted": probe.get("label"), "sides": sides, "near": near}


def versions_panel(listed: VersionList) -> Markup:
    """All versions as a table, the newest first, the base model last."""
    return draw("teach/versions.html", listed=listed, how=HOW, methods=METHODS_IN_WORDS, when=when)


def compare_panel(listed: VersionList, compared: Sequence[str | None], results: Results) -> Markup:
    """Versions side by side (None is the base model): their figures, then every row.

    Args:
        listed: all versions of the project.
        compared: their ids, two or three.
        results: what they say of the rows.
    """
    return draw(
        "teach/compared.html",
        titles=[listed.name(id) for id in compared],
        figures=[_figures(listed, id, compared, results) for id in compared],
        results=results,
    )


def _figures(
    listed: VersionList, id: str | None, compared: Sequence[str | None], results: Results
) -> dict[str, str]:
    """What is told of a version, or of the base model: by the name of the figure."""
    labels = results.columns[list(compared).index(id)].labels
    version, scores = listed.find(id), {}
    made, how, rows = "–", "as it came", "–"
    if version:
        made, how, rows = when(version.created), HOW.get(version.how, ""), f"{version.rows:,}"
        scores = {name: version.scores.get(f"{name}_after") for name in ("own", "benchmark")}
        scores["drift"] = version.scores.get("drift")
    else:  # as it was measured when something was taught to it
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


def results_panel(results: Results) -> Markup:
    """A score for each relation, the worst first, and every row, those that are wrong first."""
    return draw("teach/results.html", results=results)


def when(created: str) -> str:
    """A time as people read it, in UTC."""
    try:
        moment = datetime.fromisoformat(created)
    except ValueError:
        return "–"
    return TIME.format(created, f"{moment:%d %b %Y, %H:%M}")
