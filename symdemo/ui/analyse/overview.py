"""The part “Overview”: accuracy of a model by group, beside simple rules and another model."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from symdemo.analysis.analysing import GROUP, Analysis
from symdemo.analysis.overview import (
    COMMONEST,
    FAMILIAR,
    LOOKUP,
    NO_RELATION,
    NO_VALUE,
    NO_VERDICT,
    WORDS,
    Overview,
    cheapest_thresholds,
    make_overview,
)
from symdemo.analysis.query import Between
from symdemo.ui.analyse.computed import soon, start_changes
from symdemo.ui.analyse.service import AnalyseService
from symdemo.ui.analyse.view import ShownRows, condition_json, one_of
from symdemo.ui.shared.events import Problem, attempt
from symdemo.ui.shared.html import draw, relation_name

RULES = {
    COMMONEST: "always the commonest label",
    LOOKUP: "the relation’s name alone",
    WORDS: "words without their meaning",
}
GROUPS = {
    "by_label": "By true label",
    "by_change": "By what the second sentence changes",
    "by_relation": "By relation, weakest first",
    "by_construction": "By construction",
    "by_words": "By length of the first sentence, in words",
    "by_distance": "By distance to the nearest example",
    "by_familiar": "By whether the model calls the pair familiar",
}
OF_SWAPS = ": the relation is symmetric, antisymmetric, or neither"
"""What a label means where every pair is a swap."""
MOST_GROUPS = 300


def overview_panel(service: AnalyseService, shown: ShownRows) -> tuple[Markup, int | None]:
    """Draw all figures over the selected rows; also returns when to ask again for the rest."""
    found = attempt(start_changes, service, shown.opened)  # too many jobs may be waiting
    changes, job = (None, None) if isinstance(found, Problem) else found
    key = ("overview", shown.key, changes is not None)
    return shown.opened.remember(key, lambda: _draw(shown)), soon(job)


def _draw(shown: ShownRows) -> Markup:
    analysis, view = shown.subset(), shown.view
    if not len(analysis.rows):
        return Markup('<p class="quiet">No rows left. Remove a filter.</p>')
    found = analysis.overview(view.model, words=True)
    other = None
    if view.versus:  # on groups formed by the first model's values
        own = analysis.of(view.model)
        rows = analysis.of(view.versus).assign(distance=own.distance, familiar=own.familiar)
        changes, columns = analysis.change_column, analysis.groups
        other = make_overview(view.versus, rows, changes=changes, columns=columns)
    return draw(
        "analyse/overview.html",
        found=found,
        other=other,
        compared=_comparison(shown, analysis) if other and found.accuracy.n else None,
        filtered=shown.filtered,
        rules=[(name, found.rules[rule]) for rule, name in RULES.items() if rule in found.rules],
        rule_names=RULES,
        verdicts=analysis.of(view.model).verdict.fillna(NO_VERDICT).value_counts().to_dict(),
        labels=[row | {"add": [one_of("label", row["name"])]} for row in _records(found.labels)],
        cells=_confusion(shown, found),
        points=_points(found.calibration),
        thresholds=_thresholds(shown, analysis),
        groups=_groups(shown, found, other),
    )


def _comparison(shown: ShownRows, analysis: Analysis) -> dict[str, Any]:
    """Return the four counts of two models, each with the conditions that select its rows."""
    compared = analysis.compare(*shown.models)
    a, b = (shown.name("right", model) for model in shown.models)
    cells = [
        (words, n, [one_of(a, first), one_of(b, second)])
        for words, n, first, second in (
            ("both are right", compared.both, True, True),
            (f"only {compared.a} is right", len(compared.only_a), True, False),
            (f"only {compared.b} is right", len(compared.only_b), False, True),
            ("both are wrong", compared.neither, False, False),
        )
    ]
    return {"cells": cells, "p": compared.p_value}


def _confusion(shown: ShownRows, found: Overview) -> list[dict[str, Any]]:
    """Return a row for each true label: cells with count, shade and conditions."""
    most = max(1, int(found.confusion.to_numpy().max(initial=0)))
    column = shown.name("verdict")
    return [
        {
            "label": label,
            "cells": [
                {
                    "verdict": verdict,
                    "n": int(n),
                    "depth": round(0.08 + 0.6 * int(n) / most, 2),
                    "right": verdict == label,
                    "add": [
                        one_of("label", label),
                        one_of(column, None if verdict == NO_VERDICT else verdict),
                    ],
                }
                for verdict, n in counts.items()
            ],
        }
        for label, counts in found.confusion.iterrows()
    ]


def _points(calibration: pd.DataFrame) -> list[dict[Any, Any]]:
    """Return the circles of the calibration chart, in its units of 0 to 200; area is n."""
    some = calibration[calibration.n > 0]
    x, y = (200 * some.probability).round(1), (200 - 200 * some.accuracy).round(1)
    return _records(some.assign(x=x, y=y, r=(3 + 8 * (some.n / some.n.max()) ** 0.5).round(1)))


def _thresholds(shown: ShownRows, analysis: Analysis) -> list[dict[Any, Any]]:
    """Return a row for each cost of an error, with the conditions that select its rows."""
    rows = _records(cheapest_thresholds(analysis.of(shown.view.model)))
    labelled = [] if analysis.rows.label.notna().all() else [one_of("label", None, negated=True)]
    for row in rows:
        if row["n"]:
            believed = condition_json(Between(shown.name("probability"), row["threshold"], None))
            row["add"] = [believed, *labelled]
    return rows


def _groups(shown: ShownRows, found: Overview, other: Overview | None) -> list[dict[str, Any]]:
    tables = []
    # Only rows with a true label are counted.
    labelled = [] if found.n == found.accuracy.n else [one_of("label", None, negated=True)]
    for kind, table in _by_kind(found).items():
        if not len(table):
            continue
        title = GROUPS.get(kind) or f"B{kind[1:]}"
        others = None if other is None else _by_kind(other)[kind].accuracy
        frame = table
        if kind == "by_relation":  # a relation with its only pair wrong is no finding
            frame = table.sort_values(["high", "n"], ascending=[True, False], kind="stable")
        rows = _records(frame.head(MOST_GROUPS))
        for row in rows:
            group = row["name"]
            row["group"] = relation_name(group) if kind == "by_relation" else group
            row["add"] = [_condition(shown, kind, group), *labelled]
            row["other"] = None if others is None else others.get(group, np.nan)
        rules = [rule for rule in RULES if frame[rule].notna().any()]
        means = OF_SWAPS if kind == "by_label" and found.swaps else ""
        tables.append(
            {"kind": kind, "title": title + means, "rows": rows, "rules": rules, "of": len(frame)}
        )
    return tables


def _by_kind(found: Overview) -> dict[str, pd.DataFrame]:
    return {kind: getattr(found, kind) for kind in GROUPS} | found.by_column


def _condition(shown: ShownRows, kind: str, group: str) -> dict[str, Any]:
    """Return the condition that selects a group; a band excludes its lower edge."""
    if kind == "by_familiar":
        return one_of(shown.name("familiar"), group == FAMILIAR[True])
    if kind not in ("by_words", "by_distance"):
        empty = NO_VALUE if kind.startswith(GROUP) else NO_RELATION
        return one_of(kind.removeprefix("by_"), None if group == empty else group)
    column = "words" if kind == "by_words" else shown.name("distance")
    over, up_to = (re.search(rf"{word} ([\d.]+)", group) for word in ("over", "to"))
    low = None if over is None else float(np.nextafter(float(over[1]), np.inf))
    return condition_json(Between(column, low, None if up_to is None else float(up_to[1])))


def _records(frame: pd.DataFrame) -> list[dict[Any, Any]]:
    return frame.reset_index(names="name").to_dict("records")
