"""20 retrainings one after the other: what of their memory is kept."""

from __future__ import annotations

import time
from typing import Any

import httpx

from experiments.trials.serving import App, Attempts
from experiments.trials.teacher import Teacher, cells, has_version

SECONDS = 3_600.0
TRAININGS, PER_PROJECT = 20, 5
WARM_UP = 5
"""Until as many models are in memory as ever are: the app keeps the last four that were asked."""
TRAINING_SECONDS = 300.0
FLAT = 1.1


def run(app: App) -> dict[str, Any]:
    """Retrain until it is warm, then twenty times; memory must not have grown by over a tenth."""
    attempts, left, project = Attempts(), app.times(TRAININGS), 1
    held = _retrain(app, attempts, 0, WARM_UP)[-1:]
    while left > 0:
        held += _retrain(app, attempts, project, min(left, PER_PROJECT))
        left, project = left - PER_PROJECT, project + 1
    return attempts.to_json() | {
        "mebibytes": {"before": held[0], "after": held[-1], "after_each": held},
        "flat": held[-1] <= FLAT * held[0],
    }


def _retrain(app: App, attempts: Attempts, project: int, times: int) -> list[float]:
    """Retrain one project again and again, each time until its version is whole.

    Returns:
        MiB that the app holds after each.
    """
    rows, held = cells(f"{project}"), []
    with Teacher.at(app, 100 + project) as teacher:
        key = teacher.write(rows)

        def train(number: int) -> None:
            teacher.retrain(rows, key)
            until = time.monotonic() + TRAINING_SECONDS
            while not has_version(app, key, number):
                if time.monotonic() > until:
                    raise httpx.ReadTimeout(f"Training {number} of project {project} never ended.")
                time.sleep(0.5)

        for number in range(times):
            attempts.make(train, number + 1)
            held.append(app.mebibytes())
    return held
