"""Read the lines of text files as cells or objects, and write cells as CSV.

Files may come from strangers: sizes are bounded, and a file of another kind is refused by its first
bytes. Neither pandas nor pyarrow reads them: they cannot say on which line a broken row is.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from symdemo.data.columns import guess_mapping
from symdemo.errors import InputError
from symdemo.jobs.deadline import check_time
from symdemo.text import MIB, readable_size, shorten

PARQUET = ".parquet"
ENDINGS = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".xlsx", PARQUET)
_EXPECTED = f"{', '.join(ENDINGS[:-1])} or {PARQUET}"
MAX_FILE_BYTES = 32 * MIB
MAX_COLUMNS = 100
MAX_LINES = 2_000_000  # where bytes are limited, too; empty lines count

_SIGNATURES = (
    (b"PK\x03\x04", "a spreadsheet or another zip archive"),
    (b"\xd0\xcf\x11\xe0", "an old spreadsheet or another Office file"),
    (b"PAR1", "a Parquet file"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"%PDF", "a PDF"),
)
"""First bytes of files that often come under a wrong ending."""
MAX_LINE = 1_000_000  # characters of a line
_MAX_MULTILINE_CELL = 2_000
"""Characters of a cell over several lines; a longer one comes from an unclosed quotation mark."""
_FORMULA_SIGNS = tuple("=+-@\uff1d\uff0b\uff0d\uff20\t\r")  # full-width ones are computed, too
Item = TypeVar("Item")


def check_file(path: Path, name: str, max_bytes: int | None) -> str:
    """Return the encoding of a file of text, "" for Excel and Parquet; `InputError` for others."""
    kind = path.suffix.lower()
    if not path.is_file():
        raise InputError(f"There is no file {name}; a file of {_EXPECTED} is expected.")
    if kind not in ENDINGS:
        raise InputError(f"{name} ends in “{path.suffix}”; {_EXPECTED} is expected.")
    if max_bytes is not None and (size := path.stat().st_size) > max_bytes:
        raise InputError(
            f"{name} has {readable_size(size)}; at most {readable_size(max_bytes)} are read."
        )
    if kind == PARQUET:
        return ""
    with path.open("rb") as file:
        head = file.read(1024)
    seen = next((what for sign, what in _SIGNATURES if head.startswith(sign)), None)
    if kind == ".xlsx":
        if not head.startswith(b"PK"):
            raise InputError(f"{name} is no Excel file but {seen or 'something else'}.")
        return ""
    encoding = "utf-16" if head[:2] in (b"\xff\xfe", b"\xfe\xff") else None
    if seen is None and not encoding and head.count(0) * 4 > len(head):
        seen = "text in UTF-16 without its mark, or no text at all"
    if seen:
        raise InputError(
            f"{name} is not text but {seen}; save the table as “CSV UTF-8” and try again."
        )
    return encoding or _encoding(path)


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


@contextmanager
def open_lines(path: Path, name: str, encoding: str, most: float) -> Iterator[Iterable[str]]:
    """Open a file as its lines, of which at most `most` are read."""
    try:  # bytes that are no text spoil only their row
        with path.open(encoding=encoding, errors="surrogateescape", newline="") as file:
            yield timed(file, most)
    except UnicodeError:
        raise InputError(
            f"{name} is not readable as {encoding}; save it as “CSV UTF-8” and try again."
        ) from None


def timed(lines: Iterable[Item], most: float = math.inf) -> Iterator[Item]:
    """Yield lines; raise after `most` of them, or after the deadline of the request."""
    for number, line in enumerate(lines):
        if number % 1_000 == 0:
            check_time()
        if number >= most:
            raise InputError(f"The table has more than {most:,} lines; at most that is read.")
        yield line


def find_separator(header: str, kind: str) -> str:
    """Return the separator of the cells; "" for a .txt file that holds a sentence a line."""
    if kind == ".tsv" or (kind == ".txt" and "\t" in header):
        return "\t"
    separator = max(",;\t|", key=header.count)  # ; where , marks decimals
    if kind == ".txt":
        cells = [cell.strip().strip('"') for cell in header.strip("\ufeff\r\n").split(separator)]
        named = len(cells) > 1 and all(len(cell.split()) == 1 for cell in cells)
        return separator if named and "premise" in guess_mapping(cells) else ""
    return separator


def csv_rows(
    file: Iterable[str], separator: str, name: str
) -> Iterator[tuple[int, list[str] | InputError]]:
    """Yield (line on which the row begins, its cells or what is wrong) for rows not empty.

    A row with an unclosed quotation mark, which takes the lines below into one cell, is an error.
    Between tabs a quotation mark counts only around a whole cell: data sets have them unbalanced.
    `InputError` for a line or a cell that is far too long.
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


def _unquoted(cell: str) -> str:
    inner = cell[1:-1].replace('""', "")
    whole = len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in inner
    return cell[1:-1].replace('""', '"') if whole else cell


def json_rows(
    lines: Iterable[str], name: str, document: bool, most: float
) -> Iterator[tuple[int, str, dict[str, object] | InputError]]:
    """Yield (line, its beginning, the object or what is wrong) for JSON with one object a line.

    If `document`, the lines are read as one JSON document, and its objects are numbered from 1.
    """
    if document:
        whole = "".join(lines)
        if (openers := whole.count("{") + whole.count("[")) > most:
            raise InputError(
                f"{name} has {openers:,} lists and objects; at most {most:,} are read."
            )
        try:
            items = _records(json.loads(whole))
        except RecursionError:
            raise InputError(f"{name} is nested too deeply.") from None
        except ValueError:
            lines = io.StringIO(whole)  # an object a line after all
        else:
            for number, item in enumerate(timed(items, most), start=1):
                text = shorten(json.dumps(item, ensure_ascii=False)[:201], 200)
                yield number, text, _flat(item)
            return
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield number, shorten(line.strip()[:201], 200), _object(line)


def _object(line: str) -> dict[str, object] | InputError:
    if len(line) > MAX_LINE:
        return InputError(f"This has {len(line):,} characters; at most {MAX_LINE:,} are read.")
    try:
        return _flat(json.loads(line.removeprefix("\ufeff")))
    except (ValueError, RecursionError):
        return InputError("This is not a JSON object; one object of cells a line is expected.")


def _flat(values: object) -> dict[str, object] | InputError:
    """Return a JSON object, one level flattened (“example.premise”), or an error."""
    if not isinstance(values, dict):
        return InputError(
            f"This is a JSON {type(values).__name__}; one object of cells a line is expected."
        )
    flat: dict[str, object] = {}
    for name, value in values.items():
        inner = value if isinstance(value, dict) else {}
        flat |= {f"{name}.{key}": cell for key, cell in inner.items()} or {name: value}
    return flat


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


def csv_text(lines: Iterable[Iterable[Any]], end: str = "\r\n") -> str:
    """Return lines of cells as CSV, with ' before a text that a spreadsheet would compute."""
    file = io.StringIO()

    def safe(cell: Any) -> Any:
        return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA_SIGNS) else cell

    csv.writer(file, lineterminator=end).writerows(map(safe, line) for line in lines)
    return file.getvalue()
