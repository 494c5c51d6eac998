"""Forgetting on NLI, from the ledger."""

from __future__ import annotations

from statistics import median
from typing import Any

from experiments.reproduction.keys import Recorded, nli_baseline_key, nli_cells, nli_key
from experiments.reproduction.plan import NLI_ARMS, Plan
from symdemo.pairs import CONTRADICTION


def nli_summary(plan: Plan, known: Recorded) -> dict[str, Any] | None:
    """Every start of every method, and what answers that read no premise get; None where none was.

    Rows of other NLI data than the first have no part in it.
    """
    found = [
        (method, arm, cell.seed, result)
        for method in plan.methods
        for arm in NLI_ARMS
        for cell in nli_cells(plan, method, arm)
        if (result := known.ledger.get(nli_key(known, cell)))
    ]
    if missing := next((r["missing"] for *_, r in found if "missing" in r), None):
        return {"missing": missing}
    if not found:
        return None
    first = found[0][-1]
    baseline = known.ledger.get(nli_baseline_key(known, plan.encoders[0])) or {}
    same = baseline.get("data") == first["data"]
    contradictions = {seed: _contradictions(plan, seed) for seed in plan.nli_seeds}
    return {
        "encoder": plan.encoders[0],
        "source": first["source"],
        "learnt": first["learnt"],
        "asked": first["asked"],
        "samples": plan.reported[plan.methods[0]],
        "majority": baseline["majority"] if same else None,
        "hypothesis": baseline["hypothesis"] if same else None,
        "rows": [
            {"method": method, "recipe": arm, "start": seed}
            | {"always_contradiction": contradictions[seed]}
            | {name: result[name] for name in _SHOWN}
            for method, arm, seed, result in found
            if result["data"] == first["data"]
        ],
    }


_SHOWN = ("before", "after", "lost", "lexicalized", "delexicalized")


def _contradictions(plan: Plan, seed: int) -> float:
    """How often the answer “contradiction” is right about the facts that a seed has asked."""
    _, asked = plan.cell("", "", 1, seed).sides
    return sum(fact.relation.label == CONTRADICTION for fact in asked) / len(asked)


def of_method(nli: dict[str, Any] | None, method: str) -> dict[str, Any] | None:
    """A method's row in words of spreads over its starts; None where it has none."""
    if nli is None or "missing" in nli:
        return nli
    rows = [row for row in nli["rows"] if row["method"] == method]
    own = [row for row in rows if row["recipe"] == "own"]
    if not own:
        return None
    return {
        "before": _spread([100 * row["before"]["all"] for row in own]),
        "loss": {
            name: _spread([row["lost"][0] for row in rows if row["recipe"] == arm])
            for name, arm in (("with", "own"), ("without", "without"))
        },
        "lexicalized": _spread([row["lexicalized"] for row in own]),
        "delexicalized": _spread([row["delexicalized"] for row in own]),
        "source": nli["source"],
        "pairs": [nli["learnt"], sum(nli["asked"].values())],
    }


def _spread(values: list[float]) -> dict[str, float] | None:
    if not values:
        return None
    least, most = min(values), max(values)
    return {"median": median(values), "least": least, "most": most, "n": len(values)}
