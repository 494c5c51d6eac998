"""A person's table as it is kept: rows that have names of their own, and a count of its changes.

Two open pages may hold the same table. By the name of a row each knows which of its rows the other
changed, and by the revision whether it has seen the latest table.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

from symdemo.errors import InputError
from symdemo.teaching.rows.row import Row

ROW_ID = re.compile(r"[A-Za-z0-9_-]{1,24}")
"""What the name of a row looks like; pages make such names too."""

_FIELDS = {"revision", "rows"}


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a project.

    Attributes:
        rows: in order.
        ids: their names, as many and all different.
        revision: how often the table was changed.
    """

    rows: tuple[Row, ...] = ()
    ids: tuple[str, ...] = ()
    revision: int = 0

    @classmethod
    def of(cls, rows: Iterable[Row], revision: int = 0) -> Table:
        """A table of rows that have no names yet."""
        rows = tuple(rows)
        return cls(rows, tuple(new_id() for _ in rows), revision)

    def by_id(self) -> dict[str, Row]:
        """The rows by name, in order."""
        return dict(zip(self.ids, self.rows, strict=True))

    def with_new(self, rows: Iterable[Row]) -> Table:
        """The table with those of `rows` at its end that it has not yet."""
        known = set(self.rows)
        more = Table.of(row for row in dict.fromkeys(rows) if row not in known)
        return Table((*self.rows, *more.rows), (*self.ids, *more.ids), self.revision)

    def with_row(self, place: int, row: Row) -> Table:
        """The table with another row at a place, counted from 0."""
        rows = (*self.rows[:place], row, *self.rows[place + 1 :])
        return Table(rows, self.ids, self.revision)

    def to_json(self) -> dict[str, Any]:
        """The table as JSON values."""
        rows = [{"id": id, **row.to_json()} for id, row in self.by_id().items()]
        return {"revision": self.revision, "rows": rows}

    @classmethod
    def from_json(cls, values: object) -> Table:
        """The table that `to_json` gave, or one of a plain list of rows.

        Raises:
            InputError: neither of these.
        """
        if isinstance(values, list):  # of an archive; the same list gives the same names
            rows = tuple(Row.from_json(row) for row in values)
            return cls(rows, tuple(f"row-{number}" for number in range(len(rows))), 1)
        if not isinstance(values, dict) or set(values) != _FIELDS:
            raise InputError(f"A table is {type(values).__name__}; a list of rows is expected.")
        revision, named = values["revision"], values["rows"]
        if type(revision) is not int or revision < 0 or not isinstance(named, list):
            raise InputError("A table has no proper revision or rows; a number and a list are.")
        given = (row.get("id") for row in named if isinstance(row, Mapping))
        ids = tuple(filter(is_row_id, given))
        if len(set(ids)) < len(named):
            raise InputError("The rows of a table have no names, or two have the same.")
        cells = [{name: text for name, text in row.items() if name != "id"} for row in named]
        return cls(tuple(map(Row.from_json, cells)), ids, revision)


def new_id() -> str:
    """A name for a row that no other has."""
    return secrets.token_urlsafe(6)


def is_row_id(text: object) -> TypeGuard[str]:
    """Whether `text` has the form of a row's name."""
    return isinstance(text, str) and ROW_ID.fullmatch(text) is not None
