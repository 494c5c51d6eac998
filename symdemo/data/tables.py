"""Tables in files: the column names and the records of a CSV, TSV, JSONL or Parquet file."""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TextIO

from symdemo.data.columns import LABEL_OF_WORD, guess_mapping, names_sentences
from symdemo.data.opening import (
    MAX_LINE,
    TEXT_FILES,
    Accepted,
    CsvRow,
    csv_rows,
    opened,
)
from symdemo.data.parquet import PARQUET, Record, parquet_length, parquet_names, parquet_records
from symdemo.errors import InputError
from symdemo.text import MIB, shorten, tidy_text

MAX_COLUMNS = 100
MAX_NAME = 100
"""Characters in the name of a column."""

_FIRST_LINES = 100
"""Lines of a JSONL file that are looked at for the names of its fields."""


def seems_headed(path: Path, accepted: Accepted = TEXT_FILES) -> bool:
    """Whether the first line of a table probably names its columns; JSONL and Parquet always do.

    It does where it names what a row needs. It does not where it holds a label such as yes, a
    number, a whole sentence, the same text twice, or what stands below it in its column again.
    """
    if names_its_fields(path):
        accepted.check(path)
        return True
    with opened(path, accepted) as file:
        names, rows = _header(file, path)
        mapping = guess_mapping(names)
        if names_sentences(mapping) and "label" in mapping:
            return True
        below = [cells for _, cells in islice(rows, _FIRST_LINES) if isinstance(cells, list)]
    given = [name for name in names if name]
    return not (
        len(set(given)) < len(given)
        or any(_is_data(name) for name in given)
        or any(
            name and place < len(cells) and " ".join(cells[place].split()) == name
            for cells in below
            for place, name in enumerate(names)
        )
    )


def _is_data(text: str) -> bool:
    """Whether a text is a label, a number or a sentence, and so no name of a column."""
    is_number = text.replace(".", "").replace(",", "").lstrip("-").isdigit()
    is_sentence = text[-1] in ".!?" and " " in text
    return text.casefold() in LABEL_OF_WORD or is_number or is_sentence or len(text) > MAX_NAME


def names_its_fields(path: Path) -> bool:
    """Whether a file of this ending has names of columns, whatever its first line is."""
    return _is_jsonl(path) or _is_parquet(path)


def column_names(path: Path, headed: bool = True, accepted: Accepted = TEXT_FILES) -> list[str]:
    """The names of the columns in order; see `symdemo.teaching.rows.reading.columns_of`.

    Raises:
        InputError: a file that cannot be read, or names that cannot tell its columns apart.
    """
    if _is_parquet(path):
        accepted.check(path)
        return _checked_names(parquet_names(path), path)
    with opened(path, accepted) as file:
        if _is_jsonl(path):
            return _checked_names(_field_names(file, path), path)
        names, _ = _header(file, path)
        return _checked_names(names, path) if headed else _numbered(names, path)


def _checked_names(names: Sequence[str], path: Path) -> list[str]:
    names = [name for name in names if name]
    if not names:
        raise InputError(f"{path.name} is empty; a table with the names of its columns is meant.")
    if len(names) > MAX_COLUMNS:
        raise InputError(f"{path.name} has {len(names):,} columns; at most {MAX_COLUMNS} are read.")
    if repeated := next((name for name in names if names.count(name) > 1), None):
        raise InputError(
            f"{path.name} has two columns “{shorten(repeated, 30)}”; each needs its own name."
        )
    longest = max(names, key=len)
    if len(longest) > MAX_NAME:
        raise InputError(
            f"{path.name} has the column “{shorten(longest, 30)}” of {len(longest):,} characters; "
            f"a name of at most {MAX_NAME} is expected in its first line."
        )
    for name in names:
        tidy_text(f"name of a column of {path.name}", name, MAX_NAME)
    return names


def _numbered(cells: Sequence[str], path: Path) -> list[str]:
    """Names for the columns of a table that has none."""
    if not cells:
        raise InputError(f"{path.name} is empty; a few rows are expected.")
    if len(cells) > MAX_COLUMNS:
        raise InputError(f"{path.name} has {len(cells):,} columns; at most {MAX_COLUMNS} are read.")
    return [f"Column {number}" for number in range(1, len(cells) + 1)]


def file_records(
    path: Path,
    headed: bool = True,
    accepted: Accepted = TEXT_FILES,
    columns: Sequence[str] | None = None,
) -> Iterator[Record]:
    """Yield (line number, the line in short, value by column) for every line that is not empty.

    A line that cannot be read comes with the `InputError` that says why in place of its values.

    Args:
        path: of the file.
        headed: whether the first line of a CSV or TSV file names the columns.
        accepted: which files are read.
        columns: those that are asked for, which spares a Parquet file the others; None for all.

    Raises:
        InputError: a file that cannot be read, which may show in its midst.
    """
    if _is_parquet(path):
        accepted.check(path)
        yield from parquet_records(path, columns)
        return
    with opened(path, accepted) as file:
        if _is_jsonl(path):
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, shorten(line.strip(), 200), json_object(line)
            return
        names, rows = _header(file, path)
        if not headed:
            names = _numbered(names, path)
            rows = _rows(file, path)
        for number, cells in rows:
            if isinstance(cells, InputError):
                yield number, "", cells
            elif any(cell.strip() for cell in cells):
                yield number, _in_short(cells), _by_name(names, cells)


