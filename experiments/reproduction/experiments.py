"""One measured run of the paper's experiment: teach a few pairs, test on held-out entity pairs.

A `Cell` says what to run and nothing else, so that the same cell gives the same figures anywhere;
an `Outcome` is what came out. `experiments/` and `symdemo reproduce` are made of these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol

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
from symdemo.evaluation.scores import Evaluation, evaluate, score
from symdemo.pairs import Pair, hash_pairs
from symdemo.training.config import Entities, HasDimension, TrainingConfig, defaults

OTHER_K = (1, 5, 9)
"""Numbers of neighbours tried beside the model's own."""


@dataclass(frozen=True)
class Cell:
    """What to run: `samples` relation-balanced lexicalized pairs, and all that a seed decides.

    The seed chooses which facts are taught and which are asked, the samples and their order, and
    whatever a method draws at random. With `names`, recombination draws the relation bank's names
    beside the taught entities, none of them an entity of any fact. `part` is where the facts are
    from: hyperparameters are chosen on one, and the other is measured on.
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
        """The facts that are taught and those that are asked, about other entities."""
        return taught_and_tested(self.part, self.seed)

    @property
    def taught(self) -> list[Pair]:
        """The taught pairs."""
        return sample_balanced(pairs_of_facts(self.sides[0]), self.samples, self.seed)

    def to_json(self) -> dict[str, Any]:
        """The cell as JSON values."""
        return asdict(self)


@dataclass(frozen=True)
class Outcome:
    """What came out of a cell; accuracies are shares in [0, 1] over held-out entity pairs.

    Attributes:
        lexicalized: with names in the sentences.
        delexicalized: with ids in their place.
        wrong: relation → wrong verdicts, both versions together.
        by_k: k → (lexicalized, delexicalized) for other numbers of neighbours; empty for the
            methods that do not ask neighbours.
        test_pairs: in both versions.
        steps: of training.
        seconds: of training.
        data_hash: of the taught pairs.
    """

    lexicalized: float
    delexicalized: float
    wrong: dict[str, int]
    by_k: dict[str, tuple[float, float]]
    test_pairs: int
    steps: int
    seconds: float
    data_hash: str

    def to_json(self) -> dict[str, Any]:
        """The outcome as JSON values."""
        return asdict(self)


class KnownEncoder(HasDimension, Protocol):
    """What has to be known of an encoder to name a measurement on it: no weights."""

    @property
    def base_hash(self) -> str:
        """SHA-256 of its weights file."""


def config_of(cell: Cell, encoder: KnownEncoder) -> TrainingConfig:
    """The hyperparameters of a cell: its named set, with its seed, its names and its changes."""
    named = defaults(cell.method, encoder, cell.hyperparameters)
    whose: Entities = "bank" if cell.names else "own"
    return replace(replace(named, seed=cell.seed, recombine_with=whose), **cell.changes)


def run_cell(
    cell: Cell,
    start: Encoder | SymmetryClassifier,
) -> tuple[Outcome, SymmetryClassifier]:
    """Run one cell on its encoder, or on what that was taught before; `start` stays as it is."""
    taught, (_, test) = cell.taught, cell.sides
    if not isinstance(start, SymmetryClassifier):
        start = SymmetryClassifier.from_encoder(start, cell.method)
    config = config_of(cell, start.encoder)
    model = start.fit(taught, config=config)
    return outcome(model, taught, test), model


def outcome(model: SymmetryClassifier, taught: Sequence[Pair], test: Sequence[Fact]) -> Outcome:
    """Test a model on held-out facts, lexicalized and delexicalized."""
    versions = [pairs_of_facts(test), pairs_of_facts(test, delexicalized=True)]
    embedded = [(pairs, model.embed(pairs)) for pairs in versions]
    lexicalized, delexicalized = (_evaluate(model, *version) for version in embedded)
    by_k: dict[str, tuple[float, float]] = {}
    for k in () if model.readout else OTHER_K:
        with_names, with_ids = (_evaluate(model, *version, k).accuracy for version in embedded)
        by_k[str(k)] = with_names, with_ids
    return Outcome(
        lexicalized=lexicalized.accuracy,
        delexicalized=delexicalized.accuracy,
        wrong=_wrong(lexicalized, delexicalized),
        by_k=by_k,
        test_pairs=lexicalized.n + delexicalized.n,
        steps=model.card.training.get("steps", 0),
        seconds=model.card.training.get("seconds", 0.0),
        data_hash=hash_pairs(taught),
    )


def _evaluate(
    model: SymmetryClassifier, pairs: Sequence[Pair], embeddings: np.ndarray, k: int | None = None
) -> Evaluation:
    predictions = model.predict_embedded(pairs, embeddings, k)
    return score(pairs, predictions.verdict_labels)


def _wrong(*evaluations: Evaluation) -> dict[str, int]:
    wrong: dict[str, int] = {}
    for evaluation in evaluations:
        for relation, (share, n) in evaluation.by_relation.items():
            if share < 1:
                wrong[relation] = wrong.get(relation, 0) + round((1 - share) * n)
    return wrong


def probe_untouched(cell: Cell, encoder: Encoder) -> Outcome:
    """The probe of section 3.1: 1-NN over the untouched encoder's own label embeddings."""
    taught, (_, test) = cell.taught, cell.sides
    probe = SymmetryClassifier.from_encoder(encoder, cell.method).teach(taught)
    return outcome(probe.with_card(k=1), taught, test)


def new_label_outcome(model: SymmetryClassifier, n: int, seed: int) -> dict[str, float]:
    """Teach `model` the label neutral with n examples, without training, and test it.

    Returns:
        `neutral`: accuracy on held-out entity pairs of the neutral relations; `others`: accuracy on
        the facts of the 14 relations that the seed has asked, afterwards.
    """
    train, test = taught_and_tested("measuring", seed)
    examples = sample_balanced(_neutral_pairs(train), n, seed)
    taught = model.teach(examples)
    return {
        "neutral": evaluate(taught, _neutral_pairs(test)).accuracy,
        "others": evaluate(taught, pairs_of_facts(test)).accuracy,
    }


NEUTRAL_RELATIONS = tuple(
    Relation(f"neutral-{number}", name, template, "neither")
    for number, (name, template) in enumerate(
        (
            ("admires", "[X] admires [Y]."),
            ("wrote to", "[X] wrote a letter to [Y]."),
            ("visited", "[X] paid a visit to [Y]."),
            ("praises", "[X] often speaks well of [Y]."),
        )
    )
)
"""Relations that say nothing of their reverse, filled with people from the facts."""

_PEOPLE = ("P22", "P25", "P3373")


def _neutral_pairs(facts: Sequence[Fact]) -> list[Pair]:
    people = [fact for fact in facts if fact.relation.id in _PEOPLE]
    return pairs_of_facts(
        [
            replace(fact, relation=NEUTRAL_RELATIONS[number % len(NEUTRAL_RELATIONS)])
            for number, fact in enumerate(people)
        ]
    )
