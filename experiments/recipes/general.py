"""The first stage of the general model: the whole relation bank.

`experiments/general.py` compares it with baselines.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

from symdemo.classifier import SymmetryClassifier
from symdemo.data.bank import BankRelation, RelationBank
from symdemo.encoders import Encoder
from symdemo.pairs import Pair
from symdemo.training.config import TrainingConfig
from symdemo.training.loop import TrainingStep
from symdemo.training.methods import KNN_LEARNT_METRIC
from symdemo.training.sampling import sometimes_without_stops

METHOD = KNN_LEARNT_METRIC.name
CONFIG = TrainingConfig(
    learning_rate=3e-4,
    batch_size=32,
    epochs=1,
    min_steps=0,
    retention=2.0,
    retention_batch=8,
    dropout=False,
    balanced=False,
    recombine=0.0,
    precision="bf16",
    loss="prototypes",
    schedule="linear",
    retained="many",
    batching="length",
)
"""Chosen on one fold of a split other than the reported one."""

ROUNDS = 2
"""Times each phrasing is shown, with other entities each time."""

MODIFIED = 0.3
"""Share of the phrasings that take one, shown with a date, a place, an adverb or a frame."""

REMEMBERED = 1
"""Phrasings of each relation that the index holds: two vote no better, and take twice the room."""

_INDEX_SEED = 1_000_003
"""Of the entities in the index, apart from those of training."""


def training_pairs(
    bank: RelationBank,
    relations: Sequence[BankRelation],
    seed: int,
    rounds: int = ROUNDS,
    modified: float = MODIFIED,
) -> list[Pair]:
    """Return every phrasing `rounds` times, with other entities, some without full stops."""
    rng = random.Random(seed)
    return [
        sometimes_without_stops(pair, rng)
        for number in range(rounds)
        for pair in bank.pairs(relations, seed=rounds * seed + number, modified=modified)
    ]


def remembered_pairs(
    bank: RelationBank, relations: Sequence[BankRelation], most: int | None = REMEMBERED
) -> list[Pair]:
    """Return a pair for each of the first `most` phrasings of a relation; None means all."""
    few = [replace(relation, phrasings=relation.phrasings[:most]) for relation in relations]
    return bank.pairs(few, seed=_INDEX_SEED)


def fit_general(
    encoder: Encoder,
    bank: RelationBank,
    relations: Sequence[BankRelation] | None = None,
    seed: int = 0,
    config: TrainingConfig = CONFIG,
    method: str = METHOD,
    extra: Sequence[Pair] = (),
    remembered_extra: Sequence[Pair] = (),
    rounds: int = ROUNDS,
    modified: float = MODIFIED,
    remembered: int | None = REMEMBERED,
    callback: Callable[[TrainingStep], None] | None = None,
) -> SymmetryClassifier:
    """Train an encoder on relations of the bank.

    Args:
        encoder: where to start.
        bank: relations, entities and modifiers.
        relations: those to teach; None is all of the bank.
        seed: of entities, order and dropout.
        config: hyperparameters; its seed is set to `seed`.
        method: one of `methods.METHODS`.
        extra: pairs to teach beside those of the bank.
        remembered_extra: those of them that the index holds.
        rounds: how often each phrasing is shown.
        modified: share of those that can take one, shown with a modifier.
        remembered: phrasings of each relation that the index holds; None is all of them.
        callback: called after every step.
    """
    relations = bank.relations if relations is None else relations
    pairs = [*training_pairs(bank, relations, seed, rounds, modified), *extra]
    return SymmetryClassifier.from_encoder(encoder, method).fit(
        pairs,
        config=replace(config, seed=seed),
        callback=callback,
        remembered=[*remembered_pairs(bank, relations, remembered), *remembered_extra],
        name="general",
    )


def withhold_phrasing(
    relations: Sequence[BankRelation], seed: int
) -> tuple[list[BankRelation], list[BankRelation]]:
    """Return each relation without one random phrasing, and with that one only."""
    rng = random.Random(seed)
    kept, withheld = [], []
    for relation in relations:
        phrasing = rng.choice(relation.phrasings)
        rest = tuple(other for other in relation.phrasings if other != phrasing)
        kept.append(replace(relation, phrasings=rest))
        withheld.append(replace(relation, phrasings=(phrasing,)))
    return kept, withheld
