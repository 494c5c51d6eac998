"""The points of the map: how many, which, in which colours; and the areas drawn round them."""

from dataclasses import replace

import numpy as np
import pytest
from analyse_tools import Page, start

from symdemo.ui.analyse import mapping
from symdemo.ui.analyse.explorer import Explorer
from symdemo.ui.analyse.mapping import COLOURS, MOST_GROUPS
from symdemo.ui.analyse.shown import Shown
from symdemo.ui.analyse.state import View


@pytest.fixture
def page(explorer, opened):
    return Page(explorer, opened, part="map", versus="other")


def points_of(found):
    return {row: (x, y) for trace in found["map"]["traces"] if trace["symbol"] != "star"
            for row, x, y in zip(trace["rows"], trace["x"], trace["y"], strict=True)}  # fmt: skip


def drawn(found):
    return sorted(row for trace in found["map"]["traces"] for row in trace["rows"])


@pytest.mark.parametrize("colour", COLOURS)
def test_every_row_is_drawn_once(page, colour):
    found = page.ready(colour=colour)
    assert drawn(found) == list(range(24))
    query = {"conditions": [{"kind": "one_of", "column": "label", "values": ["entailment"]}]}
    found = page.ready(query=query)
    assert drawn(found) == list(range(24))
    faint = [trace for trace in found["map"]["traces"] if trace["faint"]]
    assert [trace["name"] for trace in faint] == ["not in the filters"]
    assert len(faint[0]["rows"]) == 24 - page.count()


def test_colours_say_what_they_say(page, desk, data):
    rows = desk.opened(page.workspace).analysis.rows
    found = page.ready(colour="right")
    names = {trace["name"]: trace for trace in found["map"]["traces"]}
    assert set(names) <= {"right", "wrong", "no true label"}
    assert names["no true label"]["rows"] == [3, 17]
    assert names["right"]["rows"] == rows.index[rows["tiny: right"] == True].tolist()  # noqa: E712
    found = page.ready(colour="models")
    names = {trace["name"]: trace["rows"] for trace in found["map"]["traces"]}
    only = (rows["tiny: right"] == True) & (rows["other: right"] == False)  # noqa: E712
    assert names.get("only tiny", []) == rows.index[only].tolist()
    assert names["no true label"] == [3, 17]
    found = page.ready(row=4, pinned=5)
    assert [t["rows"] for t in found["map"]["traces"] if t["symbol"] == "star"] == [[4], [5]]


def test_more_than_a_few_colours_are_others(page, monkeypatch):
    monkeypatch.setattr(mapping, "MOST_GROUPS", 2)
    assert MOST_GROUPS > 2
    found = page.ready(colour="relation")
    assert [trace["name"] for trace in found["map"]["traces"]][2:] == ["others"]
    assert drawn(found) == list(range(24))


@pytest.mark.parametrize("most", [1, 7, 23, 24])
@pytest.mark.parametrize("query", [{}, {"conditions": [{"set": "marked"}]}])
def test_at_most_so_many_are_drawn_and_the_filtered_first(page, monkeypatch, most, query):
    monkeypatch.setattr(mapping, "MOST_POINTS", most)
    page.workspace.mark(range(10), True)
    found = page.ready(query=query)
    rows = drawn(found)
    assert len(rows) == len(set(rows)) == most
    if query:
        front = [row for row in rows if row < 10]
        assert len(front) == min(most, 10)


def test_an_area_takes_the_points_that_lie_in_it(page):
    points = points_of(page.ready())
    middle = float(np.median([x for x, _ in points.values()])) + 1e-3
    left = [[-99, -99], [middle, -99], [middle, 99], [-99, 99]]
    page.act("select", polygon=left)
    inside = [row for row, (x, _) in points.items() if x < middle]
    assert page.count() == len(inside)
    page.act("select", polygon=[[middle, -99], [99, -99], [99, 99], [middle, 99]])
    assert len(page.view["query"]["conditions"]) == 1  # the new area takes the old one's place
    assert page.count() == 24 - len(inside)


@pytest.mark.parametrize("polygon", [None, 3, [], [[1]], [["a", 1]] * 3, [[0, 0]] * 2_000])
def test_what_is_no_area_is_one_sentence(page, polygon):
    page.ready()
    before = dict(page.view)
    found = page.act("select", polygon=polygon)
    assert found.get("problem") or page.count() == 0
    if "problem" in found:
        assert page.view == before


def test_pairs_that_cannot_be_read_have_no_place(desk, data):
    long = replace(data.pairs[0], premise="Ann met Ben and Carl " * 60)
    workspace = start(desk, replace(data, pairs=(long, *data.pairs[1:])), ["tiny"])
    page = Page(Explorer(desk), workspace, part="map")
    assert drawn(page.ready()) == list(range(1, 24))
    page.act("select", polygon=[[-99, -99], [99, -99], [99, 99], [-99, 99]])
    assert page.count() == 23
    shown = Shown.of(desk.opened(workspace), View(workspace.id))
    assert len(shown.rows) == 24
