"""Tables of people's own: a look at one, the labels in a column, and its rows as pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from symdemo.analysis.loading.cells import ALIASES, LOADED_FIELDS, RowReader
from symdemo.analysis.loading.collecting import Collector, Progress, ShouldStop
from symdemo.analysis.loading.loaded import MAX_PAIRS, LoadedPairs
from symdemo.data.columns import check_mapping
from symdemo.data.tables import PARQUET, TEXT_ENDINGS, TableFile
from symdemo.errors import InputError
from symdemo.text import MIB, one_line, shorten

MAX_FILE_BYTES = 64 * MIB

OTHERS = "others"
MOST_VALUES = 30
_FIRST_ROWS = 5
_CELL = 200


@dataclass(frozen=True, slots=True)
class TableLook:
    """What a table looks like before anything is made of it.

    Attributes:
        name: of the file.
        columns: their names, or numbers where the first line has none.
        headed: whether the first line seems to name the columns.
        guess: field → column that probably holds it.
        rows: the first rows, at most 5, each with a text for every column.
        n_rows: how many rows there are.
    """

    name: str
    columns: tuple[str, ...]
    headed: bool
    guess: Mapping[str, str]
    rows: tuple[tuple[str, ...], ...]
    n_rows: int


def look_at_table(path: str | Path, headed: bool | None = None) -> TableLook:
    """Look at a CSV, TSV, JSONL or Parquet file.

    Args:
        path: of the file.
        headed: whether the first line names the columns; None to guess.

    Raises:
        InputError: a file that cannot be read.
    """
    table = _open(path, headed)
    rows = tuple(
        tuple(_shown(row.cells.get(column, "")) for column in table.columns)
        for row in islice(table.rows(), _FIRST_ROWS)
    )
    guess = table.guess(LOADED_FIELDS)
    return TableLook(table.name, tuple(table.columns), table.headed, guess, rows, table.count())


def _open(path: str | Path, headed: bool | None) -> TableFile:
    return TableFile(path, headed, (*TEXT_ENDINGS, PARQUET), MAX_FILE_BYTES)


def _shown(text: str) -> str:
    return shorten(one_line(text[: 2 * _CELL], "�"), _CELL)


def label_values(path: str | Path, column: str, headed: bool = True) -> list[tuple[str, int]]:
    """The values of a column as texts, with how often each stands there, the commonest first.

    Empty cells are left out. After 30 values the last entry counts all others as `OTHERS`.

    Raises:
        InputError: a file that cannot be read, or no such column.
    """
    table = _open(path, headed)
    check_mapping({"premise": column}, table.columns, labelled=False)
    counts = Counter(_shown(row.cells.get(column, "")) for row in table.rows([column]))
    del counts[""]
    found = counts.most_common(MOST_VALUES)
    others = counts.total() - sum(n for _, n in found)
    return [*found, (OTHERS, others)] if others else found


def load_table(
    path: str | Path,
    mapping: Mapping[str, str],
    label_names: Mapping[str, str | None] | None = None,
    headed: bool = True,
    name: str | None = None,
    systems: Sequence[str] = (),
    progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
) -> LoadedPairs:
    """Load the rows of a CSV, TSV, JSONL or Parquet file as pairs.

    A row that gives no pair is set aside with the reason. A hypothesis that is not there is made by
    swapping. Words such as yes, no and maybe become the labels they mean.

    Args:
        path: of the file.
        mapping: field → column; the fields are premise, hypothesis, label, subject (or head),
            relation, object (or tail) and construction. A premise is needed, or the three parts.
        label_names: text in the file → label; None or "" for no label.
        headed: whether the first line of a CSV or TSV file names the columns.
        name: what to call the pairs; the file's name if None.
        systems: columns with labels that other systems gave.
        progress: told (rows done, all rows) once all of them are read.
        should_stop: asked now and then.

    Raises:
        InputError: a file or mapping that cannot be used, no usable row, or more than `MAX_PAIRS`.
        ModelError: a hypothesis has to be made, and the parser is not installed.
        StoppedError: `should_stop` said so.
    """
    table = _open(path, headed)
    mapping = {ALIASES.get(field, field): column for field, column in mapping.items()}
    check_mapping(mapping, table.columns, LOADED_FIELDS, labelled=False)
    for column in systems:
        check_mapping({"premise": column}, table.columns, labelled=False)
    if (n := table.count()) > MAX_PAIRS:
        raise InputError(
            f"{table.name} has {n:,} rows; at most {MAX_PAIRS:,} are analysed at once."
        )
    collector = Collector(RowReader(mapping, label_names, systems), tuple(systems), should_stop)
    for row in table.rows([*mapping.values(), *systems]):
        collector.read(row)
    return collector.pairs(name or table.name, f"the file {table.name}", progress)
