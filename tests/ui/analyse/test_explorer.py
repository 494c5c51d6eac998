"""The explorer: every action, odd requests, filters on what is still to be made, and escaping."""

import json
import re
from dataclasses import replace
from threading import Event

import pytest
from analyse_tools import Page, finish, start, tags_of, text_of, unescaped
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ui_fakes import NASTY

from symdemo.analysis.loading import LoadedPairs, RefusedRow
from symdemo.errors import InputError
from symdemo.ui.analyse import mapping
from symdemo.ui.analyse.explorer import _ACTIONS, Explorer
from symdemo.ui.analyse.state import PARTS

SQUARE = [[-9, -9], [9, -9], [9, 9], [-9, 9]]
WRONG = {"kind": "one_of", "column": "tiny: right", "values": [False]}
ODD = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 30) | st.floats() | st.text(max_size=4)
    | st.sampled_from(["marked", "slice:a", "hint:tiny:²", "map pca of tiny: x", "label", "csv"]),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)  # fmt: skip
NAMES = ["rows", "shown", "on", "text", "name", "label", "row", "old", "column", "low", "high",
         "polygon", "kind", "premise", "hypothesis", "expected"]  # fmt: skip


@pytest.fixture
def page(explorer, opened):
    return Page(explorer, opened)


def test_every_part_is_drawn_and_is_json(page):
    for part in PARTS:
        found = page.ready(part=part, row=2, pinned=5, versus="other")
        assert "problem" not in found
        assert found["parts"]["main"]
    assert set(page.look(parts=["others", "words", "head", 3, ["x"]])["parts"]) == {
        "others", "words",
    }  # fmt: skip
    assert page.look(parts=[]) == {"again": 3_000}


@given(
    st.sampled_from([name for name in _ACTIONS if name not in ("close", "export")]),
    st.dictionaries(st.sampled_from(NAMES), ODD, max_size=5),
    st.dictionaries(st.sampled_from(["query", "row", "part", "text", "adding", "regex"]), ODD,
                    max_size=2),
)  # fmt: skip
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
def test_no_action_is_more_than_a_sentence(page, caplog, do, values, view):
    body = {"view": page.view | view, "action": {"do": do, **values}}
    found = page.explorer.analyse_act(json.dumps(body))
    json.dumps(found, allow_nan=False)
    assert "on our side" not in found.get("problem", ""), caplog.text


@given(st.lists(ODD, max_size=3), st.sampled_from(["all", "any", 3]), ODD)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_query_is_more_than_a_sentence(page, caplog, values, match, sort):
    for kind in ("one_of", "between", "contains", "inside", "rows_of", "differs"):
        one = {"kind": kind, "column": "label", "values": values, "rows": values}
        query = {"conditions": [one, *values], "match": match, "sort": sort}
        found = page.explorer.analyse_look(json.dumps({"view": page.view | {"query": query}}))
        json.dumps(found, allow_nan=False)
        assert "on our side" not in found.get("problem", ""), caplog.text


NO_REQUESTS = [
    None, 3, {}, [], "", "null", "[]", "{", "[" * 10**5, "9" * 5_000, "x" * 10**6, {"view": {}},
    '{"view": {"page": 1e999}}',
]  # fmt: skip


@pytest.mark.parametrize("body", NO_REQUESTS)
def test_what_is_no_request_is_one_sentence(explorer, body):
    for ask in explorer.functions():
        found = ask(body)
        json.dumps(found, allow_nan=False)
        assert len(found["problem"]) < 200


def test_what_is_gone_is_gone(page, explorer):
    for id in ("", "../../etc/passwd", "A" * 22):
        page.view["analysis"] = id
        assert page.look() == {
            "gone": True, "problem": "This analysis is not here any more; bring the data again.",
        }  # fmt: skip


def test_closing_removes_it(page, desk):
    folder = page.workspace.folder
    assert page.act("close") == {"gone": True}
    assert not folder.exists()
    assert page.look()["gone"]


def test_marks_and_notes_are_filters(page):
    page.act("mark", rows=[1, 4, 6], on=True)
    page.act("note", rows=[4], text="odd")
    assert page.count(query={"conditions": [{"set": "marked"}]}) == 3
    assert page.count(query={"conditions": [{"set": "noted"}]}) == 1
    page.act("note", shown=True, text="both")
    assert page.workspace.personal.notes == {4: "both"}
    page.look(query={"conditions": [{"set": "marked", "negated": True}]})
    assert page.act("mark", shown=True, on=True)["said"] == "21 rows."
    assert len(page.workspace.personal.marked) == 24


def test_an_overview_is_never_that_of_other_marks(page):
    page.act("mark", rows=[0], on=True)
    view = {"query": {"conditions": [{"set": "marked"}]}}
    one = page.look(**view)["parts"]["main"]
    page.act("mark", rows=[0], on=False)
    page.act("mark", rows=[1, 3], on=True)
    page.act("mark", rows=[1], on=False)
    assert page.look()["parts"]["main"] != one  # row 3 has no label


