"""Write docs/results.md and the table of README.md from the results files.

    python -m experiments.make_tables

The pages are Markdown templates in `experiments/tables`, which read the files of results. A figure
belongs to a release: each table names version, commit, date and machine of its figures.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import ChainableUndefined, Environment, FileSystemLoader

from experiments.runner import Ledger, finished_study
from experiments.sts_tasks import TASKS
from experiments.transfer import TRANSFER_TASKS
from symdemo.data.bank_phrasings import KINDS_OF_PHRASING
from symdemo.errors import InputError
from symdemo.evaluation import papers
from symdemo.evaluation.results import origins_in_words
from symdemo.files.paths import DOCS, README, RESULTS
from symdemo.files.storage import write_text
from symdemo.pairs import LABELS
from symdemo.training.methods import METHODS, find_method

Values = Mapping[str, Any]
NONE = "–"

# Filters


def head(*columns: str | Sequence[str]) -> str:
    """Return the header of a Markdown table; a list names several columns."""
    names = [n for own in columns for n in ([own] if isinstance(own, str) else own)]
    return "".join(f"| {name} " for name in names) + "|\n" + "| --- " * len(names) + "|"


def number(value: float | None, digits: int = 2, sign: str = "") -> str:
    """Return a number with a proper minus and no negative zero; a dash without one."""
    if value is None or isinstance(value, ChainableUndefined):
        return NONE
    return f"{value:{sign}z,.{digits}f}".replace("-", "−")


def percent(share: float | None, digits: int = 1) -> str:
    """Return a share in percent; a dash without one."""
    if share is None or isinstance(share, ChainableUndefined):
        return NONE
    return f"{share:.{digits}%}"


def ranged(
    found: Values | None, digits: int = 1, times: float = 100, unit: str = "%", sign: str = ""
) -> str:
    """Return a figure with its range or interval in brackets, if it has one.

    Args:
        found: has `median`, `mean`, `value` or `share`; and `least` and `most`, `low` and `high`
            or `interval`.
    """
    names = ("median", "mean", "value", "share")
    middle = next((found[name] for name in names if name in found), None) if found else None
    if not found or middle is None:
        return NONE
    ends = ("least", "most") if "median" in found else ("low", "high")
    low, high = found.get("interval") or map(found.get, ends)
    text = f"{number(times * middle, digits, sign)}{unit}"
    if low is None or high is None or low == high:
        return text
    shown = [number(times * end, digits, sign) for end in (low, high)]
    return f"{text} [{(' to ' if sign or low < 0 else '–').join(shown)}]"


def plain(found: Values | None, digits: int = 2, sign: str = "") -> str:
    """Return a figure that is no share, with its range."""
    return ranged(found, digits, 1, "", sign)


def made(made_by: Values) -> str:
    """Return where figures were measured, in short."""
    machine = made_by["machine"]
    threads = f"{machine['threads']} thread{'s' * (machine['threads'] != 1)}"
    return (
        f"Measured at {made_by['symdemo']}, commit {made_by['commit']}, {made_by['date']}, "
        f"{threads} of {machine['accelerator'] or machine['processor']}"
    )


def made_all(found: Ledger) -> str:
    """Return where the rows of a ledger were measured."""
    known = "; ".join(dict.fromkeys(made(found.made_by(cell)) for cell in found))
    return known.replace("; Measured", "; measured")


def title_of(method: str) -> str:
    """Return the paper's name of a method."""
    return find_method(method).title if method in METHODS else method


# What the pages read


def read(name: str) -> dict[str, Any]:
    """Read a JSON file of results."""
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


def ledger(name: str) -> Ledger:
    """Read a ledger of results."""
    return Ledger(RESULTS / f"{name}.jsonl")


def picked(values: Values, names: Iterable[str]) -> dict[str, Any]:
    """Return the values that have one of these names, in the order of the names."""
    return {name: values[name] for name in names if name in values}


def average_over(row: Values, tasks: Sequence[str]) -> float | None:
    """Return the mean of a row over some tasks; None without any, or where it lacks one."""
    here = list(picked(row, tasks).values())
    return sum(here) / len(here) if here and len(here) == len(tasks) else None


def paper_tables(report: Values) -> str:
    """Return the tables of `symdemo reproduce`."""
    return draw("paper.md", report)


def sentence_tables(report: Values) -> str:
    """Return the tables of `symdemo sts` and `symdemo bellm compare`; in points."""
    return draw("sentences.md", report)


def draw(page: str, values: Values) -> str:
    """Return a page."""
    return PAGES.get_template(page).render(values).strip() + "\n"


PAGES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "tables"),
    undefined=ChainableUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
FILTERS = (number, percent, ranged, plain, made, made_all, title_of)
PAGES.filters |= {own.__name__: own for own in FILTERS} | {
    "whole": lambda value: number(value, 0),
    "origins": lambda rows: origins_in_words(rows or ()),
}
READERS = (head, read, ledger, picked, average_over, paper_tables, sentence_tables, finished_study)
PAGES.globals |= {own.__name__: own for own in READERS} | {
    "papers": papers,
    "kinds": KINDS_OF_PHRASING,
    "labels": LABELS,
    "sts_tasks": TASKS,
    "transfer_tasks": TRANSFER_TASKS,
}


# Pages


def results_page() -> str:
    """Return docs/results.md."""
    return draw("results.md", {})


def write_tables() -> None:
    """Write docs/results.md, and the table between the markers of README.md."""
    if not DOCS.is_dir():
        raise InputError(f"There is no folder {DOCS}; run this in a checkout.")
    write_text(DOCS / "results.md", results_page())
    begin, end = "<!-- results: begin -->", "<!-- results: end -->"
    before, _, rest = README.read_text(encoding="utf-8").partition(begin)
    table = draw("readme.md", {})
    write_text(README, f"{before}{begin}\n{table}{end}{rest.partition(end)[2]}")


if __name__ == "__main__":
    write_tables()
