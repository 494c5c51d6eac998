"""What the page's script sends is read strictly, and comes back as it was."""

import json
import re
from contextlib import suppress
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symdemo.analysis.query import OneOf, RowsOf
from symdemo.errors import InputError
from symdemo.files.paths import ASSETS
from symdemo.ui.analyse.state import COLOURS, MAP_KINDS, MAX_STATE, PARTS, View, resolve

SCRIPT = (ASSETS / "analyse.js").read_text(encoding="utf-8")
ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
    | st.sampled_from([*PARTS, *MAP_KINDS, *COLOURS]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["conditions", "set", "kind", "negated", "match"]), inner,
                      max_size=3),
    max_leaves=8,
)  # fmt: skip


def empty_of_the_script():
    """The view that the script begins with."""
    found = re.search(r"const EMPTY = (\{.*?\});", SCRIPT, re.DOTALL)[1]
    return json.loads(re.sub(r"(\w+):", r'"\1":', found))


def test_the_script_begins_with_the_views_own_defaults():
    empty = empty_of_the_script()
    assert asdict(View.read(empty)) == empty == asdict(View(""))


@given(st.fixed_dictionaries({}, optional={
    "analysis": st.text(max_size=9), "model": st.text(max_size=9), "versus": st.text(max_size=9),
    "part": st.sampled_from(PARTS), "text": st.text(max_size=9), "regex": st.booleans(),
    "page": st.integers(0, 9), "row": st.none() | st.integers(0, 9),
    "pinned": st.none() | st.integers(0, 9), "adding": st.text(max_size=9),
    "kind": st.sampled_from(MAP_KINDS), "colour": st.sampled_from(COLOURS),
    "query": st.fixed_dictionaries({}, optional={
        "conditions": st.lists(st.just({"set": "marked"}), max_size=2), "sort": st.text(max_size=3),
    }),
}))  # fmt: skip
def test_what_was_sent_comes_back(sent):
    whole = {**empty_of_the_script(), **sent}
    assert asdict(View.read(whole)) == asdict(View.read(json.dumps(whole))) == whole


NAMES = st.sampled_from([*View.__dataclass_fields__, "more"])


@given(st.dictionaries(NAMES, ODD, max_size=6) | ODD)
def test_anything_else_is_refused_in_a_sentence_or_harmless(sent):
    with suppress(InputError):
        view = View.read(sent)
        assert view.part in PARTS
        assert type(view.page) is int
        assert view.row is None or type(view.row) is int
        with suppress(InputError):
            resolve(view.query, lambda name: [0])


@pytest.mark.parametrize(
    "sent",
    [
        None, 3, "", "[]", "{", "x" * (MAX_STATE + 1), "[" * 30_000, {"part": "rows "},
        {"part": ["rows"]}, {"row": -1}, {"row": 1.5}, {"row": "1"}, {"row": True},
        {"page": 10**6}, {"pinned": 10**30}, {"regex": "yes"}, {"query": [1]},
        {"query": {"conditions": "abc"}}, {"query": {"conditions": ["abc"]}},
        {"query": {"conditions": {"a": 1}}}, {"model": 3}, {"text": ["a"]}, {"kind": "tsne"},
    ],
)  # fmt: skip
def test_odd_views_are_refused(sent):
    with pytest.raises(InputError) as refused:
        View.read(sent)
    assert len(str(refused.value)) < 100


def test_named_sets_stand_where_they_stood_however_many_rows_they_have():
    one = {"kind": "one_of", "column": "label", "values": ["neutral"]}
    many = list(range(90_000))
    query = resolve(
        {"conditions": [{"set": "a"}, one, {"set": "b", "negated": True}], "match": "any"},
        lambda name: many,
    )
    assert query.conditions == (
        RowsOf(tuple(many), "a"), OneOf("label", ("neutral",)), RowsOf(tuple(many), "b", True),
    )  # fmt: skip
    assert query.match == "any"


@pytest.mark.parametrize(
    "conditions",
    [[{"set": 3}], [{"set": "a", "negated": 1}], [{"set": "a", "kind": "one_of", "x": 1}],
     [{"set": "marked"}] * 51, [{"kind": "rows_of", "rows": [-1]}], [{}]],
)  # fmt: skip
def test_odd_sets_are_refused(conditions):
    with pytest.raises(InputError):
        resolve({"conditions": conditions}, lambda name: [])
