"""The view that a page sends, and the rows that it selects from an opened analysis."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, Literal, get_args

import numpy as np
from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.dataclasses import dataclass as checked_dataclass

from symdemo.analysis.analysing import Analysis, column
from symdemo.analysis.pair_table import PairTable
from symdemo.analysis.query import MAX_CONDITIONS, Condition, Inside, Query, RowsOf
from symdemo.analysis.workspace import READING
from symdemo.errors import InputError
from symdemo.text import shorten
from symdemo.ui.analyse.service import CHANGES, MAP, SUGGESTIONS, NotComputedError, OpenedAnalysis

Part = Literal["overview", "rows", "map", "suggestions", "slices"]
MapKind = Literal["pca", "umap"]
PointColour = Literal["label", "verdict", "right", "relation", "models"]
PARTS: tuple[str, ...] = get_args(Part)
MAX_STATE = 60_000  # characters; a lasso of 1,000 points takes about 30,000
SEARCHED = ("premise", "hypothesis")
NEAREST = "nearest to "
"""Prefix of the name of a model's column with the rows' distances to a sentence."""
_COORDINATE = re.compile(r"map (pca|umap) of (.+): [xy]")


def _check_query(query: dict[str, Any]) -> dict[str, Any]:
    conditions = query.get("conditions", [])
    if not isinstance(conditions, list) or not all(isinstance(one, dict) for one in conditions):
        raise ValueError("the conditions are not a list of objects")
    return query


_Number = Annotated[int, Field(ge=0, lt=10**6)]
_RENAMED = BeforeValidator(lambda part: "suggestions" if part == "hints" else part)  # of old links


@checked_dataclass(frozen=True, config=ConfigDict(strict=True, extra="ignore"))
class View:
    """The state of a page; every field is checked, since a link may hold anything."""

    analysis: str = ""  # id of the workspace, or its reading key
    model: str = ""  # whose verdicts are shown; the first model's if empty
    versus: str = ""  # the model to compare with; none if empty
    part: Annotated[Part, _RENAMED] = "overview"
    # Conditions and order of rows; a condition may also be {"set": name}, see `ShownRows.query`.
    query: Annotated[dict[str, Any], AfterValidator(_check_query)] = field(default_factory=dict)
    text: str = ""  # search text for the sentences
    regex: bool = False  # read it as a regular expression
    page: _Number = 0  # of the table, from 0
    row: _Number | None = None  # shown in detail
    pinned: _Number | None = None  # shown beside it
    adding: str = ""  # the column that a filter is being chosen for
    kind: MapKind = "pca"  # of the map
    colour: PointColour = "label"  # of the map's points
    # Columns of the table that were turned on or off: hidden if shown by default, else shown.
    columns: Annotated[list[str], Field(max_length=30)] = field(default_factory=list)

    @property
    def reads_only(self) -> bool:
        """True if the page may change nothing in the workspace."""
        return self.analysis.startswith(READING)


def read_view(sent: Any) -> View:
    """Check a view that a page sent; `InputError` if no page of this app sends it."""
    if not isinstance(sent, dict):
        raise InputError("The view could not be read; open the page again.")
    try:
        return View(**sent)
    except ValidationError as error:
        name = error.errors()[0]["loc"][0]
        raise InputError(f"The view has an unusable {name}; open the page again.") from None


@dataclass(frozen=True, eq=False)
class ShownRows:
    """The rows of an opened analysis that a view selects."""

    opened: OpenedAnalysis
    view: View  # its model exists, and `versus` is another existing model or empty
    # Name → rows of the slices that were resolved; None while one is being resolved.
    slices: dict[str, list[int] | None] = field(default_factory=dict)

    @classmethod
    def of(cls, opened: OpenedAnalysis, view: View) -> ShownRows:
        """Apply a view, dropping the models and rows in it that do not exist."""
        names, n = opened.analysis.models, len(opened.table)
        model = view.model if view.model in names else names[0]
        versus = view.versus if view.versus in names and view.versus != model else ""
        row, pinned = (at if at is not None and at < n else None for at in (view.row, view.pinned))
        return cls(opened, replace(view, model=model, versus=versus, row=row, pinned=pinned))

    def name(self, cells: str, model: str = "") -> str:
        """Return the table's name for a column of a model, by default of the view's model."""
        return column(model or self.view.model, cells)

    @property
    def models(self) -> list[str]:
        """The model that is shown, and the one it is compared with."""
        return [name for name in (self.view.model, self.view.versus) if name]

    @cached_property
    def query(self) -> Query:
        """The view's conditions and order of rows, with the rows of each named set in its place.

        `InputError` if there are too many conditions, one cannot be read, or a set is unknown;
        `NotComputedError` if a set comes from suggestions that are not computed yet.
        """
        given = self.view.query.get("conditions", [])
        if len(given) > MAX_CONDITIONS:
            raise InputError(
                f"There are {len(given):,} filters; at most {MAX_CONDITIONS} are read."
            )
        plain = [one for one in given if "set" not in one]
        query = Query.from_json({**self.view.query, "conditions": plain})
        rest, found = iter(query.conditions), list[Condition]()
        for one in given:
            name, negated = one.get("set"), one.get("negated", False)
            if "set" not in one:
                found.append(next(rest))
            elif isinstance(name, str) and isinstance(negated, bool) and len(one) <= 2:
                found.append(RowsOf(tuple(self.rows_of(name)), name, negated))
            else:
                raise InputError("A filter on named rows could not be read; open the page again.")
        return replace(query, conditions=tuple(found))

    @cached_property
    def near(self) -> tuple[str, str] | None:
        """The model and sentence if rows are sorted by distance to a sentence, else None."""
        for model in self.opened.runs:
            start = column(model, NEAREST)
            if self.query.sort and self.query.sort.startswith(start):
                return model, self.query.sort.removeprefix(start)
        return None

    @cached_property
    def table(self) -> PairTable:
        """The table with the columns of maps, changes and distances that the query names.

        `NotComputedError` if one of them is not computed yet.
        """
        opened = self.opened
        with opened.lock:
            for one in self.query.conditions:
                added: dict[str, Any] = {}
                if getattr(one, "column", None) == CHANGES and CHANGES not in opened.table.columns:
                    added[CHANGES] = opened.computed(CHANGES)
                if isinstance(one, Inside) and one.x not in opened.table.columns:
                    match = _COORDINATE.fullmatch(one.x)
                    if match and match[2] in opened.runs:  # else the table says what is missing
                        xy = opened.computed(MAP, *match.groups()).xy
                        added = dict(zip(coordinate_names(*match.groups()), xy.T, strict=True))
                if added:
                    opened.table = opened.table.with_columns(**added)
            table = opened.table
        if self.near and self.query.sort:  # distances to any sentence, so they are not kept
            return table.with_columns(**{self.query.sort: opened.distances(*self.near)})
        return table

    @cached_property
    def rows(self) -> np.ndarray:
        """The selected rows, in order."""
        return self._select(self.query)

    @property
    def filtered(self) -> bool:
        """True if there is a condition or a search."""
        return bool(self.query.conditions or self.view.text.strip())

    def missing(self) -> NotComputedError | None:
        """Return what has to be computed before the rows can be selected; None if nothing."""
        try:
            _ = self.rows
        except NotComputedError as missing:
            return missing
        return None

    def rows_without(self, column: str) -> np.ndarray:
        """Select rows by all conditions except those on one column."""
        kept = [one for one in self.query.conditions if getattr(one, "column", None) != column]
        return self._select(replace(self.query, conditions=tuple(kept)))

    def _select(self, query: Query) -> np.ndarray:
        """Select by a query and by the search, whether conditions are joined by “and” or “or”."""
        found = self.table.select(query)
        if not (text := self.view.text.strip()):
            return found
        searched = {"kind": "contains", "text": text, "columns": SEARCHED, "regex": self.view.regex}
        search = Query.from_json({"conditions": [searched]})
        return found[np.isin(found, self.opened.table.select(search))]

    def rows_of(self, name: str) -> list[int]:
        """Return the rows of “marked”, “noted”, “hint:…” (a suggestion) or “slice:…”."""
        personal = self.opened.workspace.personal
        kind, _, own = name.partition(":")
        if name == "marked":
            return sorted(personal.marked)
        if name == "noted":
            return sorted(personal.notes)
        if kind == "hint":  # kept slices call a suggestion so
            return self._suggested_rows(own)
        if kind != "slice" or own not in personal.slices:
            raise InputError(f"There is no set of rows “{shorten(name, 40)}” here any more.")
        if own not in self.slices:
            self.slices[own] = None
            try:
                self.slices[own] = self.slice(own).rows.tolist()
            finally:
                if self.slices[own] is None:
                    del self.slices[own]
        if (rows := self.slices[own]) is None:
            raise InputError(f"The slice “{own}” contains itself; choose another name.")
        return rows

    def _suggested_rows(self, name: str) -> list[int]:
        """Return the rows of a suggestion by “model:number”."""
        model, _, number = name.rpartition(":")
        if model not in self.opened.analysis.models or not re.fullmatch("[0-9]{1,4}", number):
            raise InputError("There is no such suggestion.")
        found = self.opened.computed(SUGGESTIONS, model)
        if int(number) >= len(found):
            raise InputError(f"There is no suggestion {int(number) + 1}; there are {len(found)}.")
        return [int(row) for row in found[int(number)].rows]

    def slice(self, name: str) -> ShownRows:
        """Select the rows of a kept slice in the same analysis."""
        kept = self.opened.workspace.personal.slices[name]
        text, regex = kept.get("text", ""), bool(kept.get("regex"))
        view = replace(self.view, query=kept["query"], text=text, regex=regex)
        return ShownRows(self.opened, view, self.slices)

    def subset(self) -> Analysis:
        """Return the analysis of the selected rows alone."""
        whole = replace(self.opened.analysis, changes=self.opened.changes)
        if not self.filtered:
            return whole
        rows = np.sort(self.rows)
        words = {name: [own[row] for row in rows] for name, own in whole.word_answers.items()}
        changes = whole.changes and [whole.changes[row] for row in rows]
        return replace(whole, rows=whole.rows.iloc[rows], word_answers=words, changes=changes)

    @property
    def key(self) -> tuple[str, str, bool, bytes]:
        """Equal for two views that select the same rows of the same models."""
        rows = hashlib.sha256(np.sort(self.rows).tobytes()).digest()
        return self.view.model, self.view.versus, self.filtered, rows


def one_of(column: str, *values: Any, negated: bool = False) -> dict[str, Any]:
    """Return the condition that a cell is one of some values, as the page's script holds it."""
    found = {"kind": "one_of", "column": column, "values": list(values)}
    return found | {"negated": True} if negated else found


def between(column: str, low: float | None, high: float | None) -> dict[str, Any]:
    """Return the condition low ≤ number ≤ high as the page's script holds it; None: no bound."""
    return {"kind": "between", "column": column, "low": low, "high": high}


def coordinate_names(kind: str, model: str) -> tuple[str, str]:
    """Return the names of a map's two columns in the table."""
    return f"map {kind} of {model}: x", f"map {kind} of {model}: y"
