"""Print the rows of a Parquet or Excel file as lines of JSON: a program that `packed_rows` runs.

    python -P binary_rows.py FILE BYTES SECONDS WAIT CELL COLUMN...

A few kilobytes of either can unpack to gigabytes, what the file says of its own sizes may be a lie,
and the decoders are C and C++. So it runs in a process of its own, which may take BYTES of address
space, SECONDS of processor time and WAIT seconds in all; a text may have CELL characters.

Of an Excel file each line is [number of the row, its cells]. Of a Parquet file the first line is
{"columns": [[name, type, whether it is text, a number or a truth value]], "rows": n, "labels": [the
name of 0, of 1, …]}; if columns are named, a list of cells follows for each row. {"error": why}
ends it all.
"""

from __future__ import annotations

import json
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

_BATCH = 512
_METADATA = 16 * 1024**2


def _say(value: Any) -> None:
    sys.stdout.write(json.dumps(value) + "\n")


def _check_cells(row: Sequence[Any], most: int) -> None:
    longest = max(len(cell) for cell in ("", *row) if isinstance(cell, str))
    if longest > most:
        raise ValueError(f"a cell has {longest:,} characters; at most {most:,} are read")


def _is_plain(kind: pa.DataType) -> bool:
    from pyarrow import types

    if types.is_dictionary(kind):
        kind = kind.value_type
    is_text = types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
    is_number = types.is_integer(kind) or types.is_floating(kind)
    return is_text or is_number or types.is_boolean(kind) or types.is_null(kind)


def _label_names(metadata: dict[bytes, bytes]) -> list[str]:
    """Return the names of the labels that `datasets` writes into a file."""
    try:
        described = json.loads(metadata[b"huggingface"])
        return [str(name) for name in described["info"]["features"]["label"]["names"]]
    except (ValueError, KeyError, TypeError):
        return []


def _print_rows(path: str, most: int, columns: list[str]) -> None:
    from pyarrow.parquet import ParquetFile

    with ParquetFile(
        path, thrift_string_size_limit=_METADATA, thrift_container_size_limit=_METADATA // 16
    ) as file:
        kinds = [[one.name, str(one.type), _is_plain(one.type)] for one in file.schema_arrow]
        labels = _label_names(file.schema_arrow.metadata or {})
        _say({"columns": kinds, "rows": file.metadata.num_rows, "labels": labels})
        if not columns:
            return
        for batch in file.iter_batches(_BATCH, columns=columns, use_threads=False):
            for row in zip(*(batch.column(name).to_pylist() for name in columns), strict=True):
                _check_cells(row, most)
                _say(row)


def _print_sheet(path: str, most: int) -> None:
    """Print [number, cells] of the rows of the first sheet, empty ones and empty ends left out."""
    from openpyxl import load_workbook

    sheet = load_workbook(path, read_only=True, data_only=True).worksheets[0]
    sheet.reset_dimensions()  # what the file says of them may be wrong
    plain = (str, int, float, type(None))
    for number, values in enumerate(sheet.iter_rows(values_only=True), start=1):
        if last := max((n for n, value in enumerate(values, 1) if value is not None), default=0):
            cells = [cell if isinstance(cell, plain) else str(cell) for cell in values[:last]]
            _check_cells(cells, most)
            _say([number, cells])


def main(path: str, memory: str, seconds: str, wait: str, most: str, *columns: str) -> None:
    """Set the limits, then print."""
    with suppress(ImportError):  # Windows has no such limits
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5))
        signal.setitimer(signal.ITIMER_REAL, float(wait))
    try:
        if path.lower().endswith(".xlsx"):
            _print_sheet(path, int(most))
        else:
            _print_rows(path, int(most), list(columns))
    except MemoryError:
        _say({"error": f"it takes more than {int(memory) // 1024**2:,} MiB of memory"})
    except Exception as error:  # openpyxl raises whatever its XML gives it
        _say({"error": " ".join(str(error).split())})


if __name__ == "__main__":
    main(*sys.argv[1:])
