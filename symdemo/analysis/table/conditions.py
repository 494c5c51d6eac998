"""What a row can be asked for: each condition is data alone, so that it can be sent and kept."""

from __future__ import annotations

from dataclasses import dataclass

MAX_CONDITIONS = 50
MAX_ROWS = 100_000
"""Of all conditions together."""
MAX_POINTS = 1_000
"""Of the polygons of all conditions together."""
MAX_CHOICES = 1_000
MAX_SEARCHED = 500
"""Characters that are searched for."""


@dataclass(frozen=True, slots=True)
class OneOf:
    """The cell is one of `values`; None stands for an empty cell."""

    column: str
    values: tuple[str | bool | None, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Between:
    """The number lies in [low, high], None being no bound; an empty cell never does."""

    column: str
    low: float | None
    high: float | None
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Contains:
    """Any of the columns contains the text, or a match of it as a regular expression (RE2).

    Case does not matter; an empty cell contains nothing.
    """

    text: str
    columns: tuple[str, ...]
    regex: bool = False
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Differs:
    """The two cells are not alike; where one of them is empty, nothing can differ."""

    first: str
    second: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Inside:
    """The point (x, y) lies in the polygon by the even-odd rule; a point with an empty cell never.

    Of the border, what is left or below belongs to the polygon, and what is right or above does
    not, so that polygons side by side share no point.
    """

    x: str
    y: str
    polygon: tuple[tuple[float, float], ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class RowsOf:
    """The row is one of these numbers; `name` says to people what they are."""

    rows: tuple[int, ...]
    name: str = ""
    negated: bool = False


Condition = OneOf | Between | Contains | Differs | Inside | RowsOf

KINDS: dict[str, type[Condition]] = {
    "one_of": OneOf,
    "between": Between,
    "contains": Contains,
    "differs": Differs,
    "inside": Inside,
    "rows_of": RowsOf,
}
"""What each kind of condition is called in JSON."""
