"""STS-B: Spearman's correlation of cosines with human scores, and triplets without its sentences.

The data come in SentEval's files (Conneau and Kiela 2018). The figure is Spearman's correlation
times 100 over all pairs of a task (SentEval's setting "all"); the mean over a task's subsets (its
setting "mean") is reported beside it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from symdemo.encoders import Encoder
from symdemo.errors import InputError
from symdemo.evaluation.intervals import rank_correlation, resampled_correlations
from symdemo.files.paths import measuring_data
from symdemo.training.triplets import TripletData, load_triplets

if TYPE_CHECKING:
    pass

Rows = TypeVar("Rows", bound=Any)
"""Data with a row for each of `first`."""


@dataclass(frozen=True)
class SimilarityData:
    """Sentence pairs with human similarity scores."""

    first: tuple[str, ...]  # n sentences on each side
    second: tuple[str, ...]
    scores: np.ndarray  # human scores, (n,)
    subsets: tuple[str, ...] = ()  # the subset of each pair; empty if the task has only one

    @property
    def sentences(self) -> list[str]:
        """The distinct sentences, in the order of the pairs."""
        pairs = zip(self.first, self.second, strict=True)
        return list(dict.fromkeys(text for pair in pairs for text in pair))

    @property
    def hash(self) -> str:
        """The first 16 hexadecimal digits of the SHA-256 of sentences and scores."""
        return hash_rows(map(repr, zip(self.first, self.second, self.scores.tolist(), strict=True)))


@dataclass(frozen=True, slots=True)
class StsScore:
    """Spearman's correlation times 100, with a bootstrap interval over pairs."""

    value: float  # over all pairs
    low: float  # to `high`: the 95% percentile interval
    high: float
    n: int  # number of pairs
    subset_mean: float  # mean of the correlations of the subsets


def sts_at_hand(part: str = "test") -> SimilarityData | None:
    """Return a part of STS-B ("train", "dev", "test") from SYMDEMO_DATA; None if not there."""
    path = measuring_data(f"sts/sts-{part}.csv")
    return read_table(path, 4, 5, 6) if path else None


def sts_part(part: str) -> SimilarityData:
    """Return a part of STS-B, as `sts_at_hand`.

    Raises:
        InputError: it is not there.
    """
    if (data := sts_at_hand(part)) is None:
        raise InputError(
            f"There is no sts/sts-{part}.csv in the folder SYMDEMO_DATA; STS-B is expected there."
        )
    return data


def take(data: Rows, rows: Sequence[int]) -> Rows:
    """Return some rows of similarity or transfer data."""
    taken: dict[str, Any] = {}
    for name, own in vars(data).items():
        if isinstance(own, np.ndarray):
            taken[name] = own[list(rows)]
        elif isinstance(own, tuple) and own:
            taken[name] = tuple(own[row] for row in rows)
    return replace(data, **taken)


def some_of(data: Rows, n: int) -> Rows:
    """Return about `n` evenly spaced rows (STS-B is sorted by source).

    Raises:
        InputError: n is below 2.
    """
    if n < 2:
        raise InputError(f"{n} rows are asked for; at least 2 are expected.")
    return take(data, range(0, len(data.first), max(1, len(data.first) // n)))


def triplets_unseen(source: str) -> TripletData:
    """Load triplets without any sentence of STS-B's dev and test parts, if these are available.

    SNLI and STS-B both contain captions and news, so a few sentences occur in both.

    Raises:
        InputError: as `load_triplets`.
    """
    parts = [part for part in map(sts_at_hand, ("dev", "test")) if part is not None]
    return load_triplets(source, [text for p in parts for text in (*p.first, *p.second)])


def cosines(encoder: Encoder, data: SimilarityData) -> np.ndarray:
    """Return the cosine of each pair, (n,); equal sentences are encoded once."""
    embeddings = encoder.encode([*data.first, *data.second])
    first, second = np.split(embeddings, 2)
    return (first * second).sum(-1)


def sts_spearman(encoder: Encoder, data: SimilarityData) -> float:
    """Return Spearman's correlation, times 100, of cosines with human scores."""
    return 100 * rank_correlation(cosines(encoder, data), data.scores)


def score_sts(similarities: np.ndarray, data: SimilarityData) -> StsScore:
    """Compare similarities (n,), from any method, with human scores."""
    value = 100 * rank_correlation(similarities, data.scores)
    drawn = 100 * resampled_correlations(similarities, data.scores)
    low, high = np.quantile(drawn, (0.025, 0.975))
    subset = np.array(data.subsets or [""] * len(data.scores))
    within = [
        rank_correlation(similarities[subset == name], data.scores[subset == name])
        for name in dict.fromkeys(subset.tolist())
    ]
    mean = 100 * float(np.mean(within))
    return StsScore(value, float(low), float(high), len(data.scores), mean)


def hash_rows(rows: Iterable[str]) -> str:
    """Return the first 16 hexadecimal digits of the SHA-256 of texts, one a line."""
    return hashlib.sha256("".join(f"{row}\n" for row in rows).encode()).hexdigest()[:16]


def lines_of(path: Path) -> list[str]:
    """Split at line feeds only: some sentences contain other characters that end a line."""
    text = path.read_text(encoding="utf-8").replace("\r\n", "\n")
    return text.removesuffix("\n").split("\n")


def read_table(path: Path, score: int, first: int, second: int, header: int = 0) -> SimilarityData:
    """Read a tab-separated file of which these columns have score and sentences."""
    rows = [line.split("\t") for line in lines_of(path)[header:] if line]
    try:
        scores = np.array([float(row[score]) for row in rows])
        return SimilarityData(
            tuple(row[first] for row in rows), tuple(row[second] for row in rows), scores
        )
    except (ValueError, IndexError) as error:
        raise InputError(
            f"{path.name} is not tab-separated, with a score in column {score + 1} and sentences "
            f"in {first + 1} and {second + 1} ({error})."
        ) from None
