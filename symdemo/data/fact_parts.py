"""Two parts of the facts: one to choose hyperparameters on, one to measure on.

Facts that share an entity, by name or by id, form a *group* and stay together, so the parts share
no entity. In each relation a hash of the group's entities with a fixed salt decides its part. A
part is split by seed in the same way into taught and tested facts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Literal

from symdemo.data.relations import Fact, load_facts, pairs_of_facts
from symdemo.pairs import hash_pairs

Part = Literal["choosing", "measuring"]

SALT = "symdemo, the facts dealt anew"
CHOOSING_SHARE = 1 / 3
"""Choosing asks coarse questions and needs fewer facts than measuring does."""

TESTED_SHARE = 0.5


def entity_groups(facts: Sequence[Fact]) -> list[list[Fact]]:
    """Group facts so that no two groups share an entity, by name or by id."""
    leader: dict[str, str] = {}

    def find(name: str) -> str:
        while leader.setdefault(name, name) != name:
            name = leader[name]
        return name

    for fact in facts:
        first, *others = _entities(fact)
        for other in others:
            leader[find(other)] = find(first)
    groups: dict[str, list[Fact]] = {}
    for fact in facts:
        groups.setdefault(find(_entities(fact)[0]), []).append(fact)
    return list(groups.values())


def part_of_facts(part: Part, facts: Sequence[Fact] | None = None) -> list[Fact]:
    """Return the facts of a part, in order, of the project's own facts or of others."""
    choosing, measuring = _deal(load_facts() if facts is None else facts, CHOOSING_SHARE, SALT)
    return choosing if part == "choosing" else measuring


def taught_and_tested(
    part: Part, seed: int, facts: Sequence[Fact] | None = None
) -> tuple[list[Fact], list[Fact]]:
    """Split a part by a seed into facts to teach and facts about other entities to test."""
    tested, taught = _deal(part_of_facts(part, facts), TESTED_SHARE, f"{SALT}, seed {seed}")
    return taught, tested


def facts_hash() -> str:
    """Return 16 hexadecimal digits that identify the facts and their parts."""
    parts = (part_of_facts("choosing"), part_of_facts("measuring"))
    return "".join(hash_pairs(pairs_of_facts(facts))[:8] for facts in parts)


def _entities(fact: Fact) -> list[str]:
    """Return the names and ids of the two entities."""
    return [*fact.entity_pair, *(entity.id for entity in (fact.head, fact.tail) if entity.id)]


def _deal(facts: Sequence[Fact], share: float, salt: str) -> tuple[list[Fact], list[Fact]]:
    """Split whole groups: the share with the lowest hashes of each relation, then the rest."""
    hands: dict[str, list[list[Fact]]] = {}
    for group in entity_groups(facts):
        hands.setdefault(min(fact.relation.id for fact in group), []).append(group)
    first = {
        fact
        for groups in hands.values()
        for group in sorted(groups, key=lambda group: _lot(group, salt))[
            : round(share * len(groups))
        ]
        for fact in group
    }
    return [fact for fact in facts if fact in first], [fact for fact in facts if fact not in first]


def _lot(group: Sequence[Fact], salt: str) -> str:
    names = sorted({name for fact in group for name in fact.entity_pair})
    return hashlib.sha256("\n".join([salt, *names]).encode()).hexdigest()
