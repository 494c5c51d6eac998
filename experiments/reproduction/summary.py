"""Figures from a ledger. A pure function: the same ledger gives the same summary."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Any

from experiments.reproduction.experiments import OTHER_K, Cell
from experiments.reproduction.keys import (
    Recorded,
    ablation_cells,
    beyond_cells,
    cross_encoder_key,
    new_label_cells,
    new_label_key,
    probe_cell,
    probe_key,
    without_cells,
)
from experiments.reproduction.ledger import Ledger
from experiments.reproduction.nli.summary import nli_summary, of_method
from experiments.reproduction.plan import NEW_LABEL_SIZES, Plan
from experiments.reproduction.reading_nothing import ANSWERS, accuracies
from symdemo.evaluation.nli import NLI_CROSS_ENCODER
from symdemo.evaluation.papers import TABLE_2, TABLE_4
from symdemo.training.methods import KNN

Summary = dict[str, Any]


def summarise(plan: Plan, ledger: Ledger) -> Summary:
    """All tables of a plan, from the measurements that the ledger has by now."""
    known = Recorded(ledger)
    here = [name for name in plan.encoders if name in known.encoders]
    nli = nli_summary(plan, known)
    return {
        "plan": plan.to_json(),
        "reading_nothing": _reading_nothing(plan),
        "beyond": _beyond(plan, known),
        "missing_encoders": [name for name in plan.encoders if name not in here],
        "cross_encoder": _cross_encoder(plan, known),
        "probes": [_probe_row(plan, known, name) for name in here],
        "methods": [
            _method_row(plan, known, nli, name, method) for name in here for method in plan.methods
        ],
        "nli": nli,
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


def _method_row(
    plan: Plan, known: Recorded, nli: Summary | None, name: str, method: str
) -> Summary:
    size = plan.reported[method]
    reported = [plan.cell(name, method, size, seed) for seed in plan.seeds_of(name)]
    with_term = _results(known, reported)
    without = [cell for cell in without_cells(plan, name) if cell.method == method]
    unnamed = plan.unnamed_seeds if name == plan.encoders[0] else ()
    return {
        "encoder": name,
        "method": method,
        "samples": size,
        **_accuracies(with_term),
        "perfect_seeds": sum(map(_is_perfect, with_term)),
        "steps": spread([r["steps"] for r in with_term]),
        "seconds": spread([r["seconds"] for r in with_term]),
        "smallest_perfect": _smallest(plan, known, name, method)
        if plan.search and plan.is_full(name)
        else None,
        "without_names": _without_names(plan, known, name, method) if unnamed else None,
        "forgetting": {
            "with retention": _forgetting(with_term),
            "without": _forgetting(_results(known, without)),
        },
        "nli": of_method(nli, method) if name == plan.encoders[0] else None,
        "paper": TABLE_4.get(name, {}).get(method),
    }


def _results(known: Recorded, cells: Iterable[Cell]) -> list[dict]:
    """The results of the cells that were measured."""
    return [result for cell in cells if (result := known.result(cell))]


def _is_perfect(result: dict) -> bool:
    return result["lexicalized"] == result["delexicalized"] == 1


def _without_names(plan: Plan, known: Recorded, name: str, method: str) -> Summary:
    """At the reported size, and the smallest without error, without the bank's names."""
    size = plan.reported[method]
    cells = (plan.cell(name, method, size, seed, names=False) for seed in plan.unnamed_seeds)
    searched = plan.search and method in plan.unnamed_methods
    return {
        **_accuracies(_results(known, cells)),
        "smallest_perfect": _smallest(plan, known, name, method, False) if searched else None,
    }


def _smallest(
    plan: Plan, known: Recorded, name: str, method: str, names: bool = True
) -> Summary | None:
    """Smallest size from which on no size tried has an error, by seed; None until all were tried.

    A seed with an error at the largest size never got there.
    """
    found: list[int | None] = []
    for seed in plan.search_seeds if names else plan.unnamed_seeds:
        cells = [plan.cell(name, method, n, seed, names=names) for n in plan.sizes]
        results = _results(known, cells)
        if len(results) < len(cells):
            return None
        upwards = takewhile(
            lambda tried: _is_perfect(tried[1]), zip(plan.sizes[::-1], results[::-1], strict=True)
        )
        found.append(min((n for n, _ in upwards), default=None))
    reached = [n for n in found if n is not None]
    return {"by_seed": found, "reached": len(reached), "spread": spread(reached)}


def _reading_nothing(plan: Plan) -> list[Summary]:
    """What answers get that read no sentence, by the sizes that the methods are taught."""
    sizes = sorted({*(plan.sizes if plan.search else ()), *plan.reported.values()})
    found = {n: [accuracies(n, seed) for seed in plan.seeds] for n in sizes}
    return [
        {"answer": answer, "samples": n, "accuracy": spread([own[answer] for own in found[n]])}
        for answer in ANSWERS
        for n in sizes
    ]


def _beyond(plan: Plan, known: Recorded) -> list[Summary]:
    return [
        {
            "encoder": cell.encoder,
            "method": cell.method,
            "samples": cell.samples,
            **_accuracies(_results(known, [cell])),
        }
        for cell in beyond_cells(plan)
    ]


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
    first, size = plan.encoders[0], plan.reported[KNN.name]
    cells = (plan.cell(first, KNN.name, size, seed) for seed in plan.seeds)
    results = [result["by_k"] for result in _results(known, cells)]
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
    """Accuracy against samples, over the same seeds at all sizes: those of the search."""
    rows = []
    for name in encoders:
        searched = plan.search and plan.is_full(name)
        seeds = plan.search_seeds if searched else plan.seeds_of(name)
        for method in plan.methods:
            for n in sorted({*plan.sizes, plan.reported[method]}):
                cells = (plan.cell(name, method, n, seed) for seed in seeds)
                results = _results(known, cells)
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
