"""2,000 predictions without a session, one after the other from four visitors: what is kept."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

from trials.serving import SENTENCES, App, RefusedError, percentile

SECONDS = 900.0
CALLS, VISITORS = 2_000, 4
FLAT = 1.1


def run(app: App) -> dict[str, Any]:
    """Ask a tenth to warm up, then all; memory must not have grown by more than a tenth."""
    _ask(app, app.times(CALLS) // 10)
    before = app.mebibytes()
    seconds, failures = _ask(app, app.times(CALLS))
    after = app.mebibytes()
    return {
        "tried": len(seconds) + len(failures),
        "failed": len(failures),
        "failures": sorted(set(failures))[:3],
        "slowest_seconds": max(seconds, default=None),
        "p95_seconds": percentile(seconds, 95),
        "mebibytes": {"before": before, "after": after},
        "flat": after <= FLAT * before,
    }


def _ask(app: App, calls: int) -> tuple[list[float], list[str]]:
    seconds: list[float] = []
    failures: list[str] = []

    def ask(number: int) -> None:
        with app.visitor(1 + number) as visitor:
            for place in range(calls // VISITORS):
                began = time.perf_counter()
                try:
                    visitor.predict(SENTENCES[place % len(SENTENCES)])
                    seconds.append(time.perf_counter() - began)
                except (RefusedError, httpx.HTTPError) as error:
                    failures.append(f"{type(error).__name__}: {error}")

    with ThreadPoolExecutor(VISITORS) as pool:
        list(pool.map(ask, range(VISITORS)))
    return seconds, failures
