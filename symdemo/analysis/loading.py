"""Load pairs to analyse from table files and pasted lines.

Every row is checked, then missing hypotheses are made by swapping. A row that gives no pair is
refused with the kind of reason and the reason in a sentence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from symdemo.analysis.loaded import MAX_PAIRS, MAX_REFUSED, LoadedPairs, RefusedRow
from symdemo.data.bank_phrasings import phrasing_kind
from symdemo.data.columns import (
    FIELDS,
    PARTS,
    SENTENCES,
    check_mapping,
    label_meanings,
    plain_relation,
    read_label,
)
from symdemo.data.pair_files import MAX_LABEL
from symdemo.data.pasted import read_pasted
from symdemo.data.tables import TableFile, TableRow
from symdemo.errors import InputError, NoPairFound
from symdemo.jobs.reporting import SILENT, Reporter
from symdemo.pairs import MAX_CHARACTERS, Pair, check_pair, check_sentence
from symdemo.swapping import Swap, join, swap, swap_many
from symdemo.swapping.frames import find_frames, is_swap, locate
from symdemo.text import MIB, one_line, shorten, tidy_text

LOADED_FIELDS = (*FIELDS, "construction")
MAX_LABELS = 50
MAX_CONSTRUCTIONS = 200
"""Distinct constructions in a table; a column with more of them holds something else."""

MAX_GROUPS = 50
"""Distinct values of a column to group by."""

MAX_FILE_BYTES = 64 * MIB
MOST_VALUES = 30
_FIRST_ROWS = 5
_CELL = 200

UNREADABLE = "the line cannot be read"
NO_PREMISE = "there is no premise"
BAD_SENTENCE = "a sentence cannot be used"
NO_SWAP = "no swap was found"
BAD_LABEL = "the label cannot be used"
BAD_CELL = "another cell cannot be used"

_POLLED_EVERY = 256
"""Rows read between two polls for a stop."""
_REPORTED_EVERY = 32
"""Rows between two reports of progress: half a second, where they have to be swapped."""


def collect(
    rows: Iterable[TableRow],
    mapping: Mapping[str, str],
    meanings: Mapping[str, Mapping[str, str]],
    name: str,
    source: str,
    systems: Sequence[str] = (),
    groups: Sequence[str] = (),
    reports: Reporter = SILENT,
) -> LoadedPairs:
    """Make pairs of rows.

    Args:
        rows: As `TableFile.rows` yields them.
        mapping: Field → column.
        meanings: Column of labels → what its words mean, as `label_meanings` returns it.
        name: Of the file, for people.
        source: Its origin, in words.
        systems: Columns with labels of other systems.
        groups: Columns to group by.
        reports: Receives the number of completed rows; may ask to stop.

    Raises:
        InputError: No row can be used, or a column has too many distinct values for its field.
        StoppedError: `reports` asked to stop.
    """
    refused = _Refused()
    read = list(_read(rows, mapping, meanings, systems, groups, refused, reports))
    premises = dict.fromkeys(pair.premise for _, pair, *_ in read if not pair.hypothesis)
    swaps = zip(premises, swap_many(premises), strict=True)
    found: dict[str, Swap | InputError] = {}
    done: list[tuple[Pair, str | None, tuple[str | None, ...]]] = []
    swapped = doubtful = 0
    for n, (number, pair, construction, others) in enumerate(read, start=1):
        whole, template = pair, None
        try:
            if not pair.hypothesis:
                while pair.premise not in found:
                    reports.check()
                    found |= [next(swaps)]
                swap = found[pair.premise]
                whole, template = _swapped(pair, swap)
                swapped += 1
                doubtful += isinstance(swap, Swap) and not swap.sure
            done.append((whole, construction or guess_construction(whole, template), others))
        except InputError as error:
            kind = NO_SWAP if isinstance(error, NoPairFound) else BAD_SENTENCE
            refused.add(number, pair.premise, kind, error.with_traceback(None))
        if n % _REPORTED_EVERY == 0 or n == len(read):
            reports.check()
            reports.progress(n, len(read))
    lines = sorted(refused.rows, key=lambda row: row.number)
    if not done:
        why = f"line {lines[0].number}: {lines[0].reason}" if lines else "a sentence is expected."
        raise InputError(f"{name} has no row that can be used; {why}")
    pairs, kinds, rest = zip(*done, strict=True)
    columns = list(zip(*rest, strict=True))
    grouped = zip(groups, columns[len(systems) :], strict=True)
    loaded = LoadedPairs(
        name=name,
        source=source,
        pairs=pairs,
        constructions=kinds,
        swapped=swapped,
        refused=tuple(lines[:MAX_REFUSED]),
        reasons=dict(refused.reasons.most_common()),
        doubtful=doubtful,
        groups={name: _to_group_by(name, cells) for name, cells in grouped},
    )
    if not systems:
        return loaded
    return loaded.beside(dict(zip(systems, columns, strict=False)))


class _Refused:
    """Rows that give no pair, and how many there are of each kind of reason."""

    def __init__(self) -> None:
        self.rows: list[RefusedRow] = []
        self.reasons: Counter[str] = Counter()

    def add(self, number: int, text: str, kind: str, why: InputError) -> None:
        self.reasons[kind] += 1
        self.rows.append(RefusedRow(number, shorten(one_line(text[:200], "�")), str(why)))


def _read(
    rows: Iterable[TableRow],
    mapping: Mapping[str, str],
    meanings: Mapping[str, Mapping[str, str]],
    systems: Sequence[str],
    groups: Sequence[str],
    refused: _Refused,
    reports: Reporter,
) -> Iterator[tuple[int, Pair, str, tuple[str | None, ...]]]:
    """Yield number, pair, construction, and labels of other systems with cells to group by.

    For the arguments see `collect`.
    The hypothesis is empty if it has to be made by swapping.
    """
    spelling: dict[str, str] = {}  # "Depends" and "depends" are one label
    constructions: dict[str, None] = {}

    def label_of(row: TableRow, column: str) -> str | None:
        text = row.cells.get(column, "")
        tidy = text and tidy_text(f"label “{shorten(column, 30)}”", text, MAX_LABEL)
        label = read_label(tidy, meanings.get(column)) if tidy else None
        known = spelling.setdefault(label.casefold(), label) if label else None
        _at_most(MAX_LABELS, spelling, f"the column “{shorten(column, 30)}”", "label")
        return known

    for n, row in enumerate(rows, start=1):
        if n % _POLLED_EVERY == 0:
            reports.check()
        cells = {field: row.cells.get(column, "") for field, column in mapping.items()}
        kind = UNREADABLE
        try:
            if row.error:
                raise row.error
            kind = BAD_LABEL
            label, *others = (label_of(row, one) for one in (mapping.get("label", ""), *systems))
            kind = BAD_CELL
            construction = tidy_text("construction", cells.get("construction", ""), MAX_LABEL)
            constructions |= dict.fromkeys(filter(None, [construction]))
            _at_most(MAX_CONSTRUCTIONS, constructions, "the column", "construction")
            given = [cells.get(name, "").strip() for name in ("premise", *PARTS)]
            kind = BAD_SENTENCE if given[0] or all(given[1:]) else NO_PREMISE
            pair = _pair(cells, label)
            more = [_shown(row.cells.get(column, ""), MAX_LABEL) for column in groups]
        except _WrongColumnError:
            raise
        except InputError as error:
            refused.add(row.number, row.text, kind, error)
        else:
            yield row.number, pair, construction, (*others, *more)


def _to_group_by(column: str, cells: Sequence[str | None]) -> tuple[str | None, ...]:
    """Return the cells of a column, None for an empty one; many numbers as their quarters.

    Raises:
        InputError: There are too many different texts.
    """
    values = pd.Series(list(cells), dtype=object).replace("", None)
    if values.nunique() <= MAX_GROUPS:
        return tuple(values)
    numbers = pd.to_numeric(values, errors="coerce")
    if (np.isfinite(numbers) | values.isna()).all():
        quarters = pd.qcut(numbers, 4, duplicates="drop").astype(object)
        named = quarters.map(lambda own: f"{own.left:g} to {own.right:g}", "ignore")
        return tuple(named.where(quarters.notna(), None))
    raise InputError(
        f"The column “{shorten(column, 30)}” has {values.nunique():,} different texts; "
        f"at most {MAX_GROUPS} are expected, to group by."
    )


class _WrongColumnError(InputError):
    """A column probably holds something else."""


def _at_most(most: int, values: Mapping[str, Any], column: str, noun: str) -> None:
    if len(values) > most:
        raise _WrongColumnError(
            f"There are more than {most} different {noun}s in {column}, "
            f"“{shorten([*values][-1], 30)}” among them; is the {noun} in another column?"
        )


def _pair(cells: Mapping[str, str], label: str | None) -> Pair:
    """Return the pair of a row's sentences, or of its three parts if there is no premise."""
    parts = {name: tidy_text(name, cells.get(name, ""), MAX_CHARACTERS) for name in PARTS}
    premise, hypothesis = (cells.get(name, "").strip() for name in SENTENCES)
    subject, relation, object = parts.values()
    if not premise:
        if empty := [name for name, text in parts.items() if not text]:
            name, noun = (empty[0], "word") if len(empty) < len(parts) else ("premise", "sentence")
            raise InputError(f"The {name} is empty; a {noun} is expected.")
        premise = join(subject, relation, object)
        hypothesis = hypothesis or join(object, relation, subject)
    premise = check_sentence(premise, "premise")
    if hypothesis:
        hypothesis = check_sentence(hypothesis, "hypothesis")
    named = plain_relation(relation) or None
    return Pair(premise, hypothesis, label, named, subject or None, object or None)


