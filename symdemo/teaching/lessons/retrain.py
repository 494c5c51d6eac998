"""Few-shot retraining on a person's pairs, with the best state kept and the change measured."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.familiarity import FALSE_ALARMS
from symdemo.classifier.index import LabelIndex
from symdemo.jobs.reporting import Meter, Reporter, Silent
from symdemo.jobs.state import StoppedError
from symdemo.pairs import Pair, hash_pairs
from symdemo.teaching.lessons.compare import Comparison, compare
from symdemo.teaching.lessons.estimate import remember
from symdemo.teaching.lessons.retrain_task import Task
from symdemo.teaching.lessons.settings import DEFAULT_SETTINGS, MEASUREMENTS, TeachSettings
from symdemo.teaching.lessons.split import pairs_to_teach, shown_pairs, split_held_out
from symdemo.teaching.lessons.start import find_start
from symdemo.teaching.lessons.verdicts import judge, others_nearest, share_right
from symdemo.training import zero_gpu
from symdemo.training.loop import TrainingRun, TrainingStep

if TYPE_CHECKING:
    from symdemo.evaluation.forgetting import SimilarityData
    from symdemo.teaching.projects.project import Project
    from symdemo.teaching.projects.version import Version

__all__ = ["retrain", "split_held_out", "teach_project"]

FEWEST_TO_CALIBRATE = 8
"""Held-out pairs without which a new limit of familiarity would be mere chance."""


def retrain(
    base: SymmetryClassifier,
    pairs: Sequence[Pair],
    settings: TeachSettings = DEFAULT_SETTINGS,
    handle: Reporter | None = None,
    sts: SimilarityData | None = None,
) -> tuple[SymmetryClassifier, Comparison, list[dict]]:
    """Retrain a classifier on a person's pairs, mixed with some that it knew before.

    Every few steps it is asked about the pairs that are held out; the best state is kept. What it
    knows in the end is all that the base model knew, encoded anew, and all of the person's pairs,
    the held-out ones among them.

    Args:
        base: where to start; it stays as it is.
        pairs: labelled pairs.
        settings: the person's choices.
        handle: told of every step, and asked before each whether to stop with the best so far. It
            is told how far measuring is too; where that is cut short, figures are missing from the
            comparison, and the new classifier knows only a sample of what the base model knew.
        sts: sentences with human scores of similarity, where forgetting is measured on them too.

    Returns:
        The new classifier, how it compares with `base`, and the learning curve: dicts of `step`,
        `total`, `loss`, `retention`, `accuracy` (None between measurements) and `seconds`.

    Raises:
        InputError: pairs that cannot be read, or fewer than two labels in all.
        StoppedError: it was stopped before the first step.
    """
    handle = handle or Silent()
    task = Task.of(base, pairs, settings)
    handle.log(
        f"{len(task.train)} pairs to learn from, {len(task.held_out)} held out to check, and "
        f"{len(task.replay)} of what the model knows already."
    )
    shown = shown_pairs(settings.drawn(task.train), task.replay)
    run = TrainingRun(base.encoder, shown, task.settings.method, task.config, base.readout)
    watch = _Watch(task, run, handle)
    watch.train()
    if watch.best is None:
        raise StoppedError("Training was stopped before its first step, so nothing was learnt.")
    run.relearn(watch.best)
    remember(run)
    handle.log(f"The state after step {watch.best_step} is kept; now the rest is measured.")
    model, comparison = _finish(task, run, watch, sts)
    return model, comparison, watch.curve


class _Watch:
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
                self._tell(step)
            self._tell(steps[-1], self._measure() if run.step == until else None)
            took = time.perf_counter() - began
            left = took / run.step * (run.total - run.step)
            handle.progress(run.step, run.total, left + self._measuring_seconds())
        if run.step > self._measured:
            self.curve.pop()
            self._tell(run.history[-1], self._measure())

    def _measuring_seconds(self) -> float:
        """How long the second half will take, as far as that can be told by now."""
        return (self._input_seconds or 0.0) * self.task.inputs_to_measure()

    def _tell(self, step: TrainingStep, accuracy: float | None = None) -> None:
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
        task, run = self.task, self.run
        accuracy = None
        if task.held_out:
            known = [*task.replay, *task.train]
            began = time.perf_counter()
            vectors = task.embed(run.student, [*known, *task.held_out])
            self._input_seconds = (time.perf_counter() - began) / len(vectors)
            model = task.model(run.student, run.readout(), known, vectors[: len(known)])
            accuracy = share_right(
                task.held_out, judge(model, task.held_out, vectors[len(known) :])
            )
        since = run.history[self._measured :]
        score = (accuracy or 0.0, -sum(step.loss for step in since) / len(since))
        if self.best is None or score > self._best_score:
            self.best, self.best_step, self._best_score = run.learnt(), run.step, score
        self._measured = run.step
        return accuracy


def _finish(
    task: Task, run: TrainingRun, watch: _Watch, sts: SimilarityData | None
) -> tuple[SymmetryClassifier, Comparison]:
    """The new classifier, and how it compares with the one it came from."""
    meter = Meter(task.inputs_to_measure(), watch.handle)
    result = run.result(stopped=run.step < run.total)
    memory = task.remember(result.encoder, meter)
    held = memory.of(task.held_out)
    known = [*memory.kept, *task.train]
    everything = [*memory.kept, *task.own]
    checked = task.model(result.encoder, result.readout, known, memory.of(known))
    training = task.config.values() | {
        "steps": watch.best_step,
        "steps made": run.step,
        "seconds": round(result.seconds, 2),
        "stopped": result.stopped,
        "replay": len(task.replay),
    }
    if len(memory.kept) < len(task.kept):
        training |= {"known": len(task.kept), "remembered": len(memory.kept)}
    model = task.model(
        result.encoder,
        result.readout,
        everything,
        memory.of(everything),
        familiar_within=_familiar_within(task, checked, held),
        training=training,
        data={
            "hash": hash_pairs(everything),
            "pairs": len(everything),
            "relations": len({pair.relation for pair in everything if pair.relation}),
            "source": f"{len(task.own)} pairs of one’s own, the rest of {task.base.card.name}",
        },
    )
    judged = judge(checked, task.held_out, held)
    comparison = compare(task.base, model, task.own, task.held_out, "held out", judged, sts, meter)
    return model.with_card(scores=comparison.in_words()), comparison


def _familiar_within(task: Task, checked: SymmetryClassifier, held: np.ndarray) -> float | None:
    """Beyond which distance a pair counts as unfamiliar; None where that cannot be said anew.

    By what was held out, and by what was replayed with each entity pair left out in turn.
    """
    if task.base.card.familiar_within is None or len(task.held_out) < FEWEST_TO_CALIBRATE:
        return None
    index: LabelIndex = checked.index
    rows = {pair: row for row, pair in enumerate(index.pairs)}
    replayed = index.embeddings[[rows[pair] for pair in task.replay]]
    limits = []
    for pairs, vectors in ((task.held_out, held), (task.replay, replayed)):
        near = others_nearest(index, pairs, vectors)
        if len(near):
            limits.append(float(np.quantile(near, 1 - FALSE_ALARMS)))
    return round(max(limits), 4) if limits else None


def teach_project(
    project: Project, settings: TeachSettings = DEFAULT_SETTINGS, handle: Reporter | None = None
) -> Version:
    """Retrain on a project's rows and keep what comes of it as a version.

    Raises:
        InputError: rows that cannot be taught, nothing of the name that `settings.base` gives, or
            no room for another version.
        StoppedError: it was stopped before the first step.
    """
    project.limits.check_versions(len(project.versions()) + 1)
    settings.check(project.limits)
    start = find_start(project, settings.base)
    base = start.model(project)
    pairs = pairs_to_teach(project.rows, base, project.limits)
    model, comparison, curve = retrain(base, pairs, settings, handle)
    return project.add_version(
        model,
        how="retrained",
        base=start.base,
        parent=start.version,
        scores=comparison.to_json(),
        training=dict(model.card.training),
        curve=curve,
    )
