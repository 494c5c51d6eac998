"""Batches of training pairs: balanced over relations, with recombined entities."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, zip_longest
from math import ceil

from symdemo.data.bank import bank_names
from symdemo.pairs import Pair
from symdemo.training.config import TrainingConfig


def plan_batches(pairs: Sequence[Pair], config: TrainingConfig) -> list[list[Pair]]:
    """Return all batches of a run: `epochs` passes, or more if `min_steps` needs them.

    If balanced, relations take turns, so that each batch has as many relations as possible and
    several labels; with one label Eq. 5 has nothing to push apart. The last batch of an epoch may
    be smaller.
    """
    rng = random.Random(config.seed)
    strangers = bank_names() if config.recombine_with == "bank" else ()
    entities = list(dict.fromkeys([*entity_pool(pairs), *strangers]))
    planned = []
    for _ in range(_epochs(len(pairs), config)):
        order = list(pairs)
        rng.shuffle(order)
        if config.balanced:
            order = _take_turns(order)
        order = [
            recombine(pair, entities, rng) if rng.random() < config.recombine else pair
            for pair in order
        ]
        starts = range(0, len(order), config.batch_size)
        planned += [order[start : start + config.batch_size] for start in starts]
    return by_length(planned, config.seed) if config.batching == "length" else planned


def count_steps(number: int, config: TrainingConfig) -> int:
    """Return the number of steps of a run over `number` pairs."""
    return _epochs(number, config) * ceil(number / config.batch_size)


def _epochs(number: int, config: TrainingConfig) -> int:
    return max(config.epochs, ceil(config.min_steps / ceil(number / config.batch_size)))


_WINDOW = 16  # batches


def by_length(planned: Sequence[Sequence[Pair]], seed: int) -> list[list[Pair]]:
    """Return batches of the same sizes in which pairs of similar length share a batch.

    Pairs are sorted within windows of 16 batches, whose batches are then shuffled, so that a step
    stays mixed in everything except length.
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
    """Order pairs: one of each relation, then a second of each, and so on."""
    queues: dict[tuple, list[Pair]] = defaultdict(list)
    for pair in pairs:
        queues[pair.label, pair.relation].append(pair)
    return [pair for turn in zip_longest(*queues.values()) for pair in turn if pair is not None]


def entity_pool(pairs: Sequence[Pair]) -> list[str]:
    """Return the distinct heads and tails of the pairs, in order of first appearance."""
    named = ((pair.head, pair.tail) for pair in pairs if pair.head and pair.tail)
    return list(dict.fromkeys(entity for both in named for entity in both))


def recombine(pair: Pair, entities: Sequence[str], rng: random.Random) -> Pair:
    """Return the pair with two other entities, or unchanged if its own cannot be located.

    The label stays, since it follows from the relation. This teaches an encoder even from few
    samples that entities do not matter.
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
        pair, premise=premise, hypothesis=hypothesis, head=fresh[pair.head], tail=fresh[pair.tail]
    )
