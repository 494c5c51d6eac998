"""The 14 relations of the paper (Table 3 and appendix A of Yuan and Vlachos 2025), and their facts.

Mind the templates: for some properties the Wikidata subject is [X] at the *end* of the sentence
("[Y] is the mother of [X]").

The facts have two parts: one to choose hyperparameters on, one to measure on. Facts that share an
entity, by name or by id, form a *group* and stay together, so the parts share no entity. In each
relation a hash of the group's entities with a fixed salt decides its part. A part is split by seed
in the same way into taught and tested facts.
"""

from __future__ import annotations

import hashlib
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from symdemo.data.bank_phrasings import fill
from symdemo.errors import InputError
from symdemo.files.paths import asset_rows
from symdemo.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL, Pair

Pattern = Literal["symmetric", "antisymmetric", "neither"]

LABEL_OF_PATTERN: dict[str, str] = {
    "symmetric": ENTAILMENT,
    "antisymmetric": CONTRADICTION,
    "neither": NEUTRAL,
}


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation with its template; [X] is the head of a triple, [Y] its tail."""

    id: str
    name: str
    template: str
    pattern: Pattern

    @property
    def label(self) -> str:
        """Label of a swap of this relation."""
        return LABEL_OF_PATTERN[self.pattern]

    def sentence(self, head: str, tail: str) -> str:
        """Fill both places of the template."""
        return fill(self.template, head, tail)


RELATIONS = tuple(Relation(**row) for row in asset_rows("relations.csv"))  # type: ignore[arg-type]

HELD_OUT_SHARE = 0.5
SPLIT_SEED = 0
"""Seed of the split whose test half measures shipped models and retraining. That half was looked at
during development; the paper's task is measured on `part_of_facts`."""

FactPart = Literal["choosing", "measuring"]
SALT = "symdemo, the facts dealt anew"
CHOOSING_SHARE = 1 / 3  # choosing hyperparameters needs fewer facts than measuring does
TESTED_SHARE = 0.5
RELATION_BY_ID: dict[str, Relation] = {relation.id: relation for relation in RELATIONS}


@dataclass(frozen=True, slots=True)
class Entity:
    """A Wikidata entity: an English label, and its id where that could be checked."""

    label: str
    id: str = ""

    @property
    def name_without_words(self) -> str:
        """The Wikidata id; for an entity without one, an id made of its label (QX…)."""
        if self.id:
            return self.id
        digest = hashlib.sha256(self.label.encode()).digest()
        return f"QX{int.from_bytes(digest[:4], 'big') % 10**7:07d}"


@dataclass(frozen=True, slots=True)
class Fact:
    """A true triple: head (X), relation, tail (Y)."""

    relation: Relation
    head: Entity
    tail: Entity

    @property
    def entity_pair(self) -> tuple[str, str]:
        """Unordered pair of entities, the same in both directions and in all relations."""
        first, second = sorted((self.head.label.casefold(), self.tail.label.casefold()))
        return first, second

    def pairs(self, delexicalized: bool = False) -> tuple[Pair, Pair]:
        """Return the fact with its swap as hypothesis, and the reverse (appendix A)."""
        head, tail = (
            (e.name_without_words if delexicalized else e.label) for e in (self.head, self.tail)
        )
        own = self.relation
        premise, hypothesis = own.sentence(head, tail), own.sentence(tail, head)
        forward = Pair(premise, hypothesis, own.label, own.id, head, tail)
        return forward, forward.reversed()


@cache
def load_facts() -> tuple[Fact, ...]:
    """Read the project's own facts, which `tests/data/test_bank.py` checks."""
    return tuple(
        Fact(
            RELATION_BY_ID[row["relation"]],
            Entity(row["head"], row["head_id"]),
            Entity(row["tail"], row["tail_id"]),
        )
        for row in asset_rows("facts.csv")
    )


def pairs_of_facts(facts: Iterable[Fact], delexicalized: bool = False) -> list[Pair]:
    """Return both directions of every fact, in order."""
    return [pair for fact in facts for pair in fact.pairs(delexicalized)]


