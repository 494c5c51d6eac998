"""Rows: the filters above all parts, the table of the part “Rows”, and the part “Slices”."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from symdemo.analysis.overview import Share, commonest_label
from symdemo.analysis.query import Between, Differs, OneOf, Query, describe_condition
from symdemo.errors import InputError
from symdemo.text import shorten
from symdemo.ui.analyse.view import (
    NotComputedError,
    ShownRows,
    View,
    condition_json,
    one_of,
    set_words,
)
from symdemo.ui.shared.events import Problem, attempt
from symdemo.ui.shared.html import draw, relation_name

PAGE = 100
"""Rows on one page of the table."""
MOST_VALUES = 40
"""Values of a column that a filter offers."""
HEADS = (
    ("premise", "Pair", False), ("label", "True label", False), ("verdict", "Verdict", True),
    ("probability", "Confidence", True), ("distance", "Distance", True),
    ("relation", "Relation", False), ("construction", "Construction", False),
    ("words", "Words", False), ("familiar", "Familiar", True),
    ("exchanged", "Reverse verdict", True), ("nearest_premise", "Nearest example", True),
    ("nearest_label", "Its label", True),
)  # fmt: skip
"""Sortable columns: name, title, and True for those of the model."""
SHOWN_AT_FIRST = frozenset(name for name, _, _ in HEADS[:6])
NAMES = {
    "label": "true label",
    "relation": "relation",
    "construction": "construction",
    "words": "words in the first sentence",
}
MODEL_NAMES = {
    "verdict": "verdict",
    "probability": "probability",
    "right": "right",
    "distance": "distance",
    "familiar": "familiar",
    "exchanged": "verdict on the reverse pair",
    "nearest_label": "label of the nearest example",
    "nearest_relation": "relation of the nearest example",
}


def filter_panel(shown: ShownRows) -> Markup:
    """Draw the quick filters, the conditions that hold, and the number of rows left."""
    return draw(
        "analyse/filters.html",
        view=shown.view,
        near=shown.view.model in shown.opened.runs,
        one_is_enough=shown.view.query.get("match") == "any",
        count=len(shown.rows),
        total=len(shown.opened.table),
        chips=_condition_words(shown),
        quick=_quick_filters(shown),
        columns=_columns(shown),
        adding=_adding(shown),
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
        differ = Differs(shown.name("verdict"), shown.name("verdict", shown.view.versus))
        found.append({"name": "Models differ", "add": [condition_json(differ)]})
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
            words = set_words(condition["set"])
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
    table = shown.opened.table
    found = [*NAMES.items(), *((name, name) for name in shown.opened.analysis.groups)]
    for model in shown.models:
        extra = f" of {model}" if shown.view.versus else ""
        found += [(shown.name(name, model), words + extra) for name, words in MODEL_NAMES.items()]

    def is_filled(name: str) -> bool:
        if table.columns[name] == "number":
            return table.span(name) is not None
        return any(value is not None for value, _ in table.values(name, most=2))

    filled = shown.opened.remember(
        ("filled", *shown.models), lambda: {name for name, _ in found if is_filled(name)}
    )
    return [(name, words) for name, words in found if name in filled]


def _adding(shown: ShownRows) -> dict[str, Any] | None:
    """Return the values, or the range, of the column that a filter is being chosen for."""
    name, table = shown.view.adding, shown.opened.table
    if not name:
        return None
    if name not in table.columns:
        raise InputError("There is no such column here; choose another.")
    if table.columns[name] == "number":
        low, high = table.span(name) or (0.0, 0.0)
        return {"column": name, "low": low, "high": high}
    choices = [
        {
            "words": _value_words(value, name.endswith("relation")),
            "n": n,
            "add": [one_of(name, value)],
            "without": [one_of(name, value, negated=True)],
        }
        for value, n in table.values(name, shown.rows_without(name), most=MOST_VALUES)
    ]
    return {"column": name, "choices": choices}


def _value_words(value: Any, is_relation: bool) -> str:
    if value is None or isinstance(value, bool):
        return {None: "nothing", True: "yes", False: "no"}[value]
    return relation_name(str(value)) if is_relation else str(value)


def range_condition(column: str, low: Any, high: Any) -> dict[str, Any]:
    """Return the condition that a number lies between the contents of two text boxes.

    Raises:
        InputError: a box holds no number, or both are empty.
    """
    least, most = _number(low), _number(high)
    if least is None and most is None:
        raise InputError("Both boxes are empty; a number is expected in at least one.")
    return condition_json(Between(column, least, most))


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
    known, heads = _known_heads(shown), _heads(shown)
    names_shown = {head["name"] for head in heads}
    more = [one for one in known if one[0] in names_shown - SHOWN_AT_FIRST]
    answers = ["right", *(name for name, _, is_model in known if is_model)]
    names = ["hypothesis", *(name for name, _, is_model in known if not is_model)]
    names += [shown.name(name, model) for model in shown.models for name in answers]
    sorted_by = str(shown.query.sort) if shown.near else ""
    rows = shown.table.page(shown.rows, page * PAGE, PAGE, [*names, *filter(None, [sorted_by])])
    personal, toggled = shown.opened.workspace.personal, {*shown.view.columns}
    for row in rows:
        row["answers"] = [
            {"model": model} | {name: row[shown.name(name, model)] for name in answers}
            for model in shown.models
        ]
        row["near"] = row.get(sorted_by)
        row["more"] = [
            (title, [_cell(one[name]) for one in (row["answers"] if is_model else [row])])
            for name, title, is_model in more
        ]
        row["marked"] = row["row"] in personal.marked
        row["note"] = personal.notes.get(row["row"], "")
    return draw(
        "analyse/rows.html",
        view=shown.view,
        heads=heads,
        names=names_shown,
        choices=[
            {"title": title, "on": name in names_shown, "columns": sorted(toggled ^ {name})}
            for name, title, _ in known[1:]
        ],
        rows=rows,
        page=page,
        pages=pages,
        first=page * PAGE + 1,
        total=len(shown.rows),
    )


def _cell(value: Any) -> str:
    return "–" if value is None else shorten(_value_words(value, is_relation=False), 140)


def _known_heads(shown: ShownRows) -> list[tuple[str, str, bool]]:
    """Return `HEADS` and the columns of the file to group by."""
    return [*HEADS, *((name, f"B{name[1:]}", False) for name in shown.opened.analysis.groups)]


def _heads(shown: ShownRows) -> list[dict[str, Any]]:
    query, found = shown.view.query, []
    for name, title, is_model in _known_heads(shown):
        if name != "premise" and (name in SHOWN_AT_FIRST) == (name in shown.view.columns):
            continue
        column = shown.name(name) if is_model else name
        sorted_now = query.get("sort") == column
        descending = bool(query.get("descending"))
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
        missing = missing or own.missing()
        line: Any = attempt(_slice_line, name, own)
        if isinstance(line, Problem):
            line = {"name": name, "problem": line.message}
        query = {"conditions": [{"set": f"slice:{name}"}]}
        lines.append({"query": query} | line | {"drop": name})
    values = {"view": shown.view, "models": shown.opened.analysis.models, "lines": lines}
    return draw("analyse/slices.html", **values), missing


def _slice_line(name: str, shown: ShownRows) -> dict[str, Any]:
    analysis = shown.opened.analysis
    known = analysis.rows.iloc[shown.rows]
    known = known[known.label.notna()]
    common = commonest_label(known.label) if len(known) else []
    shares = (Share.of(known[shown.name("right", one)].astype(bool)) for one in analysis.models)
    return {
        "name": name,
        "n": len(shown.rows),
        "labelled": len(known),
        "shares": dict(zip(analysis.models, shares, strict=True)),
        "majority": Share.of(known.label == common),
        "words": view_words(shown),
    }
