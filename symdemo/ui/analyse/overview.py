"""The part “Overview”: accuracy of a model by group, beside simple rules and another model."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from markupsafe import Markup

from symdemo.analysis import overview
from symdemo.analysis.analysing import GROUP
from symdemo.analysis.overview import Overview
from symdemo.jobs.queue import JobView
from symdemo.ui.analyse.computed import compute
from symdemo.ui.analyse.service import CHANGES
from symdemo.ui.analyse.view import ShownRows, between, one_of
from symdemo.ui.shared.events import Problem, attempt
from symdemo.ui.shared.html import draw, relation_name

OF_SWAPS = ": the relation is symmetric, antisymmetric, or neither"
"""What a label means where every pair is a swap."""
MOST_GROUPS = 300


def overview_panel(shown: ShownRows) -> tuple[Markup, JobView | None]:
    """Draw all figures over the selected rows; returns the job that computes the rest, too."""
    found = attempt(compute, shown.opened, CHANGES)  # too many jobs may be waiting
    changes, job = (None, None) if isinstance(found, Problem) else found
    key = ("overview", shown.key, changes is not None)
    return shown.opened.remember(key, lambda: _draw(shown)), job


def _draw(shown: ShownRows) -> Markup:
    analysis, model, versus = shown.subset(), shown.view.model, shown.view.versus
    if not len(analysis.rows):
        return Markup('<p class="quiet">No rows left. Remove a filter.</p>')
    found = analysis.overview(model, words=True)
    own, other = analysis.of(model), None
    if versus:  # on groups formed by the first model's values
        rows = analysis.of(versus).assign(distance=own.distance, familiar=own.familiar)
        changes, columns = analysis.change_column, analysis.groups
        other = overview.make_overview(versus, rows, changes=changes, columns=columns)
    return draw(
        "analyse/overview.html",
        found=found,
        other=other,
        compared=analysis.compare(model, versus) if other and found.accuracy.n else None,
        filtered=shown.filtered,
        rules=overview.RULES,
        verdicts=own.verdict.fillna(overview.NO_VERDICT).value_counts().to_dict(),
        no_verdict=overview.NO_VERDICT,
        points=found.calibration[found.calibration.n > 0].to_dict("records"),
        thresholds=overview.cheapest_thresholds(own).to_dict("index"),
        # Only rows with a true label are counted.
        labelled=[] if found.n == found.accuracy.n else [one_of("label", None, negated=True)],
        groups=_groups(shown, found, other),
        column=shown.name,
        one_of=one_of,
        between=between,
    )


def _groups(shown: ShownRows, found: Overview, other: Overview | None) -> list[dict[str, Any]]:
    tables, theirs = [], other.tables if other else {}
    for kind, (title, frame) in found.tables.items():
        ordered = frame
        if kind == "by_relation":  # a relation with its only pair wrong is no finding
            ordered = frame.sort_values(["high", "n"], ascending=[True, False], kind="stable")
        rows = ordered.head(MOST_GROUPS).to_dict("index")
        for name, row in rows.items():
            group = str(name)
            row["title"] = relation_name(group) if kind == "by_relation" else group
            row["condition"] = _condition(shown, kind, group)
            row["other"] = theirs[kind][1].accuracy.get(group, np.nan) if other else None
        means = OF_SWAPS if kind == "by_label" and found.swaps else ""
        table = {"kind": kind, "title": f"{title}{means}", "rules": overview.known_rules(frame)}
        tables.append(table | {"rows": list(rows.values()), "of": len(frame)})
    return tables


def _condition(shown: ShownRows, kind: str, group: Any) -> dict[str, Any]:
    """Return the condition that selects a group; a band excludes its lower edge."""
    if kind == "by_familiar":
        return one_of(shown.name("familiar"), group == overview.FAMILIAR[True])
    if kind not in ("by_words", "by_distance"):
        empty = overview.NO_VALUE if kind.startswith(GROUP) else overview.NO_RELATION
        return one_of(kind.removeprefix("by_"), None if group == empty else group)
    column = "words" if kind == "by_words" else shown.name("distance")
    over, up_to = (re.search(rf"{word} ([\d.]+)", group) for word in ("over", "to"))
    low = None if over is None else float(np.nextafter(float(over[1]), np.inf))
    return between(column, low, None if up_to is None else float(up_to[1]))
