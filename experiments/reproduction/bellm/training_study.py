"""Running the trainings that are compared: one after another, with a ledger to go on from."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from experiments.reproduction.bellm.keys import LEDGER, training_key
from experiments.reproduction.bellm.trainings import (
    TrainingJob,
    TrainingRooms,
    Trainings,
    best_change,
    training_jobs,
)
from experiments.reproduction.ledger import Ledger
from symdemo.files.provenance import provenance
from symdemo.jobs.reporting import StopAsked

_FIRST_GUESS = 240.0
"""Seconds that a training and its measuring are taken to need before one was timed."""

Show = Callable[[str, float], None]


def compare(plan: Trainings, out: Path, show: Show | None = None) -> tuple[list[dict], bool]:
    """Make the trainings that the ledger in `out` lacks; the rows of the table, and whether all.

    With a grid, the best of it by the dev part is what the settings are then compared at. Ctrl-C
    ends after the training in hand.
    """
    ledger = Ledger(out / LEDGER, provenance())
    rooms: list[TrainingRooms] = []
    stopped = StopAsked("training")
    searched = [job for job in training_jobs(plan) if job.part == "dev"]
    finished = _run(plan, searched, ledger, rooms, show, stopped)
    if plan.grid and finished:
        best = best_change(plan.grid, [ledger.get(job.key) for job in searched])
        plan = replace(plan, grid=(), config=replace(plan.config, **best))
    if finished:
        settings = [job for job in training_jobs(plan) if job.part == "test"]
        finished = _run(plan, settings, ledger, rooms, show, stopped)
        searched += settings
    return _rows(searched, ledger), finished


def keep_curve(name: str, made: dict[str, Any], out: Path) -> None:
    """Add the curve of a training, from its record, to the ledger in `out`; once for each seed."""
    ledger = Ledger(out / LEDGER)
    key = training_key(name, made["config"]["seed"])
    if made["curve"] and key not in ledger:
        ledger.add(key, {"curve": made["curve"]}, made.get("made_by"))


def _run(
    plan: Trainings,
    todo: list[TrainingJob],
    ledger: Ledger,
    rooms: list[TrainingRooms],
    show: Show | None,
    stopped: Callable[[], bool],
) -> bool:
    taken: list[float] = []
    for number, job in enumerate(todo):
        if job.key in ledger:
            continue
        if stopped():
            return False
        if not rooms:
            rooms.append(TrainingRooms(plan))
        if show:
            each = statistics.fmean(taken) if taken else _FIRST_GUESS
            left = sum(other.key not in ledger for other in todo[number:])
            show(f"[{number + 1}/{len(todo)}] {_text(job)}", each * left)
        began = time.perf_counter()
        ledger.add(job.key, rooms[0].compute(job))
        taken.append(time.perf_counter() - began)
    return True


def _text(job: TrainingJob) -> str:
    options = job.options
    how = f"{options.looking_back} looking back, {options.strategy}, {options.pooling}"
    prompt = " with a prompt" if options.prompt else ""
    rate = f"{job.config.learning_rate:g}, {job.config.targets}"
    return f"{how}{prompt}, rate {rate}, seed {job.config.seed}"


def _rows(jobs: list[TrainingJob], ledger: Ledger) -> list[dict[str, Any]]:
    """What is known of each training, and the text of a line of the table."""
    rows = []
    for job in jobs:
        if (result := ledger.get(job.key)) is not None:
            text = f"{result['spearman']:6.2f} on STS-B {job.part}: {_text(job)}"
            rows.append({"key": job.key, "result": result, "text": text})
    return rows
