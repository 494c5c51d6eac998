"""Tables of people's own: a look at one, the labels in a column, and its rows as pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from symdemo.analysis.loading.cells import (
    ALIASES,
    LOADED_FIELDS,
    RowReader,
    guess_fields,
    plain_text,
)
from symdemo.analysis.loading.collecting import Collector, Progress, ShouldStop
from symdemo.analysis.loading.loaded import MAX_PAIRS, LoadedPairs
from symdemo.data.columns import check_mapping
from symdemo.data.lines import COLUMNS
from symdemo.data.opening import Accepted
from symdemo.data.parquet import PARQUET
from symdemo.data.tables import (
    column_names,
    count_rows,
    file_records,
    names_its_fields,
    seems_headed,
)
from symdemo.errors import InputError
from symdemo.text import MIB, one_line, shorten

MAX_FILE_BYTES = 64 * MIB
ACCEPTED = Accepted((".csv", ".tsv", ".jsonl", PARQUET), MAX_FILE_BYTES)

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
    path = Path(path)
    if headed is None:
        headed = seems_headed(path, ACCEPTED)
    headed = headed or names_its_fields(path)
    columns = column_names(path, headed, ACCEPTED)
    by_place = COLUMNS.get(len(columns), ("premise",) if len(columns) == 1 else ())
    guess = guess_fields(columns) if headed else dict(zip(by_place, columns, strict=False))
    rows = [
        tuple(_shown(_value(values, column)) for column in columns)
        for _, _, values in islice(file_records(path, headed, ACCEPTED), _FIRST_ROWS)
    ]
    n_rows = count_rows(path, headed, ACCEPTED)
    return TableLook(one_line(path.name), tuple(columns), headed, guess, tuple(rows), n_rows)


def _value(values: Mapping[str, object] | InputError, column: str) -> object:
    return None if isinstance(values, InputError) else values.get(column)


def _shown(value: object) -> str:
    return shorten(one_line(str(plain_text(value))[: 2 * _CELL], "�"), _CELL)


def label_values(path: str | Path, column: str, headed: bool = True) -> list[tuple[str, int]]:
    """The values of a column as texts, with how often each stands there, the commonest first.

    Empty cells are left out. After 30 values the last entry counts all others as `OTHERS`.

    Raises:
        InputError: a file that cannot be read, or no such column.
    """
    path = Path(path)
    check_mapping({"premise": column}, column_names(path, headed, ACCEPTED), labelled=False)
    counts: Counter[str] = Counter()
    for _, _, values in file_records(path, headed, ACCEPTED, [column]):
        counts[_shown(_value(values, column))] += 1
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
    path = Path(path)
    mapping = {ALIASES.get(field, field): column for field, column in mapping.items()}
    columns = column_names(path, headed, ACCEPTED)
    check_mapping(mapping, columns, LOADED_FIELDS, labelled=False)
    for column in systems:
        check_mapping({"premise": column}, columns, labelled=False)
    if (n := count_rows(path, headed, ACCEPTED)) > MAX_PAIRS:
        raise InputError(f"{path.name} has {n:,} rows; at most {MAX_PAIRS:,} are analysed at once.")
    collector = Collector(RowReader(mapping, label_names, systems), tuple(systems), should_stop)
    wanted = list(dict.fromkeys([*mapping.values(), *systems]))
    for number, line, values in file_records(path, headed, ACCEPTED, wanted):
        collector.read(number, line, values)
    shown = one_line(path.name)
    return collector.pairs(name or shown, f"the file {shown}", progress)
