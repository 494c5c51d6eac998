"""An analysis as one HTML file that needs no network and no script."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from symdemo.analysis.analysing import Analysis, column
from symdemo.analysis.overview import COMMONEST, LOOKUP, WORDS, Overview
from symdemo.files.atomic import write_text

SHOWN_ROWS = 10
"""Errors and doubtful answers that are shown of each model."""
SHOWN_GROUPS = 30
"""Groups that are shown of each kind, all with two pairs at least where there are many."""

RULE_NAMES = {
    COMMONEST: "Always the commonest label",
    LOOKUP: "The relation’s name alone",
    WORDS: "Words, without their meaning",
}
_GROUPS = {
    "by_label": ("By true label", "label"),
    "by_relation": ("By relation, the least often right first", "relation"),
    "by_construction": ("By kind of sentence", "kind of sentence"),
    "by_words": ("By length of the first sentence, in words", "words"),
    "by_distance": ("By distance from the nearest pair it was taught", "distance"),
    "by_familiar": ("By whether it calls a pair familiar", "the pair is"),
}
_CHART = 260
_MARGIN = 40


def report_html(
    analysis: Analysis,
    path: str | Path,
    made: Mapping[str, str] | None = None,
    words: bool = False,
    chosen: pd.DataFrame | None = None,
) -> None:
    """Write a report of all models of an analysis, whole or not at all.

    Args:
        analysis: what to show; whatever its texts hold is shown as text.
        path: the HTML file, in UTF-8; an old one is replaced, a missing folder is made.
        made: how the report was made, as it is to stand there: name → value.
        words: also show the rule over words; see `Analysis.overview`.
        chosen: rows to show one by one, with the columns of `analysis.rows`, and a note in `note`.

    Raises:
        OSError: the file cannot be written.
    """
    template = _environment().get_template("report.html")
    page = template.render(
        n=len(analysis.rows),
        labelled=int(analysis.rows.label.notna().sum()),
        models=[_model_values(analysis, name, words) for name in analysis.models],
        comparisons=[analysis.compare(a, b) for a, b in combinations(analysis.models, 2)],
        chosen=[] if chosen is None else _chosen(analysis, chosen),
        made=dict(made or {}),
        rule_names=RULE_NAMES,
    )
    write_text(Path(path), page)


def _chosen(analysis: Analysis, rows: pd.DataFrame) -> list[dict[str, Any]]:
    """The pairs of rows, each with what every model says of it."""
    found = []
    for row in _records(rows):
        answers = [
            (name, *(row[column(name, cells)] for cells in ("verdict", "probability", "right")))
            for name in analysis.models
        ]
        found.append({"note": row.get("note"), "answers": answers, **row})
    return found


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"percent": _percent, "decimal": _decimal, "text": _text}
    return environment


def _model_values(analysis: Analysis, name: str, words: bool) -> dict[str, Any]:
    overview = analysis.overview(name, words)
    rows = analysis.of(name)
    return {
        "name": name,
        "overview": overview,
        "verdicts": rows.verdict.value_counts().to_dict(),
        "groups": _group_tables(overview),
        "points": _points(overview.calibration),
        "sure": bool(rows.probability.notna().any()),
        "errors": _records(analysis.most_confident_errors(name, SHOWN_ROWS)),
        "wrong": overview.accuracy.n - overview.accuracy.right,
        "doubtful": _records(analysis.least_certain(name, SHOWN_ROWS)),
    }


def _group_tables(overview: Overview) -> list[dict[str, Any]]:
    """The tables of groups that have anything in them, with the rules that can be told there."""
    tables = []
    for name, (title, key) in _GROUPS.items():
        frame: pd.DataFrame = getattr(overview, name)
        shown = frame if len(frame) <= SHOWN_GROUPS else frame[frame.n > 1].head(SHOWN_GROUPS)
        if len(frame):
            rules = [rule for rule in RULE_NAMES if shown[rule].notna().any()]
            rows = [{"group": group} | row for group, row in _by_index(shown)]
            tables.append(
                {"title": title, "key": key, "rules": rules, "rows": rows, "of": len(frame)}
            )
    return tables


def _by_index(frame: pd.DataFrame) -> list[tuple[str, dict[str, Any]]]:
    return list(zip(map(str, frame.index), _records(frame), strict=True))


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(key): value for key, value in row.items()} for row in frame.to_dict("records")]


def _points(calibration: pd.DataFrame) -> list[dict[str, Any]]:
    """The circles of the chart, in its units: the area of each is as the number of its pairs."""
    most = max(calibration.n.max(), 1)
    return [
        {
            "x": round(_MARGIN + row["probability"] * _CHART, 1),
            "y": round(10 + (1 - row["accuracy"]) * _CHART, 1),
            "r": round(3 + 7 * (row["n"] / most) ** 0.5, 1),
        }
        | row
        for row in _records(calibration[calibration.n > 0])
    ]


def _percent(share: float | None) -> str:
    """“12.3%”, or a dash where there is nothing to say."""
    return "–" if share is None or pd.isna(share) else f"{share:.1%}"


def _decimal(number: float | None, digits: int = 2) -> str:
    return "–" if number is None or pd.isna(number) else f"{number:.{digits}f}"


def _text(value: Any) -> str:
    """A text of a cell, or a dash where there is none."""
    return "–" if value is None or pd.isna(value) else str(value)
