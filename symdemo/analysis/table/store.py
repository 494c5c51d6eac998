"""The rows of an analysis in columns: filtered, sorted and given out by the page."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from symdemo.analysis.table.columns import Columns, Kind, as_arrow, check_names, kind_of
from symdemo.analysis.table.matching import budget_for, check_rows, matches
from symdemo.analysis.table.query import Query
from symdemo.errors import InputError

_REMEMBERED = 8
_ROW = "row"


class PairTable:
    """n rows in columns that never change, which threads may share.

    A cell is a text, a number, True or False, or empty: None, NaN and numbers that are not finite
    all are.

    Attributes:
        columns: name → "text", "number" or "flag"; a column with nothing in it is text.
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        """The columns of `frame`; its index does not matter, rows are numbered from 0.

        Raises:
            InputError: a column that holds cells of several kinds, has the name of another, or is
                called “row”.
        """
        check_names(frame)
        arrays = {str(name): as_arrow(str(name), frame[name]) for name in frame.columns}
        self._set(len(frame), arrays)

    def _set(self, n: int, arrays: Mapping[str, pa.Array]) -> None:
        if _ROW in arrays:
            raise InputError(f"A column is called “{_ROW}”; that name is the row number's own.")
        self.columns: dict[str, Kind] = {name: kind_of(array) for name, array in arrays.items()}
        self._data = Columns(n, arrays, self.columns)
        self._found: OrderedDict[Query, np.ndarray] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return self._data.n

    def with_columns(self, **arrays: Sequence | np.ndarray | pd.Series) -> PairTable:
        """A table with more columns, or others under names that are there already.

        Columns that stay are shared, not copied.

        Args:
            **arrays: name → (n,) cells.

        Raises:
            InputError: another number of cells than of rows, or cells of several kinds.
        """
        for name, cells in arrays.items():
            if len(cells) != len(self):
                raise InputError(
                    f"The column “{name}” has {len(cells)} cells and the table {len(self)} rows; "
                    "as many of both are expected."
                )
        added = {name: as_arrow(name, _series(cells)) for name, cells in arrays.items()}
        table = PairTable.__new__(PairTable)
        table._set(len(self), {**self._data.arrays, **added})
        return table

    def select(self, query: Query) -> np.ndarray:
        """The rows that a query asks for.

        Returns:
            int64 row numbers, read-only. Rows with an empty cell in the column they are sorted by
            come last either way, and of equals the lower number comes first; texts are sorted by
            code points, False before True.

        Raises:
            InputError: a column that is not there or holds something else than is asked for, a
                regular expression that cannot be read, a row that is not there, or a query that
                takes too long.
        """
        with self._lock:
            if query in self._found:
                self._found.move_to_end(query)
                return self._found[query]
        rows = self._sorted(self._matching(query), query)
        rows.setflags(write=False)
        with self._lock:
            self._found[query] = rows
            while len(self._found) > _REMEMBERED:
                self._found.popitem(last=False)
        return rows

    def _matching(self, query: Query) -> np.ndarray:
        if not query.conditions:
            return np.arange(len(self), dtype=np.int64)
        budget = budget_for(self._data)
        both = np.logical_and if query.match == "all" else np.logical_or
        found = [matches(self._data, condition, budget) for condition in query.conditions]
        return np.flatnonzero(both.reduce(found)).astype(np.int64, copy=False)

    def _sorted(self, rows: np.ndarray, query: Query) -> np.ndarray:
        if query.sort is None:
            return rows[::-1].copy() if query.descending else rows
        cells = self._data.get(query.sort).take(pa.array(rows))
        order = pc.array_sort_indices(
            cells, order="descending" if query.descending else "ascending"
        )
        return rows[order.to_numpy()]

    def page(
        self, rows: np.ndarray, start: int, n: int = 100, columns: Sequence[str] | None = None
    ) -> list[dict[str, Any]]:
        """The cells of `rows[start : start + n]` in Python's own types.

        Args:
            rows: numbers, as `select` gives them.
            start: place in `rows`, from 0; beyond its end there is nothing.
            n: at most so many rows.
            columns: their names; all if None.

        Returns:
            One dict a row: “row”, its number, and name → cell, None for an empty one.

        Raises:
            InputError: a column or row that is not there, or a number below 0.
        """
        if start < 0 or n < 0:
            raise InputError(f"{n} rows from {start} were asked for; numbers from 0 are expected.")
        numbers = check_rows(rows[start : start + n], len(self))
        at = pa.array(numbers)
        names = list(self.columns) if columns is None else list(columns)
        cells = [self._data.get(name).take(at).to_pylist() for name in names]
        return [
            {_ROW: number, **dict(zip(names, row, strict=True))}
            for number, *row in zip(numbers.tolist(), *cells, strict=True)
        ]

    def row(self, number: int) -> dict[str, Any]:
        """One row as `page` gives it.

        Raises:
            InputError: there is no such row.
        """
        return self.page(np.array([number]), 0, 1)[0]

    def values(
        self, column: str, rows: np.ndarray | None = None, most: int = 200
    ) -> list[tuple[str | float | bool | None, int]]:
        """The different cells of a column with how many rows have each, most frequent first.

        Args:
            column: its name.
            rows: counted; all if None.
            most: how many are given out at most; of equals the smallest, an empty cell last.

        Raises:
            InputError: a column or row that is not there.
        """
        cells = self._data.get(column)
        if rows is not None:
            cells = cells.take(pa.array(check_rows(rows, len(self))))
        value, count = pc.value_counts(cells).flatten()
        found = pa.table({"value": value, "count": count})
        order = pc.sort_indices(found, [("count", "descending"), ("value", "ascending")])
        first = found.take(order[: max(most, 0)])
        return list(zip(first["value"].to_pylist(), first["count"].to_pylist(), strict=True))

    def span(self, column: str) -> tuple[float, float] | None:
        """The least and the largest number of a column; None where all cells are empty.

        Raises:
            InputError: a column that is not there or holds no numbers.
        """
        found = pc.min_max(self._data.get(column, "number")).as_py()
        return None if found["min"] is None else (float(found["min"]), float(found["max"]))


def _series(cells: Sequence | np.ndarray | pd.Series) -> pd.Series:
    """`cells` as they are; pandas would make a column of texts of a list of them, or fail."""
    return pd.Series(cells, dtype=None if hasattr(cells, "dtype") else object)
