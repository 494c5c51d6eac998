"""The paper's four methods (Table 1): how each embeds a pair, what it minimises, how it answers.

| name                      | encodes  | trains           | objective     | answers by         |
|---------------------------|----------|------------------|---------------|--------------------|
| `random-label-embeddings` | apart    | encoder          | Eq. 3         | nearest rotation   |
| `knn`                     | apart    | encoder          | Eq. 5         | vote of neighbours |
| `knn-learnt-metric`       | together | encoder          | Eq. 5         | vote of neighbours |
| `fine-tuning`             | together | encoder and head | cross entropy | largest logit      |

A *readout* turns the label embedding of a pair into probabilities. Readouts with tensors of their
own (rotations, a head) give them out by name, so that a model folder can hold them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

import numpy as np
import torch
from torch import Tensor

from symdemo.encoders import Encoder
from symdemo.errors import InputError, ModelError
from symdemo.geometry import Quotient, label_embedding, random_rotations
from symdemo.losses import (
    MARGIN,
    balanced_label_loss,
    pairwise_label_loss,
    prototype_loss,
    random_label_loss,
    rotation_distances,
)
from symdemo.pairs import Pair

MethodName = Literal["random-label-embeddings", "knn", "knn-learnt-metric", "fine-tuning"]
METHODS: tuple[str, ...] = get_args(MethodName)


def check_method(name: str) -> str:
    """Return `name` if it is one of the four methods, or raise `InputError`."""
    if name not in METHODS:
        raise InputError(f"The method “{name}” is unknown; expected: {', '.join(METHODS)}.")
    return name


def reads_together(method: str) -> bool:
    """Whether a method encodes premise and hypothesis as one input (Table 1, first row)."""
    return check_method(method) in ("knn-learnt-metric", "fine-tuning")


def embed_pairs(
    encoder: Encoder, pairs: Sequence[Pair], method: str, quotient: Quotient = "conjugate"
) -> Tensor:
    """Label embeddings (n, d) of a batch of pairs, with gradients where they are enabled.

    Apart: h ⊘ p of two encoded sentences (Eq. 6). Together: what the encoder makes of the pair.
    """
    if reads_together(method):
        return encoder.forward([(pair.premise, pair.hypothesis) for pair in pairs])
    both = encoder.forward([pair.premise for pair in pairs] + [pair.hypothesis for pair in pairs])
    premises, hypotheses = both.chunk(2)
    return label_embedding(premises, hypotheses, quotient)


def encode_pairs(
    encoder: Encoder,
    pairs: Sequence[Pair],
    method: str,
    quotient: Quotient = "conjugate",
    progress=None,
) -> np.ndarray:
    """Label embeddings (n, d), float32, of any number of pairs, without gradients.

    The same vectors as `embed_pairs`, but in batches of like length and each sentence once.
    """
    if reads_together(method):
        return encoder.encode([(p.premise, p.hypothesis) for p in pairs], progress=progress)
    sentences = [p.premise for p in pairs] + [p.hypothesis for p in pairs]
    both = torch.from_numpy(encoder.encode(sentences, progress=progress))
    premises, hypotheses = both.chunk(2)
    return label_embedding(premises, hypotheses, quotient).numpy()


class Readout(Protocol):
    """What a model with label embeddings of its own answers with, instead of neighbours."""

    labels: tuple[str, ...]

    def probabilities(self, label_embeddings: np.ndarray) -> np.ndarray:
        """(n, number of labels), rows summing to 1, in the order of `labels`."""

    def tensors(self) -> dict[str, Tensor]:
        """What a model folder has to keep."""


@dataclass(frozen=True)
class RotationReadout:
    """Nearest of the fixed label rotations, by Eq. 4.

    The paper takes the nearest and gives no probabilities; ours are a softmax over −d / margin,
    whose largest is the nearest.
    """

    labels: tuple[str, ...]
    rotations: Tensor  # (number of labels, d)

    def probabilities(self, label_embeddings: np.ndarray) -> np.ndarray:
        """Softmax over −d_l(p, h) / margin."""
        distance = rotation_distances(torch.from_numpy(label_embeddings), self.rotations)
        return torch.softmax(-distance / MARGIN, dim=-1).numpy()

    def tensors(self) -> dict[str, Tensor]:
        """The rotations."""
        return {"rotations": self.rotations}


@dataclass(frozen=True)
class HeadReadout:
    """A linear classification head on the pair embedding."""

    labels: tuple[str, ...]
    weight: Tensor  # (number of labels, d)
    bias: Tensor  # (number of labels,)

    def probabilities(self, label_embeddings: np.ndarray) -> np.ndarray:
        """Softmax of the head's logits."""
        logits = torch.from_numpy(label_embeddings) @ self.weight.T + self.bias
        return torch.softmax(logits, dim=-1).numpy()

    def tensors(self) -> dict[str, Tensor]:
        """Weight and bias."""
        return {"weight": self.weight, "bias": self.bias}


