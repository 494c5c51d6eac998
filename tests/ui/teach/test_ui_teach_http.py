"""The tab “Teach” and its endpoint over HTTP: who may see what."""

import json
import multiprocessing
import sys

import gradio as gr
import gradio_client
import jsonschema
import pytest
from teach_fakes import edit, make_cells, planned, wait_for
from ui_fakes import TINY, event_of, project_ids, served

from symdemo.errors import DiskError, InputError
from symdemo.teaching.project import Project
from symdemo.ui.api import Endpoints
from symdemo.ui.shared.store import VERSION_PREFIX
from symdemo.ui.teach.grid import HEADERS, load_rows
from symdemo.ui.teach.training import find_training, start_training
from symdemo.ui.teach.versions import list_versions

pytestmark = pytest.mark.slow


class Browser:
    """A visitor over HTTP: a client of its own, and the id that the browser would keep."""

    def __init__(self, demo, url):
        self.client = gradio_client.Client(url, verbose=False)
        self.demo, self.id, self.job = demo, "", ""
        for endpoint in self.client.endpoints.values():
            endpoint.is_valid = True  # private endpoints answer whoever posts to them

    def act(self, name, event, *inputs):
        """All that comes back from an event of the component called `name`, as JSON."""
        values = self.client.predict(*inputs, fn_index=event_of(self.demo, name, event)._id)
        return list(values) if isinstance(values, list | tuple) else [values]


def grid(cells):
    return json.dumps({"headers": list(HEADERS), "rows": cells})


@pytest.fixture
def app(sessions):
    with served(sessions) as app:
        yield app


def test_two_visitors_at_once_never_meet(app, sessions):
    ann, bob = (Browser(*app) for _ in range(2))
    for visitor, mark in ((ann, "AnnOnly"), (bob, "BobOnly")):
        visitor.id = visitor.act("teach-grid", "input", "", grid(make_cells(mark)))[0]
        visitor.act("instant", "click", visitor.id, grid(make_cells(mark)))
    assert ann.id != bob.id
    for visitor in (ann, bob):
        visitor.job = start_training(sessions, visitor.id, planned(visitor.id)).id
    seen = {}
    for visitor in (ann, bob):
        wait_for(sessions, visitor.id, find_training(sessions, visitor.id, visitor.job))
        events = (("other", "input", None, None), ("undo", "click"), ("stop", "click"))
        said = [visitor.act(name, event, visitor.id, *sent) for name, event, *sent in events]
        seen[visitor] = json.dumps(said)
    assert "AnnOnly" not in seen[bob]
    assert "BobOnly" not in seen[ann]
    assert ann.id not in seen[bob]
    with pytest.raises(InputError):
        find_training(sessions, ann.id, bob.job)


def test_the_endpoint_teaches_and_answers_but_keeps_nothing(app, sessions):
    client = gradio_client.Client(app[1], verbose=False)
    rows = "\n".join(", ".join(cells) for cells in make_cells())
    found = client.predict(rows, "Ida 77 borders Jon 77.", "", api_name="/teach")
    told = client.view_api(return_format="dict")["named_endpoints"]["/teach"]
    jsonschema.validate(found, told["returns"][0]["type"])
    assert found["version"] is None
    assert "depends" in found["labels"]
    assert found["comparison"]["own_n"] == 8
    assert found["verdicts"][0]["hypothesis"] == "Jon 77 borders Ida 77."
    assert project_ids(sessions) == []
    id = edit(sessions, "", "page", make_cells("88")).save().project
    made = client.predict(rows, "", id, api_name="/teach")
    assert list_versions(sessions, id).selected == made["version"]
    assert len(load_rows(sessions, id).rows) == 16
    for arguments in (("nonsense", "", ""), (rows, "", "x" * 24), ("", "", "")):
        with pytest.raises(gradio_client.exceptions.AppError) as raised:
            client.predict(*arguments, api_name="/teach")
        assert "Traceback" not in str(raised.value)


def test_two_programs_ask_their_own_versions_by_name(app, sessions):
    ann, bob = (gradio_client.Client(app[1], verbose=False) for _ in range(2))
    made, asked = {}, "Ida borders Jon."
    for client, mark in ((ann, "AnnOnly"), (bob, "BobOnly")):
        rows = "\n".join(", ".join(cells) for cells in make_cells(mark))
        rows += f"\nIda {mark}, hums with, Jon {mark}, {mark}"
        made[client] = client.predict(rows, "", "new", api_name="/teach")

    def ask(client, model, key):
        return client.predict(asked, "", model, key, api_name="/predict")

    for client, own, other in ((ann, "AnnOnly", "BobOnly"), (bob, "BobOnly", "AnnOnly")):
        key, version = made[client]["project"], made[client]["version"]
        for name in ("Version 1", version, VERSION_PREFIX + version):
            found = ask(client, name, key)
            assert own in found["probabilities"]
            assert other not in json.dumps(found)
        for shared in ("", TINY):
            assert own not in ask(client, shared, key)["probabilities"]
    theirs = made[bob]["version"]
    for name, key in (("Version 1", ""), (theirs, ""), (VERSION_PREFIX + theirs, ""),
                      (theirs, made[ann]["project"]),
                      (VERSION_PREFIX + theirs, made[ann]["project"]),
                      ("Version 1", "x" * 24), ("", "x" * 24)):  # fmt: skip
        with pytest.raises(gradio_client.exceptions.AppError, match="There is no") as raised:
            ask(ann, name, key)
        assert "BobOnly" not in str(raised.value)
    with pytest.raises(gradio_client.exceptions.AppError, match="here are: tiny, Version 1"):
        ask(ann, "Version 2", made[ann]["project"])


def test_a_refused_call_leaves_the_rows_as_they_were(sessions, project, monkeypatch):
    teach = Endpoints(sessions).teach_relations
    before = sessions.find(project).table
    for rows in ("Ann 77, borders, Ben 77, no", "Ida, borders, Jon, yes\nIda, borders, Jon, no"):
        with pytest.raises(gr.Error, match="Keep one"):
            teach(rows, "", project)
    monkeypatch.setattr(Project, "add_version", lambda *_, **__: raised(DiskError("full")))
    with pytest.raises(gr.Error, match="full"):
        teach("Ida, borders, Jon, yes", "", project)
    assert sessions.find(project).table == before


def raised(error):
    raise error


def teach_many(sessions, project, mark):
    """In a process of its own: another server on the same projects."""
    teach = Endpoints(sessions).teach_relations
    for n in range(3):
        teach(f"Ida {mark}{n}, borders, Jon {mark}{n}, yes", "", project)


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked")
def test_two_servers_at_once_lose_no_row(sessions, project):
    context = multiprocessing.get_context("fork")
    servers = [context.Process(target=teach_many, args=(sessions, project, mark)) for mark in "ab"]
    for server in servers:
        server.start()
    for server in servers:
        server.join(60)
        assert server.exitcode == 0
    subjects = [row.subject for row in sessions.find(project).rows]
    assert len(subjects) == 8 + 6
    assert {f"Ida {mark}{n}" for mark in "ab" for n in range(3)} <= set(subjects)
    assert len(sessions.find(project).versions()) == 6
