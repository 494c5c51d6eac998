"""The panels and tables of the tab “Benchmark”, as HTML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from markupsafe import Markup

from symdemo.data.bank_phrasings import KINDS_OF_PHRASING
from symdemo.evaluation.papers import TABLE_2, TABLE_2_ENCODER
from symdemo.evaluation.results import (
    VERSIONS,
    PaperReport,
    UnseenReport,
    origins_in_words,
)
from symdemo.files.paths import PACKAGE, RESULTS
from symdemo.ui.benchmark.words import (
    NONE,
    SETTINGS,
    VERSION_NAMES,
    method_name,
    seeds_of,
    setting_value,
    span_words,
)
from symdemo.ui.shared.html import Bar, count, draw

# Accuracy on unseen relations

BASELINES = {
    "fine-tuning-scaled": "Classification head",
    "setfit-short": "SetFit",
    "words": "n-grams",
    "skeleton": "Function words",
    "majority": "Commonest label",
}

OURS = ("general", "first-stage")
EXAMPLES = {
    "plain": "Ann taught Bob.",
    "joined": "Ann and Bob are cousins.",
    "passive": "Ann was taught by Bob.",
    "possessive": "Ann is Bob’s aunt.",
    "framed": "It was Ann who taught Bob.",
}
HEADLINES = {
    "three": "All",
    "unjoined": "All except “Ann and Bob …”",
    "matched": "Same construction",
}


def unseen_panel(report: UnseenReport | None) -> Markup | str:
    """Return the chart of accuracies and their table; empty if nothing was measured."""
    if report is None:
        return ""
    rows = report.values["rows"]
    ours = next((name for name in OURS if name in rows), None)
    baselines = {name: title for name, title in BASELINES.items() if name in rows}
    if ours is None or not baselines:
        return ""
    heads = {ours: "symdemo"} | baselines
    lines = [
        {"title": title, "example": "", "figures": [rows[name][key] for name in heads]}
        for key, title in HEADLINES.items()
    ]
    for kind in KINDS_OF_PHRASING:
        shares = [rows[name]["by_kind"].get(kind) for name in heads]
        figures = [{"mean": own[0], "low": None, "high": None} if own else None for own in shares]
        lines.append({"title": kind.capitalize(), "example": EXAMPLES[kind], "figures": figures})
    bars = [
        Bar(
            title, 100 * (three["mean"] or 0), 100 * (three["low"] or 0), 100 * (three["high"] or 0)
        )
        for title, three in ((title, rows[name]["three"]) for name, title in heads.items())
    ]
    return draw(
        "benchmark/unseen.html",
        data=report.values["data"],
        bars=sorted([bars[0]._replace(style="own"), *bars[1:]], key=lambda bar: -bar.value),
        ours=bars[0],
        best=max(bars[1:], key=lambda bar: bar.value),
        seeds=0 if ours == OURS[0] else rows[ours]["seeds"],
        names=list(heads),
        heads=list(heads.values()),
        headlines=lines,
    )


# The paper's tables

READING_NOTHING = {"constant": "Always the commonest label", "look-up": "Lookup of the relation"}
UNTOUCHED = "Untouched encoder, 1-NN"


def nothing_panel() -> Markup:
    """Return how to make a report, and how to start the app so that it finds it.

    Nothing is written into an installed package.
    """
    folder, here = RESULTS.resolve(), Path.cwd()
    command, then = "symdemo reproduce", "SYMDEMO_RESULTS=runs/reproduce symdemo serve"
    if folder.is_relative_to(here) and not folder.is_relative_to(PACKAGE):
        command, then = f"{command} --out {folder.relative_to(here).as_posix()}", ""
    return draw("benchmark/nothing.html", command=command, then=then)


def lead_panel(report: PaperReport, encoder: str | None) -> Markup:
    """Return the paper's accuracies and ours in a sentence, and what is missing."""
    methods = report.rows("methods", encoder)
    seeds = seeds_of(row[version] for row in methods for version in VERSIONS)
    medians = f"medians over {seeds}" if seeds else "not measured yet"
    if seeds == count(1, "seed"):
        medians = "one training each, so the spread is unknown"
    sizes = {row["samples"] for row in methods}
    return draw(
        "benchmark/lead.html",
        methods=methods,
        encoder=encoder,
        sizes=sorted(sizes),
        medians=medians,
        ours=span_words(100 * row[v]["median"] for row in methods for v in VERSIONS if row[v]),
        theirs=span_words(share for row in methods for share in row["paper"] or ()),
        look_up=span_words(
            100 * row["accuracy"]["median"]
            for row in report.summary["reading_nothing"]
            if row["answer"] == "look-up" and row["samples"] in sizes and row["accuracy"]
        ),
        chosen=report.summary["plan"]["settings"],
        finished=report.values["finished"],
        missing=report.summary["missing_encoders"],
        nli=next((row["nli"] for row in methods if row["nli"]), {}),
    )