READOUTS = {"random-label-embeddings": RotationReadout, "fine-tuning": HeadReadout}


def load_readout(method: str, labels: Sequence[str], tensors: dict[str, Tensor]) -> Readout | None:
    """The readout of a stored model; None for the methods that answer by neighbours.

    Raises:
        ModelError: tensors missing, foreign, or not a row for each label.
    """
    kind = READOUTS.get(method)
    expected = set(kind.__annotations__) - {"labels"} if kind else set()
    if set(tensors) != expected:
        raise ModelError(
            f"The head has the tensors {sorted(tensors)}; {method} expects {sorted(expected)}."
        )
    for name, tensor in tensors.items():
        if tensor.dim() != (1 if name == "bias" else 2):
            raise ModelError(f"The head's {name} has the shape {tuple(tensor.shape)}.")
        if len(tensor) != len(labels):
            raise ModelError(f"The head's {name} has {len(tensor)} rows for {len(labels)} labels.")
    return kind(labels=tuple(labels), **tensors) if kind else None


def label_rotations(
    labels: Sequence[str], dimension: int, seed: int, before: Readout | None = None
) -> Tensor:
    """One fixed rotation a label (n, d): the one that a label had before, else a random one.

    A label embedding says what a label means to an encoder. An encoder that goes on to learn more
    about entailment would have to unlearn what it knew of it, if entailment got another rotation.
    """
    had = {}
    if isinstance(before, RotationReadout):
        had = dict(zip(before.labels, before.rotations, strict=True))
    drawn = random_rotations(len(labels) + len(had), dimension, seed)
    taken = [rotation.to(drawn) for rotation in had.values()]
    free = (row for row in drawn if not any(torch.equal(row, own) for own in taken))
    return torch.stack([had[label].to(drawn) if label in had else next(free) for label in labels])


class Objective(torch.nn.Module):
    """What training minimises, with whatever it trains beside the encoder (only a head does).

    Args:
        method: one of `METHODS`.
        labels: to tell apart.
        dimension: of label embeddings.
        margin: of Eq. 3 and Eq. 5.
        seed: of random rotations.
        loss: as in `TrainingConfig`.
        before: what the encoder answered with so far; rotations are taken over from it.
    """

    def __init__(
        self,
        method: str,
        labels: Sequence[str],
        dimension: int,
        margin: float,
        seed: int,
        loss: str = "contrast",
        before: Readout | None = None,
    ):
        super().__init__()
        self.method = check_method(method)
        self.labels = tuple(labels)
        self.margin = margin
        self.loss = loss if method in ("knn", "knn-learnt-metric") else ""
        if method == "random-label-embeddings" or self.loss == "mixed":
            rotations = label_rotations(self.labels, dimension, seed, before)
            self.register_buffer("rotations", rotations)
        if method == "fine-tuning":
            self.head = torch.nn.Linear(dimension, len(self.labels))
        if self.loss == "prototypes":
            start = torch.randn(len(self.labels), dimension) / dimension**0.5
            self.prototypes = torch.nn.Parameter(start)

    def forward(self, label_embeddings: Tensor, targets: Tensor) -> Tensor:
        """The loss of a batch: label embeddings (n, d) and label numbers (n,)."""
        if self.method == "random-label-embeddings":
            return random_label_loss(label_embeddings, targets, self.rotations, self.margin)
        if self.method == "fine-tuning":
            return torch.nn.functional.cross_entropy(self.head(label_embeddings), targets)
        if self.loss == "prototypes":
            return prototype_loss(label_embeddings, targets, self.prototypes)
        if self.loss == "balanced":
            return balanced_label_loss(label_embeddings, targets, self.margin)
        loss = pairwise_label_loss(label_embeddings, targets, self.margin)
        if self.loss == "mixed":
            loss = loss + random_label_loss(label_embeddings, targets, self.rotations, self.margin)
        return loss

    def readout(self) -> Readout | None:
        """What the trained model answers with; None where its neighbours answer."""
        if self.method == "random-label-embeddings":
            return RotationReadout(self.labels, self.rotations.detach().cpu().clone())
        if self.method == "fine-tuning":
            weight, bias = (t.detach().cpu().clone() for t in (self.head.weight, self.head.bias))
            return HeadReadout(self.labels, weight, bias)
        return None
