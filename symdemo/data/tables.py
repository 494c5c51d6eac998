"""Read tables: CSV, TSV, TXT, JSON, JSONL, XLSX and Parquet files, row by row, as text.

Every cell is text: JSON's true is “true”, 3.0 is “3”, null is “”. A row that cannot be read comes
with its error, and reading goes on; only what spoils the whole file raises. For pasted lines see
`symdemo.data.pasted`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import chain, count, islice
from pathlib import Path
from typing import TextIO

from symdemo.data import text_rows
from symdemo.data.columns import (
    FIELDS,
    LEVY_HOLT,
    MAX_NAME,
    fields_by_place,
    guess_mapping,
    is_levy_holt,
    label_meanings,
    label_of_word,
    seems_headed,
)
from symdemo.data.packed_rows import binary_lines
from symdemo.errors import InputError
from symdemo.text import one_line, shorten, tidy_text

_OBJECTS = (".json", ".jsonl")
_FIRST_ROWS = 100  # rows that are looked at for a header, or for the names of JSON fields


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table."""

    number: int  # line on which the row begins (in Parquet, its number), from 1
    text: str  # how the row begins, at most 200 characters; a pasted line is whole
    cells: dict[str, str] = field(default_factory=dict)
    """Column or field → text, "" for an empty or missing cell."""
    error: InputError | None = None  # why the row cannot be read; `cells` is then empty


