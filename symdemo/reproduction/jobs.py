"""The single measurements of a study: a key that names each fully, and a way to compute it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from symdemo.errors import InputError
from symdemo.evaluation.forgetting import drift, sts_spearman
from symdemo.evaluation.nli import CONFIG, nli_accuracy
from symdemo.evaluation.nli_probe import (
    NLI_CROSS_ENCODER,
    cross_encoder_accuracy,
)
from symdemo.reproduction.bench import Bench
from symdemo.reproduction.experiments import (
    Cell,
    config_of,
    new_label_outcome,
    probe_untouched,
    run_cell,
)
from symdemo.reproduction.ledger import Ledger
from symdemo.reproduction.plan import (
    ABLATIONS,
    FORGETTING_ABLATIONS,
    NEW_LABEL_SIZES,
    NLI_ARMS,
    RETENTION_RIVALS,
    Plan,
)
from symdemo.training.methods import KNN

Key = dict[str, Any]


@dataclass(frozen=True)
class Job:
    """A measurement: the key that names it, how it is made, and what to call it while it runs."""

    key: Key
    compute: Callable[[], dict]
    title: str = ""


def jobs(plan: Plan, ledger: Ledger, bench: Bench) -> Iterator[Job]:
    """All jobs of a plan, in order; what comes next may depend on results already in the ledger."""
    if plan.cross_encoder and bench.cross_encoder is not None:
        yield cross_encoder_job(bench)
    for name in plan.encoders:
        if bench.encoder(name) is None:
            continue
        for seed in plan.seeds_of(name):
            yield probe_job(bench, name, seed)
        yield from reported_jobs(plan, bench, name)
        if plan.search and plan.is_full(name):
            yield from search_jobs(plan, ledger, bench, name)
    first = plan.encoders[0]
    if bench.encoder(first) is not None:
        for seed in plan.new_label_seeds:
            yield new_label_job(bench, first, plan.reported[KNN.name], seed)
        for method in plan.methods:
            for cell in nli_cells(plan, method, *NLI_ARMS):
                yield nli_job(plan, bench, cell)
        for seed in plan.ablation_seeds:
            yield cell_job(bench, ablation_cell(plan, seed, {}), forgetting=True)
        for cell in ablation_cells(plan):
            about_forgetting = not FORGETTING_ABLATIONS.isdisjoint(cell.changes)
            if cell_result(bench, ledger, cell) is None:
                yield cell_job(bench, cell, about_forgetting)


def reported_jobs(plan: Plan, bench: Bench, name: str) -> Iterator[Job]:
    """Each method at its reported size, with the retention term and without it."""
    for method in plan.methods:
        for seed in plan.seeds_of(name):
            cell = Cell(name, method, plan.reported[method], seed)
            yield cell_job(bench, cell, forgetting=True)
            if seed in plan.without_seeds and plan.is_full(name):
                without = replace(cell, changes={"retention": 0.0})
                yield cell_job(bench, without, forgetting=True)


def cell_key(bench: Bench, cell: Cell, forgetting: bool) -> Key:
    """Everything a cell's figures depend on, so that equal work is done once.

    Hyperparameters stand here by value: two cells that name them differently are the same.
    """
    encoder = bench.encoder(cell.encoder)
    return {
        "part": "cell",
        "forgetting": forgetting,
        "encoder": cell.encoder,
        "method": cell.method,
        "samples": cell.samples,
        "seed": cell.seed,
        "config": config_of(cell, encoder).values(),
        "base": encoder.base_hash[:16],
        "facts": bench.facts_hash,
    }


def cell_job(bench: Bench, cell: Cell, forgetting: bool = False) -> Job:
    """Teach, test, and with `forgetting` also measure what was lost."""

    def compute() -> dict:
        encoder = bench.encoder(cell.encoder)
        result, model = run_cell(cell, encoder)
        figures = result.to_json()
        if forgetting:
            figures |= asdict(drift(model.encoder, encoder))
            if bench.sts:
                before, after = (
                    bench.sts_before(cell.encoder),
                    sts_spearman(model.encoder, bench.sts),
                )
                figures |= {"sts_before": before, "sts_after": after}
        return figures

    changes = "".join(f", {name} {value}" for name, value in cell.changes.items())
    title = f"{cell.encoder}, {cell.method}, {cell.samples} samples, seed {cell.seed}{changes}"
    return Job(cell_key(bench, cell, forgetting), compute, title)


def cell_result(bench: Bench, ledger: Ledger, cell: Cell) -> dict | None:
    """A cell's result, measured with or without forgetting."""
    with_forgetting = ledger.get(cell_key(bench, cell, True))
    return with_forgetting or ledger.get(cell_key(bench, cell, False))


