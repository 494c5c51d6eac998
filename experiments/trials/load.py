"""8 retrainings one after the other, and 50 visitors who ask without a pause meanwhile."""

from __future__ import annotations

import time
from typing import Any

from experiments.trials.serving import App, others
from experiments.trials.teacher import USUAL, Teacher, cells, has_version

SECONDS = 900.0
TRAININGS, PEOPLE = 8, 50
LEAST, MOST = 30.0, 600.0
"""Seconds for which it is watched: until all trainings have ended, within these."""


def run(app: App) -> dict[str, Any]:
    """Begin all trainings, each from an address of its own, and watch until they have ended."""
    trainings = app.times(TRAININGS * 4) // 4 or 1
    people, most = (4, 4 * LEAST) if app.small else (PEOPLE, MOST)
    keys = [_train(app, number) for number in range(trainings)]
    began = time.monotonic()
    with others(app, people, pace=0.0) as met:
        done = [False]
        while time.monotonic() - began < most:
            done = [has_version(app, key) for key in keys]
            if all(done) and time.monotonic() - began > LEAST:
                break
            time.sleep(2.0)
    found = met.to_json()
    return {
        "tried": found["tried"],
        "failed": found["failed"],
        "slowest_seconds": found["slowest_seconds"],
        "people": people,
        "trainings": {"begun": len(keys), "ended": sum(done)},
        "watched_seconds": round(time.monotonic() - began, 1),
        "others": found,
    }


def _train(app: App, number: int) -> str:
    """Begin a project and a training of it, and return its key."""
    rows = cells(f"{number}", 9)
    with Teacher.at(app, 100 + number) as teacher:
        key = teacher.write(rows)
        teacher.retrain(rows, key, USUAL)
    return key
