"""Other phrasings of the same relation, from the relation bank and the fourteen templates."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from symdemo.analysis.counterfactuals.entity_kinds import (
    PEOPLE,
    PLURAL_KINDS,
    is_plural,
    kinds_of,
)
from symdemo.analysis.counterfactuals.kinds import (
    PHRASING,
    Counterfactual,
    NothingToMakeError,
    known_label,
)
from symdemo.analysis.counterfactuals.parties import Parties, find_parties
from symdemo.data.bank import BankRelation, shipped_bank
from symdemo.data.bank_phrasings import fill, finish
from symdemo.data.relations import RELATION_BY_ID
from symdemo.pairs import Pair

MADE = 10
"""Phrasings that are given of one pair at most."""
_UNKNOWN = "The relation is not in the bank, so no other wording is known."
_ONE = "No other wording of this relation is known."
_UNFIT = "The other wordings that are known are about other kinds of things."


def other_phrasings(pair: Pair, made: int = MADE) -> list[Counterfactual]:
    """Up to `made` phrasings of the relation with the same entities.

    The relation is the one that the pair names, by its id in the bank or in Wikidata, or else the
    one that has the premise among its phrasings.

    Raises:
        NothingToMakeError: no such relation, or its phrasings do not suit the entities.
    """
    wording = _wording(pair)
    x, y, expected = wording.x, wording.y, known_label(pair)
    texts = sorted(wording.others)
    if len(texts) > made:
        texts = random.Random(f"{pair.premise}|{pair.hypothesis}").sample(texts, made)
    new = [
        Pair(
            finish(fill(text, x, y)), finish(fill(text, y, x)), expected, pair.relation,
            *((x, y) if wording.forward else (y, x)),
        )
        for text in texts
    ]  # fmt: skip
    how = "The same said in other words."
    found = [Counterfactual(PHRASING, made, expected, how) for made in new]
    if not found:
        raise NothingToMakeError(_ONE)
    return found


@dataclass(frozen=True)
class _Wording:
    """What fills [X] and [Y] of the phrasings, and whether [X] is the head."""

    x: str
    y: str
    forward: bool
    others: tuple[str, ...]


def _wording(pair: Pair) -> _Wording:
    by_id, by_key = _index()
    named = by_id.get(pair.relation or "")
    parties = find_parties(pair)
    key = key_of(parties.premise)
    for forward in (True, False):
        at = key if forward else _exchanged(key)
        relation = by_key.get(at)
        if named is not None and at not in map(key_of, named.phrasings):
            continue
        relation = named or relation
        if relation is not None:
            return _of(relation, parties, forward, at, sure=named is not None)
    if pair.relation in RELATION_BY_ID:
        raise NothingToMakeError(_ONE)
    if named is not None and pair.head and pair.tail:
        return _of(named, parties, True, key, sure=True)
    raise NothingToMakeError(_UNKNOWN)


def _of(relation: BankRelation, parties: Parties, forward: bool, at: str, sure: bool) -> _Wording:
    x, y = (parties.x, parties.y) if forward else (parties.y, parties.x)
    for name, kinds in ((x, relation.head), (y, relation.tail)):
        if not _fits_number(name, kinds) or not (sure or _fits_kind(name, kinds)):
            raise NothingToMakeError(_UNFIT)
    # Each of the two stands in each place, in premise or hypothesis.
    for name, kinds in ((y, relation.head), (x, relation.tail)):
        if not _fits_number(name, kinds):
            raise NothingToMakeError(_UNFIT)
    # "[X] is [Y]'s son": its words are about one sex alone.
    for sex in ("man", "woman"):
        of_one_sex = relation.head == relation.tail == (sex,)
        if of_one_sex and not all(sex in kinds_of(name) for name in (x, y)):
            raise NothingToMakeError(_UNFIT)
    others = tuple(text for text in relation.phrasings if key_of(text) != at)
    return _Wording(x, y, forward, others)


def _fits_number(name: str, kinds: Iterable[str]) -> bool:
    """Whether phrasings made for some kinds are right for one thing or for several."""
    return any((kind in PLURAL_KINDS) == is_plural(name) for kind in kinds)


def _fits_kind(name: str, kinds: Iterable[str]) -> bool:
    """Whether an entity can be of one of some kinds; a name that is not known can be of most."""
    wanted, known = set(kinds), set(kinds_of(name))
    if known:
        return bool(known & wanted or (known & PEOPLE and wanted & PEOPLE))
    names = {"person", "woman", "man", "city", "country", "region", "company", "team"}
    return name[:1].isupper() and bool(wanted & names)


def key_of(frame: str) -> str:
    """A phrasing in small letters without its punctuation, to be compared."""
    return " ".join(re.sub(r"[^\w\[\]]+", " ", frame.casefold()).split())


def _exchanged(key: str) -> str:
    return key.replace("[x]", "[]").replace("[y]", "[x]").replace("[]", "[y]")


@cache
def _index() -> tuple[dict[str, BankRelation], dict[str, BankRelation]]:
    """The relations of the bank by id, and by each of their phrasings."""
    relations = shipped_bank().relations
    by_key = {key_of(text): relation for relation in relations for text in relation.phrasings}
    by_id = {relation.id: relation for relation in relations}
    return by_id, by_key