def build_pair(cells: Mapping[str, str], label: str | None) -> Pair:
    """Return the pair of a row: of two sentences, of one and its swap, or of its three parts.

    Args:
        cells: field → text; fields are premise, hypothesis, subject, relation and object.

    Raises:
        InputError: A cell is empty or cannot be used, or the sentence cannot be swapped.
    """
    pair = _pair(cells, label)
    return pair if pair.hypothesis else _swapped(pair, swap(pair.premise))[0]


def _swapped(pair: Pair, swap: Swap | InputError) -> tuple[Pair, str]:
    """Return a pair with the swap as its hypothesis, and the template of its premise.

    The premise becomes a statement if it was a question.
    """
    if isinstance(swap, InputError):
        raise swap
    ends = (pair.head, pair.tail) if pair.head or pair.tail else (swap.subject, swap.object)
    relation = pair.relation or plain_relation(swap.relation)
    made = Pair(swap.premise, swap.hypothesis, pair.label, relation, *ends)
    check_pair(made)
    return made, swap.relation


def guess_construction(pair: Pair, template: str | None = None) -> str | None:
    """Return one of `symdemo.data.bank_phrasings.KINDS_OF_PHRASING`, None if unclear.

    Args:
        pair: A pair, whose premise is meant.
        template: The premise with [X] and [Y] for its arguments; if None, found by head and tail,
            else by the words that change places between the two sentences.
    """
    if template is None:
        alone = replace(pair, hypothesis=pair.premise)
        frames = locate(alone, pair.head or "", pair.tail or "")
        if frames is None and is_swap(pair):
            frames = find_frames(pair)
        if frames is not None:
            template = re.sub('[“”"]', "", frames.premise)  # words may be quoted
    return phrasing_kind(template) if template else None


