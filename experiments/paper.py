"""One training of the paper's task: teach a few pairs, test on entity pairs held out.

A hash of their entities deals facts into a part to choose hyperparameters on and a part to measure
on. Within a part the seed decides which facts are taught and which are tested; no entity is on
both sides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any

import numpy as np

from symdemo.classifier import SymmetryClassifier
from symdemo.data.relations import (
    Fact,
    FactPart,
    Relation,
    pairs_of_facts,
    sample_balanced,
    taught_and_tested,
)
from symdemo.encoders import Encoder
from symdemo.evaluation.results import VERSIONS
from symdemo.evaluation.scores import evaluate, score
from symdemo.pairs import CONTRADICTION, ENTAILMENT, Pair
from symdemo.training.config import Entities, TrainingConfig, defaults

VERDICTS = (ENTAILMENT, CONTRADICTION)
OTHER_K = (1, 5, 9)
"""Numbers of neighbours tried beside the model's own."""


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


def train(
    training: Training, start: Encoder | SymmetryClassifier
) -> tuple[dict[str, Any], SymmetryClassifier]:
    """Train from an encoder or a classifier; return figures and the new classifier."""
    if not isinstance(start, SymmetryClassifier):
        start = SymmetryClassifier.from_encoder(start, training.method)
    model = start.fit(training.taught, config=training.config(start.encoder))
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
    """Test a model on facts: accuracies with names and ids, also with other k."""
    versions = [pairs_of_facts(test), pairs_of_facts(test, delexicalized=True)]
    embedded = [(pairs, model.embed(pairs)) for pairs in versions]

    def accuracies(k: int | None = None) -> list[float]:
        return [
            score(pairs, model.predict_embedded(pairs, vectors, k).verdict_labels).accuracy
            for pairs, vectors in embedded
        ]

    other_k = () if model.readout else OTHER_K
    return {
        **dict(zip(VERSIONS, accuracies(), strict=True)),
        "by_k": {str(k): accuracies(k) for k in other_k},
        "steps": model.card.training.get("steps", 0),
        "seconds": model.card.training.get("seconds", 0.0),
    }


# A third label

PEOPLE = ("P22", "P25", "P3373")
NEUTRAL_RELATIONS = (
    Relation("neutral-0", "admires", "[X] admires [Y].", "neither"),
    Relation("neutral-1", "wrote to", "[X] wrote a letter to [Y].", "neither"),
    Relation("neutral-2", "visited", "[X] paid a visit to [Y].", "neither"),
    Relation("neutral-3", "praises", "[X] often speaks well of [Y].", "neither"),
)


def teach_neutral(model: SymmetryClassifier, n: int, seed: int) -> dict[str, float]:
    """Teach the label neutral by n examples without training (section 2.3).

    Returns:
        Accuracy on held-out neutral pairs (`neutral`) and on the 14 relations (`others`).
    """
    train_facts, test = taught_and_tested("measuring", seed)
    taught = model.teach(sample_balanced(_neutral(train_facts), n, seed))
    return {
        "neutral": evaluate(taught, _neutral(test)).accuracy,
        "others": evaluate(taught, pairs_of_facts(test)).accuracy,
    }


def _neutral(facts: Sequence[Fact]) -> list[Pair]:
    people = [fact for fact in facts if fact.relation.id in PEOPLE]
    relations = NEUTRAL_RELATIONS * len(people)
    return pairs_of_facts(
        [replace(fact, relation=own) for fact, own in zip(people, relations, strict=False)]
    )


# Baselines that read no sentence


def reading_nothing(samples: int, seed: int) -> dict[str, float]:
    """Return the accuracy of the commonest taught label, and of a lookup of the relation."""
    training = Training("", "", samples, seed)
    taught, tested = training.taught, pairs_of_facts(training.sides[1])
    commonest = _commonest(taught)
    of_relation = {
        relation: _commonest([pair for pair in taught if pair.relation == relation])
        for relation in {pair.relation for pair in taught}
    }
    right = {
        "constant": [commonest == pair.label for pair in tested],
        "look-up": [of_relation.get(pair.relation, commonest) == pair.label for pair in tested],
    }
    return {answer: float(np.mean(own)) for answer, own in right.items()}


def _commonest(pairs: Sequence[Pair]) -> str | None:
    """Return the commonest label; the first by name among equally common ones."""
    counts = Counter(pair.label for pair in pairs)
    return min(counts, key=lambda label: (-counts[label], label or ""))
