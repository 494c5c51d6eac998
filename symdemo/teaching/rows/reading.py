"""Rows from what a person has: lines pasted into a box, or a CSV, TSV or JSONL file.

One bad line never spoils the rest: it is set aside with its number and the reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path

from symdemo.data.columns import LABEL_OF_WORD, check_mapping, guess_mapping
from symdemo.data.lines import COLUMNS, cut_lines, named_cells, says_nothing, split_lines
from symdemo.data.tables import column_names, file_records, seems_headed
from symdemo.errors import InputError
from symdemo.teaching.limits import Limits
from symdemo.teaching.rows.row import PARTS, Row, read_label, tidy_cell
from symdemo.text import one_line, shorten

__all__ = [
    "LineProblem", "columns_of", "guess_columns", "guess_mapping", "read_file", "read_lines",
    "seems_headed", "unread_lines",
]  # fmt: skip

MAX_TEXT = 2_000_000
"""Characters that are pasted at once."""


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
    if not isinstance(text, str):
        raise InputError(f"The pasted text is {type(text).__name__}; lines of text are expected.")
    if len(text) > MAX_TEXT:
        raise InputError(
            f"The pasted text has {len(text):,} characters; at most {MAX_TEXT:,} are read at once."
        )
    header, lines = cut_lines(text)
    limits.check_rows(len(lines))
    reader = _RowReader(limits, guessed=header is None)
    for line in lines:
        reader.read(line.number, line.text, partial(named_cells, line, header))
    return reader.rows, reader.problems


def unread_lines(text: str, problems: Sequence[LineProblem]) -> tuple[str, list[str]]:
    """The lines of `text` that gave no row, as they were, and for each why, by its new number.

    The names of the columns stay above them where the text had such a line.
    """
    header, _ = cut_lines(text)
    lines = split_lines(text)
    left = [next(line for line in lines if not says_nothing(line))] if header else []
    above = len(left)
    left += [lines[problem.number - 1] for problem in problems]
    reasons = [f"Line {n}: {p.reason}" for n, p in enumerate(problems, start=above + 1)]
    return ("\n".join(left) if problems else ""), reasons


def columns_of(path: str | Path, headed: bool = True) -> list[str]:
    """The names of the columns of a CSV or TSV file, or of the fields of a JSONL file.

    Args:
        path: of the file.
        headed: whether the first line holds the names; else the columns are numbered.

    Raises:
        InputError: no such file, another ending, too large, not UTF-8, or no usable names.
    """
    return column_names(Path(path), headed)


def guess_columns(columns: Sequence[str], headed: bool = True) -> dict[str, str]:
    """Which column probably holds which field of a row: by its name, else by its place."""
    if headed:
        return guess_mapping(columns)
    return dict(zip(COLUMNS.get(len(columns), ()), columns, strict=False))


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
    limits, path = limits or Limits(), Path(path)
    check_mapping(mapping, column_names(path, headed))
    reader, seen = _RowReader(limits, guessed=False), 0
    for number, line, values in islice(file_records(path, headed), most):
        seen += 1
        if seen <= limits.rows:  # the rest is counted only, for the message
            reader.read(number, line, partial(_mapped, values, mapping))
    limits.check_rows(seen)
    return reader.rows, reader.problems


class _RowReader:
    """Turns named cells into rows, and keeps the reasons where they give none.

    `guessed` tells that nobody named the columns, so that cells may stand in the wrong places.
    """

    def __init__(self, limits: Limits, guessed: bool):
        self.limits = limits
        self.guessed = guessed
        self.rows: list[Row] = []
        self.problems: list[LineProblem] = []
        self._spelling: dict[str, str] = {}  # "Depends" and "depends" are one label

    def read(self, number: int, line: str, cells: Callable[[], Mapping[str, object]]) -> None:
        try:
            self.rows.append(self._row(cells()))
        except InputError as error:
            text = one_line(line[:200], "�")
            self.problems.append(LineProblem(number, shorten(text), f"Line {number}: {error}"))

    def _row(self, cells: Mapping[str, object]) -> Row:
        tidy = {
            name: tidy_cell(name, self.limits.check_text(name, text))
            for name, text in cells.items()
        }
        if not tidy.get("label"):
            raise InputError("The label is empty; yes, no, maybe or your own name is expected.")
        label = read_label(self.limits.check_label(tidy["label"]))
        row = replace(Row(**tidy), label=self._spelling.setdefault(label.casefold(), label))
        _check_words(row)
        if self.guessed and row.premise:
            _check_places(row)
        return row


def _check_words(row: Row) -> None:
    """Refuse a row without a premise whose parts do not make one."""
    empty = [name for name in PARTS if not getattr(row, name)]
    if not row.premise and empty:
        seen = "premise is" if len(empty) == len(PARTS) else " and the ".join(empty) + " is"
        seen = seen if len(empty) != 2 else seen[:-2] + "are"
        raise InputError(f"The {seen} empty; a few words are expected.")


def _check_places(row: Row) -> None:
    """Refuse cells that stand in the wrong places, as far as that can be seen.

    A sentence with commas of its own or a line without a label would be misread in silence.
    """
    premise, hypothesis, label = (
        set(re.findall(r"\w+", text.casefold()))
        for text in (row.premise, row.hypothesis, row.label)
    )
    known = row.label in LABEL_OF_WORD
    if not known and (row.label[-1] in ".!?" or len(label & premise) > 1):
        raise InputError(f"“{row.label}” stands where a label is expected, such as yes or no.")
    if row.hypothesis and not premise & hypothesis:
        raise InputError(
            f"“{shorten(row.premise, 30)}” and “{shorten(row.hypothesis, 30)}” share no word; "
            "two sentences and a label are expected, or subject, relation, object and label."
        )


def _mapped(values: Mapping | InputError, mapping: Mapping[str, str]) -> dict[str, object]:
    """The cells of a record by the field they belong to; true and false are words for labels."""
    if isinstance(values, InputError):
        raise values
    cells = {}
    for field, column in mapping.items():
        value = values.get(column)
        if field == "label" and isinstance(value, bool):
            value = "true" if value else "false"
        cells[field] = "" if value is None else value
    return cells
