"""The second stage of the default model: the kinds, taught to a model that knows the bank.

It goes on from the first stage, with kinds and facts shown beside a phrasing of every other
relation of the bank, so that nothing is unlearnt; it takes a fifth of the first one's steps, and a
new kind can be added without making those again.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import torch

from experiments.recipes.general import CONFIG, remembered_pairs, training_pairs
from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.index import LabelIndex, unit_rows
from symdemo.data.bank import REPLACED, TAUGHT, BankRelation, Kind, Part, RelationBank
from symdemo.data.bank_phrasings import same_sentence
from symdemo.errors import InputError
from symdemo.pairs import Pair, hash_pairs
from symdemo.training.loop import TrainingRun, TrainingStep

CONFIG_OF_KINDS = replace(CONFIG, learning_rate=2e-4, precision="fp32")
"""In float32: where a processor has no bfloat16 of its own, that would take ten times as long."""

KIND_ROUNDS, KIND_REMEMBERED = 4, 2
"""How often a phrasing of the kinds is shown, and how many of each relation are remembered."""

SECOND_STAGE = "second stage"

_REPLAY_SEED = 2_000_003
"""Of the entities in what is shown again, apart from those of the first stage."""


def shown_kinds(
    kinds: Sequence[Kind], seed: int, rounds: int = KIND_ROUNDS, parts: Sequence[Part] = TAUGHT
) -> list[Pair]:
    """Return every phrasing of the kinds `rounds` times, with other entities each time."""
    return [
        pair
        for kind in kinds
        for pair in training_pairs(kind.bank, kind.relations(*parts), seed, rounds, modified=0)
    ]


def remembered_kinds(kinds: Sequence[Kind], parts: Sequence[Part] = TAUGHT) -> list[Pair]:
    """Return the pairs of the kinds that the index holds: first phrasings of each relation."""
    return [
        pair
        for kind in kinds
        for pair in remembered_pairs(kind.bank, kind.relations(*parts), KIND_REMEMBERED)
    ]


def replayed(
    bank: RelationBank, seed: int, relations: Sequence[BankRelation] | None = None
) -> list[Pair]:
    """Return a phrasing of every second relation, without those that the kinds replace."""
    rng = random.Random(seed)
    few = [
        replace(relation, phrasings=(rng.choice(relation.phrasings),))
        for relation in (bank.relations if relations is None else relations)[seed % 2 :: 2]
        if relation.id not in REPLACED
    ]
    return training_pairs(bank, few, seed + _REPLAY_SEED, rounds=1)


def without_relatives(kinds: Sequence[Kind], asked: Sequence[BankRelation]) -> tuple[Kind, ...]:
    """Return the kinds without relatives of the tested relations.

    A group of the kinds is left out whole where its name is that of an asked relation's group, or
    where one of its phrasings is an asked one.
    """
    names = {_group(relation) for relation in asked}
    phrasings = {same_sentence(phrasing) for relation in asked for phrasing in relation.phrasings}
    relatives = {
        _group(relation)
        for kind in kinds
        for relation in kind.bank.relations
        if _group(relation) in names
        or not phrasings.isdisjoint(map(same_sentence, relation.phrasings))
    }
    rest = [
        (kind, tuple(r for r in kind.bank.relations if _group(r) not in relatives))
        for kind in kinds
    ]
    return tuple(replace(kind, bank=replace(kind.bank, relations=own)) for kind, own in rest if own)


def _group(relation: BankRelation) -> str:
    return relation.group or relation.id


def fit_kinds(
    model: SymmetryClassifier,
    bank: RelationBank,
    kinds: Sequence[Kind],
    seed: int = 0,
    relations: Sequence[BankRelation] | None = None,
    extra: Sequence[Pair] = (),
    callback: Callable[[TrainingStep], None] | None = None,
) -> SymmetryClassifier:
    """Train the second stage: the kinds beside a replay of the bank.

    Args:
        model: what the first stage gave.
        bank: what that was taught.
        kinds: what to teach.
        seed: of entities and order.
        relations: those of the bank that the model was taught; None is all.
        extra: pairs to show beside these.
        callback: called after every step.

    Raises:
        InputError: the model has been through this already.
    """
    shown = [*shown_kinds(kinds, seed), *replayed(bank, seed, relations), *extra]
    return teach_kinds(model, shown, remembered_kinds(kinds), seed, callback)


def teach_kinds(
    model: SymmetryClassifier,
    shown: Sequence[Pair],
    remembered: Sequence[Pair],
    seed: int = 0,
    callback: Callable[[TrainingStep], None] | None = None,
) -> SymmetryClassifier:
    """Go on with a model's encoder, from the prototypes that its memory implies.

    Training forgets its prototypes; the mean of a label's remembered embeddings stands in for the
    prototype that gathered them, so that the first steps need not move them anywhere.

    Args:
        model: what the first stage gave.
        shown: what to train on, the replay among it.
        remembered: what the index holds beside what it held, without the replaced relations.
        seed: of the order.
        callback: called after every step.

    Raises:
        InputError: the model has been through this already.
    """
    if SECOND_STAGE in model.card.training:
        raise InputError(f"{model.card.name} knows the kinds already; a first stage is expected.")
    run = TrainingRun(model.encoder, shown, model.method, replace(CONFIG_OF_KINDS, seed=seed))
    _place_prototypes(run, model.index)
    while run.step < run.total:
        for step in run.advance(1):
            if callback:
                callback(step)
    result = run.result()
    kept = [pair for pair in model.index.pairs if pair.relation not in REPLACED]
    untaught = model.index.select([])
    pairs = [*kept, *remembered]
    taught = SymmetryClassifier(result.encoder, untaught, model.card)
    index = LabelIndex(pairs, taught.embed(pairs))
    first = model.card.training
    training = dict(first) | {
        SECOND_STAGE: run.config.values(),
        "steps": first["steps"] + len(result.history),
        "seconds": round(first["seconds"] + result.seconds, 2),
    }
    data = dict(model.card.data) | {
        "hash": hash_pairs([*pairs, *shown]),
        "pairs": model.card.data["pairs"] + len(shown),
        "relations": len({pair.relation for pair in pairs}),
    }
    card = model.card.with_(training=training, data=data, labels=index.labels)
    return SymmetryClassifier(result.encoder, index, card)


def _place_prototypes(run: TrainingRun, index: LabelIndex) -> None:
    """Set the run's prototypes to the mean embeddings of their labels in the index."""
    means = dict(zip(index.labels, unit_rows(index.membership.T @ index.embeddings), strict=True))
    prototypes = torch.from_numpy(np.stack([means[label] for label in run.labels]))
    learnt = run.learnt()
    (place,) = (n for n, tensor in enumerate(learnt) if tensor.shape == prototypes.shape)
    learnt[place] = prototypes
    run.relearn(learnt)
