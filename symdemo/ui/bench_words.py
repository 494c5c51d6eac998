"""How methods, settings and numbers of a report are written on the page."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

from symdemo.ui.bench_report import Spread

NONE = "–"

METHOD_NAMES = {
    "random-label-embeddings": "Random label embeddings",
    "knn": "k-NN",
    "knn-learnt-metric": "k-NN, learnt metric",
    "fine-tuning": "Fine-tuning",
}

VERSION_NAMES = {"lexicalized": "with names", "delexicalized": "with ids"}

SETTINGS = {
    "quotient": "How the rotation is taken",
    "margin": "Margin of the loss",
    "balanced": "Pairs balanced over relations",
    "recombine": "Share of pairs shown with other entities",
    "retention": "Weight of the retention term",
    "freeze_embeddings": "Word embeddings frozen",
    "freeze_layers": "Lowest layers frozen",
    "stay_near_start": "Weights pulled to where they began",
    "average_with_start": "Weights averaged with the beginning",
    "k": "Number of neighbours that vote",
}


def method_name(method: str) -> str:
    """A method by the paper’s name, escaped."""
    return escape(METHOD_NAMES.get(method, method))


def plain(value: float, digits: int) -> str:
    """A number with a true minus sign, and no minus before a zero."""
    shown = f"{value:.{digits}f}"
    if not float(shown):
        shown = shown.lstrip("-")
    return shown.replace("-", "−")


def spread_words(spread: Spread, digits: int, factor: float = 1, unit: str = "") -> str:
    """“median (least to most)” in one line."""
    if not spread:
        return "not measured"
    median, least, most = (plain(spread[k] * factor, digits) for k in ("median", "least", "most"))
    return f"{median}{unit}" + ("" if least == most else f" ({least} to {most})")


def cell(spread: Spread, digits: int = 1, factor: float = 1, unit: str = "") -> str:
    """HTML of a median, with least and most in small type where they differ."""
    if not spread:
        return NONE
    median, least, most = (plain(spread[k] * factor, digits) for k in ("median", "least", "most"))
    extent = "" if least == most else f"<small>{least} to {most}</small>"
    return f"{median}{unit}{extent}"


def percent(spread: Spread) -> str:
    """HTML of shares in percent."""
    return cell(spread, 1, 100, "%")


def setting_value(value: Any) -> str:
    """A setting as a word, escaped."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return escape(f"{value:g}" if isinstance(value, int | float) else str(value))


def seeds_of(spreads: Iterable[Spread]) -> str:
    """“5 seeds” or “1 to 5 seeds”: how many stand behind figures; empty where there are none."""
    found = {int(spread["n"]) for spread in spreads if spread and spread.get("n")}
    if not found:
        return ""
    most = count(max(found), "seed")
    return most if len(found) == 1 else f"{min(found)} to {most}"


def count(number: int, noun: str) -> str:
    """“1 seed”, “2 seeds”."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
