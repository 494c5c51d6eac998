"""Queries as JSON, and the table: every selection against a plain evaluation in Python."""

import json
import math
import re
import time
from dataclasses import asdict, replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symdemo.analysis.pair_table import PairTable
from symdemo.analysis.query import (
    Between,
    Contains,
    Differs,
    Inside,
    OneOf,
    Query,
    RowsOf,
    describe_condition,
)
from symdemo.errors import InputError

TEXTS = st.none() | st.text("aAbé. ", max_size=4)
NUMBERS = st.none() | st.sampled_from([-1.0, 0.0, 0.5, 1.0, math.nan]) | st.floats(-2, 2)
FLAGS = st.none() | st.booleans()
ROWS = st.tuples(TEXTS, TEXTS, NUMBERS, NUMBERS, FLAGS, FLAGS, st.integers(0, 3))
NAMES = ("a", "b", "x", "y", "f", "g", "n")


def frame_of(rows):
    cells = list(zip(*rows, strict=True)) or [()] * len(NAMES)
    kinds = dict(zip(NAMES, (object, object, float, float, object, object, int), strict=True))
    return pd.DataFrame(
        {
            name: pd.Series(list(own), dtype=kind)
            for (name, kind), own in zip(kinds.items(), cells, strict=True)
        }
    )


TEXT_NAMES, NUMBER_NAMES, FLAG_NAMES = (st.sampled_from(n) for n in ("ab", "xyn", "fg"))
BOUNDS = st.none() | st.sampled_from([-1.0, 0.0, 0.5, 1.0])
CORNERS = st.tuples(st.floats(-2, 2), st.floats(-2, 2)) | st.tuples(
    st.sampled_from([-1.0, 0.0, 0.5, 1.0]), st.sampled_from([-1.0, 0.0, 0.5, 1.0])
)
NEGATED = st.booleans()
CONDITIONS = st.one_of(
    st.builds(OneOf, TEXT_NAMES, st.lists(TEXTS, max_size=3).map(tuple), NEGATED),
    st.builds(OneOf, FLAG_NAMES, st.lists(FLAGS, max_size=2).map(tuple), NEGATED),
    st.builds(OneOf, NUMBER_NAMES, st.sampled_from([(), (None,)]), NEGATED),
    st.builds(Between, NUMBER_NAMES, BOUNDS, BOUNDS, NEGATED),
    st.builds(
        Contains,
        st.sampled_from(["", "a", "É", ".", "b ", "a|b", "^a", r"\s$", "[^a]"]),
        st.lists(TEXT_NAMES, max_size=2).map(tuple),
        st.booleans(),
        NEGATED,
    ),
    st.sampled_from(["ab", "xy", "xn", "fg"]).flatmap(
        lambda two: st.builds(Differs, st.just(two[0]), st.just(two[1]), NEGATED)
    ),
    st.builds(
        Inside, st.just("x"), st.just("y"), st.lists(CORNERS, max_size=6).map(tuple), NEGATED
    ),
    st.builds(RowsOf, st.just(()), st.just(""), NEGATED),
)
QUERIES = st.builds(
    Query,
    st.lists(CONDITIONS, max_size=3).map(tuple),
    st.sampled_from(["all", "any"]),
    st.none() | st.sampled_from(NAMES),
    st.booleans(),
)


NAMED = st.text(st.characters(codec="utf-8"), max_size=20)
FIGURES = st.none() | st.floats(allow_nan=False, allow_infinity=False)
STRANGE = st.one_of(
    st.builds(OneOf, NAMED, st.lists(NAMED | FLAGS, max_size=4).map(tuple), NEGATED),
    st.builds(Between, NAMED, FIGURES, FIGURES, NEGATED),
    st.builds(RowsOf, st.lists(st.integers(0, 2**50), max_size=4).map(tuple), NAMED, NEGATED),
)


@given(QUERIES | st.builds(Query, st.lists(STRANGE, max_size=5).map(tuple), sort=NAMED))
def test_a_query_comes_back_from_json_as_it_was(query):
    text = json.dumps(asdict(query), allow_nan=False)
    again = Query.from_json(json.loads(text))
    assert again == query
    assert hash(again) == hash(query)
    assert not any("\n" in describe_condition(one) for one in query.conditions)


def condition(**values):
    return {"conditions": [values]}


