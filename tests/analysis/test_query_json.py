"""Queries as JSON: what goes out comes back, and whatever a stranger makes up is refused."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

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

NAMES = st.text(st.characters(codec="utf-8"), max_size=20)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
FLAGS = st.booleans()
POINTS = st.lists(st.tuples(NUMBERS, NUMBERS), max_size=6).map(tuple)
CONDITIONS = st.one_of(
    st.builds(
        OneOf, NAMES, st.lists(st.one_of(NAMES, FLAGS, st.none()), max_size=4).map(tuple), FLAGS
    ),
    st.builds(Between, NAMES, st.none() | NUMBERS, st.none() | NUMBERS, FLAGS),
    st.builds(Contains, NAMES, st.lists(NAMES, max_size=3).map(tuple), FLAGS, FLAGS),
    st.builds(Differs, NAMES, NAMES, FLAGS),
    st.builds(Inside, NAMES, NAMES, POINTS, FLAGS),
    st.builds(RowsOf, st.lists(st.integers(0, 2**50), max_size=4).map(tuple), NAMES, FLAGS),
)
QUERIES = st.builds(
    Query,
    st.lists(CONDITIONS, max_size=5).map(tuple),
    st.sampled_from(["all", "any"]),
    st.none() | NAMES,
    FLAGS,
)


@given(QUERIES)
def test_a_query_comes_back_from_json_as_it_was(query):
    text = json.dumps(query.to_json(), allow_nan=False)
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
