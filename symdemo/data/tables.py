"""Read and write tables: CSV, TSV, JSONL and Parquet files, row by row, as text.

    table = TableFile("rows.csv")             # or headed=None to guess if there is a header
    mapping = table.guess()                   # field → column; see symdemo.data.columns
    for row in table.rows(mapping.values()):
        if row.error:                         # collect it, or raise it
            ...
        row.number, row.cells["premise"]

Every cell is text: JSON's true is “true”, 3.0 is “3”, null is “”. A row that cannot be read comes
with its error, and reading goes on; only what spoils the whole file raises. Files may come from
strangers: sizes are bounded, and a file of another kind is refused by its first bytes. For pasted
lines see `symdemo.data.pasted`.

Neither pandas nor pyarrow reads the text files: they cannot say on which line a broken row is.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, TextIO, cast

from symdemo.data.columns import FIELDS, MAX_NAME, guess_mapping, seems_headed
from symdemo.errors import InputError
from symdemo.jobs.deadline import check_time, seconds_left
from symdemo.text import MIB, one_line, readable_size, shorten, tidy_text

PARQUET = ".parquet"
TEXT_ENDINGS = (".csv", ".tsv", ".jsonl")
MAX_FILE_BYTES = 32 * MIB
MAX_LINE = 1_000_000
"""Characters of a line."""
MAX_COLUMNS = 100
MAX_LINES = 2_000_000
"""Lines of a file of bounded size, empty ones too."""
MAX_CELL = 100_000
"""Characters of one text in a Parquet file."""
PARQUET_MEMORY = 1024 * MIB
PARQUET_SECONDS = 20
"""Address space, and seconds of a processor, for reading a Parquet file."""

_KINDS = {".csv": "CSV", ".tsv": "TSV", ".jsonl": "JSONL", PARQUET: "Parquet"}

_SIGNATURES = (
    (b"PK\x03\x04", "a spreadsheet or another zip archive"),
    (b"\xd0\xcf\x11\xe0", "an old spreadsheet or another Office file"),
    (b"PAR1", "a Parquet file"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"%PDF", "a PDF"),
    (b"\xff\xfe", "text in UTF-16"),
    (b"\xfe\xff", "text in UTF-16"),
)
"""First bytes of files that often come under a wrong ending."""

_FIRST_ROWS = 100
"""Rows that are looked at for a header, or for the names of JSON fields."""
_MAX_MULTILINE_CELL = 2_000
"""Characters of a cell over several lines; a longer one comes from an unclosed quotation mark."""
_PARQUET_ROWS = str(Path(__file__).with_name("parquet_rows.py"))
_TIME_IS_UP = -24
"""Status of a process that SIGXCPU has ended."""
_FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table.

    Attributes:
        number: line on which the row begins (in Parquet, its number), from 1.
        text: how the row begins, at most 200 characters; a pasted line is whole.
        cells: column or field → text, "" for an empty or missing cell.
        error: why the row cannot be read; `cells` is then empty.
    """

    number: int
    text: str
    cells: dict[str, str] = field(default_factory=dict)
    error: InputError | None = None


