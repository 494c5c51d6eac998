"""What a trained model answers with where its neighbours do not: rotations, or a head.

A *readout* turns the label embedding of a pair into probabilities. Readouts give out their tensors
by name, so that a model folder can hold them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
import torch
from torch import Tensor

from symdemo.losses import MARGIN, rotation_distances


class Readout(Protocol):
    """What a model with label embeddings of its own answers with, instead of neighbours."""

    @property
    def labels(self) -> tuple[str, ...]:
        """What it answers with, in the order of its rows."""

    @classmethod
    def of(cls, labels: tuple[str, ...], objective: torch.nn.Module) -> Self:
        """A copy, on the CPU, of what an objective with the same tensors has learnt or drawn."""

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

    @classmethod
    def of(cls, labels: tuple[str, ...], objective: torch.nn.Module) -> Self:
        """The rotations of `RandomLabels`."""
        return cls(labels, _copied(objective.get_buffer("rotations")))

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

    @classmethod
    def of(cls, labels: tuple[str, ...], objective: torch.nn.Module) -> Self:
        """The head of `Head`, with the scale of its logits in it."""
        weight, bias = map(objective.get_parameter, ("head.weight", "head.bias"))
        scale = getattr(objective, "scale", 1.0)
        return cls(labels, scale * _copied(weight), scale * _copied(bias))

    def probabilities(self, label_embeddings: np.ndarray) -> np.ndarray:
        """Softmax of the head's logits."""
        logits = torch.from_numpy(label_embeddings) @ self.weight.T + self.bias
        return torch.softmax(logits, dim=-1).numpy()

    def tensors(self) -> dict[str, Tensor]:
        """Weight and bias."""
        return {"weight": self.weight, "bias": self.bias}


def _copied(tensor: Tensor) -> Tensor:
    return tensor.detach().cpu().clone()
