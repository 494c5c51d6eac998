"""Pairs that are no swaps: what a model does not judge, and tables that speak of any pair."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from analyse_tools import Page, start, text_of

from symdemo.analysis.loaded import LoadedPairs
from symdemo.pairs import Pair
from symdemo.ui.analyse.explorer import Explorer
from symdemo.ui.analyse.service import AnalyseService

STRANGE = Pair("It is raining again.", "A dog barked.", "neutral")


@pytest.fixture
def roles(service, fitted, pairs):
    """A page of a model of any pair and one of swaps, on three swaps and two other pairs."""
    from ui_fakes import make_tiny_store

    sessions = service.sessions
    sessions.store = make_tiny_store(fitted["conjugate"], other=fitted["knn"])
    service = AnalyseService(sessions, Path("none"))
    reworded = replace(pairs[0], hypothesis=f"{pairs[0].premise[:-1]} today.")
    own = (*pairs[:3], STRANGE, reworded)
    data = LoadedPairs("Any", "a test", own, (None,) * len(own))
    return Page(Explorer(service), start(service, data, ["tiny", "other"]))


def test_a_pair_that_is_not_judged_is_plain_everywhere(roles):
    text = text_of(roles.ready(model="tiny", versus="other")["parts"]["main"])
    assert "not judged 20.0%" in text
    assert "Pairs that a model does not judge count as wrong." in text
    query = {"conditions": [
        {"kind": "one_of", "column": "tiny: verdict", "values": ["not judged"]}
    ]}  # fmt: skip
    assert roles.count(query=query) == 1
    assert "not judged" in text_of(roles.ready(part="rows")["parts"]["main"])
    detail = text_of(roles.look(row=3)["parts"]["detail"])
    assert "not judged No verdict: both sentences must be short" in detail
    assert "Nearest examples" in detail  # of the other model
    parts = roles.look(parts=["words", "variants"])["parts"]
    assert "does not judge this pair" in text_of(parts["words"])
    assert "not judged" in text_of(parts["variants"])
    row = json.loads(Path(roles.act("export", kind="jsonl")["download"]["path"]).read_text())
    assert (row["tiny: verdict"], row["tiny: right"]) == ("not judged", False)
    assert row["tiny: share of entailment"] is None
    assert roles.act("export", kind="html")["download"]
    for part in ("map", "suggestions"):
        roles.ready(part=part, query={})


def test_the_overview_of_other_pairs_speaks_of_no_symmetry(roles):
    text = text_of(roles.ready(model="tiny", versus="other")["parts"]["main"])
    assert "symmetric" not in text
    assert "By what the second sentence changes" in text
    assert "Same verdict on the reverse pair of a swap:" in text
    assert "% of 3 pairs" in text
    for change, rows in (("a swap", [0, 1, 2]), ("another thing", [3]), ("other words", [4])):
        query = {"conditions": [{"kind": "one_of", "column": "change", "values": [change]}]}
        assert roles.shown(query=query).rows.tolist() == rows
    one = {"conditions": [{"kind": "rows_of", "rows": [0, 1, 2]}]}
    text = text_of(roles.ready(query=one)["parts"]["main"])
    assert "By true label: the relation is symmetric, antisymmetric, or neither" in text
    assert "By what the second sentence changes" not in text
    assert "⇄" in text_of(roles.look(row=0)["parts"]["detail"])
    assert "→" in text_of(roles.look(row=4)["parts"]["detail"])
