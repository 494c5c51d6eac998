"""Export rows as CSV, JSONL or Parquet."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Literal

import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from symdemo.analysis.pair_table import arrow_columns
from symdemo.data.text_rows import csv_text
from symdemo.errors import InputError
from symdemo.files.storage import replacing
from symdemo.text import shorten

ExportKind = Literal["csv", "jsonl", "parquet"]

_AT_ONCE = 5_000
"""Rows converted to text at a time."""


def export_rows(
    rows: pd.DataFrame | Iterable[pd.DataFrame], path: str | Path, kind: ExportKind
) -> None:
    """Write rows to a file, completely or not at all; a missing folder is made.

    Args:
        rows: Rows with columns of texts, numbers, or yes and no; or parts of them with the same
            columns, of which one at a time is in memory.
        path: The file; an old one is replaced.
        kind: “csv” is UTF-8 with a byte order mark, where an apostrophe keeps spreadsheets from
            running a text as a formula; “jsonl” has one object per line; “parquet” keeps types.

    Raises:
        InputError: Another kind, no parts, or parts with different columns.
        OSError: The file cannot be written.
    """
    if kind not in _WRITERS:
        raise InputError(f"The export format is “{kind}”; expected csv, jsonl or parquet.")
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as draft:
        _WRITERS[kind](_parts([rows] if isinstance(rows, pd.DataFrame) else rows), draft)


def _parts(frames: Iterable[pd.DataFrame]) -> Iterator[pa.Table]:
    """Yield the rows in parts of bounded length, at least one."""
    columns = None
    for frame in frames:
        if columns is not None and list(frame.columns) != columns:
            raise InputError(
                f"A part has the columns {', '.join(map(str, frame.columns))}; expected those of "
                f"the first, {', '.join(map(str, columns))}."
            )
        columns = list(frame.columns)
        for start in range(0, max(len(frame), 1), _AT_ONCE):
            part = frame.iloc[start : start + _AT_ONCE]
            # Columns of empty cells have no type yet: another part may tell it.
            untyped = {
                str(name): pa.nulls(len(part))
                for name, cells in part.items()
                if cells.dtype == object and cells.isna().all()
            }
            yield pa.table(arrow_columns(part) | untyped)
    if columns is None:
        raise InputError("There are no parts to export; expected at least one, with columns.")


def _write_csv(parts: Iterator[pa.Table], draft: Path) -> None:
    first = next(parts)
    with draft.open("w", encoding="utf-8-sig", newline="") as file:
        file.write(csv_text([first.column_names]))
        for part in chain([first], parts):
            columns = (column.to_pylist() for column in part.columns)
            file.write(csv_text(zip(*columns, strict=True)))


def _write_jsonl(parts: Iterator[pa.Table], draft: Path) -> None:
    with draft.open("w", encoding="utf-8", newline="\n") as file:
        for part in parts:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in part.to_pylist())


def _write_parquet(parts: Iterator[pa.Table], draft: Path) -> None:
    try:
        table = pa.concat_tables(list(parts), promote_options="permissive")
    except pa.ArrowException as error:
        raise InputError(
            f"A column holds different kinds in two parts ({shorten(str(error))}); expected texts, "
            "numbers, or yes and no alone."
        ) from None
    for place, field in enumerate(table.schema):
        if pa.types.is_null(field.type):  # which other programs may not read
            empty = table.column(place).cast(pa.large_string())
            table = table.set_column(place, field.name, empty)
    parquet.write_table(table, draft, compression="zstd")


_WRITERS = {"csv": _write_csv, "jsonl": _write_jsonl, "parquet": _write_parquet}
