"""Export rows as CSV, JSONL or Parquet."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from symdemo.analysis.pair_table import arrow_columns
from symdemo.data.text_rows import csv_text
from symdemo.errors import InputError
from symdemo.files.storage import replacing

ExportKind = Literal["csv", "jsonl", "parquet"]
_AT_ONCE = 5_000  # rows converted to text at a time


def export_rows(rows: pd.DataFrame, path: str | Path, kind: ExportKind) -> None:
    """Write rows without their index, completely or not at all; a missing folder is made.

    “csv” is UTF-8 with a byte order mark; an apostrophe stands before a text that a spreadsheet
    would run as a formula. “jsonl” has one object per line. `InputError` for other kinds, a mixed
    column, or two columns of one name.
    """
    if kind not in ("csv", "jsonl", "parquet"):
        raise InputError(f"The export format is “{kind}”; expected csv, jsonl or parquet.")
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pa.table(arrow_columns(rows))
    with replacing(path) as draft:
        if kind == "parquet":
            parquet.write_table(table, draft, compression="zstd")
            return
        encoding = "utf-8-sig" if kind == "csv" else "utf-8"
        with draft.open("w", encoding=encoding, newline="") as file:
            if kind == "csv":
                file.write(csv_text([table.column_names]))
            for part in table.to_batches(_AT_ONCE):
                some = part.to_pylist()
                if kind == "csv":
                    file.write(csv_text(row.values() for row in some))
                else:
                    file.writelines(f"{json.dumps(row, ensure_ascii=False)}\n" for row in some)
