"""Figures from a ledger. A pure function: the same ledger gives the same summary."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from symdemo.evaluation.nli_probe import NLI_CROSS_ENCODER
from symdemo.reproduction.experiments import OTHER_K, Cell
from symdemo.reproduction.keys import (
    Recorded,
    ablation_cells,
    cross_encoder_key,
    new_label_cells,
    new_label_key,
    nli_cells,
    nli_key,
    probe_cell,
    probe_key,
)
from symdemo.reproduction.ledger import Ledger
from symdemo.reproduction.paper import TABLE_2, TABLE_4
from symdemo.reproduction.plan import NEW_LABEL_SIZES, NLI_ARMS, Plan
from symdemo.training.methods import KNN

Summary = dict[str, Any]

NLI_LEARNT = 50.0
"""Accuracy in percent below which NLI counts as not learnt; chance is 33 with three labels."""


def summarise(plan: Plan, ledger: Ledger) -> Summary:
    """All tables of a plan, from the measurements that the ledger has by now."""
    known = Recorded(ledger)
    here = [name for name in plan.encoders if name in known.encoders]
    return {
        "plan": plan.to_json(),
        "missing_encoders": [name for name in plan.encoders if name not in here],
        "cross_encoder": _cross_encoder(plan, known),
        "probes": [_probe_row(plan, known, name) for name in here],
        "methods": [
            _method_row(plan, known, name, method) for name in here for method in plan.methods
        ],
        "new_label": _new_label(plan, known) if here else [],
        "ablations": _ablations(plan, known) if here else [],
        "accuracy_by_samples": _curves(plan, known, here),
    }


def spread(values: Sequence[float]) -> dict[str, float] | None:
    """Median, least and most of the values, and how many; None where there are none."""
    if not values:
        return None
    return {
        "median": statistics.median(values),
        "least": min(values),
        "most": max(values),
        "n": len(values),
    }


def _probe_row(plan: Plan, known: Recorded, name: str) -> Summary:
    seeds = plan.seeds_of(name)
    results = [known.ledger.get(probe_key(known, probe_cell(name, seed))) for seed in seeds]
    found = [result for result in results if result]
    return {
        "encoder": name,
        **_accuracies(found),
        "paper": TABLE_4.get(name, {}).get("untouched encoder"),
    }


def _cross_encoder(plan: Plan, known: Recorded) -> Summary | None:
    """The NLI model's row; without figures where it could not be loaded."""
    if not plan.cross_encoder:
        return None
    paper = TABLE_2["NLI cross-encoder"]
    found = known.ledger.get(cross_encoder_key(known))
    return {
        "model": NLI_CROSS_ENCODER,
        **_accuracies([found] if found else []),
        "paper": [paper.lexicalized, paper.delexicalized],
    }


def _method_row(plan: Plan, known: Recorded, name: str, method: str) -> Summary:
    cells = [Cell(name, method, plan.reported[method], seed) for seed in plan.seeds_of(name)]
    with_term, without = (
        [r for cell in cells if (r := known.result(replace(cell, changes=changes)))]
        for changes in ({}, {"retention": 0.0})
    )
    paper = TABLE_2.get(method)
    return {
        "encoder": name,
        "method": method,
        "samples": plan.reported[method],
        **_accuracies(with_term),
        "perfect_seeds": sum(r["lexicalized"] == r["delexicalized"] == 1 for r in with_term),
        "steps": spread([r["steps"] for r in with_term]),
        "seconds": spread([r["seconds"] for r in with_term]),
        "smallest_perfect": _smallest(plan, known, name, method),
        "forgetting": {
            "with retention": _forgetting(with_term),
            "without": _forgetting(without),
        },
        "nli": _nli(plan, known, name, method),
        "paper": {
            "accuracy": TABLE_4.get(name, {}).get(method),
            "samples": paper and paper.samples,
            "forgetting": paper and paper.forgetting,
        },
    }


def _accuracies(results: Sequence[dict]) -> Summary:
    return {
        version: spread([result[version] for result in results])
        for version in ("lexicalized", "delexicalized")
    }


def _forgetting(results: Sequence[dict]) -> Summary:
    return {
        "sts_loss": spread([r["sts_before"] - r["sts_after"] for r in results if "sts_after" in r]),
        "drift": spread([r["distance"] for r in results if "distance" in r]),
        "neighbours_kept": spread([r["neighbours_kept"] for r in results if "distance" in r]),
        **_accuracies(results),
    }


