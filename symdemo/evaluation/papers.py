"""Figures that the papers report, for comparison with ours.

- Yuan and Vlachos (2025), arXiv 2504.16312, Tables 2 and 4: accuracies and forgetting in percent.
- Li and Li (2024), BeLLM, arXiv 2311.05296, Table 1: points. `BELLM` is LLaMA2-7B after training.
  `experiments/tables/sentences.md` has other figures of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from symdemo.evaluation.sentences.sts import TASKS
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

BELLM = "BeLLM (LLaMA2-7B)"
ANGLE, SIMCSE, SIMCSE_ROBERTA = "AnglE (LLaMA2-7B)", "SimCSE (LLaMA2-7B)", "SimCSE (RoBERTa-large)"
SBERT, GLOVE = "SBERT", "GloVe (average)"

_BELLM_TABLE_1 = {
    BELLM: (79.39, 91.04, 86.52, 89.24, 87.43, 89.04, 81.14),
    ANGLE: (79.00, 90.56, 85.79, 89.43, 87.00, 88.97, 80.94),
    SIMCSE: (78.39, 89.95, 84.80, 88.50, 86.04, 87.86, 81.11),
    SIMCSE_ROBERTA: (77.46, 87.27, 82.36, 86.66, 83.93, 86.70, 81.95),
    SBERT: (70.97, 76.53, 73.19, 79.09, 74.30, 77.03, 72.91),
    GLOVE: (55.14, 70.66, 59.73, 68.25, 63.66, 58.02, 53.76),
}
BELLM_TABLE_1 = {name: dict(zip(TASKS, row, strict=True)) for name, row in _BELLM_TABLE_1.items()}
"""Spearman's correlation by encoder and STS task."""

BELLM_TABLE_1_AVERAGE = {
    BELLM: 86.26, ANGLE: 85.96, SIMCSE: 85.24, SIMCSE_ROBERTA: 83.76, SBERT: 74.89, GLOVE: 61.32
}  # fmt: skip
"""As the paper prints it, over all seven tasks."""

OF_THIS_SIZE = {"SGPT-125M, weighted mean": {"STS-B": 79.5}, "SGPT-125M, mean": {"STS-B": 76.9}}
"""A decoder of about this size, all of its weights trained on some 550,000 NLI pairs
(Muennighoff 2022, arXiv 2202.08904)."""
