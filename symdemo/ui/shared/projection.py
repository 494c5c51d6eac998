"""Two axes to draw a model's label embeddings on: principal components, fitted once per model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symdemo.analysis.projection import PrincipalAxes
from symdemo.classifier.index import unit_rows


@dataclass(frozen=True, eq=False)
class Projection:
    """The two directions along which the taught label embeddings differ most.

    Attributes:
        axes: these directions.
        points: (n, 2), the taught label embeddings on them.
    """

    axes: PrincipalAxes
    points: np.ndarray

    @classmethod
    def fit(cls, embeddings: np.ndarray) -> Projection:
        """From label embeddings (n, d) of unit norm."""
        axes = PrincipalAxes.fit(embeddings)
        return cls(axes, axes.place(embeddings))

    @property
    def share(self) -> float:
        """How much of their variance the two axes hold, in [0, 1]."""
        return sum(self.axes.explained)

    def project(self, label_embedding: np.ndarray) -> np.ndarray:
        """Where one more label embedding (d,) falls: (2,)."""
        return self.axes.place(unit_rows(label_embedding[None]))[0]
