"""Pasted lines cut into cells: their separator, their header, and what each column holds."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass

from symdemo.data.columns import LABEL_OF_WORD, PARTS, guess_mapping, names_sentences
from symdemo.errors import InputError

SEPARATORS = ("\t", "|", ";", ",")
"""In the order in which they are preferred: what comes first is the rarest inside a sentence."""

COLUMNS = {
    2: ("premise", "label"),
    3: ("premise", "hypothesis", "label"),
    4: (*PARTS, "label"),
}
"""Number of columns → what they hold, where no header says it."""

_LOOKED_AT = 200
"""Lines by which the separator is chosen."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line that says something: its number from 1, its text, and its cells."""

    number: int
    text: str
    cells: tuple[str, ...]


def cut_lines(text: str) -> tuple[list[str | None] | None, list[Line]]:
    """The field of each column if a header names them (None for an unknown one), and the lines."""
    numbered = [
        (number, line) for number, line in enumerate(split_lines(text), 1) if not says_nothing(line)
    ]
    separator = _find_separator([line for _, line in numbered])
    cut = [Line(number, line, _cut(line, separator)) for number, line in numbered]
    header = _read_header(cut[0].cells) if cut else None
    return header, cut[1:] if header else cut


def split_lines(text: str) -> list[str]:
    """All lines of a text, however they end."""
    return re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff"))


def named_cells(line: Line, header: Sequence[str | None] | None) -> dict[str, str]:
    """The cells of a line by the field they belong to; `InputError` for a wrong number of them."""
    cells = line.cells
    if header:
        if len(cells) > len(header):
            raise InputError(f"There are {len(cells)} columns, but the header has {len(header)}.")
        return {name: cell for name, cell in zip(header, cells, strict=False) if name}
    if len(cells) in COLUMNS:
        return dict(zip(COLUMNS[len(cells)], cells, strict=True))
    if line.text.count('"') % 2:
        raise InputError('A quotation mark " is not closed; close it or leave it out.')
    seen = "is 1 column" if len(cells) == 1 else f"are {len(cells):,} columns"
    raise InputError(
        f"There {seen}; subject, relation, object and label are expected, or one or two sentences "
        "and a label."
    )


def _find_separator(lines: Sequence[str]) -> str:
    """The separator under which most lines have columns that make sense, ending in a label."""

    def fit(separator: str) -> tuple[int, int]:
        rows = [_cut(line, separator) for line in lines[:_LOOKED_AT]]
        named = bool(rows) and _read_header(rows[0]) is not None
        fitting = sum(len(cells) in COLUMNS for cells in rows)
        labelled = sum(
            len(cells) > 1 and cells[-1].strip().casefold() in LABEL_OF_WORD for cells in rows
        )
        cuts = sum(len(cells) > 1 for cells in rows)
        return fitting + labelled + named * 2 * len(rows), cuts

    return max(SEPARATORS, key=fit)


def _cut(line: str, separator: str) -> tuple[str, ...]:
    """The cells of a line, without the empty ones that a spreadsheet leaves beyond the fourth."""
    if separator == "|" and line.strip().startswith("|") and line.strip().endswith("|"):
        line = line.strip()[1:-1]  # a row of a Markdown table
    try:
        cells = next(csv.reader([line], delimiter=separator, skipinitialspace=separator != "\t"))
    except (csv.Error, StopIteration):
        cells = [line]
    while len(cells) > max(COLUMNS) and not cells[-1].strip():
        cells.pop()
    return tuple(cells)


def _read_header(cells: Sequence[str]) -> list[str | None] | None:
    """The field of each column, or None where the cells do not name enough of them."""
    mapping = guess_mapping(cells)
    if len(mapping) < 2 or not names_sentences(mapping):
        return None
    field_of = {column: field for field, column in mapping.items()}
    return [field_of.get(cell) for cell in cells]


def says_nothing(line: str) -> bool:
    """Whether a line is empty, or the rule under the header of a Markdown table."""
    return not line.strip(" \t,;|") or bool(re.fullmatch(r"[\s|:]*-{2}[\s|:\-]*", line))
