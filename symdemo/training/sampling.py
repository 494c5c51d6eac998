"""Which pairs a training step sees: batches balanced over relations, entities recombined."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, zip_longest

from symdemo.pairs import Pair


def batches(
    pairs: Sequence[Pair],
    batch_size: int,
    epochs: int,
    *,
    balanced: bool = True,
    recombined: float = 0.0,
    seed: int = 0,
    strangers: Sequence[str] = (),
) -> Iterator[list[Pair]]:
    """Yield shuffled batches, `epochs` times over all pairs.

    Args:
        pairs: labelled pairs.
        batch_size: pairs per batch; the last of an epoch may be smaller.
        epochs: passes over the pairs.
        balanced: relations take turns, so that each batch holds as many relations as it can and,
            with them, both labels; without both Eq. 5 has nothing to push apart.
        recombined: share of pairs that are shown with other entities, drawn anew each time.
        seed: of the order and the entities.
        strangers: names that are drawn beside the entities of the pairs.
    """
    rng = random.Random(seed)
    entities = list(dict.fromkeys([*entity_pool(pairs), *strangers]))
    for _ in range(epochs):
        order = list(pairs)
        rng.shuffle(order)
        if balanced:
            order = _take_turns(order)
        order = [
            recombine(pair, entities, rng) if rng.random() < recombined else pair for pair in order
        ]
        for start in range(0, len(order), batch_size):
            yield order[start : start + batch_size]


_WINDOW = 16  # batches


def by_length(planned: Sequence[Sequence[Pair]], seed: int) -> list[list[Pair]]:
    """The same pairs in as many batches, those of like length together.

    They are sorted within windows of a few batches, whose batches then come in random order, so
    that what a step sees stays as mixed as it was in everything but length.
    """
    rng, sorted_batches = random.Random(seed), []
    for start in range(0, len(planned), _WINDOW):
        window = planned[start : start + _WINDOW]
        pairs = sorted((pair for batch in window for pair in batch), key=lambda p: len(p.premise))
        ends = [*accumulate(len(batch) for batch in window)]
        own = [pairs[end - len(batch) : end] for end, batch in zip(ends, window, strict=True)]
        rng.shuffle(own)
        sorted_batches += own
    return sorted_batches


def _take_turns(pairs: Sequence[Pair]) -> list[Pair]:
    """One pair of each relation, then a second of each, until all are placed."""
    queues: dict[tuple, list[Pair]] = defaultdict(list)
    for pair in pairs:
        queues[pair.label, pair.relation].append(pair)
    return [pair for turn in zip_longest(*queues.values()) for pair in turn if pair is not None]


UNSTOPPED = 0.25
"""Share of the pairs that are shown without their full stops, as people type them."""


def sometimes_without_stops(pair: Pair, rng: random.Random) -> Pair:
    """The pair as it is, or, by chance, as someone in a hurry types it."""
    return without_stops(pair) if rng.random() < UNSTOPPED else pair


def without_stops(pair: Pair) -> Pair:
    """The pair without the full stops at the ends of its sentences."""
    return replace(
        pair,
        premise=pair.premise.removesuffix("."),
        hypothesis=pair.hypothesis.removesuffix("."),
    )


def entity_pool(pairs: Sequence[Pair]) -> list[str]:
    """The distinct entities of the pairs that name theirs, in order of first appearance."""
    named = ((pair.head, pair.tail) for pair in pairs if pair.head and pair.tail)
    return list(dict.fromkeys(entity for both in named for entity in both))


def recombine(pair: Pair, entities: Sequence[str], rng: random.Random) -> Pair:
    """The pair about two other entities, or as it is where its own cannot be told apart.

    The label stays: it follows from the relation, whoever stands in it. This shows an encoder that
    entities do not matter, which few samples cannot show otherwise.
    """
    if not pair.head or not pair.tail or len(entities) < 2:
        return pair
    own = sorted((pair.head, pair.tail), key=len, reverse=True)  # "Paula" before "Paul"
    places = re.compile("|".join(map(re.escape, own)))
    fresh = dict(zip((pair.head, pair.tail), rng.sample(entities, 2), strict=True))
    sentences = []
    for sentence in (pair.premise, pair.hypothesis):
        if sorted(places.findall(sentence)) != sorted(own):
            return pair
        sentences.append(places.sub(lambda match: fresh[match[0]], sentence))
    premise, hypothesis = sentences
    return replace(
        pair,
        premise=premise,
        hypothesis=hypothesis,
        head=fresh[pair.head],
        tail=fresh[pair.tail],
    )
