"""Few-shot retraining on a person's pairs: keep the best state and measure what changed."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from symdemo import __version__
from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.index import LabelIndex
from symdemo.encoders import Encoder
from symdemo.jobs.reporting import Meter, Reporter, StoppedError
from symdemo.pairs import Pair, hash_pairs
from symdemo.teaching.comparison import (
    ModelComparison,
    accuracy_of,
    compare,
    comparison_inputs,
    judge,
    nearest_distances,
)
from symdemo.teaching.plan import (
    DEFAULT_SETTINGS,
    MEASUREMENTS,
    RetrainingData,
    RetrainingPlan,
    TeachSettings,
    draw_replay,
)
from symdemo.teaching.project import Project, Version
from symdemo.training import zero_gpu
from symdemo.training.loop import TrainingRun, TrainingStep
from symdemo.training.methods import Readout, encode_pairs

FALSE_ALARMS = 0.05  # share of unseen pairs of taught relations that are called unfamiliar
_SUFFIX = ", retrained"
_MIN_CALIBRATION_PAIRS = 8  # held out; with fewer a threshold of familiarity would be chance
_BATCH = 128  # less than a second on two cores, between two reports of progress
_TIMED_PAIRS = 32


def retrain(
    base: SymmetryClassifier,
    pairs: Sequence[Pair],
    settings: TeachSettings = DEFAULT_SETTINGS,
    handle: Reporter | None = None,
) -> tuple[SymmetryClassifier, ModelComparison, list[dict]]:
    """Retrain a classifier on a person's labelled pairs; see `retrain_on` for result and errors."""
    checked = [base.check(pair) for pair in pairs]
    return retrain_on(base, RetrainingData.of(base, checked, settings), handle)


def retrain_on(
    base: SymmetryClassifier, data: RetrainingData, handle: Reporter | None = None
) -> tuple[SymmetryClassifier, ModelComparison, list[dict]]:
    """Retrain a classifier on a person's pairs, mixed with some that it knew before.

    Every few steps the held-out pairs are measured; the best state is kept. The new classifier
    knows all that the base model knew, encoded again, and all of the person's pairs, including the
    held-out ones. The handle is asked before each step whether to stop with the best state so far.

    Return the new classifier, its comparison with `base`, in which figures are missing if measuring
    was cut short, and the learning curve: dicts of `step`, `total`, `loss`, `retention`, `accuracy`
    (None between measurements) and `seconds`. `InputError` for fewer than two labels in all,
    `StoppedError` if stopped before the first step.
    """
    handle = handle or Reporter()
    handle.log(
        f"{len(data.train)} pairs to learn from, {len(data.held_out)} held out to check, and "
        f"{len(data.replay)} that the model knows already."
    )
    retraining = _Retraining(base, data, handle)
    retraining.train()
    model, comparison = retraining.finish()
    return model, comparison, retraining.curve


def retrain_planned(
    project: Project, plan: RetrainingPlan, handle: Reporter | None = None
) -> Version:
    """Run a planned retraining and save the result as a version.

    Besides the errors of `retrain_on`, `InputError` if the version to start from was deleted or
    there is no room for another one, and `DiskError` if the disk is nearly full.
    """
    project.limits.check("versions", len(project.versions()) + 1)
    project.store.check_disk()  # now, not after minutes of training
    model, comparison, curve = retrain_on(
        plan.start.model(project, plan.data.own), plan.data, handle
    )
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


