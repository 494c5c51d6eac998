"""How long a retraining will take on this machine: from two real steps, or from earlier ones."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from symdemo.classifier import SymmetryClassifier
from symdemo.encoders import Encoder
from symdemo.pairs import Pair
from symdemo.teaching.lessons.compare import BENCHMARK_PAIRS
from symdemo.teaching.lessons.lesson import Lesson
from symdemo.teaching.lessons.settings import DEFAULT_SETTINGS, MEASUREMENTS, TeachSettings
from symdemo.training import zero_gpu
from symdemo.training.config import TrainingConfig
from symdemo.training.loop import TrainingRun
from symdemo.training.methods import encode_pairs, find_method
from symdemo.training.retention import retention_sentences
from symdemo.training.sampling import count_steps

LENT_PIECE_SECONDS = 8.0
"""What a piece of training on a lent GPU takes, nearly all of it on the way there and back."""

_TIMED_PAIRS = 16


@dataclass(frozen=True, slots=True)
class Estimate:
    """How long a retraining will take: all of it, how many steps, and on what device."""

    seconds: float
    steps: int
    device: str


@dataclass(frozen=True, slots=True)
class _Speed:
    """Seconds: to get ready, for a step, and to embed a pair."""

    ready: float
    step: float
    pair: float


_speeds: dict[tuple, _Speed] = {}
_lock = threading.Lock()


def estimate(
    base: SymmetryClassifier, pairs: Sequence[Pair], settings: TeachSettings = DEFAULT_SETTINGS
) -> Estimate:
    """How long `retrain` will take with the same arguments; its errors, too."""
    return estimate_lesson(base, Lesson.of(base, [base.check(pair) for pair in pairs], settings))


def estimate_lesson(base: SymmetryClassifier, lesson: Lesson) -> Estimate:
    """How long a lesson will take, its measurements included.

    Raises:
        InputError: fewer than two labels in all.
    """
    shown, config, method = lesson.epoch(), lesson.config(base), lesson.settings.taught_by
    steps = count_steps(len(shown), config)
    key = _key(base.encoder, method, config)
    with _lock:
        speed = _speeds.get(key)
    if speed is None:
        speed = _measure(base.encoder, shown, method, config)
        with _lock:
            _speeds[key] = speed
    known = len(lesson.replay) + len(lesson.own)
    looks = min(MEASUREMENTS, steps) + 1
    embedded = looks * known + len(base.index) + 2 * BENCHMARK_PAIRS + len(retention_sentences())
    training = speed.ready + steps * speed.step
    if zero_gpu.is_lent():
        training = LENT_PIECE_SECONDS * max(looks, -(-steps // zero_gpu.STEPS))
    device = "lent GPU" if zero_gpu.is_lent() else base.encoder.device.type
    return Estimate(training + embedded * speed.pair, steps, device)


def record_speed(run: TrainingRun) -> None:
    """Take the speed of a training run for the next estimate of its kind."""
    if run.step < 2 or zero_gpu.is_lent():
        return
    key = _key(run.encoder, run.method, run.config)
    with _lock:
        if key in _speeds:
            _speeds[key] = replace(_speeds[key], step=run.seconds / run.step)


def _key(encoder: Encoder, method: str, config: TrainingConfig) -> tuple:
    """What the speed of a step depends on; sentences are taken to be alike."""
    return (
        encoder.base_hash,
        str(encoder.device),
        find_method(method).reads.together,
        config.precision,
        config.batch_size,
        bool(config.retention) and config.retention_batch,
        config.freeze_embeddings,
        config.freeze_layers,
    )


def _measure(encoder, shown: Sequence[Pair], method: str, config: TrainingConfig) -> _Speed:
    began = time.perf_counter()
    run = TrainingRun(encoder, shown, method, replace(config, epochs=1, min_steps=2))
    ready = time.perf_counter() - began
    steps = run.advance(2)
    step = steps[-1].seconds / len(steps)
    few = shown[:_TIMED_PAIRS]
    began = time.perf_counter()
    encode_pairs(encoder, few, method, config.quotient)
    return _Speed(ready, step, (time.perf_counter() - began) / len(few))
