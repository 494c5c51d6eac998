"""Two axes to draw label embeddings on: principal components, fitted once per model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symdemo.classifier.index import unit_rows


@dataclass(frozen=True)
class Projection:
    """The two directions along which the taught label embeddings differ most.

    Attributes:
        mean: (d,) of the taught label embeddings.
        axes: (d, 2), orthonormal.
        points: (n, 2), the taught label embeddings on these axes.
        share: how much of their variance the two axes hold, in [0, 1].
    """

    mean: np.ndarray
    axes: np.ndarray
    points: np.ndarray
    share: float

    @classmethod
    def fit(cls, embeddings: np.ndarray) -> Projection:
        """Principal components of label embeddings (n, d) of unit norm."""
        d = embeddings.shape[1]
        mean = embeddings.mean(axis=0) if len(embeddings) else np.zeros(d, np.float32)
        _, strengths, directions = np.linalg.svd(embeddings - mean, full_matrices=False)
        axes = np.zeros((d, 2), np.float32)
        axes[:, : len(directions[:2])] = directions[:2].T
        # A component's sign is arbitrary; fixing it keeps the map the same way up on any machine.
        axes *= np.where(axes[np.abs(axes).argmax(axis=0), [0, 1]] < 0, -1, 1)
        total = float((strengths**2).sum())
        share = float((strengths[:2] ** 2).sum()) / total if total > 1e-12 else 0.0
        return cls(mean, axes, (embeddings - mean) @ axes, share)

    def project(self, label_embedding: np.ndarray) -> np.ndarray:
        """Where one more label embedding (d,) falls: (2,)."""
        return (unit_rows(label_embedding[None])[0] - self.mean) @ self.axes
