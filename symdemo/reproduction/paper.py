"""What the paper reports, to stand beside what we measure.

Yuan and Vlachos (2025), arXiv 2504.16312, Tables 2 and 4; accuracies and forgetting in percent.
"""

from __future__ import annotations

from dataclasses import dataclass

from symdemo.training.methods import FINE_TUNING, KNN, KNN_LEARNT_METRIC, RANDOM_LABEL_EMBEDDINGS

TABLE_2_ENCODER = "RoBERTa-large"
"""Whose accuracies, samples and forgetting Table 2 gives; Table 4 has accuracies of others."""


@dataclass(frozen=True, slots=True)
class PaperRow:
    """A row of Table 2: forgetting is the drop of accuracy on MNLI, in points."""

    lexicalized: float
    delexicalized: float
    samples: int | None = None
    forgetting: float | None = None


TABLE_2: dict[str, PaperRow] = {
    "random": PaperRow(50.0, 50.0),
    "untouched encoder": PaperRow(48.3, 49.7),
    "NLI cross-encoder": PaperRow(51.2, 56.7),
    RANDOM_LABEL_EMBEDDINGS.name: PaperRow(100.0, 100.0, 48, 5.8),
    KNN.name: PaperRow(100.0, 100.0, 64, 7.7),
    KNN_LEARNT_METRIC.name: PaperRow(100.0, 100.0, 400, 21.5),
    FINE_TUNING.name: PaperRow(100.0, 100.0, 336, 11.2),
}


def _columns(untouched, random, knn, learnt, tuned) -> dict[str, tuple[float, float]]:
    return {
        "untouched encoder": untouched,
        RANDOM_LABEL_EMBEDDINGS.name: random,
        KNN.name: knn,
        KNN_LEARNT_METRIC.name: learnt,
        FINE_TUNING.name: tuned,
    }


TABLE_4: dict[str, dict[str, tuple[float, float]]] = {
    "MiniLM-L6-H384-uncased": _columns(
        (46.7, 49.2), (100.0, 100.0), (99.1, 100.0), (97.6, 100.0), (99.8, 100.0)
    ),
    "MiniLM-L12-H384-uncased": _columns(
        (49.2, 48.3), (100.0, 100.0), (99.1, 100.0), (100.0, 100.0), (100.0, 100.0)
    ),
    "all-MiniLM-L6-v2": _columns(
        (51.2, 52.3), (100.0, 100.0), (100.0, 100.0), (100.0, 100.0), (100.0, 99.8)
    ),
    "all-MiniLM-L12-v2": _columns(
        (48.3, 52.3), (100.0, 100.0), (100.0, 100.0), (100.0, 100.0), (100.0, 100.0)
    ),
}
"""Encoder → method → (lexicalized, delexicalized)."""
