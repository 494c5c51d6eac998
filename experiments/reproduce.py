"""`symdemo reproduce`: the paper's tables. An encoder that cannot be loaded is named as missing."""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, fields, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from experiments import make_tables
from experiments.paper import (
    PARTS,
    QUICK,
    REPORTED,
    SIZES,
    Bases,
    Plan,
    Training,
    bases_of,
    cell_of,
    cells,
    cross_encoder_cell,
    probe_untouched,
    reading_nothing,
    train,
)
from experiments.runner import Ledger, Report, Result, finished_study
from experiments.scoring import sts_change
from symdemo.data.relations import pairs_of_facts, part_of_facts
from symdemo.encoders import DEFAULT_ENCODER, load_encoder
from symdemo.encoders.decoders.loading import find_decoder
from symdemo.encoders.registry import find_spec
from symdemo.errors import InputError, ModelError
from symdemo.evaluation.forgetting import drift
from symdemo.evaluation.nli import NLI_CROSS_ENCODER, load_cross_encoder, nli_verdicts
from symdemo.evaluation.papers import TABLE_2, TABLE_4
from symdemo.evaluation.results import VERSIONS, PaperReport
from symdemo.evaluation.scores import score
from symdemo.training.methods import check_method

LEDGER = "measurements.jsonl"
OPTIONS = ("quick", "no_search", "encoders", "methods", "seeds", "other_seeds")
"""Those that decide what is measured."""


encoder_of, cross_encoder = cache(load_encoder), cache(load_cross_encoder)


def bases_here(plan: Plan) -> Bases:
    """Map each model of a plan that loads here to its weights' hash; "" for the NLI model."""
    bases = {}
    for name in plan.encoders:
        with suppress(ModelError):
            bases[name] = encoder_of(name).base_hash[:16]
    if "cross-encoder" in plan.parts:
        with suppress(ModelError):
            cross_encoder()
            bases[NLI_CROSS_ENCODER] = ""
    return bases


def measure(cell: Mapping[str, Any]) -> Result:
    """Return the result of a cell."""
    if cell["measure"] == "cross-encoder":
        reader, facts = cross_encoder(), part_of_facts("measuring")
        asked = {name: pairs_of_facts(facts, name == VERSIONS[1]) for name in VERSIONS}
        return {v: score(own, nli_verdicts(reader, own)).accuracy for v, own in asked.items()}
    training = Training(**{own.name: cell[own.name] for own in fields(Training)})
    encoder = encoder_of(training.encoder)
    if cell["measure"] == "even probe":
        return probe_untouched(training, encoder)
    figures, model = train(training, encoder)
    if cell["forgetting"]:
        figures |= asdict(drift(model.encoder, encoder)) | sts_change(encoder, model.encoder)
    return figures


def run(arguments: argparse.Namespace) -> int:
    """Measure what is missing, then write the report and its tables; 130 if stopped.

    Raises:
        InputError: an option, or a file that it names, is wrong.
    """
    plan = plan_of(arguments)
    if arguments.publish and plan.parts != PARTS:
        raise InputError("--publish needs the whole study: leave out --quick and --no-search.")

    def figures(ledger: Ledger) -> Result:
        summary = summarise(plan, ledger)
        here = all(cell in ledger for cell in cells(plan, bases_of(ledger)))
        return {"finished": here and not summary["missing_encoders"], "summary": summary}

    report = Report(LEDGER, PaperReport, OPTIONS, figures, make_tables.paper_tables)
    return report.run(arguments, lambda _: cells(plan, bases_here(plan)), measure)


def plan_of(arguments: argparse.Namespace) -> Plan:
    """Return what the options ask for.

    Raises:
        InputError: an encoder or a method is unknown.
    """
    for name in arguments.encoders or ():
        if not Path(name).is_dir() and find_decoder(name) is None:
            find_spec(name)
    given = {
        "encoders": arguments.encoders or (),
        "methods": [check_method(name) for name in arguments.methods or ()],
        "seeds": range(arguments.seeds or 0),
        "other_seeds": range(arguments.other_seeds or 0),
    }
    plan = QUICK if arguments.quick else Plan()
    parts = tuple(part for part in plan.parts if part != "search" or not arguments.no_search)
    changes: dict[str, Any] = {name: tuple(own) for name, own in given.items() if own}
    return replace(plan, parts=parts, **changes).with_choices()


# Report

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


