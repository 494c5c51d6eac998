"""Bodies of 150 MB, announced and in pieces, and bodies of a million lists; four others ask."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx

from experiments.trials.serving import App, others

SECONDS = 240.0
MEGABYTE = 1_000_000
LARGE = 150
PATHS = ("queue/join", "call/predict", "run/predict", "component_server")


def run(app: App) -> dict[str, Any]:
    """Send each body to each path; every one has to be refused."""
    sizes = {
        "announced": lambda: b'{"data":["' + b"x" * (LARGE * MEGABYTE) + b'"]}',
        "in pieces": lambda: _pieces(LARGE),
        "million lists": lambda: b'{"data":[' + b"[]," * MEGABYTE + b"[]]}",
    }
    codes: list[str] = []
    seconds: list[float] = []
    with others(app) as met:
        time.sleep(3.0)
        before = app.mebibytes()
        for path in PATHS[:1] if app.small else PATHS:
            for kind, body in sizes.items():
                began = time.perf_counter()
                codes.append(f"{kind}: {_send(app, path, body)}")
                seconds.append(time.perf_counter() - began)
        time.sleep(3.0)
        after = app.mebibytes()
    return {
        "tried": len(codes),
        "failed": sum(not code.endswith(("413", "429", "closed")) for code in codes),
        "answers": sorted(set(codes)),
        "slowest_seconds": max(seconds),
        "mebibytes": {"before": before, "after": after},
        "others": met.to_json(),
    }


def _pieces(megabytes: int) -> Iterator[bytes]:
    yield b'{"data":["'
    for _ in range(megabytes):
        yield b"x" * MEGABYTE
    yield b'"]}'


def _send(app: App, path: str, body: Callable[[], Any]) -> str:
    with app.visitor(1) as visitor:
        try:
            headers = {"content-type": "application/json"}
            return str(visitor.client.post(path, content=body(), headers=headers).status_code)
        except (httpx.WriteError, httpx.ReadError, httpx.RemoteProtocolError):
            return "closed"  # it was refused before all of it was sent
