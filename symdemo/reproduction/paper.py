"""What the paper reports, to stand beside what we measure.

Yuan and Vlachos (2025), arXiv 2504.16312, Tables 2 and 4; accuracies and forgetting in percent.
"""

from __future__ import annotations

from dataclasses import dataclass

METHOD_NAMES = {
    "random-label-embeddings": "Random label embeddings",
    "knn": "k-NN",
    "knn-learnt-metric": "k-NN, learnt metric",
    "fine-tuning": "Fine-tuning",
}
"""How each method is called in tables."""

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
    "random-label-embeddings": PaperRow(100.0, 100.0, 48, 5.8),
    "knn": PaperRow(100.0, 100.0, 64, 7.7),
    "knn-learnt-metric": PaperRow(100.0, 100.0, 400, 21.5),
    "fine-tuning": PaperRow(100.0, 100.0, 336, 11.2),
}

TABLE_4: dict[str, dict[str, tuple[float, float]]] = {
    "MiniLM-L6-H384-uncased": {
        "untouched encoder": (46.7, 49.2),
        "random-label-embeddings": (100.0, 100.0),
        "knn": (99.1, 100.0),
        "knn-learnt-metric": (97.6, 100.0),
        "fine-tuning": (99.8, 100.0),
    },
    "MiniLM-L12-H384-uncased": {
        "untouched encoder": (49.2, 48.3),
        "random-label-embeddings": (100.0, 100.0),
        "knn": (99.1, 100.0),
        "knn-learnt-metric": (100.0, 100.0),
        "fine-tuning": (100.0, 100.0),
    },
    "all-MiniLM-L6-v2": {
        "untouched encoder": (51.2, 52.3),
        "random-label-embeddings": (100.0, 100.0),
        "knn": (100.0, 100.0),
        "knn-learnt-metric": (100.0, 100.0),
        "fine-tuning": (100.0, 99.8),
    },
    "all-MiniLM-L12-v2": {
        "untouched encoder": (48.3, 52.3),
        "random-label-embeddings": (100.0, 100.0),
        "knn": (100.0, 100.0),
        "knn-learnt-metric": (100.0, 100.0),
        "fine-tuning": (100.0, 100.0),
    },
}
"""Encoder → method → (lexicalized, delexicalized)."""
