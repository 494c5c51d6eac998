"""What is taught and what is held out: folds of the bank, and parts of the kinds of sentence."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from symdemo.data.bank import BankRelation, Kind, Part, RelationBank, part_of
from symdemo.data.bank_phrasings import same_sentence
from symdemo.data.inference import Inference
from symdemo.errors import InputError

FOLDS, SPLIT_SEED, TEST_SEED = 5, 0, 7
"""Of the published figures; the last is the seed of the entities that are asked about."""

TAUGHT: tuple[Part, ...] = ("taught", "development")
"""Parts of a kind that the shipped models are taught."""

REPLACED = frozenset({"brother-of", "sister-of"})
"""Relations of the bank whose label depends on their arguments; the kinds tell them apart."""


def split_relations(
    bank: RelationBank, folds: int = 5, seed: int = 0
) -> tuple[tuple[BankRelation, ...], ...]:
    """Split the relations into folds that share no group, with the patterns spread evenly.

    Raises:
        InputError: fewer than 2 folds, or more than groups.
    """
    groups: dict[str, list[BankRelation]] = defaultdict(list)
    for relation in bank.relations:
        groups[relation.group].append(relation)
    if not 2 <= folds <= len(groups):
        raise InputError(
            f"{folds} folds were asked for; between 2 and {len(groups)}, the groups, are possible."
        )
    rng = random.Random(seed)
    names = sorted(groups)
    rng.shuffle(names)
    names.sort(key=lambda name: -len(groups[name]))  # large first
    dealt: list[list[BankRelation]] = [[] for _ in range(folds)]
    patterns = [Counter[str]() for _ in range(folds)]
    for name in names:
        pattern = groups[name][0].pattern
        fold = min(range(folds), key=lambda n: (patterns[n][pattern], len(dealt[n])))
        dealt[fold].extend(groups[name])
        patterns[fold].update(relation.pattern for relation in groups[name])
    return tuple(tuple(fold) for fold in dealt)


def without_links(
    relations: Sequence[BankRelation], tested: Sequence[BankRelation], inference: Inference
) -> list[BankRelation]:
    """Return the relations that are not tested, nor linked to one that is."""
    tested_ids = {relation.id for relation in tested}
    linked = {name for relation in tested for name in inference.neighbours(relation.id)}
    return [r for r in relations if r.id not in tested_ids | linked]


def taught_kinds(kinds: Sequence[Kind]) -> tuple[Kind, ...]:
    """Return the kinds with their taught relations."""
    return _keeping(kinds, lambda relation: part_of(relation) in TAUGHT)


def without_relatives(kinds: Sequence[Kind], tested: Sequence[BankRelation]) -> tuple[Kind, ...]:
    """Return the kinds without the groups that share their name or a phrasing with a tested one."""
    names = {relation.group for relation in tested}
    phrasings = {same_sentence(phrasing) for relation in tested for phrasing in relation.phrasings}
    relatives = names | {
        relation.group
        for kind in kinds
        for relation in kind.bank.relations
        if not phrasings.isdisjoint(map(same_sentence, relation.phrasings))
    }
    return _keeping(kinds, lambda relation: relation.group not in relatives)


def _keeping(kinds: Iterable[Kind], wanted: Callable[[BankRelation], bool]) -> tuple[Kind, ...]:
    """Return the kinds with only their wanted relations; drop kinds that have none."""
    rest = [(kind, tuple(filter(wanted, kind.bank.relations))) for kind in kinds]
    return tuple(replace(kind, bank=replace(kind.bank, relations=own)) for kind, own in rest if own)
