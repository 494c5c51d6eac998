"""The view that the page's script sends is checked strictly and read back unchanged."""

import json
import re
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symdemo.analysis.query import OneOf, RowsOf
from symdemo.errors import InputError
from symdemo.files.paths import ASSETS
from symdemo.ui.analyse.view import PARTS, View, read_view, resolve

SCRIPT = (ASSETS / "analyse.js").read_text(encoding="utf-8")
ROW = st.none() | st.integers(0, 9)


def test_the_script_begins_with_the_same_defaults():
    found = re.search(r"const EMPTY = (\{.*?\});", SCRIPT, re.DOTALL)[1]
    assert json.loads(re.sub(r"(\w+):", r'"\1":', found)) == asdict(View())


@given(st.fixed_dictionaries({}, optional={
    "analysis": st.text(max_size=9), "model": st.text(max_size=9), "part": st.sampled_from(PARTS),
    "regex": st.booleans(), "page": st.integers(0, 9), "row": ROW, "pinned": ROW,
    "kind": st.sampled_from(["pca", "umap"]),
    "query": st.fixed_dictionaries({}, optional={
        "conditions": st.lists(st.just({"set": "marked"}), max_size=2), "sort": st.text(max_size=3),
    }),
}))  # fmt: skip
def test_a_view_is_read_back_unchanged(sent):
    assert asdict(read_view({**sent, "unknown": 1})) == asdict(View()) | sent


@pytest.mark.parametrize(
    "sent",
    [
        None, [], {"part": "rows "}, {"part": ["rows"]}, {"row": -1}, {"row": 1.5}, {"row": "1"},
        {"row": True}, {"page": 10**6}, {"pinned": 10**30}, {"regex": "yes"}, {"query": [1]},
        {"query": {"conditions": "abc"}}, {"query": {"conditions": ["abc"]}}, {"kind": "tsne"},
    ],
)  # fmt: skip
def test_odd_views_are_refused_in_one_sentence(sent):
    with pytest.raises(InputError) as refused:
        read_view(sent)
    assert len(str(refused.value)) < 100


def test_older_links_call_suggestions_hints():
    assert read_view({"part": "hints"}).part == "suggestions"


def test_named_sets_keep_their_place_and_all_their_rows():
    one = {"kind": "one_of", "column": "label", "values": ["neutral"]}
    many = tuple(range(90_000))
    query = resolve(
        {"conditions": [{"set": "a"}, one, {"set": "b", "negated": True}], "match": "any"},
        lambda name: list(many),
    )
    assert query.conditions == (RowsOf(many, "a"), OneOf("label", ("neutral",)),
                                RowsOf(many, "b", True))  # fmt: skip
    assert query.match == "any"


@pytest.mark.parametrize(
    "conditions",
    [[{"set": 3}], [{"set": "a", "negated": 1}], [{"set": "a", "kind": "one_of", "x": 1}],
     [{"set": "marked"}] * 51, [{"kind": "rows_of", "rows": [-1]}], [{}]],
)  # fmt: skip
def test_odd_sets_are_refused(conditions):
    with pytest.raises(InputError):
        resolve({"conditions": conditions}, lambda name: [])
