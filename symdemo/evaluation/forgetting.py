"""Drift: how much of an encoder's former knowledge retraining has cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symdemo.encoders import Encoder
from symdemo.training.retention import retention_sentences


@dataclass(frozen=True, slots=True)
class Drift:
    """How far sentences moved between two encoders.

    Attributes:
        distance: mean cosine distance of a sentence's two embeddings, in [0, 2].
        neighbours_kept: share of each sentence's k nearest sentences that both encoders agree on.
    """

    distance: float
    neighbours_kept: float


def drift(
    encoder: Encoder,
    frozen: Encoder,
    sentences: Sequence[str] | None = None,
    k: int = 10,
) -> Drift:
    """Compare a retrained encoder with the frozen one on generic sentences, without labels.

    Args:
        encoder: the retrained encoder.
        frozen: the encoder it was before.
        sentences: generic sentences; the project's own if None.
        k: number of neighbours to compare.
    """
    sentences = retention_sentences() if sentences is None else sentences
    new, old = encoder.encode(sentences), frozen.encode(sentences)
    similar_new, similar_old = new @ new.T, old @ old.T
    kept = [
        len(set(a) & set(b)) / k
        for a, b in zip(_nearest(similar_new, k), _nearest(similar_old, k), strict=True)
    ]
    return Drift(
        distance=float(1 - (new * old).sum(-1).mean()),
        neighbours_kept=float(np.mean(kept)),
    )


def _nearest(similarity: np.ndarray, k: int) -> np.ndarray:
    similarity = similarity.copy()
    np.fill_diagonal(similarity, -np.inf)
    return np.argsort(-similarity, axis=1)[:, :k]