def load_pasted(text: str) -> LoadedPairs:
    """Load pasted lines as pairs; see `symdemo.data.pasted.read_pasted` for format and errors."""
    rows = read_pasted(text, labelled=False)[1]
    meanings = {"label": label_meanings(row.cells.get("label", "") for row in rows)}
    mapping = {name: name for name in FIELDS}
    return collect(rows, mapping, meanings, "The pasted text", "lines that were pasted")


@dataclass(frozen=True, slots=True)
class TableLook:
    """The first rows of a table and the guessed mapping of its columns.

    Attributes:
        name: Of the file.
        columns: Their names, or numbers if the first line has none.
        headed: True if the first line seems to name the columns.
        guess: Field → column that probably holds it.
        rows: At most 5 rows, with a text for every column.
        n_rows: Number of all rows.
    """

    name: str
    columns: tuple[str, ...]
    headed: bool
    guess: Mapping[str, str]
    rows: tuple[tuple[str, ...], ...]
    n_rows: int


def look_at_table(path: str | Path, headed: bool | None = None) -> TableLook:
    """Return the first rows of a file that `TableFile` reads.

    `headed` is True if the first line names the columns; None to guess.
    """
    table = TableFile(path, headed, MAX_FILE_BYTES)
    rows = tuple(
        tuple(_shown(row.cells.get(column, "")) for column in table.columns)
        for row in islice(table.rows(), _FIRST_ROWS)
    )
    guess = table.guess(LOADED_FIELDS)
    return TableLook(table.name, tuple(table.columns), table.headed, guess, rows, table.count())


