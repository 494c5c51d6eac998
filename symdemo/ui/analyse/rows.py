"""Rows: the filters above all parts, the table of the part “Rows”, and the part “Slices”."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from symdemo.analysis.overview import Share, commonest_label
from symdemo.analysis.query import OneOf, Query, describe_condition
from symdemo.errors import InputError
from symdemo.text import shorten
from symdemo.ui.analyse.view import NotComputedError, ShownRows, View, between, one_of
from symdemo.ui.shared.events import Problem, attempt
from symdemo.ui.shared.html import draw, relation_name

PAGE = 100  # rows on one page of the table
MOST_VALUES = 40  # values of a column that a filter offers
COLUMNS = (
    ("premise", False, "Pair", ""),
    ("label", False, "True label", "true label"),
    ("verdict", True, "Verdict", "verdict"),
    ("probability", True, "Confidence", "probability"),
    ("right", True, "", "right"),
    ("distance", True, "Distance", "distance"),
    ("relation", False, "Relation", "relation"),
    ("construction", False, "Construction", "construction"),
    ("words", False, "Words", "words in the first sentence"),
    ("familiar", True, "Familiar", "familiar"),
    ("exchanged", True, "Reverse verdict", "verdict on the reverse pair"),
    ("nearest_premise", True, "Nearest example", ""),
    ("nearest_label", True, "Its label", "label of the nearest example"),
    ("nearest_relation", True, "", "relation of the nearest example"),
)
"""Name, whether each model has one, title in the table and in filters; "" if not shown there."""
HEADS = tuple((name, title, of_model) for name, of_model, title, _ in COLUMNS if title)
SHOWN_AT_FIRST = frozenset(name for name, *_ in HEADS[:6])
_SETS = {"marked": "marked", "noted": "with a note"}


def filter_panel(shown: ShownRows) -> Markup:
    """Draw the quick filters, the conditions that hold, and the number of rows left."""
    return draw(
        "analyse/filters.html",
        shown=shown,
        chips=_condition_words(shown),
        quick=_quick_filters(shown),
        columns=_columns(shown),
        adding=_adding(shown),
        one_of=one_of,
        words=_value_words,
    )


def _quick_filters(shown: ShownRows) -> list[dict[str, Any]]:
    """Return filters of one press: name, and the JSON conditions or query they set."""
    wrong, share = one_of(shown.name("right"), False), shown.name("probability")
    personal, has_shares = shown.opened.workspace.personal, shown.opened.table.span(share)
    found: list[dict[str, Any]] = []
    if shown.opened.analysis.rows.label.notna().any():
        found.append({"name": "Errors only", "add": [wrong]})
        if has_shares:
            query = {"conditions": [wrong], "sort": share, "descending": True}
            found.append({"name": "Most confident errors", "query": query})
    if has_shares:
        found.append({"name": "Least certain", "query": {"sort": share}})
    if shown.view.versus:
        first, second = (shown.name("verdict", model) for model in shown.models)
        differ = {"kind": "differs", "first": first, "second": second}
        found.append({"name": "Models differ", "add": [differ]})
    if personal.marked:
        found.append({"name": "Marked", "add": [{"set": "marked"}]})
    if personal.notes:
        found.append({"name": "With a note", "add": [{"set": "noted"}]})
    return found


def view_words(shown: ShownRows) -> str:
    """Describe on one line which rows a view selects; empty if all."""
    joint = " or " if shown.view.query.get("match") == "any" else " and "
    found = joint.join(_condition_words(shown))
    if not (text := shown.view.text.strip()):
        return found
    search = f"{'matches' if shown.view.regex else 'contains'} “{shorten(text, 60)}”"
    return f"{found}, and {search}" if found else search


def _condition_words(shown: ShownRows) -> list[str]:
    found = []
    for condition in shown.view.query.get("conditions") or []:
        if "set" in condition:
            kind, _, own = condition["set"].partition(":")
            words = f"slice “{own}”" if kind == "slice" else _SETS.get(kind, "of a suggestion")
            found.append(f"not {words}" if condition.get("negated") else words)
            continue
        (read,) = Query.from_json({"conditions": [condition]}).conditions
        if isinstance(read, OneOf) and read.column.endswith("relation"):
            names = (value and relation_name(str(value)) for value in read.values)
            read = replace(read, values=tuple(names))
        found.append(describe_condition(read))
    return found


def _columns(shown: ShownRows) -> list[tuple[str, str]]:
    """Return the columns to filter by that are not empty, with their titles."""
    table, groups = shown.opened.table, shown.opened.analysis.groups
    found = [(name, words) for name, of_model, _, words in COLUMNS if words and not of_model]
    found += [(name, name) for name in groups]
    for model in shown.models:
        extra = f" of {model}" if shown.view.versus else ""
        own = [(name, words + extra) for name, of_model, _, words in COLUMNS if words and of_model]
        found += [(shown.name(name, model), words) for name, words in own]

    def find_filled() -> set[str]:
        values = {name: table.values(name, most=2) for name, _ in found}
        return {name for name, some in values.items() if any(one is not None for one, _ in some)}

    filled = shown.opened.remember(("filled", *shown.models), find_filled)
    return [(name, words) for name, words in found if name in filled]


def _adding(shown: ShownRows) -> dict[str, Any] | None:
    """Return the values, or the range, of the column that a filter is being chosen for."""
    name, table = shown.view.adding, shown.opened.table
    if not name:
        return None
    if name not in table.columns:
        raise InputError("There is no such column here; choose another.")
    if table.columns[name] == "number":
        return {"column": name, "range": table.span(name) or (0.0, 0.0)}
    return {"column": name, "choices": table.values(name, shown.rows_without(name), MOST_VALUES)}


def _value_words(value: Any, is_relation: bool = False) -> str:
    if value is None or isinstance(value, bool):
        return {None: "nothing", True: "yes", False: "no"}[value]
    return relation_name(str(value)) if is_relation else str(value)


def range_condition(column: str, low: Any, high: Any) -> dict[str, Any]:
    """Return the condition that a column lies between two typed numbers; an empty box is no bound.

    `InputError` if both boxes are empty, or one holds no number.
    """
    least, most = _number(low), _number(high)
    if least is None and most is None:
        raise InputError("Both boxes are empty; a number is expected in at least one.")
    return between(column, least, most)


def _number(text: Any) -> float | None:
    tidy = str("" if text is None else text).strip()
    if not tidy:
        return None
    is_thousands = re.fullmatch(r"-?\d{1,3}(,\d{3})+(\.\d*)?", tidy)
    try:
        number = float(tidy.replace(",", "" if is_thousands else "."))
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"“{tidy[:20]}” is not a number.")
    return number


def rows_panel(shown: ShownRows) -> Markup:
    """Draw one page of the selected rows."""
    pages = max(1, -(-len(shown.rows) // PAGE))
    page = min(shown.view.page, pages - 1)
    groups, toggled = shown.opened.analysis.groups, {*shown.view.columns} - {"premise"}
    known = [*HEADS, *((name, f"B{name[1:]}", False) for name in groups)]
    on = [one for one in known if (one[0] in SHOWN_AT_FIRST) != (one[0] in toggled)]
    of_models = ["right", *(name for name, _, of_model in known if of_model)]
    names = ["hypothesis", *(name for name, _, of_model in known if not of_model)]
    names += [shown.name(name, model) for model in shown.models for name in of_models]
    near = str(shown.query.sort) if shown.near else None
    rows = shown.table.page(shown.rows, page * PAGE, PAGE, [*names, *([near] if near else [])])
    return draw(
        "analyse/rows.html",
        view=shown.view,
        heads=_heads(shown, on),
        shown={name for name, *_ in on},
        more=[one for one in on if one[0] not in SHOWN_AT_FIRST],
        choices=[
            {"title": title, "on": (name in SHOWN_AT_FIRST) != (name in toggled),
             "columns": sorted({*shown.view.columns} ^ {name})}
            for name, title, _ in known[1:]
        ],
        rows=rows,
        near=near,
        personal=shown.opened.workspace.personal,
        models=shown.models,
        column=shown.name,
        words=_value_words,
        page=page,
        pages=pages,
        first=page * PAGE + 1,
        total=len(shown.rows),
    )  # fmt: skip


def _heads(shown: ShownRows, known: list[tuple[str, str, bool]]) -> list[dict[str, Any]]:
    """Return the heads of columns, each with the query that sorts by it, or the other way round."""
    query, found = shown.view.query, []
    for name, title, of_model in known:
        column = shown.name(name) if of_model else name
        sorted_now, descending = query.get("sort") == column, bool(query.get("descending"))
        pressed = {**query, "sort": column, "descending": sorted_now and not descending}
        state = ("descending" if descending else "ascending") if sorted_now else "none"
        found.append({"name": name, "title": title, "query": pressed, "state": state})
    if shown.near:
        title = f"Distance to “{shorten(shown.near[1], 40)}”"
        found.insert(1, {"name": "near", "title": title, "query": query, "state": "ascending"})
    return found


def slices_panel(shown: ShownRows) -> tuple[Markup, NotComputedError | None]:
    """Draw every slice, all rows and the shown ones, with the accuracy of each model.

    Also returns what has to be computed before all slices can be selected; None if nothing.
    """
    whole = ShownRows(shown.opened, View(shown.view.analysis, shown.view.model))
    missing = None
    lines = [_slice_line("All rows", whole) | {"query": {}}]
    if shown.filtered:
        lines.append(_slice_line("Shown now", shown))
    for name in shown.opened.workspace.personal.slices:
        own = shown.slice(name)
        waits = attempt(own.missing)
        missing = missing or (None if isinstance(waits, Problem) else waits)
        line: Any = attempt(_slice_line, name, own)
        if isinstance(line, Problem):
            line = {"name": name, "problem": line.message}
        query = {"conditions": [{"set": f"slice:{name}"}]}
        lines.append({"query": query} | line | {"drop": name})
    models = shown.opened.analysis.models
    return draw("analyse/slices.html", view=shown.view, models=models, lines=lines), missing


def _slice_line(name: str, shown: ShownRows) -> dict[str, Any]:
    analysis = shown.opened.analysis
    known = analysis.rows.iloc[shown.rows]
    known = known[known.label.notna()]
    common = commonest_label(known.label) if len(known) else []
    right = {one: known[shown.name("right", one)].astype(bool) for one in analysis.models}
    return {
        "name": name,
        "n": len(shown.rows),
        "labelled": len(known),
        "shares": {one: Share.of(own) for one, own in right.items()},
        "majority": Share.of(known.label == common),
        "words": view_words(shown),
    }
