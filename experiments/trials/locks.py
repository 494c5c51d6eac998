"""499 anonymous projects in seconds, and 33 trainings: whether others still find a place."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from experiments.trials.serving import App, Attempts
from experiments.trials.teacher import Teacher, cells, lines

SECONDS = 1_800.0
FLOOD, TRAININGS, OTHERS = 499, 33, 5


def run(app: App) -> dict[str, Any]:
    """Flood it from one address, then from twenty; in between, others begin and teach."""
    attempts = Attempts()
    with Teacher.at(app, 4_000) as first:
        kept = first.call("teach", lines(cells("kept")), "", "new")["project"]
    begun = {}
    for name, addresses in (("one address", 1), ("twenty addresses", 20)):
        begun[name] = _flood(app, app.times(FLOOD), addresses)
        for n in range(OTHERS):
            attempts.make(_begin, app, 3_000 + n, f"{name} {n}")
    with Teacher.at(app, 4_000) as first:
        attempts.make(first.call, "teach", lines(cells("more")), "", kept)
    flood = Attempts()
    taken = sum(flood.make(_train, app, 1, f"t{n}") for n in range(app.times(TRAININGS)))
    attempts.make(_train, app, 2_000, "other")
    failures = attempts.refused + attempts.broken  # for others, a refusal is a failure too
    return attempts.to_json() | {
        "failed": len(failures),
        "failures": failures[:5],
        "begun_by_the_flood": begun,
        "trainings_of_one_address": taken,
    }


def _flood(app: App, number: int, addresses: int) -> int:
    """How many anonymous projects were begun."""
    flood = Attempts()

    def post(n: int) -> bool:
        return flood.make(_begin, app, 100 + n % addresses, f"flood {addresses} {n}")

    with ThreadPoolExecutor(16) as pool:
        return sum(pool.map(post, range(number)))


def _begin(app: App, address: int, mark: str) -> str:
    with Teacher.at(app, address) as teacher:
        return teacher.write(cells(mark, 1))


def _train(app: App, address: int, mark: str) -> None:
    with Teacher.at(app, address) as teacher:
        rows = cells(mark)
        teacher.retrain(rows, teacher.write(rows))