BETWEEN = {"kind": "between", "column": "p", "low": 0, "high": 1}
INSIDE = {"kind": "inside", "x": "x", "y": "y"}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], "“”: Input should be an object"),
        ({"limit": 3}, "“limit”: Unexpected"),
        ({"conditions": [3]}, "“conditions.0”: Input should be an object"),
        (condition(**BETWEEN | {"low": float("nan")}), ".low”: Input should be a finite number"),
        (condition(**BETWEEN | {"low": 10**400}), ".low”: Input should be a finite number"),
        (condition(**BETWEEN | {"column": "\ud800"}), "Invalid JSON"),
        (condition(kind="contains", text="a" * 501, columns=[]), "at most 500 characters"),
        (condition(kind="rows_of", rows=[-1]), "rows_of.rows.0”: Input should be greater than"),
        (condition(kind="rows_of", rows=[0] * 100_001), "at most 100000 items"),
        (condition(**INSIDE, polygon=[[0, 0]] * 1001), "at most 1000 items"),
        ({"conditions": [BETWEEN] * 51}, "at most 50 items"),
        ({"conditions": [INSIDE | {"polygon": [[0, 0]] * 600}] * 2}, "has 1,200 corners"),
        ({"conditions": [{"kind": "rows_of", "rows": [0] * 60_000}] * 2}, "has 120,000 rows"),
    ],
)
def test_every_fault_is_named(values, message):
    with pytest.raises(InputError, match=re.escape(message)):
        Query.from_json(values)


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (OneOf("r", (False, None, *"abcd"), True), "r is not no or empty or a or 3 others"),
        (Between("p", None, 0.1, True), "p not at most 0.1"),
        (Contains("^b", ("premise", "c"), True, True), "premise or c does not match “^b”"),
        (Differs("label", "m: verdict"), "label and m: verdict differ"),
        (Inside("x", "y", (), True), "x and y outside an area"),
        (RowsOf((1, 2), "Slice “A”", True), "not Slice “A”"),
    ],
)
def test_conditions_in_plain_words(condition, words):
    assert describe_condition(condition) == words


def is_empty(cell):
    return cell is None or (isinstance(cell, float) and not math.isfinite(cell))


def meets(condition, row):
    """The definition of each condition, on one row as name → cell."""
    match condition:
        case OneOf(name, values):
            found = None in values if is_empty(row[name]) else row[name] in values
        case Between(name, low, high):
            cell = row[name]
            found = not is_empty(cell) and (low is None or low <= cell)
            found = found and (high is None or cell <= high)
        case Contains(text, names, regex):
            sought = re.compile(text if regex else re.escape(text), re.IGNORECASE)
            found = any(row[name] is not None and sought.search(row[name]) for name in names)
        case Differs(first, second):
            a, b = row[first], row[second]
            found = not is_empty(a) and not is_empty(b) and a != b
        case Inside(x, y, polygon):
            found = not is_empty(row[x]) and not is_empty(row[y])
            found = found and is_inside(row[x], row[y], polygon)
        case RowsOf(rows):
            found = row["row"] in rows
    return bool(found) != condition.negated


def is_inside(x, y, polygon):
    odd = False
    for (x1, y1), (x2, y2) in zip(polygon, [*polygon[-1:], *polygon[:-1]], strict=True):
        if (y1 > y) != (y2 > y):
            odd ^= x < (x2 - x1) * (y - y1) / (y2 - y1) + x1
    return odd


def select(frame, query):
    """What `PairTable.select` has to give, row by row."""
    rows = [
        row | {"row": number} for number, row in enumerate(frame.astype(object).to_dict("records"))
    ]
    joined = any if query.match == "any" and query.conditions else all
    found = [row for row in rows if joined(meets(one, row) for one in query.conditions)]
    if query.sort is None:
        return [row["row"] for row in (found[::-1] if query.descending else found)]
    known = [row for row in found if not is_empty(row[query.sort])]
    empty = [row for row in found if is_empty(row[query.sort])]
    known.sort(key=lambda row: row[query.sort], reverse=query.descending)  # stable either way
    return [row["row"] for row in [*known, *empty]]


