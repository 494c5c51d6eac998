"""What of an analysis is looked at: the view a page sent, beside the rows that it means."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from symdemo.analysis.analysing import Analysis, column
from symdemo.analysis.query import Condition, Query
from symdemo.errors import InputError
from symdemo.text import shorten
from symdemo.ui.analyse.desk import Opened
from symdemo.ui.analyse.named import NotMadeYetError, rows_of_hint, with_places
from symdemo.ui.analyse.state import View, resolve

SEARCHED = ("premise", "hypothesis")
_SETS = {"marked": "marked", "noted": "with a note"}


@dataclass(frozen=True, eq=False)
class Shown:
    """An opened workspace under a view whose names are all there.

    Attributes:
        opened: the workspace.
        view: with a model, and with no model to compare with that is the same or not there.
        slices: the rows of slices that were asked for already; None while they are looked for.
    """

    opened: Opened
    view: View
    slices: dict[str, list[int] | None] = field(default_factory=dict)

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
        """Which rows are meant by the conditions of the view.

        Raises:
            InputError: it asks for something that is not there.
        """
        return resolve(self.view.query, self.rows_of)

    @cached_property
    def search(self) -> Query | None:
        """Which rows are meant by what is searched for, whatever the conditions are joined by.

        Raises:
            InputError: it is too long.
        """
        if not (text := self.view.text.strip()):
            return None
        searched = {"kind": "contains", "text": text, "columns": SEARCHED, "regex": self.view.regex}
        return Query.from_json({"conditions": [searched]})

    @cached_property
    def rows(self) -> np.ndarray:
        """The rows that are meant, in order."""
        return self._select(self.query)

    def wish(self) -> NotMadeYetError | None:
        """What has to be made before the rows can be told; None where that is all there."""
        try:
            _ = self.rows
        except NotMadeYetError as wish:
            return wish
        except InputError:  # said where they are asked for
            pass
        return None

    def rows_without(self, column: str) -> np.ndarray:
        """The rows without the conditions on a column, whose cells are then all to choose from."""
        kept = [one for one in self.query.conditions if getattr(one, "column", None) != column]
        return self._select(replace(self.query, conditions=tuple(kept)))

    def _select(self, query: Query) -> np.ndarray:
        found = with_places(self.opened, query).select(query)
        if self.search is None:
            return found
        return found[np.isin(found, self.opened.table.select(self.search))]

    @property
    def filtered(self) -> bool:
        """Whether not all rows are meant."""
        return bool(self.query.conditions) or self.search is not None

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
            return self._rows_of_slice(own)
        raise InputError(f"There is no set of rows “{shorten(name, 40)}” here any more.")

    def _rows_of_slice(self, name: str) -> list[int]:
        if name not in self.slices:
            self.slices[name] = None
            try:
                self.slices[name] = self.slice(name).rows.tolist()
            finally:
                if self.slices[name] is None:
                    del self.slices[name]
        if (rows := self.slices[name]) is None:
            raise InputError(f"The slice “{name}” is made of itself; choose another name.")
        return rows

    def slice(self, name: str) -> Shown:
        """The same workspace under the query of a slice that was kept."""
        kept = self.opened.workspace.personal.slices[name]
        view = replace(
            self.view, query=kept["query"], text=kept.get("text", ""), regex=bool(kept.get("regex"))
        )
        return Shown(self.opened, view, self.slices)

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
    def key(self) -> tuple[str, str, bool, bytes]:
        """Of what is looked at: two views that mean the same rows of the same model share it."""
        rows = hashlib.sha256(np.sort(self.rows).tobytes()).digest()
        return self.view.model, self.view.versus, self.filtered, rows


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
