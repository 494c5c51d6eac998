"""Which rows of columns meet a condition, as an array of n truth values."""

from __future__ import annotations

import time

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from symdemo.analysis.table.columns import Columns
from symdemo.analysis.table.conditions import (
    Between,
    Condition,
    Contains,
    Differs,
    Inside,
    OneOf,
    RowsOf,
)
from symdemo.errors import InputError
from symdemo.text import one_line, shorten

_SECONDS = 0.4
_SECONDS_PER_BYTE = 2e-9
"""Of the longest column: about what a plain regular expression takes."""
_FIRST_BYTES = 16_384
_PIECE_SECONDS = 0.05


class Budget:
    """The time of this thread that one query may take, so that none holds up everybody else."""

    def __init__(self, seconds: float) -> None:
        self._end = time.thread_time() + seconds

    def check(self) -> None:
        """Raise `InputError` once the time is used up."""
        if time.thread_time() > self._end:
            raise InputError(
                "This query takes too long for so many rows; fewer conditions or a simpler regular "
                "expression, without counts such as {100}, are expected."
            )


def budget_for(columns: Columns) -> Budget:
    """The time for one query over these columns."""
    texts = [columns.arrays[name].nbytes for name, kind in columns.kinds.items() if kind == "text"]
    return Budget(_SECONDS + _SECONDS_PER_BYTE * max(texts, default=0))


def matches(columns: Columns, condition: Condition, budget: Budget) -> np.ndarray:
    """(n,) bool, which rows meet the condition.

    Raises:
        InputError: a column that is not there or holds something else than is asked for, a regular
            expression that cannot be read, a row that is not there, or too much work.
    """
    match condition:
        case OneOf(name, values):
            found = _one_of(columns, name, values)
        case Between(name, low, high):
            found = _between(columns.get(name, "number"), low, high)
        case Contains(text, names, regex):
            found = np.zeros(columns.n, dtype=bool)
            for name in names:
                found |= _contains(columns.get(name, "text"), text, regex, budget)
        case Differs(first, second):
            found = _differs(columns, first, second)
        case Inside(x, y, polygon):
            across, up = (_numbers(columns.get(name, "number")) for name in (x, y))
            found = inside(across, up, np.array(polygon, dtype=float).reshape(-1, 2), budget)
        case RowsOf(rows):
            found = np.zeros(columns.n, dtype=bool)
            found[check_rows(rows, columns.n)] = True
    budget.check()
    return ~found if condition.negated else found


def check_rows(rows: np.ndarray | tuple[int, ...], n: int) -> np.ndarray:
    """`rows` as int64, if all of them are numbers of n rows; an `InputError` if not."""
    numbers = np.asarray(rows, dtype=np.int64)
    if len(numbers) and not (numbers.min() >= 0 and numbers.max() < n):
        seen = numbers[(numbers < 0) | (numbers >= n)][0]
        raise InputError(f"Row {seen} was asked for; there are {n:,} rows, numbered from 0.")
    return numbers


def _truth(found: pa.Array) -> np.ndarray:
    return pc.fill_null(found, False).to_numpy(zero_copy_only=False)


def _numbers(array: pa.Array) -> np.ndarray:
    """(n,) float64, NaN for an empty cell."""
    return array.to_numpy(zero_copy_only=False).astype(np.float64, copy=False)


def _one_of(columns: Columns, name: str, values: tuple[str | bool | None, ...]) -> np.ndarray:
    array = columns.get(name)
    found = _truth(array.is_null()) if None in values else np.zeros(columns.n, dtype=bool)
    texts = [value for value in values if isinstance(value, str)]
    flags = [value for value in values if isinstance(value, bool)]
    if len(texts) + len(flags) + sum(value is None for value in values) < len(values):
        raise InputError("A number was asked for by itself; a range of numbers is expected.")
    if texts:
        found |= _truth(pc.is_in(columns.get(name, "text"), pa.array(texts, pa.large_string())))
    if flags:
        found |= _truth(pc.is_in(columns.get(name, "flag"), pa.array(flags)))
    return found


def _between(array: pa.Array, low: float | None, high: float | None) -> np.ndarray:
    numbers = _numbers(array)
    found = ~np.isnan(numbers)
    if low is not None:
        found &= numbers >= low
    if high is not None:
        found &= numbers <= high
    return found


def _differs(columns: Columns, first: str, second: str) -> np.ndarray:
    one, kind = columns.get(first), columns.kinds[first]
    if one.null_count == columns.n:
        one, kind = columns.get(second), columns.kinds[second]
        second = first
    other = columns.get(second, kind)
    if kind == "number":
        a, b = _numbers(one), _numbers(other)
        return (a != b) & ~np.isnan(a) & ~np.isnan(b)
    return _truth(pc.not_equal(one, other))


def _contains(array: pa.Array, text: str, regex: bool, budget: Budget) -> np.ndarray:
    if not regex:
        found = _truth(pc.match_substring(array, text, ignore_case=True))
        budget.check()
        return found
    return _matches_expression(array, text, budget)


def _matches_expression(array: pa.Array, expression: str, budget: Budget) -> np.ndarray:
    """Which cells have a match of a regular expression in them.

    RE2 takes time linear in the text, but up to 12 seconds a megabyte where an expression of 500
    characters is made for that. So pieces of the rows are looked through, in an order that nobody
    could have foreseen, each at most twice as long as the last, until all are or time is up.
    """
    n = len(array)
    found = np.zeros(n, dtype=bool)
    order = np.random.default_rng().permutation(n)
    start, size = 0, max(1, _FIRST_BYTES * n // max(array.nbytes, 1))
    while start < n or not n:
        rows = order[start : start + size]
        began = time.thread_time()
        try:
            part = pc.match_substring_regex(
                array.take(pa.array(rows)), expression, ignore_case=True
            )
        except pa.ArrowInvalid as error:
            raise _unreadable(expression, str(error)) from None
        found[rows] = _truth(part)
        budget.check()
        if not n:
            break
        start += len(rows)
        took = max(time.thread_time() - began, 1e-6)
        size = max(1, int(size * min(2, _PIECE_SECONDS / took)))
    return found


def _unreadable(expression: str, error: str) -> InputError:
    reason = shorten(one_line(error.removeprefix("Invalid regular expression: ")), 80)
    return InputError(
        f"The regular expression “{shorten(one_line(expression))}” cannot be read ({reason}); one "
        "in the syntax of RE2 is expected, which has no look-ahead, look-behind or back reference."
    )


def inside(x: np.ndarray, y: np.ndarray, polygon: np.ndarray, budget: Budget) -> np.ndarray:
    """Which points a ray to the right from leaves a polygon by an odd number of edges.

    The points are sorted by y once, so that an edge is held against those of its own height alone.

    Args:
        x: (n,), NaN in no polygon.
        y: (n,), NaN in no polygon.
        polygon: (m, 2), its corners in order; the last one is joined to the first.
        budget: what it may take.
    """
    order = np.argsort(y, kind="stable")  # NaN comes last, above every edge
    xs, ys = x[order], y[order]
    odd = np.zeros(len(x), dtype=bool)
    with np.errstate(all="ignore"):  # corners near the largest number there is
        for (x1, y1), (x2, y2) in zip(polygon, np.roll(polygon, 1, axis=0), strict=True):
            start, end = np.searchsorted(ys, sorted((y1, y2)))
            if start < end:
                at = (x2 - x1) * (ys[start:end] - y1) / (y2 - y1) + x1
                odd[start:end] ^= xs[start:end] < at
            budget.check()
    found = np.zeros(len(x), dtype=bool)
    found[order] = odd
    return found