def test_what_is_searched_for_holds_beside_filters_joined_by_or(page, data):
    found = [n for n, pair in enumerate(data.pairs) if "Ann" in pair.premise + pair.hypothesis]
    wrong = set(page.explorer.desk.opened(page.workspace).analysis.rows.index)
    query = {"conditions": [WRONG, {**WRONG, "values": [True]}], "match": "any"}
    assert page.count(query=query) == 22  # two have no label
    assert page.count(text="ann") == len(set(found) & (wrong - {3, 17}))
    assert "500" in page.look(text="a" * 501)["problem"]


def test_a_slice_keeps_filters_and_is_never_made_of_itself(page):
    page.look(query={"conditions": [WRONG]}, text="ann")
    assert "Kept as “my slice”" in page.act("keep slice", name=" my  slice")["said"]
    rows = page.count()
    again = {"query": {"conditions": [{"set": "slice:my slice"}]}, "text": ""}
    assert page.count(**again) == rows
    assert "made of itself" in page.act("keep slice", name="my  slice")["problem"]
    assert page.count() == rows
    page.act("keep slice", name="second")
    page.look(query={"conditions": [{"set": "slice:second"}]})
    assert "made of itself" in page.act("keep slice", name="my slice")["problem"]
    page.look(query={"conditions": [{"kind": "one_of", "column": "none", "values": []}]})
    assert "There is no column" in page.act("keep slice", name="third")["problem"]
    page.act("drop slice", name="my slice")
    found = page.look(part="slices", query={})
    assert "There is no set of rows “slice:my slice”" in text_of(found["parts"]["main"])


def test_slices_of_slices_are_looked_up_once(page):
    slices = {"0": {"query": {"conditions": [WRONG]}}}
    for n in range(1, 30):
        sets = [{"set": f"slice:{n - 1}", "negated": bool(at % 2)} for at in range(50)]
        slices[str(n)] = {"query": {"conditions": sets, "match": "any"}}
    page.workspace._keep(slices=slices)
    assert page.count(query={"conditions": [{"set": "slice:29"}]}) == 24


def test_slices_side_by_side_are_the_figures_of_their_rows(page, desk):
    query = {"conditions": [{"kind": "one_of", "column": "label", "values": ["entailment"]}]}
    page.look(query=query)
    page.act("keep slice", name="true ones")
    html = page.look(part="slices", query={})["parts"]["main"]
    analysis = desk.opened(page.workspace).analysis
    rows = analysis.rows[analysis.rows.label == "entailment"]
    line = re.search(r"true ones.*?</tr>", str(html), re.DOTALL)[0]
    shares = re.findall(r"<b>([\d.]+%)</b>", line)
    expected = [(rows[f"{name}: right"] == True).mean() for name in analysis.models]  # noqa: E712
    assert shares == [f"{share:.1%}" for share in (*expected, 1.0)]
    assert f"<td>{len(rows)}</td><td>{len(rows)}</td>" in line


def test_a_filter_on_what_is_not_made_yet_has_it_made_first(make_desk, data, monkeypatch):
    looked, project = Event(), mapping.project
    looked.set()
    monkeypatch.setattr(
        mapping, "project", lambda *rows, **how: looked.wait(20) and project(*rows, **how)
    )
    desk = make_desk()
    workspace = start(desk, data, ["tiny"])
    page = Page(Explorer(desk), workspace)
    page.ready(part="map")
    page.act("select", polygon=SQUARE)
    assert page.count() == 24
    page.act("keep slice", name="area")
    hint = {"conditions": [{"set": "hint:tiny:0"}]}
    kept = dict(page.view)
    for view in (kept, kept | {"query": hint}, kept | {"query": {}, "part": "slices"}):
        other = make_desk()
        fresh = Page(Explorer(other), workspace, **view)
        looked.clear()
        found = fresh.look()
        looked.set()
        assert found["said"] == "What a filter speaks of is being made; the rows come with it."
        assert found["again"]
        found = fresh.ready()
        assert "said" not in found
        assert "filters" in found["parts"] or "There is no suggestion 1" in found["problem"]


def test_what_cannot_be_made_is_said_once_and_not_tried_for_ever(page, desk, monkeypatch):
    looked = Event()

    def fail(*args, **options):
        looked.wait(20)
        raise InputError("There are too few points.")

    monkeypatch.setattr(mapping, "project", fail)
    x, y = (f"map pca of tiny: {axis}" for axis in "xy")
    area = {"kind": "inside", "x": x, "y": y, "polygon": SQUARE}
    assert page.look(query={"conditions": [area]})["again"]
    looked.set()
    finish(desk, page.workspace, "figures")
    found = page.look()
    assert "There are too few points." in found["problem"]
    assert not found["again"]


@pytest.mark.parametrize("low", ["nan", "inf", "1e999", "x", ""])
def test_no_number_is_no_range(page, low):
    before = dict(page.view)
    found = page.act("range", column="words", low=low, high="")
    assert found["problem"]
    assert page.view == before
    assert page.act("range", column="nothing", low="1", high="")["problem"]
    assert page.view == before
    page.act("range", column="words", low="2", high="9")
    assert page.view["query"]["conditions"][0]["low"] == 2


