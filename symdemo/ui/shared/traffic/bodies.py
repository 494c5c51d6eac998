"""What a request may carry: too large a body is refused before it is read, let alone parsed."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Coroutine
from typing import TYPE_CHECKING

from symdemo.ui.shared.traffic.callers import CALLER, caller_of

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MIB = 1024**2
BODY_BYTES = 4 * MIB
"""Of a request that is no upload: a full table of rows has about 1 MiB."""

OPENERS = 20_000
"""Brackets and braces in one body: each may become an object of 50 bytes and more."""

SHARE_BYTES = 4 * BODY_BYTES
"""Of all bodies of one visitor that are held at once."""

UPLOAD = "/gradio_api/upload"
AT_ONCE = "/gradio_api/component_server"
"""Functions of components: Gradio runs them without a queue."""

WAITING = 16
"""Of these, how many of one visitor may wait."""

CLOSED = (
    "/monitoring", "/gradio_api/deep_link", "/gradio_api/process_recording",
)  # fmt: skip
"""Routes of Gradio that this app does not use, and that would write files or tell of others."""


class BodyLimit:
    """ASGI middleware: refuses large bodies and routes that are closed, each with one sentence.

    Args:
        app: what answers all else.
        upload_bytes: of an upload, which goes to the disk as it comes.
    """

    def __init__(self, app: ASGIApp, upload_bytes: int):
        self.app, self.upload_bytes = app, upload_bytes
        self._held: Counter[str] = Counter()
        self._waiting: Counter[str] = Counter()
        self._turns: dict[str, asyncio.Lock] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
        elif scope["path"].startswith(CLOSED):
            await _refuse(send, 404, "There is nothing here.")
        elif scope["path"].rstrip("/") == UPLOAD:
            await self._pass_counted(scope, receive, send)
        elif scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self.app(scope, receive, send)
        else:
            await self._pass_whole(scope, receive, send)

    async def _pass_counted(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a body on as it comes, and no more of it than is allowed."""
        most, seen = self.upload_bytes + MIB, 0  # the form around the file has some bytes too
        if _announced(scope) > most:
            await _refuse(send, 413, _too_large(most))
            return

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            return {"type": "http.disconnect"} if seen > most else message

        await self.app(scope, counted, send)

    async def _pass_whole(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read a body first; what is handed on is small enough to be parsed at once."""
        caller = caller_of(scope["headers"], (scope.get("client") or ("",))[0])
        CALLER.set(caller)
        if _announced(scope) > BODY_BYTES:
            await _refuse(send, 413, _too_large(BODY_BYTES))
            return
        body = bytearray()
        try:
            more = True
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return
                chunk, more = message.get("body", b""), message.get("more_body", False)
                body += chunk
                self._held[caller] += len(chunk)
                if len(body) > BODY_BYTES:
                    await _refuse(send, 413, _too_large(BODY_BYTES))
                    return
                if self._held[caller] > SHARE_BYTES:
                    await _refuse(send, 429, "You are sending too much at once; try again.")
                    return
            if body.count(b"[") + body.count(b"{") > OPENERS:
                await _refuse(
                    send,
                    413,
                    f"There are more than {OPENERS:,} lists and objects in what was sent.",
                )
                return
            pass_on = self.app(scope, _replay(bytes(body), receive), send)
            if scope["path"].rstrip("/") == AT_ONCE:
                await self._in_turn(caller, pass_on, send)
            else:
                await pass_on
        finally:
            self._held[caller] -= len(body)
            if not self._held[caller]:
                del self._held[caller]

    async def _in_turn(self, caller: str, answering: Coroutine, send: Send) -> None:
        """Answer what does not go through the queue: of one visitor, one thing at a time."""
        if self._waiting[caller] >= WAITING:
            answering.close()
            await _refuse(send, 429, "Too much was asked at once; try again in a moment.")
            return
        turn = self._turns.setdefault(caller, asyncio.Lock())
        self._waiting[caller] += 1
        try:
            async with turn:
                await answering
        finally:
            self._waiting[caller] -= 1
            if not self._waiting[caller]:
                del self._waiting[caller], self._turns[caller]


def _announced(scope: Scope) -> int:
    """The length that the request says it has; 0 where it says none, or what is no number."""
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value[:20])
    return 0


def _replay(body: bytes, receive: Receive) -> Receive:
    sent = False

    async def give() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return give


def _too_large(most: int) -> str:
    return f"What was sent is larger than {most // MIB} MiB, which is all that is read at once."


async def _refuse(send: Send, status: int, sentence: str) -> None:
    body = json.dumps({"error": sentence, "detail": sentence}).encode()
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
