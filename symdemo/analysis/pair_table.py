"""`PairTable`: the rows of an analysis in Arrow columns, filtered, sorted and paged.

Arrow and not pandas: it matches untrusted regular expressions with RE2, in linear time, and keeps
empty cells apart from values in every type.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from symdemo.analysis.query import (
    Between,
    Condition,
    Contains,
    Differs,
    Inside,
    OneOf,
    Query,
    RowsOf,
)
from symdemo.errors import InputError
from symdemo.text import one_line, shorten

Kind = Literal["text", "number", "flag"]
_HOLDS = {"text": "text", "number": "numbers", "flag": "yes or no"}
_TYPES = {"text": pa.large_string(), "number": pa.float64(), "flag": pa.bool_()}
_ROW = "row"
_REMEMBERED = 8  # selections kept in memory
_SECONDS = 0.4
_SECONDS_PER_BYTE = 2e-9
"""Time budget of a query, per byte of the longest column: about what a plain expression takes."""
_FIRST_BYTES = 16_384
_PIECE_SECONDS = 0.05


class PairTable:
    """An immutable table of n rows, numbered from 0, that threads may share.

    A cell is a text, a number, True, False or empty; None, NaN and infinite numbers are empty.
    `columns` is name → “text”, “number” or “flag”; a column of empty cells is text. The other
    columns of a table `shared`, of n rows, are reused. `InputError` if a column mixes kinds, is
    called “row”, or has the name of another.
    """

    def __init__(self, frame: pd.DataFrame, shared: PairTable | None = None) -> None:
        self._n = len(frame)
        own = arrow_columns(frame)
        self._arrays: dict[str, pa.Array] = shared._arrays | own if shared else own
        if _ROW in self._arrays:
            raise InputError(f"A column is called “{_ROW}”; that name is reserved.")
        self.columns: dict[str, Kind] = {name: _kind(own) for name, own in self._arrays.items()}
        self._remembered = lru_cache(maxsize=_REMEMBERED)(self._select)

    def __len__(self) -> int:
        return self._n

    def with_columns(self, **arrays: Sequence | np.ndarray | pd.Series) -> PairTable:
        """Return a table with columns added or replaced; `InputError` unless they have n cells."""
        for name, cells in arrays.items():
            if len(cells) != self._n:
                raise InputError(
                    f"The column “{name}” has {len(cells)} cells; expected {self._n}, one per row."
                )
        # A list would become pandas' own type of texts, which refuses half a character.
        added = {
            name: pd.Series(cells, dtype=getattr(cells, "dtype", object)).reset_index(drop=True)
            for name, cells in arrays.items()
        }
        return PairTable(pd.DataFrame(added), self)

    def select(self, query: Query) -> np.ndarray:
        """Return the numbers of the rows that a query selects, in its order: int64, read-only.

        Texts are sorted by code point, False before True, empty cells last in either order; ties
        are in row order.
        `InputError` for a column that is missing or of another kind, an invalid regular expression,
        a row number that is too large, or a query that takes too long.
        """
        return self._remembered(query)

    def _select(self, query: Query) -> np.ndarray:
        rows = np.arange(self._n, dtype=np.int64)
        if query.conditions:
            texts = [self._arrays[n].nbytes for n, kind in self.columns.items() if kind == "text"]
            budget = _Budget(_SECONDS + _SECONDS_PER_BYTE * max(texts, default=0))
            both = np.logical_and if query.match == "all" else np.logical_or
            rows = rows[both.reduce([self._matches(one, budget) for one in query.conditions])]
        if query.sort is not None:
            cells = self._column(query.sort).take(pa.array(rows))
            order = "descending" if query.descending else "ascending"
            rows = rows[pc.array_sort_indices(cells, order=order).to_numpy()]
        elif query.descending:
            rows = rows[::-1].copy()
        rows.setflags(write=False)
        return rows

    def page(
        self, rows: np.ndarray, start: int, n: int = 100, columns: Sequence[str] | None = None
    ) -> list[dict[str, Any]]:
        """Return `rows[start : start + n]`, each as a dict of name → cell, None for an empty one.

        “row” is its number; `columns` None is all. `InputError` for a row or column that does not
        exist, or a negative number.
        """
        if start < 0 or n < 0:
            raise InputError(f"The page is {n} rows from {start}; expected numbers from 0.")
        numbers = _checked_rows(rows[start : start + n], self._n)
        names = list(self.columns) if columns is None else list(columns)
        cells = [self._column(name).take(pa.array(numbers)).to_pylist() for name in names]
        return [
            {_ROW: number, **dict(zip(names, row, strict=True))}
            for number, *row in zip(numbers.tolist(), *cells, strict=True)
        ]

    def row(self, number: int) -> dict[str, Any]:
        """Return one row as `page` does."""
        return self.page(np.array([number]), 0, 1)[0]

    def values(
        self, column: str, rows: np.ndarray | None = None, most: int = 200
    ) -> list[tuple[str | float | bool | None, int]]:
        """Return the `most` frequent cells with counts; ties ascending, an empty cell last."""
        cells = self._column(column)
        if rows is not None:
            cells = cells.take(pa.array(_checked_rows(rows, self._n)))
        value, count = pc.value_counts(cells).flatten()
        found = pa.table({"value": value, "count": count})
        order = pc.sort_indices(found, [("count", "descending"), ("value", "ascending")])
        first = found.take(order[: max(most, 0)])
        return list(zip(first["value"].to_pylist(), first["count"].to_pylist(), strict=True))

    def span(self, column: str) -> tuple[float, float] | None:
        """Return the smallest and largest number of a column; None if all cells are empty."""
        found = pc.min_max(self._column(column, "number")).as_py()
        return None if found["min"] is None else (float(found["min"]), float(found["max"]))

    def _column(self, name: str, *kinds: Kind) -> pa.Array:
        """Return a column of one of `kinds`, if given; a column of empty cells is of every kind."""
        if name not in self._arrays:
            some = ", ".join(list(self._arrays)[:8]) + (", …" if len(self._arrays) > 8 else "")
            raise InputError(
                f"There is no column “{shorten(one_line(name[:100]))}”; expected one of: {some}."
            )
        array, kind = self._arrays[name], self.columns[name]
        if not kinds or kind in kinds:
            return array
        if array.null_count == self._n:
            return pa.nulls(self._n, _TYPES[kinds[0]])
        raise InputError(
            f"The column “{shorten(one_line(name))}” holds {_HOLDS[kind]}; expected "
            f"{' or '.join(_HOLDS[one] for one in kinds)}."
        )

    def _matches(self, condition: Condition, budget: _Budget) -> np.ndarray:
        found = np.zeros(self._n, dtype=bool)
        match condition:
            case OneOf(name, values):
                found = self._one_of(name, values)
            case Between(name, low, high):
                cells = _numbers(self._column(name, "number"))
                found = ~np.isnan(cells)
                found &= cells >= (-np.inf if low is None else low)
                found &= cells <= (np.inf if high is None else high)
            case Contains(text, names, regex):
                for name in names:
                    cells = self._column(name, "text")
                    if regex:
                        found |= _match_expression(cells, text, budget)
                    else:
                        found |= _truth(pc.match_substring(cells, text, ignore_case=True))
                        budget.check()
            case Differs(first, second):
                if self._column(first).null_count == self._n:
                    first, second = second, first
                kind = self.columns[first]
                cells, others = self._column(first, kind), self._column(second, kind)
                found = _truth(pc.not_equal(cells, others))
            case Inside(x, y, polygon):
                across, up = (_numbers(self._column(name, "number")) for name in (x, y))
                found = _inside(across, up, np.array(polygon, float).reshape(-1, 2), budget)
            case RowsOf(rows):
                found[_checked_rows(rows, self._n)] = True
        budget.check()
        return ~found if condition.negated else found

    def _one_of(self, name: str, values: tuple[str | bool | None, ...]) -> np.ndarray:
        texts = [value for value in values if isinstance(value, str)]
        flags = [value for value in values if isinstance(value, bool)]
        if len(texts) + len(flags) + values.count(None) < len(values):
            raise InputError("A condition lists a single number; expected a range of numbers.")
        array = self._column(name)
        found = _truth(array.is_null()) if None in values else np.zeros(self._n, dtype=bool)
        if texts:
            wanted = pa.array(texts, pa.large_string())
            found |= _truth(pc.is_in(self._column(name, "text"), wanted))
        if flags:
            found |= _truth(pc.is_in(self._column(name, "flag"), pa.array(flags)))
        return found


def arrow_columns(frame: pd.DataFrame) -> dict[str, pa.Array]:
    """Return the columns of a frame by name; see `as_arrow`."""
    repeated = frame.columns[frame.columns.duplicated()]
    if len(repeated):
        raise InputError(f"There are two columns “{shorten(one_line(str(repeated[0])))}”.")
    return {str(name): as_arrow(str(name), frame[name]) for name in frame.columns}


def as_arrow(name: str, cells: pd.Series) -> pa.Array:
    """Return (n,) cells as large_string, float64, int64 or bool; an empty cell is null."""
    mixed = InputError(
        f"The column “{name}” mixes kinds; expected texts, numbers, or yes and no alone."
    )
    if isinstance(cells.dtype, pd.CategoricalDtype):
        cells = cells.astype(object)
    try:
        try:
            array = pa.array(cells, from_pandas=True)
        except UnicodeEncodeError:  # half a character
            whole = cells.map(lambda cell: cell.encode("utf-8", "replace").decode(), "ignore")
            array = pa.array(whole, from_pandas=True)
    except (pa.ArrowException, OverflowError, AttributeError):
        raise mixed from None
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    kind = array.type
    if pa.types.is_null(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return array.cast(pa.large_string())
    if pa.types.is_boolean(kind):
        return array
    if pa.types.is_integer(kind):
        return array.cast(pa.float64() if pa.types.is_uint64(kind) else pa.int64())
    if pa.types.is_floating(kind):
        array = array.cast(pa.float64())
        return pc.if_else(pc.is_finite(array), array, pa.scalar(None, pa.float64()))
    raise mixed


def _kind(array: pa.Array) -> Kind:
    if pa.types.is_boolean(array.type):
        return "flag"
    return "text" if pa.types.is_large_string(array.type) else "number"


def _truth(found: pa.Array) -> np.ndarray:
    return pc.fill_null(found, False).to_numpy(zero_copy_only=False)


def _numbers(array: pa.Array) -> np.ndarray:
    """Return (n,) float64, NaN for an empty cell."""
    return array.to_numpy(zero_copy_only=False).astype(np.float64, copy=False)


def _checked_rows(rows: np.ndarray | tuple[int, ...], n: int) -> np.ndarray:
    numbers = np.asarray(rows, dtype=np.int64)
    wrong = numbers[(numbers < 0) | (numbers >= n)]
    if len(wrong):
        raise InputError(f"There is no row {wrong[0]}; expected numbers from 0 and below {n:,}.")
    return numbers


class _Budget:
    """The processor time that one query may take in this thread."""

    def __init__(self, seconds: float) -> None:
        self._end = time.thread_time() + seconds

    def check(self) -> None:
        """Raise `InputError` once the time is used up."""
        if time.thread_time() > self._end:
            raise InputError(
                "This query takes too long for this many rows. Use fewer conditions or a simpler "
                "regular expression, without counts such as {100}."
            )


def _match_expression(array: pa.Array, expression: str, budget: _Budget) -> np.ndarray:
    """Return which cells contain a match of a regular expression: (n,) bool.

    RE2 is linear in the text, but an expression of 500 characters can be built that takes 12 s per
    megabyte. So rows are searched piece by piece, in random order so that nobody can aim at the
    first one, each piece at most twice as long as the last, until the budget is used up.
    """

    def matches(cells: pa.Array) -> np.ndarray:
        return _truth(pc.match_substring_regex(cells, expression, ignore_case=True))

    try:
        matches(pa.array([""]))
    except pa.ArrowInvalid as error:
        why = str(error).removeprefix("Invalid regular expression: ")
        raise InputError(
            f"The regular expression “{shorten(one_line(expression))}” is invalid "
            f"({shorten(one_line(why), 80)}). Expected the syntax of RE2, which has no "
            "look-ahead, look-behind or back reference."
        ) from None
    n = len(array)
    found = np.zeros(n, dtype=bool)
    order = np.random.default_rng().permutation(n)
    start, size = 0, max(1, _FIRST_BYTES * n // max(array.nbytes, 1))
    while start < n:
        began = time.thread_time()
        rows = order[start : start + size]
        found[rows] = matches(array.take(pa.array(rows)))
        budget.check()
        start += len(rows)
        took = max(time.thread_time() - began, 1e-6)
        size = max(1, int(size * min(2, _PIECE_SECONDS / took)))
    return found


def _inside(x: np.ndarray, y: np.ndarray, polygon: np.ndarray, budget: _Budget) -> np.ndarray:
    """Return which points lie in a polygon by the even-odd rule: (n,) bool.

    Points (n,) with NaN are outside. The last corner of the polygon (m, 2) is joined to the first.
    The points are sorted by y once, so that each edge is compared only with those at its height.
    """
    order = np.argsort(y, kind="stable")  # NaN comes last, above every edge
    xs, ys = x[order], y[order]
    odd = np.zeros(len(x), dtype=bool)
    with np.errstate(all="ignore"):  # corners near the largest float
        for (x1, y1), (x2, y2) in zip(polygon, np.roll(polygon, 1, axis=0), strict=True):
            start, end = np.searchsorted(ys, sorted((y1, y2)))
            if start < end:
                at = (x2 - x1) * (ys[start:end] - y1) / (y2 - y1) + x1
                odd[start:end] ^= xs[start:end] < at
            budget.check()
    found = np.zeros(len(x), dtype=bool)
    found[order] = odd
    return found
