"""Who sends a request, and how much it may carry; the rest is refused before it is read.

Callers are told apart by network address: the name of a page is chosen by its sender and costs
nothing. Addresses are kept in memory only. Which address counts behind a proxy is decided by one
setting, uvicorn's FORWARDED_ALLOW_IPS.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import logging
import os
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext

from anyio import to_thread
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from symdemo.errors import SymdemoError
from symdemo.text import MIB

logger = logging.getLogger(__name__)

BODY_BYTES = 4 * MIB
"""Most for a request other than an upload; a full table of rows has about 1 MiB."""

SHARE_BYTES = 4 * BODY_BYTES  # most for all bodies of one caller in memory at a time
OPENERS = 20_000  # brackets and braces in a body: each may become an object of 50 bytes and more
NAME_BYTES = 200  # most for the name of a page, which Gradio keeps; its own have eleven

UPLOAD = "/gradio_api/upload"
CLOSED = ("/monitoring", "/gradio_api/deep_link", "/gradio_api/process_recording")
"""Unused routes of Gradio that write files or tell about other visitors."""

COMPONENTS = "/gradio_api/component_server"
"""Functions of components: Gradio runs them without a queue, so here they take turns."""

PLACES, MAX_WAITING = 8, 16
"""How many of these functions run at a time, and how many of one caller may wait."""

REFUSED = "This request doesn’t fit the page. Reload the page, or see its API."

PRIVATE = "127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,::1,fc00::/7"
"""Proxies whose X-Forwarded-For is believed on a Space, where all requests come through some."""

if os.environ.get("SPACE_ID"):  # uvicorn reads it when a server is made
    os.environ.setdefault("FORWARDED_ALLOW_IPS", PRIVATE)


def network_of(address: str) -> str:
    """Return an IPv4 address, or the /64 network of an IPv6 one, which is one household."""
    found = _parsed(address)
    if isinstance(found, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found or address[:100])


def _parsed(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def caller_of(request: HTTPConnection, page: str = "") -> str:
    """Return the network address that a request comes from; empty if unknown.

    Uvicorn replaces the address of a proxy that it believes (FORWARDED_ALLOW_IPS) by the visitor's.
    Behind an inner proxy that it does not believe, all share one address, so the page is added.
    """
    host = request.client.host if request.client else ""
    hidden = "x-forwarded-for" in request.headers and not getattr(_parsed(host), "is_global", True)
    return f"{network_of(host)} {page}" if hidden and page else network_of(host)


class Turns:
    """A semaphore, in one event loop, whose next place goes to the caller who holds the fewest.

    One caller may hold at most `each` of the places; half, rounded up, if None.
    """

    def __init__(self, places: int, each: int | None = None):
        self._places, self._each = places, each or -(-places // 2)
        self._taken: Counter[str] = Counter()
        self._waiting: list[tuple[str, asyncio.Future[None]]] = []

    @asynccontextmanager
    async def take(self, caller: str) -> AsyncIterator[None]:
        """Wait for a place and hold it."""
        own = (caller, asyncio.get_running_loop().create_future())
        self._waiting.append(own)
        self._give()
        try:
            await own[1]
            yield
        finally:
            if own in self._waiting:
                self._waiting.remove(own)
            else:
                self._taken[caller] -= 1
                self._taken = +self._taken
            self._give()

    def waiting(self, caller: str) -> int:
        """Return how often a caller waits for a place."""
        return sum(own[0] == caller for own in self._waiting)

    def _give(self) -> None:
        while self._taken.total() < self._places:
            ready = [one for one in self._waiting if self._taken[one[0]] < self._each]
            if not ready:
                return
            own = min(ready, key=lambda one: self._taken[one[0]])  # on ties, the first to come
            self._waiting.remove(own)
            self._taken[own[0]] += 1
            if not own[1].done():
                own[1].set_result(None)


class BodyLimit:
    """ASGI middleware that refuses large bodies and closed routes, each with one sentence.

    An upload of up to `upload_bytes` is passed on as it arrives. Before, `check_upload` is called
    with the sender's address and the size in bytes; it raises a `SymdemoError` if there is no room.
    """

    def __init__(self, app: ASGIApp, upload_bytes: int, check_upload: Callable[[str, int], None]):
        self.app, self.upload_bytes, self._check_upload = app, upload_bytes, check_upload
        self._held: Counter[str] = Counter()
        self._turns = Turns(PLACES, each=1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
        elif scope["path"].startswith(CLOSED):
            await _refusal(404, "There is nothing here.")(scope, receive, send)
        elif scope["path"].rstrip("/") == UPLOAD:
            await self._pass_counted(scope, receive, send)
        elif scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self.app(scope, receive, send)
        else:
            await self._pass_whole(scope, receive, send)

    async def _pass_counted(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass an upload on as it comes; disconnect when it gets too long."""
        most, seen = self.upload_bytes + MIB, 0  # the form around the file has some bytes too
        size = _announced(scope)
        if size > most:
            await _too_large(most)(scope, receive, send)
            return
        try:
            caller = caller_of(HTTPConnection(scope))
            await to_thread.run_sync(self._check_upload, caller, size or self.upload_bytes)
        except SymdemoError as error:
            await PlainTextResponse(str(error), 413)(scope, receive, send)
            return

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            return {"type": "http.disconnect"} if seen > most else message

        await self.app(scope, counted, send)

    async def _pass_whole(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read a body, then pass it on if it is small enough to be parsed."""
        caller, body = caller_of(HTTPConnection(scope)), bytearray()
        refusal = _too_large(BODY_BYTES) if _announced(scope) > BODY_BYTES else None
        more = True
        try:
            while more and not refusal:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return
                chunk, more = message.get("body", b""), message.get("more_body", False)
                body += chunk
                self._held[caller] += len(chunk)
                if len(body) > BODY_BYTES:
                    refusal = _too_large(BODY_BYTES)
                elif self._held[caller] > SHARE_BYTES:
                    refusal = _refusal(429, "You are sending too much at a time. Try again.")
            refusal = refusal or _problem(body)
            queued = scope["path"].rstrip("/") == COMPONENTS
            if queued and self._turns.waiting(caller) >= MAX_WAITING:
                refusal = _refusal(429, "Too many requests. Try again in a moment.")
            whole = iter([{"type": "http.request", "body": bytes(body), "more_body": False}])

            async def replay() -> Message:
                return next(whole, None) or await receive()

            async with self._turns.take(caller) if queued and not refusal else nullcontext():
                await (refusal or self.app)(scope, replay, send)
        finally:
            self._held[caller] -= len(body)
            if not self._held[caller]:
                del self._held[caller]


def _announced(scope: Scope) -> int:
    """Return the length that the header gives; 0 if it gives none."""
    length = Headers(scope=scope).get("content-length", "")
    return int(length[:20]) if length.isdecimal() else 0


def _problem(body: bytearray) -> Response | None:
    """Return the refusal of a body whose parts would take too much memory; None if none would."""
    if body.count(b"[") + body.count(b"{") > OPENERS:
        return _refusal(413, f"The request has more than {OPENERS:,} lists and objects.")
    if len(body) > 5 * NAME_BYTES:
        try:
            name = json.loads(body).get("session_hash")
        except (ValueError, AttributeError, RecursionError):  # not for Gradio's queue
            return None
        if isinstance(name, str) and len(name) > NAME_BYTES:
            return _refusal(400, "The name of the session is too long.")
    return None


def _too_large(most: int) -> Response:
    return _refusal(413, f"The request is larger than {most // MIB} MiB, the most that is read.")


def _refusal(status: int, sentence: str) -> Response:
    return JSONResponse(
        {"error": sentence, "detail": sentence}, status, headers={"connection": "close"}
    )


async def refuse(_request: Request, error: Exception) -> Response:
    """Answer a body of the wrong form; Gradio would quote all of it in its answer and its log."""
    logger.warning("A request was refused (%s).", type(error).__name__)
    return JSONResponse({"detail": REFUSED}, status_code=422)


REFUSALS = {RequestValidationError: refuse}
