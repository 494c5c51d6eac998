"""`symdemo reproduce`: the paper's tables. An encoder that cannot be loaded is named as missing."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments import make_tables
from experiments.paper import (
    PARTS,
    QUICK,
    Bases,
    Plan,
    Training,
    bases_of,
    cells,
    probe_untouched,
    train,
)
from experiments.paper_report import summarise
from experiments.runner import Ledger, Report, Result
from experiments.scoring import sts_change
from symdemo.data.relations import pairs_of_facts, part_of_facts
from symdemo.encoders import Encoder, find_spec, load_encoder
from symdemo.encoders.decoders.loading import find_decoder
from symdemo.errors import InputError, ModelError
from symdemo.evaluation.forgetting import drift
from symdemo.evaluation.nli import NLI_CROSS_ENCODER, load_cross_encoder, nli_verdicts
from symdemo.evaluation.results import VERSIONS, PaperReport
from symdemo.evaluation.scores import score
from symdemo.training.methods import check_method

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

LEDGER = "measurements.jsonl"
OPTIONS = ("quick", "no_search", "encoders", "methods", "seeds", "other_seeds")
"""Those that decide what is measured."""


@cache
def find_encoder(name: str) -> Encoder | None:
    """Return an encoder, or None if it cannot be loaded here."""
    try:
        return load_encoder(name)
    except ModelError:
        return None


@cache
def find_cross_encoder() -> CrossEncoder | None:
    """Return the NLI model of Table 2, or None if it cannot be loaded here."""
    try:
        return load_cross_encoder()
    except ModelError:
        return None


def bases_here(plan: Plan) -> Bases:
    """Map each model of a plan that loads here to its weights' hash; "" for the NLI model."""
    found = {name: find_encoder(name) for name in plan.encoders}
    bases = {name: own.base_hash[:16] for name, own in found.items() if own}
    if "cross-encoder" in plan.parts and find_cross_encoder() is not None:
        bases[NLI_CROSS_ENCODER] = ""
    return bases


def measure(cell: Mapping[str, Any]) -> Result:
    """Return the result of a cell."""
    if cell["measure"] == "cross-encoder":
        reader, facts = find_cross_encoder(), part_of_facts("measuring")
        assert reader  # else it is not planned
        asked = {name: pairs_of_facts(facts, name == VERSIONS[1]) for name in VERSIONS}
        return {v: score(own, nli_verdicts(reader, own)).accuracy for v, own in asked.items()}
    training = Training(**{own.name: cell[own.name] for own in fields(Training)})
    encoder = find_encoder(training.encoder)
    assert encoder  # else it is not planned
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
