"""Kinds of sentence that the relation bank lacks, each a small bank in `assets/bank/kinds`.

A TOML file a kind (roles of one sex, arithmetic, sports results …) holds relations in the bank's
format and, where the bank's entities do not suit, its own types. The shipped model is taught them
beside the bank; the cross-validation of the bank leaves them out, and each kind is measured on the
relations of it that are never taught.
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
from symdemo.data.bank_phrasings import same_sentence
from symdemo.errors import InputError

KINDS = BANK / "kinds"

Part = Literal["taught", "development", "held out"]

TAUGHT: tuple[Part, ...] = ("taught", "development")
"""Parts that the shipped model is taught."""

REPLACED = frozenset({"brother-of", "sister-of"})
"""Relations of the bank whose label depends on their arguments; the kinds tell them apart."""

_FIFTHS: tuple[Part, ...] = ("held out", "development", "taught", "taught", "taught")


@dataclass(frozen=True)
class Kind:
    """A kind of sentence: its name, and a bank of its relations alone."""

    name: str
    bank: RelationBank

    def relations(self, *parts: Part) -> list[BankRelation]:
        """Return its relations in these parts; in all parts if none is named."""
        return [r for r in self.bank.relations if not parts or part_of(r) in parts]


def never_taught(kinds: Iterable[Kind], bank: RelationBank) -> dict[str, list[BankRelation]]:
    """Return kind → its held-out relations, with the phrasings that are taught nowhere.

    “[X] is next to [Y]” is held out among letters but taught among things: it would measure little.
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
    """Return the part of a relation, by a hash of its group's name.

    A fifth is held out for measuring and never taught; a fifth is for development: taught to the
    shipped model, but not while choices are made.
    """
    name = relation.group or relation.id
    return _FIFTHS[hashlib.sha256(name.encode()).digest()[0] % len(_FIFTHS)]


def load_kinds(folder: str | Path = KINDS, bank: RelationBank | None = None) -> tuple[Kind, ...]:
    """Load all kinds, in the order of their files' names.

    Args:
        folder: of TOML files with [[relation]] and [types].
        bank: whose entities and modifiers they may use; the shipped one if None.

    Raises:
        InputError: no kinds, or a file that cannot be read.
    """
    bank = bank or shipped_bank()
    kinds = []
    for path in sorted(Path(folder).glob("*.toml")):
        relations, types = read_relations(path), read_types(path)
        own = RelationBank(tuple(relations), {**bank.entities, **types}, bank.modifiers)
        kinds.append(Kind(path.stem, own))
    if not kinds:
        raise InputError(f"{folder} holds no kinds; TOML files of [[relation]] are expected.")
    return tuple(kinds)
