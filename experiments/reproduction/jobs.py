"""The single measurements of a study: a key that names each fully, and a way to compute it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass

from experiments.reproduction.experiments import Cell, new_label_outcome, probe_untouched, run_cell
from experiments.reproduction.keys import (
    Names,
    ablation_cell,
    ablation_cells,
    beyond_cells,
    cell_key,
    cross_encoder_key,
    new_label_cells,
    new_label_key,
    nli_baseline_key,
    nli_cells,
    nli_key,
    probe_cell,
    probe_key,
    unnamed_cells,
    without_cells,
)
from experiments.reproduction.ledger import Key
from experiments.reproduction.nli.measuring import answers_without_premise, measure
from experiments.reproduction.plan import FORGETTING_ABLATIONS, NEW_LABEL_SIZES, NLI_ARMS, Plan
from experiments.reproduction.resources import Resources
from symdemo.data.relations import pairs_of_facts, part_of_facts
from symdemo.errors import InputError
from symdemo.evaluation.forgetting import drift
from symdemo.evaluation.nli import (
    NLI_CROSS_ENCODER,
    load_cross_encoder,
    nli_verdicts,
)
from symdemo.evaluation.results import VERSIONS
from symdemo.evaluation.scores import score
from symdemo.evaluation.sentences.sts import sts_spearman


@dataclass(frozen=True)
class Job:
    """A measurement: the key that names it, how it is made, and what to call it meanwhile.

    Jobs of one `group` share what is costly to make first, so one process should have them all.
    """

    key: Key
    compute: Callable[[Resources], dict]
    title: str = ""
    group: str = ""


def jobs(plan: Plan, names: Names) -> list[Job]:
    """All jobs of a plan, each once, the most telling first.

    To know them takes what keys are made of; to run them takes the resources.
    """
    found: dict[str, Job] = {}
    for job in _planned(plan, names):
        found.setdefault(_name(job.key), job)
    # what is measured with forgetting is not measured without it once more
    return [
        job
        for job in found.values()
        if job.key.get("forgetting") is not False
        or _name(job.key | {"forgetting": True}) not in found
    ]


def share_of(jobs: Sequence[Job], place: int, shares: int) -> list[Job]:
    """The jobs of one of several processes; `place` counts from 1. Groups stay together."""
    units: dict[str, int] = {}
    places = [units.setdefault(job.group or _name(job.key), len(units)) for job in jobs]
    return [job for job, unit in zip(jobs, places, strict=True) if unit % shares == place - 1]


def _name(key: Key) -> str:
    return json.dumps(key, sort_keys=True)


def _planned(plan: Plan, names: Names) -> Iterator[Job]:
    if plan.cross_encoder and names.cross_encoder is not None:
        yield cross_encoder_job(names)
    here = [name for name in plan.encoders if names.encoder(name) is not None]
    full = [name for name in here if plan.is_full(name)]
    for name in full:
        yield from reported_jobs(plan, names, name)
    for name in full:
        yield from search_jobs(plan, names, name)
    if plan.encoders[0] in here:
        yield from first_encoder_jobs(plan, names)
    for name in here:
        if name not in full:
            yield from reported_jobs(plan, names, name)
    for cell in beyond_cells(plan):
        if cell.encoder in here:
            yield cell_job(names, cell)


def reported_jobs(plan: Plan, names: Names, name: str) -> Iterator[Job]:
    """The untouched encoder, and each method at its reported size."""
    for seed in plan.seeds_of(name):
        yield probe_job(names, name, seed)
    for method in plan.methods:
        for seed in plan.seeds_of(name):
            cell = plan.cell(name, method, plan.reported[method], seed)
            yield cell_job(names, cell, forgetting=True)


def search_jobs(plan: Plan, names: Names, name: str) -> Iterator[Job]:
    """Each method at all sizes, whatever comes out at the smaller ones."""
    for method in plan.methods if plan.search else ():
        for size in plan.sizes:
            for seed in plan.search_seeds:
                yield cell_job(names, plan.cell(name, method, size, seed))


def first_encoder_jobs(plan: Plan, names: Names) -> Iterator[Job]:
    """What is measured on one encoder alone: variants of its methods, NLI, a third label."""
    for method in plan.methods:
        for cell in unnamed_cells(plan, method):
            yield cell_job(names, cell)
    for name in filter(plan.is_full, plan.encoders):
        for cell in without_cells(plan, name) if names.encoder(name) is not None else ():
            yield cell_job(names, cell, forgetting=True)
    if plan.nli_seeds:
        yield nli_baseline_job(names, plan.encoders[0])
    for method in plan.methods:
        for cell in nli_cells(plan, method, *NLI_ARMS):
            yield nli_job(names, cell)
    for cell in new_label_cells(plan):
        yield new_label_job(names, cell)
    for seed in plan.ablation_seeds:
        yield cell_job(names, ablation_cell(plan, seed, {}), forgetting=True)
    for cell in ablation_cells(plan):
        yield cell_job(names, cell, not FORGETTING_ABLATIONS.isdisjoint(cell.changes))


def cell_job(names: Names, cell: Cell, forgetting: bool = False) -> Job:
    """Teach, test, and with `forgetting` also measure what was lost."""

    def compute(resources: Resources) -> dict:
        encoder = resources.loaded(cell.encoder)
        result, model = run_cell(cell, encoder)
        figures = result.to_json()
        if forgetting:
            figures |= asdict(drift(model.encoder, encoder))
            if resources.sts:
                before, after = (
                    resources.sts_before(cell.encoder),
                    sts_spearman(model.encoder, resources.sts),
                )
                figures |= {"sts_before": before, "sts_after": after}
        return figures

    title = f"{cell.encoder}, {cell.method}, {cell.samples} samples, seed {cell.seed}"
    title += "" if cell.names else ", without the bank's names"
    return Job(cell_key(names, cell, forgetting), compute, title + _changes(cell))


def _changes(cell: Cell) -> str:
    return "".join(f", {name} {value}" for name, value in cell.changes.items())


def probe_job(names: Names, name: str, seed: int) -> Job:
    """The untouched encoder, probed."""
    cell = probe_cell(name, seed)

    def compute(resources: Resources) -> dict:
        return probe_untouched(cell, resources.loaded(name)).to_json()

    return Job(probe_key(names, cell), compute, f"{name}, untouched, seed {seed}")


def cross_encoder_job(names: Names) -> Job:
    """The NLI cross-encoder by its own labels, which nothing was taught."""

    def compute(resources: Resources) -> dict:
        model, asked = resources.cross_encoder or load_cross_encoder(), part_of_facts("measuring")
        versions = {name: pairs_of_facts(asked, name == VERSIONS[1]) for name in VERSIONS}
        return {
            name: score(pairs, nli_verdicts(model, pairs)).accuracy
            for name, pairs in versions.items()
        }

    return Job(cross_encoder_key(names), compute, NLI_CROSS_ENCODER)


def new_label_job(names: Names, cell: Cell) -> Job:
    """Section 2.3: a third label taught to a trained model by neighbours alone."""

    def compute(resources: Resources) -> dict:
        _, model = run_cell(cell, resources.loaded(cell.encoder))
        sizes = {str(n): new_label_outcome(model, n, cell.seed) for n in NEW_LABEL_SIZES}
        return {"sizes": sizes}

    title = f"{cell.encoder}, a third label, seed {cell.seed}"
    return Job(new_label_key(names, cell), compute, title)


def nli_job(names: Names, cell: Cell) -> Job:
    """NLI before and after retraining on relations, and how right the model is on those."""

    def compute(resources: Resources) -> dict:
        try:
            rows = resources.nli
        except InputError as error:
            return {"missing": str(error)}
        return measure(cell, resources.nli_start(cell.encoder, cell.method, cell.seed), rows)

    start = f"{cell.encoder}, {cell.method}, NLI start {cell.seed}"
    return Job(nli_key(names, cell), compute, start + _changes(cell), start)


def nli_baseline_job(names: Names, encoder: str) -> Job:
    """What answers to NLI get that read no premise."""

    def compute(resources: Resources) -> dict:
        try:
            return answers_without_premise(resources.nli)
        except InputError as error:
            return {"missing": str(error)}

    return Job(nli_baseline_key(names, encoder), compute, "NLI without premises")
