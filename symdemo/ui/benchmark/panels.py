"""The panels and tables of the tab “Benchmark”, as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from markupsafe import Markup

from symdemo.evaluation.papers import TABLE_2, TABLE_2_ENCODER
from symdemo.evaluation.results import VERSIONS, PaperReport, Row, UnseenReport, origins_in_words
from symdemo.files.paths import PACKAGE, RESULTS
from symdemo.ui.benchmark import words
from symdemo.ui.shared.html import Bar, count, draw

OURS = "general"
BASELINES = {
    "fine-tuning-scaled": "Classification head",
    "setfit-short": "SetFit",
    "words": "n-grams",
    "skeleton": "Function words",
    "majority": "Commonest label",
}
HEADLINES = {
    "three": "All",
    "unjoined": "All except “Ann and Bob …”",
    "matched": "Same construction",
}
EXAMPLES = {
    "plain": "Ann taught Bob.",
    "joined": "Ann and Bob are cousins.",
    "passive": "Ann was taught by Bob.",
    "possessive": "Ann is Bob’s aunt.",
    "framed": "It was Ann who taught Bob.",
}
"""A sentence of each of `KINDS_OF_PHRASING`."""
READING_NOTHING = {"constant": "Always the commonest label", "look-up": "Lookup of the relation"}
UNTOUCHED = "Untouched encoder, 1-NN"
ONE_SEED = count(1, "seed")


def unseen_panel(report: UnseenReport | None) -> Markup | str:
    """Return the chart of accuracies on unseen relations, with a table; empty if not measured."""
    rows = report.values["rows"] if report else {}
    heads = {name: title for name, title in BASELINES.items() if name in rows}
    if report is None or OURS not in rows or not heads:
        return ""
    heads = {OURS: "symdemo"} | heads
    bars = []
    for name, title in heads.items():
        mean, low, high = (100 * (rows[name]["three"][end] or 0) for end in ("mean", "low", "high"))
        bars.append(Bar(title, mean, low, high, "own" if name == OURS else ""))
    return draw(
        "benchmark/unseen.html",
        data=report.values["data"],
        bars=sorted(bars, key=lambda bar: -bar.value),
        ours=bars[0],
        best=max(bars[1:], key=lambda bar: bar.value),
        heads=heads,
        rows=rows,
        headlines=HEADLINES,
        examples=EXAMPLES,
    )


def nothing_panel() -> Markup:
    """Return how to make a report, and how to start the app so that it finds it."""
    folder, here = RESULTS.resolve(), Path.cwd()
    command, then = "symdemo reproduce", "SYMDEMO_RESULTS=runs/reproduce symdemo serve"
    # Nothing is written into an installed package.
    if folder.is_relative_to(here) and not folder.is_relative_to(PACKAGE):
        command, then = f"{command} --out {folder.relative_to(here).as_posix()}", ""
    return draw("benchmark/nothing.html", command=command, then=then)


def lead_panel(report: PaperReport, encoder: str | None) -> Markup:
    """Return the paper's accuracies and ours in a sentence, and what is missing."""
    methods = report.rows("methods", encoder)
    seeds = words.seeds_of(row[version] for row in methods for version in VERSIONS)
    medians = f"medians over {seeds}" if seeds else "not measured yet"
    if seeds == ONE_SEED:
        medians = "one training each, so the spread is unknown"
    sizes = {row["samples"] for row in methods}
    return draw(
        "benchmark/lead.html",
        methods=methods,
        encoder=encoder,
        sizes=sorted(sizes),
        medians=medians,
        ours=words.span_words(
            100 * row[v]["median"] for row in methods for v in VERSIONS if row[v]
        ),
        theirs=words.span_words(share for row in methods for share in row["paper"] or ()),
        look_up=words.span_words(
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
        "Machine": ", ".join(filter(None, parts)),
        "Versions": ", ".join(versions),
    }
    if isinstance(report, UnseenReport):
        facts["Command"] = report.values["command"]
    else:
        seeds = {name: ", ".join(map(str, report.seeds(name))) for name in report.encoders}
        facts["Seeds"] = "; ".join(f"{name}: {own}" for name, own in seeds.items() if own)
        if rows := origins_in_words(report.values["rows_made_by"]):
            facts["Rows"] = rows
    return draw("benchmark/made_by.html", title=title, facts=facts)


def numbers_panel(report: PaperReport, encoder: str | None) -> Markup:
    """Return the main table: the paper's numbers beside ours, and the baselines."""
    probes, methods = report.rows("probes", encoder), report.rows("methods", encoder)
    sizes = {row["samples"] for row in methods}
    return draw(
        "benchmark/numbers.html",
        probes=probes,
        methods=methods,
        name=words.method_name,
        seeds=_seed_words(probes, methods),
        nothing=[row for row in report.summary["reading_nothing"] if row["samples"] in sizes],
        titles=READING_NOTHING,
        untouched=UNTOUCHED,
        encoder=TABLE_2_ENCODER,
        table_2={name: asdict(row) for name, row in TABLE_2.items()},
        known=any(row["paper"] for row in methods),
        nli=next((row["nli"] for row in methods if words.part(row, "nli/loss")), None),
        alone=words.part(report.summary["nli"], "hypothesis/all"),
    )


def _seed_words(probes: Sequence[Row], methods: Sequence[Row]) -> str:
    """Say how many seeds our figures have, and which figures have fewer."""
    seeds = words.seeds_of(row[version] for row in (*probes, *methods) for version in VERSIONS)
    if not seeds:
        return "Ours was not measured yet."
    told = [f"Ours: the median of {seeds}, with the range in small type"]
    if seeds == ONE_SEED:
        told = ["Ours: one seed, so the spread is unknown"]
    parts = {
        f"{data}{'' if kept else ' without retention'}": words.seeds_of(
            words.part(row, path) for row in methods
        )
        for (data, kept), path in words.LOSSES.items()
    }
    if fewer := [f"{name} {n}" for name, n in parts.items() if n and n != seeds]:
        told.append(", ".join(fewer))
    return f"{'; '.join(told)}."


def curve_table(report: PaperReport, encoder: str | None, version: str) -> Markup:
    """Return the numbers of the first picture as a table."""
    curves = {
        words.method_name(row["method"]): report.curve(encoder, row["method"])
        for row in report.rows("methods", encoder)
    }
    shown = words.VERSION_NAMES[version]
    return draw("benchmark/curve.html", curves=curves, version=version, shown=shown)


def ablation_panel(report: PaperReport) -> Markup:
    """Return the accuracy with one setting changed at a time.

    The usual setting is the one whose measurement is in most groups. Only rows with a drift are
    compared; accuracies alone may be equal by chance.
    """
    groups: dict[tuple[str, ...], list[Row]] = {}
    figures = []
    for row in report.summary["ablations"]:
        groups.setdefault(tuple(row["changes"]), []).append(row)
        figures += [_figures(row)] if row["drift"] else []
    usual = max(figures, key=figures.count, default=None)
    return draw(
        "benchmark/ablations.html",
        encoder=next(iter(report.encoders), words.NONE),
        seeds=len(report.summary["plan"]["ablation_seeds"]),
        groups=groups,
        titles=words.SETTINGS,
        is_usual=lambda row: figures.count(_figures(row)) > 1 and _figures(row) == usual,
    )


def _figures(row: Row) -> Row:
    return {name: value for name, value in row.items() if name != "changes"}
