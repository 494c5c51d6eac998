"""The table of a project: its rows, the pairs they mean, and its JSON form."""

from __future__ import annotations

import builtins
import re
import secrets
import unicodedata
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any, TypeGuard

from symdemo.data.columns import (
    FIELDS,
    PARTS,
    SENTENCES,
    label_of_word,
    plain_relation,
)
from symdemo.errors import InputError, ModelError
from symdemo.jobs.deadline import check_time
from symdemo.pairs import (
    CONTRADICTION,
    ENTAILMENT,
    MAX_CHARACTERS,
    NEUTRAL,
    Pair,
    check_pair,
    check_sentence,
    sentence_key,
)
from symdemo.swapping import Swap, join, swap
from symdemo.text import shorten, tidy_text

_FORMULA = re.compile(r"=|[+\-@][A-Za-z]+[(|]")  # "-5 °C" and "@ann" are no formulas
_SHEET_ERROR = re.compile(r"#(?:REF|N/A|VALUE|NAME|DIV/0|NULL|NUM|SPILL)[!?]?")
_ROW_ID = re.compile(r"[A-Za-z0-9_-]{1,24}")


@dataclass(frozen=True, slots=True)
class TeachRow:
    """One line of a table: subject, relation and object, or whole sentences, and a label.

    With a `premise` the three parts may be empty, and so may the hypothesis, which is then the
    swapped premise. The label may be missing until the row is taught.
    """

    subject: str = ""
    relation: str = ""
    object: str = ""
    premise: str = ""
    hypothesis: str = ""
    label: str = ""

    @property
    def is_blank(self) -> bool:
        """True if all cells are empty."""
        return not any(str(getattr(self, name)).strip() for name in FIELDS)

    @property
    def is_unfinished(self) -> bool:
        """True if a cell is empty that teaching needs."""
        needed = ("premise",) if self.premise.strip() else PARTS
        return not all(str(getattr(self, name)).strip() for name in (*needed, "label"))

    def to_json(self) -> dict[str, str]:
        """Return the cells that are not empty, by name."""
        return {name: text for name, text in asdict(self).items() if text}

    @classmethod
    def from_json(cls, values: builtins.object) -> TeachRow:
        """Read what `to_json` returned.

        Raises:
            InputError: not an object, an unknown field, or a value that is not text.
        """
        if not isinstance(values, Mapping):
            raise InputError(f"A row is {type(values).__name__}; an object of cells is expected.")
        for name, text in values.items():
            if name not in FIELDS:
                raise InputError(
                    f"A row has the field “{shorten(str(name), 30)}”; expected: "
                    f"{', '.join(FIELDS)}."
                )
            if not isinstance(text, str):
                raise InputError(f"The {name} of a row is {type(text).__name__}; text is expected.")
        return cls(**values)

    def pair(self) -> Pair:
        """Return the pair that the row means; its label is None while the cell is empty.

        `Pair.relation` is the relation as given. For whole sentences it is what the swap found,
        if the swap leads to the hypothesis: plain ("is the boss of") where subject and object are
        at the two ends, else with [X] and [Y].

        Raises:
            InputError: a cell or a sentence that cannot be read.
            ModelError: the hypothesis needs a swap, and the parser is not installed.
        """
        cells = {name: tidy_cell(name, getattr(self, name)) for name in FIELDS}
        if not any(cells[name] for name in (*PARTS, *SENTENCES)):
            raise InputError("There are no words; give subject, relation and object, or a premise.")
        if cells["premise"]:
            return _pair_of_sentences(cells)
        if cells["hypothesis"] and not any(cells[name] for name in PARTS):
            raise InputError("There is a hypothesis but no premise; give the premise too.")
        subject, relation, object = (cells[name] for name in PARTS)
        return check_pair(
            Pair(
                join(subject, relation, object),
                cells["hypothesis"] or join(object, relation, subject),
                cells["label"] or None,
                plain_relation(relation),
                subject,
                object,
            )
        )


def tidy_cell(name: str, text: object) -> str:
    """Return the text of a cell without invisible characters and with single spaces.

    Raises:
        InputError: not text, longer than any sentence, a control character, or a formula.
    """
    if not text and isinstance(text, str):
        return ""
    if isinstance(text, str) and len(text) <= MAX_CHARACTERS and not text.isascii():
        composed = unicodedata.normalize("NFC", text)
        text = "".join(c for c in composed if unicodedata.category(c) != "Cf")
    tidy = tidy_text(name, text, MAX_CHARACTERS)
    if _FORMULA.match(tidy) or _SHEET_ERROR.fullmatch(tidy):
        raise InputError(
            f"The {name} is “{shorten(tidy, 30)}”, which looks like a spreadsheet formula; plain "
            "words are expected."
        )
    return tidy


@lru_cache(maxsize=4096)
def read_label(text: str) -> str:
    """Return the label that a word means: "Yes" is entailment; other words are their own label."""
    return label_of_word(tidy_cell("label", text))


def same_sentence(one: str, other: str) -> bool:
    """True if two sentences differ only in capitals, spaces and the final stop."""
    return sentence_key(one) == sentence_key(other)


