"""Conditions out of JSON that may come from a stranger: all that is not expected is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from symdemo.analysis.table.conditions import (
    KINDS,
    MAX_CHOICES,
    MAX_CONDITIONS,
    MAX_POINTS,
    MAX_ROWS,
    MAX_SEARCHED,
    Condition,
    Inside,
    RowsOf,
)
from symdemo.errors import InputError
from symdemo.pairs import MAX_CHARACTERS
from symdemo.text import one_line, shorten

_MOST_NAME = 500
_MOST_ROW = 2**53
"""Every number below it is whole in a browser too."""


def seen(value: object) -> str:
    """`value` as an error message shows it: a text in quotes, of other things their type."""
    if isinstance(value, str):
        return f"“{shorten(one_line(value[:100]))}”"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, float) or (isinstance(value, int) and abs(value) < _MOST_ROW):
        return str(value)
    kinds = {int: "a very large number", list: "a list", tuple: "a list", dict: "an object"}
    return kinds.get(type(value), type(value).__name__)


def wrong(what: str, value: object, expected: str) -> InputError:
    """The error for a part of a query that is not as expected."""
    return InputError(f"The {what} of a query is {seen(value)}; {expected} is expected.")


def read_object(values: object, what: str, names: dict[str, bool]) -> dict[str, Any]:
    """`values` as a dict with no other keys than `names` (name → whether it has to be there)."""
    if not isinstance(values, dict):
        raise InputError(f"A {what} is {seen(values)}; an object is expected.")
    for name in values:
        if name not in names:
            raise InputError(f"A {what} has {seen(name)}; only {', '.join(names)} are expected.")
    for name, needed in names.items():
        if needed and name not in values:
            raise InputError(f"A {what} has no “{name}”; one is expected.")
    return values


def read_flag(what: str, value: object) -> bool:
    """`value` if it is true or false."""
    if not isinstance(value, bool):
        raise wrong(what, value, "true or false")
    return value


def read_text(what: str, value: object, most: int = _MOST_NAME) -> str:
    """`value` if it is text of whole characters, at most so many."""
    if not isinstance(value, str):
        raise wrong(what, value, "a text")
    if len(value) > most:
        raise InputError(
            f"The {what} of a query has {len(value):,} characters; at most {most:,} are read."
        )
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise InputError(f"The {what} of a query, {seen(value)}, has half a character in it.")
    return value


def _read_list(what: str, value: object, most: int) -> list | tuple:
    if not isinstance(value, list | tuple):
        raise wrong(what, value, "a list")
    if len(value) > most:
        raise InputError(f"The {what} of a query are {len(value):,}; at most {most:,} are read.")
    return value


def _read_number(what: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong(what, value, "a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise wrong(what, value, "a finite number")
    return number


def _read_bound(what: str, value: object) -> float | None:
    return None if value is None else _read_number(what, value)


def _read_name(what: str, value: object) -> str:
    return read_text(what, value)


def _read_searched(what: str, value: object) -> str:
    return read_text(what, value, MAX_SEARCHED)


def _read_columns(what: str, value: object) -> tuple[str, ...]:
    return tuple(read_text(what, name) for name in _read_list(what, value, MAX_CHOICES))


def _read_choices(what: str, value: object) -> tuple[str | bool | None, ...]:
    return tuple(
        one if one is None or isinstance(one, bool) else read_text(what, one, MAX_CHARACTERS)
        for one in _read_list(what, value, MAX_CHOICES)
    )


def _read_polygon(what: str, value: object) -> tuple[tuple[float, float], ...]:
    points = []
    for point in _read_list(what, value, MAX_POINTS):
        if not isinstance(point, list | tuple) or len(point) != 2:
            raise wrong(f"point in the {what}", point, "a list of two numbers")
        points.append((_read_number(what, point[0]), _read_number(what, point[1])))
    return tuple(points)


def _read_rows(what: str, value: object) -> tuple[int, ...]:
    rows = tuple(_read_list(what, value, MAX_ROWS))
    for row in rows:
        if type(row) is not int or not 0 <= row < _MOST_ROW:
            raise wrong(what, row, "a row number from 0")
    return rows


_FIELDS: dict[str, dict[str, tuple[Callable[[str, object], Any], bool]]] = {
    "one_of": {"column": (_read_name, True), "values": (_read_choices, True)},
    "between": {
        "column": (_read_name, True), "low": (_read_bound, True), "high": (_read_bound, True),
    },
    "contains": {
        "text": (_read_searched, True), "columns": (_read_columns, True),
        "regex": (read_flag, False),
    },
    "differs": {"first": (_read_name, True), "second": (_read_name, True)},
    "inside": {"x": (_read_name, True), "y": (_read_name, True), "polygon": (_read_polygon, True)},
    "rows_of": {"rows": (_read_rows, True), "name": (_read_name, False)},
}  # fmt: skip
"""Of each kind: how every field is read, and whether it has to be there."""


def read_condition(values: object) -> Condition:
    """One condition; its “kind” is a key of `KINDS`, the other keys are the fields of that class.

    Raises:
        InputError: anything else.
    """
    kind = values.get("kind") if isinstance(values, dict) else None
    if isinstance(values, dict) and (not isinstance(kind, str) or kind not in KINDS):
        raise wrong("kind of a condition", kind, f"one of {', '.join(KINDS)}")
    fields = _FIELDS[str(kind)] if kind else {}
    readers = fields | {"negated": (read_flag, False)}
    needed = {"kind": True} | {name: needed for name, (_, needed) in readers.items()}
    given = read_object(values, "condition", needed)
    found = {name: readers[name][0](name, given[name]) for name in given if name != "kind"}
    return KINDS[str(kind)](**found)


def read_conditions(values: object) -> tuple[Condition, ...]:
    """Conditions, with bounds on them all together, as `read_condition` reads each.

    Raises:
        InputError: anything else.
    """
    conditions = tuple(map(read_condition, _read_list("conditions", values, MAX_CONDITIONS)))
    points = sum(len(one.polygon) for one in conditions if isinstance(one, Inside))
    rows = sum(len(one.rows) for one in conditions if isinstance(one, RowsOf))
    for n, most, what in ((points, MAX_POINTS, "points of areas"), (rows, MAX_ROWS, "rows")):
        if n > most:
            raise InputError(f"A query names {n:,} {what}; at most {most:,} are read.")
    return conditions
