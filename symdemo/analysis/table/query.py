"""Which rows of a table are asked for, and in which order."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal

from symdemo.analysis.table.conditions import (
    KINDS,
    Between,
    Condition,
    Contains,
    Differs,
    Inside,
    OneOf,
    RowsOf,
)
from symdemo.analysis.table.reading import (
    read_conditions,
    read_flag,
    read_object,
    read_text,
    wrong,
)
from symdemo.analysis.table.wording import condition_words, short

__all__ = [
    "Between",
    "Condition",
    "Contains",
    "Differs",
    "Inside",
    "OneOf",
    "Query",
    "RowsOf",
]

_NAMES = {kind: name for name, kind in KINDS.items()}


@dataclass(frozen=True, slots=True)
class Query:
    """The rows that meet the conditions, in the order of a column, or of their number.

    Without conditions these are all rows.
    """

    conditions: tuple[Condition, ...] = ()
    match: Literal["all", "any"] = "all"
    sort: str | None = None
    descending: bool = False

    def to_json(self) -> dict[str, Any]:
        """The query as JSON values; what is as it is by default is left out."""
        found: dict[str, Any] = {}
        if self.conditions:
            found["conditions"] = [_condition_values(one) for one in self.conditions]
        return found | _changed(self, "match", "sort", "descending")

    @classmethod
    def from_json(cls, values: object) -> Query:
        """The query that `to_json` was made of; tuples may be lists.

        Raises:
            InputError: anything unknown, missing, of another type, too large or not finite.
        """
        names = {field.name: False for field in fields(cls)}
        given = read_object(values, "query", names)
        sort, match = given.get("sort"), given.get("match", "all")
        if match not in ("all", "any"):
            raise wrong("match", match, "“all” or “any”")
        return cls(
            read_conditions(given.get("conditions", [])),
            match,
            None if sort is None else read_text("sort", sort),
            read_flag("descending", given.get("descending", False)),
        )

    def describe(self) -> str:
        """The query in plain words, on one line."""
        joint = ", or " if self.match == "any" else ", "
        words = joint.join(map(condition_words, self.conditions)) or "all rows"
        if self.sort is None:
            return f"{words}; the last first" if self.descending else words
        order = "falling" if self.descending else "rising"
        return f"{words}; sorted by {short(self.sort)}, {order}"


def _condition_values(condition: Condition) -> dict[str, Any]:
    always = {"kind": _NAMES[type(condition)]}
    for field in fields(condition):
        if field.name not in ("negated", "regex", "name"):
            always[field.name] = _lists(getattr(condition, field.name))
    return always | _changed(condition, "negated", "regex", "name")


def _changed(part: Query | Condition, *names: str) -> dict[str, Any]:
    """Those of the fields that are not as they are by default."""
    return {
        field.name: getattr(part, field.name)
        for field in fields(part)
        if field.name in names and getattr(part, field.name) != field.default
    }


def _lists(value: Any) -> Any:
    return [_lists(one) for one in value] if isinstance(value, tuple) else value
