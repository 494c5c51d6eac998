"""What retraining costs: how much of its former knowledge an encoder has lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from symdemo.encoders import Encoder
from symdemo.errors import InputError
from symdemo.files.paths import measuring_data
from symdemo.training.retention import retention_sentences


@dataclass(frozen=True)
class SimilarityData:
    """Sentence pairs with human similarity scores, as in STS-B."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    scores: np.ndarray


def load_sts(path: str | Path) -> SimilarityData:
    """Read an STS-B file: tab-separated, the score in column 5, sentences in columns 6 and 7.

    Raises:
        InputError: no such file, or a line without seven columns or a number.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"There is no file {path}; an STS-B file is expected.")
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line]
    for number, row in enumerate(rows, start=1):
        if len(row) < 7:
            raise InputError(f"{path.name}, line {number}: {len(row)} columns; 7 are expected.")
    try:
        scores = np.array([float(row[4]) for row in rows])
    except ValueError as error:
        raise InputError(f"{path.name}: {error}; column 5 holds a score.") from None
    return SimilarityData(tuple(r[5] for r in rows), tuple(r[6] for r in rows), scores)


def sts_at_hand(part: str = "test") -> SimilarityData | None:
    """A part of STS-B, where it is among the public data to measure against."""
    path = measuring_data(f"sts/sts-{part}.csv")
    return load_sts(path) if path else None


def sts_spearman(encoder: Encoder, data: SimilarityData) -> float:
    """Spearman correlation, times 100, of cosine similarity with human scores."""
    embeddings = encoder.encode([*data.first, *data.second])
    first, second = np.split(embeddings, 2)
    cosine = pd.Series((first * second).sum(-1))
    return float(100 * cosine.corr(pd.Series(data.scores), method="spearman"))


@dataclass(frozen=True, slots=True)
class Drift:
    """How far sentences moved between two encoders; no labels are needed.

    Attributes:
        distance: mean cosine distance of a sentence's two embeddings, in [0, 2].
        neighbours_kept: share of each sentence's 10 nearest sentences that are still among them.
    """

    distance: float
    neighbours_kept: float


def drift(
    encoder: Encoder,
    frozen: Encoder,
    sentences: Sequence[str] | None = None,
    k: int = 10,
) -> Drift:
    """Label-free forgetting on generic sentences (the project's own if None are given)."""
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
