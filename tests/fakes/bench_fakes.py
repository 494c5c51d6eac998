"""Made-up figures for the cells of `symdemo reproduce`."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

from experiments.reproduce import Plan, Resources

FIRST, SECOND, ABSENT = "all-MiniLM-L6-v2", "all-MiniLM-L12-v2", "MiniLM-L6-H384-uncased"
PLAN = Plan(encoders=(FIRST, SECOND, ABSENT))
LOST = {
    "random-label-embeddings": (0.9, 31.0),
    "knn": (0.4, 12.5),
    "knn-learnt-metric": (0.7, 17.0),
    "fine-tuning": (0.6, 9.5),
}
"""Method → STS-B points lost with the retention term, and without it."""

NLI = {"learnt": 9_000, "asked": {"SNLI": 800, "MNLI": 200}, "source": "MNLI, matched", "data": "d"}

NEEDED = {"random-label-embeddings": 40, "knn": 26, "knn-learnt-metric": 60, "fine-tuning": 50}


class FakeBench(Resources):
    """Has two encoders without weights, and no data."""

    sts = cross_encoder = None

    def encoder(self, name: str) -> Any:
        """Return an object with the attributes that name a measurement."""
        return None if name == ABSENT else SimpleNamespace(dimension=384, base_hash="0" * 64)


def made_up(key: dict[str, Any]) -> dict[str, Any]:
    """Return figures for a measurement; the same key gives the same figures."""
    chance = random.Random(str(sorted(key.items())))
    if key["measure"] == "nli baseline":
        named = {"all": 0.34, "SNLI": 0.34, "MNLI": 0.36}
        return NLI | {"majority": named, "hypothesis": dict.fromkeys(named, 0.6)}
    if key["measure"] == "even probe":
        return {
            name: 0.5 + chance.uniform(-0.05, 0.05) for name in ("lexicalized", "delexicalized")
        }
    kept, lost = LOST[key["method"]]
    retention = key["changes"].get("retention", 1.0)
    if key["measure"] == "nli":
        least = 0 if retention else lost / 150
        lost = least + chance.uniform(-0.004, 0.012)
        return NLI | {
            "before": {"all": 0.61, "SNLI": 0.6, "MNLI": 0.62},
            "after": {"all": 0.61 - lost, "SNLI": 0.6 - lost, "MNLI": 0.62 - lost},
            "lost": [100 * lost, 100 * lost - 0.5, 100 * lost + 0.5],
            "lexicalized": 1.0,
            "delexicalized": 1.0,
        }
    if key["measure"] == "new label":
        sizes = (1, 2, 4, 8, 16)
        return {
            "sizes": {
                str(n): {"neutral": min(1, 0.55 + 0.03 * n), "others": 1 - 0.002 * n} for n in sizes
            }
        }
    short = key["samples"] * chance.uniform(0.8, 1.25) / NEEDED[key["method"]]
    right = 1.0 if short >= 1 else 0.5 + 0.48 * short
    retained = min(retention, 1.0)
    figures = {
        "lexicalized": right,
        "delexicalized": max(right - chance.uniform(0, 0.02), 0) if right < 1 else 1.0,
        "by_k": {str(k): (right, right) for k in (1, 5, 9)},
        "steps": key["samples"] * 10 // 16 * 8,
        "seconds": key["samples"] * chance.uniform(0.2, 0.3),
    }
    if not key["forgetting"]:
        return figures
    sts_loss = (kept * retained + lost * (1 - retained)) * chance.uniform(0.8, 1.2)
    return figures | {
        "distance": sts_loss / 60,
        "neighbours_kept": 1 - sts_loss / 50,
        "sts_before": 82.03,
        "sts_after": 82.03 - sts_loss,
    }
