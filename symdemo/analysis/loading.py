"""Load pairs to analyse from table files and pasted lines; missing hypotheses are made by swapping.

A row that gives no pair is counted under a kind of reason, and kept with the reason as a sentence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

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
from symdemo.swapping.changes import is_swap
from symdemo.swapping.frames import find_frames, locate
from symdemo.text import MIB, one_line, shorten, tidy_text

LOADED_FIELDS = (*FIELDS, "construction")
MAX_LABELS = 50
MAX_CONSTRUCTIONS = 200
"""Most distinct constructions in a table; a column with more holds something else."""

MAX_GROUPS = 50  # most distinct values of a column to group by
MAX_FILE_BYTES = 64 * MIB
MOST_VALUES = 30
_FIRST_ROWS = 5
_CELL = 200
_BAD_SENTENCE = "a sentence cannot be used"
_POLLED_EVERY = 256  # rows read between two polls for a stop
_REPORTED_EVERY = 32
"""Rows between two reports of progress: half a second, where they have to be swapped."""


_Read = tuple[int, Pair, str, tuple[str | None, ...]]
"""Line, pair (without a hypothesis if it has to be made), construction, and other cells."""


@dataclass(eq=False)
class _Reader:
    """Reads rows as pairs, and keeps the rows that give none."""

    mapping: Mapping[str, str]  # field → column
    meanings: Mapping[str, Mapping[str, str]]
    """Column of labels → what its words mean, as `label_meanings` returns it."""
    systems: Sequence[str] = ()  # columns with labels of other systems
    groups: Sequence[str] = ()  # columns to group by
    refused: list[RefusedRow] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    labels: dict[str, tuple[str, str]] = field(default_factory=dict)
    constructions: dict[str, None] = field(default_factory=dict)

    def refuse(self, number: int, text: str, kind: str, why: InputError) -> None:
        self.reasons[kind] += 1
        self.refused.append(RefusedRow(number, shorten(one_line(text[:200], "�")), str(why)))

    def read(self, row: TableRow) -> _Read | None:
        """Read one row, None if refused; `InputError` if a column has too many distinct values."""
        cells = {name: row.cells.get(column, "") for name, column in self.mapping.items()}
        kind = "the line cannot be read"
        try:
            if row.error:
                raise row.error
            kind = "the label cannot be used"
            columns = (self.mapping.get("label", ""), *self.systems)
            label, *others = (self._label_of(row, column) for column in columns)
            kind = "another cell cannot be used"
            construction = tidy_text("construction", cells.get("construction", ""), MAX_LABEL)
            self.constructions |= dict.fromkeys(filter(None, [construction]))
            given = [cells.get(name, "").strip() for name in ("premise", *PARTS)]
            kind = _BAD_SENTENCE if given[0] or all(given[1:]) else "there is no premise"
            pair = _pair(cells, label)
        except InputError as error:
            self.refuse(row.number, row.text, kind, error)
            return None
        finally:
            self._check_columns()
        more = [_shown(row.cells.get(column, ""), MAX_LABEL) for column in self.groups]
        return row.number, pair, construction, (*others, *more)

    def _label_of(self, row: TableRow, column: str) -> str | None:
        text = row.cells.get(column, "")
        tidy = text and tidy_text(f"label “{shorten(column, 30)}”", text, MAX_LABEL)
        label = read_label(tidy, self.meanings.get(column)) if tidy else None
        # "Depends" and "depends" are one label
        return self.labels.setdefault(label.casefold(), (label, column))[0] if label else None

    def _check_columns(self) -> None:
        if len(self.labels) > MAX_LABELS:
            last, column = [*self.labels.values()][-1]
            noun, most, where = "label", MAX_LABELS, f"the column “{shorten(column, 30)}”"
        elif len(self.constructions) > MAX_CONSTRUCTIONS:
            last, where = [*self.constructions][-1], "the column"
            noun, most = "construction", MAX_CONSTRUCTIONS
        else:
            return
        raise InputError(
            f"There are more than {most} different {noun}s in {where}, “{shorten(last, 30)}” among "
            f"them; is the {noun} in another column?"
        )


def _collect(
    rows: Iterable[TableRow], reader: _Reader, name: str, source: str, reports: Reporter = SILENT
) -> LoadedPairs:
    read: list[_Read] = []
    for n, row in enumerate(rows, start=1):
        if n % _POLLED_EVERY == 0:
            reports.check()
        read += filter(None, [reader.read(row)])
    swaps = swap_many(dict.fromkeys(pair.premise for _, pair, *_ in read if not pair.hypothesis))
    found: dict[str, Swap | InputError] = {}
    done: list[tuple[Pair, str | None, tuple[str | None, ...]]] = []
    swapped = doubtful = 0
    for n, (number, pair, construction, others) in enumerate(read, start=1):
        whole, template = pair, None
        try:
            if not pair.hypothesis:
                if pair.premise not in found:
                    reports.check()
                    found[pair.premise] = next(swaps)
                swap = found[pair.premise]
                whole, template = _swapped(pair, swap)
                swapped += 1
                doubtful += isinstance(swap, Swap) and not swap.sure
            done.append((whole, construction or guess_construction(whole, template), others))
        except InputError as error:
            kind = "no swap was found" if isinstance(error, NoPairFound) else _BAD_SENTENCE
            reader.refuse(number, pair.premise, kind, error.with_traceback(None))
        if n % _REPORTED_EVERY == 0 or n == len(read):
            reports.check()
            reports.progress(n, len(read))
    refused = sorted(reader.refused, key=lambda row: row.number)
    if not done:
        first = f"line {refused[0].number}: {refused[0].reason}" if refused else ""
        why = first or "a sentence is expected."
        raise InputError(f"{name} has no row that can be used; {why}")
    pairs, kinds, rest = zip(*done, strict=True)
    columns = list(zip(*rest, strict=True))
    systems, groups = columns[: len(reader.systems)], columns[len(reader.systems) :]
    loaded = LoadedPairs(
        name=name,
        source=source,
        pairs=pairs,
        constructions=kinds,
        swapped=swapped,
        refused=tuple(refused[:MAX_REFUSED]),
        reasons=dict(reader.reasons.most_common()),
        doubtful=doubtful,
        groups={g: _to_group_by(g, own) for g, own in zip(reader.groups, groups, strict=True)},
    )
    return loaded.beside(dict(zip(reader.systems, systems, strict=True))) if systems else loaded


def _to_group_by(column: str, cells: Sequence[str | None]) -> tuple[str | None, ...]:
    """Return cells, None if empty; too many numbers become quartiles, too many texts raise."""
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
    """Return the pair of field → text, swapping if need be; `InputError` if that is impossible."""
    pair = _pair(cells, label)
    return pair if pair.hypothesis else _swapped(pair, swap(pair.premise))[0]


def _swapped(pair: Pair, swap: Swap | InputError) -> tuple[Pair, str]:
    """Return the pair of a premise, made a statement, and its swap; and the premise's template."""
    if isinstance(swap, InputError):
        raise swap
    ends = (pair.head, pair.tail) if pair.head or pair.tail else (swap.subject, swap.object)
    relation = pair.relation or plain_relation(swap.relation)
    made = Pair(swap.premise, swap.hypothesis, pair.label, relation, *ends)
    check_pair(made)
    return made, swap.relation