def test_counterfactuals_are_asked_kept_and_dropped(page):
    page.look(row=2)
    sentences = {"premise": "Ann is the mother of Ben.", "hypothesis": "Ben is the mother of Ann."}
    found = page.act("ask", row=2, kind="own", expected="contradiction", **sentences)
    html = str(found["parts"]["others"])
    assert sentences["premise"] in html
    assert re.search("as it should", html)
    assert page.act("ask", row=2, premise="x", hypothesis="")["problem"]
    assert page.act("ask", row=99, **sentences)["problem"]
    assert page.act("drop", row="2", old=list(sentences.values()))["problem"]
    page.act("drop", row=2, old=list(sentences.values()))
    assert not page.workspace.personal.kept


def test_rows_go_to_teach_with_their_labels(page, data):
    found = page.act("teach", rows=[2], label="neutral")["teach"]
    assert found[0] == {"premise": data.pairs[2].premise, "hypothesis": data.pairs[2].hypothesis,
                        "label": "neutral", "relation": data.pairs[2].relation}  # fmt: skip
    assert len(page.act("teach", shown=True)["teach"]) == 22
    assert page.act("teach", rows=[3])["problem"] == "None of these rows has a label to teach."
    assert page.act("teach pair", premise="a", hypothesis="b")["problem"]


def test_a_link_opens_a_built_in_set_and_no_file(page, explorer, monkeypatch, data):
    assert page.act("link")["copy"].startswith("file:")
    assert page.workspace.id not in page.act("link")["copy"]
    known = replace(data, built_in="free-sentences")
    monkeypatch.setattr("symdemo.ui.analyse.explorer.load_built_in", lambda name: known)
    workspace = explorer.desk.store.open(
        explorer.analyse_open(json.dumps({"shared": "free-sentences:tiny"}))["analysis"]
    )
    finish(explorer.desk, workspace)
    assert Page(explorer, workspace).act("link")["copy"] == "free-sentences:tiny"
    for shared in ("file:abc", "free-sentences:nobody", {"a": 1}, None):
        assert "problem" in explorer.analyse_open(json.dumps({"shared": shared})) or not shared


def test_damaged_marks_are_told_and_the_rest_is_shown(make_desk, data):
    workspace = start(make_desk(), data, ["tiny"])
    (workspace.folder / "personal.json").write_text("{")
    found = Page(Explorer(make_desk()), workspace).look()
    assert "could not be read; they are put aside" in text_of(found["parts"]["head"])
    assert "How often it is right" in text_of(found["parts"]["main"])


NAMES_OF_LABELS = ["a: b", '“it\'s” "q"', "{x}", NASTY]


@pytest.fixture
def nasty(desk, data, fitted):
    """A workspace with markup in every field."""
    pairs = [
        replace(pair, premise=f"{pair.premise} {NASTY}", relation=NASTY,
                label=NAMES_OF_LABELS[n % 4])
        for n, pair in enumerate(data.pairs)
    ]  # fmt: skip
    given_data = LoadedPairs(
        f"{NASTY}.csv", f"the file {NASTY}", tuple(pairs), (NASTY,) * 24,
        {NASTY: (NASTY,) * 24}, refused=(RefusedRow(1, NASTY, NASTY),), reasons={NASTY: 1},
    )  # fmt: skip
    models = dict.fromkeys(("tiny", "other"), fitted["knn"])
    desk.sessions.store._load = models.__getitem__
    workspace = start(desk, given_data, ["tiny"])
    workspace.note([2], NASTY)
    workspace.mark([2], True)
    return workspace


@pytest.mark.slow
def test_markup_is_escaped_in_every_part(nasty, desk):
    page = Page(Explorer(desk), nasty)
    page.look(query={"conditions": [{"set": "marked"}]})
    page.act("keep slice", name=NASTY[:60])
    page.act("ask", row=2, premise=f"Ann met Ben {NASTY}.", hypothesis="Ben met Ann.")
    seen = ""
    for part in PARTS:
        for colour in ("label", "relation", "models"):
            for adding in ("label", "relation", "construction"):
                found = page.ready(part=part, row=2, pinned=5, versus=NASTY, colour=colour,
                                   adding=adding, query={})  # fmt: skip
                assert "problem" not in found, found
                more = page.look(parts=["others", "words"])["parts"]
                for html in (*found["parts"].values(), *more.values()):
                    assert not [tag for tag, _ in tags_of(html) if tag == "img"]
                    assert not [a for _, attrs in tags_of(html) for a in attrs if a[:2] == "on"]
                    seen += str(html)
                for trace in (found.get("map") or {"traces": []})["traces"]:
                    assert "<img" not in trace["name"] + "".join(trace["text"])
    assert NASTY in unescaped(seen)


@pytest.mark.parametrize("label", NAMES_OF_LABELS)
def test_labels_of_any_name_can_be_filtered_by(nasty, desk, label):
    page = Page(Explorer(desk), nasty)
    condition = {"kind": "one_of", "column": "label", "values": [label]}
    assert page.count(query={"conditions": [condition]}) == 6
    assert "problem" not in page.look(part="rows")
