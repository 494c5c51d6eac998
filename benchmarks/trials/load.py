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
        states = [key for number in range(trainings) if (key := _train(app, number))]
        done: list[bool] = []
        while time.monotonic() - began < (4 * LEAST if app.small else MOST):
            done = [_ended(app, key) for key in states]
            if all(done) and time.monotonic() - began > LEAST:
                break
            time.sleep(2.0)
    found = met.to_json()
    return {
        "tried": found["tried"],
        "failed": found["failed"],
        "slowest_seconds": found["slowest_seconds"],
        "people": 4 if app.small else PEOPLE,
        "trainings": {"tried": trainings, "begun": len(states), "ended": sum(done)},
        "others": found,
    }


def _train(app: App, number: int) -> str | None:
    """Begin a project and a training of it; its key, or None where it would take too long here."""
    rows = [
        [f"{a} {number}", relation, f"{b} {number}", label]
        for relation, label in RELATIONS
        for a, b in zip(NAMES[::2], NAMES[1::2], strict=True)
    ]
    table = json.dumps({"headers": HEADERS, "rows": rows})
    with app.visitor(100 + number) as visitor:
        values = visitor.act("retrain", "click", "", table, "", None, "", "", "", "", "", "")
        key = next((one for one in values if isinstance(one, str) and len(one) == 24), None)
        if key:
            visitor.act("start", "click", key, None)
    return key


def _ended(app: App, key: str) -> bool:
    """Whether a project has its version."""
    folder = app.root / key / "versions"
    return folder.is_dir() and any(folder.glob("v*/version.json"))
