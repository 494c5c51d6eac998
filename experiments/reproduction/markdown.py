"""Markdown: a table, and the figures of a report as its cells."""

from __future__ import annotations

from collections.abc import Sequence

from symdemo.evaluation.results import Spread


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def percent(values: Spread) -> str:
    """Shares as percents: the median, and least and most where they differ."""
    return number(values, 1, unit="%", times=100)


def number(values: Spread, digits: int, missing: str = "–", unit: str = "", times: int = 1) -> str:
    """The median, and in brackets least and most where they differ; or what says there is none."""
    if not values:
        return missing
    least, median, most = (
        f"{times * values[name] + 0.0:.{digits}f}".replace("-", "−")
        for name in ("least", "median", "most")
    )
    return f"{median}{unit}" if least == most else f"{median}{unit} [{least}–{most}]"


def smallest(values: dict | None) -> str:
    """The smallest size, and how many seeds had one where some had not; “none” where none had."""
    if not values:
        return "–"
    reached = f" ({values['reached']} of {len(values['by_seed'])} seeds)"
    complete = values["reached"] == len(values["by_seed"])
    return number(values["spread"], 0, "none") + ("" if complete else reached)


def paper_accuracy(values: Sequence[float] | None) -> str:
    """The paper's two accuracies, which are in percent."""
    return f"{values[0]}%, {values[1]}%" if values else "–"


def seeds_in_words(seeds: Sequence[int]) -> str:
    """How many seeds."""
    return f"{len(seeds)} seed{'s' * (len(seeds) != 1)}"
