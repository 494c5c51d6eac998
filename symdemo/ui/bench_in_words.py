"""The two pictures of the tab “Benchmark” in words: plain sentences with their figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from symdemo.reproduction.paper import TABLE_2_ENCODER
from symdemo.ui.bench_report import Report, Spread
from symdemo.ui.bench_words import METHOD_NAMES, VERSION_NAMES, spread_words


def accuracy_words(report: Report, encoder: str | None, version: str) -> list[str]:
    """What the picture of accuracy shows."""
    methods = report.rows("methods", encoder)
    sentences = [f"Sentences {VERSION_NAMES[version]}."]
    for row in methods:
        points = [p for p in report.curve(encoder, row["method"]) if p.get(version)]
        if points:
            told = "; ".join(_runs(points, version))
            sentences.append(f"{_name(row)}: {told}.")
    for probe in report.rows("probes", encoder):
        if probe.get(version):
            sentences.append(f"The untouched encoder: {_share(probe[version])}.")
    needed = [
        f"{_name(row)} {row['paper']['samples']}"
        for row in methods
        if (row.get("paper") or {}).get("samples")
    ]
    if needed:
        sentences.append(
            f"Pairs that the paper needed, with {TABLE_2_ENCODER}: {', '.join(needed)}."
        )
    return sentences


def forgetting_words(report: Report, encoder: str | None, version: str) -> list[str]:
    """What the picture of forgetting shows: points lost, and the accuracy that they bought."""
    sentences = []
    for row in report.rows("methods", encoder):
        if parts := list(_losses(row, version)):
            sentences.append(f"{_name(row)}: {'; '.join(parts)}.")
    return sentences


def _losses(row: Mapping[str, Any], version: str) -> Iterator[str]:
    forgetting, nli = row.get("forgetting") or {}, (row.get("nli") or {}).get("loss") or {}
    kept, lost = (forgetting.get(name) or {} for name in ("with retention", "without"))
    for name, with_it, without in (
        ("STS-B", kept.get("sts_loss"), lost.get("sts_loss")),
        ("NLI", nli.get("with"), nli.get("without")),
    ):
        if with_it or without:
            yield f"{name} lost {spread_words(with_it, 2)} points" + (
                f", {spread_words(without, 2)} without the retention term" if without else ""
            )
    paper = (row.get("paper") or {}).get("forgetting")
    if paper is not None:
        yield f"the paper’s {TABLE_2_ENCODER} lost {paper:g} on MNLI"
    if kept.get(version):
        without = f", {_share(lost[version])} without the term" if lost.get(version) else ""
        yield f"accuracy {VERSION_NAMES[version]} {_share(kept[version])}{without}"


def _runs(points: Sequence[Mapping[str, Any]], version: str) -> Iterator[str]:
    """Accuracy by number of pairs; equal ones in a row are told once."""
    for share, run in groupby(points, key=lambda point: _share(point[version])):
        sizes = [point["samples"] for point in run]
        span = f"{sizes[0]} to {sizes[-1]}" if len(sizes) > 1 else str(sizes[0])
        yield f"{share} with {span} pairs"


def _share(spread: Spread) -> str:
    return spread_words(spread, 1, 100, "%")


def _name(row: Mapping[str, Any]) -> str:
    return METHOD_NAMES.get(row["method"], row["method"])
