"""Limits on the connections that the server holds and on what it logs, whatever strangers send.

Without them, uvicorn would keep a connection that sends nothing for ever; and once no more files
could be opened, asyncio would log hundreds of lines a second.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from contextlib import suppress
from typing import Any, ClassVar

import uvicorn.config
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from symdemo.ui.shared.requests import network_of

IDLE_SECONDS = 30.0
"""Wait for a connection's first request; after an answer, uvicorn waits 5 s for the next."""

MOST_CONNECTIONS = 8_192
SHARE = 4  # an address may hold 1/SHARE of all connections; behind a proxy, many visitors have one
OTHER_FILES = 256  # files that stay free for other uses than connections

LINES_AN_HOUR = 300

_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-type: text/plain\r\n\r\n"
    b"Too many connections. Try again in a minute.\n"
)


class GuardedProtocol(AutoHTTPProtocol):  # type: ignore[misc,valid-type]
    """Uvicorn's protocol, with few connections for each address and none that stays idle."""

    most: ClassVar[int] = MOST_CONNECTIONS
    held: ClassVar[Counter[str]] = Counter()

    def connection_made(self, transport: Any) -> None:
        """Refuse a connection above a limit; close one that sends no request."""
        super().connection_made(transport)
        self.address = network_of(self.client[0]) if self.client else ""
        self.held[self.address] += 1
        share = self.most // SHARE
        if len(self.connections) > self.most or self.held[self.address] > share:
            transport.write(_FULL)
            transport.close()
        else:
            asyncio.get_running_loop().call_later(IDLE_SECONDS, self._close_idle)

    def _close_idle(self) -> None:
        if self.cycle is None:
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Give the place back."""
        self.held[self.address] -= 1
        if not self.held[self.address]:
            del self.held[self.address]
        super().connection_lost(exc)


class FewLines(logging.Filter):
    """Passes at most `LINES_AN_HOUR`, so that no log fills a disk; logs how many were left out."""

    def __init__(self) -> None:
        super().__init__()
        self._since, self._seen = time.monotonic(), 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to log a record."""
        if time.monotonic() - self._since > 3600:
            left_out = self._seen - LINES_AN_HOUR
            self._since, self._seen = time.monotonic(), 0
            if left_out > 0:
                words = f"({left_out:,} lines were left out.) {record.getMessage()}"
                record.msg, record.args = words, ()
        self._seen += 1
        return self._seen <= LINES_AN_HOUR


def guard_server() -> None:
    """Bound the connections and the log of servers that start from now on."""
    with suppress(ImportError):  # Windows has neither the module nor the limit
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        with suppress(ValueError, OSError):  # macOS has a lower limit than it tells
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        if files != resource.RLIM_INFINITY:
            GuardedProtocol.most = max(SHARE, min(MOST_CONNECTIONS, files - OTHER_FILES))
    uvicorn.config.HTTP_PROTOCOLS["auto"] = f"{__name__}:GuardedProtocol"
    logging.basicConfig()
    for handler in logging.getLogger().handlers:
        handler.addFilter(FewLines())
    uvicorn.config.LOGGING_CONFIG["loggers"]["uvicorn"] = {"level": "INFO"}  # to the handlers above
