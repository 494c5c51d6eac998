"""Split taught pairs into training and held-out ones, and draw the replay of known ones."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence

from symdemo.data.relations import sample_balanced
from symdemo.pairs import Pair
from symdemo.teaching.comparison import relation_key

HELD_OUT_ONE_IN = 4


def split_held_out(pairs: Sequence[Pair], seed: int = 0) -> tuple[list[Pair], list[Pair]]:
    """Split pairs into (train, held out) so that no unordered entity pair is on both sides.

    One entity pair in four of each relation is held out, and at least one if it has two or more; a
    relation with a single entity pair is all on the training side. The choice depends on the names
    and the seed, not on the order, so a few more pairs change little about it.
    """
    of_relation: dict[tuple, set[tuple[str, str]]] = defaultdict(set)
    for pair in pairs:
        of_relation[relation_key(pair)].add(pair.entity_pair)
    held: set[tuple[str, str]] = set()

    def is_spared(entity_pair: tuple[str, str]) -> bool:
        """True if each of its relations keeps another entity pair to learn from."""
        return all(own - held - {entity_pair} for own in of_relation.values() if entity_pair in own)

    def place(key: tuple, entity_pair: tuple[str, str]) -> bytes:
        return hashlib.sha256(repr((seed, key, entity_pair)).encode()).digest()

    for key in sorted(of_relation, key=str):
        own = of_relation[key]
        wanted = max(1, len(own) // HELD_OUT_ONE_IN) - len(own & held)
        for entity_pair in sorted(own - held, key=lambda names: place(key, names)):
            if wanted > 0 and is_spared(entity_pair):
                held.add(entity_pair)
                wanted -= 1
    train = [pair for pair in pairs if pair.entity_pair not in held]
    return train, [pair for pair in pairs if pair.entity_pair in held]


def draw_replay(
    known: Sequence[Pair], own: Sequence[Pair], number: int, seed: int = 0
) -> list[Pair]:
    """Draw pairs that a model already knows, to repeat while it learns `own`.

    They are balanced over labels as far as possible, and over relations within each label, without
    pairs of the same entities in the same relation as one of `own`, as some are held out.
    """
    theirs = {(pair.premise, pair.hypothesis) for pair in own}
    about = {(pair.relation, pair.entity_pair) for pair in own}
    known = [
        pair
        for pair in dict.fromkeys(known)
        if (pair.premise, pair.hypothesis) not in theirs
        and (pair.relation, pair.entity_pair) not in about
    ]
    if len(known) <= number:
        return known
    of_label: dict[str, list[Pair]] = defaultdict(list)
    for pair in known:
        of_label[pair.label or ""].append(pair)
    drawn: list[Pair] = []
    waiting = sorted(of_label.values(), key=len)  # rare labels first, so others can use their rest
    for place, of_one in enumerate(waiting):
        share = (number - len(drawn)) // (len(waiting) - place)
        if share:
            drawn += sample_balanced(of_one, min(share, len(of_one)), seed)
    return drawn
