"""Tables in Parquet files, which may come from a stranger: read column by column, within bounds.

A Parquet file of a few kilobytes can unfold to gigabytes: by compression, and by a long text that
its dictionary holds once and its rows name a million times. So its own account of its size is
looked at before anything is read, and texts stay in their dictionaries until they are known to be
short.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from symdemo.errors import InputError
from symdemo.text import MIB, readable_size, shorten

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

PARQUET = ".parquet"
MAX_UNPACKED = 512 * MIB
"""Bytes of the columns that are read, once unpacked."""
MAX_TEXT_BYTES = 100_000
"""Of one cell; what is longer is refused with its row."""
_BATCH = 4_096
_METADATA = 16 * MIB

Record = tuple[int, str, "dict[str, object] | InputError"]
"""A line of a table: its number from 1, how it begins, and its values by column or why not."""


def parquet_names(path: Path) -> list[str]:
    """The names of the columns; `InputError` where this is no Parquet file."""
    with _opened(path) as file:
        return list(file.schema_arrow.names)


def parquet_length(path: Path) -> int:
    """Its own account of how many rows it has; `InputError` where this is no Parquet file."""
    with _opened(path) as file:
        return file.metadata.num_rows


def parquet_records(path: Path, columns: Sequence[str] | None = None) -> Iterator[Record]:
    """Yield (row number from 1, the row in short, value by column); None in an empty cell.

    Args:
        path: of the file.
        columns: those to read, all of them plain text, numbers or yes and no; None for those that
            are.

    Raises:
        InputError: damaged, unpacking to too much, or a column of another type.
    """
    with _opened(path) as file:
        schema = file.schema_arrow
        if columns is None:
            columns = [field.name for field in schema if _is_plain(field.type)]
    for name in columns:
        if name in schema.names and not _is_plain(kind := schema.field(name).type):
            raise InputError(
                f"The column “{shorten(name, 30)}” of {path.name} holds {shorten(str(kind), 60)}; "
                "text is expected."
            )
    with _opened(path, columns) as file:
        _check_size(file, columns, path.name)
        number = 0
        for batch in file.iter_batches(_BATCH, columns=list(columns), use_threads=False):
            values = {name: _values(batch.column(name)) for name in batch.schema.names}
            for place in range(batch.num_rows):
                number += 1
                yield _record(number, {name: own[place] for name, own in values.items()})


@contextmanager
def _opened(path: Path, columns: Sequence[str] = ()) -> Iterator[ParquetFile]:
    """The open file, with the texts of `columns` left in their dictionaries."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(
            path,
            read_dictionary=list(columns) or None,
            thrift_string_size_limit=_METADATA,
            thrift_container_size_limit=_METADATA // 16,
        ) as file:
            yield file
    except (pa.ArrowException, OSError, MemoryError, UnicodeDecodeError) as error:
        why = shorten(" ".join(str(error).split()), 80)
        raise InputError(f"{path.name} is not a readable Parquet file: {why}") from None


def _is_plain(kind: pa.DataType) -> bool:
    from pyarrow import types

    if types.is_dictionary(kind):
        kind = kind.value_type
    return (
        types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_string_view(kind)
        or types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_boolean(kind)
        or types.is_null(kind)
    )


def _check_size(file: ParquetFile, columns: Sequence[str], name: str) -> None:
    metadata = file.metadata
    size = 0
    for group in range(metadata.num_row_groups):
        row_group = metadata.row_group(group)
        for place in range(row_group.num_columns):
            column = row_group.column(place)
            if column.path_in_schema in columns:
                size += max(0, column.total_uncompressed_size)
    if size > MAX_UNPACKED:
        raise InputError(
            f"The columns of {name} that are asked for unpack to {readable_size(size)}; at most "
            f"{readable_size(MAX_UNPACKED)} are read."
        )


def _values(column: pa.Array) -> list[object]:
    """The cells of a column as Python's; an `InputError` in the place of a text far too long."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        used = column.indices.unique().drop_null()  # a batch needs little of a long dictionary
        known = dict(zip(used.to_pylist(), _values(column.dictionary.take(used)), strict=True))
        return [known.get(place) for place in column.indices.to_pylist()]
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return [_utf8(value) for value in column.to_pylist()]
    lengths = pc.binary_length(column).to_pylist()
    return [
        _utf8(column[place])
        if length is None or length <= MAX_TEXT_BYTES
        else InputError(
            f"There is a cell of {length:,} bytes; at most {MAX_TEXT_BYTES:,} are read."
        )
        for place, length in enumerate(lengths)
    ]


def _utf8(value: object) -> object:
    """A value of Arrow as Python's; its texts are bytes that somebody called UTF-8."""
    try:
        return value.as_py() if hasattr(value, "as_py") else value
    except UnicodeDecodeError:
        return InputError("There is a cell that is not UTF-8 text; text is expected.")


def _record(number: int, values: dict[str, object]) -> Record:
    wrong = next((value for value in values.values() if isinstance(value, InputError)), None)
    short = ",".join("" if v is None or v is wrong else str(v)[:200] for v in values.values())
    return number, shorten(short, 200), wrong or values
