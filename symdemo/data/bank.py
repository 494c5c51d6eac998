"""The relation bank: several hundred relations with many phrasings, and the pairs made from them.

`assets/bank` holds one TOML file of entities and modifiers, and files of relations by subject. A
phrasing has the places [X] (the head) and [Y] (the tail); the hypothesis is the same phrasing with
the two exchanged, and the pattern of the relation gives the label. Head and tail of a pair are
spelt as inside a sentence ("the nurse"), so that equal entities compare equal. For fresh entities
draw more `pairs`, or with another seed, and train with a `recombined` share of 0: `recombine` does
not know which entities suit a relation.

`assets/bank/kinds` holds kinds of sentence that the bank lacks (roles of one sex, arithmetic …), a
TOML file each. The shipped model is taught them beside the bank; the cross-validation of the bank
leaves them out, and each is measured on the relations of it that are never taught.
"""

from __future__ import annotations

import hashlib
import random
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from symdemo.data.bank_phrasings import capitalise, fill, finish, kinds_of
from symdemo.data.relations import LABEL_OF_PATTERN, load_facts
from symdemo.errors import InputError
from symdemo.files.paths import ASSETS
from symdemo.pairs import Pair

BANK = ASSETS / "bank"
KINDS = BANK / "kinds"
Part = Literal["taught", "development", "held out"]
_FIFTHS: tuple[Part, ...] = ("held out", "development", "taught", "taught", "taught")
BEINGS = frozenset({"person", "role", "animal", "group"})
"""Types that may mix in one sentence; of other types both arguments have the same one."""

_ATTEMPTS = 1_000  # to draw two entities before a pool counts as too small


@dataclass(frozen=True, slots=True)
class BankRelation:
    """A relation of the bank: its pattern, the types that fill its places, and its phrasings.

    A split keeps the relations of one `group` (by default the relation alone) on one side;
    `lookalike` names a relation of similar wording and another pattern.
    """

    id: str
    pattern: str
    head: tuple[str, ...]
    tail: tuple[str, ...]
    phrasings: tuple[str, ...]
    note: str = ""
    lookalike: str | None = None
    group: str = ""

    @property
    def label(self) -> str:
        """Label of a swap of this relation."""
        return LABEL_OF_PATTERN[self.pattern]


@dataclass(frozen=True)
class RelationBank:
    """Relations, entities by type, and modifiers by kind."""

    relations: tuple[BankRelation, ...]
    entities: Mapping[str, tuple[str, ...]]
    modifiers: Mapping[str, tuple[str, ...]]

    def pairs(
        self,
        relations: Sequence[BankRelation] | None = None,
        per_phrasing: int = 1,
        seed: int = 0,
        modified: float = 0.0,
    ) -> list[Pair]:
        """Fill each phrasing of some relations, by default all, with entities that suit it.

        Each phrasing gets `per_phrasing` distinct unordered entity pairs. It has its own random
        generator, so its pairs do not depend on the other relations. In a share `modified` of the
        pairs, if their phrasing can take one, a date, a place, an adverb or a frame is added to
        both sentences. `InputError` if the types of a relation have too few entities.
        """
        pairs = []
        for relation in self.relations if relations is None else relations:
            for phrasing in relation.phrasings:
                rng = random.Random(f"{seed}|{relation.id}|{phrasing}")
                kinds = [kind for kind in kinds_of(phrasing) if self.modifiers.get(kind)]
                for head, tail in self._draw_distinct(relation, per_phrasing, rng):
                    before, after = "", ""
                    if kinds and rng.random() < modified:
                        before, after = self._draw_modifier(kinds, rng)
                    premise = finish(fill(phrasing, head, tail), before, after)
                    hypothesis = finish(fill(phrasing, tail, head), before, after)
                    about = relation.label, relation.id, head, tail
                    pairs.append(Pair(premise, hypothesis, *about))
        return pairs

    def draw(self, relation: BankRelation, rng: random.Random) -> tuple[str, str]:
        """Draw two fitting entities, neither with all words of the other, or raise `InputError`."""
        for _ in range(_ATTEMPTS):
            kind = rng.choice(relation.head)
            others: Sequence[str] = relation.tail
            if relation.head == relation.tail:
                others = [t for t in others if t in BEINGS] if kind in BEINGS else [kind]
            head = rng.choice(self.entities[kind])
            tail = rng.choice(self.entities[rng.choice(others)])
            head_words, tail_words = set(head.casefold().split()), set(tail.casefold().split())
            if not (head_words <= tail_words or tail_words <= head_words):
                return head, tail
        raise InputError(f"The types of {relation.id} hold too few different entities.")

    def _draw_distinct(
        self, relation: BankRelation, n: int, rng: random.Random
    ) -> list[tuple[str, str]]:
        drawn: dict[frozenset[str], tuple[str, str]] = {}
        for _ in range(_ATTEMPTS + 20 * n):
            ends = self.draw(relation, rng)
            drawn.setdefault(frozenset(end.casefold() for end in ends), ends)
            if len(drawn) == n:
                return list(drawn.values())
        raise InputError(
            f"{n} pairs per phrasing were asked for; the types of {relation.id} gave {len(drawn)}."
        )

    def _draw_modifier(self, kinds: Sequence[str], rng: random.Random) -> tuple[str, str]:
        """Return what to put before the sentence and after it; one of the two is empty."""
        kind = rng.choice(kinds)
        modifier = rng.choice(self.modifiers[kind])
        if kind == "frame":
            return f"{capitalise(modifier)} ", ""
        if rng.random() < 0.5:
            return f"{capitalise(modifier)}, ", ""
        return "", f", {modifier}" if kind == "adverb" else f" {modifier}"


