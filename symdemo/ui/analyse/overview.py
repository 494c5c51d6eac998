"""The part “Overview”: how often a model is right, where, and beside what."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from symdemo.analysis.analysing import Analysis
from symdemo.analysis.overview import (
    COMMONEST,
    DISTANCE_BANDS,
    FAMILIAR,
    LOOKUP,
    NO_RELATION,
    NO_VERDICT,
    WORD_BANDS,
    WORDS,
    Comparison,
    Overview,
    make_overview,
)
from symdemo.analysis.query import Between, Condition, OneOf
from symdemo.ui.analyse.shown import Shown, conditions_json
from symdemo.ui.analyse.state import View
from symdemo.ui.shared.html import draw
from symdemo.ui.shared.words import relation_name

RULES = {
    COMMONEST: "always the commonest label",
    LOOKUP: "the relation’s name alone",
    WORDS: "words, without their meaning",
}
GROUPS = {
    "by_label": "By true label: a relation that is symmetric, antisymmetric, or neither",
    "by_relation": "By relation, the surest weak ones first",
    "by_construction": "By kind of sentence",
    "by_words": "By length of the first sentence, in words",
    "by_distance": "By distance from the nearest taught pair",
    "by_familiar": "By whether the model calls it familiar",
}
FIRST_GROUPS = 12
"""Groups that are shown before the rest is unfolded."""
MOST_GROUPS = 300


def overview_panel(shown: Shown) -> Markup:
    """All figures over the rows that are meant, each accuracy beside those of simple rules."""
    return shown.opened.remember_few(("overview", shown.key), lambda: _draw(shown))


def _draw(shown: Shown) -> Markup:
    analysis = shown.subset()
    view = shown.view
    if not len(analysis.rows):
        return Markup('<p class="quiet">No row is left. Take a filter away.</p>')
    found = analysis.overview(view.model, words=True)
    other = _beside(analysis, view) if view.versus else None
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


def _beside(analysis: Analysis, view: View) -> Overview:
    """The figures of the other model, grouped by what the first one says of the same rows."""
    theirs = analysis.of(view.model)
    rows = analysis.of(view.versus).assign(distance=theirs.distance, familiar=theirs.familiar)
    return make_overview(view.versus, rows)


def _comparison(shown: Shown, compared: Comparison) -> dict[str, Any]:
    """The four numbers of two models side by side, and what a press on each asks for."""
    a, b = (shown.name("right", name) for name in (compared.a, compared.b))

    def both(one: bool, other: bool) -> list[dict[str, Any]]:
        return conditions_json([OneOf(a, (one,)), OneOf(b, (other,))])

    cells = [
        ("both are right", compared.both, both(True, True)),
        (f"only {compared.a} is right", len(compared.only_a), both(True, False)),
        (f"only {compared.b} is right", len(compared.only_b), both(False, True)),
        ("both are wrong", compared.neither, both(False, False)),
    ]
    return {"cells": cells, "p": compared.p_value, "n": compared.n}


def _confusion(shown: Shown, found: Overview) -> list[dict[str, Any]]:
    """One row a true label; each cell with its number, its depth, and what a press asks for."""
    most = max(1, int(found.confusion.to_numpy().max(initial=0)))
    rows = []
    for label, counts in found.confusion.iterrows():
        cells = []
        for verdict, n in counts.items():
            given = None if verdict == NO_VERDICT else str(verdict)
            asked = [OneOf("label", (str(label),)), OneOf(shown.name("verdict"), (given,))]
            cells.append(
                {
                    "verdict": verdict,
                    "n": int(n),
                    "depth": round(0.08 + 0.6 * int(n) / most, 2) if n else 0,
                    "right": verdict == label,
                    "add": conditions_json(asked),
                }
            )
        rows.append({"label": label, "cells": cells})
    return rows


def _points(calibration: pd.DataFrame) -> list[dict[str, float]]:
    """The circles of the calibration chart, in its units of 0 to 200; the area is the number."""
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


def _groups(shown: Shown, found: Overview, other: Overview | None) -> list[dict[str, Any]]:
    tables = []
    # Only rows with a true label are counted.
    labelled = [] if found.n == found.accuracy.n else [OneOf("label", (None,), negated=True)]
    for kind, title in GROUPS.items():
        frame: pd.DataFrame = getattr(found, kind)
        if not len(frame):
            continue
        if kind == "by_relation":  # a relation that is wrong once in one pair is no finding
            frame = frame.sort_values(["high", "n"], ascending=[True, False], kind="stable")
        beside = None if other is None else getattr(other, kind).accuracy
        rows = []
        for group, row in zip(frame.index, _records(frame.head(MOST_GROUPS)), strict=False):
            # relation_name knows the 14 by their ids; a group of no relation has a name of its own.
            words = relation_name(str(group)) if kind == "by_relation" else str(group)
            asked = _condition(shown, kind, str(group))
            rows.append(
                row
                | {
                    "group": words,
                    "add": conditions_json([asked, *labelled]),
                    "other": None if beside is None else beside.get(group, np.nan),
                }
            )
        shown_rules = [rule for rule in RULES if frame[rule].notna().any()]
        tables.append(
            {"kind": kind, "title": title, "rows": rows, "rules": shown_rules, "of": len(frame)}
        )
    return tables


def _condition(shown: Shown, kind: str, group: str) -> Condition:
    """What a press on a group asks for."""
    if kind == "by_words":
        return _band("words", group, WORD_BANDS)
    if kind == "by_distance":
        return _band(shown.name("distance"), group, DISTANCE_BANDS)
    if kind == "by_familiar":
        return OneOf(shown.name("familiar"), (group == FAMILIAR[True],))
    name = kind.removeprefix("by_")
    return OneOf(name, (None if group == NO_RELATION else group,))


def _band(column: str, group: str, edges: tuple[float, ...]) -> Condition:
    """The range that a band's name stands for; a band begins just above its lower edge."""
    for edge in edges:
        if group == f"up to {edge}":
            return Between(column, None, edge)
    if group == f"over {edges[-1]}":
        return Between(column, float(np.nextafter(edges[-1], np.inf)), None)
    low, high = group.removeprefix("over ").split(" to ")
    return Between(column, float(np.nextafter(float(low), np.inf)), float(high))


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    named = frame.reset_index(names="name")
    return [{str(key): value for key, value in row.items()} for row in named.to_dict("records")]
