"""Other entities of the same kind, or opaque ids, in place of the two arguments of a pair."""

from __future__ import annotations

import random
import re
import threading
from collections import defaultdict
from dataclasses import replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from symdemo.analysis.counterfactuals.arguments import (
    ArgumentFrames,
    exchange_places,
    find_arguments,
    locate,
)
from symdemo.analysis.counterfactuals.kinds import (
    DELEXICALIZED,
    ENTITIES,
    Counterfactual,
    NothingToMakeError,
    changed,
)
from symdemo.analysis.counterfactuals.statements import person_of, ways_to_read
from symdemo.data.bank import BEINGS, shipped_bank
from symdemo.data.relations import Entity, load_facts
from symdemo.pairs import Pair
from symdemo.swapping import lexicon
from symdemo.swapping.exchange import agree
from symdemo.swapping.lexicon import word_set
from symdemo.swapping.mentions import Clause, Edit, Place, apply, gender_of
from symdemo.swapping.parsing import PIPELINE, knows_noun, open_pipeline
from symdemo.swapping.words import base_form, is_animate_noun

if TYPE_CHECKING:
    from spacy.language import Language

PEOPLE = frozenset({"person", "woman", "man", "role"})
PLURAL_KINDS = frozenset({"group", "species", "animal_species"})
MADE = 3
"""Counterfactuals with other entities per pair."""
_ATTEMPTS = 60
_TOO_FEW = "Too few other things of this kind are known."
_GENDERED = word_set("he she him her his hers himself herself")
_OWNED = re.compile(r"\b(?:his|her|their)\b")
_OPENING = re.compile(r"^(?:the|an?|my|our|your|his|her|their) ", re.IGNORECASE)
_OF_ENTITY_TYPE = {"PERSON": ("person",), "GPE": ("city",), "ORG": ("company",)}
_LOCK = threading.Lock()


def other_entities(pair: Pair, made: int = MADE) -> list[Counterfactual]:
    """Return up to `made` pairs about entities of the bank; the same ones each time.

    An entity is replaced by one of its kind and number, so that verbs still agree, and of its sex
    if the sentence says "she" or "brother".

    Raises:
        NothingToMakeError: There are no two arguments, or the kind of one is unknown.
    """
    arguments = find_arguments(pair)
    pools = _pools_for(arguments, pair)
    rng = random.Random(f"{pair.premise}|{pair.hypothesis}")
    found: dict[Pair, Counterfactual] = {}
    used = _words(arguments.x) | _words(arguments.y)
    for _ in range(_ATTEMPTS):
        x, y = (rng.choice(pool) for pool in pools)
        if len(found) == made:
            break
        if _words(x) & _words(y) or (_words(x) | _words(y)) & used:
            continue
        how = f"About {x} and {y} instead."
        one = changed(ENTITIES, pair, arguments.fill(x, y), how, (x, y))
        found[one.pair] = one
        used |= _words(x) | _words(y)
    if not found:
        raise NothingToMakeError(_TOO_FEW)
    return list(found.values())


def _words(entity: str) -> set[str]:
    words = re.findall(r"\w+", entity.casefold())
    return {word for word in words if len(word) > 3 or word[0:1].isdigit()}


def _pools_for(arguments: ArgumentFrames, pair: Pair) -> list[list[str]]:
    """Return the entities that may replace each of the two arguments."""
    names = (arguments.x, arguments.y)
    kinds = [kinds_of(name, pair.premise, pair.hypothesis) for name in names]
    for name, own in zip(names, kinds, strict=True):
        if not own:
            raise NothingToMakeError(f"It is not known what kind of thing “{name}” is.")
    # The narrowest kind that both are of: Baker Street is a landmark, too.
    entities = shipped_bank().entities
    shared = sorted(set(kinds[0]) & set(kinds[1]), key=lambda kind: len(entities[kind]))
    words = re.findall(r"[a-z]+", f"{arguments.premise} {arguments.hypothesis}".lower())
    gendered = any(word in _GENDERED or gender_of(word) for word in words)
    pools = []
    for name, own in zip(names, kinds, strict=True):
        kind = shared[0] if shared else next((k for k in own if k in BEINGS), own[0])
        pools.append(_pool(name, own, kind, gendered))
    return pools


def _pool(name: str, own: tuple[str, ...], kind: str, gendered: bool) -> list[str]:
    """Return entities of the kind and number of one, and of its sex if that matters."""
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
        raise NothingToMakeError(_TOO_FEW)
    return pool


def delexicalize(pair: Pair) -> list[Counterfactual]:
    """Replace both entities by opaque ids, as in the paper: “Q3870 borders Q114.”

    Ids are those of our facts if known, else made up (QX…).
    """
    arguments = find_arguments(pair)
    sentences = [_in_singular(text, arguments) for text in (pair.premise, pair.hypothesis)]
    repaired = locate(Pair(sentences[0], sentences[1]), arguments.x, arguments.y) or arguments
    if arguments.hypothesis == exchange_places(arguments.premise):
        # The parser may fail on the hypothesis: "Deer hunt wolves."
        repaired = replace(repaired, hypothesis=exchange_places(repaired.premise))
    ids = _entity_id(arguments.x), _entity_id(arguments.y)
    how = "Both names replaced by ids."
    return [changed(DELEXICALIZED, pair, repaired.fill(*ids), how, ids)]


