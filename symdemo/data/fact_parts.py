"""The known facts dealt anew: a part to choose hyperparameters on, and a part to measure on.

Facts are dealt by whole *groups*: those that share an entity, by name or by id, stay together, so
that no entity of one part stands in the other. A hash of the group's entities with a fixed salt
decides, relation by relation: neither the order of the file nor chance does. (Facts of both parts
were seen while the method was made; what is chosen from now on is chosen on one part alone.)

Inside a part a seed deals its facts in the same way into those that are taught and those asked.
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
    """Facts in groups that have no entity in common, neither by name nor by id."""
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
    """The facts of a part, of the project's own or of others, in their order."""
    choosing, measuring = _deal(load_facts() if facts is None else facts, CHOOSING_SHARE, SALT)
    return choosing if part == "choosing" else measuring


def taught_and_tested(
    part: Part, seed: int, facts: Sequence[Fact] | None = None
) -> tuple[list[Fact], list[Fact]]:
    """The two sides of a part by a seed: facts to teach, and facts about other entities to ask."""
    tested, taught = _deal(part_of_facts(part, facts), TESTED_SHARE, f"{SALT}, seed {seed}")
    return taught, tested


def facts_hash() -> str:
    """Of all facts and of how they are dealt into parts: 16 signs."""
    parts = (part_of_facts("choosing"), part_of_facts("measuring"))
    return "".join(hash_pairs(pairs_of_facts(facts))[:8] for facts in parts)


def _entities(fact: Fact) -> list[str]:
    """What tells the two entities of a fact: names, and ids where there are any."""
    return [*fact.entity_pair, *(entity.id for entity in (fact.head, fact.tail) if entity.id)]


def _deal(facts: Sequence[Fact], share: float, salt: str) -> tuple[list[Fact], list[Fact]]:
    """Deal whole groups: of each relation's the share with the lowest lots first, then the rest."""
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
    """What salt and entities alone decide."""
    names = sorted({name for fact in group for name in fact.entity_pair})
    return hashlib.sha256("\n".join([salt, *names]).encode()).hexdigest()
