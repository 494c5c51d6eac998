"""How the general model is trained: on the relation bank, kinds of sentences, and what is added.

`experiments/general.py` compares it with baselines.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

from experiments.splits import REPLACED, TAUGHT
from symdemo.classifier import SymmetryClassifier
from symdemo.data.bank import BankRelation, Kind, RelationBank
from symdemo.encoders import Encoder
from symdemo.pairs import Pair
from symdemo.training.config import TrainingConfig
from symdemo.training.loop import TrainingStep
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
    loss="scaled",
    schedule="linear",
    retained="many",
    batching="length",
)
"""Chosen on one fold of a split other than the reported one."""

ROUNDS, KIND_ROUNDS = 2, 6
"""Times each phrasing of the bank and of the kinds is shown, with other entities each time."""

MODIFIED = 0.3
"""Share of the bank's phrasings shown with a date, a place, an adverb or a frame, if they can."""

REMEMBERED, KIND_REMEMBERED = 1, 2
"""Phrasings of each relation that the index holds; of the bank, two vote no better than one."""

_INDEX_SEED = 1_000_003
"""Seed of the entities in the index, apart from those of training."""

Callback = Callable[[TrainingStep], None] | None


# Bank


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


def shown_often(pairs: Sequence[Pair], seed: int, times: int) -> list[Pair]:
    """Return pairs `times` over, some without full stops."""
    rng = random.Random(seed)
    return [sometimes_without_stops(pair, rng) for _ in range(times) for pair in pairs]


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
    kinds: Sequence[Kind] = (),
    seed: int = 0,
    config: TrainingConfig = CONFIG,
    method: str = METHOD,
    extra: Sequence[Pair] = (),
    remembered_extra: Sequence[Pair] = (),
    rounds: int = ROUNDS,
    callback: Callback = None,
) -> SymmetryClassifier:
    """Train an encoder on relations of the bank and on kinds of sentences.

    Args:
        relations: those of the bank to teach; None means all.
        kinds: their parts of `TAUGHT` are taught; they replace `REPLACED` relations.
        config: hyperparameters; its seed is set to `seed`.
        extra: pairs to teach besides; `remembered_extra` are those of them that the index holds.
    """
    relations = bank.relations if relations is None else relations
    if kinds:
        relations = [relation for relation in relations if relation.id not in REPLACED]
    shown = [*training_pairs(bank, relations, seed, rounds), *shown_kinds(kinds, seed), *extra]
    remembered = [*remembered_pairs(bank, relations), *remembered_kinds(kinds), *remembered_extra]
    return SymmetryClassifier.from_encoder(encoder, method).fit(
        shown,
        config=replace(config, seed=seed),
        callback=callback,
        remembered=remembered,
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


# Kinds


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
