"""Tables in files: the column names and the records of a CSV, TSV or JSONL file."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from symdemo.data.columns import LABEL_OF_WORD, guess_mapping, names_sentences
from symdemo.errors import InputError
from symdemo.text import readable_size, shorten

if TYPE_CHECKING:
    from _csv import Reader

MAX_FILE_BYTES = 32 * 1024**2
MAX_COLUMNS = 100
MAX_NAME = 100
"""Characters in the name of a column."""

Record = tuple[int, str, "dict[str, object] | InputError"]

_FIRST_LINES = 100
"""Lines of a JSONL file that are looked at for the names of its fields."""


def seems_headed(path: Path) -> bool:
    """Whether the first line of a table probably names its columns; a JSONL file has names anyway.

    It does where it names what a row needs. It does not where it holds a label such as yes, a
    number, a whole sentence, the same text twice, or what stands below it in its column again.
    """
    with _opened(path) as file:
        if _is_jsonl(path):
            return True
        names, reader = _header(file, path)
        mapping = guess_mapping(names)
        if names_sentences(mapping) and "label" in mapping:
            return True
        below = [cells for _, cells in zip(range(_FIRST_LINES), reader, strict=False)]
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


def column_names(path: Path, headed: bool = True) -> list[str]:
    """The names of the columns in order; see `symdemo.teaching.rows.reading.columns_of`."""
    with _opened(path) as file:
        if not headed and not _is_jsonl(path):
            return _numbered(_header(file, path)[0], path)
        names = _field_names(file) if _is_jsonl(path) else _header(file, path)[0]
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
    return names


def _numbered(cells: Sequence[str], path: Path) -> list[str]:
    """Names for the columns of a table that has none."""
    if not cells:
        raise InputError(f"{path.name} is empty; a few rows are expected.")
    if len(cells) > MAX_COLUMNS:
        raise InputError(f"{path.name} has {len(cells):,} columns; at most {MAX_COLUMNS} are read.")
    return [f"Column {number}" for number in range(1, len(cells) + 1)]


def file_records(
    path: Path, headed: bool = True, most_bytes: int | None = MAX_FILE_BYTES
) -> Iterator[Record]:
    """Yield (line number, the line in short, value by column) for every line that is not empty.

    A line that cannot be read comes with the `InputError` that says why in place of its values.
    None for `most_bytes` reads a file of any size.
    """
    with _opened(path, most_bytes) as file:
        if _is_jsonl(path):
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, shorten(line.strip(), 200), json_object(line)
            return
        names, reader = _header(file, path)
        if not headed:
            names = _numbered(names, path)
            file.seek(0)
            reader = csv.reader(file, delimiter=reader.dialect.delimiter)
        for cells in reader:
            if any(cell.strip() for cell in cells):
                line = reader.dialect.delimiter.join(cells)
                yield reader.line_num, shorten(line, 200), _by_name(names, cells)


@contextmanager
def _opened(path: Path, most_bytes: int | None = MAX_FILE_BYTES) -> Iterator[TextIO]:
    """The open file; what goes wrong while it is read is one `InputError`."""
    if not path.is_file():
        raise InputError(f"There is no file {path.name}; a CSV, TSV or JSONL file is expected.")
    if path.suffix.lower() not in (".csv", ".tsv", ".jsonl"):
        raise InputError(f"{path.name} ends in “{path.suffix}”; .csv, .tsv or .jsonl is expected.")
    if most_bytes is not None and (size := path.stat().st_size) > most_bytes:
        raise InputError(
            f"{path.name} has {readable_size(size)}; at most {readable_size(most_bytes)} are read."
        )
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield file
    except UnicodeDecodeError:
        raise InputError(
            f"{path.name} is not UTF-8 text; save it as “CSV UTF-8” and try again."
        ) from None
    except csv.Error as error:
        raise InputError(f"{path.name} is not a readable CSV file: {error}.") from None


def _is_jsonl(path: Path) -> bool:
    return path.suffix.lower() == ".jsonl"


def _header(file: TextIO, path: Path) -> tuple[list[str], Reader]:
    """The column names, and the reader that goes on with the line after them."""
    first = next((line for line in file if line.strip()), "")
    file.seek(0)
    reader = csv.reader(file, delimiter=find_separator(first, path.name))
    header = next((cells for cells in reader if any(cell.strip() for cell in cells)), [])
    return [" ".join(cell.split()) for cell in header], reader


def find_separator(header: str, name: str) -> str:
    """What stands between the cells of a table: of these the most frequent in its first line."""
    separators = "\t" if name.lower().endswith(".tsv") else ",;\t|"  # ; where , marks decimals
    return max(separators, key=header.count)


def _by_name(names: Sequence[str], cells: Sequence[str]) -> dict[str, object] | InputError:
    if any(cell.strip() for cell in cells[len(names) :]):
        return InputError(f"There are {len(cells)} columns, but the header has {len(names)}.")
    return {name: cell for name, cell in zip(names, cells, strict=False) if name}


def _field_names(file: TextIO) -> list[str]:
    found: dict[str, None] = {}
    for _, line in zip(range(_FIRST_LINES), file, strict=False):
        if line.strip() and isinstance(values := json_object(line), dict):
            found.update(dict.fromkeys(values))
    return list(found)


def json_object(line: str) -> dict[str, object] | InputError:
    """The object of a line of JSONL, or why there is none."""
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        return InputError("This is not a JSON object; one object of cells a line is expected.")
    if not isinstance(values, dict):
        return InputError(
            f"This is a JSON {type(values).__name__}; one object of cells a line is expected."
        )
    return values
