"""HTML of the tab “Teach”: what a version changed, all versions, and some side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from html import escape
from typing import Any

from symdemo.teaching.projects.project import Version
from symdemo.text import shorten
from symdemo.ui.shared.about import METHODS_IN_WORDS
from symdemo.ui.shared.panels import label_tag, relation_name
from symdemo.ui.teach.versions import Results, VersionList

SHOWN_NEIGHBOURS = 3

CHECKED = {
    "held out": "rows that were kept back from the training",
    "leave one out": "rows, each pair of names left out in turn",
    "none": "",
}

NOTHING = (
    '<section class="card"><p class="quiet">Once you have taught the model, this shows what it '
    "says before and after.</p></section>"
)
BASE_IN_USE = (
    '<section class="card"><p class="quiet">The base model is in use. Choose one of your versions '
    "below to see what it changed.</p></section>"
)


def changes_panel(listed: VersionList) -> str:
    """Before and after, for the version in use."""
    version = listed.current
    if version is None:
        return BASE_IN_USE if listed.versions else NOTHING
    scores = version.scores
    figures = "".join(
        _figure(title, scores.get(f"{key}_before"), scores.get(f"{key}_after"), note)
        for title, key, note in (
            ("Your own rows", "own", _own_note(scores)),
            (
                "Built-in benchmark",
                "benchmark",
                f"{scores.get('benchmark_n', 0)} facts that no model was taught",
            ),
        )
    )
    figures += _kept(scores)
    unchecked = scores.get("unchecked")
    unchecked = unchecked if isinstance(unchecked, list) else []
    warning = ""
    if unchecked:
        named = ", ".join(f"“{escape(shorten(str(text), 40))}”" for text in unchecked[:6])
        warning = (
            f'<p class="quiet">Not checked, for want of a second pair of names: {named}. Add rows '
            "with other names to see how well that was learnt.</p>"
        )
    warning += _cut_short(version.training)
    return f"""<section class="card changes" role="status">
<h3>{escape(version.name)}, made from {escape(listed.origin(version))}</h3>
<div class="figures">{figures}</div>{warning}</section>{_probes(scores)}"""


def _cut_short(training: Mapping[str, Any]) -> str:
    """What is missing of a version whose training was stopped while it was measured."""
    known, remembered = training.get("known"), training.get("remembered")
    if not (_is_number(known) and _is_number(remembered)):
        return ""
    return (
        f'<p class="quiet">Stopped early: it remembers {remembered:,} of the {known:,} examples '
        "that it started with. Retrain it to the end to have them all.</p>"
    )


def _own_note(scores: Mapping[str, Any]) -> str:
    if not scores.get("own_n"):
        return "not checked: every relation has only one pair of names"
    return f"{scores['own_n']} {CHECKED.get(str(scores.get('how_held_out')), 'rows')}"


def _figure(title: str, before: Any, after: Any, note: str) -> str:
    style = ""
    if _is_number(before) and _is_number(after) and abs(after - before) >= 0.005:
        style = " figure--up" if after > before else " figure--down"
    return (
        f'<div class="stat{style}"><p class="stat__title">{title}</p>'
        f'<p class="stat__value"><span>{percent(before)}</span>'
        '<span aria-label="then">→</span>'
        f'<b>{percent(after)}</b></p><p class="quiet">{escape(note)}</p></div>'
    )


def _kept(scores: Mapping[str, Any]) -> str:
    drift = scores.get("drift")
    shown = (
        '<div class="stat"><p class="stat__title">Other sentences</p><p class="stat__value">'
        f'<b>{percent(drift)}</b></p><p class="quiet">of the nearest neighbours among everyday '
        "sentences stayed the same; 100% is nothing forgotten</p></div>"
    )
    before, after = scores.get("sts_before"), scores.get("sts_after")
    if _is_number(after) and _is_number(before):
        shown += (
            '<div class="stat"><p class="stat__title">Sentence similarity</p>'
            f'<p class="stat__value"><span>{before:.1f}</span><span aria-label="then">→</span>'
            f'<b>{after:.1f}</b></p><p class="quiet">agreement with people, at most 100</p></div>'
        )
    return shown


def _probes(scores: Mapping[str, Any]) -> str:
    probes = shown_probes(scores)
    if not probes:
        return ""
    blocks = "".join(_probe(probe) for probe in probes)
    return (
        '<section class="card probes"><h3>Some of your sentences, before and after</h3>'
        '<p class="quiet">Each was asked as if neither version had been taught anything about '
        f"these two names.</p>{blocks}</section>"
    )


def shown_probes(scores: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The probes that can be shown: a version may come from an archive that anybody wrote."""
    probes = _dicts(scores.get("probes"))
    texts = ("premise", "hypothesis")
    return [probe for probe in probes if all(isinstance(probe.get(name), str) for name in texts)]


def _dicts(values: Any) -> list[dict[str, Any]]:
    return [v for v in values if isinstance(v, dict)] if isinstance(values, list) else []


