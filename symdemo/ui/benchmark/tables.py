"""The tables of the tab “Benchmark”, as HTML. Whatever a report says is escaped here."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from symdemo.reproduction.paper import TABLE_2, TABLE_2_ENCODER
from symdemo.reproduction.report import VERSIONS, Report
from symdemo.ui.benchmark.words import (
    NONE,
    SETTINGS,
    VERSION_NAMES,
    cell,
    method_name,
    percent,
    seeds_of,
    setting_value,
)
from symdemo.ui.shared.panels import count

LOOK_UP = "Looking the relation up"
UNTOUCHED = "Untouched encoder, 1-NN"
CROSS_ENCODER = "NLI cross-encoder"


def numbers_panel(report: Report, encoder: str | None) -> str:
    """The main table: each number of the paper beside ours, and the baselines."""
    probes, methods = report.rows("probes", encoder), report.rows("methods", encoder)
    cross = TABLE_2["NLI cross-encoder"]
    rows = [_baseline(UNTOUCHED, row.get("paper"), [percent(row.get(v)) for v in VERSIONS], "48")
            for row in probes]  # fmt: skip
    title = f"{CROSS_ENCODER}<small>the paper’s, {TABLE_2_ENCODER}</small>"
    rows.append(_baseline(title, (cross.lexicalized, cross.delexicalized), [NONE] * 2))
    rows += [_method_row(row) for row in methods]
    rows.append(_baseline(LOOK_UP, None, ["100%"] * 2, "0"))
    groups = [("Accuracy with names", 2), ("Accuracy with ids", 2), ("Labelled pairs", 3),
              ("Points lost", 3), ("Training", 2)]  # fmt: skip
    other = f"<small>{TABLE_2_ENCODER}</small>"
    same = "paper<small>same encoder</small>"
    names = [same, "ours", same, "ours", "used", f"needed, paper{other}", "needed, ours",
             f"NLI, paper{other}", "NLI, ours", "STS-B, ours", "steps", "seconds"]  # fmt: skip
    head = '<tr><th scope="col" rowspan="2">Method</th>' + "".join(
        f'<th scope="colgroup" colspan="{width}" class="group">{name}</th>'
        for name, width in groups
    )
    head += "</tr><tr>" + "".join(
        f'<th scope="col" class="number{_edge(i)}">{name}</th>' for i, name in enumerate(names)
    )
    body = "".join(rows)
    return f"""
