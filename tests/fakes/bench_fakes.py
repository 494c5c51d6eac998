"""A report of `symdemo reproduce` with real cells and summary, and made-up figures."""

from __future__ import annotations

import json
import random
from html.parser import HTMLParser
from types import SimpleNamespace
from typing import Any

from experiments.reproduce import Plan, Resources, cells, summarise
from experiments.runner import Ledger

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
    if key["measure"] == "probe":
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


def make_report(plan: Plan = PLAN, **values: Any) -> dict[str, Any]:
    """Return a report as `symdemo reproduce` writes it; `values` replace its parts."""
    ledger = Ledger()
    for cell in cells(plan, FakeBench().bases(plan)):
        ledger.add(cell, made_up(cell))
    made_by = {
        "symdemo": "0.1.0",
        "commit": "abcdef012345",
        "machine": {
            "processor": "Made-up processor",
            "threads": 2,
            "accelerator": None,
            "system": "Linux x86_64",
        },
        "versions": {"python": "3.12.12", "torch": "2.13.0", "transformers": "5", "numpy": "2"},
    }
    summary = summarise(plan, ledger)
    report = {"command": "symdemo reproduce", "made_by": made_by, "finished": True}
    report["rows_made_by"] = []
    return json.loads(json.dumps(report | {"summary": summary} | values))


class Cells(HTMLParser):
    """The rows of all tables, each cell as its text up to the small type."""

    def __init__(self, html):
        super().__init__()
        self.rows, self.small = [], 0
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.rows.append([])
        if tag in {"td", "th"}:
            self.rows[-1].append("")
        self.small += tag == "small"

    def handle_endtag(self, tag):
        self.small -= tag == "small"

    def handle_data(self, data):
        if self.rows and self.rows[-1] and not self.small:
            self.rows[-1][-1] += data


def cells_of(html) -> dict[str, list[str]]:
    return {row[0].strip(): [cell.strip() for cell in row[1:]] for row in Cells(html).rows if row}
