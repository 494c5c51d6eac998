"""What a method minimises: a loss of `symdemo.losses`, with what is drawn or trained for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from symdemo.geometry import random_rotations
from symdemo.losses import (
    MARGIN,
    TEMPERATURE,
    balanced_label_loss,
    pairwise_label_loss,
    prototype_loss,
    random_label_loss,
)
from symdemo.training.readouts import Readout, RotationReadout


@dataclass(frozen=True)
class Task:
    """What an objective is made for.

    Attributes:
        labels: to tell apart.
        dimension: of label embeddings.
        margin: of Eq. 3 and Eq. 5.
        seed: of random rotations.
        before: what the encoder answered with so far; rotations are taken over from it.
    """

    labels: tuple[str, ...]
    dimension: int
    margin: float = MARGIN
    seed: int = 0
    before: Readout | None = None


class Objective(torch.nn.Module):
    """The loss of a batch. Its parameters, if it has any, are trained beside the encoder."""

    def __init__(self, task: Task):
        super().__init__()
        self.labels = task.labels
        self.margin = task.margin

    def forward(self, label_embeddings: Tensor, targets: Tensor) -> Tensor:
        """The loss of a batch: label embeddings (n, d) and label numbers (n,)."""
        raise NotImplementedError


class SameLabels(Objective):
    """Eq. 5: samples of one label come together, those of two labels keep a margin."""

    def forward(self, label_embeddings: Tensor, targets: Tensor) -> Tensor:
        """Eq. 5."""
        return pairwise_label_loss(label_embeddings, targets, self.margin)


class BalancedLabels(Objective):
    """Eq. 5 with all labels weighing alike."""

    def forward(self, label_embeddings: Tensor, targets: Tensor) -> Tensor:
        """Eq. 5, as a mean over labels."""
        return balanced_label_loss(label_embeddings, targets, self.margin)


class RandomLabels(Objective):
    """Eq. 3: samples come to the fixed random rotation of their label, and leave the others."""

    rotations: Tensor

    def __init__(self, task: Task):
        super().__init__(task)
        rotations = label_rotations(task.labels, task.dimension, task.seed, task.before)
        self.register_buffer("rotations", rotations)

    def forward(self, label_embeddings: Tensor, targets: Tensor) -> Tensor:
        """Eq. 3."""
        return random_label_loss(label_embeddings, targets, self.rotations, self.margin)


class MixedLabels(RandomLabels):
    """Eq. 5 and Eq. 3 together."""

    def forward(self, label_embeddings: Tensor, targets: Tensor) -> Tensor:
        """Eq. 5 plus Eq. 3."""
        pairwise = pairwise_label_loss(label_embeddings, targets, self.margin)
        return pairwise + super().forward(label_embeddings, targets)


class Prototypes(Objective):
    """A softmax over one learnt prototype a label."""

    def __init__(self, task: Task):
        super().__init__(task)
        start = torch.randn(len(task.labels), task.dimension) / task.dimension**0.5
        self.prototypes = torch.nn.Parameter(start)

    def forward(self, label_embeddings: Tensor, targets: Tensor) -> Tensor:
        """Cross entropy of the prototypes' softmax."""
        return prototype_loss(label_embeddings, targets, self.prototypes)


class Head(Objective):
    """Cross entropy of a linear classification head."""

    scale = 1.0

    def __init__(self, task: Task):
        super().__init__(task)
        self.head = torch.nn.Linear(task.dimension, len(task.labels))

    def forward(self, label_embeddings: Tensor, targets: Tensor) -> Tensor:
        """Cross entropy of the head's logits."""
        return functional.cross_entropy(self.scale * self.head(label_embeddings), targets)


class ScaledHead(Head):
    """The same with logits as steep as those of `Prototypes`: unit embeddings give small ones."""

    scale = 1 / TEMPERATURE


def label_rotations(
    labels: Sequence[str], dimension: int, seed: int, before: Readout | None = None
) -> Tensor:
    """One fixed rotation a label (n, d): the one that a label had before, else a random one.

    A label embedding says what a label means to an encoder. An encoder that goes on to learn more
    about entailment would have to unlearn what it knew of it, if entailment got another rotation.
    """
    had: dict[str, Tensor] = {}
    if isinstance(before, RotationReadout):
        had = dict(zip(before.labels, before.rotations, strict=True))
    drawn = random_rotations(len(labels) + len(had), dimension, seed)
    taken = [rotation.to(drawn) for rotation in had.values()]
    free = (row for row in drawn if not any(torch.equal(row, own) for own in taken))
    return torch.stack([had[label].to(drawn) if label in had else next(free) for label in labels])