def made_by_panel(title: str, report: PaperReport | UnseenReport) -> Markup:
    """Return where the figures come from: commit, machine, versions, seeds."""
    made_by = report.values["made_by"]
    machine = made_by["machine"]
    parts = [machine["processor"], count(machine["threads"], "thread")]
    parts += [machine.get("accelerator") or "no accelerator", machine.get("system")]
    versions = (f"{name} {value}" for name, value in made_by["versions"].items())
    facts = {
        "Commit": made_by["commit"],
        "Machine": ", ".join(part for part in parts if part),
        "Versions": ", ".join(versions),
    }
    if isinstance(report, PaperReport):
        seeds = {name: ", ".join(map(str, report.seeds(name))) for name in report.encoders}
        facts["Seeds"] = "; ".join(f"{name}: {own}" for name, own in seeds.items() if own)
        if rows := origins_in_words(report.values["rows_made_by"]):
            facts["Rows"] = rows
    else:
        facts["Command"] = report.values["command"]
    return draw("benchmark/made_by.html", title=title, facts=facts)


def numbers_panel(report: PaperReport, encoder: str | None) -> Markup:
    """Return the main table: the paper's numbers beside ours, and the baselines."""
    probes, methods = report.rows("probes", encoder), report.rows("methods", encoder)
    sizes = {row["samples"] for row in methods}
    nothing = [row for row in report.summary["reading_nothing"] if row["samples"] in sizes]
    return draw(
        "benchmark/numbers.html",
        probes=probes,
        methods=[row | {"name": method_name(row["method"])} for row in methods],
        seeds=_seed_words(probes, methods),
        nothing=[dict(row) | {"title": READING_NOTHING[row["answer"]]} for row in nothing],
        untouched=UNTOUCHED,
        encoder=TABLE_2_ENCODER,
        table_2=[asdict(row) | {"name": method_name(name)} for name, row in TABLE_2.items()],
        known=any(row["paper"] for row in methods),
        nli=next((row["nli"] for row in methods if (row["nli"] or {}).get("loss")), None),
        alone=((report.summary["nli"] or {}).get("hypothesis") or {}).get("all"),
    )


def _seed_words(probes: Sequence[Mapping[str, Any]], methods: Sequence[Mapping[str, Any]]) -> str:
    """Say how many seeds our figures have, and which figures have fewer."""
    seeds = seeds_of(row[version] for row in (*probes, *methods) for version in VERSIONS)
    if not seeds:
        return "Ours was not measured yet."
    ours = f"Ours: the median of {seeds}, with the range in small type"
    if seeds == count(1, "seed"):
        ours = "Ours: one seed, so the spread is unknown"
    kept, lost = ([row["forgetting"][n] for row in methods] for n in ("with retention", "without"))
    losses = [(row["nli"] or {}).get("loss") or {} for row in methods]
    parts = {
        "STS-B": seeds_of(own["sts_loss"] for own in kept),
        "STS-B without retention": seeds_of(own["sts_loss"] for own in lost),
        "NLI": seeds_of(own.get("with") for own in losses),
        "NLI without retention": seeds_of(own.get("without") for own in losses),
    }
    fewer = [f"{name} {n}" for name, n in parts.items() if n and n != seeds]
    return f"{'; '.join([ours, ', '.join(fewer)] if fewer else [ours])}."


def curve_table(report: PaperReport, encoder: str | None, version: str) -> Markup:
    """Return the numbers of the first picture as a table."""
    rows = [
        {**row, "name": method_name(method["method"])}
        for method in report.rows("methods", encoder)
        for row in report.curve(encoder, method["method"])
    ]
    shown = VERSION_NAMES[version]
    return draw("benchmark/curve.html", rows=rows, version=version, shown=shown)


def ablation_panel(report: PaperReport) -> Markup:
    """Return the accuracy with one setting changed at a time."""
    found = report.summary["ablations"]
    usual, seeds = _usual(found), len(report.summary["plan"]["ablation_seeds"])
    groups: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for row in found:
        groups.setdefault(tuple(row["changes"]), []).append(row)
    return draw(
        "benchmark/ablations.html",
        encoder=next(iter(report.encoders), NONE),
        seeds=seeds,
        groups=[_group(names, rows, usual, seeds) for names, rows in groups.items()],
    )


def _group(
    changes: Sequence[str], rows: Sequence[Mapping[str, Any]], usual: str | None, seeds: int
) -> dict[str, Any]:
    """Return the rows of one setting with its title and notes."""
    setting, *others = changes
    n = (rows[0]["lexicalized"] or {}).get("n", seeds)
    notes = ["instead of retention"] * bool(others) + [count(n, "seed")] * (n != seeds)
    values = [
        {
            "value": setting_value(row["changes"][setting]),
            "used": usual is not None and _figures(row) == usual,
            "figures": row,
        }
        for row in rows
    ]
    return {"title": SETTINGS.get(setting, setting), "notes": notes, "rows": values}


def _usual(rows: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the figures of the usual setting: the same measurement is in most groups.

    Only rows with a drift are compared; accuracies alone may be equal by chance.
    """
    found = Counter(_figures(row) for row in rows if row["drift"]).most_common(1)
    return found[0][0] if found and found[0][1] > 1 else None


def _figures(row: Mapping[str, Any]) -> str:
    return repr(sorted((name, value) for name, value in row.items() if name != "changes"))


def new_label_panel(report: PaperReport) -> Markup:
    """Return what a third label taught by examples alone gives and costs."""
    rows = report.summary["new_label"]
    seeds = seeds_of(row["neutral"] for row in rows)
    return draw("benchmark/new_label.html", rows=rows, seeds=seeds)