<section class="card bench-card"><h2>The paper’s numbers beside ours</h2>
<p class="quiet">{_seed_words(probes, methods)}</p>
<p class="quiet">Before reading 100% as understanding: whoever <b>looks the relation up</b> and
never reads the sentence scores 100% too, since in these data each relation always has the same
answer. What is learnt is which templates can be turned round. The <b>untouched encoder</b> shows
where that learning began.</p>
<div class="scroll" tabindex="0" role="region" aria-label="The paper’s numbers beside ours">
<table id="bench-table" class="bench-table"><thead>{head}</tr></thead><tbody>{body}</tbody></table>
</div>
<p class="quiet bench-notes">{_table_notes(methods)}</p></section>"""


def _table_notes(methods: Sequence[Mapping[str, Any]]) -> str:
    nli = next((row["nli"] for row in methods if (row.get("nli") or {}).get("loss")), None)
    known = any((row.get("paper") or {}).get("accuracy") for row in methods)
    same = "are those of the same encoder (its Table 4)" if known else "leave this encoder out"
    notes = (
        f"The paper’s accuracies {same}; its pairs, its forgetting (accuracy on MNLI) and its NLI "
        f"cross-encoder are of {TABLE_2_ENCODER} (Table 2). "
        "“Needed” is the smallest number of pairs that left no error, with names and with ids. "
    )
    if nli:
        learnt, tested = nli["pairs"]
        notes += (
            f"Our NLI loss is measured after the encoder had learnt from {learnt:,} pairs of "
            f"{escape(str(nli['source']))}, on {tested:,} others; “right then” is the "
            "accuracy on the 14 relations afterwards, with names and with ids. "
        )
    return notes + "A loss below zero is a gain."


def _seed_words(probes: Sequence[Mapping[str, Any]], methods: Sequence[Mapping[str, Any]]) -> str:
    """How many seeds stand behind our figures, of which some are measured with fewer."""
    figures = [row.get(version) for row in (*probes, *methods) for version in VERSIONS]
    seeds = seeds_of(figures)
    if not seeds:
        return "Ours was not measured yet."
    single = seeds == count(1, "seed")
    ours = (
        "Ours: one seed, so no spread can be given"
        if single
        else f"Ours: the median of {seeds}, and the least to the most of them in small type"
    )
    kept, lost = (
        [((row.get("forgetting") or {}).get(name) or {}).get("sts_loss") for row in methods]
        for name in ("with retention", "without")
    )
    losses = [(row.get("nli") or {}).get("loss") or {} for row in methods]
    parts = {
        "STS-B": seeds_of(kept),
        "STS-B without retention": seeds_of(lost),
        "NLI": seeds_of(loss.get("with") for loss in losses),
        "NLI without retention": seeds_of(loss.get("without") for loss in losses),
    }
    fewer = [f"{name} {n}" for name, n in parts.items() if n and n != seeds]
    return f"{ours}{'; ' + ', '.join(fewer) if fewer else ''}."


def _edge(column: int) -> str:
    """The class of a column that begins a group."""
    return " edge" if column in {0, 2, 4, 7, 10} else ""


def _row(title: str, cells: Iterable[str], style: str = "") -> str:
    drawn = "".join(f'<td class="number{_edge(i)}">{shown}</td>' for i, shown in enumerate(cells))
    return f'<tr{style}><th scope="row">{title}</th>{drawn}</tr>'


def _baseline(
    title: str, paper: Sequence[float] | None, ours: Sequence[str], samples: str = NONE
) -> str:
    theirs = [f"{value:g}%" for value in paper] if paper else [NONE] * 2
    cells = [theirs[0], ours[0], theirs[1], ours[1], samples, *[NONE] * 7]
    return _row(title, cells, ' class="baseline"')


def _method_row(row: Mapping[str, Any]) -> str:
    paper = row.get("paper") or {}
    accuracy = [f"{value:g}%" for value in paper.get("accuracy") or ()] or [NONE] * 2
    kept, lost = ((row.get("forgetting") or {}).get(k) or {} for k in ("with retention", "without"))
    nli = row.get("nli") or {}
    lost_nli = nli.get("loss") or {}
    cells = [
        accuracy[0],
        percent(row.get("lexicalized")),
        accuracy[1],
        percent(row.get("delexicalized")),
        str(row["samples"]),
        _given(paper.get("samples")),
        _smallest(row.get("smallest_perfect")),
        _given(paper.get("forgetting")),
        _with_and_without(lost_nli.get("with"), lost_nli.get("without"), 1) + _right_then(nli),
        _with_and_without(kept.get("sts_loss"), lost.get("sts_loss"), 2),
        cell(row.get("steps"), 0),
        cell(row.get("seconds"), 0),
    ]
    return _row(method_name(row["method"]), cells)


def _given(value: float | None) -> str:
    return NONE if value is None else f"{value:g}"


def _with_and_without(kept: Any, lost: Any, digits: int) -> str:
    if not lost:
        return cell(kept, digits)
    without = cell(dict.fromkeys(("median", "least", "most"), lost["median"]), digits)
    return f"{cell(kept, digits)}<small>without retention {without}</small>"


def _right_then(nli: Mapping[str, Any]) -> str:
    """How right the model that first learnt NLI is on the relations, where it was measured."""
    found = [spread for version in VERSION_NAMES if (spread := nli.get(version))]
    shares = ", ".join(f"{100 * spread['median']:.1f}%" for spread in found)
    return f"<small>right then {shares}</small>" if found else ""


def _smallest(found: Mapping[str, Any] | None) -> str:
    if not found:
        return NONE
    tried, reached = len(found["by_seed"]), found["reached"]
    if not reached:
        return "not reached"
    note = "" if reached == tried else f"<small>{reached} of {tried} seeds</small>"
    return cell(found["spread"], 0) + note


def curve_table(report: Report, encoder: str | None, version: str) -> str:
    """The numbers behind the first picture, for those who do not see it."""
    methods = [row["method"] for row in report.rows("methods", encoder)]
    rows = "".join(
        f'<tr><th scope="row">{method_name(method)}</th><td class="number">{row["samples"]}</td>'
        f'<td class="number">{percent(row.get(version))}</td>'
        f'<td class="number">{(row.get(version) or {}).get("n", 0)}</td></tr>'
        for method in methods
        for row in report.curve(encoder, method)
    )
    heads = ("Pairs", f"Accuracy {VERSION_NAMES[version]}", "Seeds")
    return (
        "<details><summary>These numbers as a table</summary>"
        + scrolling_table(
            "Accuracy by labelled pairs", ("Method", *heads), f"<tbody>{rows}</tbody>", "narrow"
        )
        + "</details>"
        if rows
        else ""
    )


def scrolling_table(
    label: str, heads: Sequence[str], bodies: str, style: str, left: int = 1
) -> str:
    """A table that scrolls by itself; heads from `left` on stand over numbers."""
    head = "".join(
        f'<th scope="col"{"" if i < left else " class=number"}>{escape(name)}</th>'
        for i, name in enumerate(heads)
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(label)}">'
        f'<table class="bench-table {style}"><thead><tr>{head}</tr></thead>{bodies}'
        "</table></div>"
    )


USED = ' <span class="tag tag--holds">used</span>'


def ablation_panel(report: Report) -> str:
    """One setting changed at a time."""
    found = report.summary.get("ablations") or []
    if not found:
        return _absent("One setting changed at a time")
    groups: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for row in found:
        groups.setdefault(tuple(row["changes"]), []).append(row)
    usual, seeds = _usual(found), len(report.summary.get("plan", {}).get("ablation_seeds", ()))
    bodies = "".join(_setting_rows(names, rows, usual, seeds) for names, rows in groups.items())
    encoder = escape(next(iter(report.encoders), NONE))
    heads = ("Value", "With names", "With ids", "STS-B lost")
    title = "One setting changed at a time"
    return f"""
