"""The single measurements of a study: a key that names each fully, and a way to compute it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace

from symdemo.errors import InputError
from symdemo.evaluation.forgetting import drift, sts_spearman
from symdemo.evaluation.nli import nli_accuracy
from symdemo.evaluation.nli_probe import NLI_CROSS_ENCODER, cross_encoder_accuracy
from symdemo.reproduction.experiments import Cell, new_label_outcome, probe_untouched, run_cell
from symdemo.reproduction.keys import (
    Recorded,
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
    """A measurement: the key that names it, how it is made, and what to call it while it runs."""

    key: Key
    compute: Callable[[], dict]
    title: str = ""


def jobs(plan: Plan, ledger: Ledger, resources: Resources | Recorded) -> Iterator[Job]:
    """All jobs of a plan, in order; what comes next may depend on results already in the ledger.

    With what the ledger recorded in place of resources, jobs have keys but cannot be run.
    """
    if plan.cross_encoder and resources.cross_encoder is not None:
        yield cross_encoder_job(resources)
    for name in plan.encoders:
        if resources.encoder(name) is None:
            continue
        for seed in plan.seeds_of(name):
            yield probe_job(resources, name, seed)
        yield from reported_jobs(plan, resources, name)
        if plan.search and plan.is_full(name):
            yield from search_jobs(plan, ledger, resources, name)
    if resources.encoder(plan.encoders[0]) is not None:
        for cell in new_label_cells(plan):
            yield new_label_job(resources, cell)
        for method in plan.methods:
            for cell in nli_cells(plan, method, *NLI_ARMS):
                yield nli_job(plan, resources, cell)
        for seed in plan.ablation_seeds:
            yield cell_job(resources, ablation_cell(plan, seed, {}), forgetting=True)
        for cell in ablation_cells(plan):
            about_forgetting = not FORGETTING_ABLATIONS.isdisjoint(cell.changes)
            if cell_result(resources, ledger, cell) is None:
                yield cell_job(resources, cell, about_forgetting)


def reported_jobs(plan: Plan, resources: Resources, name: str) -> Iterator[Job]:
    """Each method at its reported size, with the retention term and without it."""
    for method in plan.methods:
        for seed in plan.seeds_of(name):
            cell = Cell(name, method, plan.reported[method], seed)
            yield cell_job(resources, cell, forgetting=True)
            if seed in plan.without_seeds and plan.is_full(name):
                without = replace(cell, changes={"retention": 0.0})
                yield cell_job(resources, without, forgetting=True)


def cell_job(resources: Resources, cell: Cell, forgetting: bool = False) -> Job:
    """Teach, test, and with `forgetting` also measure what was lost."""

    def compute() -> dict:
        encoder = resources.encoder(cell.encoder)
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
    return Job(cell_key(resources, cell, forgetting), compute, title + _changes(cell))


def _changes(cell: Cell) -> str:
    return "".join(f", {name} {value}" for name, value in cell.changes.items())


def search_jobs(plan: Plan, ledger: Ledger, resources: Resources, name: str) -> Iterator[Job]:
    """For each method and seed, ascending sizes up to the first without a single error."""
    for method in plan.methods:
        for seed in plan.seeds:
            for size in plan.sizes:
                cell = Cell(name, method, size, seed)
                if cell_result(resources, ledger, cell) is None:
                    yield cell_job(resources, cell)
                figures = cell_result(resources, ledger, cell)
                if figures and figures["lexicalized"] == figures["delexicalized"] == 1.0:
                    break


def probe_job(resources: Resources, name: str, seed: int) -> Job:
    """The untouched encoder, probed."""
    cell = probe_cell(name, seed)

    def compute() -> dict:
        return probe_untouched(cell, resources.encoder(name)).to_json()

    return Job(probe_key(resources, cell), compute, f"{name}, untouched, seed {seed}")


def cross_encoder_job(resources: Resources) -> Job:
    """The NLI cross-encoder by its own labels, which nothing was taught."""

    def compute() -> dict:
        return cross_encoder_accuracy(resources.cross_encoder)

    return Job(cross_encoder_key(resources), compute, NLI_CROSS_ENCODER)


def new_label_job(resources: Resources, cell: Cell) -> Job:
    """Section 2.3: a third label taught to a trained model by neighbours alone."""

    def compute() -> dict:
        _, model = run_cell(cell, resources.encoder(cell.encoder))
        sizes = {str(n): new_label_outcome(model, n, cell.seed) for n in NEW_LABEL_SIZES}
        return {"sizes": sizes}

    title = f"{cell.encoder}, a third label, seed {cell.seed}"
    return Job(new_label_key(resources, cell), compute, title)


def nli_job(plan: Plan, resources: Resources, cell: Cell) -> Job:
    """NLI accuracy before and after retraining on relations, and how right it is on those."""

    def compute() -> dict:
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
    return Job(nli_key(resources, plan, cell), compute, title)
