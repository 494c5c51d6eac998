"""Columns of a table, as Arrow holds them: what stands in each, and how it comes out of pandas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from symdemo.errors import InputError
from symdemo.text import one_line, shorten

Kind = Literal["text", "number", "flag"]
HOLDS = {"text": "text", "number": "numbers", "flag": "yes or no"}
_TYPES = {"text": pa.large_string(), "number": pa.float64(), "flag": pa.bool_()}


@dataclass(frozen=True, eq=False)
class Columns:
    """n rows in columns.

    Attributes:
        n: rows.
        arrays: name → (n,) array of Arrow; an empty cell is null.
        kinds: name → what the column holds.
    """

    n: int
    arrays: Mapping[str, pa.Array]
    kinds: Mapping[str, Kind]

    def get(self, name: str, *kinds: Kind) -> pa.Array:
        """The column of that name; one with only empty cells passes for any kind.

        Raises:
            InputError: there is none, or it holds nothing of `kinds` (anything if none are named).
        """
        if name not in self.arrays:
            some = ", ".join(list(self.arrays)[:8]) + (", …" if len(self.arrays) > 8 else "")
            raise InputError(
                f"There is no column “{shorten(one_line(name[:100]))}”; there are: {some}."
            )
        array, kind = self.arrays[name], self.kinds[name]
        if kinds and kind not in kinds:
            if array.null_count == self.n:
                return pa.nulls(self.n, _TYPES[kinds[0]])
            expected = " or ".join(HOLDS[one] for one in kinds)
            raise InputError(
                f"The column “{shorten(one_line(name))}” holds {HOLDS[kind]}; one with {expected} "
                "is expected."
            )
        return array


def check_names(frame: pd.DataFrame) -> None:
    """Raise `InputError` where two columns have one name."""
    twice = frame.columns[frame.columns.duplicated()]
    if len(twice):
        raise InputError(f"The column “{shorten(one_line(str(twice[0])))}” is there twice.")


def as_arrow(name: str, cells: pd.Series) -> pa.Array:
    """(n,) cells as large_string, float64, int64 or bool; an empty cell is null.

    Raises:
        InputError: cells of several kinds, or of another.
    """
    if isinstance(cells.dtype, pd.CategoricalDtype):
        cells = cells.astype(object)
    try:
        try:
            array = pa.array(cells, from_pandas=True)
        except UnicodeEncodeError:  # half a character
            array = pa.array(cells.map(_whole, na_action="ignore"), from_pandas=True)
    except (pa.ArrowException, OverflowError):
        raise _mixed(name) from None
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
        finite = pc.is_finite(array)
        return pc.if_else(finite, array, pa.scalar(None, pa.float64()))
    raise _mixed(name)


def _whole(cell: object) -> object:
    return cell.encode("utf-8", "replace").decode() if isinstance(cell, str) else cell


def _mixed(name: str) -> InputError:
    return InputError(
        f"The column “{name}” holds something else than texts, numbers, or yes and no; one of "
        "these three is expected in a column."
    )


def kind_of(array: pa.Array) -> Kind:
    """What a column as `as_arrow` makes it holds."""
    if pa.types.is_boolean(array.type):
        return "flag"
    return "text" if pa.types.is_large_string(array.type) else "number"
