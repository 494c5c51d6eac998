"""The filters above all parts: what is asked for now, and what can be added."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from symdemo.analysis.query import Between, Differs, OneOf, Query, describe_condition
from symdemo.errors import InputError
from symdemo.text import shorten
from symdemo.ui.analyse.shown import Shown, conditions_json, set_of, set_words
from symdemo.ui.shared.html import draw
from symdemo.ui.shared.words import relation_name

MOST_VALUES = 40

NAMES = {
    "label": "true label",
    "relation": "relation",
    "construction": "kind of sentence",
    "words": "words in the first sentence",
}
MODEL_NAMES = {
    "verdict": "verdict",
    "probability": "probability",
    "right": "right",
    "distance": "distance",
    "familiar": "familiar",
    "exchanged": "verdict the other way round",
    "nearest_label": "label of the nearest",
    "nearest_relation": "relation of the nearest",
}


def filter_panel(shown: Shown) -> Markup:
    """Quick filters, the conditions that hold, and how many rows are left."""
    rows, total = len(shown.rows), len(shown.opened.table)
    return draw(
        "analyse/filters.html",
        view=shown.view,
        one_is_enough=shown.view.query.get("match") == "any",
        count=rows,
        total=total,
        chips=_chips(shown),
        quick=quick_filters(shown),
        columns=_columns(shown),
        adding=_adding(shown),
    )


def quick_filters(shown: Shown) -> list[dict[str, Any]]:
    """Filters of one press: their names, and what they mean for the script."""
    wrong = [OneOf(shown.name("right"), (False,))]
    share = shown.name("probability")
    found: list[dict[str, Any]] = []
    labelled = shown.opened.analysis.rows.label.notna().any()
    has_shares = shown.opened.table.span(share) is not None
    if labelled:
        found.append({"name": "Errors only", "add": conditions_json(wrong)})
        if has_shares:
            query = Query(tuple(wrong), sort=share, descending=True)
            found.append({"name": "Most confident errors", "query": query.to_json()})
    if has_shares:
        found.append({"name": "Least certain", "query": Query(sort=share).to_json()})
    if shown.view.versus:
        differ = Differs(shown.name("verdict"), shown.name("verdict", shown.view.versus))
        found.append({"name": "Models differ", "add": conditions_json([differ])})
    personal = shown.opened.workspace.personal
    if personal.marked:
        found.append({"name": "Marked", "add": [set_of("marked")]})
    if personal.notes:
        found.append({"name": "With a note", "add": [set_of("noted")]})
    return found


def _chips(shown: Shown) -> list[str]:
    """Each condition of the view in words, in order."""
    return [_words(one) for one in shown.view.query.get("conditions") or []]


def view_words(shown: Shown) -> str:
    """Which rows a view means, on one line; nothing if all."""
    joint = " or " if shown.view.query.get("match") == "any" else " and "
    found = joint.join(_chips(shown))
    if not (text := shown.view.text.strip()):
        return found
    search = f"{'matches' if shown.view.regex else 'contains'} “{shorten(text, 60)}”"
    return f"{found}, and {search}" if found else search


def _words(condition: dict[str, Any]) -> str:
    if "set" in condition:
        words = set_words(condition["set"])
        return f"not {words}" if condition.get("negated") else words
    (read,) = Query.from_json({"conditions": [condition]}).conditions
    if isinstance(read, OneOf) and read.column.endswith("relation"):
        names = (value and relation_name(str(value)) for value in read.values)
        read = replace(read, values=tuple(names))
    return describe_condition(read)


def _columns(shown: Shown) -> list[tuple[str, str]]:
    """The columns that can be filtered by, with what they are called."""
    found = list(NAMES.items())
    for model in filter(None, (shown.view.model, shown.view.versus)):
        extra = f" of {model}" if shown.view.versus else ""
        found += [(shown.name(name, model), words + extra) for name, words in MODEL_NAMES.items()]
    return [(name, words) for name, words in found if _is_filled(shown, name)]


def _is_filled(shown: Shown, name: str) -> bool:
    known = shown.opened.remember(("filled", name), lambda: _count_values(shown, name))
    return bool(known)


def _count_values(shown: Shown, name: str) -> bool:
    if shown.opened.table.columns[name] == "number":
        return shown.opened.table.span(name) is not None
    return any(value is not None for value, _ in shown.opened.table.values(name, most=2))


def _adding(shown: Shown) -> dict[str, Any] | None:
    """The column of which a filter is being chosen: its values, or its least and its most."""
    name, table = shown.view.adding, shown.opened.table
    if not name:
        return None
    if name not in table.columns:
        raise InputError("There is no such column here; choose another.")
    if table.columns[name] == "number":
        low, high = table.span(name) or (0.0, 0.0)
        return {"column": name, "low": low, "high": high}
    values = table.values(name, shown.rows_without(name), most=MOST_VALUES)
    is_relation = name.endswith("relation")
    return {
        "column": name,
        "choices": [
            {
                "words": _value_words(value, is_relation),
                "n": n,
                "add": conditions_json([OneOf(name, (value,))]),
                "without": conditions_json([OneOf(name, (value,), negated=True)]),
            }
            for value, n in values
        ],
    }


def _value_words(value: Any, is_relation: bool) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return relation_name(str(value)) if is_relation else str(value)


def read_range(column: str, low: Any, high: Any) -> list[dict[str, Any]]:
    """The condition that a number lies between what stands in two boxes.

    Raises:
        InputError: one of them is no number, or both are empty.
    """
    bounds = [_number(text) for text in (low, high)]
    if bounds == [None, None]:
        raise InputError("Both boxes are empty; a number is expected in at least one.")
    return conditions_json([Between(column, *bounds)])


def _number(text: Any) -> float | None:
    tidy = str(text if text is not None else "").strip()
    if not tidy:
        return None
    is_thousands = re.fullmatch(r"-?\d{1,3}(,\d{3})+(\.\d*)?", tidy)
    tidy = tidy.replace(",", "" if is_thousands else ".")
    try:
        number = float(tidy)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"“{tidy[:20]}” is not a number.")
    return number
