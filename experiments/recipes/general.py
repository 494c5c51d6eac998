"""The two stages of the general model: the relation bank, then the kinds beside a replay of it.

`experiments/general.py` compares both with baselines.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import torch

from experiments.splits import REPLACED, TAUGHT
from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.index import LabelIndex, unit_rows
from symdemo.data.bank import BankRelation, Kind, RelationBank
from symdemo.encoders import Encoder
from symdemo.errors import InputError
from symdemo.pairs import Pair, hash_pairs
from symdemo.training.config import TrainingConfig
from symdemo.training.loop import TrainingRun, TrainingStep
from symdemo.training.methods import KNN_LEARNT_METRIC
from symdemo.training.sampling import entity_pool, recombine

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

CONFIG_OF_KINDS = replace(CONFIG, learning_rate=2e-4, precision="fp32")
"""In float32: a processor without native bfloat16 would take ten times as long."""

ROUNDS, KIND_ROUNDS = 2, 4
"""Times each phrasing of the bank and of the kinds is shown, with other entities each time."""

MODIFIED = 0.3
"""Share of the bank's phrasings shown with a date, a place, an adverb or a frame, if they can."""

REMEMBERED, KIND_REMEMBERED = 1, 2
"""Phrasings of each relation that the index holds; of the bank, two vote no better than one."""

SECOND_STAGE = "second stage"

_INDEX_SEED, _REPLAY_SEED = 1_000_003, 2_000_003
"""Seeds of the entities in the index and in the replay, apart from those of training."""

Callback = Callable[[TrainingStep], None] | None


# First stage


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


UNSTOPPED = 0.25
"""Share of pairs shown without full stops, as people type them."""


def sometimes_without_stops(pair: Pair, rng: random.Random) -> Pair:
    """Return the pair, at random (`UNSTOPPED`) without its full stops."""
    if rng.random() >= UNSTOPPED:
        return pair
    ends = pair.premise.removesuffix("."), pair.hypothesis.removesuffix(".")
    return replace(pair, premise=ends[0], hypothesis=ends[1])


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
    callback: Callback = None,
) -> SymmetryClassifier:
    """Train an encoder on relations of the bank.

    Args:
        relations: those to teach; None means all of the bank.
        config: hyperparameters; its seed is set to `seed`.
        extra: pairs to teach besides; `remembered_extra` are those of them that the index holds.
    """
    relations = bank.relations if relations is None else relations
    return SymmetryClassifier.from_encoder(encoder, method).fit(
        [*training_pairs(bank, relations, seed, rounds), *extra],
        config=replace(config, seed=seed),
        callback=callback,
        remembered=[*remembered_pairs(bank, relations), *remembered_extra],
        name="general",
    )


# Facts

AWKWARD_NAMES = (
    *("{} and {}", "{}, {}", "{} ({})", "{} / {}", "{} of {}", "{}, {} and {}", "{}'s {}"),
    *("Waiting for {}", "A Journey to {}", "Letters from {}", "The Return of {}", "All About {}"),
    *("{} in {}", "{} Among {}", "Who Was {}?", "The Last Days of {}", "Far from {}"),
)
"""Shapes of names and titles; “{}” is a plainer name."""

TITLE_WORDS = (2, 6)
"""Fewest and most words of a title that is cut from a sentence."""


def shown_facts(
    facts: Sequence[Pair], seed: int, times: int, sentences: Sequence[str] = ()
) -> list[Pair]:
    """Return pairs about facts `times` over, each time about other entities.

    Real names read like two subjects ("St Peter and St Paul's"), an apposition ("Emley, West
    Yorkshire") or a sentence ("Every Breath You Take"). What a name seems to say must not count, so
    plain names, awkward names made of them, and titles cut from `sentences` are equally likely.
    """
    rng, entities = random.Random(seed), entity_pool(facts)
    pools = [entities, awkward_names(entities, rng)]
    if sentences:
        pools.append(titles(sentences, rng))
    return [
        sometimes_without_stops(recombine(pair, rng.choice(pools), rng), rng)
        for pair in facts
        for _ in range(times)
    ]


def awkward_names(entities: Sequence[str], rng: random.Random) -> list[str]:
    """Return each shape as often as there are entities, filled with some of them."""
    return [
        shape.format(*rng.sample(entities, shape.count("{}")))
        for shape in AWKWARD_NAMES
        for _ in entities
    ]


def titles(sentences: Sequence[str], rng: random.Random) -> list[str]:
    """Return a few consecutive words of each sentence, with a capital."""
    found = []
    for sentence in sentences:
        words = sentence.rstrip(".!?").split()
        length = min(rng.randint(*TITLE_WORDS), len(words))
        start = rng.randint(0, len(words) - length)
        title = " ".join(words[start : start + length]).strip(",;:–“” ")
        if title:
            found.append(title[0].upper() + title[1:])
    return list(dict.fromkeys(found))


# Second stage


def shown_kinds(kinds: Sequence[Kind], seed: int, rounds: int = KIND_ROUNDS) -> list[Pair]:
    """Return every taught phrasing of the kinds `rounds` times, with other entities each time."""
    return [
        pair
        for kind in kinds
        for pair in training_pairs(kind.bank, kind.relations(*TAUGHT), seed, rounds, modified=0)
    ]


def remembered_kinds(kinds: Sequence[Kind]) -> list[Pair]:
    """Return the pairs of the kinds that the index holds."""
    return [
        pair
        for kind in kinds
        for pair in remembered_pairs(kind.bank, kind.relations(*TAUGHT), KIND_REMEMBERED)
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


def fit_kinds(
    model: SymmetryClassifier,
    bank: RelationBank,
    kinds: Sequence[Kind],
    seed: int = 0,
    relations: Sequence[BankRelation] | None = None,
    extra: Sequence[Pair] = (),
    callback: Callback = None,
) -> SymmetryClassifier:
    """Train the second stage: the kinds beside a replay of the bank.

    It takes a fifth of the first stage's steps, so a new kind can be added without repeating those.
    The index gets pairs of the kinds in place of the relations that they replace. Training forgets
    its prototypes: the mean of a label's embeddings in the index replaces each, so that the first
    steps need not move the embeddings.

    Args:
        model: the result of the first stage.
        relations: those of the bank that it was taught; None means all.
        extra: pairs to show besides.

    Raises:
        InputError: the model has been through the second stage already.
    """
    if SECOND_STAGE in model.card.training:
        raise InputError(f"{model.card.name} knows the kinds already; a first stage is expected.")
    shown = [*shown_kinds(kinds, seed), *replayed(bank, seed, relations), *extra]
    run = TrainingRun(model.encoder, shown, model.method, replace(CONFIG_OF_KINDS, seed=seed))
    _place_prototypes(run, model.index)
    while run.step < run.total:
        for step in run.advance(1):
            if callback:
                callback(step)
    result = run.result()
    kept = [pair for pair in model.index.pairs if pair.relation not in REPLACED]
    pairs = [*kept, *remembered_kinds(kinds)]
    taught = SymmetryClassifier(result.encoder, model.index.select([]), model.card)
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