@settings(max_examples=120, deadline=None)
@given(st.lists(ROWS, max_size=12), QUERIES, st.integers(1, 5), st.data())
def test_select_is_what_python_finds_and_pages_tile_it(rows, query, size, data):
    frame = frame_of(rows)
    table = PairTable(frame)
    if rows and data.draw(st.booleans()):
        chosen = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=5))
        query = replace(query, conditions=(*query.conditions, RowsOf(tuple(chosen))))
    found = table.select(query)
    assert found.tolist() == select(frame, query)
    assert found.dtype == np.int64
    assert table.select(query) is found  # remembered
    pages = [table.page(found, start, size) for start in range(0, len(found) + size, size)]
    assert [row["row"] for page in pages for row in page] == found.tolist()
    for row in (row for page in pages for row in page):
        expected = frame.iloc[row["row"]].to_dict()
        for name in NAMES:
            assert row[name] == (None if is_empty(expected[name]) else expected[name])
            assert type(row[name]) in (str, float, int, bool, type(None))
        assert row == table.row(row["row"])


@settings(deadline=None)
@given(st.lists(ROWS, max_size=12), st.data())
def test_values_are_counted_and_spans_found(rows, data):
    frame = frame_of(rows)
    table = PairTable(frame)
    chosen = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=8)) if rows else []
    for name in NAMES:
        cells = [None if is_empty(cell) else cell for cell in frame[name].astype(object)]
        for own, numbers in ((cells, None), ([cells[n] for n in chosen], np.array(chosen, int))):
            expected = sorted(
                {(cell, own.count(cell)) for cell in own},
                key=lambda pair: (-pair[1], pair[0] is None, pair[0]),
            )
            assert table.values(name, numbers) == expected
            assert table.values(name, numbers, most=2) == expected[:2]
    for name in "xyn":
        known = [cell for cell in frame[name] if not is_empty(cell)]
        assert table.span(name) == ((min(known), max(known)) if known else None)


@pytest.fixture
def table():
    return PairTable(
        pd.DataFrame(
            {
                "premise": ["Ann met Ben", "bob", "x ANN", None],
                "label": ["e", "c", None, "e"],
                "p": [0.5, np.inf, np.nan, 0.25],
                "right": pd.Series([True, False, None, True], dtype=object),
                "empty": [None] * 4,
            }
        )
    )


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (Query(sort="size"), "no column “size”; expected one of: premise, label, p, right, empty."),
        (Query((Between("premise", 0, 1),)), "“premise” holds text; expected numbers"),
        (Query((OneOf("p", ("a",)),)), "“p” holds numbers; expected text"),
        (Query((OneOf("label", (True,)),)), "“label” holds text; expected yes or no"),
        (Query((OneOf("right", ("yes",)),)), "“right” holds yes or no; expected text"),
        (Query((OneOf("p", (0.5,)),)), "lists a single number; expected a range"),
        (Query((RowsOf((0, 4)),)), "no row 4; expected numbers from 0 and below 4"),
        (Query((Contains("(", ("label",), True),)), "“(” is invalid (missing ): (). Expected"),
        (Query((Contains(r"(a)\1", ("label",), True),)), "no look-ahead, look-behind or back"),
        (Query((Contains(r"\pL{1000}", ("label",), True),)), "too large"),
    ],
)
def test_what_cannot_be_asked_is_refused(table, query, message):
    with pytest.raises(InputError, match=re.escape(message)):
        table.select(query)


def test_an_empty_column_can_be_asked_for_anything(table):
    for condition in (
        OneOf("empty", (True, "a")),
        Between("empty", None, None),
        Contains("", ("empty",)),
        Differs("empty", "p"),
        Differs("right", "empty"),
        Inside("p", "empty", ((0, 0), (1, 0), (1, 1))),
    ):
        assert not len(table.select(Query((condition,))))
    assert len(table.select(Query((OneOf("empty", (None,)),)))) == 4


HOSTILE = (
    "(?:a.{100}|b.{101}|c.{99}){3}q", r"(\pL{0,20}\s?){20}q", "(a+)+$", "(?i)(?:(?:x?){30}){30}y",
)  # fmt: skip


def test_hostile_expressions_are_answered_or_refused_in_time():
    letters = np.random.default_rng(0).choice(list("ab c"), (30_000, 60))
    cells = ["".join(row) for row in letters]
    table = PairTable(pd.DataFrame({"a": cells}))
    refused = 0
    for expression in HOSTILE:
        began = time.thread_time()
        try:
            found = table.select(Query((Contains(expression, ("a",), True),)))
        except InputError as error:
            assert "takes too long" in str(error)  # noqa: PT017
            refused += 1
        else:
            sought = re.compile(expression)
            assert [n for n in range(200) if sought.search(cells[n])] == [
                n for n in found if n < 200
            ]
        assert time.thread_time() - began < 1
    assert refused == 2
