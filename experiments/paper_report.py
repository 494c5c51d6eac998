"""The report of `symdemo reproduce`: the results in the ledger, grouped by the rows of the plan.

The app and `make_tables` read it. Forgetting on NLI, the third label and the ablations come from a
finished study of the default encoder; they are left out if the plan is quick or begins with
another encoder.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

from experiments.paper import (
    BEYOND,
    REPORTED,
    SIZES,
    Plan,
    Row,
    bases_of,
    planned,
    reading_nothing,
)
from experiments.runner import Ledger, Result, finished_study
from symdemo.encoders import DEFAULT_ENCODER
from symdemo.evaluation.nli import NLI_CROSS_ENCODER
from symdemo.evaluation.papers import TABLE_2, TABLE_4
from symdemo.evaluation.results import VERSIONS

Figures = dict[str, Any]


def spread(values: Sequence[float]) -> dict[str, float] | None:
    """Return median, least, most and number of values; None without any."""
    if not values:
        return None
    middle = statistics.median(values)
    return {"median": middle, "least": min(values), "most": max(values), "n": len(values)}


def spreads(results: Sequence[Result], names: Iterable[str] = VERSIONS) -> Figures:
    """Return the spread of each figure over the results that have it."""
    return {name: spread([own[name] for own in results if name in own]) for name in names}


def forgetting(results: Sequence[Result]) -> Figures:
    """Return points of STS-B lost, drift of generic sentences, and accuracies."""
    lost = [own["sts_before"] - own["sts_after"] for own in results if "sts_after" in own]
    moved = spreads(results, ("distance", "neighbours_kept"))
    return {
        "sts_loss": spread(lost),
        "drift": moved["distance"],
        "neighbours_kept": moved["neighbours_kept"],
        **spreads(results),
    }


def is_perfect(result: Result) -> bool:
    """True if a training made no error, with names and with ids."""
    return all(result[version] == 1 for version in VERSIONS)


class Report:
    """The results of a plan, by row and seed, and the figures of the rows."""

    def __init__(self, plan: Plan, ledger: Ledger):
        bases = bases_of(ledger)
        self.plan, self.first = plan, plan.encoders[0]
        self.here = [name for name in plan.encoders if name in bases]
        self._found: dict[Row, dict[int, Result]] = {}
        for row, cell in planned(plan, bases):
            if result := ledger.get(cell):
                self._found.setdefault(row, {})[cell.get("seed", 0)] = result
        usual = plan.parts and self.first == DEFAULT_ENCODER
        self.finished: Figures = finished_study("paper")["figures"] if usual else {}

    def of(self, *row: Any, seeds: Sequence[int] | None = None) -> list[Result]:
        """Return the results of a row that were measured, seed by seed; of all seeds if None."""
        own = self._found.get(row, {})
        return [own[seed] for seed in (own if seeds is None else seeds) if seed in own]

    def is_searched(self, name: str) -> bool:
        """True if the plan measures all `SIZES` with an encoder."""
        return "search" in self.plan.parts and self.plan.is_full(name)

    def smallest(self, kind: str, name: str, method: str) -> Figures | None:
        """Return the smallest size from which no size has an error, by seed.

        None until all sizes were tried; a seed with an error at the largest size has None.
        """
        by_seed: list[int | None] = []
        for seed in self.plan.seeds[:3]:
            own = {n: self.of(kind, name, method, n, seeds=[seed]) for n in SIZES}
            if not all(own.values()):
                return None
            wrong = max((n for n in SIZES if not is_perfect(own[n][0])), default=0)
            by_seed.append(min((n for n in SIZES if n > wrong), default=None))
        reached = [n for n in by_seed if n is not None]
        return {"by_seed": by_seed, "reached": len(reached), "spread": spread(reached)}

    def probe(self, name: str) -> Figures:
        """Return the accuracies of 1-NN over an untouched encoder, and the paper's."""
        paper = TABLE_4.get(name, {}).get("untouched encoder")
        return {"encoder": name, **spreads(self.of("probe", name)), "paper": paper}

    def method(self, name: str, method: str) -> Figures:
        """Return a method's row of the main table; None for figures that are not measured."""
        row = (name, method, REPORTED)
        own, unnamed = self.of("usual", *row, seeds=self.plan.seeds_of(name)), None
        is_first = name == self.first
        if is_first and "other names" in self.plan.parts:
            unnamed = spreads(self.of("unnamed", *row))
            unnamed["smallest_perfect"] = self.smallest("unnamed", name, method)
        nli = self.finished.get("nli_of_methods", {})
        return {
            "encoder": name,
            "method": method,
            "samples": REPORTED,
            **spreads(own, (*VERSIONS, "steps", "seconds")),
            "perfect_seeds": sum(map(is_perfect, own)),
            "smallest_perfect": self.smallest("usual", name, method)
            if self.is_searched(name)
            else None,
            "without_names": unnamed,
            "forgetting": {
                "with retention": forgetting(own),
                "without": forgetting(self.of("no retention", *row)),
            },
            "nli": nli.get(method) if is_first else None,
            "paper": TABLE_4.get(name, {}).get(method),
        }

    def curve(self, name: str, method: str, samples: int) -> Figures:
        """Return the accuracies of a method taught this number of pairs: a point of its curve."""
        seeds = self.plan.seeds[:3] if self.is_searched(name) else self.plan.seeds_of(name)
        own = spreads(self.of("usual", name, method, samples, seeds=seeds))
        return {"encoder": name, "method": method, "samples": samples, **own}

    def nothing(self) -> list[Figures]:
        """Return the accuracy of the answers that read no sentence, by number of taught pairs."""
        sizes = SIZES if "search" in self.plan.parts else (REPORTED,)
        found = {n: [reading_nothing(n, seed) for seed in self.plan.seeds] for n in sizes}
        return [
            {"answer": name, "samples": n, "accuracy": spread([own[name] for own in found[n]])}
            for name, n in product(found[REPORTED][0], sizes)
        ]

    def cross_encoder(self) -> Figures | None:
        """Return the figures of Table 2's NLI model; None if the plan leaves it out."""
        if "cross-encoder" not in self.plan.parts:
            return None
        paper, own = TABLE_2["NLI cross-encoder"], spreads(self.of("cross-encoder"))
        figures = {"paper": [paper.lexicalized, paper.delexicalized]}
        return {"model": NLI_CROSS_ENCODER, **own, **figures}

    def paper_settings(self) -> list[Figures]:
        """Return a row for each method measured with the paper's own hyperparameters."""
        rows = {method: self.of("paper's settings", method) for method in self.plan.methods}
        return [
            {"method": method, "samples": TABLE_2[method].samples}
            | spreads(own, ("steps",))
            | forgetting(own)
            for method, own in rows.items()
            if own
        ]


def summarise(plan: Plan, ledger: Ledger) -> Figures:
    """Return all figures of a plan, from what the ledger has."""
    report = Report(plan, ledger)
    both = list(product(report.here, plan.methods))
    curves = [report.curve(*one, n) for one in both for n in SIZES if report.of("usual", *one, n)]
    beyond = [row for row in curves if (row["encoder"], row["method"], row["samples"]) in BEYOND]
    return {
        "plan": plan.to_json(),
        "reading_nothing": report.nothing(),
        "beyond": beyond,
        "missing_encoders": [name for name in plan.encoders if name not in report.here],
        "cross_encoder": report.cross_encoder(),
        "probes": [report.probe(name) for name in report.here],
        "methods": [report.method(*one) for one in both],
        "paper_settings": report.paper_settings(),
        "nli": report.finished.get("nli"),
        "new_label": report.finished.get("new_label", []),
        "ablations": report.finished.get("ablations", []),
        "accuracy_by_samples": curves,
    }
