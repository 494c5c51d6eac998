"""The report of `teach.py`, and the table of docs/teaching.md from it."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.reproduction.ledger import Key, Ledger
from experiments.reproduction.markdown import table
from experiments.reproduction.tables import write_into
from experiments.teach_questions import TITLES, lost, questions
from symdemo.evaluation.results import origins_in_words
from symdemo.files.atomic import write_text
from symdemo.files.paths import DOCS, RESULTS
from symdemo.files.provenance import provenance

REPORT = "teach.json"
DEVELOPMENT = ("beekeeping", "orchestra")
BEGIN, END = "<!-- teach: begin -->", "<!-- teach: end -->"
WAYS = ("instant", "retrained")

_ASKED = {
    "accuracy": "Right on new entity pairs",
    "reworded": "Right on these in other words",
}
_BESIDE = {
    ("before", "accuracy"): "before",
    ("before", "reworded"): "reworded_before",
    ("looked_up", "accuracy"): "looked_up",
    ("looked_up", "reworded"): "reworded_looked_up",
}
"""What stands beside the ways of teaching: column and figure, and its name in a measurement."""
COLUMNS = {"before": "Not taught", "looked_up": "Looked up", "instant": "At once",
           "retrained": "Retrained"}  # fmt: skip
_FIGURES = (
    ("seconds", "Seconds", 1, ""),
    ("sts_lost", "STS-B lost, points", 1, ""),
    ("benchmark_lost", "The 14 relations lost, points", 1, ""),
)


def make_report(ledger: Ledger, wanted: Sequence[Key], command: str) -> dict[str, Any]:
    """The report of some measurements, all of which the ledger has."""
    rows = [{**key, **(ledger.get(key) or {})} for key in wanted]
    return {
        "command": command,
        "made_by": provenance(),
        "rows_made_by": ledger.origins(wanted),
        "seeds": len({row["seed"] for row in rows}),
        "development": list(DEVELOPMENT),
        "summary": summarise(rows),
        "rows": rows,
    }


def summarise(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Medians and extremes over sets and seeds, without the sets that were looked at."""
    rows = [row for row in rows if row["set"] not in DEVELOPMENT]
    if not rows:
        return {}
    asked = questions(0)
    found: dict[str, Any] = {
        f"{name} {figure}": _spread([row[key] for row in rows])
        for (name, figure), key in _BESIDE.items()
    }
    for way in WAYS:
        own = [row for row in rows if row["way"] == way]
        names = {name for row in own for name in row if type(row[name]) is float}
        found |= {
            f"{way} {name}": _spread([row[name] for row in own])
            for name in sorted(names - set(_BESIDE.values()))
        }
        if own:
            found[f"{way} cost"] = {
                name: lost([row["asked"][name] for row in own], pairs)
                for name, pairs in asked.items()
            }
    return found | {"sets": len({row["set"] for row in rows})}


def _spread(values: Sequence[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "least": min(values), "most": max(values)}


def publish(text: str, folder: Path = RESULTS) -> None:
    """Write the report; that of the shipped results goes into the page as well."""
    write_text(folder / REPORT, text)
    if folder == RESULTS:
        write_into(DOCS / "teaching.md", markdown(json.loads(text)), BEGIN, END)


def markdown(report: Mapping[str, Any]) -> str:
    """The table of docs/teaching.md: medians, least to most in brackets, and the cost."""
    summary, made_by = report["summary"], report["made_by"]
    seeds = report.get("seeds", 1)
    rows = [
        [title, *(_cell(summary.get(f"{column} {key}"), 100, "%") for column in COLUMNS)]
        for key, title in _ASKED.items()
    ]
    rows += [
        [title, "–", "–", *(_cell(summary.get(f"{way} {key}"), scale, unit) for way in WAYS)]
        for key, title, scale, unit in _FIGURES
    ]
    for name, title in TITLES.items():
        costs = [(summary.get(f"{way} cost") or {}).get(name) for way in WAYS]
        if any(costs):
            before = next(f"{100 * cost['before']:.1f}%" for cost in costs if cost)
            rows.append(
                [f"{title}, {before} right before: points lost", "–", "–", *map(_lost, costs)]
            )
            rows.append([f"{title}: verdicts changed", "–", "–", *map(_changed, costs)])
    return (
        f"Made by `{report['command']}` at commit {made_by['commit']}, "
        f"{made_by['machine']['processor']}, {made_by['machine']['threads']} threads: "
        f"{summary['sets']} sets of five relations with four entity pairs each, asked about six "
        f"others each; {seeds} seed{'s' * (seeds > 1)}. *Looked up*: the label of the taught "
        "sentence with the most strings of letters in common. In brackets the least and most of a "
        "set and seed; for points lost the 95% interval of their mean, relations drawn again, and "
        "then the least "
        f"and most. {origins_in_words(report.get('rows_made_by', ()))}".rstrip()
        + f"\n\n{table(['', *COLUMNS.values()], rows)}\n"
    )


def _cell(values: Mapping[str, float] | None, scale: float, unit: str) -> str:
    if not values:
        return "–"
    digits = 2 if not unit and abs(scale * values["median"]) < 1 else 1
    least, median, most = (signed(scale * values[k], digits) for k in ("least", "median", "most"))
    return f"{median}{unit} [{least}–{most}]"


def _lost(cost: Mapping[str, Any] | None) -> str:
    if not cost:
        return "–"
    mean, low, high = (signed(value, 2) for value in (cost["lost"], *cost["interval"]))
    least, most = (signed(cost[name], 1) for name in ("least", "most"))
    return f"{mean} [{low} to {high}], {least} to {most}"


def _changed(cost: Mapping[str, Any] | None) -> str:
    return f"{100 * cost['changed']:.2f}%" if cost else "–"


def signed(value: float, digits: int) -> str:
    """A number with a minus as it is printed, and none before a zero."""
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")
