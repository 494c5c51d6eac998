"""Load pairs to analyse from table files and pasted lines.

Every row is checked, then missing hypotheses are made by swapping. A row that gives no pair is
refused with the kind of reason and the reason in a sentence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar

from symdemo.analysis.loaded import MAX_PAIRS, MAX_REFUSED, LoadedPairs, RefusedRow
from symdemo.data.bank_phrasings import phrasing_kind
from symdemo.data.columns import (
    FIELDS,
    PARTS,
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
from symdemo.swapping import Swap, join, swap_many
from symdemo.swapping.frames import find_frames, is_swap, locate
from symdemo.text import MIB, one_line, shorten, tidy_text

LOADED_FIELDS = (*FIELDS, "construction")
MAX_LABELS = 50
MAX_CONSTRUCTIONS = 200
"""Distinct constructions in a table; a column with more of them holds something else."""

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
T = TypeVar("T")


class RowRefused(Exception):  # noqa: N818  (no error: the outcome of a row)
    """A row gives no pair: the kind of reason, and the reason in a sentence."""

    def __init__(self, kind: str, reason: str | Exception):
        super().__init__(str(reason))
        self.kind = kind


class CheckedRow(NamedTuple):
    """A usable row; its hypothesis is empty if it has to be made by swapping."""

    pair: Pair
    construction: str | None
    systems: tuple[str | None, ...]


class RowReader:
    """Checks rows of cells, and keeps track of the labels and constructions seen.

    Args:
        mapping: Field → column.
        meanings: Column of labels → what its words mean, as `label_meanings` returns it.
        systems: Columns with labels of other systems.
    """

    def __init__(
        self,
        mapping: Mapping[str, str],
        meanings: Mapping[str, Mapping[str, str]],
        systems: Sequence[str] = (),
    ):
        self.systems = tuple(systems)
        self._mapping = mapping
        self._meanings = meanings
        self._spelling: dict[str, str] = {}  # "Depends" and "depends" are one label
        self._constructions: set[str] = set()

    def read(self, row: TableRow) -> CheckedRow:
        """Check a row.

        Raises:
            RowRefused: It gives no pair.
            InputError: A column has too many distinct values for its field.
        """
        if row.error:
            raise RowRefused(UNREADABLE, row.error)
        cells = {field: row.cells.get(column, "") for field, column in self._mapping.items()}
        label, *systems = (
            self._label(row.cells.get(column, ""), column)
            for column in (self._mapping.get("label", ""), *self.systems)
        )
        construction = self._construction(cells.get("construction", ""))
        return CheckedRow(_pair(cells, label), construction, tuple(systems))

    def _label(self, text: str, column: str) -> str | None:
        if not text:
            return None
        tidy = _checked(BAD_LABEL, tidy_text, f"label “{shorten(column, 30)}”", text, MAX_LABEL)
        label = _checked(BAD_LABEL, read_label, tidy, self._meanings.get(column))
        if not label:
            return None
        known = self._spelling.setdefault(label.casefold(), label)
        if len(self._spelling) > MAX_LABELS:
            raise InputError(
                f"The column “{shorten(column, 30)}” has more than {MAX_LABELS} different labels, "
                f"“{shorten(label, 30)}” among them; is the label in another column?"
            )
        return known

    def _construction(self, text: str) -> str | None:
        tidy = _checked(BAD_CELL, tidy_text, "construction", text, MAX_LABEL)
        if tidy:
            self._constructions.add(tidy)
        if len(self._constructions) > MAX_CONSTRUCTIONS:
            raise InputError(
                f"There are more than {MAX_CONSTRUCTIONS} different constructions, "
                f"“{shorten(tidy, 30)}” among them; is the construction in another column?"
            )
        return tidy or None


def _pair(cells: Mapping[str, str], label: str | None) -> Pair:
    """Return the pair of a row's sentences, or of its three parts if there is no premise."""
    parts = {
        name: _checked(BAD_CELL, tidy_text, name, cells.get(name, ""), MAX_CHARACTERS)
        for name in PARTS
    }
    premise, hypothesis = cells.get("premise", "").strip(), cells.get("hypothesis", "").strip()
    subject, relation, object = parts.values()
    if not premise:
        if not any(parts.values()):
            raise RowRefused(NO_PREMISE, "The premise is empty; a sentence is expected.")
        for name, text in parts.items():
            if not text:
                raise RowRefused(NO_PREMISE, f"The {name} is empty; a word is expected.")
        premise = _checked(BAD_SENTENCE, join, subject, relation, object)
        hypothesis = hypothesis or _checked(BAD_SENTENCE, join, object, relation, subject)
    premise = _checked(BAD_SENTENCE, check_sentence, premise, "premise")
    if hypothesis:
        hypothesis = _checked(BAD_SENTENCE, check_sentence, hypothesis, "hypothesis")
    named = plain_relation(relation) or None
    return Pair(premise, hypothesis, label, named, subject or None, object or None)


def _checked(kind: str, check: Callable[..., T], *given: object) -> T:
    """Return `check(*given)`; its `InputError` refuses the row."""
    try:
        return check(*given)
    except InputError as error:
        raise RowRefused(kind, error) from None


