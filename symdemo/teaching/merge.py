"""Three-way merge of a table that two open pages changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from symdemo.data.columns import FIELDS
from symdemo.teaching.project_files import RowTable
from symdemo.teaching.rows import TeachRow
from symdemo.text import count, shorten


def merge(
    base: Mapping[str, TeachRow], mine: RowTable, theirs: RowTable
) -> tuple[RowTable, tuple[str, ...]]:
    """Apply to the stored table `theirs` the changes from `base` (rows by id) to `mine`.

    New rows of both sides stay, identical ones once. A row that only one side changed or removed is
    as that side has it. If both changed a row, mine counts; if one side removed a row that the
    other changed, the changed row stays. Return the merged table, and a sentence for each thing
    that the person should know.
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
    told = ((new, "added"), (changed, "changed"), (gone, "removed"))
    if counts := [f"{count(n, 'row')} {done}" for n, done in told if n]:
        yield f"Updated from your other tab ({', '.join(counts)})."
    for id, row in changed_twice:
        text = " | ".join(cell for name in FIELDS if (cell := getattr(row, name)))
        yield (
            f"Row {number[id]} was changed in your other tab too, to “{shorten(text, 120)}”. Your "
            "text here was kept."
        )
    for id in restored:
        yield f"Row {number[id]} is back: it was changed in your other tab after you removed it."
