"""Rows from what a person has: lines pasted into a box, or a CSV, TSV or JSONL file.

One bad line never spoils the rest: it is set aside with its number and the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from symdemo.data.columns import check_mapping
from symdemo.data.pasted import read_pasted
from symdemo.data.tables import TableFile, TableRow
from symdemo.errors import InputError
from symdemo.teaching.limits import Limits
from symdemo.teaching.rows.row import PARTS, Row, read_label, tidy_cell
from symdemo.text import one_line, shorten


@dataclass(frozen=True, slots=True)
class LineProblem:
    """A line that gave no row: its number from 1, how it begins, and why, in one sentence."""

    number: int
    text: str
    message: str

    @property
    def reason(self) -> str:
        """Why, without the number of the line."""
        return self.message.removeprefix(f"Line {self.number}: ")


def read_lines(text: str, limits: Limits | None = None) -> tuple[list[Row], list[LineProblem]]:
    """Read pasted lines: four, three or two columns, or any number under a header.

    Four are subject, relation, object, label; three are premise, hypothesis, label; two are
    premise, label. The separator is found: tab, |, ; or comma, one for all lines; cells may be
    quoted as in CSV. Words such as yes, no and maybe become the labels they mean.

    Raises:
        InputError: not text, too much of it, or more lines than the limits allow.
    """
    limits = limits or Limits()
    _, lines = read_pasted(text, labelled=True)
    limits.check_rows(len(lines))
    reader = _RowReader(limits)
    for line in lines:
        reader.read(line, line.cells)
    return reader.rows, reader.problems


def unread_lines(text: str, problems: Sequence[LineProblem]) -> tuple[str, list[str]]:
    """The lines of `text` that gave no row, as they were, and for each why, by its new number.

    The names of the columns stay above them where the text had such a line.
    """
    header, lines = read_pasted(text, labelled=True)
    text_of = {line.number: line.text for line in lines}
    left = [header] if header else []
    above = len(left)
    left += [text_of[problem.number] for problem in problems]
    reasons = [f"Line {n}: {p.reason}" for n, p in enumerate(problems, start=above + 1)]
    return ("\n".join(left) if problems else ""), reasons


def read_file(
    path: str | Path,
    mapping: Mapping[str, str],
    limits: Limits | None = None,
    headed: bool = True,
    most: int | None = None,
) -> tuple[list[Row], list[LineProblem]]:
    """Read the rows of a CSV, TSV or JSONL file.

    Args:
        path: UTF-8 text with or without a header line, or a JSON object on every line.
        mapping: field of a row → column of the file, as `guess_columns` gives it.
        limits: what is allowed; the usual limits if None.
        headed: whether the first line of a CSV or TSV file names the columns.
        most: lines to read, for a look at the file; all of them if None.

    Raises:
        InputError: a file or a mapping that cannot be used, or more rows than the limits allow.
    """
    limits, table = limits or Limits(), TableFile(path, headed)
    check_mapping(mapping, table.columns)
    reader, seen = _RowReader(limits), 0
    for row in islice(table.rows(mapping.values()), most):
        seen += 1
        if seen <= limits.rows:  # the rest is counted only, for the message
            reader.read(row, {field: row.cells.get(name, "") for field, name in mapping.items()})
    limits.check_rows(seen)
    return reader.rows, reader.problems


class _RowReader:
    """Turns named cells into rows, and keeps the reasons where they give none."""

    def __init__(self, limits: Limits):
        self.limits = limits
        self.rows: list[Row] = []
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

    def _row(self, cells: Mapping[str, str]) -> Row:
        tidy = {
            name: tidy_cell(name, self.limits.check_text(name, text))
            for name, text in cells.items()
        }
        if not tidy.get("label"):
            raise InputError("The label is empty; yes, no, maybe or your own name is expected.")
        label = read_label(self.limits.check_label(tidy["label"]))
        row = replace(Row(**tidy), label=self._spelling.setdefault(label.casefold(), label))
        _check_words(row)
        return row


def _check_words(row: Row) -> None:
    """Refuse a row without a premise whose parts do not make one."""
    empty = [name for name in PARTS if not getattr(row, name)]
    if not row.premise and empty:
        seen = "premise is" if len(empty) == len(PARTS) else " and the ".join(empty) + " is"
        seen = seen if len(empty) != 2 else seen[:-2] + "are"
        raise InputError(f"The {seen} empty; a few words are expected.")
