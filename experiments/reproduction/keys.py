"""The names of measurements: a key holds all that a measurement's figures depend on.

So equal work is done once, and what was measured is found again without an encoder at hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from experiments.reproduction.experiments import Cell, KnownEncoder, config_of
from experiments.reproduction.ledger import Key, Ledger
from experiments.reproduction.plan import ABLATIONS, NLI_ARMS, NLI_START, RETENTION_RIVALS, Plan
from symdemo.data.relations import facts_hash
from symdemo.errors import ModelError
from symdemo.evaluation.nli import NLI_CROSS_ENCODER
from symdemo.training.config import SMALL_DIMENSION
from symdemo.training.methods import KNN


class Names(Protocol):
    """What keys are made of; a `Resources` has it, and a ledger (`Recorded`)."""

    @property
    def facts_hash(self) -> str:
        """Of all facts and how they are dealt."""

    @property
    def cross_encoder(self) -> object | None:
        """The NLI model, or whatever stands for it; None where it is not here."""

    def encoder(self, name: str) -> KnownEncoder | None:
        """What is known of an encoder; None where it is not here."""


@dataclass(frozen=True, slots=True)
class RecordedEncoder:
    """What the keys of a ledger say of an encoder; nothing is in the ledger under an empty hash."""

    dimension: int = SMALL_DIMENSION
    base_hash: str = ""


class Recorded:
    """What the keys of a ledger say of encoders, in the place of a `Resources`.

    Measurements on other facts, or on facts that were dealt otherwise, are not looked at. Where
    weights have changed since, those that were measured last count.

    Attributes:
        ledger: the ledger.
        facts_hash: of today's facts.
        encoders: those with measurements, by name.
        cross_encoder: whether the NLI model was measured; None where not.
    """

    def __init__(self, ledger: Ledger):
        self.ledger, self.facts_hash, self.cross_encoder = ledger, facts_hash(), None
        self.encoders: dict[str, RecordedEncoder] = {}
        for key in self.keys:
            if key["part"] == "cross-encoder":
                self.cross_encoder = True
            elif "config" in key:
                self.encoders[key["encoder"]] = RecordedEncoder(key["dimension"], key["base"])
            elif "encoder" in key:
                self.encoders.setdefault(key["encoder"], RecordedEncoder())

    @property
    def keys(self) -> list[Key]:
        """The keys of the measurements on today's facts."""
        return [key for key in self.ledger if key.get("facts") == self.facts_hash]

    def encoder(self, name: str) -> RecordedEncoder:
        """What is known of an encoder, be it nothing."""
        return self.encoders.get(name, RecordedEncoder())

    def result(self, cell: Cell) -> dict | None:
        """What came out of a cell, or None where it was not measured."""
        return cell_result(self, self.ledger, cell)


def cell_key(names: Names, cell: Cell, forgetting: bool) -> Key:
    """The key of a cell, with or without a measurement of what was forgotten.

    Hyperparameters stand here by value: two cells that name them differently are the same.
    """
    if (encoder := names.encoder(cell.encoder)) is None:
        raise ModelError(f"The encoder {cell.encoder} cannot be loaded here.")
    return {
        "part": "cell",
        "forgetting": forgetting,
        "encoder": cell.encoder,
        "method": cell.method,
        "samples": cell.samples,
        "seed": cell.seed,
        "asked": cell.part,
        "dimension": encoder.dimension,
        "config": config_of(cell, encoder).values(),
        "base": encoder.base_hash[:16],
        "facts": names.facts_hash,
    }


def cell_result(names: Names, ledger: Ledger, cell: Cell) -> dict | None:
    """A cell's result, measured with or without forgetting."""
    with_forgetting = ledger.get(cell_key(names, cell, True))
    return with_forgetting or ledger.get(cell_key(names, cell, False))


def probe_key(names: Names, cell: Cell) -> Key:
    """The key of a probe of the untouched encoder."""
    known = {"encoder": cell.encoder, "seed": cell.seed, "facts": names.facts_hash}
    return {"part": "probe"} | known


def cross_encoder_key(names: Names) -> Key:
    """The key of the NLI cross-encoder's probe."""
    return {"part": "cross-encoder", "model": NLI_CROSS_ENCODER, "facts": names.facts_hash}


def new_label_key(names: Names, cell: Cell) -> Key:
    """The key of a third label, taught to what a cell gives."""
    return cell_key(names, cell, False) | {"part": "new label"}


def nli_key(names: Names, cell: Cell) -> Key:
    """The key of forgetting on NLI, by what a cell teaches a start that has the cell's seed."""
    learnt = {"nli": "all rows", "learnt with": NLI_START.values()}
    return cell_key(names, cell, False) | {"part": "nli"} | learnt


def nli_baseline_key(names: Names, encoder: str) -> Key:
    """The key of answers to NLI that read no premise; they stand beside those of an encoder."""
    return {"part": "nli baseline", "encoder": encoder, "facts": names.facts_hash}


def probe_cell(name: str, seed: int) -> Cell:
    """The untouched encoder by 1-NN (section 3.1), taught 48 samples without training."""
    return Cell(name, KNN.name, 48, seed)


def new_label_cells(plan: Plan) -> Iterator[Cell]:
    """What a third label is taught to (section 2.3)."""
    for seed in plan.new_label_seeds:
        yield plan.cell(plan.encoders[0], KNN.name, plan.reported[KNN.name], seed)


def nli_cells(plan: Plan, method: str, *arms: str) -> Iterator[Cell]:
    """A method at its reported size on the first encoder that has learnt NLI, start by start."""
    samples = plan.reported[method]
    for seed in plan.nli_seeds:
        for arm in arms if seed == plan.nli_seeds[0] else (a for a in arms if a != "without"):
            yield plan.cell(plan.encoders[0], method, samples, seed, changes=NLI_ARMS[arm])


def without_cells(plan: Plan, name: str) -> Iterator[Cell]:
    """Each method at its reported size without the retention term."""
    for method in plan.methods:
        for seed in plan.without_seeds:
            if seed in plan.seeds_of(name):
                changes = {"retention": 0.0}
                yield plan.cell(name, method, plan.reported[method], seed, changes=changes)


def unnamed_cells(plan: Plan, method: str) -> Iterator[Cell]:
    """A method on the first encoder without the bank's names in recombination."""
    searched = plan.search and method in plan.unnamed_methods
    for size in plan.sizes if searched else (plan.reported[method],):
        for seed in plan.unnamed_seeds:
            yield plan.cell(plan.encoders[0], method, size, seed, names=False)


def beyond_cells(plan: Plan) -> Iterator[Cell]:
    """What is measured beside all else, on the encoders of the plan."""
    for encoder, method, size in plan.beyond:
        if encoder in plan.encoders and method in plan.methods:
            yield plan.cell(encoder, method, size, 0)


def ablation_cell(plan: Plan, seed: int, changes: dict[str, Any]) -> Cell:
    """The k-NN method on the first encoder with the settings that are usual."""
    samples = plan.reported[KNN.name]
    return Cell(plan.encoders[0], KNN.name, samples, seed, "usual", changes, names=False)


def ablation_cells(plan: Plan) -> Iterator[Cell]:
    """One hyperparameter changed at a time."""
    for seed in plan.ablation_seeds:
        for hyperparameter, values in ABLATIONS:
            for value in values:
                changes = {hyperparameter: value}
                if hyperparameter in RETENTION_RIVALS:
                    changes["retention"] = 0.0
                yield ablation_cell(plan, seed, changes)
