"""The tables of the tab “Benchmark”, as HTML."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from markupsafe import Markup

from symdemo.evaluation.papers import TABLE_2, TABLE_2_ENCODER
from symdemo.evaluation.results import VERSIONS, PaperReport
from symdemo.ui.benchmark.words import (
    NONE,
    SETTINGS,
    VERSION_NAMES,
    method_name,
    seeds_of,
    setting_value,
)
from symdemo.ui.shared.html import count, draw

READING_NOTHING = {"constant": "Always the same answer", "look-up": "Looking the relation up"}
UNTOUCHED = "Untouched encoder, 1-NN"


def numbers_panel(report: PaperReport, encoder: str | None) -> Markup:
    """The main table: each number of the paper beside ours, and the baselines."""
    probes, methods = report.rows("probes", encoder), report.rows("methods", encoder)
    return draw(
        "benchmark/numbers.html",
        probes=probes,
        methods=[row | {"name": method_name(row["method"])} for row in methods],
        seeds=_seed_words(probes, methods),
        nothing=_nothing_read(report, methods),
        untouched=UNTOUCHED,
        encoder=TABLE_2_ENCODER,
        table_2=[asdict(row) | {"name": method_name(name)} for name, row in TABLE_2.items()],
        known=any(row.get("paper") for row in methods),
        nli=next((row["nli"] for row in methods if (row.get("nli") or {}).get("loss")), None),
        alone=((report.summary.get("nli") or {}).get("hypothesis") or {}).get("all"),
    )


def _nothing_read(
    report: PaperReport, methods: Sequence[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """What answers without reading a sentence, at the sizes that the methods are reported at."""
    sizes = {row["samples"] for row in methods}
    rows = (row for row in report.summary.get("reading_nothing", ()) if row["samples"] in sizes)
    return [row | {"title": READING_NOTHING.get(row["answer"], row["answer"])} for row in rows]


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


def curve_table(report: PaperReport, encoder: str | None, version: str) -> Markup:
    """The numbers behind the first picture, for those who do not see it."""
    rows = [
        row | {"name": method_name(method["method"])}
        for method in report.rows("methods", encoder)
        for row in report.curve(encoder, method["method"])
    ]
    shown = VERSION_NAMES[version]
    return draw("benchmark/curve.html", rows=rows, version=version, shown=shown)


def ablation_panel(report: PaperReport) -> Markup:
    """One setting changed at a time."""
    found = report.summary.get("ablations") or []
    groups: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for row in found:
        groups.setdefault(tuple(row["changes"]), []).append(row)
    usual, seeds = _usual(found), len(report.summary.get("plan", {}).get("ablation_seeds", ()))
    return draw(
        "benchmark/ablations.html",
        encoder=next(iter(report.encoders), NONE),
        seeds=seeds,
        groups=[_group(names, rows, usual, seeds) for names, rows in groups.items()],
    )


def _group(
    changes: Sequence[str], rows: Sequence[Mapping[str, Any]], usual: str | None, seeds: int
) -> dict[str, Any]:
    """The rows of one setting, under its title with what has to be noted about it."""
    setting, *others = changes
    n = (rows[0].get("lexicalized") or {}).get("n", seeds)
    notes = ["in place of the retention term"] * bool(others) + [count(n, "seed")] * (n != seeds)
    values = [
        {
            "value": setting_value(row["changes"][setting]),
            "used": usual and _figures(row) == usual,
            "figures": row,
        }
        for row in rows
    ]
    return {"title": SETTINGS.get(setting, setting), "notes": notes, "rows": values}


def _usual(rows: Sequence[Mapping[str, Any]]) -> str | None:
    """The figures of the setting used elsewhere: the same measurement stands in most groups.

    Only rows with a drift are compared: bare accuracies may be equal by chance.
    """
    found = Counter(_figures(row) for row in rows if row.get("drift")).most_common(1)
    return found[0][0] if found and found[0][1] > 1 else None


def _figures(row: Mapping[str, Any]) -> str:
    return json.dumps({k: v for k, v in row.items() if k != "changes"}, sort_keys=True)


def new_label_panel(report: PaperReport) -> Markup:
    """A third label taught by neighbours alone."""
    rows = report.summary.get("new_label") or []
    seeds = seeds_of(row.get("neutral") for row in rows)
    return draw("benchmark/new_label.html", rows=rows, seeds=seeds)