class TableFile:
    """A CSV, TSV, JSONL or Parquet file with its columns.

    Args:
        path: the path of the file.
        headed: whether the first line of a CSV or TSV file names the columns; None to guess.
            Without a header the columns are “Column 1”, “Column 2”, …
        endings: the endings of the files that are accepted.
        max_bytes: the largest size in bytes of the file; None for any number.

    Attributes:
        name: the name of the file, fit for a message.
        headed: True if the file names its columns.
        columns: their names, in order.

    Raises:
        InputError: no such file, another kind, too large, not UTF-8, or no usable column names.
    """

    def __init__(
        self,
        path: str | Path,
        headed: bool | None = True,
        endings: Sequence[str] = TEXT_ENDINGS,
        max_bytes: int | None = MAX_FILE_BYTES,
    ):
        self.path = Path(path)
        self.name = one_line(self.path.name)
        self._kind = self.path.suffix.lower()
        self._check_file(endings, max_bytes)
        self.headed = True
        self._most_lines = math.inf if max_bytes is None else MAX_LINES
        if self._kind == PARQUET:
            (head,) = self._parquet_lines()
            self._kinds, self._n_parquet_rows = head["columns"], head["rows"]
            names = [name for name, _, _ in self._kinds]
        elif self._kind == ".jsonl":
            names = self._field_names()
        else:
            self._separator = self._find_separator()
            with self._open_text() as file:
                names, below = self._header(file)
                self.headed = seems_headed(names, below) if headed is None else headed
            if not self.headed:
                names = [f"Column {number}" for number in range(1, len(names) + 1)]
            self._names = names  # unnamed columns included
        self.columns = self._checked_names([name for name in names if name])

    def guess(self, fields: Sequence[str] = FIELDS) -> dict[str, str]:
        """Return field → column that probably holds it, by name or, without a header, by place."""
        return guess_mapping(self.columns, self.headed, fields)

    def rows(self, columns: Iterable[str] | None = None) -> Iterator[TableRow]:
        """Yield the rows that are not empty.

        Args:
            columns: those to read; a nested value in one of them is an error. None for all, with
                nested values left empty.

        Raises:
            InputError: the file cannot be read, which may show only midway.
        """
        wanted = None if columns is None else list(dict.fromkeys(columns))
        if self._kind == PARQUET:
            yield from self._parquet_rows(wanted)
            return
        with self._open_text() as file:
            if self._kind == ".jsonl":
                for number, line in enumerate(file, start=1):
                    if line.strip():
                        yield self._json_row(number, line, wanted)
                return
            rows = csv_rows(file, self._separator, self.name)
            for number, cells in islice(rows, 1 if self.headed else 0, None):
                yield self._csv_row(number, cells, wanted)

    def count(self) -> int:
        """Return the number of rows, broken ones included."""
        if self._kind == PARQUET:
            return self._n_parquet_rows
        with self._open_text() as file:
            if self._kind == ".jsonl":
                return sum(1 for line in file if line.strip())
            n = sum(1 for _ in csv_rows(file, self._separator, self.name))
            return max(0, n - self.headed)

    def _check_file(self, endings: Sequence[str], max_bytes: int | None) -> None:
        if not self.path.is_file():
            kinds = _listed([_KINDS[ending] for ending in endings])
            raise InputError(f"There is no file {self.name}; a {kinds} file is expected.")
        if self._kind not in endings:
            raise InputError(
                f"{self.name} ends in “{self.path.suffix}”; {_listed(endings)} is expected."
            )
        if max_bytes is not None and (size := self.path.stat().st_size) > max_bytes:
            raise InputError(
                f"{self.name} has {readable_size(size)}; at most {readable_size(max_bytes)} are "
                "read."
            )
        if self._kind == PARQUET:
            return
        with self.path.open("rb") as file:
            head = file.read(1024)
        seen = next((what for sign, what in _SIGNATURES if head.startswith(sign)), None)
        if seen is None and head.count(0) * 4 > len(head):  # in UTF-16 every other byte is 0
            seen = "text in UTF-16, or no text at all"
        if seen:
            raise InputError(
                f"{self.name} is not UTF-8 text but {seen}; save the table as “CSV UTF-8” and try "
                "again."
            )

    def _checked_names(self, names: list[str]) -> list[str]:
        if not names:
            raise InputError(f"{self.name} is empty; a table with named columns is expected.")
        if len(names) > MAX_COLUMNS:
            raise InputError(
                f"{self.name} has {len(names):,} columns; at most {MAX_COLUMNS} are read."
            )
        if repeated := next((name for name in names if names.count(name) > 1), None):
            raise InputError(
                f"{self.name} has two columns “{shorten(repeated, 30)}”; each needs its own name."
            )
        for name in names:
            tidy_text(f"name of a column of {self.name}", name, MAX_NAME)
        return names

    @contextmanager
    def _open_text(self) -> Iterator[Iterator[str]]:
        """Open the file as its lines."""
        try:
            with self.path.open(encoding="utf-8-sig", newline="") as file:
                yield _timed(file, self._most_lines)
        except UnicodeDecodeError:
            raise InputError(
                f"{self.name} is not UTF-8 text; save it as “CSV UTF-8” and try again."
            ) from None

    def _find_separator(self) -> str:
        with self._open_text() as file:
            header = next((line for line in file if line.strip()), "")
        return find_separator(header, self.name)

    def _header(self, file: Iterable[str]) -> tuple[list[str], list[list[str]]]:
        """Return the cells of the first row, and of the rows below it."""
        rows = csv_rows(file, self._separator, self.name)
        number, cells = next(rows, (1, []))
        if isinstance(cells, InputError):
            raise InputError(f"{self.name}, line {number}: {cells}")
        below = [r[:MAX_COLUMNS] for _, r in islice(rows, _FIRST_ROWS) if isinstance(r, list)]
        return [" ".join(cell.split()) for cell in cells], below

    def _field_names(self) -> list[str]:
        """Return the fields of the first JSON objects; raise if no line holds one."""
        found: dict[str, None] = {}
        error: InputError | None = None
        with self._open_text() as file:
            for number, line in islice(enumerate(file, start=1), _FIRST_ROWS):
                if not line.strip():
                    continue
                try:
                    found.update(dict.fromkeys(json_object(line)))
                except InputError as wrong:
                    error = error or InputError(f"{self.name}, line {number}: {wrong}")
        if error and not found:
            raise error
        return list(found)

    def _csv_row(
        self, number: int, cells: list[str] | InputError, wanted: Sequence[str] | None
    ) -> TableRow:
        if isinstance(cells, InputError):
            return TableRow(number, "", error=cells)
        text = shorten(",".join(cell[:200] for cell in cells[:MAX_COLUMNS]), 200)
        if any(cell.strip() for cell in cells[len(self._names) :]):
            error = f"There are {len(cells)} columns, but the header has {len(self._names)}."
            return TableRow(number, text, error=InputError(error))
        return self._row(number, text, dict(zip(self._names, cells, strict=False)), wanted)

    def _json_row(self, number: int, line: str, wanted: Sequence[str] | None) -> TableRow:
        text = shorten(line.strip()[:201], 200)
        try:
            return self._row(number, text, json_object(line), wanted)
        except InputError as error:
            return TableRow(number, text, error=error)

    def _row(
        self, number: int, text: str, values: Mapping[str, object], wanted: Sequence[str] | None
    ) -> TableRow:
        cells = {name: cell_text(values.get(name)) for name in wanted or self.columns}
        nested = [name for name, cell in cells.items() if cell is None]
        if wanted and nested:
            seen = type(values[nested[0]]).__name__
            error = f"The {shorten(one_line(nested[0]), 30)} is {seen}; text is expected."
            return TableRow(number, text, error=InputError(error))
        return TableRow(number, text, {name: cell or "" for name, cell in cells.items()})

    def _parquet_rows(self, wanted: Sequence[str] | None) -> Iterator[TableRow]:
        plain = [name for name, _, plain in self._kinds if plain]
        kinds = {name: kind for name, kind, _ in self._kinds}
        read = [name for name in wanted or plain if name in kinds]
        for name in read:
            if name not in plain:
                raise InputError(
                    f"The column “{shorten(name, 30)}” of {self.name} holds "
                    f"{shorten(kinds[name], 60)}; text is expected."
                )
        if not read:
            raise InputError(f"{self.name} has no such column of texts; one is expected.")
        with closing(self._parquet_lines(read)) as lines:
            for number, cells in enumerate(islice(lines, 1, self._n_parquet_rows + 1), start=1):
                row = self._row(number, "", dict(zip(read, cells, strict=True)), wanted)
                text = ",".join(cell[:200] for cell in row.cells.values())
                yield replace(row, text=shorten(text, 200))

    def _parquet_lines(self, columns: Sequence[str] = ()) -> Iterator[Any]:
        """Yield what the program `parquet_rows` prints of the file, in bounded memory and time."""
        wait = max(0.1, min(seconds_left(), 3600.0))
        limits = map(str, (PARQUET_MEMORY, PARQUET_SECONDS, wait, MAX_CELL))
        command = [sys.executable, "-P", _PARQUET_ROWS, str(self.path), *limits, *columns]
        one_thread = {"MALLOC_ARENA_MAX": "1", "OPENBLAS_NUM_THREADS": "1"}  # each takes addresses
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8",
            env=os.environ | one_thread | {"ARROW_DEFAULT_MEMORY_POOL": "system"},
        ) as child:  # fmt: skip
            try:
                for line in _timed(cast("TextIO", child.stdout)):
                    if not line.endswith("\n"):  # it was ended in the middle of a row
                        break
                    said = json.loads(line)
                    if isinstance(said, dict) and "error" in said:
                        raise self._unreadable(said["error"])
                    yield said
                status = child.wait()
                check_time()
                if status:
                    slow = f"it takes more than {PARQUET_SECONDS} s"
                    ended = f"its reader ended with status {status}"
                    raise self._unreadable(slow if status == _TIME_IS_UP else ended)
            finally:
                child.kill()

    def _unreadable(self, why: str) -> InputError:
        return InputError(f"{self.name} is not a readable Parquet file: {shorten(why, 80)}")


