"""What a training step minimises: a method's objective and, beside it, the terms of retention."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from symdemo.encoders import Encoder, TrainableEncoder
from symdemo.encoders.encoder import Embedder
from symdemo.pairs import Pair
from symdemo.training.config import TrainingConfig
from symdemo.training.methods import Method
from symdemo.training.objectives import Objective
from symdemo.training.retention import DistanceToStart, GenericSentences
from symdemo.training.tools import ByLength, InHalf


class TrainingLoss:
    """The objective of a batch, and beside it what is paid for forgetting.

    Attributes:
        objective: of the method, with whatever it trains beside the encoder.
        parameters: all that is trained.
        generic: the retention term; falsy where it is left out.

    Args:
        frozen: the encoder to stay near.
        student: its copy that learns; unfrozen here as far as `config` says.
        method: how the student is shown pairs.
        objective: of the method, on the student's device.
        config: hyperparameters.
    """

    def __init__(
        self,
        frozen: Encoder,
        student: TrainableEncoder,
        method: Method,
        objective: Objective,
        config: TrainingConfig,
    ):
        self.method, self.objective, self.config = method, objective, config
        weights = student.trainable(config.freeze_embeddings, config.freeze_layers)
        self.parameters = [*weights, *objective.parameters()]
        half = config.precision == "bf16"
        short: Encoder | ByLength = ByLength(student)
        self.reads_generic: Embedder = InHalf(short) if half else short
        # With batches by length a batch is of one length already.
        whole = student if config.batching == "length" else short
        self.reads: Embedder = InHalf(whole) if half else whole
        self.generic = config.retention and GenericSentences(
            frozen, config.retention_batch, config.seed, config.retained
        )
        self.start = config.stay_near_start and DistanceToStart(weights)

    def __call__(self, batch: Sequence[Pair]) -> tuple[Tensor, Tensor]:
        """(objective, weighted retention terms), with gradients."""
        objective, config = self.objective, self.config
        targets = [objective.labels.index(pair.label) for pair in batch]
        embeddings = self.method.embed(self.reads, batch, config.quotient)
        loss = objective(embeddings, torch.tensor(targets, device=embeddings.device))
        kept = loss.new_zeros(())
        if self.generic:
            kept = kept + config.retention * self.generic(self.reads_generic)
        if self.start:
            kept = kept + config.stay_near_start * self.start()
        return loss, kept
