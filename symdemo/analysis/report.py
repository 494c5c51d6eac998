"""Write an analysis as one HTML file without network access or scripts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from symdemo.analysis.analysing import Analysis, column
from symdemo.analysis.overview import RULES, Overview, known_rules
from symdemo.files.storage import write_text
from symdemo.swapping.changes import SWAPPED
from symdemo.text import percent

SHOWN_ROWS = 10  # errors and least certain verdicts per model
SHOWN_GROUPS = 30  # groups per table; only groups of at least two pairs in a longer one


def report_html(
    analysis: Analysis,
    path: str | Path,
    made: Mapping[str, str] | None = None,
    words: bool = False,
    chosen: pd.DataFrame | None = None,
) -> None:
    """Write a report on all models of an analysis, completely or not at all.

    Args:
        path: The file, in UTF-8; an old one is replaced, a missing folder is made.
        made: How the report was made: name → value.
        words: Include the words baseline; see `Analysis.overview`.
        chosen: Rows to show one by one, with the columns of `analysis.rows` and a note in `note`.

    Raises:
        OSError: The file cannot be written.
    """
    shown = [] if chosen is None else _records(chosen)
    for row in shown:
        row["answers"] = [
            (name, *(row[column(name, cells)] for cells in ("verdict", "probability", "right")))
            for name in analysis.models
        ]
    page = _template().render(
        n=len(analysis.rows),
        swaps=set(analysis.changes or ()) == {SWAPPED},
        labelled=int(analysis.rows.label.notna().sum()),
        models=[_model_values(analysis, name, words) for name in analysis.models],
        comparisons=[analysis.compare(a, b) for a, b in combinations(analysis.models, 2)],
        chosen=shown,
        made=dict(made or {}),
        rule_names=RULES,
    )
    write_text(Path(path), page)


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )

    def formatted(value: Any, form: str) -> str:
        return "–" if value is None or pd.isna(value) else format(value, form)

    environment.filters["percent"] = partial(percent, digits=1)
    environment.filters["decimal"] = lambda number, digits=2: formatted(number, f".{digits}f")
    environment.filters["text"] = lambda value: formatted(value, "")
    return environment.get_template("report.html")


def _model_values(analysis: Analysis, name: str, words: bool) -> dict[str, Any]:
    overview = analysis.overview(name, words)
    rows = analysis.of(name)
    return {
        "name": name,
        "overview": overview,
        "verdicts": rows.verdict.value_counts().to_dict(),
        "groups": _group_tables(overview),
        "points": _records(_points(overview.calibration)),
        "sure": bool(rows.probability.notna().any()),
        "errors": _records(analysis.most_confident_errors(name, SHOWN_ROWS)),
        "wrong": overview.accuracy.n - overview.accuracy.right,
        "doubtful": _records(analysis.least_certain(name, SHOWN_ROWS)),
    }


def _group_tables(overview: Overview) -> list[dict[str, Any]]:
    """Return the tables of groups that are not empty, with the baselines known for them."""
    tables = []
    for title, frame in overview.tables.values():
        shown = frame if len(frame) <= SHOWN_GROUPS else frame[frame.n > 1].head(SHOWN_GROUPS)
        rows = _records(shown.assign(group=shown.index.map(str)))
        table = {"title": title, "rules": known_rules(shown), "rows": rows, "of": len(frame)}
        tables.append(table)
    return tables


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(key): value for key, value in row.items()} for row in frame.to_dict("records")]


def _points(calibration: pd.DataFrame) -> pd.DataFrame:
    """Return the circles of the calibration chart; their areas show the numbers of pairs."""
    some = calibration[calibration.n > 0]
    return some.assign(
        x=(40 + 260 * some.probability).round(1),
        y=(10 + 260 * (1 - some.accuracy)).round(1),
        r=(3 + 7 * (some.n / some.n.max()) ** 0.5).round(1),
    )
