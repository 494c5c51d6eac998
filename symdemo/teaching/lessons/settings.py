"""What a person may choose about a retraining, and the hyperparameters that follow from it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from symdemo.data.relations import sample_balanced
from symdemo.encoders import Encoder
from symdemo.errors import InputError
from symdemo.pairs import Pair
from symdemo.teaching.limits import Limits
from symdemo.training.config import TrainingConfig, defaults
from symdemo.training.methods import KNN, check_method

if TYPE_CHECKING:
    from symdemo.classifier import SymmetryClassifier

MEASUREMENTS = 6
"""How often a retraining is checked on what was held out; each takes about as long as two steps."""

MAX_REPLAY = 2_000

RATE_FACTOR = 1 / 5
"""Of the usual rate, for a model that was taught already: at the whole of it, such a model loses
several points of what it knew."""

RETENTION_FACTOR = 4.0
"""Times the usual retention, for such a model: at the usual one it loses a point of STS-B."""


@dataclass(frozen=True, slots=True)
class TeachSettings:
    """The choices for one retraining; None is the measured default.

    Attributes:
        method: one of `methods.METHODS`; None is the one that the base model was made with.
        epochs: passes over all pairs; None makes the method's fewest steps, in whole passes.
        samples: how many of the person's pairs to learn from, drawn evenly over their relations.
        learning_rate: of Adam.
        retention: weight of the term that keeps generic sentences in place; 0 leaves it out.
        replay: pairs of the base model's own that are mixed in, so that it keeps what it knew.
        seed: of the split, the draws and the training.
        base: where a project's retraining starts: id or name of one of its versions, or the name of
            a built-in model; None is the one that the project began with.
    """

    method: str | None = None
    epochs: int | None = None
    samples: int | None = None
    learning_rate: float | None = None
    retention: float | None = None
    replay: int = 224
    seed: int = 0
    base: str | None = None

    def __post_init__(self):
        self.check(Limits())

    def check(self, limits: Limits) -> TeachSettings:
        """These settings, or an `InputError` that names the first one beyond what is allowed."""
        if self.method is not None:
            check_method(self.method)
        if self.epochs is not None:
            limits.check_epochs(self.epochs)
        if self.samples is not None:
            limits.check_samples(self.samples)
        _check_number("learning rate", self.learning_rate, 1e-7, 0.1)
        _check_number("retention", self.retention, 0, 100)
        _check_whole("replay", self.replay, MAX_REPLAY)
        _check_whole("seed", self.seed, 2**32 - 1)
        return self

    def on(self, base: SymmetryClassifier) -> TeachSettings:
        """These settings with what suits a base model, where nothing was chosen.

        Whoever goes on with the method that the base was made with starts near the goal.
        """
        method, rate, retention = self.method or base.method, self.learning_rate, self.retention
        usual = defaults(method, base.encoder, "usual")
        if len(base.index) and method == base.method:
            rate = RATE_FACTOR * usual.learning_rate if rate is None else rate
            retention = RETENTION_FACTOR * usual.retention if retention is None else retention
        return replace(self, method=method, learning_rate=rate, retention=retention)

    @property
    def taught_by(self) -> str:
        """The method; k-NN where none was chosen and no base model has one."""
        return self.method or KNN.name

    def config(self, encoder: Encoder) -> TrainingConfig:
        """The hyperparameters for an encoder."""
        usual = defaults(self.taught_by, encoder, "usual")
        rate, retention = self.learning_rate, self.retention
        return replace(
            usual,
            seed=self.seed,
            # without a choice one, and as many more as the fewest steps take
            epochs=1 if self.epochs is None else self.epochs,
            min_steps=usual.min_steps if self.epochs is None else 0,
            learning_rate=usual.learning_rate if rate is None else rate,
            retention=usual.retention if retention is None else retention,
        )

    def sample(self, train: Sequence[Pair]) -> list[Pair]:
        """Of the person's pairs those to learn from: `samples` of them, or all."""
        distinct = list(dict.fromkeys(train))
        if self.samples is None or self.samples >= len(distinct):
            return distinct
        return sample_balanced(distinct, self.samples, self.seed)


def _check_number(name: str, value: float | None, least: float, most: float) -> None:
    if value is None:
        return
    number = not isinstance(value, bool) and isinstance(value, int | float)
    if not number or not math.isfinite(value) or not least <= value <= most:
        raise InputError(f"The {name} is {value!r}; a number from {least:g} to {most:g} is meant.")


def _check_whole(name: str, value: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise InputError(f"The {name} is {value!r}; a whole number from 0 to {most:,} is meant.")


DEFAULT_SETTINGS = TeachSettings()
