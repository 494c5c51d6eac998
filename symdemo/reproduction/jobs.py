"""The single measurements of a study: a key that names each fully, and a way to compute it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace

from symdemo.errors import InputError
from symdemo.evaluation.forgetting import drift
from symdemo.evaluation.nli import nli_accuracy
from symdemo.evaluation.nli_probe import (
    NLI_CROSS_ENCODER,
    cross_encoder_accuracy,
    load_cross_encoder,
)
from symdemo.evaluation.sentences.sts import sts_spearman
from symdemo.reproduction.experiments import Cell, new_label_outcome, probe_untouched, run_cell
from symdemo.reproduction.keys import (
    Names,
    ablation_cell,
    ablation_cells,
    cell_key,
    cell_result,
    cross_encoder_key,
    new_label_cells,
    new_label_key,
    nli_cells,
    nli_key,
    probe_cell,
    probe_key,
)
from symdemo.reproduction.ledger import Key, Ledger
from symdemo.reproduction.plan import FORGETTING_ABLATIONS, NEW_LABEL_SIZES, NLI_ARMS, Plan
from symdemo.reproduction.resources import Resources


@dataclass(frozen=True)
class Job:
    """A measurement: the key that names it, how it is made, and what to call it meanwhile."""

    key: Key
    compute: Callable[[Resources], dict]
    title: str = ""


def jobs(plan: Plan, ledger: Ledger, names: Names) -> Iterator[Job]:
    """All jobs of a plan, in order; what comes next may depend on results already in the ledger.

    To know them takes what keys are made of; to run them takes the resources.
    """
    if plan.cross_encoder and names.cross_encoder is not None:
        yield cross_encoder_job(names)
    for name in plan.encoders:
        if names.encoder(name) is None:
            continue
        for seed in plan.seeds_of(name):
            yield probe_job(names, name, seed)
        yield from reported_jobs(plan, names, name)
        if plan.search and plan.is_full(name):
            yield from search_jobs(plan, ledger, names, name)
    if names.encoder(plan.encoders[0]) is not None:
        for cell in new_label_cells(plan):
            yield new_label_job(names, cell)
        for method in plan.methods:
            for cell in nli_cells(plan, method, *NLI_ARMS):
                yield nli_job(plan, names, cell)
        for seed in plan.ablation_seeds:
            yield cell_job(names, ablation_cell(plan, seed, {}), forgetting=True)
        for cell in ablation_cells(plan):
            about_forgetting = not FORGETTING_ABLATIONS.isdisjoint(cell.changes)
            if cell_result(names, ledger, cell) is None:
                yield cell_job(names, cell, about_forgetting)


def reported_jobs(plan: Plan, names: Names, name: str) -> Iterator[Job]:
    """Each method at its reported size, with the retention term and without it."""
    for method in plan.methods:
        for seed in plan.seeds_of(name):
            cell = Cell(name, method, plan.reported[method], seed)
            yield cell_job(names, cell, forgetting=True)
            if seed in plan.without_seeds and plan.is_full(name):
                without = replace(cell, changes={"retention": 0.0})
                yield cell_job(names, without, forgetting=True)


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
    return Job(cell_key(names, cell, forgetting), compute, title + _changes(cell))


def _changes(cell: Cell) -> str:
    return "".join(f", {name} {value}" for name, value in cell.changes.items())


def search_jobs(plan: Plan, ledger: Ledger, names: Names, name: str) -> Iterator[Job]:
    """For each method and seed, ascending sizes up to the first without a single error."""
    for method in plan.methods:
        for seed in plan.seeds:
            for size in plan.sizes:
                cell = Cell(name, method, size, seed)
                if cell_result(names, ledger, cell) is None:
                    yield cell_job(names, cell)
                figures = cell_result(names, ledger, cell)
                if figures and figures["lexicalized"] == figures["delexicalized"] == 1.0:
                    break


def probe_job(names: Names, name: str, seed: int) -> Job:
    """The untouched encoder, probed."""
    cell = probe_cell(name, seed)

    def compute(resources: Resources) -> dict:
        return probe_untouched(cell, resources.loaded(name)).to_json()

    return Job(probe_key(names, cell), compute, f"{name}, untouched, seed {seed}")


def cross_encoder_job(names: Names) -> Job:
    """The NLI cross-encoder by its own labels, which nothing was taught."""

    def compute(resources: Resources) -> dict:
        return cross_encoder_accuracy(resources.cross_encoder or load_cross_encoder())

    return Job(cross_encoder_key(names), compute, NLI_CROSS_ENCODER)


def new_label_job(names: Names, cell: Cell) -> Job:
    """Section 2.3: a third label taught to a trained model by neighbours alone."""

    def compute(resources: Resources) -> dict:
        _, model = run_cell(cell, resources.loaded(cell.encoder))
        sizes = {str(n): new_label_outcome(model, n, cell.seed) for n in NEW_LABEL_SIZES}
        return {"sizes": sizes}

    title = f"{cell.encoder}, a third label, seed {cell.seed}"
    return Job(new_label_key(names, cell), compute, title)


def nli_job(plan: Plan, names: Names, cell: Cell) -> Job:
    """NLI accuracy before and after retraining on relations, and how right it is on those."""

    def compute(resources: Resources) -> dict:
        try:
            data = resources.nli(*plan.nli_pairs)
        except InputError as error:
            return {"missing": str(error)}
        knows_nli = resources.nli_model(cell.encoder, cell.method, *plan.nli_pairs)
        result, model = run_cell(cell, knows_nli)
        return {
            "before": resources.nli_before(cell.encoder, cell.method, *plan.nli_pairs),
            "after": nli_accuracy(knows_nli.with_encoder(model.encoder), data.test),
            "lexicalized": result.lexicalized,
            "delexicalized": result.delexicalized,
            "pairs": [len(data.train), len(data.test)],
            "source": data.source,
        }

    title = f"{cell.encoder}, {cell.method}, forgetting on NLI, seed {cell.seed}{_changes(cell)}"
    return Job(nli_key(names, plan, cell), compute, title)
