"""Files of tables as they are opened: which are read, and one sentence for each that is not."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from symdemo.errors import InputError
from symdemo.text import MIB, readable_size

MAX_FILE_BYTES = 32 * MIB
MAX_LINE = 1_000_000
"""Characters of a line, beyond which nobody wrote it by hand and nobody reads it."""

_KINDS = {".csv": "CSV", ".tsv": "TSV", ".jsonl": "JSONL", ".parquet": "Parquet"}

_SIGNS = (
    (b"PK\x03\x04", "a spreadsheet or another zip archive"),
    (b"\xd0\xcf\x11\xe0", "an old spreadsheet or another Office file"),
    (b"PAR1", "a Parquet file"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"%PDF", "a PDF"),
    (b"\xff\xfe", "text in UTF-16"),
    (b"\xfe\xff", "text in UTF-16"),
)
"""How files begin that are often given another ending than theirs."""

_LOOKED_AT = 1024
_LONGEST_OF_LINES = 2_000
"""Characters up to which a cell of several lines is one that somebody wrote."""

CsvRow = tuple[int, "list[str] | InputError"]
"""The line where a row begins, and its cells or why it has none."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """Which files are read.

    Attributes:
        endings: of their names, among .csv, .tsv, .jsonl and .parquet.
        most_bytes: of a file; None for any number.
    """

    endings: tuple[str, ...] = (".csv", ".tsv", ".jsonl")
    most_bytes: int | None = MAX_FILE_BYTES

    def check(self, path: Path) -> None:
        """Raise `InputError` unless there is a file of this kind and size."""
        if not path.is_file():
            kinds = _listed([_KINDS[ending] for ending in self.endings])
            raise InputError(f"There is no file {path.name}; a {kinds} file is expected.")
        if path.suffix.lower() not in self.endings:
            raise InputError(
                f"{path.name} ends in “{path.suffix}”; {_listed(self.endings)} is expected."
            )
        if self.most_bytes is not None and (size := path.stat().st_size) > self.most_bytes:
            raise InputError(
                f"{path.name} has {readable_size(size)}; at most "
                f"{readable_size(self.most_bytes)} are read."
            )


TEXT_FILES = Accepted()


@contextmanager
def opened(path: Path, accepted: Accepted = TEXT_FILES) -> Iterator[TextIO]:
    """The open text file; what goes wrong while it is read is one `InputError`."""
    accepted.check(path)
    _check_text(path)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield file
    except UnicodeDecodeError:
        raise InputError(
            f"{path.name} is not UTF-8 text; save it as “CSV UTF-8” and try again."
        ) from None


def _check_text(path: Path) -> None:
    """Refuse what begins like a known kind of file that is no UTF-8 text."""
    with path.open("rb") as file:
        head = file.read(_LOOKED_AT)
    what = next((what for sign, what in _SIGNS if head.startswith(sign)), None)
    if what is None and head.count(0) * 4 > len(head):  # every other byte, where it is English
        what = "text in UTF-16, or no text at all"
    if what:
        raise InputError(
            f"{path.name} is not UTF-8 text but {what}; save the table as “CSV UTF-8” and try "
            "again."
        )


def _listed(names: list[str] | tuple[str, ...]) -> str:
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


class Lines(Iterator[str]):
    """The lines of a file, counted.

    Attributes:
        number: of the last line that was given, from 1.
        ended: whether a line was asked for after the last.
    """

    def __init__(self, file: TextIO):
        self._file = file
        self.number = 0
        self.ended = False

    def __next__(self) -> str:
        line = next(self._file, None)
        if line is None:
            self.ended = True
            raise StopIteration
        self.number += 1
        return line


def csv_rows(file: TextIO, separator: str, name: str) -> Iterator[CsvRow]:
    """Yield the rows of a CSV file.

    A quotation mark that is not closed takes the lines after it into one cell: such a row comes as
    the `InputError` that says so.

    Raises:
        InputError: a line or a cell that is far too long; the message names its line.
    """
    lines = Lines(file)
    reader = csv.reader(_not_too_long(lines, name), delimiter=separator)
    while True:
        first = lines.number + 1
        try:
            cells = next(reader, None)
        except csv.Error:
            raise InputError(
                f"{name} is not a readable CSV file: line {first} has a cell of more than "
                f"{csv.field_size_limit():,} characters; is a quotation mark not closed there?"
            ) from None
        if cells is None:
            return
        # Only inside quotation marks does the reader ask for a line after the last.
        long = lines.number > first and max(map(len, cells), default=0) > _LONGEST_OF_LINES
        if lines.ended or long:
            yield first, _swallowed(lines.number - first)
        else:
            yield first, cells


def _swallowed(more: int) -> InputError:
    """Why a row that takes in so many lines after its first is none."""
    so = f", so that the {more:,} lines after it are one cell" if more else ""
    return InputError(f'A quotation mark " is not closed{so}; close it or leave it out.')


def _not_too_long(lines: Lines, name: str) -> Iterator[str]:
    for line in lines:
        if len(line) > MAX_LINE:
            raise InputError(
                f"{name}, line {lines.number}, has {len(line):,} characters; at most {MAX_LINE:,} "
                "are read."
            )
        yield line
