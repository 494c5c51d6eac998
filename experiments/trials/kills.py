"""The app is killed at random moments of writing, teaching, training, packing and opening."""

from __future__ import annotations

import random
import signal
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from experiments.trials.serving import App, RefusedError
from experiments.trials.teacher import Cells, Teacher, cells, lines
from symdemo.classifier import SymmetryClassifier
from symdemo.errors import SymdemoError
from symdemo.teaching.store import ProjectStore

SECONDS = 5_400.0
KILLS = 60
MOST_VERSIONS = 9
FIRST_SECONDS = 60.0
"""So long it is waited for the first thing to be done; a kill comes at random after it."""

WAYS = ("teach", "write", "retrain", "pack", "open")
_GONE = (httpx.HTTPError, RefusedError, OSError, StopIteration, ValueError)


@dataclass
class Told:
    """What the app has acknowledged of one project, last in the turn that is named."""

    subjects: set[str] = field(default_factory=set)
    versions: set[str] = field(default_factory=set)
    turn: int = 0


def run(app: App) -> dict[str, Any]:
    """Work until a kill, start again, and look whether all that was acknowledged is there."""
    rng = random.Random(0)
    told: dict[str, Told] = {}
    failures: set[str] = set()
    restarts: list[float] = []
    acts = dict.fromkeys(WAYS, 0)
    ended: dict[str, str] = {}
    number = app.times(KILLS)
    for turn in range(number):
        way = WAYS[turn % len(WAYS)]
        begun = threading.Event()
        arguments = (app, told, way, turn, acts, begun, ended)
        work = threading.Thread(target=_work, args=arguments, daemon=True)
        work.start()
        begun.wait(FIRST_SECONDS)
        time.sleep(rng.uniform(0.0, 3.0))
        app.stop(signal.SIGKILL)
        work.join(30)
        failures |= _missing(app.root, {k: one for k, one in told.items() if one.turn == turn})
        began = time.perf_counter()
        app.start()
        restarts.append(time.perf_counter() - began)
    failures |= _missing(app.root, told)
    return {
        "tried": number,
        "failed": len(failures),
        "failures": sorted(failures)[:5],
        "slowest_seconds": max(restarts),
        "acknowledged": acts,
        "ended_by": ended,
        "projects": len(told),
        "rows": sum(len(one.subjects) for one in told.values()),
        "versions": sum(len(one.versions) for one in told.values()),
    }


def _work(
    app: App,
    told: dict[str, Told],
    way: str,
    turn: int,
    acts: dict[str, int],
    begun: threading.Event,
    ended: dict[str, str],
) -> None:
    """Do one thing again and again, and note what was acknowledged, until the app is gone."""
    archive = app.root.parent / "mine.zip"
    page: list[list[str]] = []  # a page sends its whole table, and what is not in it is taken out
    try:
        with Teacher.at(app, turn) as teacher:
            for n in range(1_000):
                key, rows = _project(told), cells(f"{turn}-{n}", 1)
                if way == "teach" or not key:
                    found = teacher.call("teach", lines(rows), "", key or "new")
                    key = found["project"]
                    _note(told, key, turn, rows).versions.add(found["version"])
                elif way in ("write", "retrain"):
                    page += rows if way == "write" else cells(f"{turn}-{n}")
                    key = teacher.write(page)
                    _note(told, key, turn, page)
                    if way == "retrain":
                        teacher.retrain(page, key)
                else:
                    if way == "pack" or not archive.exists():
                        draft = archive.with_suffix(".part")
                        teacher.pack(key, draft)
                        draft.replace(archive)
                    if way == "open":
                        _note(told, teacher.open(archive), turn, ())
                acts[way] += 1
                begun.set()
    except _GONE as error:  # it was killed in the middle, or so it should be
        ended[way] = f"{type(error).__name__}: {error}"[:200]


def _note(told: dict[str, Told], key: str, turn: int, rows: Cells) -> Told:
    """What is known of a project, these rows among it."""
    one = told.setdefault(key, Told())
    one.subjects |= {row[0] for row in rows}
    one.turn = turn
    return one


def _project(told: dict[str, Told]) -> str:
    return next((key for key, one in told.items() if 0 < len(one.versions) < MOST_VERSIONS), "")


def _missing(root: Path, told: dict[str, Told]) -> set[str]:
    """What was acknowledged and is not there, or not whole."""
    store = ProjectStore(root)
    missing: set[str] = set()
    for key, one in told.items():
        try:
            project = store.open(key)
            there = {version.id for version in project.versions()}
            missing |= {f"row {s}" for s in one.subjects - {row.subject for row in project.rows}}
            missing |= {f"version {id} of {key}" for id in one.versions - there}
            for id in sorted(there)[-1:]:
                SymmetryClassifier.from_pretrained(project.version_folder(id) / "model", "cpu")
        except SymdemoError as error:
            missing.add(f"{key}: {error}")
    return missing
