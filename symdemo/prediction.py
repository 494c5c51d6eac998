"""A verdict on a pair, with its grounds."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import torch

from symdemo import geometry
from symdemo.index import Neighbour
from symdemo.pairs import Pair


@dataclass(frozen=True)
class Prediction:
    """A verdict with its grounds.

    Attributes:
        pair: what was asked.
        label: the verdict.
        probabilities: label → share; the verdict's is the largest, and they sum to 1.
        neighbours: the nearest taught pairs, nearest first, each with its own distance and label.
        label_embedding: l = h ⊘ p, shape (d,).
        familiar: whether anything taught is near; None where the model cannot tell.
        rotation: whether the label embedding is a rotation (Eq. 6) at all, which it is not where
            premise and hypothesis are read together: its phases then mean nothing.
    """

    pair: Pair
    label: str
    probabilities: dict[str, float]
    neighbours: tuple[Neighbour, ...]
    label_embedding: np.ndarray = field(compare=False)
    familiar: bool | None = None
    rotation: bool = True

    def to_json(self) -> dict:
        """The verdict and its grounds as JSON values, without the label embedding."""
        return {
            "premise": self.pair.premise,
            "hypothesis": self.pair.hypothesis,
            "label": self.label,
            "probabilities": self.probabilities,
            "familiar": self.familiar,
            "symmetry": self.symmetry if self.rotation else None,
            "neighbours": [neighbour.to_json() for neighbour in self.neighbours],
        }

    @cached_property
    def symmetry(self) -> float:
        """How far the label embedding is its own conjugate, in [0, 1].

        It says whether the encoder answers alike when the pair is read the other way round, and
        nothing of the verdict: training shows pairs of every label in both directions, so that
        label embeddings of all labels become real, and differ in their amplitudes.
        """
        return float(geometry.symmetry_score(torch.from_numpy(self.label_embedding)))

    @cached_property
    def phases(self) -> np.ndarray:
        """The angle of each of the d/2 complex coordinates, in (−π, π]."""
        return geometry.to_complex(torch.from_numpy(self.label_embedding)).angle().numpy()

    @cached_property
    def amplitudes(self) -> np.ndarray:
        """The modulus of each of the d/2 complex coordinates."""
        return geometry.to_complex(torch.from_numpy(self.label_embedding)).abs().numpy()
