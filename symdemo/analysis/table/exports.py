"""Rows as a file to take home: for a spreadsheet, for a script, or for both at their fastest."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from symdemo.analysis.table.columns import as_arrow, check_names
from symdemo.data.tables import csv_text
from symdemo.errors import InputError
from symdemo.files.atomic import replacing
from symdemo.files.json_files import plain
from symdemo.text import shorten

ExportKind = Literal["csv", "jsonl", "parquet"]

_AT_ONCE = 5_000
"""Rows that are held as text, so that a long table is not held twice."""


def export_rows(
    rows: pd.DataFrame | Iterable[pd.DataFrame], path: str | Path, kind: ExportKind
) -> None:
    """Write rows in the place of `path`, whole or not at all; a missing folder is made.

    Args:
        rows: n rows with any columns of texts, numbers, and yes and no; or parts of them with the
            same columns, of which only one at a time is held.
        path: the file.
        kind: “csv” is UTF-8 with a byte order mark, an empty cell for what is not known, and a sign
            before a text that a spreadsheet would run as a formula; “jsonl” is one object a line,
            with null for what is not known; “parquet” keeps the types of the columns.

    Raises:
        InputError: another kind, no part, or parts with different columns.
        OSError: the file cannot be written.
    """
    writers: dict[str, Callable[[Iterator[pd.DataFrame], Path], None]] = {
        "csv": _write_csv, "jsonl": _write_jsonl, "parquet": _write_parquet,
    }  # fmt: skip
    if kind not in writers:
        raise InputError(f"Rows as “{kind}” were asked for; csv, jsonl or parquet is expected.")
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as draft:
        writers[kind](_parts([rows] if isinstance(rows, pd.DataFrame) else rows), draft)


def _parts(frames: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """The rows in parts of bounded length, the first of them perhaps empty."""
    columns = None
    for frame in frames:
        if columns is not None and list(frame.columns) != columns:
            raise InputError(
                f"A part has the columns {', '.join(map(str, frame.columns))} and the first one "
                f"{', '.join(map(str, columns))}; the same are expected."
            )
        columns = list(frame.columns)
        check_names(frame)
        for start in range(0, max(len(frame), 1), _AT_ONCE):
            yield frame.iloc[start : start + _AT_ONCE]
    if columns is None:
        raise InputError("There are no rows to export, not even an empty table of them.")


def _cells(part: pd.DataFrame) -> dict[str, list[Any]]:
    """The columns in the types of JSON; None for an empty cell."""
    empty = part.isna().to_numpy()
    return {
        str(name): [
            None if nothing else plain(value)
            for value, nothing in zip(part[name].tolist(), empty[:, place], strict=True)
        ]
        for place, name in enumerate(part.columns)
    }


def _write_csv(parts: Iterator[pd.DataFrame], draft: Path) -> None:
    first = next(parts)
    with draft.open("w", encoding="utf-8-sig", newline="") as file:
        file.write(csv_text([list(first.columns)]))
        for part in chain([first], parts):
            file.write(csv_text(zip(*_cells(part).values(), strict=True)))


def _write_jsonl(parts: Iterator[pd.DataFrame], draft: Path) -> None:
    with draft.open("w", encoding="utf-8", newline="\n") as file:
        for part in parts:
            columns = _cells(part)
            for row in zip(*columns.values(), strict=True):
                values: Mapping[str, Any] = dict(zip(columns, row, strict=True))
                file.write(json.dumps(values, ensure_ascii=False, allow_nan=False) + "\n")


def _write_parquet(parts: Iterator[pd.DataFrame], draft: Path) -> None:
    tables = [_table(part) for part in parts]
    try:
        table = pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowException as error:
        raise InputError(
            f"A column holds other things in one part than in another ({shorten(str(error))}); one "
            "of texts, numbers, or yes and no is expected."
        ) from None
    for place, field in enumerate(table.schema):
        if pa.types.is_null(field.type):  # which other programs may not read
            empty = table.column(place).cast(pa.large_string())
            table = table.set_column(place, field.name, empty)
    parquet.write_table(table, draft, compression="zstd")


def _table(part: pd.DataFrame) -> pa.Table:
    """A part in columns of Arrow; of no type yet where it has only empty cells of any kind."""
    return pa.table(
        {
            str(name): pa.nulls(len(part))
            if part[name].dtype == object and part[name].isna().all()
            else as_arrow(str(name), part[name])
            for name in part.columns
        }
    )
