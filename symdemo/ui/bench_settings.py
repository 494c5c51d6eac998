"""What else was tried: settings changed one at a time, and a label taught without retraining."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from symdemo.ui.bench_report import Report
from symdemo.ui.bench_tables import scrolling_table
from symdemo.ui.bench_words import NONE, SETTINGS, cell, count, percent, seeds_of, setting_value

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
