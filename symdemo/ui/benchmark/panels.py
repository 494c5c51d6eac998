"""HTML of the tab “Benchmark”."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from symdemo.evaluation.results import VERSIONS, PaperReport, origins_in_words
from symdemo.ui.benchmark.report import way_to_make
from symdemo.ui.benchmark.words import seeds_of
from symdemo.ui.shared.html import count, draw


def accuracy_caption(report: PaperReport, encoder: str | None) -> Markup:
    """How the first picture is to be read."""
    several = len(report.seeds(encoder)) > 1
    return draw("benchmark/accuracy.html", several=several)


def forgetting_caption() -> Markup:
    """How the second picture is to be read."""
    return draw("benchmark/forgetting.html")


def nothing_panel() -> Markup:
    """One kind sentence where there is no report yet."""
    command, then = way_to_make()
    return draw("benchmark/nothing.html", command=command, then=then)


def lead_panel(report: PaperReport, encoder: str | None) -> Markup:
    """What was measured and on what, in a sentence, and what is missing."""
    methods = report.rows("methods", encoder)
    return draw(
        "benchmark/lead.html",
        methods=methods,
        encoder=encoder,
        sizes=sorted({row["samples"] for row in methods}),
        medians=_medians(methods),
        known=any(row.get("paper") for row in methods),
        chosen=(report.summary.get("plan") or {}).get("settings"),
        finished=report.values.get("finished", True),
        missing=report.summary.get("missing_encoders"),
        nli=next((row["nli"] for row in methods if row.get("nli")), {}),
    )


def _medians(methods: Sequence[Mapping[str, Any]]) -> str:
    """Of how many seeds the figures of these methods are, as far as they were measured."""
    seeds = seeds_of(row.get(version) for row in methods for version in VERSIONS)
    if seeds == count(1, "seed"):
        return "one training each, with one seed, so how much is chance cannot be seen"
    return f"medians over {seeds}" if seeds else "not measured yet"


def made_by_panel(report: PaperReport) -> Markup:
    """Where the numbers come from: commit, machine, versions, seeds."""
    made_by = report.values.get("made_by") or {}
    machine, versions = made_by.get("machine") or {}, made_by.get("versions") or {}
    threads = machine.get("threads")
    parts = [machine.get("processor"), count(threads, "thread") if threads else None]
    parts += [machine.get("accelerator") or "no accelerator", machine.get("system")]
    facts = {
        "Commit": made_by.get("commit"),
        "Machine": ", ".join(str(part) for part in parts if part) if machine else "",
        "Versions": ", ".join(f"{name} {value}" for name, value in versions.items()),
        "Seeds": "; ".join(f"{name}: {seeds}" for name, seeds in _seeds(report)),
    }
    if rows := origins_in_words(report.values.get("rows_made_by") or ()):
        facts["Rows"] = rows
    return draw("benchmark/made_by.html", facts=facts)


def _seeds(report: PaperReport) -> Iterator[tuple[str, str]]:
    """Each encoder with its seeds."""
    for encoder in report.encoders:
        if seeds := report.seeds(encoder):
            yield encoder, ", ".join(map(str, seeds))