def _smallest(plan: Plan, known: Recorded, name: str, method: str) -> Summary | None:
    """Smallest size without a single error, by seed; None for a seed that never got there."""
    if not (plan.search and plan.is_full(name)):
        return None
    found: list[int | None] = []
    for seed in plan.seeds:
        results = ((n, known.result(Cell(name, method, n, seed))) for n in plan.sizes)
        perfect = (n for n, r in results if r and r["lexicalized"] == r["delexicalized"] == 1)
        found.append(next(perfect, None))
    reached = [n for n in found if n is not None]
    return {"by_seed": found, "reached": len(reached), "spread": spread(reached)}


def _nli(plan: Plan, known: Recorded, name: str, method: str) -> Summary | None:
    if name != plan.encoders[0]:
        return None
    keys = {
        arm: [nli_key(known, plan, cell) for cell in nli_cells(plan, method, arm)]
        for arm in NLI_ARMS
    }
    if keys["few"] == keys["with"][:1]:
        del keys["few"]
    arms = {arm: [r for key in own if (r := known.ledger.get(key))] for arm, own in keys.items()}
    results = arms["with"]
    if results and "missing" in results[0]:
        return {"missing": results[0]["missing"]}
    before = spread([100 * r["before"] for r in results])
    if before is None:
        return None
    if before["median"] < NLI_LEARNT:
        reason = (
            f"{plan.nli_pairs[0]:,} pairs did not teach the encoder enough of it "
            f"({before['median']:.1f}% of three labels) for a drop to say anything"
        )
        return {"missing": reason, "before": before}
    return {
        "before": before,
        "loss": {
            arm: spread([100 * (r["before"] - r["after"]) for r in own])
            for arm, own in arms.items()
        },
        **_accuracies(results),
        "source": results[0]["source"],
        "pairs": results[0]["pairs"],
    }


def _new_label(plan: Plan, known: Recorded) -> list[Summary]:
    keys = (new_label_key(known, cell) for cell in new_label_cells(plan))
    results = [result["sizes"] for key in keys if (result := known.ledger.get(key))]
    return [
        {
            "examples": n,
            "neutral": spread([sizes[str(n)]["neutral"] for sizes in results]),
            "others": spread([sizes[str(n)]["others"] for sizes in results]),
        }
        for n in NEW_LABEL_SIZES
        if results
    ]


def _ablations(plan: Plan, known: Recorded) -> list[Summary]:
    rows: dict[tuple, list[dict]] = {}
    for cell in ablation_cells(plan):
        row = rows.setdefault(tuple(cell.changes.items()), [])
        if result := known.result(cell):
            row.append(result)
    return [
        {"changes": dict(changes)} | _forgetting(results)
        for changes, results in rows.items()
        if results
    ] + _other_k(plan, known)


def _other_k(plan: Plan, known: Recorded) -> list[Summary]:
    """Other numbers of neighbours on the very same models."""
    if not plan.ablation_seeds:
        return []
    cells = (Cell(plan.encoders[0], KNN.name, plan.reported[KNN.name], seed) for seed in plan.seeds)
    results = [result["by_k"] for cell in cells if (result := known.result(cell))]
    return [
        {
            "changes": {"k": k},
            "lexicalized": spread([by_k[str(k)][0] for by_k in results]),
            "delexicalized": spread([by_k[str(k)][1] for by_k in results]),
            "sts_loss": None,
            "drift": None,
        }
        for k in OTHER_K
        if results
    ]


def _curves(plan: Plan, known: Recorded, encoders: Sequence[str]) -> list[Summary]:
    """Accuracy against samples for every size that was measured, whatever made it so."""
    rows = []
    for name in encoders:
        for method in plan.methods:
            for n in sorted({*plan.sizes, plan.reported[method]}):
                cells = (Cell(name, method, n, seed) for seed in plan.seeds_of(name))
                results = [r for cell in cells if (r := known.result(cell))]
                if results:
                    rows.append(
                        {
                            "encoder": name,
                            "method": method,
                            "samples": n,
                            **_accuracies(results),
                        }
                    )
    return rows