@cache
def shipped_bank() -> RelationBank:
    """Return the bank of `assets/bank`, read once; tests check the content."""
    pools = _read(BANK / "entities.toml")
    tables = [_read(path) for path in sorted(BANK.glob("*.toml")) if path.name != "entities.toml"]
    relations = tuple(relation for table in tables for relation in _relations(table))
    return RelationBank(relations, pools["types"], pools["modifiers"])


def _read(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file, with tuples in the place of lists."""

    def frozen(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: frozen(item) for name, item in value.items()}
        return tuple(map(frozen, value)) if isinstance(value, list) else value

    return frozen(tomllib.loads(path.read_text(encoding="utf-8")))


def _relations(table: Mapping[str, Any]) -> list[BankRelation]:
    return [BankRelation(**{"group": block["id"]} | block) for block in table.get("relation", ())]


@cache
def bank_names() -> tuple[str, ...]:
    """Return the bank's proper names without those of facts, which a model is to be tested on."""
    pools = shipped_bank().entities.values()
    names = (entity for pool in pools for entity in pool if entity[:1].isupper())
    known = {entity for fact in load_facts() for entity in fact.entity_pair}
    return tuple(name for name in dict.fromkeys(names) if name.casefold() not in known)


@dataclass(frozen=True)
class Kind:
    """A kind of sentence: its name, and a bank of its relations alone."""

    name: str
    bank: RelationBank

    def relations(self, *parts: Part) -> list[BankRelation]:
        """Return its relations in these parts; in all parts if none is named."""
        return [r for r in self.bank.relations if not parts or part_of(r) in parts]


def part_of(relation: BankRelation) -> Part:
    """Return the part of a relation, by a hash of its group's name.

    A fifth is held out for measuring and never taught; a fifth is for development: taught to the
    shipped model, but not while choices are made.
    """
    name = relation.group or relation.id
    return _FIFTHS[hashlib.sha256(name.encode()).digest()[0] % len(_FIFTHS)]


def load_kinds(folder: Path = KINDS, bank: RelationBank | None = None) -> tuple[Kind, ...]:
    """Load the kinds in a folder; they may use what is in `bank`, by default the shipped one."""
    bank = bank or shipped_bank()
    kinds = []
    for path in sorted(folder.glob("*.toml")):
        table = _read(path)
        entities = {**bank.entities, **table.get("types", {})}
        own = RelationBank(tuple(_relations(table)), entities, bank.modifiers)
        kinds.append(Kind(path.stem, own))
    return tuple(kinds)
