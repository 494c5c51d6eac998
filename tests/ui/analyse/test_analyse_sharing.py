"""What leaves the page: files of the shown rows, and a link that lets strangers read."""

import json
from pathlib import Path

import httpx
import pandas as pd
import pytest
from analyse_tools import actions
from ui_fakes import launched, parts_of

from symdemo.errors import InputError
from symdemo.ui.analyse.export import KINDS
from symdemo.ui.analyse.view import PARTS
from symdemo.ui.app import build_app
from symdemo.ui.shared.temporary import temporary_files

QUERY = {"conditions": [{"kind": "one_of", "column": "label", "values": ["entailment", None]}],
         "sort": "premise", "descending": True}  # fmt: skip


@pytest.fixture(autouse=True)
def noted(page):
    page.workspace.mark([2, 3], True)
    page.workspace.note([3], '=odd, "quoted"')
    page.view["query"] = QUERY


def exported(page, kind):
    return Path(page.act("export", kind=kind)["download"]["path"])


def test_a_file_holds_the_shown_rows_in_order(page, service):
    rows = pd.read_csv(exported(page, "csv"))
    every = service.opened(page.workspace).analysis.rows
    shown = every[every.label.isna() | (every.label == "entailment")]
    shown = shown.sort_values("premise", ascending=False, kind="stable")
    assert rows.row.tolist() == [row + 1 for row in shown.index]
    for name in ("premise", "tiny: verdict", "other: right", "tiny: nearest_premise",
                 "system: verdict"):  # fmt: skip
        assert rows[name].fillna("–").astype(str).tolist() == (
            shown[name].fillna("–").astype(str).tolist()
        ), name
    assert rows.marked.astype(bool).tolist() == [row in (2, 3) for row in shown.index]
    notes = rows.set_index("row").note.dropna()
    assert list(notes.index) == [4]
    assert notes[4] == '\'=odd, "quoted"'
    run = service.opened(page.workspace).runs["tiny"]
    for place, label in enumerate(run.labels):
        expected = run.probabilities[shown.index, place]
        assert rows[f"tiny: share of {label}"].tolist() == pytest.approx(expected.tolist())


def test_a_report_has_the_marked_rows(page, data):
    html = exported(page, "html").read_text()
    assert data.pairs[3].premise in html
    assert data.key in html
    assert page.workspace.id not in html


@pytest.mark.parametrize("kind", [*KINDS, None, "exe", "../csv", ["csv"], {"a": 1}, "x" * 9])
def test_no_rows_or_an_unknown_kind_is_one_sentence(page, kind):
    page.look(query={"conditions": [{"kind": "rows_of", "rows": []}]})
    assert len(page.act("export", kind=kind)["problem"]) < 150


def test_paths_cannot_be_guessed_and_stay_in_the_folder(page, monkeypatch):
    monkeypatch.setitem(vars(page.workspace.data), "name", "../../etc/passwd")
    first, *others = [exported(page, kind) for kind in ("csv", *KINDS)]
    assert first not in others
    for path in (first, *others):
        assert path.resolve().is_relative_to(temporary_files().folder)
        assert path.parent.stat().st_mode & 0o077 == 0


@pytest.fixture(params=["function", pytest.param("http", marks=pytest.mark.slow)])
def send(request, service, explorer):
    """Send what the page's script of a stranger could send."""
    if request.param == "function":
        yield lambda name, body: getattr(explorer, name)(json.dumps(body))
        return
    demo = build_app(service.sessions.store, sessions=service.sessions)
    about = {"session_hash": "stranger", "component_id": parts_of(demo)["analyse-explorer"]._id}
    with launched(demo) as url, httpx.Client(base_url=url, timeout=60) as client:

        def post(name, body):
            sent = about | {"fn_name": name, "data": json.dumps(body)}
            answer = client.post("gradio_api/component_server", json=sent)
            assert answer.status_code == 200, answer.text
            return answer.json()

        yield post


def test_a_stranger_with_the_link_reads_all_and_changes_nothing(send, page, service):
    workspace, note = page.workspace, "worth a look"
    page.act("mark", rows=[1], on=True)
    page.act("note", rows=[1], text=note)
    page.act("keep slice", name="mine")
    pair = {"premise": "Ann is Ben’s boss.", "hypothesis": "Ben is Ann’s boss."}
    page.act("query", row=1, **pair)
    key = page.act("link")["copy"]
    kept = {path: path.read_bytes() for path in workspace.folder.rglob("*") if path.is_file()}
    told = [send("analyse_open", {"shared": key})]
    assert told == [{"analysis": key}]
    view = {"analysis": key, "row": 1}
    told += [send("analyse_look", {"view": view | {"part": part}}) for part in PARTS]
    told.append(send("analyse_look", {"view": view, "parts": ["words", "variants"]}))
    assert told[1]["shared"] == key  # so that a reload of the page opens it again
    for words in (note, "mine", "Shared with you to read", pair["premise"]):
        assert words in json.dumps(told, ensure_ascii=False)
    values = {
        "rows": [1], "row": 1, "on": False, "text": "", "name": "mine", "kind": "csv",
        "label": "neutral", "old": list(pair.values()), "expected": "neutral", **pair,
    }  # fmt: skip
    reading, changing = actions()
    assert len(reading) + len(changing) == 16
    for do in (*reading, *changing):
        told.append(send("analyse_act", {"view": view, "action": {**values, "do": do}}))
        refused = "only its owner" in told[-1].get("problem", "")
        assert refused == (do in changing), do
    assert kept == {path: path.read_bytes() for path in kept}
    assert workspace.id not in json.dumps(told)
    with pytest.raises(InputError):
        service.sessions.delete_analysis(key)
    for other in (key[:-1], key + "0", key.removeprefix("read."), key.upper(), "read."):
        assert send("analyse_look", {"view": {"analysis": other}})["gone"]
    page.act("close")
    assert "no longer here" in send("analyse_open", {"shared": key})["problem"]
