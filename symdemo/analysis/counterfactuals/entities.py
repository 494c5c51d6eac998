"""Other entities of the same kind in the places of the two."""

from __future__ import annotations

import random
import re

from symdemo.analysis.counterfactuals.entity_kinds import (
    PEOPLE,
    is_plural,
    kinds_of,
)
from symdemo.analysis.counterfactuals.kinds import (
    ENTITIES,
    Counterfactual,
    NothingToMakeError,
    known_label,
)
from symdemo.analysis.counterfactuals.parties import Parties, find_parties
from symdemo.data.bank import BEINGS, shipped_bank
from symdemo.pairs import Pair
from symdemo.swapping.lexicon import word_set
from symdemo.swapping.mentions import gender_of

MADE = 3
"""Counterfactuals with other entities that are made of one pair."""
_ATTEMPTS = 60
_GENDERED = word_set("he she him her his hers himself herself")
_OWNED = re.compile(r"\b(?:his|her|their)\b")


def other_entities(pair: Pair, made: int = MADE) -> list[Counterfactual]:
    """Up to `made` pairs with entities of the bank; the same ones for the same pair each time.

    An entity gives way to one of its kind and number, so that verbs stay right, and of its sex
    where the sentence says "she" or "brother".

    Raises:
        NothingToMakeError: no two entities, or of an unknown kind.
    """
    parties = find_parties(pair)
    pools = _pools(parties, pair)
    rng = random.Random(f"{pair.premise}|{pair.hypothesis}")
    expected = known_label(pair)
    found: dict[Pair, Counterfactual] = {}
    used = _words(parties.x) | _words(parties.y)
    for _ in range(_ATTEMPTS):
        x, y = (rng.choice(pool) for pool in pools)
        if len(found) == made:
            break
        if _words(x) & _words(y) or (_words(x) | _words(y)) & used:
            continue
        premise, hypothesis = parties.fill(x, y)
        new = Pair(premise, hypothesis, expected, pair.relation, x, y)
        found[new] = Counterfactual(ENTITIES, new, expected, f"About {x} and {y} instead.")
        used |= _words(x) | _words(y)
    if not found:
        raise NothingToMakeError("Too few other things of this kind are known.")
    return list(found.values())


def _words(entity: str) -> set[str]:
    return {
        word
        for word in re.findall(r"\w+", entity.casefold())
        if len(word) > 3 or word[0:1].isdigit()
    }


def _pools(parties: Parties, pair: Pair) -> list[list[str]]:
    """What may stand in each of the two places."""
    kinds = [kinds_of(name, pair.premise, pair.hypothesis) for name in (parties.x, parties.y)]
    for name, own in zip((parties.x, parties.y), kinds, strict=True):
        if not own:
            raise NothingToMakeError(f"It is not known what kind of thing “{name}” is.")
    # The narrowest kind that both are of: Baker Street is a landmark, too.
    pools_of = shipped_bank().entities
    shared = sorted(set(kinds[0]) & set(kinds[1]), key=lambda kind: len(pools_of[kind]))
    words = re.findall(r"[a-z]+", f"{parties.premise} {parties.hypothesis}".lower())
    gendered = any(word in _GENDERED or gender_of(word) for word in words)
    pools = []
    for name, own in zip((parties.x, parties.y), kinds, strict=True):
        kind = shared[0] if shared else next((k for k in own if k in BEINGS), own[0])
        pools.append(_pool(name, own, kind, gendered))
    return pools


def _pool(name: str, own: tuple[str, ...], kind: str, gendered: bool) -> list[str]:
    """The entities that can stand for one: of its kind and number, and of its sex if that tells."""
    sex = next((k for k in own if k in {"woman", "man"}), None)
    if sex is not None and kind in {"person", "woman", "man"}:
        kind = sex
    elif gendered and kind in PEOPLE and kind not in {"woman", "man"}:
        raise NothingToMakeError(f"It is not known whether “{name}” is a he or a she.")
    pool = [
        entity
        for entity in shipped_bank().entities[kind]
        if is_plural(entity) == is_plural(name) and not _OWNED.search(entity)
    ]
    if not pool:
        raise NothingToMakeError("Too few other things of this kind are known.")
    return pool