def count_rows(path: Path, headed: bool = True, accepted: Accepted = TEXT_FILES) -> int:
    """How many rows `file_records` would give, told quickly: a row that is broken counts as well.

    Raises:
        InputError: a file that cannot be read.
    """
    accepted.check(path)
    if _is_parquet(path):
        return parquet_length(path)
    quotes, returns = _in_bytes(path)
    with opened(path, accepted) as file:
        nothing = b" \t\r\n" + (b"" if _is_jsonl(path) else _separator(file, path).encode())
    if not returns and (_is_jsonl(path) or not quotes):  # then bytes tell the rows
        with path.open("rb") as lines:
            if lines.read(len(BOM_UTF8)) != BOM_UTF8:
                lines.seek(0)
            n = sum(1 for line in lines if line.strip(nothing))
    else:
        with opened(path, accepted) as file:
            rows = enumerate(file) if _is_jsonl(path) else _rows(file, path)
            n = sum(1 for _, row in rows if isinstance(row, InputError) or "".join(row).strip())
    return max(0, n - (headed and not _is_jsonl(path)))


def _in_bytes(path: Path) -> tuple[bool, bool]:
    """Whether there are quotation marks in a file, and carriage returns without a line feed."""
    quotes, returns, with_feeds, last = False, 0, 0, b""
    with path.open("rb") as file:
        while block := file.read(MIB):
            quotes = quotes or b'"' in block
            returns += block.count(b"\r")
            with_feeds += block.count(b"\r\n") + (last == b"\r" and block[:1] == b"\n")
            last = block[-1:]
    return quotes, returns > with_feeds


def _in_short(cells: Sequence[str]) -> str:
    return shorten(",".join(cell[:200] for cell in cells[:MAX_COLUMNS]), 200)


def _is_parquet(path: Path) -> bool:
    return path.suffix.lower() == PARQUET


def _is_jsonl(path: Path) -> bool:
    return path.suffix.lower() == ".jsonl"


def _rows(file: TextIO, path: Path) -> Iterator[CsvRow]:
    """The rows of a CSV or TSV file from its start, by the separator of its first line."""
    file.seek(0)
    separator = _separator(file, path)
    file.seek(0)
    return csv_rows(file, separator, path.name)


def _separator(file: TextIO, path: Path) -> str:
    return find_separator(next((line for line in file if line.strip()), ""), path.name)


def _header(file: TextIO, path: Path) -> tuple[list[str], Iterator[CsvRow]]:
    """The column names, and the rows after them."""
    rows = _rows(file, path)
    for number, cells in rows:
        if isinstance(cells, InputError):
            raise InputError(f"{path.name}, line {number}: {cells}")
        if any(cell.strip() for cell in cells):
            return [" ".join(cell.split()) for cell in cells], rows
    return [], rows


def find_separator(header: str, name: str) -> str:
    """What stands between the cells of a table: of these the most frequent in its first line."""
    separators = "\t" if name.lower().endswith(".tsv") else ",;\t|"  # ; where , marks decimals
    return max(separators, key=header.count)


def _by_name(names: Sequence[str], cells: Sequence[str]) -> dict[str, object] | InputError:
    if any(cell.strip() for cell in cells[len(names) :]):
        return InputError(f"There are {len(cells)} columns, but the header has {len(names)}.")
    return {name: cell for name, cell in zip(names, cells, strict=False) if name}


def _field_names(file: TextIO, path: Path) -> list[str]:
    """The names of the fields in the first lines; `InputError` where none of them is an object."""
    found: dict[str, None] = {}
    wrong: InputError | None = None
    for number, line in islice(enumerate(file, start=1), _FIRST_LINES):
        if not line.strip():
            continue
        if isinstance(values := json_object(line), dict):
            found.update(dict.fromkeys(values))
        else:
            wrong = wrong or InputError(f"{path.name}, line {number}: {values}")
    if wrong and not found:
        raise wrong
    return list(found)


def json_object(line: str) -> dict[str, object] | InputError:
    """The object of a line of JSONL, or why there is none."""
    if len(line) > MAX_LINE:
        return InputError(f"This has {len(line):,} characters; at most {MAX_LINE:,} are read.")
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        return InputError("This is not a JSON object; one object of cells a line is expected.")
    if not isinstance(values, dict):
        return InputError(
            f"This is a JSON {type(values).__name__}; one object of cells a line is expected."
        )
    return values
