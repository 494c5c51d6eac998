"""Turns: nobody passes the queue by or holds up the others, and little is kept of each page."""

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

gradio = pytest.importorskip("gradio")

import httpx  # noqa: E402
from gradio.state_holder import SessionState  # noqa: E402
from ui_fakes import make_store  # noqa: E402

from symdemo.ui.app import build_app, launch_options  # noqa: E402
from symdemo.ui.shared.events import MODEL_EVENT  # noqa: E402
from symdemo.ui.shared.sessions import Sessions  # noqa: E402
from symdemo.ui.shared.traffic import turns  # noqa: E402
from symdemo.ui.shared.traffic.blocks import GuardedBlocks  # noqa: E402

needs_addresses = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux has all of 127.0.0.0/8"
)

AT_ONCE = 8
"""Of the slow event below."""


def launch(demo):
    options = launch_options() | {"prevent_thread_lock": True, "quiet": True}
    return demo.launch(server_name="127.0.0.1", server_port=None, **options)[1]


def visitor(url, number=1):
    transport = httpx.HTTPTransport(local_address=f"127.0.0.{number}")
    return httpx.Client(base_url=f"{url}gradio_api", transport=transport, timeout=30)


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    sessions = Sessions(make_store(), tmp_path_factory.mktemp("projects"))
    demo = build_app(sessions.store, sessions=sessions)
    yield demo, launch(demo)
    demo.close()


@pytest.fixture
def slow():
    """An app with one event that takes as long as it is told, and in which order it was done."""
    done = []

    def work(name: str, seconds: float) -> str:
        time.sleep(seconds)
        done.append(name)
        return name

    with GuardedBlocks() as demo:
        few = {"api_visibility": "public", "concurrency_id": "few", "concurrency_limit": AT_ONCE}
        gradio.api(work, api_name="work", **{**MODEL_EVENT, **few})
    url = launch(demo.queue())
    yield url, done
    demo.close()


def join(client, *data, event=0, session=None):
    body = {"fn_index": event, "data": list(data), "session_hash": session or f"s{time.time_ns()}"}
    return client.post("/queue/join", json=body)


def wait_for(condition, seconds=20):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_no_event_can_be_posted_straight_to(app):
    demo, url = app
    with visitor(url) as client:
        for number, function in demo.fns.items():
            if function.fn:
                body = {"fn_index": number, "data": [""] * len(function.inputs)}
                assert client.post("/run/predict", json=body).status_code == 404, function.name


@needs_addresses
def test_who_comes_last_is_not_behind_all_of_another(slow):
    url, done = slow
    with visitor(url, 2) as greedy, visitor(url, 3) as other:
        for _ in range(30):
            assert join(greedy, "greedy", 0.1).status_code == 200
        assert join(other, "other", 0.0).status_code == 200
        before = len(done)
        wait_for(lambda: "other" in done)
    assert done.index("other") <= before + 4


@needs_addresses
def test_who_comes_last_is_not_behind_all_of_others(slow):
    """Three fill all that runs, none of them its half of it, so that turns alone decide."""
    url, done = slow
    with ExitStack() as stack:
        *greedy, last = [stack.enter_context(visitor(url, number)) for number in (2, 3, 4, 5)]
        for _ in range(14):
            for one in greedy:
                assert join(one, "greedy", 1.0).status_code == 200
        assert join(last, "last", 0.0).status_code == 200
        before = len(done)
        wait_for(lambda: "last" in done)
    assert done.index("last") <= before + AT_ONCE + 2


@needs_addresses
def test_one_visitor_does_not_take_all_that_runs_at_once(slow):
    url, done = slow
    with visitor(url, 2) as greedy, visitor(url, 3) as other:
        for _ in range(AT_ONCE):
            join(greedy, "greedy", 3.0)
        time.sleep(0.3)
        join(other, "other", 0.0)
        wait_for(lambda: done)
    assert done[0] == "other"


def test_one_visitor_has_a_share_of_the_queue(slow):
    url, _ = slow
    with visitor(url) as client, ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: join(client, "all", 4.0), range(turns.SHARE + 20)))
    refused = [answer for answer in answers if answer.status_code != 200]
    assert len(refused) >= 10
    assert {answer.status_code for answer in refused} == {503}
    assert all("waiting already" in answer.json()["detail"] for answer in refused)


