"""Two changed tables made one: what two open pages did to the rows of one project.

Nothing that a person wrote is lost without a word. Rows are told apart by their names, so a row
that was moved or changed is still the same row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symdemo.teaching.rows.row import FIELDS, Row
from symdemo.teaching.rows.table import Table
from symdemo.text import shorten


@dataclass(frozen=True, slots=True)
class Merged:
    """The common table, and a sentence for each thing that whoever saved should know."""

    table: Table
    notes: tuple[str, ...] = ()


def merge(base: Mapping[str, Row], mine: Table, theirs: Table) -> Merged:
    """Do to `theirs` what was done to `base` to make `mine`.

    Rows that are new on either side stay, once where both are the same. A row that only one side
    changed or took out is as that side has it. Where both changed a row, mine, which comes later,
    stands; where one side took out what the other changed, the changed row stays.

    Args:
        base: what mine began with, by the names of the rows.
        mine: the table that is being saved.
        theirs: the table as it is kept, which others changed meanwhile.
    """
    own, kept = mine.by_id(), theirs.by_id()
    rows: dict[str, Row] = {}
    twice, back = [], []
    for id, row in kept.items():
        changed = row != base.get(id)
        if id in own:
            mine_changed = own[id] != base.get(id)
            if mine_changed and changed and own[id] != row:
                twice.append((id, row))
            rows[id] = own[id] if mine_changed else row
        elif changed or id not in base:
            rows[id] = row
            if id in base:
                back.append(id)
    fresh = {row for id, row in rows.items() if id not in base and not row.is_blank}
    place: dict[str, str | None] = {}
    before = None
    for id, row in own.items():
        is_new = id not in kept and row != base.get(id)
        if is_new and (id in base or row not in fresh):
            rows[id] = row
            place[id] = before
        if id in rows:
            before = id
    ids = _in_order([id for id in kept if id in rows], place)
    table = Table(tuple(rows[id] for id in ids), tuple(ids), theirs.revision)
    return Merged(table, tuple(_notes(table, base, own, kept, twice, back)))


def _in_order(ids: list[str], place: Mapping[str, str | None]) -> list[str]:
    """`ids` with the others where they belong: each below the row that it stood below."""
    for id, before in place.items():
        ids.insert(ids.index(before) + 1 if before in ids else 0, id)
    return ids


def _notes(table, base, own, kept, twice, back) -> list[str]:
    number = {id: place for place, id in enumerate(table.ids, start=1)}
    new = sum(id not in base and id not in own for id in kept)
    gone = sum(id in own and own[id] == row and id not in kept for id, row in base.items())
    changed = sum(
        id in base and own.get(id) == base[id] and row != base[id] for id, row in kept.items()
    )
    counts = [
        f"{n:,} {'row was' if n == 1 else 'rows were'} {done}"
        for n, done in ((new, "added"), (changed, "changed"), (gone, "taken out"))
        if n
    ]
    notes = (
        [f"On another page of yours {', '.join(counts)}; you see that here too."] if counts else []
    )
    notes += [
        f"Row {number[id]} was changed on another page too. It is now as you wrote it here; there "
        f"it was “{_text(row)}”."
        for id, row in twice
    ]
    notes += [
        f"Row {number[id]} stays: it was changed on another page after you took it out."
        for id in back
    ]
    return notes


def _text(row: Row) -> str:
    return shorten(" | ".join(text for name in FIELDS if (text := getattr(row, name))), 120)
