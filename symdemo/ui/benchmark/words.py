"""Methods, settings and numbers of a report in words, and its two pictures in sentences."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from symdemo.evaluation.results import PaperReport, Row, Spread
from symdemo.training.methods import PAPER_METHODS, find_method
from symdemo.ui.shared.html import count, plain

NONE = "–"
METHOD_NAMES = {name: find_method(name).title for name in PAPER_METHODS}
VERSION_NAMES = {"lexicalized": "with names", "delexicalized": "with ids"}
SETTINGS = {
    "quotient": "Rotation by",
    "margin": "Margin of the loss",
    "balanced": "Pairs balanced over relations",
    "recombine": "Share of pairs shown with other entities",
    "retention": "Weight of the retention term",
    "freeze_embeddings": "Word embeddings frozen",
    "freeze_layers": "Lowest layers frozen",
    "stay_near_start": "Weights pulled to the start",
    "average_with_start": "Weights averaged with the start",
    "k": "Neighbours that vote",
}
KEPT, LOST = "forgetting/with retention", "forgetting/without"
LOSSES = {
    ("STS-B", True): f"{KEPT}/sts_loss",
    ("STS-B", False): f"{LOST}/sts_loss",
    ("NLI", True): "nli/loss/with",
    ("NLI", False): "nli/loss/without",
}
"""(data, True if trained with the retention term) → the path by which `part` finds the points lost
in the row of a method."""


def part(row: Row | None, path: str) -> Any:
    """Return what a row has under names joined by “/”; None where one is missing."""
    found: Any = row
    for name in path.split("/"):
        found = (found or {}).get(name)
    return found


def method_name(method: str) -> str:
    """Return a method’s name in the paper."""
    return METHOD_NAMES.get(method, method)


def spread_words(spread: Spread, digits: int, factor: float = 1, unit: str = "") -> str:
    """Return “median (least to most)”."""
    if not spread:
        return "not measured"
    median, least, most = (plain(spread[k] * factor, digits) for k in ("median", "least", "most"))
    return f"{median}{unit}" + ("" if least == most else f" ({least} to {most})")


def share_words(spread: Spread) -> str:
    """Return shares in percent as `spread_words` does."""
    return spread_words(spread, 1, 100, "%")


def span_words(percents: Iterable[float]) -> str:
    """Return “99.6 to 100%”, the range of some accuracies; empty without any."""
    ends = [f"{value:.1f}".removesuffix(".0") for value in sorted(percents)]
    return f"{' to '.join(dict.fromkeys([ends[0], ends[-1]]))}%" if ends else ""


def seeds_of(spreads: Iterable[Spread]) -> str:
    """Return “5 seeds” or “1 to 5 seeds”, the seeds of some figures; empty without any."""
    found = {int(spread["n"]) for spread in spreads if spread and spread.get("n")}
    if not found:
        return ""
    most = count(max(found), "seed")
    return most if len(found) == 1 else f"{min(found)} to {most}"


def accuracy_words(report: PaperReport, encoder: str | None, version: str) -> list[str]:
    """Return the picture of accuracy in sentences, neighbouring sizes of equal accuracy as one."""
    sentences = [f"Sentences {VERSION_NAMES[version]}."]
    for row in report.rows("methods", encoder):
        points = [p for p in report.curve(encoder, row["method"]) if p.get(version)]
        told = []
        for share, run in groupby(points, key=lambda point: share_words(point[version])):
            sizes = [point["samples"] for point in run]
            span = f"{sizes[0]} to {sizes[-1]}" if len(sizes) > 1 else str(sizes[0])
            told.append(f"{share} with {span} pairs")
        if told:
            sentences.append(f"{method_name(row['method'])}: {'; '.join(told)}.")
    for probe in report.rows("probes", encoder):
        if probe.get(version):
            sentences.append(f"The untouched encoder: {share_words(probe[version])}.")
    return sentences


def forgetting_words(report: PaperReport, encoder: str | None, version: str) -> list[str]:
    """Return the picture of forgetting in sentences: points lost, and accuracy."""
    sentences = []
    for row in report.rows("methods", encoder):
        told = []
        for data in ("STS-B", "NLI"):
            with_it, without = (part(row, LOSSES[data, kept]) for kept in (True, False))
            if with_it or without:
                more = f", {spread_words(without, 2)} without the retention term" if without else ""
                told.append(f"{data} lost {spread_words(with_it, 2)} points{more}")
        kept, lost = (part(row, f"{place}/{version}") for place in (KEPT, LOST))
        if kept:
            more = f", {share_words(lost)} without the term" if lost else ""
            told.append(f"accuracy {VERSION_NAMES[version]} {share_words(kept)}{more}")
        if told:
            sentences.append(f"{method_name(row['method'])}: {'; '.join(told)}.")
    return sentences
