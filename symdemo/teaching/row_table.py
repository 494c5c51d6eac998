"""The rows of a project as one table, and the merge of two tables that open pages changed."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Annotated, Any, TypeGuard, TypeVar

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, ValidationError, create_model

from symdemo.data.columns import FIELDS
from symdemo.errors import InputError
from symdemo.teaching.rows import TeachRow, same_sentence
from symdemo.text import one_line, shorten

ROWS = "rows.json"
_Record = TypeVar("_Record", bound=BaseModel)
_FORM = ConfigDict(strict=True, extra="forbid", frozen=True)


def parse(model: type[_Record], values: Any, name: str) -> _Record:
    """Validate the content of the file `name`, or raise `InputError`."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        at = f" under “{shorten(one_line(place), 40)}”" if place else ""
        raise InputError(f"The file {name} is not valid{at}: {first['msg']}.") from None


_ROW_ID = re.compile(r"[A-Za-z0-9_-]{1,24}")
_StoredRow = create_model(
    "_StoredRow",
    __config__=_FORM,
    id=(Annotated[str, Field(pattern=f"^{_ROW_ID.pattern}$")], ...),
    **dict.fromkeys(FIELDS, (str, "")),
)  # type: ignore[call-overload]
_StoredTable = create_model(
    "_StoredTable",
    __config__=_FORM,
    revision=(NonNegativeInt, ...),
    rows=(list[_StoredRow], ...),  # type: ignore[valid-type]
)


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

    def labelled(self, row: TeachRow) -> tuple[RowTable, int, str | None]:
        """Append a row, or give its label to the row of the same two sentences.

        Return the table, the row's place, and the label that it had, None if it is new.
        """
        pair = row.pair()
        for place, old in enumerate(self.rows):
            with suppress(InputError):  # it is unfinished
                known = old.pair()
                if same_sentence(known.premise, pair.premise) and same_sentence(
                    known.hypothesis, pair.hypothesis
                ):
                    return self.with_row(place, replace(old, label=row.label)), place, old.label
        return self.with_new([row]), len(self.rows), None

    def to_json(self) -> dict[str, Any]:
        """Return the table as JSON values."""
        rows = [{"id": id, **row.to_json()} for id, row in self.by_id().items()]
        return {"revision": self.revision, "rows": rows}

    @classmethod
    def from_json(cls, values: Any) -> RowTable:
        """Read what `to_json` returned, or the plain list of rows of an archive.

        Raises:
            InputError: neither of these.
        """
        if isinstance(values, list):  # the same archive gives the same ids
            named = [
                {"id": f"row-{number}", **row} if isinstance(row, dict) else row
                for number, row in enumerate(values)
            ]
            values = {"revision": 1, "rows": named}
        table: Any = parse(_StoredTable, values, ROWS)
        ids = tuple(row.id for row in table.rows)
        if len(set(ids)) < len(ids):
            raise InputError(f"Two rows in the file {ROWS} have the same id.")
        rows = tuple(TeachRow(**row.model_dump(exclude={"id"})) for row in table.rows)
        return cls(rows, ids, table.revision)


def new_row_id() -> str:
    """Return a random id for a row."""
    return secrets.token_urlsafe(6)


def is_row_id(text: object) -> TypeGuard[str]:
    """True if `text` has the form of a row's id; pages make such ids too."""
    return isinstance(text, str) and _ROW_ID.fullmatch(text) is not None


def merge(
    base: Mapping[str, TeachRow], mine: RowTable, theirs: RowTable
) -> tuple[RowTable, tuple[str, ...]]:
    """Apply to `theirs` the changes that lead from `base` to `mine`.

    New rows of both sides stay, identical ones once. A row that only one side changed or removed is
    as that side has it. If both changed a row, mine counts; if one side removed a row that the
    other changed, the changed row stays.

    Args:
        base: what mine started from, by row id.
        mine: the table being saved.
        theirs: the table as stored, which another page changed.

    Returns:
        The merged table, and a sentence for each thing that the person should know.
    """
    own, kept = mine.by_id(), theirs.by_id()
    rows: dict[str, TeachRow] = {}
    changed_twice, restored = [], []
    for id, row in kept.items():
        changed = row != base.get(id)
        if id in own:
            mine_changed = own[id] != base.get(id)
            if mine_changed and changed and own[id] != row:
                changed_twice.append((id, row))
            rows[id] = own[id] if mine_changed else row
        elif changed or id not in base:
            rows[id] = row
            if id in base:
                restored.append(id)
    fresh = {row for id, row in rows.items() if id not in base and not row.is_blank}
    ids = list(rows)
    above = None
    for id, row in own.items():
        is_new = id not in kept and row != base.get(id)
        if is_new and (id in base or row not in fresh):
            rows[id] = row
            ids.insert(ids.index(above) + 1 if above else 0, id)
        if id in rows:
            above = id
    table = RowTable(tuple(rows[id] for id in ids), tuple(ids), theirs.revision)
    return table, tuple(_notes(table, base, own, kept, changed_twice, restored))


def _notes(table, base, own, kept, changed_twice, restored) -> Iterator[str]:
    number = {id: place for place, id in enumerate(table.ids, start=1)}
    new = sum(id not in base and id not in own for id in kept)
    gone = sum(id in own and own[id] == row and id not in kept for id, row in base.items())
    changed = sum(
        id in base and own.get(id) == base[id] and row != base[id] for id, row in kept.items()
    )
    counts = [
        f"{n:,} {'row' if n == 1 else 'rows'} {done}"
        for n, done in ((new, "added"), (changed, "changed"), (gone, "removed"))
        if n
    ]
    if counts:
        yield f"Updated from your other tab ({', '.join(counts)})."
    for id, row in changed_twice:
        text = " | ".join(cell for name in FIELDS if (cell := getattr(row, name)))
        yield (
            f"Row {number[id]} was changed in your other tab too, to “{shorten(text, 120)}”. Your "
            "text here was kept."
        )
    for id in restored:
        yield f"Row {number[id]} is back: it was changed in your other tab after you removed it."
