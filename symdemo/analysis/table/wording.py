"""Conditions in plain words."""

from __future__ import annotations

from symdemo.analysis.table.conditions import (
    Between,
    Condition,
    Contains,
    Differs,
    Inside,
    OneOf,
    RowsOf,
)
from symdemo.text import one_line, shorten

_SHOWN = 4


def condition_words(condition: Condition) -> str:
    """What one condition asks for, on one line."""
    negated = condition.negated
    match condition:
        case OneOf(column, values):
            return f"{short(column)} {'is not' if negated else 'is'} {_choices(values)}"
        case Between(column, low, high):
            return f"{short(column)} {'not ' if negated else ''}{_range(low, high)}"
        case Contains(text, columns, regex):
            verb = "match" if regex else "contain"
            verb = f"does not {verb}" if negated else f"{verb}{'es' if regex else 's'}"
            return f"{' or '.join(map(short, columns))} {verb} “{short(text)}”"
        case Differs(first, second):
            return f"{short(first)} and {short(second)} {'do not differ' if negated else 'differ'}"
        case Inside(x, y):
            return f"{short(x)} and {short(y)} {'outside' if negated else 'inside'} an area"
        case RowsOf(rows, name):
            known = short(name) or f"{len(rows):,} chosen {'row' if len(rows) == 1 else 'rows'}"
            return f"not {known}" if negated else known


def short(text: str) -> str:
    """A name or another short text, on one line and not too long."""
    return shorten(one_line(text[:200]))


def _choices(values: tuple[str | bool | None, ...]) -> str:
    names = [
        "empty" if value is None else short(value) if isinstance(value, str)
        else "yes" if value else "no"
        for value in values
    ]  # fmt: skip
    if len(names) > _SHOWN:
        names[_SHOWN - 1 :] = [f"{len(names) - _SHOWN + 1} others"]
    return " or ".join(names) if names else "one of none"


def _range(low: float | None, high: float | None) -> str:
    if low is not None and high is not None:
        return f"{low:.6g} to {high:.6g}"
    if low is not None:
        return f"at least {low:.6g}"
    return "any number" if high is None else f"at most {high:.6g}"
