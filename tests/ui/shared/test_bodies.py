"""What a request may carry: refused before it is read, and everything small passes as it is."""

import asyncio

import pytest

pytest.importorskip("gradio")

from symdemo.ui.shared.traffic import bodies
from symdemo.ui.shared.traffic.bodies import BODY_BYTES, OPENERS, UPLOAD, BodyLimit
from symdemo.ui.shared.traffic.callers import caller_of

POST = "/gradio_api/queue/join"


def ask(chunks, path=POST, headers=(), method="POST", upload_bytes=100, app=None):
    """Status, how many chunks were read, and the body that the app was given, if it was."""
    given, sent, read = [], [], 0
    limit = BodyLimit(app or reader(given), upload_bytes)
    scope = {
        "type": "http", "path": path, "method": method, "headers": list(headers),
        "client": ("10.0.0.1", 5),
    }  # fmt: skip

    async def receive():
        nonlocal read
        read += 1
        if read > len(chunks):
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": chunks[read - 1], "more_body": read < len(chunks)}

    async def send(message):
        sent.append(message)

    asyncio.run(limit(scope, receive, send))
    status = next((m["status"] for m in sent if "status" in m), None)
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


def test_a_large_body_is_refused_before_any_of_it_is_read():
    length = [(b"content-length", str(BODY_BYTES + 1).encode())]
    assert ask([b"x"], headers=length) == (413, 0, None)


def test_a_body_that_does_not_say_how_large_it_is_is_counted():
    chunk = b"x" * (BODY_BYTES // 4)
    assert ask([chunk] * 40) == (413, 5, None)


def test_what_is_small_passes_as_it_was_sent():
    assert ask([b'{"data":', b'["a"]}']) == (200, 2, b'{"data":["a"]}')
    assert ask([], method="GET")[0] == 200


def test_a_body_of_empty_objects_is_refused_before_it_is_parsed():
    assert ask([b"[" + b"{}," * OPENERS + b"{}]"])[0] == 413
    assert ask([b"[" + b"{}," * 100 + b"{}]"])[0] == 200


def test_an_upload_has_a_limit_of_its_own():
    assert ask([b"x" * 1000, b"x"], path=UPLOAD) == (200, 2, b"x" * 1000 + b"x")
    over = bodies.MIB + 101
    assert ask([b"x"], path=UPLOAD, headers=[(b"content-length", b"%d" % over)])[0] == 413
    _, read, given = ask([b"x" * bodies.MIB] * 9, path=UPLOAD)
    assert read == 2
    assert len(given) <= over


def test_routes_that_would_tell_of_others_are_closed():
    for path in ("/monitoring/summary", "/monitoring", "/gradio_api/deep_link"):
        assert ask([], path=path, method="GET") == (404, 0, None)


def test_one_visitor_has_one_thing_at_a_time_done_beside_the_queue():
    most = running = 0

    async def slow(scope, receive, send):
        nonlocal most, running
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.01)
        running -= 1

    statuses = []

    async def one(limit, client):
        async def receive():
            return {"type": "http.request", "body": b"{}"}

        async def send(message):
            if "status" in message:
                statuses.append(message["status"])

        scope = {"type": "http", "path": bodies.AT_ONCE, "method": "POST", "headers": [],
                 "client": (client, 5)}  # fmt: skip
        await limit(scope, receive, send)

    async def all_at_once(clients):
        limit = BodyLimit(slow, 100)
        await asyncio.gather(*(one(limit, client) for client in clients))
        assert not limit._waiting
        assert not limit._turns
        assert not limit._held

    asyncio.run(all_at_once(["a"] * 30))
    assert most == 1
    assert statuses == [429] * (30 - bodies.WAITING)
    asyncio.run(all_at_once(["a", "b", "c"]))
    assert most == 3


def test_bodies_of_one_visitor_that_are_held_at_once_are_bounded():
    """Nothing of any is answered before all have come so far, as where many are sent slowly."""
    number = bodies.SHARE_BYTES // BODY_BYTES
    statuses = []

    async def one(limit, client, wait):
        chunks = [b"x" * (BODY_BYTES - 1), b"x"]

        async def receive():
            if len(chunks) == 1:
                await wait.wait()
            return {"type": "http.request", "body": chunks.pop(0), "more_body": bool(chunks)}

        async def send(message):
            if "status" in message:
                statuses.append((client, message["status"]))

        scope = {"type": "http", "path": POST, "method": "POST", "headers": [],
                 "client": (client, 5)}  # fmt: skip
        await limit(scope, receive, send)

    async def all_at_once():
        limit, wait = BodyLimit(reader([]), 100), asyncio.Event()
        clients = ["greedy"] * (number + 2) + ["other"]
        asked = [asyncio.create_task(one(limit, client, wait)) for client in clients]
        await asyncio.sleep(0)
        wait.set()
        await asyncio.gather(*asked)
        assert not limit._held

    asyncio.run(all_at_once())
    assert statuses.count(("greedy", 429)) == 2
    assert statuses.count(("greedy", 200)) == number
    assert ("other", 200) in statuses


@pytest.mark.parametrize(
    ("space", "forwarded", "peer", "expected"),
    [
        ("", "8.8.8.8", "10.0.0.1", "10.0.0.1"),  # anybody can write such a header
        ("me/app", "1.1.1.1, 8.8.8.8", "10.0.0.1", "8.8.8.8"),
        ("me/app", "1.1.1.1, 8.8.8.8, 10.2.3.4", "10.0.0.1", "8.8.8.8"),
        ("me/app", "nonsense", "10.0.0.1", "10.0.0.1"),
        ("me/app", "2001:4860:1:2:3::9", "10.0.0.1", "2001:4860:1:2::/64"),
        ("me/app", "", None, ""),
    ],
)
def test_a_visitor_is_known_by_an_address_that_they_cannot_choose(
    monkeypatch, space, forwarded, peer, expected
):
    monkeypatch.setenv("SPACE_ID", space)
    assert caller_of([(b"x-forwarded-for", forwarded.encode())], peer) == expected
