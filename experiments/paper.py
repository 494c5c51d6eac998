"""The trainings of `symdemo reproduce`: teach a few pairs, test on entity pairs held out.

A hash of their entities deals facts into a part to choose hyperparameters on and a part to measure
on. Within a part the seed decides which facts are taught and which are tested; no entity is on
both sides.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from itertools import product
from statistics import fmean
from typing import Any

import pandas as pd

from experiments.runner import Ledger, finished_study, name_of
from symdemo.classifier import SymmetryClassifier
from symdemo.data.relations import (
    Fact,
    FactPart,
    pairs_of_facts,
    part_of_facts,
    sample_balanced,
    taught_and_tested,
)
from symdemo.encoders import DEFAULT_ENCODER, Encoder
from symdemo.evaluation.nli import NLI_CROSS_ENCODER
from symdemo.evaluation.papers import TABLE_2
from symdemo.evaluation.results import VERSIONS
from symdemo.evaluation.scores import evaluate
from symdemo.pairs import CONTRADICTION, ENTAILMENT, Pair, hash_pairs, labels_of
from symdemo.training.config import Entities, TrainingConfig, defaults
from symdemo.training.methods import KNN, PAPER_METHODS, RANDOM_LABEL_EMBEDDINGS

VERDICTS = (ENTAILMENT, CONTRADICTION)


@dataclass(frozen=True)
class Training:
    """A training on `samples` relation-balanced pairs with names.

    With `names`, recombination draws names of the relation bank beside the taught entities, none
    of them an entity of a fact. `changes` replace hyperparameters of the named set.
    """

    encoder: str
    method: str
    samples: int
    seed: int
    hyperparameters: str = "own"
    changes: Mapping[str, Any] = field(default_factory=dict)
    names: bool = True
    part: FactPart = "measuring"

    @property
    def sides(self) -> tuple[list[Fact], list[Fact]]:
        """The facts to teach and to test, about different entities."""
        return taught_and_tested(self.part, self.seed)

    @property
    def taught(self) -> list[Pair]:
        """The pairs to teach."""
        return sample_balanced(pairs_of_facts(self.sides[0]), self.samples, self.seed)

    def config(self, encoder: Encoder) -> TrainingConfig:
        """Return the hyperparameters with seed, names and changes."""
        named = defaults(self.method, encoder, self.hyperparameters)
        entities: Entities = "bank" if self.names else "own"
        return replace(replace(named, seed=self.seed, recombine_with=entities), **self.changes)


def train(training: Training, encoder: Encoder) -> tuple[dict[str, Any], SymmetryClassifier]:
    """Train from an untouched encoder; return figures on the tested facts, and the classifier."""
    untaught = SymmetryClassifier.from_encoder(encoder, training.method)
    model = untaught.fit(training.taught, config=training.config(encoder))
    return figures(model, training.sides[1]), model


def probe_untouched(training: Training, encoder: Encoder) -> dict[str, Any]:
    """Return accuracies of 1-NN over the untouched encoder's label embeddings (section 3.1).

    As in the paper's data set, each label is half of what is taught, and half of what is tested.
    """
    facts, tested = training.sides
    halves = [[f for f in facts if f.relation.label == label] for label in VERDICTS]
    taught = [
        pair
        for own in halves
        for pair in sample_balanced(pairs_of_facts(own), training.samples // 2, training.seed)
    ]
    probe = SymmetryClassifier.from_encoder(encoder, training.method).teach(taught).with_card(k=1)
    found = [figures(probe, [f for f in tested if f.relation.label == own]) for own in VERDICTS]
    return {name: fmean(own[name] for own in found) for name in VERSIONS}


def figures(model: SymmetryClassifier, test: Sequence[Fact]) -> dict[str, Any]:
    """Return accuracies on facts with names and with ids, and the training's steps and seconds."""
    asked = pairs_of_facts(test), pairs_of_facts(test, delexicalized=True)
    accuracies = [evaluate(model, pairs).accuracy for pairs in asked]
    took = {name: model.card.training.get(name, 0) for name in ("steps", "seconds")}
    return dict(zip(VERSIONS, accuracies, strict=True)) | took