class Findings:
    """The results of a plan in a ledger, and the figures of the report's rows.

    Forgetting on NLI, the third label and the ablations come from a finished study of the default
    encoder; they are left out if the plan is quick or begins with another encoder.
    """

    def __init__(self, plan: Plan, ledger: Ledger):
        self.plan, self.ledger, self.bases = plan, ledger, bases_of(ledger)
        self.first = plan.encoders[0]
        self.here = [name for name in plan.encoders if name in self.bases]
        usual = plan.parts and self.first == DEFAULT_ENCODER
        self.finished: Figures = finished_study("paper")["figures"] if usual else {}

    def of(self, trainings: Iterable[Training], measure: str = "training") -> list[Result]:
        """Return the results of those trainings that were measured."""
        cells = (cell_of(training, self.bases, measure) for training in trainings)
        return [found for cell in cells if (found := self.ledger.get(cell))]

    def smallest(self, encoder: str, method: str, names: bool = True) -> Figures | None:
        """Return the smallest size from which no size has an error, by seed.

        None until all sizes were tried; a seed with an error at the largest size has None.
        """
        by_seed: list[int | None] = []
        for seed in self.plan.seeds[:3]:
            own = [
                self.of(self.plan.trainings(encoder, method, size, [seed], names=names))
                for size in SIZES
            ]
            if not all(own):
                return None
            wrong = [n for n, (one,) in zip(SIZES, own, strict=True) if not is_perfect(one)]
            by_seed.append(min((n for n in SIZES if n > max(wrong, default=0)), default=None))
        reached = [n for n in by_seed if n is not None]
        return {"by_seed": by_seed, "reached": len(reached), "spread": spread(reached)}

    def probe(self, encoder: str) -> Figures:
        """Return the accuracies of 1-NN over an untouched encoder, and the paper's."""
        paper = TABLE_4.get(encoder, {}).get("untouched encoder")
        own = self.of(self.plan.probes(encoder), "even probe")
        return {"encoder": encoder, **spreads(own), "paper": paper}

    def method(self, encoder: str, method: str) -> Figures:
        """Return a method's row of the main table; None for figures that are not measured."""
        plan, row, is_first = self.plan, (encoder, method, REPORTED), encoder == self.first
        own, unnamed = self.of(plan.trainings(*row, plan.seeds_of(encoder))), None
        if is_first and "other names" in plan.parts:
            unnamed = spreads(self.of(plan.trainings(*row, plan.seeds[:3], names=False)))
            unnamed["smallest_perfect"] = self.smallest(encoder, method, names=False)
        searched = plan.is_searched(encoder)
        nli = self.finished.get("nli_of_methods", {})
        return {
            "encoder": encoder,
            "method": method,
            "samples": REPORTED,
            **spreads(own, (*VERSIONS, "steps", "seconds")),
            "perfect_seeds": sum(map(is_perfect, own)),
            "smallest_perfect": self.smallest(encoder, method) if searched else None,
            "without_names": unnamed,
            "forgetting": {
                "with retention": forgetting(own),
                "without": forgetting(self.of(plan.without_retention(encoder, method))),
            },
            "nli": nli.get(method) if is_first else None,
            "paper": TABLE_4.get(encoder, {}).get(method),
        }

    def curve(self, encoder: str, method: str) -> list[Figures]:
        """Return the accuracies of a method by the number of taught pairs."""
        searched = self.plan.is_searched(encoder)
        seeds = self.plan.seeds[:3] if searched else self.plan.seeds_of(encoder)
        found = {n: self.of(self.plan.trainings(encoder, method, n, seeds)) for n in SIZES}
        row = {"encoder": encoder, "method": method}
        return [row | {"samples": n} | spreads(own) for n, own in found.items() if own]

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
        own, paper = self.ledger.get(cross_encoder_cell()), TABLE_2["NLI cross-encoder"]
        figures = {"paper": [paper.lexicalized, paper.delexicalized]}
        return {"model": NLI_CROSS_ENCODER, **spreads([own] if own else []), **figures}

    def paper_settings(self) -> list[Figures]:
        """Return a row for each method measured with the paper's own hyperparameters."""
        if "paper's settings" not in self.plan.parts:
            return []
        of_paper = [method for method in self.plan.methods if method in TABLE_2]
        rows = {method: self.of(self.plan.as_in_paper(method)) for method in of_paper}
        return [
            {"method": method, "samples": TABLE_2[method].samples}
            | spreads(own, ("steps",))
            | forgetting(own)
            for method, own in rows.items()
            if own
        ]


def summarise(plan: Plan, ledger: Ledger) -> Figures:
    """Return all figures of a plan, from what the ledger has."""
    found = Findings(plan, ledger)
    both = list(product(found.here, plan.methods))
    curves = [row for one in both for row in found.curve(*one)]
    few = [name for name in found.here if not plan.is_searched(name)]
    return {
        "plan": plan.to_json(),
        "reading_nothing": found.nothing(),
        "beyond": [row for row in curves if row["encoder"] in few and row["samples"] > REPORTED],
        "missing_encoders": [name for name in plan.encoders if name not in found.here],
        "cross_encoder": found.cross_encoder(),
        "probes": [found.probe(name) for name in found.here],
        "methods": [found.method(*one) for one in both],
        "paper_settings": found.paper_settings(),
        "nli": found.finished.get("nli"),
        "new_label": found.finished.get("new_label", []),
        "ablations": found.finished.get("ablations", []),
        "accuracy_by_samples": curves,
    }
