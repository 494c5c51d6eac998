"""The link to an analysis: whoever has it sees all of it, and changes nothing."""

import json

import httpx
import pytest
from analyse_tools import actions
from ui_fakes import launched, parts_of

from symdemo.errors import InputError
from symdemo.ui.analyse.view import PARTS
from symdemo.ui.app import build_app


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
