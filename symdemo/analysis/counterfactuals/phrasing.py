"""Other phrasings of the same relation, from the relation bank."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from functools import cache

from symdemo.analysis.counterfactuals.arguments import ArgumentFrames, find_arguments
from symdemo.analysis.counterfactuals.entities import PEOPLE, PLURAL_KINDS, is_plural, kinds_of
from symdemo.analysis.counterfactuals.kinds import (
    PHRASING,
    Counterfactual,
    NothingToMakeError,
    changed,
)
from symdemo.data.bank import BankRelation, shipped_bank
from symdemo.data.bank_phrasings import fill, finish
from symdemo.data.relations import RELATION_BY_ID
from symdemo.pairs import Pair

MADE = 10
"""Phrasings per pair."""
_UNKNOWN = "The relation is not in the bank, so no other wording is known."
_ONE = "No other wording of this relation is known."
_UNFIT = "The other wordings that are known are about other kinds of things."


def other_phrasings(pair: Pair, made: int = MADE) -> list[Counterfactual]:
    """Return up to `made` phrasings of the relation with the same entities.

    The relation is the one that the pair names, by its id in the bank or in Wikidata, or else the
    one that has the premise among its phrasings.

    Raises:
        NothingToMakeError: There is no such relation, or its phrasings do not suit the entities.
    """
    arguments = find_arguments(pair)
    relation, key, forward, named = _relation_of(pair, arguments)
    x, y = (arguments.x, arguments.y) if forward else (arguments.y, arguments.x)
    _check_fit(relation, x, y, named)
    texts = sorted(text for text in relation.phrasings if key_of(text) != key)
    if not texts:
        raise NothingToMakeError(_ONE)
    if len(texts) > made:
        texts = random.Random(f"{pair.premise}|{pair.hypothesis}").sample(texts, made)
    ends = (x, y) if forward else (y, x)
    how = "The same said in other words."
    sentences = [(finish(fill(text, x, y)), finish(fill(text, y, x))) for text in texts]
    return [changed(PHRASING, pair, two, how, ends) for two in sentences]


def _relation_of(pair: Pair, arguments: ArgumentFrames) -> tuple[BankRelation, str, bool, bool]:
    """Return a pair's relation, the key of its phrasing, and two flags.

    The flags are whether the premise's first argument is [X] of that phrasing, and whether the pair
    names the relation.
    """
    by_id, by_key = _index()
    named = by_id.get(pair.relation or "")
    key = key_of(arguments.premise)
    reverse = key.replace("[x]", "[]").replace("[y]", "[x]").replace("[]", "[y]")
    for forward, at in ((True, key), (False, reverse)):
        if named is not None and at not in map(key_of, named.phrasings):
            continue
        if (relation := named or by_key.get(at)) is not None:
            return relation, at, forward, named is not None
    if pair.relation in RELATION_BY_ID:
        raise NothingToMakeError(_ONE)
    if named is not None and pair.head and pair.tail:
        return named, key, True, True
    raise NothingToMakeError(_UNKNOWN)


def _check_fit(relation: BankRelation, x: str, y: str, named: bool) -> None:
    """Raise `NothingToMakeError` unless entities x and y suit a relation in both orders."""
    own = ((x, relation.head), (y, relation.tail))
    exchanged = ((y, relation.head), (x, relation.tail))
    fits = all(_fits_number(name, kinds) for name, kinds in (*own, *exchanged))
    fits = fits and (named or all(_fits_kind(name, kinds) for name, kinds in own))
    # "[X] is [Y]'s son" is about one sex alone.
    for sex in ("man", "woman"):
        if relation.head == relation.tail == (sex,):
            fits = fits and all(sex in kinds_of(name) for name in (x, y))
    if not fits:
        raise NothingToMakeError(_UNFIT)


def _fits_number(name: str, kinds: Iterable[str]) -> bool:
    """True if phrasings made for some kinds have the number of an entity."""
    return any((kind in PLURAL_KINDS) == is_plural(name) for kind in kinds)


def _fits_kind(name: str, kinds: Iterable[str]) -> bool:
    """True if an entity can be of one of some kinds; an unknown name can be of most."""
    wanted, known = set(kinds), set(kinds_of(name))
    if known:
        return bool(known & wanted or (known & PEOPLE and wanted & PEOPLE))
    names = {"person", "woman", "man", "city", "country", "region", "company", "team"}
    return name[:1].isupper() and bool(wanted & names)


def key_of(frame: str) -> str:
    """Return a phrasing in lower case without punctuation, for comparison."""
    return " ".join(re.sub(r"[^\w\[\]]+", " ", frame.casefold()).split())


@cache
def _index() -> tuple[dict[str, BankRelation], dict[str, BankRelation]]:
    """Return the relations of the bank by id, and by each of their phrasings."""
    relations = shipped_bank().relations
    by_key = {key_of(text): relation for relation in relations for text in relation.phrasings}
    by_id = {relation.id: relation for relation in relations}
    return by_id, by_key