def _probe(probe: Mapping[str, Any]) -> str:
    verdicts, neighbours = "", ""
    for title, side in (("Before", "before"), ("After", "after")):
        verdict, heading = probe.get(side), f'<div class="probe__side"><h4>{title}</h4>'
        verdicts += f"{heading}{_verdict(verdict, probe.get('label'))}</div>"
        neighbours += f"{heading}{_neighbours(verdict)}</div>"
    return (
        f'<article class="probe"><p class="sentence">{escape(str(probe.get("premise")))}</p>'
        f'<p class="sentence sentence--swap">{escape(str(probe.get("hypothesis")))}</p>'
        f'<p class="quiet">You say: {label_tag(str(probe.get("label")))}</p>'
        f'<div class="probe__sides">{verdicts}</div>'
        "<details><summary>Nearest taught examples</summary>"
        f'<div class="probe__sides">{neighbours}</div></details></article>'
    )


def _verdict(verdict: Any, wanted: Any) -> str:
    if not isinstance(verdict, dict):
        return '<p class="quiet">It knew nothing to answer with.</p>'
    label = str(verdict.get("label"))
    shares = verdict.get("probabilities")
    share = shares.get(label) if isinstance(shares, dict) else None
    sure = f" {percent(share)}" if _is_number(share) else ""
    mark = (
        '<span class="mark mark--yes">right</span>'
        if label == wanted
        else '<span class="mark mark--no">wrong</span>'
    )
    return f"<p>{label_tag(label)}{sure} {mark}</p>"


def _neighbours(verdict: Any) -> str:
    near = _dicts(verdict.get("neighbours")) if isinstance(verdict, dict) else []
    items = "".join(
        f"<li>{escape(shorten(str(one.get('premise')), 90))} {label_tag(str(one.get('label')))} "
        f'<span class="quiet">{_distance(one.get("distance"))}</span></li>'
        for one in near[:SHOWN_NEIGHBOURS]
    )
    return f"<ol>{items}</ol>" if items else '<p class="quiet">None.</p>'


def percent(share: Any) -> str:
    """A share as a whole percentage; a dash where nothing was measured."""
    return f"{share:.0%}" if _is_number(share) else "–"


def _distance(value: Any) -> str:
    return f"{value:.3f}" if _is_number(value) else ""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


HOW = {"instant": "taught at once", "retrained": "retrained"}


def versions_panel(listed: VersionList) -> str:
    """All versions as a table, the newest first, the base model last."""
    if not listed.versions:
        return '<p class="quiet">No version yet. Every teaching makes one, and none is lost.</p>'
    rows = "".join(_version_row(listed, version) for version in reversed(listed.versions))
    used = _in_use(listed.selected is None)
    rows += (
        f'<tr><th scope="row">{escape(listed.name(None))}{used}</th><td>–</td><td>as it came</td>'
        "<td>–</td>" + 4 * '<td class="number">–</td>' + "</tr>"
    )
    heads = ("Version", "Made", "How", "From", "Your rows", "Benchmark", "Others kept", "Rows")
    titles = "".join(
        f'<th scope="col"{" class=number" if place > 3 else ""}>{title}</th>'
        for place, title in enumerate(heads)
    )
    return f"""<div class="scroll" tabindex="0" role="region" aria-label="Versions">
<table id="versions-table"><thead><tr>{titles}</tr></thead><tbody>{rows}</tbody></table></div>"""


def _version_row(listed: VersionList, version: Version) -> str:
    scores = version.scores
    method = METHODS_IN_WORDS.get(version.method, version.method)
    return (
        f'<tr><th scope="row">{escape(version.name)}{_in_use(version.id == listed.selected)}</th>'
        f"<td>{when(version.created)}</td>"
        f'<td title="{escape(method)}">{HOW.get(version.how, "")}</td>'
        f"<td>{escape(listed.origin(version))}</td>"
        f'<td class="number">{percent(scores.get("own_after"))}</td>'
        f'<td class="number">{percent(scores.get("benchmark_after"))}</td>'
        f'<td class="number">{percent(scores.get("drift"))}</td>'
        f'<td class="number">{version.rows:,}</td></tr>'
    )


def _in_use(selected: bool) -> str:
    return ' <span class="tag tag--holds">in use</span>' if selected else ""


def compare_panel(listed: VersionList, compared: Sequence[str | None], results: Results) -> str:
    """Versions side by side (None is the base model): their figures, then every row.

    Args:
        listed: all versions of the project.
        compared: their ids, two or three.
        results: what they say of the rows.
    """
    figures = [_figures(listed, id, compared, results) for id in compared]
    lines = "".join(
        f'<tr><th scope="row">{title}</th>'
        + "".join(f"<td>{column[title]}</td>" for column in figures)
        + "</tr>"
        for title in figures[0]
    )
    titles = "".join(f'<th scope="col">{escape(listed.name(id))}</th>' for id in compared)
    return f"""<section class="card results"><h3>Side by side</h3>
<div class="scroll" tabindex="0" role="region" aria-label="Versions compared">
<table class="compare"><thead><tr><td></td>{titles}</tr></thead><tbody>{lines}</tbody></table></div>
<p class="quiet">Each figure is the one that was measured when the version was made, so “your rows”
may be other rows.</p></section>{results_panel(results)}"""


def _figures(
    listed: VersionList, id: str | None, compared: Sequence[str | None], results: Results
) -> dict[str, str]:
    """What is told of a version, or of the base model: by the name of the figure, as HTML."""
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