class TableFile:
    """A CSV, TSV, TXT, JSON, JSONL, XLSX or Parquet file with its columns.

    Text is UTF-8, Windows-1252, or UTF-16 with its mark. A .txt file is a table if tabs or a header
    say so, else a sentence a line. Of two columns with the same name the second gets a number.
    The attribute `headed` is True if the file names its columns, and `label_names` is number →
    label of the column “label”, as `datasets` writes it into Parquet.

    Args:
        source: the path of the file; or an open stream of text, which is read once and of which
            only the first line is needed to begin.
        headed: whether the first line names the columns; None to guess. Without a header the
            columns are “Column 1”, “Column 2”, …
        max_bytes: the largest size in bytes of the file; None for any number.

    Raises:
        InputError: no such file, another kind, too large, no text, or no usable column names.
    """

    def __init__(
        self,
        source: str | Path | TextIO,
        headed: bool | None = None,
        max_bytes: int | None = text_rows.MAX_FILE_BYTES,
    ):
        self._stream: Iterable[str] | None = None
        self._most_lines = math.inf if max_bytes is None else text_rows.MAX_LINES
        if isinstance(source, str | Path):
            self.path = Path(source)
            self.name = one_line(self.path.name)
            self._kind = self.path.suffix.lower()
            self._encoding = text_rows.check_file(self.path, self.name, max_bytes)
        else:
            self._begin_stream(source)
        self.headed = True
        self.label_names: dict[str, str] = {}
        self._below: list[list[str]] = []
        if self._kind == text_rows.PARQUET:
            (head,) = binary_lines(self.path, self.name)
            self._kinds, self._n_parquet_rows = head["columns"], head["rows"]
            numbered = {str(n): label_of_word(name) for n, name in enumerate(head["labels"])}
            self.label_names = {n: name for n, name in numbered.items() if n != name}
            names = [name for name, _, _ in self._kinds]
        elif self._kind in _OBJECTS:
            names = self._field_names()
        else:
            names, self._below = self._header()
            if headed is None and self._separator:
                headed = seems_headed(names, self._below)
            self.headed = bool(guess_mapping(names)) if headed is None else headed
            if not self.headed:
                self._below.insert(0, names)
                names = [f"Column {number}" for number in range(1, len(names) + 1)]
        n, most = sum(map(bool, names)), text_rows.MAX_COLUMNS
        if not n:
            raise InputError(f"{self.name} is empty; a table with named columns is expected.")
        if n > most:
            raise InputError(f"{self.name} has {n:,} columns; at most {most} are read.")
        self._names = _distinct(names)  # unnamed columns included
        self.columns = [name for name in self._names if name]
        for name in self.columns:
            tidy_text(f"name of a column of {self.name}", name, MAX_NAME)
        self._levy_holt = not self.headed and is_levy_holt(self._below)

    def guess(self, fields: Sequence[str] = FIELDS) -> dict[str, str]:
        """Return field → column that probably holds it, by name or, without a header, by place."""
        if self.headed:
            return guess_mapping(self.columns, fields)
        found = zip(fields_by_place(self._below), self.columns, strict=False)
        return {field: column for field, column in found if field in fields}

    def label_meanings(
        self, column: str | None, named: Mapping[str, str | None] | None = None
    ) -> dict[str, str]:
        """Return what the words in a column of labels mean; see `symdemo.data.columns`."""
        if column not in self.columns:
            return {}
        own = self.label_names if column == "label" else {}
        words = {row.cells.get(column, "") for row in self.rows([column])}
        columns = [LEVY_HOLT] if self._levy_holt else self.columns
        return label_meanings(words, columns, self.name, own | dict(named or {}))

    def rows(self, columns: Iterable[str] | None = None) -> Iterator[TableRow]:
        """Yield the rows that are not empty, with the cells of `columns`, or of all if None.

        A nested value is an error in a named column, and left empty if all are read. `InputError`,
        perhaps only midway, if the file cannot be read.
        """
        wanted = None if columns is None else list(dict.fromkeys(columns))
        if self._kind == text_rows.PARQUET:
            yield from self._parquet_rows(wanted)
        elif self._kind in _OBJECTS:
            for found in self._objects():
                yield self._row(*found, wanted)
        else:
            for number, cells in islice(self._cell_rows(), 1 if self.headed else 0, None):
                yield self._named_row(number, cells, wanted)

    def count(self) -> int:
        """Return the number of rows, broken ones included."""
        if self._kind == text_rows.PARQUET:
            return self._n_parquet_rows
        if self._kind in _OBJECTS:
            return sum(1 for _ in self._objects())
        return max(0, sum(1 for _ in self._cell_rows()) - self.headed)

    def _begin_stream(self, stream: Iterable[str]) -> None:
        self._stream, self._ahead = iter(stream), []
        for line in self._stream:
            self._ahead.append(line)
            if line.strip():
                break
        self.path, self.name = Path("-"), "standard input"
        is_object = self._ahead and self._ahead[-1].lstrip().startswith("{")
        self._kind = ".jsonl" if is_object else ".txt"

    @contextmanager
    def _open_text(self) -> Iterator[Iterable[str]]:
        if self._stream is not None:
            yield chain(self._ahead, self._stream)
            return
        with text_rows.open_lines(self.path, self.name, self._encoding, self._most_lines) as lines:
            yield lines

    def _header(self) -> tuple[list[str], list[list[str]]]:
        """Find the separator; return the cells of the first row, and of the rows below it."""
        self._separator = "\t"
        if self._kind != ".xlsx":
            with self._open_text() as file:
                first = next((line for line in file if line.strip()), "")
            self._separator = text_rows.find_separator(first, self._kind)
        rows = self._cell_rows()
        number, cells = next(rows, (1, []))
        if isinstance(cells, InputError):
            raise InputError(f"{self.name}, line {number}: {cells}")
        n = _FIRST_ROWS if self._stream is None else 0
        below = [r[: text_rows.MAX_COLUMNS] for _, r in islice(rows, n) if isinstance(r, list)]
        return [" ".join(cell.split()) for cell in cells], below

    def _cell_rows(self) -> Iterator[tuple[int, list[str] | InputError]]:
        """Yield (line, its cells or what is wrong) for all rows that are not empty."""
        if self._kind == ".xlsx":
            with closing(binary_lines(self.path, self.name)) as rows:
                for number, values in rows:
                    cells = [cell_text(value) or "" for value in values]
                    if any(cell.strip() for cell in cells):
                        yield number, cells
            return
        with self._open_text() as file:
            if self._separator:
                yield from text_rows.csv_rows(file, self._separator, self.name)
                return
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, [line.strip()]

    def _objects(self) -> Iterator[tuple[int, str, dict[str, object] | InputError]]:
        """Yield (line or number, its beginning, the object or what is wrong)."""
        with self._open_text() as lines:
            is_document = self._kind == ".json"
            yield from text_rows.json_rows(lines, self.name, is_document, self._most_lines)

    def _field_names(self) -> list[str]:
        """Return the fields of the first JSON objects; raise if none holds one."""
        rows = list(islice(self._objects(), _FIRST_ROWS if self._stream is None else 1))
        found = dict.fromkeys(name for *_, row in rows if isinstance(row, dict) for name in row)
        for number, _, row in rows:
            if isinstance(row, InputError) and not found:
                raise InputError(f"{self.name}, line {number}: {row}")
        return list(found)

    def _named_row(
        self, number: int, cells: list[str] | InputError, wanted: Sequence[str] | None
    ) -> TableRow:
        """Return a row made of `cells`, which are in the order of the columns.

        It has an error if the cells could not be read or are more than the columns.
        """
        if isinstance(cells, InputError):
            return TableRow(number, "", error=cells)
        text = shorten(",".join(cell[:200] for cell in cells[: text_rows.MAX_COLUMNS]), 200)
        if any(cell.strip() for cell in cells[len(self._names) :]):
            error = f"There are {len(cells)} columns, but the header has {len(self._names)}."
            return TableRow(number, text, error=InputError(error))
        if self._levy_holt:  # aspirin, cures, headache
            cells = [re.sub(r"\s*,\s*", " ", cell) for cell in cells]
        return self._row(number, text, dict(zip(self._names, cells, strict=False)), wanted)

    def _row(
        self,
        number: int,
        text: str,
        values: Mapping[str, object] | InputError,
        wanted: Sequence[str] | None,
    ) -> TableRow:
        if isinstance(values, InputError):
            return TableRow(number, text, error=values)
        cells = {name: cell_text(values.get(name)) for name in wanted or self.columns}
        for name in wanted or ():
            cell, wrong = cells[name], ""
            if cell is None:
                wrong = f"{type(values[name]).__name__}; text is expected"
            elif not cell.isascii() and any("\udc80" <= c <= "\udcff" for c in cell):
                wrong = "not UTF-8 text"
            if wrong:
                error = InputError(f"The {shorten(one_line(name), 30)} is {wrong}.")
                return TableRow(number, one_line(text), error=error)
        return TableRow(number, text, {name: cell or "" for name, cell in cells.items()})

    def _parquet_rows(self, wanted: Sequence[str] | None) -> Iterator[TableRow]:
        kinds = {name: (kind, is_plain) for name, kind, is_plain in self._kinds}
        plain = [name for name, (_, is_plain) in kinds.items() if is_plain]
        read = [name for name in wanted or plain if name in kinds]
        for name in read:
            if name not in plain:
                raise InputError(
                    f"The column “{shorten(name, 30)}” of {self.name} holds "
                    f"{shorten(kinds[name][0], 60)}; text is expected."
                )
        if not read:
            raise InputError(f"{self.name} has no such column of texts; one is expected.")
        with closing(binary_lines(self.path, self.name, read)) as lines:
            for number, cells in enumerate(islice(lines, 1, self._n_parquet_rows + 1), start=1):
                text = ",".join((cell_text(cell) or "")[:200] for cell in cells)
                values = dict(zip(read, cells, strict=True))
                yield self._row(number, shorten(text, 200), values, wanted)


def cell_text(value: object) -> str | None:
    """Return a value of JSON or Parquet as text, "" if it is null or not finite, None if nested."""
    if isinstance(value, str):
        return value
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, int | float) else None


def _distinct(names: Sequence[str]) -> list[str]:
    """Return the names, “label” and “label (2)” for two of the same."""
    found: list[str] = []
    for name in names:
        numbered = (f"{name} ({n})" for n in count(2))
        found.append(next(new for new in chain([name], numbered) if not new or new not in found))
    return found
