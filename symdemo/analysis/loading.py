"""Load pairs to analyse: built-in sets, table files and pasted lines."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from pathlib import Path

from symdemo.analysis.collecting import LOADED_FIELDS, RowReader, collect
from symdemo.analysis.loaded import MAX_PAIRS, LoadedPairs, RefusedRow, taught_part
from symdemo.analysis.stopping import Progress, ShouldStop
from symdemo.data.bank import load_kinds, shipped_bank
from symdemo.data.bank_phrasings import phrasing_kind
from symdemo.data.columns import FIELDS, check_mapping
from symdemo.data.pair_files import load_pairs
from symdemo.data.pasted import read_pasted
from symdemo.data.relations import RELATION_BY_ID
from symdemo.data.sources import load_data
from symdemo.data.tables import PARQUET, TEXT_ENDINGS, TableFile
from symdemo.errors import InputError
from symdemo.files.paths import ASSETS
from symdemo.pairs import Pair
from symdemo.text import MIB, one_line, shorten

__all__ = [
    "MAX_PAIRS",
    "OTHERS",
    "BuiltInSet",
    "LoadedPairs",
    "RefusedRow",
    "TableLook",
    "built_in_sets",
    "label_values",
    "load_built_in",
    "load_pasted",
    "load_table",
    "look_at_table",
    "taught_part",
]

SEED = 2_026
"""Of the entities in sets made from the bank; no model is trained with it."""
MAX_FILE_BYTES = 64 * MIB
OTHERS = "others"
MOST_VALUES = 30
ALIASES = {"head": "subject", "tail": "object"}
_FIRST_ROWS = 5
_CELL = 200


@dataclass(frozen=True, slots=True)
class BuiltInSet:
    """A set of pairs that comes with symdemo.

    Attributes:
        id: For `load_built_in`.
        name: Shown to people.
        words: A description in a sentence or two.
        n: Number of pairs, if known without making them.
    """

    id: str
    name: str
    words: str
    n: int | None = None


_Made = tuple[Sequence[Pair], Sequence[str | None], str]
"""Pairs, constructions and source."""


def built_in_sets() -> tuple[BuiltInSet, ...]:
    """Return all built-in sets, in the order in which they are offered."""
    return tuple(_SETS)


@cache
def load_built_in(id: str) -> LoadedPairs:
    """Return the pairs of a built-in set, the same every time.

    Raises:
        InputError: There is no set with this id.
    """
    for known, make in _SETS.items():
        if known.id == id:
            pairs, constructions, source = make()
            return LoadedPairs(known.name, source, tuple(pairs), tuple(constructions), built_in=id)
    ids = ", ".join(known.id for known in _SETS)
    raise InputError(f"There is no set “{shorten(str(id), 30)}”; expected one of: {ids}.")


def _facts(id: str) -> _Made:
    found = load_data(id)
    kinds = [phrasing_kind(RELATION_BY_ID[pair.relation or ""].template) for pair in found.pairs]
    return found.pairs, kinds, found.source


def _bank() -> _Made:
    bank = shipped_bank()
    phrasings = [phrasing for own in bank.relations for phrasing in own.phrasings]
    return bank.pairs(seed=SEED), list(map(phrasing_kind, phrasings)), "assets/bank"


def _kinds() -> _Made:
    pairs: list[Pair] = []
    constructions: list[str] = []
    for kind in load_kinds():
        own = kind.bank.pairs(seed=SEED)
        pairs += own
        constructions += [kind.name.replace("_", " ")] * len(own)
    return pairs, constructions, "assets/bank/kinds"


def _sentences(file: str) -> _Made:
    path = ASSETS / file
    with path.open(encoding="utf-8", newline="") as text:
        kinds = [phrasing_kind(row["pattern"]) for row in csv.DictReader(text)]
    return load_pairs(path), kinds, f"assets/{file}"


_SETS: dict[BuiltInSet, Callable[[], _Made]] = {
    BuiltInSet(
        "facts",
        "14 relations, with names",
        "Facts of the paper’s 14 relations, read in both directions, each relation in one wording.",
    ): partial(_facts, "facts"),
    BuiltInSet(
        "facts-delexicalized",
        "14 relations, with ids",
        "The same facts with an id in the place of every name.",
    ): partial(_facts, "facts-delexicalized"),
    BuiltInSet(
        "bank",
        "Relation bank",
        "Every wording of every relation in the bank, once each. The shipped model “general” was "
        "taught these relations, about other people and things.",
    ): _bank,
    BuiltInSet(
        "kinds",
        "Special constructions",
        "Arithmetic, sport, roles of one sex and other constructions that are rare in the bank. "
        "“general” was taught four fifths of these relations.",
    ): _kinds,
    BuiltInSet(
        "free-sentences",
        "Free sentences",
        "Sentences written by hand about many relations, which are not taught as such.",
        234,
    ): partial(_sentences, "free_sentences.csv"),
    BuiltInSet(
        "blind-sentences",
        "Blind sentences",
        "Sentences written by hand without a look at the bank or at a model.",
        172,
    ): partial(_sentences, "blind_sentences.csv"),
}


def load_pasted(text: str) -> LoadedPairs:
    """Load pasted lines as pairs; see `symdemo.data.pasted.read_pasted`.

    Raises:
        InputError: Not text, too much of it, or no usable line.
        ModelError: A hypothesis has to be made, and the parser is not installed.
    """
    rows = read_pasted(text, labelled=False)[1]
    reader = RowReader({name: name for name in FIELDS})
    return collect(rows, reader, "The pasted text", "lines that were pasted")


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
    """Return the first rows of a CSV, TSV, JSONL or Parquet file.

    Args:
        path: Of the file.
        headed: True if the first line names the columns; None to guess.

    Raises:
        InputError: The file cannot be read.
    """
    table = _open(path, headed)
    rows = tuple(
        tuple(_shown(row.cells.get(column, "")) for column in table.columns)
        for row in islice(table.rows(), _FIRST_ROWS)
    )
    guess = table.guess(LOADED_FIELDS)
    return TableLook(table.name, tuple(table.columns), table.headed, guess, rows, table.count())


def label_values(path: str | Path, column: str, headed: bool = True) -> list[tuple[str, int]]:
    """Return the distinct texts of a column with their counts, the most frequent first.

    Empty cells are left out. After 30 values the last entry counts all others as `OTHERS`.

    Raises:
        InputError: The file cannot be read, or has no such column.
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

    A row that gives no pair is refused with the reason. A missing hypothesis is made by swapping.
    Words such as yes, no and maybe become the labels they mean.

    Args:
        path: Of the file.
        mapping: Field → column; fields are premise, hypothesis, label, subject (or head), relation,
            object (or tail) and construction. A premise or the three parts are required.
        label_names: Text in the file → label; None or "" for no label.
        headed: True if the first line of a CSV or TSV file names the columns.
        name: Shown to people; the file's name if None.
        systems: Columns with labels of other systems.
        progress: Called with the numbers of rows completed and of all rows.
        should_stop: Polled now and then.

    Raises:
        InputError: The file or mapping cannot be used, no row can, or there are more than
            `MAX_PAIRS`.
        ModelError: A hypothesis has to be made, and the parser is not installed.
        StoppedError: `should_stop` returned True.
    """
    table = _open(path, headed)
    mapping = {ALIASES.get(field, field): column for field, column in mapping.items()}
    check_mapping(mapping, table.columns, LOADED_FIELDS, labelled=False)
    for column in systems:
        check_mapping({"premise": column}, table.columns, labelled=False)
    if (n := table.count()) > MAX_PAIRS:
        raise InputError(f"{table.name} has {n:,} rows; expected at most {MAX_PAIRS:,}.")
    rows = table.rows([*mapping.values(), *systems])
    reader = RowReader(mapping, label_names, systems)
    source = f"the file {table.name}"
    return collect(rows, reader, name or table.name, source, progress, should_stop)


def _open(path: str | Path, headed: bool | None) -> TableFile:
    return TableFile(path, headed, (*TEXT_ENDINGS, PARQUET), MAX_FILE_BYTES)


def _shown(text: str) -> str:
    return shorten(one_line(text[: 2 * _CELL], "�"), _CELL)