def reading_nothing(samples: int, seed: int) -> dict[str, float]:
    """Return the accuracy of the commonest taught label, and of a lookup of the relation.

    Of equally common labels, the first by name counts.
    """
    training = Training("", "", samples, seed)
    taught, tested = (
        pd.DataFrame({"relation": [pair.relation for pair in pairs], "label": labels_of(pairs)})
        for pairs in (training.taught, pairs_of_facts(training.sides[1]))
    )
    commonest = taught.label.mode()[0]
    of_relation = taught.groupby("relation").label.agg(lambda own: own.mode()[0])
    looked_up = tested.relation.map(of_relation).fillna(commonest)
    answers = {"constant": commonest, "look-up": looked_up}
    return {name: float((tested.label == own).mean()) for name, own in answers.items()}


# What is measured

SIZES, REPORTED, PROBED = (7, 14, 28, 56, 112), 28, 48
RANDOM_AND_KNN = (RANDOM_LABEL_EMBEDDINGS.name, KNN.name)

PARTS = ("search", "other names", "paper's settings", "cross-encoder")
"""Parts of the study beside the main table."""


@dataclass(frozen=True)
class Plan:
    """Encoders, methods, sizes and seeds to measure.

    Attributes:
        encoders: by name; the first one gets everything.
        other_seeds: the only seeds of the other encoders, at the reported size with retention;
            None measures them as fully as the first.
        settings: encoder → method → chosen hyperparameters; an encoder without any gets those of
            the first, except for the learning rate.
        chosen_at: the commit of that choice.
    """

    encoders: tuple[str, ...] = (DEFAULT_ENCODER,)
    methods: tuple[str, ...] = PAPER_METHODS
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    other_seeds: tuple[int, ...] | None = None
    parts: tuple[str, ...] = PARTS
    settings: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
    chosen_at: str = ""

    def is_full(self, encoder: str) -> bool:
        """True if everything is measured on this encoder."""
        return encoder == self.encoders[0] or self.other_seeds is None

    def is_searched(self, encoder: str) -> bool:
        """True if all `SIZES` are measured on this encoder."""
        return "search" in self.parts and self.is_full(encoder)

    def seeds_of(self, encoder: str) -> tuple[int, ...]:
        """Return the seeds of an encoder at the reported size."""
        return self.seeds if self.is_full(encoder) else self.other_seeds or ()

    def trainings(
        self, encoder: str, method: str, size: int, seeds: Iterable[int], **more: Any
    ) -> list[Training]:
        """Return trainings with the chosen hyperparameters; `more` as `Training` takes them."""
        chosen = self.settings.get(encoder, {}).get(method)
        if chosen is None:
            first = next(iter(self.settings.values()), {}).get(method, {})
            chosen = {name: value for name, value in first.items() if name != "learning_rate"}
        changes = {**chosen, **more.pop("changes", {})}
        return [Training(encoder, method, size, one, changes=changes, **more) for one in seeds]

    def without_retention(self, encoder: str, method: str) -> list[Training]:
        """Return trainings that retain nothing."""
        seeds, changes = self.seeds[:2], {"retention": 0.0}
        return self.trainings(encoder, method, REPORTED, seeds, changes=changes)

    def as_in_paper(self, method: str) -> list[Training]:
        """Return trainings with the paper's hyperparameters and number of pairs."""
        pairs = TABLE_2[method].samples or REPORTED
        seeds = self.seeds[: 3 if pairs < 100 else 1]  # hundreds take longest
        first = self.encoders[0]
        return [Training(first, method, pairs, seed, "paper", names=False) for seed in seeds]

    def probes(self, encoder: str) -> list[Training]:
        """Return what an untouched encoder is taught."""
        return [Training(encoder, KNN.name, PROBED, seed) for seed in self.seeds_of(encoder)]

    def with_choices(self) -> Plan:
        """Return the plan with the hyperparameters that a finished study chose."""
        found = finished_study("paper")["figures"]
        wanted = dict.fromkeys((DEFAULT_ENCODER, *self.encoders))
        settings = {name: own for name in wanted if (own := found["settings"].get(name))}
        return replace(self, settings=settings, chosen_at=found["chosen_at"])

    def to_json(self) -> dict[str, Any]:
        """Return the plan as the report keeps it."""
        more = {"search_seeds": self.seeds[:3] * ("search" in self.parts)}
        return json.loads(json.dumps(asdict(self) | more | {"ablation_seeds": self.seeds[:1]}))


