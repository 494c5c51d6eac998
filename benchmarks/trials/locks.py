"""499 anonymous projects in seconds, and 33 trainings: whether others still find a place."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

from trials.serving import App, RefusedError
from trials.teacher import Teacher, cells, lines

SECONDS = 1_800.0
FLOOD, TRAININGS, OTHERS = 499, 33, 5


def run(app: App) -> dict[str, Any]:
    """Flood it from one address, then from twenty; in between, others begin and teach."""
    failures: list[str] = []
    seconds: list[float] = []
    with Teacher.at(app, 4_000) as first:
        kept = first.call("teach", lines(cells("kept")), "", "new")["project"]
    begun = {}
    for name, addresses in (("one address", 1), ("twenty addresses", 20)):
        begun[name] = _flood(app, app.times(FLOOD), addresses)
        for n in range(OTHERS):
            _try(failures, seconds, lambda n=n, name=name: _begin(app, 3_000 + n, f"{name} {n}"))
    with Teacher.at(app, 4_000) as first:
        _try(failures, seconds, lambda: first.call("teach", lines(cells("more")), "", kept))
    taken = sum(_accepted(lambda n=n: _train(app, 1, f"t{n}")) for n in range(app.times(TRAININGS)))
    _try(failures, seconds, lambda: _train(app, 2_000, "other"))
    return {
        "tried": 2 * OTHERS + 2,
        "failed": len(failures),
        "failures": failures[:5],
        "slowest_seconds": max(seconds, default=None),
        "begun_by_the_flood": begun,
        "trainings_of_one_address": taken,
    }


def _flood(app: App, number: int, addresses: int) -> int:
    """How many anonymous projects were begun."""

    def post(n: int) -> bool:
        return _accepted(lambda: _begin(app, 100 + n % addresses, f"flood {addresses} {n}"))

    with ThreadPoolExecutor(16) as pool:
        return sum(pool.map(post, range(number)))


def _begin(app: App, address: int, mark: str) -> str:
    with Teacher.at(app, address) as teacher:
        return teacher.write(cells(mark, 1))


def _train(app: App, address: int, mark: str) -> None:
    with Teacher.at(app, address) as teacher:
        rows = cells(mark)
        teacher.retrain(rows, teacher.write(rows))


def _accepted(call: Callable[[], Any]) -> bool:
    try:
        call()
    except (RefusedError, httpx.HTTPError):
        return False
    return True


def _try(failures: list[str], seconds: list[float], call: Callable[[], Any]) -> None:
    began = time.perf_counter()
    try:
        call()
    except (RefusedError, httpx.HTTPError) as error:
        failures.append(f"{type(error).__name__}: {error}"[:300])
    seconds.append(time.perf_counter() - began)
