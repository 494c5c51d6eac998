"""2,000 predictions without a session, one after the other from four visitors: what is kept."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from experiments.trials.serving import SENTENCES, App, Attempts, percentile

SECONDS = 900.0
CALLS, VISITORS = 2_000, 4
FLAT = 1.1


def run(app: App) -> dict[str, Any]:
    """Ask a tenth to warm up, then all; memory must not have grown by more than a tenth."""
    _ask(app, app.times(CALLS) // 10)
    before = app.mebibytes()
    attempts = _ask(app, app.times(CALLS))
    after = app.mebibytes()
    return attempts.to_json() | {
        "p95_seconds": percentile(attempts.seconds, 95),
        "mebibytes": {"before": before, "after": after},
        "flat": after <= FLAT * before,
    }


def _ask(app: App, calls: int) -> Attempts:
    attempts = Attempts()

    def ask(number: int) -> None:
        with app.visitor(1 + number) as visitor:
            for place in range(calls // VISITORS):
                sentence = SENTENCES[place % len(SENTENCES)]
                attempts.make(visitor.predict, sentence)

    with ThreadPoolExecutor(VISITORS) as pool:
        list(pool.map(ask, range(VISITORS)))
    return attempts