QUICK = Plan(methods=RANDOM_AND_KNN, seeds=(0,), parts=())
"""A first table in under 5 minutes on 2 cores."""

Bases = Mapping[str, str]
"""Encoder → hash of its weights, of the encoders that are available."""


@cache
def facts_hash() -> str:
    """Return 16 hexadecimal digits that identify the facts and their parts."""
    parts = (part_of_facts("choosing"), part_of_facts("measuring"))
    return "".join(hash_pairs(pairs_of_facts(facts))[:8] for facts in parts)


def bases_of(ledger: Ledger) -> Bases:
    """Return the encoders measured on today's facts; the latest weights count."""
    own = [cell for cell in ledger if cell.get("facts") == facts_hash()]
    bases = {cell["encoder"]: cell["base"] for cell in own if "base" in cell}
    return bases | {cell["model"]: "" for cell in own if "model" in cell}


def cell_of(training: Training, bases: Bases, measure: str = "training") -> dict[str, Any]:
    """Return the cell of a measurement on a training."""
    cell = {"measure": measure, **asdict(training)}
    if measure == "training":
        reported = training.names and training.samples == REPORTED
        cell["forgetting"] = reported or training.hyperparameters == "paper"
    return cell | {"base": bases.get(training.encoder, ""), "facts": facts_hash()}


def cross_encoder_cell() -> dict[str, Any]:
    """Return the cell of Table 2's NLI model."""
    return {"measure": "cross-encoder", "model": NLI_CROSS_ENCODER, "facts": facts_hash()}


def cells(plan: Plan, bases: Bases) -> list[dict[str, Any]]:
    """Return all cells of a plan, each once; those of the main table first."""
    here = [name for name in plan.encoders if name in bases]
    full, first = [name for name in here if plan.is_full(name)], here[:1] == [*plan.encoders[:1]]
    found: list[Training] = []
    for name, method in product(here, plan.methods):
        found += plan.trainings(name, method, REPORTED, plan.seeds_of(name))
    for name, method, size in product(filter(plan.is_searched, here), plan.methods, SIZES):
        found += plan.trainings(name, method, size, plan.seeds[:3])
    for method in plan.methods if first and "other names" in plan.parts else ():
        searched = "search" in plan.parts and method in RANDOM_AND_KNN
        for size in SIZES if searched else (REPORTED,):
            found += plan.trainings(here[0], method, size, plan.seeds[:3], names=False)
    for name, method in product(full, plan.methods):
        found += plan.without_retention(name, method)
    if first and "paper's settings" in plan.parts:
        found += [one for method in plan.methods if method in TABLE_2
                  for one in plan.as_in_paper(method)]  # fmt: skip
    probes = [cell_of(one, bases, "even probe") for name in here for one in plan.probes(name)]
    cross = NLI_CROSS_ENCODER in bases and "cross-encoder" in plan.parts
    every = [*[cross_encoder_cell()] * cross, *probes, *(cell_of(one, bases) for one in found)]
    return list({name_of(cell): cell for cell in every}.values())