def test_who_waits_is_told_the_place_now_and_then_not_at_every_turn(slow):
    url, _ = slow
    with visitor(url) as client:
        for number in range(24):
            join(client, "all", 0.2, session=f"page{number}")
        began, told = time.monotonic(), 0
        with client.stream("GET", "/queue/data", params={"session_hash": "page23"}) as stream:
            for line in stream.iter_lines():
                told += '"msg":"estimation"' in line
                if '"msg":"process_completed"' in line:
                    break
    assert 1 <= told <= 2 + (time.monotonic() - began) / turns.TOLD


def test_little_is_kept_of_pages_that_come_and_go(app, monkeypatch):
    monkeypatch.setattr(turns, "PAGES", 8)
    demo, url = app
    with visitor(url) as client:
        for number in range(24):
            session = {"session_hash": f"page{number}"} if number % 2 else {}
            body = {"data": ["Ann knows Bob.", "", "", ""], **session}
            event = client.post("/call/predict", json=body).json()["event_id"]
            answer = client.get(f"/call/predict/{event}")
            assert "event: complete" in answer.text
    assert len(demo.app.state_holder.session_data) <= turns.PAGES
    assert len(demo._queue.pending_messages_per_session) <= turns.PAGES
    assert len(demo._queue.pending_event_ids_session) <= turns.PAGES


def test_what_was_sent_to_a_page_is_not_kept(app):
    demo, url = app
    with visitor(url) as client:
        body = {"data": ["Ann knows Bob.", "", "", ""], "session_hash": "light"}
        event = client.post("/call/predict", json=body).json()["event_id"]
        assert "event: complete" in client.get(f"/call/predict/{event}").text
    assert not demo.app.state_holder["light"].config_values


def test_a_light_state_is_what_gradio_expects(app):
    demo, _ = app
    light, full = turns.LightState(demo), SessionState(demo)
    assert vars(light).keys() == vars(full).keys()
    assert not light.config_values
    state = next(id for id, block in demo.blocks.items() if isinstance(block, gradio.State))
    box = next(id for id, block in demo.blocks.items() if isinstance(block, gradio.Textbox))
    light[state], changed = "mine", gradio.Textbox("new", render=False)
    light[box] = changed
    assert (light[state], light[box]) == ("mine", changed)
    other = turns.LightState(demo)
    assert other[state] != "mine"
    assert other[box] is demo.blocks[box]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"data": ["one KEYKEY"]}, "1 values were sent; 4 are expected"),
        ({"data": ["x", None, "", "KEYKEY"]}, "hypothesis"),
        ({"data": ["x", "", 5, "KEYKEY"]}, "model"),
        ({"data": ["Ann knows Bob.", "", "", {"a": "KEYKEY"}]}, "key"),
    ],
)
def test_a_malformed_call_gets_a_sentence_and_is_not_logged(app, capfd, caplog, body, message):
    with visitor(app[1]) as client:
        answer = client.post("/call/predict", json=body)
        text = answer.text
        if answer.status_code == 200:
            text = client.get(f"/call/predict/{answer.json()['event_id']}").text
    assert message in text
    seen = "".join(capfd.readouterr()) + caplog.text
    assert "KEYKEY" not in seen


def test_what_is_no_file_is_not_logged_either(app, capfd, caplog):
    demo, url = app
    block = next(b for b in demo.blocks.values() if getattr(b, "elem_id", "") == "table-file")
    event = next(n for n, f in demo.fns.items() if (block._id, "change") in f.targets)
    with visitor(url) as client:
        join(client, {"path": {"KEYKEY": 1}, "meta": "KEYKEY"}, event=event, session="nofile")
        stream = client.get("/queue/data", params={"session_hash": "nofile"}).text
    assert "does not fit" in stream
    assert "KEYKEY" not in "".join(capfd.readouterr()) + caplog.text


def test_what_is_no_choice_is_neither_quoted_nor_logged(app, capfd, caplog):
    demo, url = app
    box = next(b for b in demo.blocks.values() if getattr(b, "elem_id", "") == "version")
    number, event = next((n, f) for n, f in demo.fns.items() if f.fn and box in f.inputs)
    values = ["KEYKEY" if block is box else None for block in event.inputs]
    with visitor(url) as client:
        assert join(client, *values, event=number, session="choice").status_code == 200
        stream = client.get("/queue/data", params={"session_hash": "choice"}).text
    assert "does not fit" in stream
    assert "KEYKEY" not in stream + "".join(capfd.readouterr()) + caplog.text


def test_a_page_may_not_have_an_endless_name(app):
    with visitor(app[1]) as client:
        assert join(client, session="x" * 10_000).status_code == 400
