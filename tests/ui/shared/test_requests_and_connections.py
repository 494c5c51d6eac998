"""Limits on requests, connections and lines of the log; small requests pass unchanged."""

import asyncio
import contextlib
import logging
import os
import re
import resource
import socket
import subprocess
import sys

import httpx
import pytest
import uvicorn
from cases import each_case
from programs import run_python
from starlette.requests import HTTPConnection

from symdemo.ui.shared import connections, requests
from symdemo.ui.shared.connections import FewLines
from symdemo.ui.shared.gradio_hooks import origin_of

POST = "/gradio_api/queue/join"


def scope_of(path=POST, headers=(), method="POST", client="10.0.0.1"):
    return {
        "type": "http", "path": path, "method": method, "headers": list(headers),
        "client": (client, 5),
    }  # fmt: skip


async def post(limit, scope, chunks, wait=None):
    """Send a request; return its status, if any, and how many chunks of its body were read."""
    left, statuses = list(chunks), []

    async def receive():
        if wait and len(left) == 1:
            await wait.wait()
        if not left:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}

    async def send(message):
        statuses.extend([message["status"]] if "status" in message else [])

    await limit(scope, receive, send)
    return next(iter(statuses), None), len(chunks) - len(left)


def ask(chunks, upload_bytes=100, **scope):
    """Return the status, the number of chunks read, and the body that the app got, if any."""
    given = []
    limit = requests.BodyLimit(reader(given), upload_bytes, lambda *_: None)
    status, read = asyncio.run(post(limit, scope_of(**scope), chunks))
    return status, read, given[0] if given else None


def reader(given):
    async def app(scope, receive, send):
        body, message = b"", {"more_body": True}
        while message.get("more_body"):
            message = await receive()
            body += message.get("body", b"")
        given.append(body)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    return app


LENGTH = (b"content-length", b"%d" % (requests.BODY_BYTES + 1))
LONG_NAME = b'{"session_hash": "' + b"x" * 2_000 + b'"}'