def search_jobs(plan: Plan, ledger: Ledger, bench: Bench, name: str) -> Iterator[Job]:
    """For each method and seed, ascending sizes up to the first without a single error."""
    for method in plan.methods:
        for seed in plan.seeds:
            for size in plan.sizes:
                cell = Cell(name, method, size, seed)
                if cell_result(bench, ledger, cell) is None:
                    yield cell_job(bench, cell)
                figures = cell_result(bench, ledger, cell)
                if figures and figures["lexicalized"] == figures["delexicalized"] == 1.0:
                    break


def probe_job(bench: Bench, name: str, seed: int) -> Job:
    """The untouched encoder by 1-NN (section 3.1), taught 48 samples without training."""
    cell = Cell(name, KNN.name, 48, seed)

    def compute() -> dict:
        return probe_untouched(cell, bench.encoder(name)).to_json()

    key = {"part": "probe", "encoder": name, "seed": seed, "facts": bench.facts_hash}
    return Job(key, compute, f"{name}, untouched, seed {seed}")


def cross_encoder_job(bench: Bench) -> Job:
    """The NLI cross-encoder by its own labels, which nothing was taught."""
    key = {"part": "cross-encoder", "model": NLI_CROSS_ENCODER, "facts": bench.facts_hash}
    return Job(key, lambda: cross_encoder_accuracy(bench.cross_encoder), NLI_CROSS_ENCODER)


def ablation_cell(plan: Plan, seed: int, changes: Key) -> Cell:
    """The k-NN method on the first encoder with the settings that are usual."""
    return Cell(plan.encoders[0], KNN.name, plan.reported[KNN.name], seed, "usual", changes)


def ablation_cells(plan: Plan) -> Iterator[Cell]:
    """One hyperparameter changed at a time."""
    for seed in plan.ablation_seeds:
        for hyperparameter, values in ABLATIONS:
            for value in values:
                changes = {hyperparameter: value}
                if hyperparameter in RETENTION_RIVALS:
                    changes["retention"] = 0.0
                yield ablation_cell(plan, seed, changes)


def new_label_job(bench: Bench, name: str, samples: int, seed: int) -> Job:
    """Section 2.3: a third label taught to a trained model by neighbours alone."""
    cell = Cell(name, KNN.name, samples, seed)

    def compute() -> dict:
        _, model = run_cell(cell, bench.encoder(name))
        return {"sizes": {str(n): new_label_outcome(model, n, seed) for n in NEW_LABEL_SIZES}}

    key = cell_key(bench, cell, False) | {"part": "new label"}
    return Job(key, compute, f"{name}, a third label, seed {seed}")


def nli_cells(plan: Plan, method: str, *arms: str) -> Iterator[Cell]:
    """A method at its reported size on the first encoder, once it has learnt NLI."""
    samples = plan.reported[method]
    for arm in arms:
        for seed in plan.nli_seeds if arm == "with" else plan.nli_seeds[:1]:
            yield Cell(plan.encoders[0], method, samples, seed, changes=NLI_ARMS[arm])


def nli_job(plan: Plan, bench: Bench, cell: Cell) -> Job:
    """NLI accuracy before and after retraining on relations, and how right it is on those."""

    def compute() -> dict:
        try:
            data = bench.nli(*plan.nli_pairs)
        except InputError as error:
            return {"missing": str(error)}
        knows_nli = bench.nli_model(cell.encoder, cell.method, *plan.nli_pairs)
        result, model = run_cell(cell, knows_nli)
        return {
            "before": bench.nli_before(cell.encoder, cell.method, *plan.nli_pairs),
            "after": nli_accuracy(knows_nli.with_encoder(model.encoder), data.test),
            "lexicalized": result.lexicalized,
            "delexicalized": result.delexicalized,
            "pairs": [len(data.train), len(data.test)],
            "source": data.source,
        }

    key = cell_key(bench, cell, False) | {
        "part": "nli",
        "nli": list(plan.nli_pairs),
        "learnt with": CONFIG.values(),
    }
    changes = "".join(f", {name} {value}" for name, value in cell.changes.items())
    title = f"{cell.encoder}, {cell.method}, forgetting on NLI, seed {cell.seed}{changes}"
    return Job(key, compute, title)
