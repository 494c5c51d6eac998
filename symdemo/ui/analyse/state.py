"""What a page wants to see, as its script sends it: read strictly, since a link may hold it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from symdemo.analysis.query import MAX_CONDITIONS, Query, RowsOf
from symdemo.errors import InputError

PARTS = ("overview", "rows", "map", "hints", "slices")
MAP_KINDS = ("pca", "umap")
COLOURS = ("label", "verdict", "right", "relation", "models")
MAX_STATE = 60_000
"""Characters; a lasso of 1,000 points takes about 30,000."""


@dataclass(frozen=True)
class View:
    """What is looked at.

    Attributes:
        analysis: the id of the workspace.
        model: whose verdicts are shown; the first one's if empty.
        versus: with whose they are compared; none if empty.
        part: one of `PARTS`.
        query: which rows, in which order; a condition may also be {"set": name}, see `resolve`.
        text: what is searched for in the sentences; nothing if empty.
        regex: whether it is a regular expression.
        page: of the table, from 0.
        row: the row under the glass, None for none.
        pinned: the row beside it.
        adding: the column of which a filter is being chosen.
        kind: of the map.
        colour: of its points.
    """

    analysis: str
    model: str = ""
    versus: str = ""
    part: str = PARTS[0]
    query: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""
    regex: bool = False
    page: int = 0
    row: int | None = None
    pinned: int | None = None
    adding: str = ""
    kind: str = MAP_KINDS[0]
    colour: str = COLOURS[0]

    @classmethod
    def read(cls, sent: Any) -> View:
        """What the page sent.

        Raises:
            InputError: it is not what a page of this app sends.
        """
        if isinstance(sent, str) and len(sent) <= MAX_STATE:
            try:
                sent = json.loads(sent)
            except (ValueError, RecursionError):
                sent = None
        if not isinstance(sent, dict):
            raise InputError("The view could not be read; open the page again.")
        values = {name: sent[name] for name in cls.__dataclass_fields__ if sent.get(name)}
        view = cls(**{"analysis": "", **values})
        for name in ("analysis", "model", "versus", "adding", "text"):
            _expect(isinstance(getattr(view, name), str), name)
        for name, allowed in (("part", PARTS), ("kind", MAP_KINDS), ("colour", COLOURS)):
            _expect(getattr(view, name) in allowed, name)
        for number in (view.page, view.row or 0, view.pinned or 0):
            _expect(type(number) is int and 0 <= number < 10**6, "number")
        # Row 0 is falsy, and so was left out above.
        rows = {name: 0 for name in ("row", "pinned") if sent.get(name) == 0}
        _expect(isinstance(view.query, dict), "query")
        conditions = view.query.get("conditions", [])
        _expect(isinstance(conditions, list), "list of filters")
        _expect(all(isinstance(one, dict) for one in conditions), "filter")
        _expect(isinstance(view.regex, bool), "search")
        return cls(**{**vars(view), **{n: v for n, v in rows.items() if sent[n] is not False}})


def _expect(good: bool, name: str) -> None:
    if not good:
        raise InputError(f"The view has an unusable {name}; open the page again.")


def resolve(query: Mapping[str, Any], rows_of: Callable[[str], list[int]]) -> Query:
    """The query of a view, in which every named set is the rows it stands for.

    Args:
        query: JSON values; {"set": name, "negated": bool} stands for a named set of rows.
        rows_of: gives them, or raises `InputError` where there is no such set.
    """
    given = query.get("conditions", [])
    if len(given) > MAX_CONDITIONS:
        raise InputError(f"There are {len(given):,} filters; at most {MAX_CONDITIONS} are read.")
    plain = Query.from_json({**query, "conditions": [one for one in given if "set" not in one]})
    rest = iter(plain.conditions)
    return replace(
        plain,
        conditions=tuple(_rows_of(one, rows_of) if "set" in one else next(rest) for one in given),
    )


def _rows_of(condition: Mapping[str, Any], rows_of: Callable[[str], list[int]]) -> RowsOf:
    """The rows of a named set, of which there may be more than a page could name."""
    name, negated = condition["set"], condition.get("negated", False)
    if not isinstance(name, str) or not isinstance(negated, bool) or len(condition) > 2:
        raise InputError("A filter on named rows could not be read; open the page again.")
    return RowsOf(tuple(rows_of(name)), name, negated)
