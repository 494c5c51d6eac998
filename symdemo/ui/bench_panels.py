"""HTML of the tab “Benchmark”. Whatever a report says is escaped here."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from symdemo.reproduction.paper import TABLE_2
from symdemo.ui.bench_report import VERSIONS, Report, command_to_make
from symdemo.ui.bench_words import (
    NONE,
    SETTINGS,
    VERSION_NAMES,
    cell,
    count,
    method_name,
    percent,
    setting_value,
)

LOOK_UP = "Looking the relation up"
UNTOUCHED = "Untouched encoder, 1-NN"
CROSS_ENCODER = "NLI cross-encoder"

ACCURACY_CAPTION = (
    "<p>Lines are medians over the seeds, bands reach from the least to the most. A hollow point "
    "stands for those seeds only that were not yet without error: the search leaves a seed alone "
    "once it is. The marks on top are what the paper needed with RoBERTa-large.</p>"
)
FORGETTING_CAPTION = (
    "<p>Left, what retraining cost: points of STS-B rank correlation and of NLI accuracy that are "
    "gone afterwards. Right, the accuracy on swapped sentences that it bought. Further left and "
    "further right is better. The retention term keeps generic sentences where the untouched "
    "encoder has them; whiskers reach from the least to the most.</p>"
)


def nothing_panel() -> str:
    """One kind sentence where there is no report yet."""
    command = escape(command_to_make())
    return (
        '<section class="card"><h2>Nothing has been measured here yet</h2><p class="quiet">Run '
        f"<code>{command}</code> (with <code>--quick</code> for a first table in a few minutes), "
        "and the paper’s tables appear here, measured on this machine.</p></section>"
    )


def lead_panel(report: Report, encoder: str | None) -> str:
    """What was measured and on what, in a sentence, and what is missing."""
    methods = report.rows("methods", encoder)
    sizes = sorted({row["samples"] for row in methods})
    pairs = " or ".join(str(size) for size in sizes) + " labelled pairs"
    lead = (
        f"Each of {count(len(methods), 'method')} retrained <b>{escape(str(encoder))}</b> on {pairs} of 14 "
        "Wikidata relations, then said, for entities not seen in training, whether a sentence "
        "still holds once subject and object are swapped: medians over "
        f"{count(len(report.seeds), 'seed')}, beside the paper’s numbers."
    )
    notes = []
    if not report.values.get("finished", True):
        notes.append("This study was stopped before its end; what it lacks is shown as –.")
    if missing := report.summary.get("missing_encoders"):
        names = escape(", ".join(map(str, missing)))
        notes.append(f"Not measured, for want of a network or a local copy: {names}.")
    nli = next((row["nli"] for row in methods if row.get("nli")), None) or {}
    if "missing" in nli:
        notes.append(f"NLI was not measured: {escape(str(nli['missing']))}")
    quiet = "".join(f'<p class="quiet">{note}</p>' for note in notes)
    return (
        '<section class="bench-lead"><h2>The paper’s tables, measured here</h2>'
        f"<p>{lead}</p>{quiet}</section>"
    )


def numbers_panel(report: Report, encoder: str | None) -> str:
    """The main table: each number of the paper beside ours, and the baselines."""
    probes, methods = report.rows("probes", encoder), report.rows("methods", encoder)
    cross = TABLE_2["NLI cross-encoder"]
    rows = [_baseline(UNTOUCHED, row.get("paper"), [percent(row.get(v)) for v in VERSIONS], "48")
            for row in probes]  # fmt: skip
    rows.append(_baseline(CROSS_ENCODER, (cross.lexicalized, cross.delexicalized), [NONE] * 2))
    rows += [_method_row(row) for row in methods]
    rows.append(_baseline(LOOK_UP, None, ["100%"] * 2, "0"))
    groups = [("Accuracy with names", 2), ("Accuracy with ids", 2), ("Labelled pairs", 3),
              ("Points lost", 3), ("Training", 2)]  # fmt: skip
    names = ["paper", "ours", "paper", "ours", "used for ours", "needed, paper", "needed, ours",
             "NLI, paper", "NLI, ours", "STS-B, ours", "steps", "seconds"]  # fmt: skip
    head = '<tr><th scope="col" rowspan="2">Method</th>' + "".join(
        f'<th scope="colgroup" colspan="{width}" class="group">{name}</th>'
        for name, width in groups
    )
    head += "</tr><tr>" + "".join(
        f'<th scope="col" class="number{_edge(i)}">{name}</th>' for i, name in enumerate(names)
    )
    body = "".join(rows)
    return f"""
