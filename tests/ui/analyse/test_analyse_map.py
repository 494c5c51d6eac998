"""The points of the map, their colours, and areas drawn around them."""

from dataclasses import replace

import numpy as np
import pytest
from analyse_tools import Page, start

from symdemo.ui.analyse import computed
from symdemo.ui.analyse.computed import COLOURS
from symdemo.ui.analyse.explorer import Explorer


@pytest.fixture(autouse=True)
def on_the_map(page):
    page.view |= {"part": "map", "versus": "other"}


def points_of(found):
    return {row: (x, y) for trace in found["map"]["traces"] if trace["symbol"] != "star"
            for row, x, y in zip(trace["rows"], trace["x"], trace["y"], strict=True)}  # fmt: skip


def drawn(found):
    return sorted(row for trace in found["map"]["traces"] for row in trace["rows"])


@pytest.mark.parametrize("colour", COLOURS)
def test_every_row_is_drawn_once(page, colour):
    assert drawn(page.ready(colour=colour)) == list(range(24))
    query = {"conditions": [{"kind": "one_of", "column": "label", "values": ["entailment"]}]}
    found = page.ready(query=query)
    assert drawn(found) == list(range(24))
    (faint,) = [trace for trace in found["map"]["traces"] if trace["faint"]]
    assert len(faint["rows"]) == 24 - page.count()


def test_colours_mean_what_the_legend_says(page, service):
    rows = service.opened(page.workspace).analysis.rows
    names = {t["name"]: t["rows"] for t in page.ready(colour="right")["map"]["traces"]}
    assert set(names) <= {"right", "wrong", "no true label"}
    assert names["no true label"] == [3, 17]
    assert names["right"] == rows.index[rows["tiny: right"] == True].tolist()  # noqa: E712
    names = {t["name"]: t["rows"] for t in page.ready(colour="models")["map"]["traces"]}
    only = (rows["tiny: right"] == True) & (rows["other: right"] == False)  # noqa: E712
    assert names.get("only tiny", []) == rows.index[only].tolist()
    found = page.ready(row=4, pinned=5)
    assert [t["rows"] for t in found["map"]["traces"] if t["symbol"] == "star"] == [[4], [5]]


@pytest.mark.parametrize("most", [1, 23])
@pytest.mark.parametrize("query", [{}, {"conditions": [{"set": "marked"}]}])
def test_of_too_many_points_a_sample_is_drawn_filtered_ones_first(page, monkeypatch, most, query):
    monkeypatch.setattr(computed, "MOST_POINTS", most)
    page.workspace.mark(range(10), True)
    rows = drawn(page.ready(query=query))
    assert len(rows) == len(set(rows)) == most
    if query:
        assert len([row for row in rows if row < 10]) == min(most, 10)


def test_an_area_selects_the_points_inside(page):
    points = points_of(page.ready())
    middle = float(np.median([x for x, _ in points.values()])) + 1e-3
    page.act("select", polygon=[[-99, -99], [middle, -99], [middle, 99], [-99, 99]])
    inside = [row for row, (x, _) in points.items() if x < middle]
    assert page.count() == len(inside)
    page.act("select", polygon=[[middle, -99], [99, -99], [99, 99], [middle, 99]])
    assert len(page.view["query"]["conditions"]) == 1  # the new area replaces the old one
    assert page.count() == 24 - len(inside)
    before = dict(page.view)
    for polygon in (None, [[1]], [["a", 1]] * 3, [[0, 0]] * 2_000):
        assert page.act("select", polygon=polygon)["problem"]
    assert page.view == before


def test_unreadable_pairs_have_no_place(service, data):
    long = replace(data.pairs[0], premise="Ann met Ben and Carl " * 60)
    workspace = start(service, replace(data, pairs=(long, *data.pairs[1:])), ["tiny"])
    page = Page(Explorer(service), workspace, part="map")
    assert drawn(page.ready()) == list(range(1, 24))
    page.ready(part="suggestions")
    page.act("select", polygon=[[-99, -99], [99, -99], [99, 99], [-99, 99]])
    assert page.count() == 23
    assert page.count(query={}) == 24
