"""HTML of the tab “Teach”: all versions as a table, some side by side, and what each row got."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from html import escape

from symdemo.pairs import shorten
from symdemo.teaching.project import Version
from symdemo.ui.about_panel import METHODS_IN_WORDS
from symdemo.ui.panels import relation_name
from symdemo.ui.teach_changes import percent
from symdemo.ui.teach_handlers import Shelf
from symdemo.ui.teach_panels import label_tag
from symdemo.ui.teach_results import Results

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


def compare_panel(shelf: Shelf, compared: Sequence[str | None], results: Results) -> str:
    """Versions side by side (None is the base model): their figures, then every row.

    Args:
        shelf: that they are on.
        compared: their ids, two or three.
        results: what they say of the rows.
    """
    figures = [_figures(shelf, id, compared, results) for id in compared]
    lines = "".join(
        f'<tr><th scope="row">{title}</th>'
        + "".join(f"<td>{column[title]}</td>" for column in figures)
        + "</tr>"
        for title in figures[0]
    )
    titles = "".join(f'<th scope="col">{escape(shelf.name(id))}</th>' for id in compared)
    return f"""<section class="card results"><h3>Side by side</h3>
<div class="scroll" tabindex="0" role="region" aria-label="Versions compared">
<table class="compare"><thead><tr><td></td>{titles}</tr></thead><tbody>{lines}</tbody></table></div>
<p class="quiet">Each figure is the one that was measured when the version was made, so “your rows”
may be other rows.</p></section>{results_panel(results)}"""


def _figures(
    shelf: Shelf, id: str | None, compared: Sequence[str | None], results: Results
) -> dict[str, str]:
    """What is told of a version, or of the base model: by the name of the figure, as HTML."""
    labels = results.columns[list(compared).index(id)].labels
    version, scores = shelf.find(id), {}
    made, how, rows = "–", "as it came", "–"
    if version:
        made, how, rows = when(version.created), HOW.get(version.how, ""), f"{version.rows:,}"
        scores = {name: version.scores.get(f"{name}_after") for name in ("own", "benchmark")}
        scores["drift"] = version.scores.get("drift")
    else:  # as it was measured when something was taught to it
        taught = next((v for one in compared if (v := shelf.find(one)) and not v.parent), None)
        if taught and taught.base == shelf.base:
            scores = {n: taught.scores.get(f"{n}_before") for n in ("own", "benchmark")}
            scores["drift"] = 1.0
    return {
        "Made": made,
        "How": how,
        "Rows taught": rows,
        "Your rows": percent(scores.get("own")),
        "Built-in benchmark": percent(scores.get("benchmark")),
        "Other sentences kept": percent(scores.get("drift")),
        "Labels": escape(shorten(", ".join(labels), 120)),
    }


def results_panel(results: Results) -> str:
    """A score for each relation, the worst first, and every row, those that are wrong first."""
    titles = "".join(f'<th scope="col">{escape(column.name)}</th>' for column in results.columns)
    relations = "".join(
        f'<tr><th scope="row">{escape(shorten(relation_name(relation), 60))}</th>'
        + "".join(f"<td>{right:,} of {n:,}</td>" for right in rights)
        + "</tr>"
        for relation, n, rights in results.relations()
    )
    rows = "".join(_judged_row(results, place) for place in results.wrong_first())
    n = len(results.pairs)
    total = "".join(f"<td><b>{right:,} of {n:,}</b></td>" for right in results.total())
    relations = f'<tr><th scope="row"><b>All rows</b></th>{total}</tr>{relations}'
    return f"""<section class="card results"><h3>Right answers, relation by relation</h3>
<div class="scroll scroll--rows" tabindex="0" role="region" aria-label="Right answers by relation">
<table class="compare"><thead><tr><th scope="col">Relation</th>{titles}</tr></thead>
<tbody>{relations}</tbody></table></div>
<h3>Every row, wrong answers first</h3>
<div class="scroll scroll--rows" tabindex="0" role="region" aria-label="Every row">
<table class="compare"><thead><tr><th scope="col">Sentence</th><th scope="col">You say</th>{titles}
</tr></thead><tbody>{rows}</tbody></table></div>
<p class="quiet">All are asked about your rows as they are now, each as if it had been taught
nothing about the two names of the row.</p></section>"""


def _judged_row(results: Results, place: int) -> str:
    pair = results.pairs[place]
    cells = ""
    for column in results.columns:
        verdict, right = column.verdicts[place], results.is_right(column, place)
        mark = f'<span class="mark mark--{"yes" if right else "no"}">{_WORDS[right]}</span>'
        cells += f"<td>{label_tag(verdict.label) if verdict else '–'} {mark}</td>"
    return (
        f'<tr><th scope="row">{escape(shorten(pair.premise, 90))}</th>'
        f"<td>{label_tag(str(pair.label))}</td>{cells}</tr>"
    )


_WORDS = {True: "right", False: "wrong"}


def when(created: str) -> str:
    """A time as people read it, in UTC."""
    try:
        moment = datetime.fromisoformat(created)
    except ValueError:
        return "–"
    return f'<time datetime="{escape(created)}">{moment:%d %b %Y, %H:%M} UTC</time>'
