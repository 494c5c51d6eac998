"""The explorer: every action, odd requests, filters on what is not computed yet, escaping."""

import json
import re
from dataclasses import asdict
from threading import Event

import numpy as np
import pytest
from analyse_tools import Page, actions, finish, presses, start, tags_of, text_of, unescaped
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ui_fakes import NASTY

from symdemo.classifier import asking
from symdemo.errors import InputError
from symdemo.files.paths import ASSETS
from symdemo.ui.analyse import computed
from symdemo.ui.analyse.explorer import Explorer
from symdemo.ui.analyse.view import PARTS, View, read_view

SQUARE = [[-9, -9], [9, -9], [9, 9], [-9, 9]]
WRONG = {"kind": "one_of", "column": "tiny: right", "values": [False]}
RIGHT = {**WRONG, "values": [True]}
ODD = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 30) | st.floats() | st.text(max_size=4)
    | st.sampled_from(["marked", "slice:a", "hint:tiny:²", "map pca of tiny: x", "label", "csv"]),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)  # fmt: skip
NAMES = ["rows", "shown", "on", "text", "name", "label", "row", "old", "column", "low", "high",
         "polygon", "kind", "premise", "hypothesis", "expected"]  # fmt: skip


def test_the_script_begins_with_the_same_view():
    script = (ASSETS / "analyse.js").read_text(encoding="utf-8")
    found = re.search(r"const EMPTY = (\{.*?\});", script, re.DOTALL)[1]
    assert json.loads(re.sub(r"(\w+):", r'"\1":', found)) == asdict(View())


def test_parts_are_drawn_when_they_are_asked_for(page):
    parts = page.look(row=2, parts=["variants", "words", "head", 3, ["x"]])["parts"]
    assert set(parts) == {"variants", "words"}
    assert page.look(parts=[]) == {"again": 3_000}
    assert read_view({"part": "hints"}).part == "suggestions"  # as older links call it


@given(
    st.sampled_from(sorted({*actions()[0], *actions()[1]} - {"close", "export"})),
    st.dictionaries(st.sampled_from(NAMES), ODD, max_size=5),
    st.dictionaries(st.sampled_from(["query", "row", "part", "text", "adding", "regex"]), ODD,
                    max_size=2),
)  # fmt: skip
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=80)
def test_odd_actions_are_answered_in_one_sentence(page, caplog, do, values, view):
    body = {"view": page.view | view, "action": {"do": do, **values}}
    check_answer(page.explorer.analyse_act(json.dumps(body)), caplog)


def check_answer(found, caplog):
    json.dumps(found, allow_nan=False)
    assert "on our side" not in found.get("problem", ""), caplog.text


@given(st.lists(ODD, max_size=3), st.sampled_from(["all", "any", 3]), ODD)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_odd_queries_are_answered_in_one_sentence(page, caplog, values, match, sort):
    for kind in ("one_of", "between", "contains", "inside", "rows_of", "differs"):
        one = {"kind": kind, "column": "label", "values": values, "rows": values}
        query = {"conditions": [one, *values], "match": match, "sort": sort}
        body = {"view": page.view | {"query": query}}
        check_answer(page.explorer.analyse_look(json.dumps(body)), caplog)


@pytest.mark.parametrize("body", [
    None, 3, {}, [], "", "null", "[]", "{", "[" * 10**5, "9" * 5_000, "x" * 10**6, {"view": {}},
    '{"view": {"page": 1e999}}', '{"view": 3}',
])  # fmt: skip
def test_what_is_no_request_is_answered_in_one_sentence(explorer, body):
    for function in explorer.functions():
        found = function(body)
        json.dumps(found, allow_nan=False)
        assert len(found["problem"]) < 200


def test_a_closed_analysis_is_gone(page):
    folder = page.workspace.folder
    assert page.act("close") == {"gone": True}
    assert not folder.exists()
    for id in (page.workspace.id, "", "../../etc/passwd", "A" * 22):
        found = page.look(analysis=id)
        assert found["gone"]
        assert set(found) == {"gone", "problem"}


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
    marked = {"query": {"conditions": [{"set": "marked"}]}}
    whole = page.look(**marked)["parts"]["main"]
    page.act("mark", rows=[0], on=False)
    assert page.look(**marked)["parts"]["main"] != whole