@pytest.mark.parametrize(
    ("chunks", "scope", "status", "read"),
    [
        ([b"x"], {"headers": [LENGTH]}, 413, 0),
        ([b"x" * (requests.BODY_BYTES // 4)] * 40, {}, 413, 5),
        ([b"[" + b"{}," * requests.OPENERS + b"{}]"], {}, 413, 1),
        ([LONG_NAME], {}, 400, 1),
        ([LONG_NAME.replace(b"session", b"sess\\u0069on")], {}, 400, 1),
        ([], {"path": "/monitoring/summary", "method": "GET"}, 404, 0),
        ([], {"path": "/gradio_api/deep_link", "method": "GET"}, 404, 0),
        ([], {"method": "GET"}, 200, 0),
        ([b"[" + b"{}," * 100 + b"{}]"], {}, 200, 1),
        ([b"x" * 5_000], {}, 200, 1),
    ],
)
def test_large_bodies_and_closed_routes_are_refused(chunks, scope, status, read):
    assert ask(chunks, **scope)[:2] == (status, read)


def test_small_bodies_pass_unchanged():
    assert ask([b'{"data":', b'["a"]}']) == (200, 2, b'{"data":["a"]}')


def test_an_upload_has_its_own_limit():
    assert ask([b"x" * 1000, b"x"], path=requests.UPLOAD) == (200, 2, b"x" * 1000 + b"x")
    over = requests.MIB + 101
    assert ask([b"x"], path=requests.UPLOAD, headers=[(b"content-length", b"%d" % over)])[0] == 413
    _, read, given = ask([b"x" * requests.MIB] * 9, path=requests.UPLOAD)
    assert read == 2
    assert len(given) <= over


def ask_together(app, clients, path, chunks=(b"{}",), wait=None):
    """Return (client, status) of one request from each client, all sent together."""
    statuses = []

    async def one(limit, client):
        status, _ = await post(limit, scope_of(path, client=client), chunks, wait)
        statuses.extend([(client, status)] if status else [])

    async def run():
        limit = requests.BodyLimit(app, 100, lambda *_: None)
        tasks = [asyncio.create_task(one(limit, client)) for client in clients]
        await asyncio.sleep(0)
        if wait:
            wait.set()
        await asyncio.gather(*tasks)
        assert not limit._held

    asyncio.run(run())
    return statuses


def test_one_caller_runs_one_function_of_a_component_at_a_time():
    most = running = 0

    async def slow(scope, receive, send):
        nonlocal most, running
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.01)
        running -= 1

    statuses = ask_together(slow, ["a"] * 30, requests.COMPONENTS)
    assert most == 1
    assert statuses == [("a", 429)] * (30 - requests.MAX_WAITING - 1)
    ask_together(slow, ["a", "b", "c"], requests.COMPONENTS)
    assert most == 3


def test_bodies_that_one_caller_sends_slowly_are_bounded():
    number = requests.SHARE_BYTES // requests.BODY_BYTES
    clients = ["greedy"] * (number + 2) + ["other"]
    chunks = (b"x" * (requests.BODY_BYTES - 1), b"x")
    statuses = ask_together(reader([]), clients, POST, chunks, wait=asyncio.Event())
    assert statuses.count(("greedy", 429)) == 2
    assert statuses.count(("greedy", 200)) == number
    assert ("other", 200) in statuses


def test_the_caller_with_the_fewest_places_is_next():
    order = []

    async def hold(turns, caller):
        async with turns.take(caller):
            order.append(caller)
            await asyncio.sleep(0)

    async def run():
        turns = requests.Turns(2)
        greedy = [asyncio.create_task(hold(turns, "greedy")) for _ in range(6)]
        await asyncio.sleep(0)
        assert order == ["greedy"]  # half of the places
        greedy[-1].cancel()
        others = [asyncio.create_task(hold(turns, caller)) for caller in ("b", "c")]
        await asyncio.gather(*greedy, *others, return_exceptions=True)
        assert not turns._taken
        assert not turns._waiting

    asyncio.run(run())
    assert order.count("greedy") == 5
    assert {"b", "c"} <= set(order[1:5])


@each_case(__file__, "proxies.csv")
def test_one_setting_decides_which_address_counts_behind_a_proxy(row):
    trusted = row["trusted"].replace("Space", requests.PRIVATE)
    headers = [(b"x-forwarded-for", hop.encode()) for hop in row["forwarded"].split(" | ") if hop]
    seen = []

    async def app(scope, receive, send):
        request = HTTPConnection(scope)
        request.session_hash = "page"
        seen.append((origin_of(request).address, requests.caller_of(request)))

    config = uvicorn.Config(app, forwarded_allow_ips=trusted, log_config=None, lifespan="off")
    config.load()
    asyncio.run(config.loaded_app(scope_of(headers=headers, client=row["peer"]), None, None))
    assert seen == [(row["address"], row["address"].removesuffix(" page"))]


def test_a_space_believes_inner_proxies():
    code = (
        "import symdemo.ui.shared.requests, uvicorn;"
        "print(uvicorn.Config(None, log_config=None).forwarded_allow_ips)"
    )
    environment = {k: v for k, v in os.environ.items() if k != "FORWARDED_ALLOW_IPS"}
    found = run_python("-c", code, env=environment | {"SPACE_ID": "me/app"})
    assert found.stdout.strip() == requests.PRIVATE


SERVER = """
import logging, resource, sys, time
resource.setrlimit(resource.RLIMIT_NOFILE, (1_024, 1_024))
import gradio
from symdemo.ui.shared import connections
connections.IDLE_SECONDS = 6.0
connections.guard_server()
with gradio.Blocks(analytics_enabled=False) as demo:
    gradio.Markdown("here")
print(demo.launch(prevent_thread_lock=True, quiet=True)[1], flush=True)
time.sleep(60)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has all of 127.0.0.0/8")
def test_others_are_answered_while_one_address_holds_5000_connections(tmp_path):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 6_000:
        pytest.skip(f"only {hard} files can be opened")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    log = tmp_path / "log"
    with log.open("w") as errors, contextlib.ExitStack() as stack:
        server = subprocess.Popen(
            [sys.executable, "-c", SERVER], stdout=subprocess.PIPE, stderr=errors, text=True
        )
        stack.callback(server.wait)
        stack.callback(server.kill)
        url = re.search(r"http://[\d.:]+", server.stdout.readline()).group()
        place = "127.0.0.1", int(url.rpartition(":")[2])
        held = [
            stack.enter_context(socket.create_connection(place, 5, ("127.0.0.2", 0)))
            for _ in range(5_000)
        ]
        # While asyncio accepts the flood, it may hold all files that can be opened for a moment,
        # and an answer is cut off; people try again.
        with contextlib.suppress(httpx.TransportError):
            httpx.get(url, timeout=20)
        assert httpx.get(url, timeout=20).status_code == 200
        assert b"503" in held[-1].recv(200)  # refused in words
        assert held[0].recv(200) == b""  # closed, as nothing was asked
        assert httpx.get(url, timeout=10).status_code == 200
    assert log.stat().st_size < 200_000
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_flood_of_lines_is_cut_and_counted(monkeypatch, caplog):
    now = 0.0
    monkeypatch.setattr(connections.time, "monotonic", lambda: now)
    logger = logging.getLogger("flood")
    monkeypatch.setattr(caplog.handler, "filters", [FewLines()])  # and of no test before
    for n in range(1_000):
        logger.warning("Line %s", n)
    assert len(caplog.records) == connections.LINES_AN_HOUR
    now = 3_700.0
    logger.warning("Line %s", "after")
    assert caplog.messages[-1] == "(700 lines were left out.) Line after"
