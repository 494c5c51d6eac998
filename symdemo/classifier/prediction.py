"""A verdict on a pair, with its grounds; and many of them, as columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import torch

from symdemo import geometry
from symdemo.classifier.index import LabelIndex, Neighbour
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


@dataclass(frozen=True, eq=False)
class Predictions(Sequence[Prediction]):
    """The verdicts on n pairs as columns, of which each `Prediction` is a view made when asked for.

    Attributes:
        pairs: what was asked, in order.
        labels: the L labels that there are.
        probabilities: (n, L) float64, rows summing to 1; all 0 in a row without a verdict, which
            there is only where neighbours were left out and none remained.
        verdicts: (n,) numbers of the labels with the largest share; −1 without a verdict.
        rows: (n, k) numbers of the nearest pairs in `taught`, nearest first; −1 for none.
        distances: (n, k) float32, cosine distances of these, in [0, 2].
        label_embeddings: (n, d) float32.
        taught: all of these pairs.
        familiar_within: the card's; None where the model cannot tell.
        rotation: as in `Prediction`.
    """

    pairs: Sequence[Pair]
    labels: tuple[str, ...]
    probabilities: np.ndarray
    verdicts: np.ndarray
    rows: np.ndarray
    distances: np.ndarray
    label_embeddings: np.ndarray
    taught: LabelIndex
    familiar_within: float | None
    rotation: bool

    def __len__(self) -> int:
        return len(self.pairs)

    def __getitem__(self, number):
        if isinstance(number, slice):
            return [self[n] for n in range(*number.indices(len(self)))]
        label = self.verdicts[number]
        if label < 0:
            raise LookupError(f"Pair {number} has no verdict: no neighbour remained.")
        shares = map(float, self.probabilities[number])
        return Prediction(
            self.pairs[number],
            self.labels[label],
            dict(zip(self.labels, shares, strict=True)),
            self.neighbours(number),
            self.label_embeddings[number],
            None if self.familiar is None else bool(self.familiar[number]),
            self.rotation,
        )

    def __iter__(self) -> Iterator[Prediction]:
        return (self[number] for number in range(len(self)))

    def neighbours(self, number: int) -> tuple[Neighbour, ...]:
        """The nearest taught pairs of one pair, nearest first."""
        return self.taught.neighbours(self.rows[number], self.distances[number])

    @cached_property
    def familiar(self) -> np.ndarray | None:
        """(n,) bool, whether anything taught is near; None where the model cannot tell."""
        if self.familiar_within is None:
            return None
        return self.distances[:, 0].astype(np.float64) <= self.familiar_within

    @property
    def verdict_labels(self) -> list[str | None]:
        """The label of each verdict; None without one."""
        return [self.labels[number] if number >= 0 else None for number in self.verdicts]