def labelled_pair(row: TeachRow) -> Pair:
    """Return the pair of a row that is to be taught.

    Raises:
        InputError: as `TeachRow.pair`, or the label is empty.
    """
    pair = row.pair()
    if not pair.label:
        raise InputError(
            f"The label of “{shorten(pair.premise)}” is empty; {ENTAILMENT}, {CONTRADICTION}, "
            f"{NEUTRAL} or a label of your own is expected."
        )
    return pair


def rows_of_pairs(pairs: Iterable[Pair]) -> list[TeachRow]:
    """Return pairs as rows: in three parts if they make the same sentences, else whole."""
    return [_row_of_pair(pair) for pair in pairs]


def _row_of_pair(pair: Pair) -> TeachRow:
    label, relation = pair.label or "", pair.relation or ""
    parts = TeachRow(pair.head or "", plain_relation(relation), pair.tail or "", label=label)
    with suppress(InputError):
        if parts.pair() == replace(pair, relation=parts.relation):
            return parts
    return replace(parts, premise=pair.premise, hypothesis=pair.hypothesis)


def _pair_of_sentences(cells: Mapping[str, str]) -> Pair:
    check_time()
    premise = check_sentence(cells["premise"], "premise")
    hypothesis = cells["hypothesis"]
    found: Swap | InputError | None = None
    if not hypothesis:
        found = _find_swap(premise)
        if isinstance(found, InputError):
            raise InputError(str(found))  # the cached exception would collect tracebacks
        hypothesis = found.hypothesis
    elif not all(cells[name] for name in PARTS):
        with suppress(ModelError):  # without the parser only the relation stays unknown
            found = _find_swap(premise)
    relation, ends = cells["relation"], (cells["subject"], cells["object"])
    if isinstance(found, Swap) and same_sentence(found.hypothesis, hypothesis):
        relation = relation or found.relation
        ends = ends if any(ends) else (found.subject, found.object)
    known = (plain_relation(relation), *ends)
    return check_pair(
        Pair(premise, hypothesis, cells["label"] or None, *(text or None for text in known))
    )


@lru_cache(maxsize=4096)
def _find_swap(premise: str) -> Swap | InputError:
    try:
        return swap(premise)
    except InputError as error:
        return error


@dataclass(frozen=True, slots=True)
class RowTable:
    """The rows of a project.

    Ids and revision let two open pages that edit one table tell which rows the other changed.

    Attributes:
        rows: in order.
        ids: one unique name per row.
        revision: counts the changes of the table.
    """

    rows: tuple[TeachRow, ...] = ()
    ids: tuple[str, ...] = ()
    revision: int = 0

    @classmethod
    def of(cls, rows: Iterable[TeachRow], revision: int = 0) -> RowTable:
        """Make a table of rows that have no ids yet."""
        rows = tuple(rows)
        return cls(rows, tuple(new_row_id() for _ in rows), revision)

    def by_id(self) -> dict[str, TeachRow]:
        """Return the rows by id, in order."""
        return dict(zip(self.ids, self.rows, strict=True))

    def with_new(self, rows: Iterable[TeachRow]) -> RowTable:
        """Append those of `rows` that the table does not hold yet."""
        known = set(self.rows)
        more = RowTable.of(row for row in dict.fromkeys(rows) if row not in known)
        return RowTable((*self.rows, *more.rows), (*self.ids, *more.ids), self.revision)

    def with_row(self, place: int, row: TeachRow) -> RowTable:
        """Replace the row at a place, counted from 0."""
        return replace(self, rows=(*self.rows[:place], row, *self.rows[place + 1 :]))

    def to_json(self) -> dict[str, Any]:
        """Return the table as JSON values."""
        rows = [{"id": id, **row.to_json()} for id, row in self.by_id().items()]
        return {"revision": self.revision, "rows": rows}

    @classmethod
    def from_json(cls, values: object) -> RowTable:
        """Read what `to_json` returned, or the plain list of rows of an archive.

        Raises:
            InputError: neither of these.
        """
        if isinstance(values, list):  # the same archive gives the same ids
            rows = tuple(TeachRow.from_json(row) for row in values)
            return cls(rows, tuple(f"row-{number}" for number in range(len(rows))), 1)
        if not isinstance(values, dict) or set(values) != {"revision", "rows"}:
            raise InputError(f"A table is {type(values).__name__}; a list of rows is expected.")
        revision, named = values["revision"], values["rows"]
        if type(revision) is not int or revision < 0 or not isinstance(named, list):
            raise InputError("A table has no valid revision or rows; a number and a list are.")
        ids = tuple(
            row["id"] for row in named if isinstance(row, dict) and is_row_id(row.get("id"))
        )
        if len(set(ids)) < len(named):
            raise InputError("The rows of a table have no ids, or two have the same.")
        cells = [{name: text for name, text in row.items() if name != "id"} for row in named]
        return cls(tuple(map(TeachRow.from_json, cells)), ids, revision)


def new_row_id() -> str:
    """Return a random id for a row."""
    return secrets.token_urlsafe(6)


def is_row_id(text: object) -> TypeGuard[str]:
    """True if `text` has the form of a row's id; pages make such ids too."""
    return isinstance(text, str) and _ROW_ID.fullmatch(text) is not None
