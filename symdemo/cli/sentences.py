"""Sentences for `symdemo predict --file`: read as they come, so that a stream need not end.

A line that cannot be read comes with its number and the reason, and the next one is read.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import NamedTuple, TextIO

from symdemo.data.columns import guess_mapping
from symdemo.data.tables import find_separator, json_object
from symdemo.errors import InputError
from symdemo.text import shorten

STDIN = "-"


class Asked(NamedTuple):
    """A sentence to judge, with its swapped form where that was given."""

    sentence: str
    hypothesis: str | None = None


Line = tuple[int, "Asked | InputError"]


@contextmanager
def open_lines(file: str) -> Iterator[TextIO]:
    """The text of a file, or of standard input where it is called “-”.

    Bytes that are no UTF-8 are kept as lone surrogates, so that only their own line is refused.
    """
    binary = sys.stdin.buffer if file == STDIN else Path(file).open("rb")  # noqa: SIM115
    text = io.TextIOWrapper(binary, encoding="utf-8-sig", errors="surrogateescape", newline="")
    try:
        yield text
    finally:
        if file == STDIN:
            text.detach()
        else:
            text.close()


def read_sentences(text: TextIO, name: str) -> Iterator[Line]:
    """Yield (line number, what is asked or why it cannot be read) for lines that are not empty.

    JSONL, or a table with a header, holds premise and perhaps hypothesis; any other text is a
    sentence a line. Which it is, the file's ending says, or its first line.

    Args:
        text: opened with `newline=""`.
        name: the file's, for its ending and for messages.

    Raises:
        InputError: nothing is there, or a table has no column for the premise.
    """
    lines = enumerate(text, start=1)
    first = next(((number, line) for number, line in lines if line.strip()), None)
    if first is None:
        where = "on standard input" if name == STDIN else f"in {Path(name).name}"
        raise InputError(f"There is no line {where}; a sentence a line is expected.")
    ending = Path(name).suffix.lower()
    if ending == ".jsonl" or first[1].lstrip().startswith("{"):
        return _read_json(chain([first], lines))
    separator = find_separator(first[1], name)
    cells = [cell.strip() for cell in next(csv.reader([first[1]], delimiter=separator))]
    mapping = guess_mapping(cells)
    if ending in (".csv", ".tsv") and "premise" not in mapping:
        seen = shorten(", ".join(cells), 120)
        raise InputError(f"{Path(name).name} has no column premise; seen: {seen}.")
    # A header is told from a sentence with a comma in it by its single words.
    is_header = ending in (".csv", ".tsv") or all(len(cell.split()) == 1 for cell in cells)
    if "premise" in mapping and is_header:
        columns = [cells.index(mapping[field]) for field in _fields(mapping)]
        return _read_table((line for _, line in lines), separator, columns, first[0])
    return _read_plain(chain([first], lines))


def _fields(mapping: Sequence[str] | dict[str, str]) -> list[str]:
    return [field for field in ("premise", "hypothesis") if field in mapping]


def _read_plain(lines: Iterator[tuple[int, str]]) -> Iterator[Line]:
    for number, line in lines:
        if line.strip():
            yield number, _asked([line.strip()])


def _read_json(lines: Iterator[tuple[int, str]]) -> Iterator[Line]:
    for number, line in lines:
        if line.strip():
            try:
                values = json_object(line)
                mapping = guess_mapping(list(values))
                if "premise" not in mapping:
                    seen = shorten(", ".join(values), 120) or "nothing"
                    raise InputError(f"There is no premise; seen: {seen}.")
                yield number, _asked([values[mapping[field]] for field in _fields(mapping)])
            except InputError as error:
                yield number, error


def _read_table(
    lines: Iterator[str], separator: str, columns: Sequence[int], above: int
) -> Iterator[Line]:
    """The rows below a header that stood in the line `above`."""
    reader = csv.reader(lines, delimiter=separator)
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:  # the reader goes on with the next line
            yield above + reader.line_num, InputError(f"This is not a readable row: {error}.")
            continue
        number = above + reader.line_num
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) <= columns[0]:
            yield number, InputError(f"This row has {len(cells)} cells and no premise.")
        else:
            yield number, _asked([cells[i] for i in columns if i < len(cells)])


def _asked(cells: Sequence[object]) -> Asked | InputError:
    """Premise and hypothesis, of which the second may be missing or empty."""
    for name, cell in zip(("premise", "hypothesis"), cells, strict=False):
        if not isinstance(cell, str) and not (name == "hypothesis" and cell is None):
            return InputError(f"The {name} is {type(cell).__name__}; a sentence is expected.")
        if any("\udc80" <= character <= "\udcff" for character in cell or ""):
            return InputError(f"The {name} is not UTF-8 text.")
    hypothesis = str(cells[1] or "").strip() if len(cells) > 1 else ""
    return Asked(str(cells[0]), hypothesis or None)
