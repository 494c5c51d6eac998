"""Rows from pasted lines, a file or an example; a bad line is set aside with the reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path

from symdemo.data.columns import PARTS, check_mapping, label_meanings, read_label
from symdemo.data.pasted import read_pasted
from symdemo.data.tables import TableFile, TableRow
from symdemo.errors import InputError
from symdemo.files.paths import asset_rows
from symdemo.teaching.limits import LIMITS, Limits
from symdemo.teaching.rows import TeachRow, tidy_cell

Read = tuple[list[TeachRow], dict[int, str]]  # rows, and line → why it gave no row, in one sentence


def read_lines(text: str, limits: Limits = LIMITS) -> Read:
    """Read pasted lines, mapping words such as yes to labels; `InputError` beyond the limits."""
    _, lines = read_pasted(text, labelled=True)
    limits.check("rows", len(lines))
    meanings = label_meanings(line.cells.get("label", "") for line in lines)
    return _read(((line, line.cells) for line in lines), limits, meanings)


def unread_lines(text: str, problems: Mapping[int, str]) -> tuple[str, list[str]]:
    """Return the lines that gave no row, under the header if there is one, and why for each."""
    header, lines = read_pasted(text, labelled=True)
    left = [header] if header and problems else []
    reasons = []
    for line in lines:
        if line.number in problems:
            left.append(line.text)
            reason = problems[line.number].removeprefix(f"Line {line.number}: ")
            reasons.append(f"Line {len(left)}: {reason}")
    return "\n".join(left), reasons


def read_file(
    path: str | Path,
    mapping: Mapping[str, str],
    limits: Limits = LIMITS,
    headed: bool | None = None,
    most: int | None = None,
    label_names: Mapping[str, str | None] | None = None,
) -> Read:
    """Read the rows of a file, by a mapping of field → column as `TableFile.guess` returns it.

    For a preview only `most` lines are read. `label_names` says what words for labels mean.
    `InputError` for a file or mapping that cannot be used, or more rows than the limits allow.
    """
    table = TableFile(path, headed)
    check_mapping(mapping, table.columns)
    if most is None:
        limits.check("rows", table.count())
    meanings = table.label_meanings(mapping.get("label"), label_names)
    rows = islice(table.rows(mapping.values()), most)
    fields = mapping.items()
    named = ((row, {field: row.cells.get(name, "") for field, name in fields}) for row in rows)
    return _read(named, limits, meanings)


def _read(
    lines: Iterable[tuple[TableRow, Mapping[str, str]]], limits: Limits, meanings: Mapping[str, str]
) -> Read:
    rows: list[TeachRow] = []
    problems: dict[int, str] = {}
    spelling: dict[str, str] = {}  # "Depends" and "depends" are one label
    for line, cells in lines:
        try:
            if line.error:
                raise line.error
            row = _row(cells, limits, meanings)
        except InputError as error:
            problems[line.number] = f"Line {line.number}: {error}"
        else:
            label = spelling.setdefault(row.label.casefold(), row.label)
            rows.append(replace(row, label=label))
    return rows, problems


def _row(cells: Mapping[str, str], limits: Limits, meanings: Mapping[str, str]) -> TeachRow:
    tidy = {name: tidy_cell(name, limits.check_text(name, text)) for name, text in cells.items()}
    given = tidy.get("label")
    label = read_label(limits.check_label(given), meanings) if given else None
    if not label:
        raise InputError("The label is empty; yes, no, maybe or your own name is expected.")
    row = replace(TeachRow(**tidy), label=label)
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
    return [TeachRow(**values) for values in asset_rows(f"teach/{name}.csv")]
