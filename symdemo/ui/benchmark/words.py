"""Methods, settings and numbers of a report in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from symdemo.evaluation.results import PaperReport, Spread
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


def method_name(method: str) -> str:
    """Return a method’s name in the paper."""
    return METHOD_NAMES.get(method, method)


def spread_words(spread: Spread, digits: int, factor: float = 1, unit: str = "") -> str:
    """Return “median (least to most)”."""
    if not spread:
        return "not measured"
    median, least, most = (plain(spread[k] * factor, digits) for k in ("median", "least", "most"))
    return f"{median}{unit}" + ("" if least == most else f" ({least} to {most})")


def span_words(percents: Iterable[float]) -> str:
    """Return “99.6 to 100%”, the range of some accuracies; empty without any."""
    ends = [f"{value:.1f}".removesuffix(".0") for value in sorted(percents)]
    return f"{' to '.join(dict.fromkeys([ends[0], ends[-1]]))}%" if ends else ""


def setting_value(value: Any) -> str:
    """Return a setting as a word."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def seeds_of(spreads: Iterable[Spread]) -> str:
    """Return “5 seeds” or “1 to 5 seeds”, the seeds of some figures; empty without any."""
    found = {int(spread["n"]) for spread in spreads if spread and spread.get("n")}
    if not found:
        return ""
    most = count(max(found), "seed")
    return most if len(found) == 1 else f"{min(found)} to {most}"


def accuracy_words(report: PaperReport, encoder: str | None, version: str) -> list[str]:
    """Return the picture of accuracy in sentences."""
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
    return sentences


def forgetting_words(report: PaperReport, encoder: str | None, version: str) -> list[str]:
    """Return the picture of forgetting in sentences: points lost, and accuracy."""
    sentences = []
    for row in report.rows("methods", encoder):
        if parts := list(_losses(row, version)):
            sentences.append(f"{_name(row)}: {'; '.join(parts)}.")
    return sentences


def _losses(row: Mapping[str, Any], version: str) -> Iterator[str]:
    nli = (row["nli"] or {}).get("loss") or {}
    kept, lost = (row["forgetting"][name] for name in ("with retention", "without"))
    for name, with_it, without in (
        ("STS-B", kept.get("sts_loss"), lost.get("sts_loss")),
        ("NLI", nli.get("with"), nli.get("without")),
    ):
        if with_it or without:
            yield f"{name} lost {spread_words(with_it, 2)} points" + (
                f", {spread_words(without, 2)} without the retention term" if without else ""
            )
    if kept.get(version):
        without = f", {_share(lost[version])} without the term" if lost.get(version) else ""
        yield f"accuracy {VERSION_NAMES[version]} {_share(kept[version])}{without}"


def _runs(points: Sequence[Mapping[str, Any]], version: str) -> Iterator[str]:
    """Yield accuracy by number of pairs; equal neighbours are merged."""
    for share, run in groupby(points, key=lambda point: _share(point[version])):
        sizes = [point["samples"] for point in run]
        span = f"{sizes[0]} to {sizes[-1]}" if len(sizes) > 1 else str(sizes[0])
        yield f"{share} with {span} pairs"


def _share(spread: Spread) -> str:
    return spread_words(spread, 1, 100, "%")


def _name(row: Mapping[str, Any]) -> str:
    return method_name(row["method"])
