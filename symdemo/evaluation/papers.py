"""Figures that the papers report, for comparison with ours; `assets/papers.json` holds them.

- Yuan and Vlachos (2025), arXiv 2504.16312, Tables 2 and 4: accuracies and forgetting in percent.
- Li and Li (2024), BeLLM, arXiv 2311.05296, Table 1: points. `BELLM` is LLaMA2-7B after training.
  `experiments/tables/sentences.md` has other figures of it.
- Muennighoff (2022), SGPT, arXiv 2202.08904: points on STS-B.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from symdemo.files.paths import ASSETS


@dataclass(frozen=True, slots=True)
class PaperRow:
    """A row of Table 2: forgetting is the drop of accuracy on MNLI, in points."""

    lexicalized: float
    delexicalized: float
    samples: int | None = None
    forgetting: float | None = None


_FIGURES = json.loads((ASSETS / "papers.json").read_text(encoding="utf-8"))

TABLE_2_ENCODER = "RoBERTa-large"
"""The encoder of Table 2 (accuracies, samples, forgetting); Table 4 has others' accuracies."""

TABLE_2 = {name: PaperRow(**row) for name, row in _FIGURES["table_2"].items()}

TABLE_4: dict[str, dict[str, list[float]]] = _FIGURES["table_4"]
"""Encoder → method → [lexicalized, delexicalized]."""

BELLM, SBERT = "BeLLM (LLaMA2-7B)", "SBERT"
SIMCSE, SIMCSE_ROBERTA = "SimCSE (LLaMA2-7B)", "SimCSE (RoBERTa-large)"

BELLM_TABLE_1: dict[str, dict[str, float]] = _FIGURES["bellm_table_1"]
"""Spearman's correlation by encoder and STS task."""

BELLM_TABLE_1_AVERAGE: dict[str, float] = _FIGURES["bellm_table_1_average"]
"""Averages over all seven tasks, as the paper prints them."""

OF_THIS_SIZE: dict[str, dict[str, float]] = _FIGURES["of_this_size"]
"""SGPT: a decoder of about this size, all of its weights trained on some 550,000 NLI pairs."""
