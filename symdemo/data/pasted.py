"""Read pasted lines as rows of fields, under a header or by what their columns hold."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

from symdemo.data import columns
from symdemo.data.tables import TableRow
from symdemo.errors import InputError
from symdemo.text import shorten

MAX_PASTED = 2_000_000  # characters of a pasted text
_SEPARATORS = ("\t", "|", ";", ",")
"""In order of preference: the first is the rarest inside a sentence."""
_LABELLED_COLUMNS = (2, 3, 4)
_FIRST_LINES = 200  # lines by which the separator is chosen
_MAX_LABEL = 80
_MAX_LABEL_WORDS = 4  # words of a user's own label; a longer text is part of a sentence


def read_pasted(text: str, labelled: bool) -> tuple[str, list[TableRow]]:
    """Return the header line ("" if there is none), and a row for every line that is not empty.

    Cells are named by field; a row's text is the whole line. The separator is a tab, |, ; or a
    comma, the same for all lines; cells may be quoted as in CSV. Without a header a line holds
    subject, relation, object and label; premise, hypothesis and label; or premise and label. If
    `labelled`, the row of a line that does not fit has an error; if not, a line may also hold
    premise and hypothesis, and one that makes no sense when split is a single sentence.
    `InputError` for what is not text, or too much of it.
    """
    if not isinstance(text, str):
        raise InputError(f"The pasted text is {type(text).__name__}; lines of text are expected.")
    if len(text) > MAX_PASTED:
        raise InputError(
            f"The pasted text has {len(text):,} characters; at most {MAX_PASTED:,} are read at "
            "once."
        )
    lines = [(n, line) for n, line in enumerate(split_lines(text), 1) if not _is_empty(line)]
    separator = _find_separator([line for _, line in lines])
    fields = _header_fields(_split(lines[0][1], separator)) if lines else None
    header = lines.pop(0)[1] if fields else ""
    rows = []
    for number, line in lines:
        cells = _split(line, separator)
        try:
            if fields is None:
                named = _by_content(line, [cell.strip() for cell in cells], labelled)
            elif len(cells) > len(fields):
                raise InputError(
                    f"There are {len(cells)} columns, but the header has {len(fields)}."
                )
            else:
                named = {name: cell for name, cell in zip(fields, cells, strict=False) if name}
            rows.append(TableRow(number, line, named))
        except InputError as error:
            rows.append(TableRow(number, line, error=error))
    return header, rows


def read_headed(text: str) -> list[list[str]]:
    """Return the cells of pasted lines if the first line names their columns, else []."""
    lines = pasted_lines(text)
    if not lines or len(text) > MAX_PASTED:
        return []
    separator = _find_separator(lines)
    rows = [_split(line, separator) for line in lines]
    names, below = rows[0], rows[1:_FIRST_LINES]
    named = len(names) > 1 and (columns.guess_mapping(names) or columns.over_labels(names, below))
    return rows if named and below and columns.seems_headed(names, below) else []


def pasted_lines(text: str) -> list[str]:
    """Return the lines of a pasted text that are not empty."""
    return [line for line in split_lines(text) if not _is_empty(line)]


def split_lines(text: str) -> list[str]:
    """Split a text into lines, however they end."""
    return re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff"))


def _is_empty(line: str) -> bool:
    """True if a line has no text, or is the rule below the header of a Markdown table."""
    return not line.strip(" \t,;|") or bool(re.fullmatch(r"[\s|:]*-{2}[\s|:\-]*", line))


def _find_separator(lines: Sequence[str]) -> str:
    """Return the separator with which most lines have a sensible number of columns and a label."""

    def fit(separator: str) -> tuple[int, int]:
        rows = [_split(line, separator) for line in lines[:_FIRST_LINES]]
        named = bool(rows) and _header_fields(rows[0]) is not None
        fitting = sum(len(cells) in _LABELLED_COLUMNS for cells in rows)
        cut = [cells for cells in rows if len(cells) > 1]
        labelled = sum(cells[-1].strip().casefold() in columns.LABEL_OF_WORD for cells in cut)
        return fitting + labelled + named * 2 * len(rows), len(cut)

    return max(_SEPARATORS, key=fit)


def _split(line: str, separator: str) -> list[str]:
    """Return the cells of a line without the empty ones that spreadsheets leave at its end."""
    if separator == "|" and line.strip().startswith("|") and line.strip().endswith("|"):
        line = line.strip()[1:-1]  # a row of a Markdown table
    try:
        cells = next(csv.reader([line], delimiter=separator, skipinitialspace=separator != "\t"))
    except (csv.Error, StopIteration):
        return [line]
    while len(cells) > max(_LABELLED_COLUMNS) and not cells[-1].strip():
        cells.pop()
    return cells


def _header_fields(cells: Sequence[str]) -> list[str | None] | None:
    """Return the field of each column, or None if the cells do not name a sentence's fields."""
    mapping = columns.guess_mapping(cells)
    if len(mapping) < 2 or not columns.names_sentences(mapping):
        return None
    field_of = {column: field for field, column in mapping.items()}
    return [field_of.get(cell) for cell in cells]


def _by_content(line: str, cells: Sequence[str], labelled: bool) -> dict[str, str]:
    """Return field → cell of a line without a header.

    A sentence with a comma of its own, or a line without a label, would be misread in silence; so
    the last cell has to look like a label, and two sentences have to share words.
    """
    premise, last = cells[0], cells[-1]
    if not labelled and len(cells) == 2 and _shared_words(premise, last) > 1:
        return dict(zip(columns.SENTENCES, cells, strict=True))
    if len(cells) not in _LABELLED_COLUMNS:
        seen = "is 1 column" if len(cells) == 1 else f"are {len(cells):,} columns"
        problem = (
            'A quotation mark " is not closed; close it or remove it.'
            if line.count('"') % 2
            else f"There {seen}; subject, relation, object and label are expected, or one or two "
            "sentences and a label."
        )
    elif not _may_be_label(last, premise, labelled):
        problem = f"“{shorten(last, 30)}” is in the place of a label, such as yes or no."
    elif len(cells) == 3 and cells[1] and _shared_words(*cells[:2]) < (1 if labelled else 2):
        problem = (
            f"“{shorten(premise, 30)}” and “{shorten(cells[1], 30)}” share no word; two "
            "sentences and a label are expected, or subject, relation, object and label."
        )
    else:
        return dict(zip(columns.FIELDS_BY_PLACE[len(cells)], cells, strict=True))
    if labelled:
        raise InputError(problem)
    return {"premise": " ".join(line.split())}


def _may_be_label(text: str, premise: str, labelled: bool) -> bool:
    """True if a cell may be a label: a known word, or a user's own if it is no sentence."""
    if not text or columns.label_of_word(text) != text or text in columns.LABEL_OF_WORD.values():
        return True
    if text[-1] in ".!?":
        return False
    if labelled:
        return _shared_words(text, premise) < 2
    return len(text) <= _MAX_LABEL and len(text.split()) <= _MAX_LABEL_WORDS


def _shared_words(one: str, other: str) -> int:
    first, second = (set(re.findall(r"\w+", text.casefold())) for text in (one, other))
    return len(first & second)