def label_values(path: str | Path, column: str, headed: bool | None = None) -> dict[str, str]:
    """Return at most 30 distinct texts of a column, the most frequent first, and their labels.

    The label is "" for a text that means none, or of which it is not known. Empty cells are left
    out.
    """
    table = TableFile(path, headed, MAX_FILE_BYTES)
    check_mapping({"premise": column}, table.columns, labelled=False)
    counts = Counter(_shown(row.cells.get(column, "")) for row in table.rows([column]))
    del counts[""]
    meanings: dict[str, str] = {}
    with suppress(InputError):  # what 0, 1 and 2 mean is to be chosen
        meanings = table.label_meanings(column)
    found = {}
    for text, _ in counts.most_common(MOST_VALUES):
        found[text] = ""
        with suppress(InputError):
            found[text] = read_label(text, meanings) or ""
    return found


def load_table(
    path: str | Path,
    mapping: Mapping[str, str],
    label_names: Mapping[str, str | None] | None = None,
    headed: bool | None = None,
    systems: Sequence[str] = (),
    groups: Sequence[str] = (),
    reports: Reporter = SILENT,
) -> LoadedPairs:
    """Load the rows of a file that `TableFile` reads as pairs.

    Words such as yes, entails and 0 become the labels they mean.

    Args:
        mapping: Field → column; fields are premise, hypothesis, label, subject (or head), relation,
            object (or tail) and construction. A premise or the three parts are required.
        label_names: Text in the file → label; None or "" for no label.
        headed: True if the first line names the columns; None to guess.
        systems: Columns with labels of other systems.
        groups: Columns to group by, such as a genre; of many numbers, the quarters are taken.
        reports: Receives the number of completed rows; may ask to stop.

    Raises:
        InputError: The file or mapping cannot be used, no row can, or there are more than
            `MAX_PAIRS`.
        ModelError: A hypothesis has to be made, and the parser is not installed.
        StoppedError: `reports` asked to stop.
    """
    table = TableFile(path, headed, MAX_FILE_BYTES)
    aliases = {"head": "subject", "tail": "object"}
    mapping = {aliases.get(field, field): column for field, column in mapping.items()}
    check_mapping(mapping, table.columns, LOADED_FIELDS, labelled=False)
    for column in (*systems, *groups):
        check_mapping({"premise": column}, table.columns, labelled=False)
    if (n := table.count()) > MAX_PAIRS:
        raise InputError(f"{table.name} has {n:,} rows; expected at most {MAX_PAIRS:,}.")
    rows = table.rows([*mapping.values(), *systems, *groups])
    for label in (label_names or {}).values():
        tidy_text("label", label or "", MAX_LABEL)
    meanings = {
        column: table.label_meanings(column, label_names)
        for column in filter(None, [mapping.get("label"), *systems])
    }
    source = f"the file {table.name}"
    return collect(rows, mapping, meanings, table.name, source, systems, groups, reports)


def _shown(text: str, most: int = _CELL) -> str:
    return shorten(one_line(text[: 2 * most], "�"), most)
