"""One row of a table: from its cells to a pair, or the kind of reason why there is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from symdemo.data.columns import FIELDS, PARTS, SENTENCES, label_of_word, plain_relation
from symdemo.data.tables import TableRow
from symdemo.errors import InputError
from symdemo.pairs import MAX_CHARACTERS, Pair, check_pair, check_sentence
from symdemo.swapping import join
from symdemo.text import shorten, tidy_text

LOADED_FIELDS = (*FIELDS, "construction")
ALIASES = {"head": "subject", "tail": "object"}
MAX_LABEL = 80
"""Characters of a label, or of the name of a construction."""
MAX_LABELS = 50
MAX_CONSTRUCTIONS = 200
"""Different ones in a table; a column with more of them holds something else."""

UNREADABLE = "the line cannot be read"
NO_PREMISE = "there is no premise"
BAD_SENTENCE = "a sentence cannot be used"
SAME = "premise and hypothesis are the same"
NO_SWAP = "no swap was found"
BAD_LABEL = "the label cannot be used"
BAD_CELL = "another cell cannot be used"

T = TypeVar("T")


class RowRefused(Exception):  # noqa: N818  (no error: what becomes of a row)
    """A row gives no pair: the kind of reason, and the reason in one sentence."""

    def __init__(self, kind: str, reason: object):
        super().__init__(str(reason))
        self.kind = kind


class RowOfCells(NamedTuple):
    """A row that can be used; its hypothesis is empty where it has to be made by swapping."""

    pair: Pair
    construction: str | None
    systems: tuple[str | None, ...]


class RowReader:
    """Makes rows of cells, and knows which labels and constructions it has seen.

    Args:
        mapping: field → column.
        label_names: text of a label in the table → label, or nothing for none.
        systems: columns that hold the labels of other systems.
    """

    def __init__(
        self,
        mapping: Mapping[str, str],
        label_names: Mapping[str, str | None] | None = None,
        systems: Sequence[str] = (),
    ):
        self._mapping, self._systems = dict(mapping), tuple(systems)
        self._named = {name: label or "" for name, label in (label_names or {}).items()}
        for label in self._named.values():
            tidy_text("label", label, MAX_LABEL)
        self._spelling: dict[str, str] = {}  # "Depends" and "depends" are one label
        self._constructions: set[str] = set()

    def read(self, row: TableRow) -> RowOfCells:
        """Make a row of the cells of a table's row.

        Raises:
            RowRefused: it gives no pair.
            InputError: a column has too many different values to be what it was taken for.
        """
        if row.error:
            raise RowRefused(UNREADABLE, row.error)
        cells = {field: row.cells.get(column, "") for field, column in self._mapping.items()}
        label = self._label(cells.get("label", ""), self._mapping.get("label", "label"))
        systems = tuple(self._label(row.cells.get(name, ""), name) for name in self._systems)
        construction = self._construction(cells.get("construction", ""))
        parts = {
            name: _checked(BAD_CELL, tidy_text, name, cells.get(name, ""), MAX_CHARACTERS)
            for name in PARTS
        }
        return RowOfCells(_pair(cells, parts, label), construction, systems)

    def _label(self, text: str, column: str) -> str | None:
        if not text:
            return None
        tidy = _checked(BAD_LABEL, tidy_text, f"label “{shorten(column, 30)}”", text, MAX_LABEL)
        label = self._named[tidy] if tidy in self._named else label_of_word(tidy)
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


def _pair(cells: Mapping[str, str], parts: Mapping[str, str], label: str | None) -> Pair:
    """The pair of whole sentences, or of three parts where there is no premise."""
    premise, hypothesis = (cells.get(name, "").strip() for name in SENTENCES)
    subject, relation, object = (parts[name] for name in PARTS)
    if not premise:
        if not all(parts.values()):
            raise RowRefused(NO_PREMISE, _what_is_missing(parts))
        premise = _checked(BAD_SENTENCE, join, subject, relation, object)
        hypothesis = hypothesis or _checked(BAD_SENTENCE, join, object, relation, subject)
    known = (label, *(text or None for text in (plain_relation(relation), subject, object)))
    premise = _checked(BAD_SENTENCE, check_sentence, premise, "premise")
    if not hypothesis:
        return Pair(premise, "", *known)
    hypothesis = _checked(BAD_SENTENCE, check_sentence, hypothesis, "hypothesis")
    return _checked(SAME, check_pair, Pair(premise, hypothesis, *known))


def _what_is_missing(parts: Mapping[str, str]) -> str:
    if not any(parts.values()):
        return "The premise is empty; a sentence is expected."
    return f"The {next(name for name in PARTS if not parts[name])} is empty; a word is expected."


def _checked(kind: str, check: Callable[..., T], *given: object) -> T:
    """What `check` makes of it; its refusal as that of a row."""
    try:
        return check(*given)
    except InputError as error:
        raise RowRefused(kind, error) from None