class _Retraining:
    """One retraining: trains, measures every few steps, and builds the new classifier."""

    def __init__(self, base: SymmetryClassifier, data: RetrainingData, handle: Reporter):
        self.base, self.data, self.handle = base, data, handle
        self.config = data.config
        # the pairs of the base model that stay neighbours
        self.kept = draw_replay(base.index.pairs, data.own, len(base.index), data.config.seed)
        self.run = TrainingRun(base.encoder, data.epoch(), data.method, self.config, base.readout)
        self.curve: list[dict] = []
        self._best: list | None = None
        self._best_step, self._best_score = 0, (-1.0, 0.0)
        self._measured = 0
        self._input_seconds = 0.0  # that encoding one took, when last seen

    def train(self) -> None:
        """Make all steps, or those until it should stop, and restore the best state."""
        run, handle = self.run, self.handle
        every = -(-run.total // MEASUREMENTS)
        most = zero_gpu.STEPS if zero_gpu.is_lent() else 1
        handle.progress(0, run.total)
        known = self.kept or self.data.own
        self._embed(run.student, known[:: max(1, len(known) // _TIMED_PAIRS)])
        inputs_of_look = len(self.data.replay) + len(self.data.own) if self.data.held_out else 0
        began, looking = time.perf_counter(), 0.0
        while run.step < run.total and not handle.stopped():
            until = min(run.total, (run.step // every + 1) * every)
            steps = zero_gpu.advance(run, min(most, until - run.step))
            for step in steps[:-1]:
                self._report(step)
            look = time.perf_counter()
            self._report(steps[-1], self._measure() if run.step == until else None)
            looking += time.perf_counter() - look
            left = run.total - run.step
            training = (time.perf_counter() - began - looking) / run.step * left
            inputs = -(-left // every) * inputs_of_look + self._inputs_to_measure()
            handle.progress(run.step, run.total, training + inputs * self._input_seconds)
        if run.step > self._measured:
            self.curve.pop()
            self._report(run.history[-1], self._measure())
        if self._best is None:
            raise StoppedError("Training was stopped before its first step, so nothing was learnt.")
        run.relearn(self._best)
        handle.log(f"The state after step {self._best_step} is kept; measuring the rest.")

    def _report(self, step: TrainingStep, accuracy: float | None = None) -> None:
        point = asdict(step) | {"accuracy": accuracy}
        self.curve.append(point)
        self.handle.event(point)

    def _measure(self) -> float | None:
        """Return the accuracy on held-out pairs, and keep the state if it is the best so far."""
        run, held_out = self.run, self.data.held_out
        accuracy = None
        if held_out:
            known = [*self.data.replay, *self.data.train]
            vectors = self._embed(run.student, [*known, *held_out])
            model = self._model(run.student, run.readout(), known, vectors[: len(known)])
            accuracy = accuracy_of(held_out, judge(model, held_out, vectors[len(known) :]))
        since = run.history[self._measured :]
        score = (accuracy or 0.0, -sum(step.loss for step in since) / len(since))
        if self._best is None or score > self._best_score:
            self._best, self._best_step, self._best_score = run.learnt(), run.step, score
        self._measured = run.step
        return accuracy

    def finish(self) -> tuple[SymmetryClassifier, ModelComparison]:
        """Build the new classifier and compare it with the base model."""
        data, run = self.data, self.run
        meter = Meter(self._inputs_to_measure(), self.handle)
        result = run.result(stopped=run.step < run.total)
        vectors: dict[Pair, np.ndarray] = {}
        waiting = [*data.own, *self.kept]
        for start in range(0, len(waiting), _BATCH):  # also when cut short: a part is another model
            some = waiting[start : start + _BATCH]
            vectors |= zip(some, self._embed(result.encoder, some), strict=True)
            meter.advance(len(some))
        width = len(vectors[data.own[0]])

        def of(pairs: Iterable[Pair]) -> np.ndarray:
            return np.array([vectors[pair] for pair in pairs]).reshape(-1, width)

        held = of(data.held_out)
        known = [*self.kept, *data.train]
        everything = [*self.kept, *data.own]
        checked = self._model(result.encoder, result.readout, known, of(known))
        training = self.config.values() | {
            "steps": self._best_step,
            "steps made": run.step,
            "seconds": round(result.seconds, 2),
            "stopped": result.stopped,
            "replay": len(data.replay),
        }
        model = self._model(
            result.encoder,
            result.readout,
            everything,
            of(everything),
            familiar_within=self._familiar_within(checked.index, held, of(data.replay)),
            training=training,
            data={
                "hash": hash_pairs(everything),
                "pairs": len(everything),
                "relations": len({pair.relation for pair in everything if pair.relation}),
                "source": f"{len(data.own)} own pairs, the rest of {self.base.card.name}",
            },
        )
        judged = judge(checked, data.held_out, held)
        comparison = compare(self.base, model, data.own, data.held_out, "held out", judged, meter)
        return model.with_card(scores=comparison.in_words()), comparison

    def _inputs_to_measure(self) -> int:
        """Return how many inputs are encoded after training."""
        return len(self.kept) + len(self.data.own) + comparison_inputs()

    def _embed(self, encoder: Encoder, pairs: Sequence[Pair]) -> np.ndarray:
        began = time.perf_counter()
        vectors = encode_pairs(encoder, pairs, self.data.method, self.config.quotient)
        self._input_seconds = (time.perf_counter() - began) / len(pairs)
        return vectors

    def _familiar_within(
        self, index: LabelIndex, held: np.ndarray, replayed: np.ndarray
    ) -> float | None:
        """Return the distance beyond which a pair is unfamiliar; None if too few are held out."""
        if self.base.card.familiar_within is None or len(held) < _MIN_CALIBRATION_PAIRS:
            return None
        limits = []
        for pairs, vectors in ((self.data.held_out, held), (self.data.replay, replayed)):
            near = nearest_distances(index, pairs, vectors)
            if len(near):
                limits.append(float(np.quantile(near, 1 - FALSE_ALARMS)))
        return round(max(limits), 4) if limits else None

    def _model(
        self,
        encoder: Encoder,
        readout: Readout | None,
        pairs: Sequence[Pair],
        vectors: np.ndarray,
        **card: Any,
    ) -> SymmetryClassifier:
        """Build the classifier whose neighbours are `pairs`, the person's own last.

        As in instant teaching, these vote apart from what the base model knew, since among
        thousands they would not count (`LabelIndex.vote_weights`).
        """
        own = set(self.data.own)
        later = sum(pair in own for pair in pairs)
        index = LabelIndex(pairs, vectors, later if later < len(pairs) else 0)
        old, method = self.base.card, self.data.method
        described: dict[str, Any] = {
            "name": f"{old.name.removesuffix(_SUFFIX)}{_SUFFIX}",
            "summary": f"{old.name}, retrained on {len(self.data.own)} more pairs.",
            "method": method,
            "temperature": old.temperature if method == old.method else None,
            "labels": readout.labels if readout else index.labels,
            "seed": self.config.seed,
            "familiar_within": None,
            "scores": {},
            "made_with": __version__,
            "parent": old.name if len(self.base.index) else None,
        }
        return SymmetryClassifier(encoder, index, old.with_(**described | card), readout)
