"""Which pairs are learnt from, which are held out to check, and which are shown again."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from symdemo.data.relations import sample_balanced
from symdemo.errors import InputError
from symdemo.pairs import Pair
from symdemo.teaching.rows.check import BLOCKING, check_rows

if TYPE_CHECKING:
    from symdemo.classifier import SymmetryClassifier
    from symdemo.teaching.limits import Limits
    from symdemo.teaching.rows.row import Row

HELD_OUT_ONE_IN = 4
MAX_REPEATS = 8

EntityPair = tuple[str, str]


def split_held_out(pairs: Sequence[Pair], seed: int = 0) -> tuple[list[Pair], list[Pair]]:
    """Split pairs into (train, held out) so that no unordered entity pair is on both sides.

    One entity pair in four of each relation is held out, and at least one where it has two or more;
    a relation with a single entity pair is all on the training side. Who is held out depends on the
    names and the seed, not on the order: a few more pairs change little about it.
    """
    of_relation: dict[tuple, set[EntityPair]] = defaultdict(set)
    for pair in pairs:
        of_relation[relation_key(pair)].add(pair.entity_pair)
    relations_of: dict[EntityPair, list[tuple]] = defaultdict(list)
    for key, entity_pairs in of_relation.items():
        for entity_pair in entity_pairs:
            relations_of[entity_pair].append(key)
    held: set[EntityPair] = set()

    def is_spared(entity_pair: EntityPair) -> bool:
        """Whether every relation of it keeps another entity pair to learn from."""
        return all(of_relation[key] - held - {entity_pair} for key in relations_of[entity_pair])

    for key in sorted(of_relation, key=str):
        own = of_relation[key]
        wanted = max(1, len(own) // HELD_OUT_ONE_IN) - len(own & held)
        for entity_pair in sorted(own - held, key=lambda names: _place(key, names, seed)):
            if wanted > 0 and is_spared(entity_pair):
                held.add(entity_pair)
                wanted -= 1
    train = [pair for pair in pairs if pair.entity_pair not in held]
    return train, [pair for pair in pairs if pair.entity_pair in held]


def relation_key(pair: Pair) -> tuple[str, str]:
    """What a split goes by: the relation, or the label where no relation is named."""
    return (pair.relation, "") if pair.relation else ("", pair.label or "")


def _place(key: tuple, entity_pair: EntityPair, seed: int) -> bytes:
    return hashlib.sha256(repr((seed, key, entity_pair)).encode()).digest()


def draw_replay(
    known: Sequence[Pair], own: Sequence[Pair], number: int, seed: int = 0
) -> list[Pair]:
    """Pairs that a model already knows, to be shown again while it learns `own`.

    As evenly over labels as there are pairs, and over relations within each label. What says
    something of the same entities in the same relation as a pair of `own` is left out: that is
    theirs to say now, and some of it is held out.
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
    waiting = sorted(of_label.values(), key=len)  # the rare ones first: others take up their rest
    for place, of_one in enumerate(waiting):
        share = (number - len(drawn)) // (len(waiting) - place)
        if share:
            drawn += sample_balanced(of_one, min(share, len(of_one)), seed)
    return drawn


def epoch_pairs(own: Sequence[Pair], replay: Sequence[Pair]) -> list[Pair]:
    """The pairs of one epoch: the replay, and `own` so often that it is about a third of all."""
    times = round(len(replay) / (2 * len(own))) if own else 0
    return [*replay, *(list(own) * min(max(times, 1), MAX_REPEATS))]


def pairs_to_teach(
    rows: Sequence[Row], base: SymmetryClassifier, limits: Limits | None = None
) -> list[Pair]:
    """The pairs that a table of rows stands for, as `base` can read them; duplicates count once.

    Raises:
        InputError: there are none, or a row stands in the way; the sentence names it.
    """
    report = check_rows(rows, limits, base.check)
    if not report.ready:
        stopping = [p.message for p in report.problems if p.kind in BLOCKING]
        raise InputError(stopping[0] if stopping else "There are no rows to teach; write a few.")
    return list(report.pairs)
