"""Markdown on what retraining costs without labels of its own: STS-B, and generic sentences."""

from __future__ import annotations

from experiments.reproduction.markdown import number, seeds_in_words, table
from symdemo.evaluation.results import PaperSummary
from symdemo.training.methods import find_method


def forgetting_part(summary: PaperSummary) -> list[str]:
    """What retraining costs on STS-B, and how far it moves sentences."""
    if not summary["methods"]:
        return []
    without = [row["forgetting"]["without"]["lexicalized"] for row in summary["methods"]]
    n = max((found["n"] for found in without if found), default=0)
    return [
        "What that costs: points of STS-B (Spearman × 100) lost, and how far generic sentences "
        f"moved (cosine distance); *without retention* over {seeds_in_words(range(n))}.",
        _forgetting_table(summary),
    ]


def _forgetting_table(summary: PaperSummary) -> str:
    header = ["Encoder", "Method", "STS-B lost", "without retention"]
    header += ["Sentences moved", "without retention"]
    rows = []
    for row in summary["methods"]:
        kept, lost = row["forgetting"]["with retention"], row["forgetting"]["without"]
        rows.append(
            [
                row["encoder"],
                find_method(row["method"]).title,
                number(kept["sts_loss"], 2),
                number(lost["sts_loss"], 2),
                number(kept["drift"], 3),
                number(lost["drift"], 3),
            ]
        )
    return table(header, rows)