def split_facts(
    facts: Sequence[Fact], test_share: float = HELD_OUT_SHARE, seed: int = SPLIT_SEED
) -> tuple[list[Fact], list[Fact]]:
    """Split facts into train and test so that no unordered entity pair is on both sides.

    In each relation `test_share` of the entity pairs go to the test side.
    """
    rng = random.Random(seed)
    pairs_of_relation: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for fact in facts:
        pairs_of_relation[fact.relation.id].add(fact.entity_pair)
    side: dict[tuple[str, str], bool] = {}
    for relation in sorted(pairs_of_relation):
        fresh = sorted(pairs_of_relation[relation] - side.keys())
        rng.shuffle(fresh)
        n_test = round(len(fresh) * test_share)
        side.update({entity_pair: place < n_test for place, entity_pair in enumerate(fresh)})
    train = [fact for fact in facts if not side[fact.entity_pair]]
    test = [fact for fact in facts if side[fact.entity_pair]]
    return train, test


def split_known_facts() -> tuple[list[Fact], list[Fact]]:
    """Split the project's own facts as for all published figures."""
    return split_facts(load_facts())


def part_of_facts(part: FactPart) -> list[Fact]:
    """Return the project's own facts of a part, in order."""
    choosing, measuring = _deal(load_facts(), CHOOSING_SHARE, SALT)
    return choosing if part == "choosing" else measuring


def taught_and_tested(part: FactPart, seed: int) -> tuple[list[Fact], list[Fact]]:
    """Split a part by a seed into facts to teach and facts about other entities to test."""
    tested, taught = _deal(part_of_facts(part), TESTED_SHARE, f"{SALT}, seed {seed}")
    return taught, tested


def _deal(facts: Sequence[Fact], share: float, salt: str) -> tuple[list[Fact], list[Fact]]:
    """Split facts in two so that no entity is on both sides.

    Of the groups of each relation, the `share` with the lowest hashes is on the first side.
    """
    from scipy.cluster.hierarchy import DisjointSet

    joined = DisjointSet()  # of the names and ids of entities
    for fact in facts:
        first, *others = (*fact.entity_pair, *filter(None, (fact.head.id, fact.tail.id)))
        joined.add(first)
        for other in others:
            joined.add(other)
            joined.merge(first, other)
    groups: dict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        groups[joined[fact.entity_pair[0]]].append(fact)

    def lot(group: Sequence[Fact]) -> str:
        names = sorted({name for fact in group for name in fact.entity_pair})
        return hashlib.sha256("\n".join([salt, *names]).encode()).hexdigest()

    hands: dict[str, list[list[Fact]]] = defaultdict(list)
    for group in groups.values():
        hands[min(fact.relation.id for fact in group)].append(group)
    dealt = (sorted(own, key=lot)[: round(share * len(own))] for own in hands.values())
    first_facts = {fact for own in dealt for group in own for fact in group}
    return (
        [fact for fact in facts if fact in first_facts],
        [fact for fact in facts if fact not in first_facts],
    )


def sample_balanced(pairs: Sequence[Pair], n: int, seed: int = 0) -> list[Pair]:
    """Draw n distinct labelled pairs, as evenly over relations as n allows.

    The reverse of a pair teaches little more than the pair, so it is drawn only once all entity
    pairs of the relation are. `InputError` if n is below 1 or above the number of pairs.
    """
    pairs = list(dict.fromkeys(pairs))
    if not 1 <= n <= len(pairs):
        raise InputError(f"{n} samples were asked for; between 1 and {len(pairs)} can be drawn.")
    rng = random.Random(seed)
    queues: dict[str | None, list[Pair]] = {}
    for relation in dict.fromkeys(pair.relation for pair in pairs):
        own = [pair for pair in pairs if pair.relation == relation]
        rng.shuffle(own)
        seen: dict[tuple[str, str], int] = defaultdict(int)
        turn = {}
        for pair in own:
            turn[pair] = seen[pair.entity_pair]
            seen[pair.entity_pair] += 1
        queues[relation] = sorted(own, key=turn.__getitem__, reverse=True)
    drawn: list[Pair] = []
    while len(drawn) < n:
        waiting = [relation for relation in queues if queues[relation]]
        rng.shuffle(waiting)
        drawn += [queues[relation].pop() for relation in waiting[: n - len(drawn)]]
    return drawn