<section class="card bench-card"><h2>{title}</h2>
<p class="quiet">k-NN on {encoder}, {count(seeds, "seed")}; all other settings are those that most
methods share, and for the number of neighbours those of k-NN. Accuracy, and points of STS-B rank
correlation lost where that was measured.</p>
{scrolling_table(title, heads, bodies, "ablations")}</section>"""


def _setting_rows(
    changes: Sequence[str], rows: Sequence[Mapping[str, Any]], usual: str | None, seeds: int
) -> str:
    setting, *others = changes
    n = (rows[0].get("lexicalized") or {}).get("n", seeds)
    notes = ["in place of the retention term"] * bool(others) + [count(n, "seed")] * (n != seeds)
    note = f" <small>{', '.join(notes)}</small>" if notes else ""
    title = escape(SETTINGS.get(setting, setting)) + note
    head = f'<tr class="setting"><th scope="rowgroup" colspan="4">{title}</th></tr>'
    drawn = "".join(
        f'<tr><th scope="row">{setting_value(row["changes"][setting])}'
        f"{USED if usual and _figures(row) == usual else ''}</th>"
        f'<td class="number">{percent(row.get("lexicalized"))}</td>'
        f'<td class="number">{percent(row.get("delexicalized"))}</td>'
        f'<td class="number">{cell(row.get("sts_loss"), 2)}</td></tr>'
        for row in rows
    )
    return f"<tbody>{head}{drawn}</tbody>"


def _usual(rows: Sequence[Mapping[str, Any]]) -> str | None:
    """The figures of the setting used elsewhere: the same measurement stands in most groups.

    Only rows with a drift are compared: bare accuracies may be equal by chance.
    """
    found = Counter(_figures(row) for row in rows if row.get("drift")).most_common(1)
    return found[0][0] if found and found[0][1] > 1 else None


def _figures(row: Mapping[str, Any]) -> str:
    return json.dumps({k: v for k, v in row.items() if k != "changes"}, sort_keys=True)


def new_label_panel(report: Report) -> str:
    """A third label taught by neighbours alone."""
    title = "A third label, without retraining"
    found = report.summary.get("new_label") or []
    if not found:
        return _absent(title)
    rows = "".join(
        f'<tr><th scope="row" class="number">{row["examples"]}</th>'
        f'<td class="number">{percent(row.get("neutral"))}</td>'
        f'<td class="number">{percent(row.get("others"))}</td></tr>'
        for row in found
    )
    seeds = seeds_of(row.get("neutral") for row in found) or "the seeds"
    heads = ("Examples", "New label found", "14 relations afterwards")
    return f"""
<section class="card bench-card"><h2>{title}</h2>
<p class="quiet">Examples of <i>neutral</i> are added to the k-NN model as neighbours, with no
gradient step: is the new label found on held-out pairs, and do the 14 relations suffer?
Medians over {seeds}.</p>
{scrolling_table(title, heads, f"<tbody>{rows}</tbody>", "narrow", 0)}</section>"""


def _absent(title: str) -> str:
    return (
        f'<section class="card bench-card"><h2>{title}</h2>'
        '<p class="quiet">Not part of this study.</p></section>'
    )
