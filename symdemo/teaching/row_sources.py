"""Rows from pasted lines, from a file, or from a built-in example.

A line that cannot be read is set aside with its number and the reason; the others are kept.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from symdemo.data.columns import PARTS, check_mapping, label_meanings, read_label
from symdemo.data.pasted import read_pasted
from symdemo.data.tables import TableFile, TableRow
from symdemo.errors import InputError
from symdemo.files.paths import ASSETS
from symdemo.teaching.limits import LIMITS, Limits
from symdemo.teaching.rows import TeachRow, tidy_cell
from symdemo.text import one_line, shorten


@dataclass(frozen=True, slots=True)
class LineProblem:
    """A line that gave no row: its number from 1, how it begins, and why, in one sentence."""

    number: int
    text: str
    message: str


def read_lines(text: str, limits: Limits = LIMITS) -> tuple[list[TeachRow], list[LineProblem]]:
    """Read pasted lines, as `symdemo.data.pasted.read_pasted` cuts them.

    Words such as yes, entails and maybe become the labels they mean.

    Raises:
        InputError: not text, too much of it, or more lines than the limits allow.
    """
    _, lines = read_pasted(text, labelled=True)
    limits.check("rows", len(lines))
    reader = _RowReader(limits, label_meanings(line.cells.get("label", "") for line in lines))
    for line in lines:
        reader.read(line, line.cells)
    return reader.rows, reader.problems


def unread_lines(text: str, problems: Sequence[LineProblem]) -> tuple[str, list[str]]:
    """Return the lines that gave no row, under the header if there is one, and why for each."""
    header, lines = read_pasted(text, labelled=True)
    text_of = {line.number: line.text for line in lines}
    left = [header] if header else []
    reasons = []
    for problem in problems:
        left.append(text_of[problem.number])
        reason = problem.message.removeprefix(f"Line {problem.number}: ")
        reasons.append(f"Line {len(left)}: {reason}")
    return ("\n".join(left) if problems else ""), reasons


def read_file(
    path: str | Path,
    mapping: Mapping[str, str],
    limits: Limits = LIMITS,
    headed: bool | None = None,
    most: int | None = None,
    label_names: Mapping[str, str | None] | None = None,
) -> tuple[list[TeachRow], list[LineProblem]]:
    """Read the rows of a file.

    Args:
        path: a file that `TableFile` reads.
        mapping: field of a row → column of the file, as `TableFile.guess` returns it.
        headed: True if the first line names the columns; None to guess.
        most: lines to read, for a preview; all of them if None.
        label_names: what words in the column of labels mean.

    Raises:
        InputError: a file or a mapping that cannot be used, or more rows than the limits allow.
    """
    table = TableFile(path, headed)
    check_mapping(mapping, table.columns)
    meanings = table.label_meanings(mapping.get("label"), label_names)
    reader, seen = _RowReader(limits, meanings), 0
    for row in islice(table.rows(mapping.values()), most):
        seen += 1
        if seen <= limits.rows:  # the rest is only counted, for the message
            reader.read(row, {field: row.cells.get(name, "") for field, name in mapping.items()})
    limits.check("rows", seen)
    return reader.rows, reader.problems


class _RowReader:
    """Turns named cells into rows, or into problems."""

    def __init__(self, limits: Limits, meanings: Mapping[str, str]):
        self.limits, self.meanings = limits, meanings
        self.rows: list[TeachRow] = []
        self.problems: list[LineProblem] = []
        self._spelling: dict[str, str] = {}  # "Depends" and "depends" are one label

    def read(self, line: TableRow, cells: Mapping[str, str]) -> None:
        try:
            if line.error:
                raise line.error
            self.rows.append(self._row(cells))
        except InputError as error:
            text, number = shorten(one_line(line.text[:200], "�")), line.number
            self.problems.append(LineProblem(number, text, f"Line {number}: {error}"))

    def _row(self, cells: Mapping[str, str]) -> TeachRow:
        tidy = {
            name: tidy_cell(name, self.limits.check_text(name, text))
            for name, text in cells.items()
        }
        given = tidy.get("label")
        label = read_label(self.limits.check_label(given), self.meanings) if given else None
        if not label:
            raise InputError("The label is empty; yes, no, maybe or your own name is expected.")
        row = replace(TeachRow(**tidy), label=self._spelling.setdefault(label.casefold(), label))
        empty = [name for name in PARTS if not getattr(row, name)]
        if not row.premise and empty:
            verb = "are" if len(empty) == 2 else "is"
            seen = "premise" if len(empty) == 3 else " and the ".join(empty)
            raise InputError(f"The {seen} {verb} empty; a few words are expected.")
        return row


EXAMPLES = ("family", "company", "chemistry")
"""Small tables to start from, with relations that no shipped model was taught."""


def example_rows(name: str) -> list[TeachRow]:
    """Read the rows of an example."""
    with (ASSETS / "teach" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return [TeachRow(**values) for values in csv.DictReader(file)]
