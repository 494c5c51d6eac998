"""What of an analysis is looked at: the view a page sent, beside the rows that it means."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from symdemo.analysis.analysing import Analysis
from symdemo.analysis.rows import column
from symdemo.analysis.table.query import Condition, Contains, Query
from symdemo.errors import InputError
from symdemo.text import shorten
from symdemo.ui.analyse.desk import Opened
from symdemo.ui.analyse.named import rows_of_hint, with_places
from symdemo.ui.analyse.state import View, resolve

SEARCHED = ("premise", "hypothesis")
_SETS = {"marked": "marked", "noted": "with a note"}


@dataclass(frozen=True, eq=False)
class Shown:
    """An opened workspace under a view whose names are all there.

    Attributes:
        opened: the workspace.
        view: with a model, and with no model to compare with that is the same or not there.
    """

    opened: Opened
    view: View

    @classmethod
    def of(cls, opened: Opened, view: View) -> Shown:
        """The view with what is not there (any more) put right."""
        names, n = opened.analysis.models, len(opened.table)
        model = view.model if view.model in names else names[0]
        versus = view.versus if view.versus in names and view.versus != model else ""
        row, pinned = (at if at is not None and at < n else None for at in (view.row, view.pinned))
        return cls(opened, replace(view, model=model, versus=versus, row=row, pinned=pinned))

    def name(self, cells: str, model: str = "") -> str:
        """What a column of the model that is looked at is called in the table."""
        return column(model or self.view.model, cells)

    @cached_property
    def query(self) -> Query:
        """Which rows are meant; all conditions of the view and what is searched for.

        Raises:
            InputError: it asks for something that is not there.
        """
        query = resolve(self.view.query, self.rows_of)
        if text := self.view.text.strip():
            searched = Contains(text, SEARCHED, regex=self.view.regex)
            query = replace(query, conditions=(*query.conditions, searched))
        return query

    @cached_property
    def rows(self) -> np.ndarray:
        """The rows that are meant, in order."""
        return with_places(self.opened, self.query).select(self.query)

    @property
    def filtered(self) -> bool:
        """Whether not all rows are meant."""
        return bool(self.query.conditions)

    def rows_of(self, name: str) -> list[int]:
        """The rows of a named set: marked, noted, a suggestion, or a slice that was kept."""
        personal = self.opened.workspace.personal
        if name == "marked":
            return sorted(personal.marked)
        if name == "noted":
            return sorted(personal.notes)
        kind, _, own = name.partition(":")
        if kind == "hint":
            return rows_of_hint(self.opened, own)
        if kind == "slice" and own in personal.slices:
            return self.slice(own).rows.tolist()
        raise InputError(f"There is no set of rows “{shorten(name, 40)}” here any more.")

    def slice(self, name: str) -> Shown:
        """The same workspace under the query of a slice that was kept."""
        kept = self.opened.workspace.personal.slices[name]
        view = replace(
            self.view, query=kept["query"], text=kept.get("text", ""), regex=bool(kept.get("regex"))
        )
        return Shown(self.opened, view)

    def subset(self) -> Analysis:
        """The analysis of the rows that are meant alone."""
        analysis = self.opened.analysis
        if not self.filtered:
            return analysis
        rows = np.sort(self.rows)
        words = {
            name: [answers[row] for row in rows] for name, answers in analysis.word_answers.items()
        }
        return Analysis(
            analysis.rows.iloc[rows], analysis.models, analysis.taught, word_answers=words
        )

    @property
    def key(self) -> str:
        """Of what is looked at: two views that mean the same rows of the same model share it."""
        view, personal = self.view, self.opened.workspace.personal
        return json.dumps(
            [view.model, view.versus, view.query, view.text, view.regex, len(personal.marked),
             len(personal.notes), sorted(personal.slices)],
            sort_keys=True,
        )  # fmt: skip


def conditions_json(conditions: Sequence[Condition]) -> list[dict[str, Any]]:
    """Conditions as the page’s script holds them."""
    return Query(tuple(conditions)).to_json().get("conditions", [])


def set_of(name: str) -> dict[str, Any]:
    """The condition that a row belongs to a named set."""
    return {"set": name}


def set_words(name: str) -> str:
    """What a named set is called."""
    kind, _, own = name.partition(":")
    return _SETS.get(name) or (f"slice “{own}”" if kind == "slice" else "of a suggestion")
