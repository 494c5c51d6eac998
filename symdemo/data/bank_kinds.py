"""Kinds of sentence that the relation bank is short of, each a small bank of its own.

`assets/bank/kinds` holds a TOML file a kind (roles that only one sex can have, arithmetic, sports
results …), with relations in the bank's format and, where the bank's entities do not suit, types of
its own. The shipped model is taught them beside the bank. The cross-validation of the bank leaves
them aside, so that its figures stay what they are; `experiments/kinds.py` measures them instead, on
the relations of each kind that are never taught.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from symdemo.data.bank import (
    BANK,
    BankRelation,
    RelationBank,
    read_relations,
    read_types,
    shipped_bank,
)
from symdemo.data.bank_check import same_sentence
from symdemo.errors import InputError

KINDS = BANK / "kinds"

Part = Literal["taught", "development", "held out"]

TAUGHT: tuple[Part, ...] = ("taught", "development")
"""What the shipped model is taught."""

REPLACED = frozenset({"brother-of", "sister-of"})
"""Relations of the bank whose label depends on who stands in them; the kinds tell them apart."""

_FIFTHS: tuple[Part, ...] = ("held out", "development", "taught", "taught", "taught")


@dataclass(frozen=True)
class Kind:
    """A kind of sentence: its name, and a bank that holds its relations alone."""

    name: str
    bank: RelationBank

    def relations(self, *parts: Part) -> list[BankRelation]:
        """Its relations in some parts, or all of them where no part is named."""
        return [r for r in self.bank.relations if not parts or part_of(r) in parts]


def never_taught(kinds: Iterable[Kind], bank: RelationBank) -> dict[str, list[BankRelation]]:
    """Kind → its held-out relations, with those phrasings alone that nothing teaches elsewhere.

    “[X] is next to [Y]” is held out among letters and taught among things: it would measure little.
    """
    kinds = tuple(kinds)
    taught = [*bank.relations, *(r for kind in kinds for r in kind.relations(*TAUGHT))]
    known = {same_sentence(phrasing) for relation in taught for phrasing in relation.phrasings}
    found = {}
    for kind in kinds:
        held = kind.relations("held out")
        fresh = [tuple(p for p in r.phrasings if same_sentence(p) not in known) for r in held]
        found[kind.name] = [
            replace(r, phrasings=own) for r, own in zip(held, fresh, strict=True) if own
        ]
    return found


def part_of(relation: BankRelation) -> Part:
    """Whether a relation may be taught: chance by its group's name says so, once and for all.

    A fifth is held out, to be measured on and never taught nor looked at while a model is made;
    a fifth is for development: taught to the shipped model, but not while choices are made.
    """
    name = relation.group or relation.id
    return _FIFTHS[hashlib.sha256(name.encode()).digest()[0] % len(_FIFTHS)]


def load_kinds(folder: str | Path = KINDS, bank: RelationBank | None = None) -> tuple[Kind, ...]:
    """All kinds, in the order of their files' names.

    Args:
        folder: of TOML files with [[relation]] and [types].
        bank: whose entities and modifiers they may use; the shipped one if None.

    Raises:
        InputError: no kinds, a file that cannot be read, a type or relation that is there already.
    """
    bank = bank or shipped_bank()
    ids = {relation.id for relation in bank.relations}
    kinds = []
    for path in sorted(Path(folder).glob("*.toml")):
        relations, types = read_relations(path), read_types(path)
        _refuse_known(path.name, "type", types, bank.entities)
        _refuse_known(path.name, "relation", (relation.id for relation in relations), ids)
        ids |= {relation.id for relation in relations}
        own = RelationBank(tuple(relations), {**bank.entities, **types}, bank.modifiers)
        kinds.append(Kind(path.stem, own))
    if not kinds:
        raise InputError(f"{folder} holds no kinds; TOML files of [[relation]] are expected.")
    return tuple(kinds)


def _refuse_known(file: str, what: str, names: Iterable[str], known: Iterable[str]) -> None:
    seen = set(known)
    for name in names:
        if name in seen:
            raise InputError(f"{file}: the {what} {name} is there already.")
        seen.add(name)
