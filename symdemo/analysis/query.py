"""Queries for rows of a table: as data, read from JSON of links and slices, and in plain words."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from symdemo.errors import InputError
from symdemo.pairs import MAX_CHARACTERS
from symdemo.text import count, one_line, shorten

MAX_CONDITIONS = 50
MAX_ROWS = 100_000  # row numbers in all conditions together
MAX_POINTS = 1_000  # polygon corners in all conditions together
_MAX_CHOICES = 1_000
_LARGEST_ROW = 2**53  # browsers represent every whole number below it exactly
_SHOWN = 4
Name = Annotated[str, Field(max_length=500)]
Choices = Annotated[
    tuple[Annotated[str, Field(max_length=MAX_CHARACTERS)] | bool | None, ...],
    Field(max_length=_MAX_CHOICES),
]


class _Strict:
    """Base of what is read from JSON: no unknown keys, no conversions, no infinite numbers."""

    __pydantic_config__ = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


@dataclass(frozen=True)
class OneOf(_Strict):
    """True where the cell is one of `values`; None means an empty cell."""

    column: Name
    values: Choices
    negated: bool = False
    kind: Literal["one_of"] = "one_of"


@dataclass(frozen=True)
class Between(_Strict):
    """True where the number is in [low, high]; None is no bound, an empty cell is never inside."""

    column: Name
    low: float | None
    high: float | None
    negated: bool = False
    kind: Literal["between"] = "between"


@dataclass(frozen=True)
class Contains(_Strict):
    """True where a column contains the text, or matches it if `regex` (RE2); case is ignored."""

    text: Annotated[str, Field(max_length=500)]
    columns: Annotated[tuple[Name, ...], Field(max_length=_MAX_CHOICES)]
    regex: bool = False
    negated: bool = False
    kind: Literal["contains"] = "contains"


@dataclass(frozen=True)
class Differs(_Strict):
    """True where two cells differ; an empty cell differs from nothing."""

    first: Name
    second: Name
    negated: bool = False
    kind: Literal["differs"] = "differs"


@dataclass(frozen=True)
class Inside(_Strict):
    """True where (x, y) is in the polygon by the even-odd rule; never with an empty cell.

    Left and lower borders belong to a polygon, right and upper ones do not, so that adjacent
    polygons share no point.
    """

    x: Name
    y: Name
    polygon: Annotated[tuple[tuple[float, float], ...], Field(max_length=MAX_POINTS)]
    negated: bool = False
    kind: Literal["inside"] = "inside"


@dataclass(frozen=True)
class RowsOf(_Strict):
    """True for the rows with these numbers; `name` describes them to people."""

    rows: Annotated[
        tuple[Annotated[int, Field(ge=0, lt=_LARGEST_ROW)], ...], Field(max_length=MAX_ROWS)
    ]
    name: Name = ""
    negated: bool = False
    kind: Literal["rows_of"] = "rows_of"


Condition = OneOf | Between | Contains | Differs | Inside | RowsOf


@dataclass(frozen=True)
class Query(_Strict):
    """The rows that meet all (or any) of the conditions; all rows without conditions."""

    conditions: Annotated[
        tuple[Annotated[Condition, Field(discriminator="kind")], ...],
        Field(max_length=MAX_CONDITIONS),
    ] = ()
    match: Literal["all", "any"] = "all"
    sort: Name | None = None
    descending: bool = False

    @classmethod
    def from_json(cls, values: object) -> Query:
        """Return the query of JSON values, which may come from a stranger.

        `InputError` if something is unknown, missing, of another type, too large or not finite.
        """
        try:
            # In strict mode only JSON text may give a dict for a class, or a list for a tuple.
            query = _JSON.validate_json(json.dumps(values))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = _short(".".join(map(str, first["loc"])))
            raise InputError(f"The query is not valid at “{place}”: {first['msg']}.") from None
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError(f"The query is not JSON ({type(error).__name__}).") from None
        points = sum(len(one.polygon) for one in query.conditions if isinstance(one, Inside))
        rows = sum(len(one.rows) for one in query.conditions if isinstance(one, RowsOf))
        for n, most, what in ((points, MAX_POINTS, "corners"), (rows, MAX_ROWS, "rows")):
            if n > most:
                raise InputError(f"The query has {n:,} {what}; expected at most {most:,}.")
        return query


_JSON = TypeAdapter(Query)


def describe_condition(condition: Condition) -> str:
    """Return one condition in plain words, on one line."""
    negated = condition.negated
    match condition:
        case OneOf(column, values):
            return f"{_short(column)} {'is not' if negated else 'is'} {_choices(values)}"
        case Between(column, low, high):
            return f"{_short(column)} {'not ' if negated else ''}{_range(low, high)}"
        case Contains(text, columns, regex):
            verb = "match" if regex else "contain"
            verb = f"does not {verb}" if negated else f"{verb}{'es' if regex else 's'}"
            return f"{' or '.join(map(_short, columns))} {verb} “{_short(text)}”"
        case Differs(first, second):
            verb = "do not differ" if negated else "differ"
            return f"{_short(first)} and {_short(second)} {verb}"
        case Inside(x, y):
            return f"{_short(x)} and {_short(y)} {'outside' if negated else 'inside'} an area"
        case RowsOf(rows, name):
            known = _short(name) or count(len(rows), "chosen row")
            return f"not {known}" if negated else known


def _short(text: str) -> str:
    return shorten(one_line(text[:200]))


def _choices(values: tuple[str | bool | None, ...]) -> str:
    plain = {None: "empty", True: "yes", False: "no"}
    names = [_short(value) if isinstance(value, str) else plain[value] for value in values]
    if len(names) > _SHOWN:
        names[_SHOWN - 1 :] = [f"{len(names) - _SHOWN + 1} others"]
    return " or ".join(names) if names else "one of none"


def _range(low: float | None, high: float | None) -> str:
    if low is not None and high is not None:
        return f"{low:.6g} to {high:.6g}"
    if low is not None:
        return f"at least {low:.6g}"
    return "any number" if high is None else f"at most {high:.6g}"
