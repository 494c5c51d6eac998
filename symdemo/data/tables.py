"""Read and write tables: CSV, TSV, TXT, JSON, JSONL, XLSX and Parquet files, row by row, as text.

    table = TableFile("rows.csv")             # or headed=True if the first line names the columns
    mapping = table.guess()                   # field → column; see symdemo.data.columns
    meanings = table.label_meanings(mapping["label"])
    for row in table.rows(mapping.values()):
        if row.error:                         # collect it, or raise it
            ...
        row.number, row.cells["premise"], read_label(row.cells["label"], meanings)

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
import re
import subprocess
import sys
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, TextIO, TypeGuard, TypeVar, cast

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
from symdemo.errors import InputError
from symdemo.jobs.deadline import check_time, seconds_left
from symdemo.text import MIB, one_line, readable_size, shorten, tidy_text

PARQUET = ".parquet"
Line = TypeVar("Line")
ENDINGS = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".xlsx", PARQUET)
MAX_FILE_BYTES = 32 * MIB
MAX_LINE = 1_000_000
"""Characters of a line."""
MAX_COLUMNS = 100
MAX_LINES = 2_000_000
"""Lines of a file of bounded size, empty ones too."""
MAX_CELL = 100_000
"""Characters of one text in a Parquet or Excel file."""
BINARY_MEMORY = 1024 * MIB
BINARY_SECONDS = 20
"""Address space, and seconds of a processor, for reading a Parquet or Excel file."""

_SIGNATURES = (
    (b"PK\x03\x04", "a spreadsheet or another zip archive"),
    (b"\xd0\xcf\x11\xe0", "an old spreadsheet or another Office file"),
    (b"PAR1", "a Parquet file"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"%PDF", "a PDF"),
)
"""First bytes of files that often come under a wrong ending."""

_FIRST_ROWS = 100
"""Rows that are looked at for a header, or for the names of JSON fields."""
_MAX_MULTILINE_CELL = 2_000
"""Characters of a cell over several lines; a longer one comes from an unclosed quotation mark."""
_BINARY_ROWS = str(Path(__file__).with_name("binary_rows.py"))
_TIME_IS_UP = -24
"""Status of a process that SIGXCPU has ended."""
_FORMULA_SIGNS = tuple("=+-@\uff1d\uff0b\uff0d\uff20\t\r")  # full-width ones are computed, too


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
    """A CSV, TSV, TXT, JSON, JSONL, XLSX or Parquet file with its columns.

    Text is UTF-8, Windows-1252, or UTF-16 with its mark. A .txt file is a table if tabs or a header
    say so, else a sentence a line. Of two columns with the same name the second gets a number.

    Args:
        source: the path of the file; or an open stream of text, which is read once and of which
            only the first line is needed to begin.
        headed: whether the first line names the columns; None to guess. Without a header the
            columns are “Column 1”, “Column 2”, …
        max_bytes: the largest size in bytes of the file; None for any number.

    Attributes:
        name: the name of the file, fit for a message.
        headed: True if the file names its columns.
        columns: their names, in order.
        label_names: number → label of the column “label”, as `datasets` writes it into Parquet.

    Raises:
        InputError: no such file, another kind, too large, no text, or no usable column names.
    """

    def __init__(
        self,
        source: str | Path | TextIO,
        headed: bool | None = None,
        max_bytes: int | None = MAX_FILE_BYTES,
    ):
        self._stream: Iterable[str] | None = None
        self._n_looked_at = _FIRST_ROWS
        if isinstance(source, str | Path):
            self.path = Path(source)
            self.name = one_line(self.path.name)
            self._kind = self.path.suffix.lower()
            self._check_file(max_bytes)
        else:
            self._begin_stream(source)
        self.headed = True
        self.label_names: dict[str, str] = {}
        self._below: list[list[str]] = []
        self._most_lines = math.inf if max_bytes is None else MAX_LINES
        if self._kind == PARQUET:
            (head,) = self._binary_lines()
            self._kinds, self._n_parquet_rows = head["columns"], head["rows"]
            numbered = {str(n): label_of_word(name) for n, name in enumerate(head["labels"])}
            self.label_names = {n: name for n, name in numbered.items() if n != name}
            names = [name for name, _, _ in self._kinds]
        elif self._kind in (".json", ".jsonl"):
            names = self._field_names()
        else:
            names, self._below = self._header()
            guessed = seems_headed(names, self._below)
            self.headed = guessed if headed is None and self._separator else bool(headed)
            if not self._separator:
                self.headed = bool(guess_mapping(names)) if headed is None else headed
            if not self.headed:
                self._below.insert(0, names)
                names = [f"Column {number}" for number in range(1, len(names) + 1)]
            self._names = names = _distinct(names)  # unnamed columns included
        self.columns = self._checked_names([name for name in names if name])
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
        elif self._kind in (".json", ".jsonl"):
            for number, text, values in self._objects():
                if isinstance(values, InputError):
                    yield TableRow(number, text, error=values)
                else:
                    yield self._row(number, text, values, wanted)
        else:
            for number, cells in islice(self._cell_rows(), 1 if self.headed else 0, None):
                yield self._csv_row(number, cells, wanted)

    def count(self) -> int:
        """Return the number of rows, broken ones included."""
        if self._kind == PARQUET:
            return self._n_parquet_rows
        if self._kind in (".json", ".jsonl"):
            return sum(1 for _ in self._objects())
        return max(0, sum(1 for _ in self._cell_rows()) - self.headed)

    def _begin_stream(self, stream: Iterable[str]) -> None:
        """Look at the first line of a stream that is not empty."""
        lines = iter(stream)
        ahead = []
        for line in lines:
            ahead.append(line)
            if line.strip():
                break
        self._stream, self._ahead, self._n_looked_at = lines, ahead, 1
        self.path, self.name = Path("-"), "standard input"
        self._kind = ".jsonl" if ahead and ahead[-1].lstrip().startswith("{") else ".txt"

    def _check_file(self, max_bytes: int | None) -> None:
        if not self.path.is_file():
            raise InputError(
                f"There is no file {self.name}; a file of {_listed(ENDINGS)} is expected."
            )
        if self._kind not in ENDINGS:
            raise InputError(
                f"{self.name} ends in “{self.path.suffix}”; {_listed(ENDINGS)} is expected."
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
        if self._kind == ".xlsx":
            if not head.startswith(b"PK"):
                raise InputError(f"{self.name} is no Excel file but {seen or 'something else'}.")
            return
        self._encoding = "utf-16" if head[:2] in (b"\xff\xfe", b"\xfe\xff") else None
        if seen is None and not self._encoding and head.count(0) * 4 > len(head):
            seen = "text in UTF-16 without its mark, or no text at all"
        if seen:
            raise InputError(
                f"{self.name} is not text but {seen}; save the table as “CSV UTF-8” and try again."
            )
        self._encoding = self._encoding or _encoding(self.path)

    def _checked_names(self, names: list[str]) -> list[str]:
        if not names:
            raise InputError(f"{self.name} is empty; a table with named columns is expected.")
        if len(names) > MAX_COLUMNS:
            raise InputError(
                f"{self.name} has {len(names):,} columns; at most {MAX_COLUMNS} are read."
            )
        for name in names:
            tidy_text(f"name of a column of {self.name}", name, MAX_NAME)
        return names

    @contextmanager
    def _open_text(self) -> Iterator[Iterable[str]]:
        """Open the file as its lines."""
        if self._stream is not None:
            yield chain(self._ahead, self._stream)
            return
        try:  # bytes that are no text spoil only their row
            with self.path.open(
                encoding=self._encoding, errors="surrogateescape", newline=""
            ) as file:
                yield _timed(file, self._most_lines)
        except UnicodeError:
            raise InputError(
                f"{self.name} is not readable as {self._encoding}; save it as “CSV UTF-8” and try "
                "again."
            ) from None

    def _header(self) -> tuple[list[str], list[list[str]]]:
        """Find the separator; return the cells of the first row, and of the rows below it."""
        self._separator = "\t"
        if self._kind != ".xlsx":
            with self._open_text() as file:
                first = next((line for line in file if line.strip()), "")
            self._separator = find_separator(first, self._kind)
        rows = self._cell_rows()
        number, cells = next(rows, (1, []))
        if isinstance(cells, InputError):
            raise InputError(f"{self.name}, line {number}: {cells}")
        n = 0 if self._stream is not None else _FIRST_ROWS
        below = [r[:MAX_COLUMNS] for _, r in islice(rows, n) if isinstance(r, list)]
        return [" ".join(cell.split()) for cell in cells], below

    def _cell_rows(self) -> Iterator[tuple[int, list[str] | InputError]]:
        """Yield (line, its cells or what is wrong) for all rows that are not empty."""
        if self._kind == ".xlsx":
            yield from self._sheet_rows()
            return
        with self._open_text() as file:
            if self._separator:
                yield from csv_rows(file, self._separator, self.name)
                return
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, [line.strip()]

    def _sheet_rows(self) -> Iterator[tuple[int, list[str] | InputError]]:
        """Yield the rows of the first sheet."""
        with closing(self._binary_lines()) as lines:
            for number, values in lines:
                cells = [cell_text(value) or "" for value in values]
                if any(cell.strip() for cell in cells):
                    yield number, cells

    def _objects(self) -> Iterator[tuple[int, str, dict[str, object] | InputError]]:
        """Yield (line or number, its beginning, the object or what is wrong)."""
        with self._open_text() as file:
            if self._kind == ".json":
                whole = "".join(file)
                if (openers := whole.count("{") + whole.count("[")) > self._most_lines:
                    raise InputError(
                        f"{self.name} has {openers:,} lists and objects; at most {MAX_LINES:,} are "
                        "read."
                    )
                try:
                    items: Iterable[object] = _records(json.loads(whole))
                except RecursionError:
                    raise InputError(f"{self.name} is nested too deeply.") from None
                except ValueError:
                    lines: Iterable[str] = io.StringIO(whole)  # an object a line after all
                else:
                    for number, item in enumerate(_timed(items, self._most_lines), start=1):
                        text = shorten(json.dumps(item, ensure_ascii=False)[:201], 200)
                        yield number, text, _flat(item)
                    return
            else:
                lines = file
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield number, shorten(line.strip()[:201], 200), json_object(line)

    def _field_names(self) -> list[str]:
        """Return the fields of the first JSON objects; raise if none holds one."""
        found: dict[str, None] = {}
        error: InputError | None = None
        for number, _, values in islice(self._objects(), self._n_looked_at):
            if isinstance(values, InputError):
                error = error or InputError(f"{self.name}, line {number}: {values}")
            else:
                found.update(dict.fromkeys(values))
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
        if self._levy_holt:  # aspirin, cures, headache
            cells = [re.sub(r"\s*,\s*", " ", cell) for cell in cells]
        return self._row(number, text, dict(zip(self._names, cells, strict=False)), wanted)

    def _row(
        self, number: int, text: str, values: Mapping[str, object], wanted: Sequence[str] | None
    ) -> TableRow:
        cells = {name: cell_text(values.get(name)) for name in wanted or self.columns}
        nested = [name for name, cell in cells.items() if cell is None]
        if wanted and nested:
            seen = type(values[nested[0]]).__name__
            error = f"The {shorten(one_line(nested[0]), 30)} is {seen}; text is expected."
            return TableRow(number, text, error=InputError(error))
        for name in wanted or ():
            if _has_bad_bytes(cells[name] or ""):
                error = f"The {shorten(one_line(name), 30)} is not UTF-8 text."
                return TableRow(number, one_line(text), error=InputError(error))
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
        with closing(self._binary_lines(read)) as lines:
            for number, cells in enumerate(islice(lines, 1, self._n_parquet_rows + 1), start=1):
                row = self._row(number, "", dict(zip(read, cells, strict=True)), wanted)
                text = ",".join(cell[:200] for cell in row.cells.values())
                yield replace(row, text=shorten(text, 200))

    def _binary_lines(self, columns: Sequence[str] = ()) -> Generator[Any]:
        """Yield what the program `binary_rows` prints of the file, in bounded memory and time."""
        wait = max(0.1, min(seconds_left(), 3600.0))
        limits = map(str, (BINARY_MEMORY, BINARY_SECONDS, wait, MAX_CELL))
        command = [sys.executable, "-P", _BINARY_ROWS, str(self.path), *limits, *columns]
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
                    slow = f"it takes more than {BINARY_SECONDS} s"
                    ended = f"its reader ended with status {status}"
                    raise self._unreadable(slow if status == _TIME_IS_UP else ended)
            finally:
                child.kill()

    def _unreadable(self, why: str) -> InputError:
        kind = "Parquet" if self._kind == PARQUET else "Excel"
        return InputError(
            f"{self.name} is not a readable {kind} file: {shorten(one_line(why), 80)}"
        )


def _timed(lines: Iterable[Line], most: float = math.inf) -> Iterator[Line]:
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
    Between tabs a quotation mark counts only around a whole cell: data sets have them unbalanced.

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

    if separator == "\t":
        for number, line in enumerate(checked_lines(), start=1):
            if line.strip():
                yield number, [_unquoted(cell) for cell in line.rstrip("\r\n").split("\t")]
        return
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


def find_separator(header: str, kind: str) -> str:
    """Return the separator of a table's cells: the most frequent one in its first line.

    A .txt file has one ("" for none) if there are tabs, or names of fields rather than a sentence.
    """
    if kind == ".tsv" or (kind == ".txt" and "\t" in header):
        return "\t"
    separator = max(",;\t|", key=header.count)  # ; where , marks decimals
    if kind == ".txt":
        cells = [cell.strip().strip('"') for cell in header.strip("\ufeff\r\n").split(separator)]
        named = len(cells) > 1 and all(len(cell.split()) == 1 for cell in cells)
        return separator if named and "premise" in guess_mapping(cells) else ""
    return separator


def json_object(line: str) -> dict[str, object] | InputError:
    """Return the object on a line of JSONL, or what is wrong."""
    if len(line) > MAX_LINE:
        return InputError(f"This has {len(line):,} characters; at most {MAX_LINE:,} are read.")
    try:
        return _flat(json.loads(line.removeprefix("\ufeff")))
    except (ValueError, RecursionError):
        return InputError("This is not a JSON object; one object of cells a line is expected.")


def _flat(values: object) -> dict[str, object] | InputError:
    """Return an object with the fields of its own objects beside them, as “example.premise”."""
    if not isinstance(values, dict):
        return InputError(
            f"This is a JSON {type(values).__name__}; one object of cells a line is expected."
        )
    flat: dict[str, object] = {}
    for name, value in values.items():
        inner = {f"{name}.{key}": cell for key, cell in value.items()} if _is_object(value) else {}
        flat |= inner or {name: value}
    return flat


def _is_object(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict)


def _records(values: object) -> Iterable[object]:
    """Return the rows of a JSON document: a list, lists by name, or columns as pandas has them."""
    if isinstance(values, list):
        return values
    if isinstance(values, dict) and values:
        if all(isinstance(own, dict) for own in values.values()) and len(values) <= MAX_COLUMNS:
            own_keys = dict.fromkeys(key for own in values.values() for key in own)
            return ({name: own.get(key) for name, own in values.items()} for key in own_keys)
        lists = [own for own in values.values() if isinstance(own, list)]
        if any(isinstance(item, dict) for own in lists for item in own):
            return [item for own in lists for item in own]
        if len(lists) == len(values):
            rows = zip(*lists, strict=False)
            return [dict(zip(values, row, strict=True)) for row in rows]
    return [values]


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


def _unquoted(cell: str) -> str:
    inner = cell[1:-1].replace('""', "")
    whole = len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in inner
    return cell[1:-1].replace('""', '"') if whole else cell


def _distinct(names: Sequence[str]) -> list[str]:
    """Return the names, “label” and “label (2)” for two of the same."""
    found: list[str] = []
    taken: set[str] = set()
    last: dict[str, int] = {}  # of each name, the number that was tried last
    for name in names:
        new, n = name, last.get(name, 1)
        while name and new in taken:
            n += 1
            new = f"{name} ({n})"
        last[name] = n
        taken.add(new)
        found.append(new)
    return found


def _has_bad_bytes(text: str) -> bool:
    return not text.isascii() and any("\udc80" <= c <= "\udcff" for c in text)


def _encoding(path: Path) -> str:
    """Return UTF-8, or Windows-1252 if the bytes above 127 make no UTF-8."""
    content = path.read_bytes()
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        kept = content.decode("utf-8", errors="ignore")
        if kept.isascii() or kept.removeprefix("\ufeff").isascii():
            return "cp1252"
    return "utf-8-sig"  # perhaps with a few broken lines


def _listed(names: Sequence[str]) -> str:
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
