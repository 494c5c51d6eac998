"""Few-shot retraining on a person's pairs, with the best state kept and the change measured."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.familiarity import FALSE_ALARMS
from symdemo.classifier.index import LabelIndex
from symdemo.jobs.reporting import Meter, Reporter
from symdemo.jobs.state import StoppedError
from symdemo.pairs import Pair, hash_pairs
from symdemo.teaching.lessons.compare import Comparison, compare
from symdemo.teaching.lessons.estimate import record_speed
from symdemo.teaching.lessons.lesson import Lesson
from symdemo.teaching.lessons.plan import Plan, make_plan
from symdemo.teaching.lessons.retrain_task import Task
from symdemo.teaching.lessons.settings import DEFAULT_SETTINGS, MEASUREMENTS, TeachSettings
from symdemo.teaching.lessons.verdicts import accuracy_of, judge, nearest_distances
from symdemo.training import zero_gpu
from symdemo.training.loop import TrainingRun, TrainingStep

if TYPE_CHECKING:
    from symdemo.teaching.projects.project import Project
    from symdemo.teaching.projects.version import Version

MIN_CALIBRATION_PAIRS = 8
"""Held-out pairs without which a new limit of familiarity would be mere chance."""


def retrain(
    base: SymmetryClassifier,
    pairs: Sequence[Pair],
    settings: TeachSettings = DEFAULT_SETTINGS,
    handle: Reporter | None = None,
) -> tuple[SymmetryClassifier, Comparison, list[dict]]:
    """Retrain a classifier on a person's labelled pairs; otherwise as `retrain_on`.

    Raises:
        InputError: pairs that cannot be read, or fewer than two labels in all.
        StoppedError: it was stopped before the first step.
    """
    checked = [base.check(pair) for pair in pairs]
    return retrain_on(base, Lesson.of(base, checked, settings), handle)


def retrain_on(
    base: SymmetryClassifier, lesson: Lesson, handle: Reporter | None = None
) -> tuple[SymmetryClassifier, Comparison, list[dict]]:
    """Retrain a classifier on a lesson: a person's pairs, mixed with some that it knew before.

    Every few steps it is asked about the pairs that are held out; the best state is kept. What it
    knows in the end is all that the base model knew, encoded anew, and all of the person's pairs,
    the held-out ones among them.

    Args:
        base: where to start, the model that the lesson was made for; it stays as it is.
        lesson: the pairs in their parts, and the settings.
        handle: told of every step, and asked before each whether to stop with the best so far. It
            is told how far measuring is too; where that is cut short, figures are missing from the
            comparison, and the new classifier knows only a sample of what the base model knew.

    Returns:
        The new classifier, how it compares with `base`, and the learning curve: dicts of `step`,
        `total`, `loss`, `retention`, `accuracy` (None between measurements) and `seconds`.

    Raises:
        InputError: fewer than two labels in all.
        StoppedError: it was stopped before the first step.
    """
    handle = handle or Reporter()
    handle.log(
        f"{len(lesson.train)} pairs to learn from, {len(lesson.held_out)} held out to check, and "
        f"{len(lesson.replay)} of what the model knows already."
    )
    task, method = Task.of(base, lesson), lesson.settings.taught_by
    run = TrainingRun(base.encoder, lesson.epoch(), method, task.config, base.readout)
    trainer = _Trainer(task, run, handle)
    trainer.train()
    if trainer.best is None:
        raise StoppedError("Training was stopped before its first step, so nothing was learnt.")
    run.relearn(trainer.best)
    record_speed(run)
    handle.log(f"The state after step {trainer.best_step} is kept; now the rest is measured.")
    model, comparison = _finish(task, run, trainer)
    return model, comparison, trainer.curve


class _Trainer:
    """Carries a run on to its end, measures it every few steps, and remembers its best state."""

    def __init__(self, task: Task, run: TrainingRun, handle: Reporter):
        self.task, self.run, self.handle = task, run, handle
        self.curve: list[dict] = []
        self.best: list | None = None
        self.best_step = 0
        self._best_score = (-1.0, 0.0)
        self._measured = 0
        self._input_seconds: float | None = None

    def train(self) -> None:
        """Make all steps, or those until it is to stop."""
        run, handle = self.run, self.handle
        every = -(-run.total // MEASUREMENTS)
        most = zero_gpu.STEPS if zero_gpu.is_lent() else 1
        began = time.perf_counter()
        handle.progress(0, run.total)
        while run.step < run.total and not handle.stopped():
            until = min(run.total, (run.step // every + 1) * every)
            steps = zero_gpu.advance(run, min(most, until - run.step))
            for step in steps[:-1]:
                self._report(step)
            self._report(steps[-1], self._measure() if run.step == until else None)
            took = time.perf_counter() - began
            left = took / run.step * (run.total - run.step)
            handle.progress(run.step, run.total, left + self._measuring_seconds())
        if run.step > self._measured:
            self.curve.pop()
            self._report(run.history[-1], self._measure())

    def _measuring_seconds(self) -> float:
        """How long the second half will take, as far as that can be told by now."""
        return (self._input_seconds or 0.0) * self.task.inputs_to_measure()

    def _report(self, step: TrainingStep, accuracy: float | None = None) -> None:
        point = {
            "step": step.step,
            "total": step.total,
            "loss": step.loss,
            "retention": step.retention,
            "accuracy": accuracy,
            "seconds": step.seconds,
        }
        self.curve.append(point)
        self.handle.event(point)

    def _measure(self) -> float | None:
        """Accuracy on what is held out; the state is kept where it is the best so far."""
        task, run, held_out = self.task, self.run, self.task.lesson.held_out
        accuracy = None
        if held_out:
            known = [*task.lesson.replay, *task.lesson.train]
            began = time.perf_counter()
            vectors = task.embed(run.student, [*known, *held_out])
            self._input_seconds = (time.perf_counter() - began) / len(vectors)
            model = task.model(run.student, run.readout(), known, vectors[: len(known)])
            accuracy = accuracy_of(held_out, judge(model, held_out, vectors[len(known) :]))
        since = run.history[self._measured :]
        score = (accuracy or 0.0, -sum(step.loss for step in since) / len(since))
        if self.best is None or score > self._best_score:
            self.best, self.best_step, self._best_score = run.learnt(), run.step, score
        self._measured = run.step
        return accuracy


def _finish(
    task: Task, run: TrainingRun, trainer: _Trainer
) -> tuple[SymmetryClassifier, Comparison]:
    """The new classifier, and how it compares with the one it came from."""
    lesson = task.lesson
    meter = Meter(task.inputs_to_measure(), trainer.handle)
    result = run.result(stopped=run.step < run.total)
    embedded = task.embed_known(result.encoder, meter)
    held = embedded.of(lesson.held_out)
    known = [*embedded.kept, *lesson.train]
    everything = [*embedded.kept, *lesson.own]
    checked = task.model(result.encoder, result.readout, known, embedded.of(known))
    training = task.config.values() | {
        "steps": trainer.best_step,
        "steps made": run.step,
        "seconds": round(result.seconds, 2),
        "stopped": result.stopped,
        "replay": len(lesson.replay),
    }
    if len(embedded.kept) < len(task.kept):
        training |= {"known": len(task.kept), "remembered": len(embedded.kept)}
    model = task.model(
        result.encoder,
        result.readout,
        everything,
        embedded.of(everything),
        familiar_within=_familiar_within(task, checked, held),
        training=training,
        data={
            "hash": hash_pairs(everything),
            "pairs": len(everything),
            "relations": len({pair.relation for pair in everything if pair.relation}),
            "source": f"{len(lesson.own)} pairs of one’s own, the rest of {task.base.card.name}",
        },
    )
    judged = judge(checked, lesson.held_out, held)
    comparison = compare(task.base, model, lesson.own, lesson.held_out, "held out", judged, meter)
    return model.with_card(scores=comparison.in_words()), comparison


def _familiar_within(task: Task, checked: SymmetryClassifier, held: np.ndarray) -> float | None:
    """Beyond which distance a pair counts as unfamiliar; None where that cannot be said anew.

    By what was held out, and by what was replayed with each entity pair left out in turn.
    """
    if task.base.card.familiar_within is None or len(held) < MIN_CALIBRATION_PAIRS:
        return None
    lesson = task.lesson
    index: LabelIndex = checked.index
    rows = {pair: row for row, pair in enumerate(index.pairs)}
    replayed = index.embeddings[[rows[pair] for pair in lesson.replay]]
    limits = []
    for pairs, vectors in ((lesson.held_out, held), (lesson.replay, replayed)):
        near = nearest_distances(index, pairs, vectors)
        if len(near):
            limits.append(float(np.quantile(near, 1 - FALSE_ALARMS)))
    return round(max(limits), 4) if limits else None


def teach_project(
    project: Project, settings: TeachSettings = DEFAULT_SETTINGS, handle: Reporter | None = None
) -> Version:
    """Plan a retraining on a project's rows and do it; errors as of both."""
    return retrain_planned(project, make_plan(project, settings, timed=False), handle)


def retrain_planned(project: Project, plan: Plan, handle: Reporter | None = None) -> Version:
    """Do what was planned, whatever the table says by now, and keep what comes of it as a version.

    Raises:
        InputError: the version to start from was deleted, or there is no room for another one.
        StoppedError: it was stopped before the first step.
    """
    project.limits.check_versions(len(project.versions()) + 1)
    model, comparison, curve = retrain_on(plan.start.model(project), plan.lesson, handle)
    return project.add_version(
        model,
        how="retrained",
        base=plan.start.base,
        parent=plan.start.version,
        rows=plan.rows,
        scores=comparison.to_json(),
        training=dict(model.card.training),
        curve=curve,
    )