def guess_construction(pair: Pair, template: str | None = None) -> str | None:
    """Return one of `KINDS_OF_PHRASING` for the premise of a pair, None if unclear.

    `template` has [X] and [Y] for the arguments; if None, they are found by head and tail, else by
    the words that change places between the two sentences.
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
    return _collect(rows, _Reader(mapping, meanings), "The pasted text", "lines that were pasted")


@dataclass(frozen=True, slots=True)
class TableLook:
    """The columns of a table, what they probably hold, and its first rows."""

    columns: tuple[str, ...]  # their names, or numbers if the first line has none
    headed: bool  # True if the first line seems to name the columns
    guess: Mapping[str, str]  # field → column that probably holds it
    rows: tuple[tuple[str, ...], ...]  # at most 5 rows, with a text for every column
    n_rows: int  # number of all rows


def look_at_table(path: str | Path, headed: bool | None = None) -> TableLook:
    """Return what a file seems to hold; `headed` as in `TableFile`."""
    table = TableFile(path, headed, MAX_FILE_BYTES)
    rows = tuple(
        tuple(_shown(row.cells.get(column, "")) for column in table.columns)
        for row in islice(table.rows(), _FIRST_ROWS)
    )
    guess = table.guess(LOADED_FIELDS)
    return TableLook(tuple(table.columns), table.headed, guess, rows, table.count())


def label_values(path: str | Path, column: str, headed: bool | None = None) -> dict[str, str]:
    """Return the `MOST_VALUES` most frequent texts of a column with their labels, "" for none."""
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
    """Load the rows of a file as pairs; words such as yes, entails and 0 become labels.

    Args:
        mapping: Field → column; fields are `LOADED_FIELDS`, or head and tail for subject and
            object. A premise or the three parts are required.
        label_names: Text in the file → label; None or "" for no label.
        headed: True if the first line names the columns; None to guess.
        systems: Columns with labels of other systems.
        groups: Columns to group by, such as a genre; many numbers are grouped by quartile.
        reports: Receives the number of completed rows; `StoppedError` if it asks to stop.

    `InputError` if the file, the mapping or every row cannot be used, or for more than `MAX_PAIRS`
    rows; `ModelError` if a hypothesis has to be made, and the parser is not installed.
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
    reader = _Reader(mapping, meanings, systems, groups)
    return _collect(rows, reader, table.name, f"the file {table.name}", reports)


def _shown(text: str, most: int = _CELL) -> str:
    return shorten(one_line(text[: 2 * most], "�"), most)