def test_the_nearest_rows_to_a_sentence_come_first(page, fitted, data):
    sentence, model = "Ann is the mother of Ben.", fitted["knn"]
    own = model.predict([asking.read(sentence).pair]).label_embeddings[0]
    rows = model.predict(data.pairs).label_embeddings
    distances = 1 - rows @ own / np.linalg.norm(rows, axis=1) / np.linalg.norm(own)
    found = page.act("near", text=f" {sentence} ")
    html = str(found["parts"]["main"])
    assert f"Distance to “{sentence}”" in text_of(html)
    order = [row for row, _ in presses(html, "data-row")]
    assert sorted(order) == list(range(24))
    assert np.diff(distances[order]).min() > -2e-3  # they are kept in half precision
    assert np.ptp(distances) > 0.01
    before = dict(page.view)
    for text in ("", "Melatonin", "a" * 301, None):
        assert page.act("near", text=text)["problem"]
    assert page.view == before


def test_columns_are_hidden_and_shown(page):
    def heads(*columns):
        html = str(page.look(part="rows", columns=list(columns))["parts"]["main"])
        return re.findall(r'<th scope="col" class="an-col--(\w+)"', html), html

    usual, html = heads()
    turns = {
        title: turn["columns"] for turn, title in presses(html, "data-view") if "columns" in turn
    }
    assert turns["Relation"] == ["relation"]
    assert heads("relation", "words", "no such")[0] == [*usual[:-1], "words"]
    assert turns["By half"] == ["by half"]
    assert '<td data-title="By half"><div>second</div></td>' in heads("by half")[1]
    assert set(usual) < set(heads(*(own for (own,) in turns.values() if own not in usual))[0])


def test_the_search_holds_beside_filters_joined_by_or(page, data):
    found = {n for n, pair in enumerate(data.pairs) if "Ann" in pair.premise + pair.hypothesis}
    assert page.count(query={"conditions": [WRONG, RIGHT], "match": "any"}) == 22
    assert page.count(text="ann") == len(found - {3, 17})  # these have no label
    assert "500" in page.look(text="a" * 501)["problem"]


def test_a_slice_keeps_filters_and_never_contains_itself(page):
    page.look(query={"conditions": [WRONG]}, text="ann")
    assert "Kept as “my slice”" in page.act("keep slice", name=" my  slice")["said"]
    rows = page.count()
    again = {"query": {"conditions": [{"set": "slice:my slice"}]}, "text": ""}
    assert page.count(**again) == rows
    assert "contains itself" in page.act("keep slice", name="my  slice")["problem"]
    assert page.count() == rows
    page.act("keep slice", name="second")
    page.look(query={"conditions": [{"set": "slice:second"}]})
    assert "contains itself" in page.act("keep slice", name="my slice")["problem"]
    page.look(query={"conditions": [{"kind": "one_of", "column": "none", "values": []}]})
    assert "There is no column" in page.act("keep slice", name="third")["problem"]
    page.act("drop slice", name="my slice")
    found = page.look(part="slices", query={})
    assert "There is no set of rows “slice:my slice”" in text_of(found["parts"]["main"])


def test_slices_of_slices_are_resolved_once(page):
    slices = {"0": {"query": {"conditions": [WRONG]}}}
    for n in range(1, 30):
        sets = [{"set": f"slice:{n - 1}", "negated": bool(at % 2)} for at in range(50)]
        slices[str(n)] = {"query": {"conditions": sets, "match": "any"}}
    for name, query in slices.items():
        page.workspace.keep_slice(name, query)
    assert page.count(query={"conditions": [{"set": "slice:29"}]}) == 24


def test_slices_show_the_figures_of_their_rows(page, service):
    query = {"conditions": [{"kind": "one_of", "column": "label", "values": ["entailment"]}]}
    page.look(query=query)
    page.act("keep slice", name="true ones")
    html = page.look(part="slices", query={})["parts"]["main"]
    analysis = service.opened(page.workspace).analysis
    rows = analysis.rows[analysis.rows.label == "entailment"]
    line = re.search(r"true ones.*?</tr>", str(html), re.DOTALL)[0]
    expected = [(rows[f"{name}: right"] == True).mean() for name in analysis.models]  # noqa: E712
    shares = [f"{share:.1%}" for share in (*expected, 1.0)]
    assert re.findall(r"<b>([\d.]+%)</b>", line) == shares
    assert f"<td>{len(rows)}</td><td>{len(rows)}</td>" in line


