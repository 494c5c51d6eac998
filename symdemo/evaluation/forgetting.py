"""Drift: how far retraining has moved an encoder's embeddings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symdemo.encoders import Encoder
from symdemo.training.retention import retention_sentences

K = 10  # neighbours compared


@dataclass(frozen=True, slots=True)
class Drift:
    """The distance that sentences moved between two encoders."""

    distance: float  # mean cosine distance of a sentence's two embeddings, in [0, 2]
    neighbours_kept: float  # share of each one's 10 nearest sentences that both agree on


def drift(encoder: Encoder, frozen: Encoder) -> Drift:
    """Compare a retrained encoder with the frozen one it began as, on generic sentences."""
    sentences = retention_sentences()
    new, old = encoder.encode(sentences), frozen.encode(sentences)
    both = zip(_nearest(new), _nearest(old), strict=True)
    kept = np.mean([len(np.intersect1d(a, b)) / K for a, b in both])
    return Drift(distance=float(1 - (new * old).sum(-1).mean()), neighbours_kept=float(kept))


def _nearest(embeddings: np.ndarray) -> np.ndarray:
    similarity = embeddings @ embeddings.T
    np.fill_diagonal(similarity, -np.inf)
    return np.argsort(-similarity, axis=1)[:, :K]
