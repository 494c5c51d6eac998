"""The relation bank: several hundred relations with many phrasings, and the pairs made from them.

`assets/bank` holds one TOML file of entities and modifiers, and files of relations by subject.
A phrasing has the places [X] (the head) and [Y] (the tail); the hypothesis is the same phrasing
with the two exchanged, and the pattern of the relation gives the label.

Head and tail of a pair are kept as they stand inside a sentence ("the nurse"), even where the
sentence begins with "The nurse": equal entities then compare equal. `recombine`
knows neither that nor which entities suit a relation: it leaves such a pair as it is, and would
give others entities that do not fit. For fresh entities ask `pairs` for more of them, or for
another seed, and train with a `recombined` share of 0.
"""

from __future__ import annotations

import dataclasses
import random
import tomllib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from symdemo.data.bank_phrasings import capitalise, fill, finish, kinds_of
from symdemo.data.relations import LABEL_OF_PATTERN, load_facts
from symdemo.errors import InputError
from symdemo.files.paths import ASSETS
from symdemo.pairs import Pair

BANK = ASSETS / "bank"
ENTITIES_FILE = "entities.toml"
BEINGS = frozenset({"person", "role", "animal", "group"})
"""Types that may meet in one sentence; of any other list of types both ends take the same one."""

_ATTEMPTS = 1_000  # draws of two entities before a pool counts as too small
_LISTS = ("head", "tail", "phrasings")


