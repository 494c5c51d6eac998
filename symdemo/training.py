"""Few-shot retraining of an encoder: one loop for all methods.

What changes is the encoder's weights and, for `fine-tuning` alone, a head. Beside the objective
runs a *retention* term (`retention.py`), which keeps the encoder usable for everything else.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor

from symdemo.encoders import SentenceEncoder
from symdemo.errors import InputError
from symdemo.geometry import Quotient
from symdemo.losses import MARGIN
from symdemo.methods import Objective, Readout, embed_pairs
from symdemo.pairs import Pair
from symdemo.retention import DistanceToStart, GenericSentences, average_with, trainable
from symdemo.sampling import batches

DEFAULT_SEED = 0


@dataclass(frozen=True, slots=True)
class TrainingConfig:
    """Hyperparameters of one training run; each default is the measured choice for a MiniLM.

    Attributes:
        learning_rate: of Adam, with its default moments.
        batch_size: pairs per step.
        epochs: passes over the pairs; at least `min_steps` steps are made all the same.
        min_steps: the fewest steps, so that very few samples are still seen often enough.
        margin: of Eq. 3 and Eq. 5.
        quotient: of Eq. 6; unused where pairs are read together.
        retention: weight of the retention term; 0 leaves it out.
        retention_batch: generic sentences per step.
        stay_near_start: weight of the distance to the starting weights; 0 leaves it out.
        average_with_start: share of the starting weights in the average taken after training.
        freeze_embeddings: leave token and position embeddings as they are.
        freeze_layers: leave so many of the lowest transformer layers as they are.
        dropout: keep the encoder's dropout while training.
        balanced: spread each relation's pairs evenly over the steps.
        recombine: share of pairs whose entities are replaced, at each step anew, by entities of
            other training pairs: what a pattern says of a relation holds for any entities.
        seed: of the order, the dropout, the head and the random rotations.
    """

    learning_rate: float = 3e-4
    batch_size: int = 16
    epochs: int = 8
    min_steps: int = 42
    margin: float = MARGIN
    quotient: Quotient = "conjugate"
    retention: float = 1.0
    retention_batch: int = 16
    stay_near_start: float = 0.0
    average_with_start: float = 0.0
    freeze_embeddings: bool = True
    freeze_layers: int = 0
    dropout: bool = False
    balanced: bool = True
    recombine: float = 0.75
    seed: int = DEFAULT_SEED

    def __post_init__(self):
        for name, least in (
            ("learning_rate", 0),
            ("batch_size", 1),
            ("retention_batch", 1),
            ("epochs", 0),
            ("retention", 0),
        ):
            if not getattr(self, name) >= least:  # not a number is refused too
                raise InputError(f"{name} is {getattr(self, name)}; at least {least} is expected.")


@dataclass(frozen=True, slots=True)
class TrainingStep:
    """What a callback is told after each step: both losses, and seconds since the start."""

    step: int
    total: int
    loss: float
    retention: float
    seconds: float

    @property
    def eta(self) -> float:
        """Seconds left, at the mean speed so far."""
        return self.seconds / self.step * (self.total - self.step)


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """A retrained encoder with its readout (None where neighbours answer) and its history."""

    encoder: SentenceEncoder
    readout: Readout | None
    history: tuple[TrainingStep, ...]
    seconds: float
    stopped: bool


def train_encoder(
    encoder: SentenceEncoder,
    pairs: Sequence[Pair],
    method: str = "knn",
    config: TrainingConfig = TrainingConfig(),
    callback: Callable[[TrainingStep], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> TrainingResult:
    """Retrain a copy of `encoder` on labelled pairs; `encoder` itself is untouched.

    Args:
        encoder: where to start; also the frozen encoder of the retention term.
        pairs: labelled pairs, with at least two labels among them.
        method: one of `methods.METHODS`.
        config: hyperparameters, the seed among them.
        callback: told of every step.
        should_stop: asked before every step; True ends training with what has been learnt so far.

    Raises:
        InputError: fewer than two labels, or a pair without one.
    """
    labels = sorted({pair.label for pair in pairs if pair.label})
    if len(labels) < 2 or any(not pair.label for pair in pairs):
        raise InputError(
            f"Training needs labelled pairs of at least two labels; seen: {labels or 'none'}."
        )
    student = encoder.clone()
    history: list[TrainingStep] = []
    with _seeded(config.seed, student.device):
        objective = Objective(method, labels, student.dimension, config.margin, config.seed)
        loss_of = _Loss(encoder, student, objective.to(student.device), config)
        optimizer = torch.optim.Adam(loss_of.parameters, lr=config.learning_rate)
        student.model.train(config.dropout)
        plan = _plan(pairs, config)
        began = time.perf_counter()
        for number, batch in enumerate(plan, start=1):
            if should_stop and should_stop():
                break
            loss, kept = loss_of(batch)
            optimizer.zero_grad()
            (loss + kept).backward()
            optimizer.step()
            seconds = time.perf_counter() - began
            history.append(TrainingStep(number, len(plan), loss.item(), kept.item(), seconds))
            if callback:
                callback(history[-1])
    student.model.eval().requires_grad_(False)
    if config.average_with_start:
        average_with(student, encoder, config.average_with_start)
    return TrainingResult(
        encoder=student,
        readout=objective.readout(),
        history=tuple(history),
        seconds=time.perf_counter() - began,
        stopped=len(history) < len(plan),
    )


class _Loss:
    """The objective of a batch, and beside it what is paid for forgetting."""

    def __init__(self, frozen, student, objective: Objective, config: TrainingConfig):
        self.student, self.objective, self.config = student, objective, config
        weights = trainable(student, config.freeze_embeddings, config.freeze_layers)
        self.parameters = [*weights, *objective.parameters()]
        self.generic = config.retention and GenericSentences(
            frozen, config.retention_batch, config.seed
        )
        self.start = config.stay_near_start and DistanceToStart(student)

    def __call__(self, batch: Sequence[Pair]) -> tuple[Tensor, Tensor]:
        """(objective, weighted retention terms), with gradients."""
        student, objective, config = self.student, self.objective, self.config
        targets = [objective.labels.index(pair.label) for pair in batch]
        embeddings = embed_pairs(student, batch, objective.method, config.quotient)
        loss = objective(embeddings, torch.tensor(targets, device=embeddings.device))
        kept = loss.new_zeros(())
        if self.generic:
            kept = kept + config.retention * self.generic(student)
        if self.start:
            kept = kept + config.stay_near_start * self.start()
        return loss, kept


def _plan(pairs: Sequence[Pair], config: TrainingConfig) -> list[list[Pair]]:
    """All batches of a run: as many epochs as configured, or as `min_steps` needs."""
    steps_per_epoch = -(-len(pairs) // config.batch_size)
    return list(
        batches(
            pairs,
            config.batch_size,
            max(config.epochs, -(-config.min_steps // steps_per_epoch)),
            balanced=config.balanced,
            recombined=config.recombine,
            seed=config.seed,
        )
    )


@contextmanager
def _seeded(seed: int, device: torch.device):
    """Seed torch for the time of a `with` block and put its random state back afterwards."""
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(seed)
        yield
