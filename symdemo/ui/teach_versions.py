"""HTML of the tab “Teach”: all versions as a table, and two of them side by side."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from html import escape
from typing import Any

from symdemo.pairs import shorten
from symdemo.teaching.project import Version
from symdemo.ui.about_panel import METHODS_IN_WORDS
from symdemo.ui.teach_changes import percent, shown_probes
from symdemo.ui.teach_handlers import Shelf
from symdemo.ui.teach_panels import label_tag

HOW = {"instant": "taught at once", "retrained": "retrained"}


def versions_panel(shelf: Shelf) -> str:
    """All versions as a table, the newest first, the base model last."""
    if not shelf.versions:
        return '<p class="quiet">No version yet. Every teaching makes one, and none is lost.</p>'
    rows = "".join(_version_row(shelf, version) for version in reversed(shelf.versions))
    used = _in_use(shelf.selected is None)
    rows += (
        f'<tr><th scope="row">{escape(shelf.name(None))}{used}</th><td>–</td><td>as it came</td>'
        "<td>–</td>" + 4 * '<td class="number">–</td>' + "</tr>"
    )
    heads = ("Version", "Made", "How", "From", "Your rows", "Benchmark", "Others kept", "Rows")
    titles = "".join(
        f'<th scope="col"{" class=number" if place > 3 else ""}>{title}</th>'
        for place, title in enumerate(heads)
    )
    return f"""<div class="scroll" tabindex="0" role="region" aria-label="Versions">
<table id="versions-table"><thead><tr>{titles}</tr></thead><tbody>{rows}</tbody></table></div>"""


def _version_row(shelf: Shelf, version: Version) -> str:
    scores = version.scores
    method = METHODS_IN_WORDS.get(version.method, version.method)
    return (
        f'<tr><th scope="row">{escape(version.name)}{_in_use(version.id == shelf.selected)}</th>'
        f"<td>{when(version.created)}</td>"
        f'<td title="{escape(method)}">{HOW.get(version.how, "")}</td>'
        f"<td>{escape(shelf.origin(version))}</td>"
        f'<td class="number">{percent(scores.get("own_after"))}</td>'
        f'<td class="number">{percent(scores.get("benchmark_after"))}</td>'
        f'<td class="number">{percent(scores.get("drift"))}</td>'
        f'<td class="number">{version.rows:,}</td></tr>'
    )


def _in_use(selected: bool) -> str:
    return ' <span class="tag tag--holds">in use</span>' if selected else ""


def compare_panel(shelf: Shelf, one: str | None, other: str | None) -> str:
    """Two versions side by side: their figures, and what they say of the sentences both met."""
    first, second = shelf.find(one), shelf.find(other)
    if first is None or second is None or first.id == second.id:
        return ""
    rows = "".join(
        f'<tr><th scope="row">{title}</th><td>{show(first)}</td><td>{show(second)}</td></tr>'
        for title, show in _COMPARED.items()
    )
    known = {(probe["premise"], probe["hypothesis"]): probe for probe in shown_probes(first.scores)}
    for probe in shown_probes(second.scores):
        met = known.get((probe["premise"], probe["hypothesis"]))
        if met:
            sides = "".join(f"<td>{_short(side)}</td>" for side in (met, probe))
            rows += f'<tr><th scope="row">{escape(shorten(probe["premise"], 90))}</th>{sides}</tr>'
    return f"""<div class="scroll" tabindex="0" role="region" aria-label="Two versions compared">
<table class="compare"><thead><tr><th scope="col"></th>
<th scope="col">{escape(first.name)}</th>
<th scope="col">{escape(second.name)}</th></tr></thead><tbody>{rows}</tbody></table>
</div><p class="quiet">Each figure is the one that was measured when the version was made, so “your
rows” may be other rows.</p>"""


def _short(probe: Mapping[str, Any]) -> str:
    after = probe.get("after")
    if not isinstance(after, dict):
        return "–"
    right = after.get("label") == probe.get("label")
    mark = f'<span class="mark mark--{"yes" if right else "no"}">{"right" if right else "wrong"}'
    return f"{label_tag(str(after.get('label')))} {mark}</span>"


_COMPARED = {
    "Made": lambda version: when(version.created),
    "How": lambda version: HOW.get(version.how, ""),
    "Rows taught": lambda version: f"{version.rows:,}",
    "Your rows": lambda version: percent(version.scores.get("own_after")),
    "Built-in benchmark": lambda version: percent(version.scores.get("benchmark_after")),
    "Other sentences kept": lambda version: percent(version.scores.get("drift")),
    "Labels": lambda version: escape(shorten(", ".join(version.labels), 120)),
}


def when(created: str) -> str:
    """A time as people read it, in UTC."""
    try:
        moment = datetime.fromisoformat(created)
    except ValueError:
        return "–"
    return f'<time datetime="{escape(created)}">{moment:%d %b %Y, %H:%M} UTC</time>'
