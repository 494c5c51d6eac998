"""The part “Rows”: a page of the table, sorted and marked."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from symdemo.ui.analyse.shown import Shown
from symdemo.ui.shared.html import draw
from symdemo.ui.shared.words import relation_name

PAGE = 100
HEADS = (
    ("premise", "Pair", False), ("label", "True label", False), ("verdict", "Verdict", True),
    ("probability", "How sure", True), ("distance", "Distance", True),
    ("relation", "Relation", False),
)  # fmt: skip
"""What can be sorted by: the column, its title, and whether it is the model's."""


def rows_panel(shown: Shown) -> Markup:
    """A page of the rows that are meant."""
    rows = shown.rows
    pages = max(1, -(-len(rows) // PAGE))
    page = min(shown.view.page, pages - 1)
    return draw(
        "analyse/rows.html",
        view=shown.view,
        heads=_heads(shown),
        rows=[_row(shown, cells) for cells in _cells(shown, page)],
        page=page,
        pages=pages,
        first=page * PAGE + 1,
        total=len(rows),
    )


def neighbours_of(shown: Shown, row: int) -> tuple[int | None, int | None]:
    """The rows before and after one among those that are meant."""
    found = (shown.rows == row).nonzero()[0]
    if not len(found):
        return None, None
    at = int(found[0])
    before = int(shown.rows[at - 1]) if at else None
    after = int(shown.rows[at + 1]) if at + 1 < len(shown.rows) else None
    return before, after


def _heads(shown: Shown) -> list[dict[str, Any]]:
    query, found = shown.view.query, []
    for name, title, is_model in HEADS:
        column = shown.name(name) if is_model else name
        sorted_now = query.get("sort") == column
        descending = bool(query.get("descending"))
        later = {**query, "sort": column, "descending": sorted_now and not descending}
        state = ("descending" if descending else "ascending") if sorted_now else "none"
        found.append({"name": name, "title": title, "query": later, "state": state})
    return found


def _cells(shown: Shown, page: int) -> list[dict[str, Any]]:
    names = ["premise", "hypothesis", "label", "relation"]
    models = [name for name in (shown.view.model, shown.view.versus) if name]
    for model in models:
        names += [
            shown.name(name, model) for name in ("verdict", "probability", "right", "distance")
        ]
    return shown.opened.table.page(shown.rows, page * PAGE, PAGE, names)


def _row(shown: Shown, cells: dict[str, Any]) -> dict[str, Any]:
    personal = shown.opened.workspace.personal
    number = cells["row"]
    answers = [
        {"model": model}
        | {name: cells[shown.name(name, model)] for name in ("verdict", "probability", "right")}
        for model in (shown.view.model, shown.view.versus)
        if model
    ]
    return {
        "row": number,
        "premise": cells["premise"],
        "hypothesis": cells["hypothesis"],
        "label": cells["label"],
        "relation": relation_name(cells["relation"]),
        "answers": answers,
        "distance": cells[shown.name("distance")],
        "marked": number in personal.marked,
        "note": personal.notes.get(number, ""),
    }
