"""The part “Overview”: accuracy of a model by group, beside simple rules and another model."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from symdemo.analysis.analysing import Analysis
from symdemo.analysis.overview import (
    COMMONEST,
    FAMILIAR,
    LOOKUP,
    NO_RELATION,
    NO_VERDICT,
    WORDS,
    Comparison,
    Overview,
    make_overview,
)
from symdemo.analysis.query import Between, Condition, OneOf
from symdemo.ui.analyse.view import ShownRows, View, conditions_json
from symdemo.ui.shared.html import draw, relation_name

RULES = {
    COMMONEST: "always the commonest label",
    LOOKUP: "the relation’s name alone",
    WORDS: "words without their meaning",
}
GROUPS = {
    "by_label": "By true label: the relation is symmetric, antisymmetric, or neither",
    "by_relation": "By relation, weakest first",
    "by_construction": "By construction",
    "by_words": "By length of the first sentence, in words",
    "by_distance": "By distance to the nearest example",
    "by_familiar": "By whether the model calls the pair familiar",
}
MOST_GROUPS = 300


def overview_panel(shown: ShownRows) -> Markup:
    """Draw all figures over the selected rows."""
    return shown.opened.remember(("overview", shown.key), lambda: _draw(shown))


def _draw(shown: ShownRows) -> Markup:
    analysis, view = shown.subset(), shown.view
    if not len(analysis.rows):
        return Markup('<p class="quiet">No rows left. Remove a filter.</p>')
    found = analysis.overview(view.model, words=True)
    other = _other_model(analysis, view) if view.versus else None
    compared = analysis.compare(view.model, view.versus) if other and found.accuracy.n else None
    return draw(
        "analyse/overview.html",
        found=found,
        other=other,
        compared=compared and _comparison(shown, compared),
        filtered=shown.filtered,
        rules=[(name, found.rules[rule]) for rule, name in RULES.items() if rule in found.rules],
        rule_names=RULES,
        verdicts=analysis.of(view.model).verdict.fillna(NO_VERDICT).value_counts().to_dict(),
        labels=_records(found.labels),
        cells=_confusion(shown, found),
        points=_points(found.calibration),
        groups=_groups(shown, found, other),
        label_add={
            label: conditions_json([OneOf("label", (label,))]) for label in found.labels.index
        },
    )


def _other_model(analysis: Analysis, view: View) -> Overview:
    """Return the figures of the other model, on groups formed by the first model's values."""
    own = analysis.of(view.model)
    rows = analysis.of(view.versus).assign(distance=own.distance, familiar=own.familiar)
    return make_overview(view.versus, rows)


def _comparison(shown: ShownRows, compared: Comparison) -> dict[str, Any]:
    """Return the four counts of two models, each with the conditions that select its rows."""
    a, b = (shown.name("right", name) for name in (compared.a, compared.b))

    def both(first: bool, second: bool) -> list[dict[str, Any]]:
        return conditions_json([OneOf(a, (first,)), OneOf(b, (second,))])

    cells = [
        ("both are right", compared.both, both(True, True)),
        (f"only {compared.a} is right", len(compared.only_a), both(True, False)),
        (f"only {compared.b} is right", len(compared.only_b), both(False, True)),
        ("both are wrong", compared.neither, both(False, False)),
    ]
    return {"cells": cells, "p": compared.p_value}


def _confusion(shown: ShownRows, found: Overview) -> list[dict[str, Any]]:
    """Return a row for each true label: cells with count, shade and conditions."""
    most = max(1, int(found.confusion.to_numpy().max(initial=0)))
    rows = []
    for label, counts in found.confusion.iterrows():
        cells = []
        for verdict, n in counts.items():
            given = None if verdict == NO_VERDICT else str(verdict)
            pressed = [OneOf("label", (str(label),)), OneOf(shown.name("verdict"), (given,))]
            cells.append(
                {
                    "verdict": verdict,
                    "n": int(n),
                    "depth": round(0.08 + 0.6 * int(n) / most, 2) if n else 0,
                    "right": verdict == label,
                    "add": conditions_json(pressed),
                }
            )
        rows.append({"label": label, "cells": cells})
    return rows


def _points(calibration: pd.DataFrame) -> list[dict[str, float]]:
    """Return the circles of the calibration chart, in its units of 0 to 200; area is n."""
    most = max(calibration.n.max(), 1)
    return [
        {
            "x": round(200 * float(row["probability"]), 1),
            "y": round(200 - 200 * float(row["accuracy"]), 1),
            "r": round(3 + 8 * (float(row["n"]) / most) ** 0.5, 1),
        }
        | row
        for row in _records(calibration[calibration.n > 0])
    ]


def _groups(shown: ShownRows, found: Overview, other: Overview | None) -> list[dict[str, Any]]:
    tables = []
    # Only rows with a true label are counted.
    labelled = [] if found.n == found.accuracy.n else [OneOf("label", (None,), negated=True)]
    for kind, title in GROUPS.items():
        frame: pd.DataFrame = getattr(found, kind)
        if not len(frame):
            continue
        if kind == "by_relation":  # a relation with its only pair wrong is no finding
            frame = frame.sort_values(["high", "n"], ascending=[True, False], kind="stable")
        others = None if other is None else getattr(other, kind).accuracy
        rows = []
        for group, row in zip(frame.index, _records(frame.head(MOST_GROUPS)), strict=False):
            own = {
                "group": relation_name(str(group)) if kind == "by_relation" else str(group),
                "add": conditions_json([_condition(shown, kind, str(group)), *labelled]),
                "other": None if others is None else others.get(group, np.nan),
            }
            rows.append(row | own)
        rules = [rule for rule in RULES if frame[rule].notna().any()]
        tables.append(
            {"kind": kind, "title": title, "rows": rows, "rules": rules, "of": len(frame)}
        )
    return tables


def _condition(shown: ShownRows, kind: str, group: str) -> Condition:
    """Return the condition that selects a group; a band excludes its lower edge."""
    if kind == "by_familiar":
        return OneOf(shown.name("familiar"), (group == FAMILIAR[True],))
    if kind not in ("by_words", "by_distance"):
        return OneOf(kind.removeprefix("by_"), (None if group == NO_RELATION else group,))
    column = "words" if kind == "by_words" else shown.name("distance")
    over, up_to = (re.search(rf"{word} ([\d.]+)", group) for word in ("over", "to"))
    low = None if over is None else float(np.nextafter(float(over[1]), np.inf))
    return Between(column, low, None if up_to is None else float(up_to[1]))


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    named = frame.reset_index(names="name")
    return [{str(key): value for key, value in row.items()} for row in named.to_dict("records")]
