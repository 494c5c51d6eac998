"""20 retrainings one after the other: what of their memory is kept."""

from __future__ import annotations

import time
from typing import Any

from trials.serving import App, Attempts
from trials.teacher import Teacher, cells, has_version

SECONDS = 1_800.0
TRAININGS, PER_PROJECT, WARM_UP = 20, 5, 2
TRAINING_SECONDS = 300.0
FLAT = 1.1


def run(app: App) -> dict[str, Any]:
    """Retrain twice to warm up, then twenty times; memory must not have grown by over a tenth."""
    attempts, number = Attempts(), app.times(TRAININGS)
    _retrain(app, attempts, 0, WARM_UP)
    before, left, project = app.mebibytes(), number, 1
    while left > 0:
        _retrain(app, attempts, project, min(left, PER_PROJECT))
        left, project = left - PER_PROJECT, project + 1
    after = app.mebibytes()
    return attempts.to_json() | {
        "mebibytes": {"before": before, "after": after},
        "flat": after <= FLAT * before,
    }


def _retrain(app: App, attempts: Attempts, project: int, times: int) -> None:
    """Retrain one project again and again, each time until its version is whole."""
    rows = cells(f"{project}")
    with Teacher.at(app, 100 + project) as teacher:
        key = teacher.write(rows)

        def train(number: int) -> None:
            teacher.retrain(rows, key)
            until = time.monotonic() + TRAINING_SECONDS
            while not has_version(app, key, number):
                if time.monotonic() > until:
                    raise TimeoutError(f"Training {number} of project {project} never ended.")
                time.sleep(0.5)

        for number in range(times):
            attempts.make(lambda number=number: train(number + 1))