def _timed(lines: Iterable[str], most: float = math.inf) -> Iterator[str]:
    """Yield lines, `most` of them, and none after the deadline of the request."""
    for number, line in enumerate(lines):
        if number % 1_000 == 0:
            check_time()
        if number >= most:
            raise InputError(f"The table has more than {most:,} lines; at most that is read.")
        yield line


def csv_text(lines: Iterable[Iterable[Any]], end: str = "\r\n") -> str:
    """Return lines of cells as CSV, with ' before a text that a spreadsheet would compute."""
    file = io.StringIO()
    csv.writer(file, lineterminator=end).writerows(
        [
            f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA_SIGNS) else cell
            for cell in line
        ]
        for line in lines
    )
    return file.getvalue()


def csv_rows(
    file: Iterable[str], separator: str, name: str
) -> Iterator[tuple[int, list[str] | InputError]]:
    """Yield (line on which the row begins, its cells or what is wrong) for rows not empty.

    A row with an unclosed quotation mark, which takes the lines below into one cell, is an error.

    Raises:
        InputError: a line or a cell that is far too long.
    """
    ended = False

    def checked_lines() -> Iterator[str]:
        nonlocal ended
        for number, line in enumerate(file, start=1):
            if len(line) > MAX_LINE:
                raise InputError(
                    f"{name}, line {number}, has {len(line):,} characters; at most {MAX_LINE:,} "
                    "are read."
                )
            yield line
        ended = True

    reader = csv.reader(checked_lines(), delimiter=separator)
    while True:
        first = reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error:
            raise InputError(
                f"{name} is not a readable CSV file: line {first} has a cell of more than "
                f"{csv.field_size_limit():,} characters; is a quotation mark not closed there?"
            ) from None
        if cells is None:
            return
        more = reader.line_num - first
        # Only inside quotation marks does the reader ask for a line after the last.
        if ended or (more and max(map(len, cells), default=0) > _MAX_MULTILINE_CELL):
            so = f", so that the {more:,} lines after it are one cell" if more else ""
            yield first, InputError(f'A quotation mark " is not closed{so}; close it or remove it.')
        elif any(cell.strip() for cell in cells):
            yield first, cells


def find_separator(header: str, name: str) -> str:
    """Return the separator of a table's cells: the most frequent one in its first line."""
    separators = "\t" if name.lower().endswith(".tsv") else ",;\t|"  # ; where , marks decimals
    return max(separators, key=header.count)


def json_object(line: str) -> dict[str, object]:
    """Return the object on a line of JSONL, or raise `InputError`."""
    if len(line) > MAX_LINE:
        raise InputError(f"This has {len(line):,} characters; at most {MAX_LINE:,} are read.")
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        raise InputError(
            "This is not a JSON object; one object of cells a line is expected."
        ) from None
    if not isinstance(values, dict):
        raise InputError(
            f"This is a JSON {type(values).__name__}; one object of cells a line is expected."
        )
    return values


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


def _listed(names: Sequence[str]) -> str:
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