def _entity_id(name: str) -> str:
    return Entity(name, _ids().get(name.casefold(), "")).name_without_words


@cache
def _ids() -> dict[str, str]:
    known: dict[str, str] = {}
    for fact in load_facts():
        for entity in (fact.head, fact.tail):
            if entity.id:
                known.setdefault(entity.label.casefold(), entity.id)
    return known


def _in_singular(sentence: str, arguments: ArgumentFrames) -> str:
    """Put verbs with a plural argument as subject into the singular: an id is one thing."""
    names = {arguments.x.casefold(), arguments.y.casefold()}
    for reading in ways_to_read(sentence)[:1]:
        clause = Clause(sentence, reading.doc)
        edits: list[Edit] = []
        for phrase in reading.arguments:
            place = Place(clause, phrase)
            if place.text.casefold() in names and person_of(phrase) == "plural":
                edits += agree(clause, phrase, "singular", changed=False)
        return apply(sentence, list(dict.fromkeys(edits)))
    return sentence


def kinds_of(entity: str, *sentences: str) -> tuple[str, ...]:
    """Return the kinds of the bank that an entity is of, the likeliest first; () if unknown.

    Args:
        entity: As it occurs inside a sentence.
        sentences: Searched for named entities if the words alone do not tell.
    """
    known = _known_kinds()[0].get(entity.casefold())
    if not known and _is_name(entity) and " " not in entity:
        genders = {"she": ("woman", "person"), "he": ("man", "person")}
        known = genders.get(gender_of(entity))
    if known:
        return known
    if not _is_name(entity):
        return () if "'" in entity or "’" in entity else _kinds_of_noun(entity)
    types = {_entity_types(sentence).get(entity, "") for sentence in sentences}
    # spaCy takes single given names for companies: "Katrin", "Pavel".
    if len(types) != 1 or (types == {"ORG"} and " " not in entity):
        return ()
    return _OF_ENTITY_TYPE.get(types.pop(), ())


@cache
def _known_kinds() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Return kinds by entity, and by head noun of the entities that are common nouns."""
    entities: dict[str, dict[str, None]] = defaultdict(dict)
    heads: dict[str, dict[str, None]] = defaultdict(dict)
    for kind, pool in shipped_bank().entities.items():
        for entity in pool:
            entities[entity.casefold()][kind] = None
            if not _is_name(entity) and kind not in {"number", "word", "statement"}:
                heads[head_word(entity)][kind] = None
    return tuple({k: tuple(v) for k, v in table.items()} for table in (entities, heads))  # type: ignore[return-value]


def _is_name(entity: str) -> bool:
    return any(word[:1].isupper() for word in entity.split())


def head_word(entity: str) -> str:
    """Return the last word before any preposition: boy in "the boy in the red coat"."""
    words = _OPENING.sub("", entity.casefold()).split()
    stop = next((n for n, w in enumerate(words) if n and w in lexicon.PREPOSITIONS), len(words))
    return words[stop - 1] if words else ""


def _kinds_of_noun(entity: str) -> tuple[str, ...]:
    """Return the kinds of a common noun: those of its head noun in the bank, or by meaning."""
    head = head_word(entity)
    known = _known_kinds()[1].get(head, ())
    if is_plural(entity):
        alike = tuple(kind for kind in known if kind in PLURAL_KINDS)
        people = is_animate_noun(base_form(head)) and base_form(head) not in lexicon.ANIMALS
        return alike or (("group",) if people else ())
    if head in lexicon.ANIMALS:
        return ("animal",)
    if alike := tuple(kind for kind in known if kind not in PLURAL_KINDS):
        return alike
    being = is_animate_noun(head) and head not in lexicon.GROUPS and _OPENING.match(entity)
    return ("role",) if being else ()


def is_plural(entity: str) -> bool:
    """True if an entity takes a plural verb."""
    if " and " in entity and entity.casefold() not in lexicon.DOUBLE_NAMES:
        return True
    head = head_word(entity)
    if head in lexicon.PLURAL_NOUNS:
        return True
    if head in lexicon.SINGULAR_NAMES or not re.search(r"[^siu']s$", head):
        return False
    if _is_name(entity):
        return entity.casefold().startswith("the ")
    return knows_noun(base_form(head)) and not knows_noun(head)


@cache
def _name_finder() -> Language:
    return open_pipeline(PIPELINE, enable=["ner"])


@lru_cache(maxsize=256)
def _entity_types(sentence: str) -> dict[str, str]:
    """Return spaCy's entity type for each name in a sentence."""
    if not sentence:
        return {}
    with _LOCK:
        return {found.text: found.label_ for found in _name_finder()(sentence).ents}