<section class="card"><h2>The paper’s numbers beside ours</h2>
<p class="quiet">Ours: median, and the least to the most of the seeds in small type. Before reading
100% as understanding: whoever <b>looks the relation up</b> and never reads the sentence scores 100%
too, since in these data each relation always has the same answer. What is learnt is which templates
can be turned round. The <b>untouched encoder</b> shows where that learning began.</p>
<div class="scroll" tabindex="0" role="region" aria-label="The paper’s numbers beside ours">
<table id="bench-table" class="bench-table"><thead>{head}</tr></thead><tbody>{body}</tbody></table>
</div>
<p class="quiet bench-notes">{_table_notes(methods)}</p></section>"""


def _table_notes(methods: Sequence[Mapping[str, Any]]) -> str:
    nli = next((row["nli"] for row in methods if (row.get("nli") or {}).get("loss")), None)
    notes = (
        "The paper’s accuracies are those of the same encoder (its Table 4); its pairs, its "
        "forgetting (accuracy on MNLI) and its NLI cross-encoder are of RoBERTa-large (Table 2). "
        "“Needed” is the smallest number of pairs that left no error, with names and with ids. "
    )
    if nli:
        learnt, tested = nli["pairs"]
        notes += (
            f"Our NLI loss is measured after the encoder had learnt from {learnt:,} pairs of "
            f"{escape(str(nli['source']))}, on {tested:,} others. "
        )
    return notes + "A loss below zero is a gain."


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
    nli = (row.get("nli") or {}).get("loss") or {}
    cells = [
        accuracy[0],
        percent(row.get("lexicalized")),
        accuracy[1],
        percent(row.get("delexicalized")),
        str(row["samples"]),
        _given(paper.get("samples")),
        _smallest(row.get("smallest_perfect")),
        _given(paper.get("forgetting")),
        _with_and_without(nli.get("with"), nli.get("without"), 1),
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
        + _table("Accuracy by labelled pairs", ("Method", *heads), rows, "narrow")
        + "</details>"
        if rows
        else ""
    )


def ablation_panel(report: Report) -> str:
    """One setting changed at a time."""
    found = report.summary.get("ablations") or []
    if not found:
        return _absent("One setting changed at a time")
    usual, rows, before = _usual(found), [], None
    for row in found:
        setting, value = next(iter(row["changes"].items()))
        also = " <small>in place of the retention term</small>" if len(row["changes"]) > 1 else ""
        title = escape(SETTINGS.get(setting, setting)) + also if setting != before else ""
        is_usual = _figures(row) == usual
        mark = '<span class="tag tag--holds">used</span>' if is_usual else ""
        rows.append(
            f'<tr{"" if title else " class=same"}><th scope="row">{title or _hidden(setting)}</th>'
            f"<td>{setting_value(value)} {mark}</td>"
            f'<td class="number">{percent(row.get("lexicalized"))}</td>'
            f'<td class="number">{percent(row.get("delexicalized"))}</td>'
            f'<td class="number">{cell(row.get("sts_loss"), 2)}</td></tr>'
        )
        before = setting
    seeds = len(report.summary.get("plan", {}).get("ablation_seeds", ()))
    heads = ("Setting", "Value", "Accuracy with names", "with ids", "STS-B points lost")
    encoder = escape(next(iter(report.encoders), NONE))
    return f"""
<section class="card"><h2>One setting changed at a time</h2>
<p class="quiet">k-NN on {encoder}, {count(seeds, "seed")}; all other settings stay as they are
used everywhere else.</p>{_table("Ablations", heads, "".join(rows), "ablations", 2)}</section>"""


def _usual(rows: Sequence[Mapping[str, Any]]) -> str | None:
    """The figures of the setting used elsewhere: the same measurement stands in most groups."""
    figures, times = Counter(map(_figures, rows)).most_common(1)[0]
    return figures if times > 1 else None


def _figures(row: Mapping[str, Any]) -> str:
    return json.dumps({k: v for k, v in row.items() if k != "changes"}, sort_keys=True)


def _hidden(setting: str) -> str:
    return f'<span class="sr-only">{escape(SETTINGS.get(setting, setting))}</span>'


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
    heads = ("Examples", "New label found", "14 relations afterwards")
    return f"""
<section class="card"><h2>{title}</h2>
<p class="quiet">Examples of <i>neutral</i> are added to the k-NN model as neighbours, with no
gradient step: is the new label found on held-out pairs, and do the 14 relations suffer?</p>
{_table(title, heads, rows, "narrow", 0)}</section>"""


def _absent(title: str) -> str:
    return (
        f'<section class="card"><h2>{title}</h2>'
        '<p class="quiet">Not part of this study.</p></section>'
    )


def _table(label: str, heads: Sequence[str], rows: str, style: str, left: int = 1) -> str:
    """A table that scrolls by itself; heads from `left` on stand over numbers."""
    head = "".join(
        f'<th scope="col"{"" if i < left else " class=number"}>{escape(name)}</th>'
        for i, name in enumerate(heads)
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(label)}">'
        f'<table class="bench-table {style}"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody>'
        "</table></div>"
    )


def made_by_panel(report: Report) -> str:
    """Where the numbers come from: commit, machine, versions, seeds."""
    made_by = report.values.get("made_by") or {}
    machine, versions = made_by.get("machine") or {}, made_by.get("versions") or {}
    parts = [machine.get("processor"), count(machine.get("threads") or 0, "thread")]
    parts += [machine.get("accelerator") or "no accelerator", machine.get("system")]
    facts = {
        "Commit": made_by.get("commit") or NONE,
        "Machine": ", ".join(str(part) for part in parts if part) if machine else NONE,
        "Versions": ", ".join(f"{name} {value}" for name, value in versions.items()) or NONE,
        "Seeds": ", ".join(map(str, report.seeds)) or NONE,
    }
    rows = "".join(f"<dt>{name}</dt><dd>{escape(str(fact))}</dd>" for name, fact in facts.items())
    return (
        '<section class="about"><h2>How to measure this again</h2>'
        f'<p class="quiet">Every number above comes out of this command.</p><dl>{rows}</dl>'
        "</section>"
    )