def test_what_a_filter_needs_is_computed_first(make_service, data, monkeypatch):
    go, project = Event(), computed.project
    go.set()
    monkeypatch.setattr(
        computed, "project", lambda *rows, **how: go.wait(20) and project(*rows, **how)
    )
    service = make_service()
    workspace = start(service, data, ["tiny"])
    page = Page(Explorer(service), workspace)
    page.ready(part="map")
    page.act("select", polygon=SQUARE)
    assert page.count() == 24
    page.act("keep slice", name="area")
    suggested = {"conditions": [{"set": "hint:tiny:0"}]}
    kept = dict(page.view)
    for view in (kept, kept | {"query": suggested}, kept | {"query": {}, "part": "slices"}):
        fresh = Page(Explorer(make_service()), workspace, **view)
        go.clear()
        found = fresh.look()
        go.set()
        assert "still being computed" in found["said"]
        assert found["again"]
        found = fresh.ready()
        assert "said" not in found
        assert "filters" in found["parts"] or "There is no suggestion 1" in found["problem"]


def test_what_cannot_be_computed_is_reported_once_and_tried_again(page, service, monkeypatch):
    go, works = Event(), computed.project

    def fail(*args, **options):
        go.wait(20)
        raise InputError("There are too few points.")

    monkeypatch.setattr(computed, "project", fail)
    x, y = (f"map pca of tiny: {axis}" for axis in "xy")
    area = {"kind": "inside", "x": x, "y": y, "polygon": SQUARE}
    assert page.look(query={"conditions": [area]})["again"]
    go.set()
    finish(service, page.workspace, "figures")
    monkeypatch.setattr(computed, "project", works)
    found = page.look()
    assert "There are too few points." in found["problem"]
    assert not found["again"]
    assert "problem" not in page.ready()


def test_variants_are_queried_kept_and_dropped(page):
    page.look(row=2)
    sentences = {"premise": "Ann is the mother of Ben.", "hypothesis": "Ben is the mother of Ann."}
    found = page.act("query", row=2, kind="own", expected="contradiction", **sentences)
    html = str(found["parts"]["variants"])
    assert sentences["premise"] in html
    assert "as expected" in html
    assert page.act("query", row=2, premise="x", hypothesis="")["problem"]
    assert page.act("query", row=99, **sentences)["problem"]
    assert page.act("drop", row="2", old=list(sentences.values()))["problem"]
    page.act("drop", row=2, old=list(sentences.values()))
    assert not page.workspace.personal.kept


def test_rows_go_to_teach_with_their_labels(page, data):
    pair = data.pairs[2]
    row = {"premise": pair.premise, "hypothesis": pair.hypothesis, "label": "neutral"}
    assert page.act("teach", rows=[2], label="neutral")["teach"] == [row]
    assert len(page.act("teach", shown=True)["teach"]) == 22
    assert page.act("teach", rows=[3])["problem"] == "None of these rows has a label to teach."
    assert page.act("teach pair", premise="a", hypothesis="b")["problem"]


def test_a_link_opens_no_file_and_no_model_that_is_not_here(page, explorer):
    assert page.look()["shared"].startswith("file:")  # what the address is called
    for shared in ("file:abc", "free-sentences:nobody", {"a": 1}):
        assert "problem" in explorer.analyse_open(json.dumps({"shared": shared}))


def test_markup_is_escaped_in_every_part(nasty):
    nasty.look(query={"conditions": [{"set": "marked"}]})
    nasty.act("keep slice", name=NASTY[:60])
    nasty.act("query", row=2, premise=f"Ann met Ben {NASTY}.", hypothesis="Ben met Ann.")
    views = [{"part": part} for part in PARTS if part != "map"]
    views += [{"part": "map", "colour": colour} for colour in ("label", "relation", "models")]
    views += [{"part": "rows", "adding": name} for name in ("label", "relation", "construction")]
    seen = ""
    for view in views:
        found = nasty.ready(row=2, pinned=5, versus=NASTY, query={}, **view)
        assert found["parts"]["main"]
        assert "problem" not in found, found
        more = nasty.look(parts=["variants", "words"])["parts"]
        for html in (*found["parts"].values(), *more.values()):
            assert not [tag for tag, _ in tags_of(html) if tag == "img"]
            assert not [a for _, attrs in tags_of(html) for a in attrs if a[:2] == "on"]
            seen += str(html)
        for trace in (found.get("map") or {"traces": []})["traces"]:
            assert "<img" not in trace["name"] + "".join(trace["text"])
    assert NASTY in unescaped(seen)
