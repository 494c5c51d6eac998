"""8 retrainings one after the other, and 50 visitors who ask without a pause meanwhile."""

from __future__ import annotations

import json
import time
from typing import Any

from trials.serving import App, others

SECONDS = 900.0
TRAININGS, PEOPLE = 8, 50
LEAST, MOST = 30.0, 600.0
"""Seconds for which it is watched: until all trainings have ended, within these."""

HEADERS = ["Subject", "Relation", "Object", "Label"]
NAMES = ["Ada", "Ben", "Cora", "Dan", "Eve", "Finn", "Gus", "Hal", "Ida", "Jon", "Kim", "Lea"]
RELATIONS = (("hums along with", "yes"), ("is the tutor of", "no"), ("waves at", "maybe"))


def run(app: App) -> dict[str, Any]:
    """Start all trainings, each from an address of its own, and watch until they have ended."""
    trainings = app.times(TRAININGS * 4) // 4 or 1
    with others(app, 4 if app.small else PEOPLE, pace=0.0) as met:
        began = time.monotonic()
        states = [_train(app, number) for number in range(trainings)]
        while time.monotonic() - began < (4 * LEAST if app.small else MOST):
            done = [_ended(app, state) for state in states]
            if all(done) and time.monotonic() - began > LEAST:
                break
            time.sleep(2.0)
    found = met.to_json()
    return {
        "tried": found["tried"],
        "failed": found["failed"],
        "slowest_seconds": found["slowest_seconds"],
        "people": 4 if app.small else PEOPLE,
        "trainings": {"begun": len(states), "ended": sum(done)},
        "others": found,
    }


def _train(app: App, number: int) -> tuple[int, str]:
    """Begin a project and a training of it; the visitor, and the key of the project."""
    rows = [
        [f"{a} {number}", relation, f"{b} {number}", label]
        for relation, label in RELATIONS
        for a, b in zip(NAMES[::2], NAMES[1::2], strict=True)
    ]
    table = json.dumps({"headers": HEADERS, "rows": rows})
    with app.visitor(100 + number) as visitor:
        values = visitor.act("retrain", "click", "", table, "", None, "", "", "", "", "", "")
        key = next(value for value in values if isinstance(value, str) and len(value) == 24)
        visitor.act("start", "click", key, None)
    return number, key


def _ended(app: App, training: tuple[int, str]) -> bool:
    """Whether a project has its version; asking for one by its name fails where there is none."""
    folder = app.root / training[1] / "versions"
    return folder.is_dir() and any(folder.glob("v*/version.json"))