def collect(
    rows: Iterable[TableRow], reader: RowReader, name: str, source: str, reports: Reporter = SILENT
) -> LoadedPairs:
    """Make pairs of all rows; for the errors and `reports` see `load_table`."""
    reasons: Counter[str] = Counter()
    refused: list[RefusedRow] = []

    def refuse(number: int, text: str, why: RowRefused) -> None:
        reasons[why.kind] += 1
        refused.append(RefusedRow(number, shorten(one_line(text[:200], "�")), str(why)))

    checked: list[tuple[int, CheckedRow]] = []
    for n, row in enumerate(rows, start=1):
        if n % _POLLED_EVERY == 0:
            reports.check()
        try:
            checked.append((row.number, reader.read(row)))
        except RowRefused as why:
            refuse(row.number, row.text, why)
    swapper = _Swapper(own.pair.premise for _, own in checked if not own.pair.hypothesis)
    done: list[CheckedRow] = []
    for n, (number, own) in enumerate(checked, start=1):
        try:
            pair, template = own.pair, None
            if not pair.hypothesis:
                reports.check()
                pair, template = swapper.complete(pair)
            kind = own.construction or guess_construction(pair, template)
            done.append(own._replace(pair=pair, construction=kind))
        except RowRefused as why:
            refuse(number, own.pair.premise, why)
        if n % _REPORTED_EVERY == 0 or n == len(checked):
            reports.check()
            reports.progress(n, len(checked))
    refused.sort(key=lambda row: row.number)
    if not done:
        first = "a sentence in each is expected."
        if refused:
            first = f"line {refused[0].number}: {refused[0].reason}"
        raise InputError(f"{name} has no row that can be used; {first}")
    loaded = LoadedPairs(
        name=name,
        source=source,
        pairs=tuple(row.pair for row in done),
        constructions=tuple(row.construction for row in done),
        swapped=swapper.swapped,
        refused=tuple(refused[:MAX_REFUSED]),
        reasons=dict(reasons.most_common()),
        doubtful=swapper.doubtful,
    )
    if not reader.systems:
        return loaded
    said = zip(*(row.systems for row in done), strict=True)
    return loaded.beside(dict(zip(reader.systems, said, strict=True)))


class _Swapper:
    """Completes pairs by swapping, each distinct premise once, in the order of `premises`.

    `swapped` counts the completed pairs, `doubtful` those whose swap is uncertain.
    """

    def __init__(self, premises: Iterable[str]):
        distinct = list(dict.fromkeys(premises))
        self._next = zip(distinct, swap_many(distinct), strict=True)
        self._found: dict[str, tuple[Pair, str, bool] | RowRefused] = {}
        self.swapped = self.doubtful = 0

    def complete(self, pair: Pair) -> tuple[Pair, str]:
        """Return the pair with a hypothesis, and the template of its premise.

        The premise becomes a statement if it was a question.

        Raises:
            RowRefused: There is no swap.
            ModelError: The parser is not installed.
        """
        while pair.premise not in self._found:
            premise, swap = next(self._next)
            self._found[premise] = _essentials(swap)
        found = self._found[pair.premise]
        if isinstance(found, RowRefused):
            raise RowRefused(found.kind, found)  # the stored one would collect tracebacks
        made, template, sure = found
        self.swapped += 1
        self.doubtful += not sure
        made = replace(made, label=pair.label, relation=pair.relation or made.relation)
        if pair.head or pair.tail:
            made = replace(made, head=pair.head, tail=pair.tail)
        return made, template


def _essentials(swap: Swap | InputError) -> tuple[Pair, str, bool] | RowRefused:
    """Return the pair, the template of its premise, and whether the swap is certain."""
    if isinstance(swap, InputError):
        return RowRefused(NO_SWAP if isinstance(swap, NoPairFound) else BAD_SENTENCE, swap)
    relation = plain_relation(swap.relation)
    pair = Pair(swap.premise, swap.hypothesis, None, relation, swap.subject, swap.object)
    try:
        check_pair(pair)
    except InputError as error:
        return RowRefused(BAD_SENTENCE, error)
    return pair, swap.relation, swap.sure


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
    meanings = label_meanings(row.cells.get("label", "") for row in rows)
    reader = RowReader({name: name for name in FIELDS}, {"label": meanings})
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
    for column in systems:
        check_mapping({"premise": column}, table.columns, labelled=False)
    if (n := table.count()) > MAX_PAIRS:
        raise InputError(f"{table.name} has {n:,} rows; expected at most {MAX_PAIRS:,}.")
    rows = table.rows([*mapping.values(), *systems])
    for label in (label_names or {}).values():
        tidy_text("label", label or "", MAX_LABEL)
    meanings = {
        column: table.label_meanings(column, label_names)
        for column in filter(None, [mapping.get("label"), *systems])
    }
    reader = RowReader(mapping, meanings, systems)
    return collect(rows, reader, table.name, f"the file {table.name}", reports)


def _shown(text: str) -> str:
    return shorten(one_line(text[: 2 * _CELL], "�"), _CELL)