@dataclass(frozen=True, slots=True)
class BankRelation:
    """A relation of the bank: its pattern, what may fill its places, and its phrasings.

    `group` names what a split must keep on one side (by default the relation alone), `lookalike` a
    relation of like wording and another pattern.
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
        """What a sentence of this relation says of its swapped form."""
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
        """Fill each phrasing `per_phrasing` times with entities that suit it.

        Args:
            relations: those to use; None is all of them.
            per_phrasing: distinct unordered pairs of entities for each phrasing.
            seed: of entities and modifiers. Each phrasing draws by a generator of its own, so
                that its pairs do not depend on which other relations are asked for.
            modified: share of the pairs, among phrasings that can take one, with a date, a place,
                an adverb or a frame added to premise and hypothesis alike.

        Raises:
            InputError: `per_phrasing` is below 1, `modified` outside 0 to 1, or too few entities.
        """
        if per_phrasing < 1:
            raise InputError(f"{per_phrasing} pairs per phrasing were asked for; 1 is the least.")
        if not 0 <= modified <= 1:
            raise InputError(f"The share of modified pairs is {modified}; 0 to 1 is expected.")
        pairs = []
        for relation in self.relations if relations is None else relations:
            for phrasing in relation.phrasings:
                rng = random.Random(f"{seed}|{relation.id}|{phrasing}")
                kinds = [kind for kind in kinds_of(phrasing) if self.modifiers.get(kind)]
                for head, tail in self._draw_distinct(relation, per_phrasing, rng):
                    before, after = "", ""
                    if kinds and rng.random() < modified:
                        before, after = self._draw_modifier(kinds, rng)
                    pairs.append(
                        Pair(
                            finish(fill(phrasing, head, tail), before, after),
                            finish(fill(phrasing, tail, head), before, after),
                            relation.label,
                            relation.id,
                            head,
                            tail,
                        )
                    )
        return pairs

    def draw(self, relation: BankRelation, rng: random.Random) -> tuple[str, str]:
        """Two entities that fit a relation, of which neither holds all the words of the other.

        Raises:
            InputError: the types of the relation hold too few.
        """
        for _ in range(_ATTEMPTS):
            kind = rng.choice(relation.head)
            others: Sequence[str] = relation.tail
            if relation.head == relation.tail:
                others = [t for t in others if t in BEINGS] if kind in BEINGS else [kind]
            head = rng.choice(self._pool(relation, kind))
            tail = rng.choice(self._pool(relation, rng.choice(others)))
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

    def _pool(self, relation: BankRelation, kind: str) -> tuple[str, ...]:
        if not self.entities.get(kind):
            raise InputError(f"{relation.id} asks for the type {kind}, which has no entities.")
        return self.entities[kind]

    def _draw_modifier(self, kinds: Sequence[str], rng: random.Random) -> tuple[str, str]:
        """What to put before the sentence and after it; one of the two is empty."""
        kind = rng.choice(kinds)
        modifier = rng.choice(self.modifiers[kind])
        if kind == "frame":
            return f"{capitalise(modifier)} ", ""
        if rng.random() < 0.5:
            return f"{capitalise(modifier)}, ", ""
        return "", f", {modifier}" if kind == "adverb" else f" {modifier}"


def load_bank(folder: str | Path = BANK) -> RelationBank:
    """Read `entities.toml` and all other TOML files of `folder`, in the order of their names.

    What the fields say is for `symdemo.data.bank_check`; here only their presence and type count.

    Raises:
        InputError: no such folder or file, not TOML, a field missing, unknown or of another type.
    """
    folder = Path(folder)
    pools = _read(folder / ENTITIES_FILE)
    relations = [
        relation
        for path in sorted(folder.glob("*.toml"))
        if path.name != ENTITIES_FILE
        for relation in read_relations(path)
    ]
    if not relations:
        raise InputError(f"{folder} holds no relations; TOML files of [[relation]] are expected.")
    entities, modifiers = (_pools(pools, name) for name in ("types", "modifiers"))
    return RelationBank(tuple(relations), entities, modifiers)


@cache
def shipped_bank() -> RelationBank:
    """The bank of `assets/bank`, read once."""
    return load_bank()


def read_relations(path: Path) -> list[BankRelation]:
    """The relations of one TOML file; see `load_bank` for the errors."""
    blocks = _read(path).get("relation", [])
    if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
        raise InputError(f"{path.name}: relation is {blocks!r}; [[relation]] is expected.")
    return [_relation(block, f"{path.name}, relation {n}") for n, block in enumerate(blocks, 1)]


def read_types(path: Path) -> dict[str, tuple[str, ...]]:
    """The entities by type of one TOML file, if it has any; see `load_bank` for the errors."""
    return _pools(_read(path), "types", path.name)


@cache
def bank_names() -> tuple[str, ...]:
    """The proper names among the bank's entities, of all types, in the order of the file.

    Without the entities of known facts: whoever is shown a name may be asked about those later.
    """
    pools = _pools(_read(BANK / ENTITIES_FILE), "types")
    names = (entity for pool in pools.values() for entity in pool if entity[:1].isupper())
    asked = {entity for fact in load_facts() for entity in fact.entity_pair}
    return tuple(name for name in dict.fromkeys(names) if name.casefold() not in asked)


def _read(path: Path) -> dict:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path} cannot be read as TOML: {error}.") from error


def _pools(table: dict, name: str, file: str = ENTITIES_FILE) -> dict[str, tuple[str, ...]]:
    pools = table.get(name, {})
    if not isinstance(pools, dict):
        raise InputError(f"{file}: {name} is {pools!r}; a table is expected.")
    return {kind: _texts(names, f"{file}, {kind}") for kind, names in pools.items()}


def _relation(block: dict, where: str) -> BankRelation:
    fields = [field.name for field in dataclasses.fields(BankRelation)]
    wrong = [name for name in block if name not in fields]
    wrong += [name for name in fields[:5] if name not in block]
    if wrong:
        raise InputError(f"{where}: missing or unknown: {', '.join(wrong)}; known: {fields}.")
    read: dict[str, Any] = {
        name: _texts(value, f"{where}, {name}") if name in _LISTS else value
        for name, value in block.items()
    }
    for name, value in read.items():
        if name not in _LISTS and not isinstance(value, str):
            raise InputError(f"{where}: {name} is {value!r}; text is expected.")
    return BankRelation(**{"group": read["id"], **read})


def _texts(value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise InputError(f"{where}: {value!r}; a list of texts is expected.")
    return tuple(value)


def split_relations(
    bank: RelationBank, folds: int = 5, seed: int = 0
) -> tuple[tuple[BankRelation, ...], ...]:
    """Deal the relations into folds: no group is in two, every pattern spread as evenly as it goes.

    Raises:
        InputError: fewer than 2 folds, or more folds than groups.
    """
    groups: dict[str, list[BankRelation]] = defaultdict(list)
    for relation in bank.relations:
        groups[relation.group or relation.id].append(relation)
    if not 2 <= folds <= len(groups):
        raise InputError(
            f"{folds} folds were asked for; between 2 and {len(groups)}, the groups, are possible."
        )
    rng = random.Random(seed)
    names = sorted(groups)
    rng.shuffle(names)
    names.sort(key=lambda name: -len(groups[name]))  # large first, while there is room to level
    dealt: list[list[BankRelation]] = [[] for _ in range(folds)]
    patterns = [Counter[str]() for _ in range(folds)]
    for name in names:
        pattern = groups[name][0].pattern
        fold = min(range(folds), key=lambda n: (patterns[n][pattern], len(dealt[n])))
        dealt[fold].extend(groups[name])
        patterns[fold].update(relation.pattern for relation in groups[name])
    return tuple(tuple(fold) for fold in dealt)
