"""The hooks into Gradio 6.31.0: fair turns, little kept of each page, nothing quoted or logged.

And the page as a browser receives it.
"""

import sys
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor

import gradio
import httpx
import pytest
from gradio.state_holder import SessionState
from teach_fakes import until
from ui_fakes import event_of, launched, parts_of

from symdemo.ui.shared import gradio_hooks
from symdemo.ui.shared.gradio_hooks import GuardedBlocks, LightState


def test_the_hooks_were_written_for_this_version():
    assert gradio.__version__ == "6.31.0", "run the slow tests of this file, then change this line"


def visitor(url, number=1):
    transport = httpx.HTTPTransport(local_address=f"127.0.0.{number}")
    return httpx.Client(base_url=f"{url}gradio_api", transport=transport, timeout=30)


def join(client, *data, event=0, session=None):
    body = {"fn_index": event, "data": list(data), "session_hash": session or f"s{time.time_ns()}"}
    return client.post("/queue/join", json=body)


def call(client, endpoint, *data, session=None):
    """Return all that the queue answers to a call, or its refusal."""
    body = {"data": list(data)} | ({"session_hash": session} if session else {})
    answer = client.post(f"/call/{endpoint}", json=body)
    if answer.status_code != 200:
        return answer.text
    return client.get(f"/call/{endpoint}/{answer.json()['event_id']}").text


@pytest.fixture
def waiting():
    """Serve an app whose one event sleeps; return its address, what is done, and a gate.

    The event “held” waits for the gate instead.
    """
    done, gate = [], threading.Event()

    def work(name: str, seconds: float) -> str:
        if name == "held":
            gate.wait(60)
        time.sleep(seconds)
        done.append(name)
        return name

    with GuardedBlocks() as demo:
        gradio.api(work, api_name="work", concurrency_id="few", concurrency_limit=8)
    with launched(demo.queue()) as url:
        yield url, done, gate


def test_no_event_can_be_posted_past_the_queue(app, client):
    for number, function in app[0].fns.items():
        if function.fn:
            body = {"fn_index": number, "data": [""] * len(function.inputs)}
            assert client.post("/run/predict", json=body).status_code == 404, function.name


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has all of 127.0.0.0/8")
def test_a_visitor_is_not_behind_all_events_of_another(waiting):
    url, done, _ = waiting
    with visitor(url, 2) as greedy, visitor(url, 3) as other:
        for _ in range(30):
            assert join(greedy, "greedy", 0.3).status_code == 200
        assert join(other, "other", 0.0).status_code == 200
        before = len(done)
        until(lambda: "other" in done)
    assert done.index("other") <= before + 4


@pytest.mark.slow
def test_one_visitor_has_a_share_of_the_queue(waiting):
    url, _, gate = waiting

    def one() -> str:
        with visitor(url) as client:
            return call(client, "work", "held", 0.0)

    with ThreadPoolExecutor(gradio_hooks.SHARE + 20) as pool:
        asked = [pool.submit(one) for _ in range(gradio_hooks.SHARE + 20)]
        try:
            until(lambda: sum(future.done() for future in asked) == 20)
            refused = [future.result() for future in asked if future.done()]
        finally:
            gate.set()
    assert all("already waiting" in answer for answer in refused)
    answered = [answer for answer in map(Future.result, asked) if answer not in refused]
    assert len(answered) == gradio_hooks.SHARE
    assert all("event: complete" in answer for answer in answered)


QUESTION = ("Ann knows Bob.", "", "", "")


def test_little_is_kept_of_pages(app, client):
    demo, _ = app
    for session in ("page", None):
        assert "event: complete" in call(client, "predict", *QUESTION, session=session)
    assert demo.app.state_holder.capacity == gradio_hooks.MAX_PAGES
    assert not demo.app.state_holder["page"].config_values
    assert len(demo._queue.pending_messages_per_session) <= 2


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has all of 127.0.0.0/8")
def test_a_visitor_with_many_pages_forgets_their_own(app, monkeypatch):
    monkeypatch.setattr(gradio_hooks, "PAGES", 3)
    demo, url = app
    with visitor(url, 2) as one, visitor(url, 3) as greedy:
        call(one, "predict", *QUESTION, session="quiet")
        for number in range(6):
            call(greedy, "predict", *QUESTION, session=f"many{number}")
    kept = [name for name in demo.app.state_holder.session_data if name.startswith("many")]
    assert kept == ["many3", "many4", "many5"]
    assert "quiet" in demo.app.state_holder


def test_a_light_state_is_what_gradio_expects(app):
    demo, _ = app
    light = LightState(demo)
    assert vars(light).keys() == vars(SessionState(demo)).keys()
    state = next(id for id, block in demo.blocks.items() if isinstance(block, gradio.State))
    box = next(id for id, block in demo.blocks.items() if isinstance(block, gradio.Textbox))
    light[state], changed = "mine", gradio.Textbox("new", render=False)
    light[box] = changed
    assert (light[state], light[box]) == ("mine", changed)
    assert not light.config_values
    other = LightState(demo)
    assert other[state] != "mine"
    assert other[box] is demo.blocks[box]


SECRET = "KEYKEY" * 50


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (["one", SECRET], "does not fit|doesn’t fit|match|expected|error"),
        (["x", None, "", SECRET], "hypothesis"),
        (["x", "", 5, SECRET], "model"),
        (["Ann knows Bob.", "", "", {"a": SECRET}], "key"),
    ],
)
def test_a_malformed_call_is_answered_in_a_sentence_and_not_logged(
    client, capfd, caplog, data, message
):
    text = call(client, "predict", *data)
    assert any(word in text for word in message.split("|"))
    assert SECRET not in "".join(capfd.readouterr()) + caplog.text


def test_a_refused_input_is_neither_quoted_nor_logged(app, client, capfd, caplog):
    demo, _ = app
    version, upload = parts_of(demo)["version"], event_of(demo, "table-file", "change")._id
    number, event = next((n, f) for n, f in demo.fns.items() if f.fn and version in f.inputs)
    choice = [SECRET if block is version else None for block in event.inputs]
    join(client, {"path": {SECRET: 1}, "meta": SECRET}, event=upload, session="file")
    assert join(client, *choice, event=number, session="choice").status_code == 200
    streams = []
    for session in ("file", "choice"):
        streams.append(client.get("/queue/data", params={"session_hash": session}).text)
        assert gradio_hooks.REFUSED in streams[-1]
    for path, body in (
        ("run/predict", {"fn_index": number, "data": choice, "session_hash": "x"}),
        ("queue/join", {"fn_index": SECRET, "data": {"x": SECRET}}),
        ("call/teach", {"data": SECRET}),
    ):
        answer = client.post(f"/{path}", json=body)
        assert answer.status_code >= 400
        assert len(answer.text) < 400
        streams.append(answer.text)
    assert SECRET not in "".join([*streams, *capfd.readouterr(), caplog.text])


def test_the_page_is_compressed_for_browsers_that_accept_it(app):
    sizes = {}
    for encoding in ("identity", "gzip"):
        with httpx.stream("GET", app[1], headers={"Accept-Encoding": encoding}) as answer:
            page = b"".join(answer.iter_bytes())
            assert page.count(b"// Paint the first view") == 1  # however often it was described
            sizes[encoding] = answer.num_bytes_downloaded
    assert sizes["gzip"] < sizes["identity"] / 4


def test_streams_are_not_held_back_for_compression(client):
    with client.stream("GET", "/heartbeat/abc", headers={"Accept-Encoding": "gzip"}) as answer:
        assert "content-encoding" not in answer.headers
        assert next(answer.iter_bytes())
