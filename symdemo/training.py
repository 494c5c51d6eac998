"""Few-shot retraining of an encoder: one loop for all methods.

What changes is the encoder's weights and, for `fine-tuning` alone, a head. Beside the objective
runs a *retention* term (`losses.retention_loss`) on generic sentences, which keeps the encoder
usable for everything else.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

from symdemo.encoders import SentenceEncoder
from symdemo.errors import InputError
from symdemo.geometry import Quotient
from symdemo.losses import MARGIN, retention_loss
from symdemo.methods import Objective, Readout, embed_pairs
from symdemo.pairs import Pair
from symdemo.paths import ASSETS
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
        freeze_embeddings: leave token and position embeddings as they are.
        freeze_layers: leave so many of the lowest transformer layers as they are.
        dropout: keep the encoder's dropout while training.
        balanced: spread each relation's pairs evenly over the steps.
        recombine: share of pairs whose entities are replaced, at each step anew, by entities of
            other training pairs: what a pattern says of a relation holds for any entities.
        seed: of the order, the dropout, the head and the random rotations.
    """

    learning_rate: float = 2e-4
    batch_size: int = 16
    epochs: int = 8
    min_steps: int = 0
    margin: float = MARGIN
    quotient: Quotient = "conjugate"
    retention: float = 1.0
    retention_batch: int = 16
    freeze_embeddings: bool = True
    freeze_layers: int = 0
    dropout: bool = False
    balanced: bool = True
    recombine: float = 0.0
    seed: int = DEFAULT_SEED

    def __post_init__(self):
        for name, least in (
            ("learning_rate", 0),
            ("batch_size", 1),
            ("epochs", 0),
            ("retention", 0),
        ):
            if getattr(self, name) < least:
                raise InputError(f"{name} is {getattr(self, name)}; at least {least} is expected.")


@dataclass(frozen=True, slots=True)
class TrainingStep:
    """What a callback is told after each step; `eta` is the time left, in seconds."""

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


@cache
def retention_sentences() -> tuple[str, ...]:
    """The project's own generic sentences, in the order of their file."""
    text = (ASSETS / "retention.txt").read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if line)


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
    with _seeded(config.seed, student.device):
        objective = Objective(method, labels, student.dimension, config.margin, config.seed)
        objective.to(student.device)
        keep = Retention(encoder, config) if config.retention else None
        optimizer = torch.optim.Adam(
            [*_trainable(student, config), *objective.parameters()], lr=config.learning_rate
        )
        student.model.train(config.dropout)
        history, stopped, began = [], False, time.perf_counter()
        plan = list(
            batches(
                pairs,
                config.batch_size,
                _epochs(config, len(pairs)),
                balanced=config.balanced,
                recombined=config.recombine,
                seed=config.seed,
            )
        )
        for number, batch in enumerate(plan, start=1):
            if should_stop and should_stop():
                stopped = True
                break
            targets = torch.tensor([labels.index(p.label) for p in batch], device=student.device)
            loss = objective(embed_pairs(student, batch, method, config.quotient), targets)
            kept = keep(student) if keep else loss.new_zeros(())
            optimizer.zero_grad()
            (loss + config.retention * kept).backward()
            optimizer.step()
            seconds = time.perf_counter() - began
            step = TrainingStep(number, len(plan), loss.item(), kept.item(), seconds)
            history.append(step)
            if callback:
                callback(step)
    student.model.eval().requires_grad_(False)
    seconds = time.perf_counter() - began
    return TrainingResult(student, objective.readout(), tuple(history), seconds, stopped)


class Retention:
    """The retention term on random batches of generic sentences."""

    def __init__(self, frozen: SentenceEncoder, config: TrainingConfig):
        self.sentences = retention_sentences()
        self.anchors = torch.from_numpy(frozen.encode(self.sentences)).to(frozen.device)
        self.batch = min(config.retention_batch, len(self.sentences))
        self.rng = random.Random(config.seed)

    def __call__(self, student: SentenceEncoder) -> Tensor:
        """How far a fresh batch of sentences has moved."""
        rows = self.rng.sample(range(len(self.sentences)), self.batch)
        embeddings = student.forward([self.sentences[row] for row in rows])
        return retention_loss(embeddings, self.anchors[rows])


def _trainable(encoder: SentenceEncoder, config: TrainingConfig) -> list[torch.nn.Parameter]:
    encoder.model.requires_grad_(True)
    if config.freeze_embeddings:
        encoder.body.embeddings.requires_grad_(False)
    for layer in encoder.body.encoder.layer[: config.freeze_layers]:
        layer.requires_grad_(False)
    return [parameter for parameter in encoder.model.parameters() if parameter.requires_grad]


def _epochs(config: TrainingConfig, n_pairs: int) -> int:
    """Passes over the pairs: as many as configured, or as `min_steps` needs."""
    steps_per_epoch = -(-n_pairs // config.batch_size)
    return max(config.epochs, -(-config.min_steps // steps_per_epoch))


@contextmanager
def _seeded(seed: int, device: torch.device):
    """Seed torch for the time of a `with` block and put its random state back afterwards."""
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(seed)
        yield
