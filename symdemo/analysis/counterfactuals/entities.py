"""Other entities or opaque ids for the arguments of a pair, and other phrasings of its relation."""

from __future__ import annotations

import random
import re
import threading
from collections.abc import Iterable
from dataclasses import replace
from functools import cache, lru_cache, partial

from symdemo.analysis.counterfactuals.statements import (
    Change,
    NothingToMakeError,
    person_of,
    ways_to_read,
)
from symdemo.data.bank import BEINGS, BankRelation, shipped_bank
from symdemo.data.bank_phrasings import exchanged, fill, finish, key_of
from symdemo.data.relations import RELATION_BY_ID, Entity, load_facts
from symdemo.pairs import Pair
from symdemo.swapping import lexicon
from symdemo.swapping.exchange import agree, gender_of
from symdemo.swapping.frames import Frames, exchange_places, find_frames, locate
from symdemo.swapping.lexicon import (
    POSSESSIVES,
    base_form,
    capitalise,
    is_animate_noun,
    is_pronoun,
    word_set,
)
from symdemo.swapping.parsing import PIPELINE, Clause, Edit, apply, knows_noun, open_pipeline
from symdemo.swapping.phrases import Place

PEOPLE = frozenset({"person", "woman", "man", "role"})
PLURAL_KINDS = frozenset({"group", "species", "animal_species"})
MOST_ENTITIES, MOST_PHRASINGS = 3, 10  # counterfactuals per pair
_ATTEMPTS = 60
_GENDERED = word_set("he she him her his hers himself herself")
_OWNED = re.compile(r"\b(?:his|her|their)\b")
_OPENING = re.compile(r"^(?:the|an?|my|our|your|his|her|their) ", re.IGNORECASE)
_OF_ENTITY_TYPE = {"PERSON": ("person",), "GPE": ("city",), "ORG": ("company",)}
_BEFORE = "|".join(sorted(lexicon.DETERMINERS | POSSESSIVES | {"two", "three", "four", "five"}))
_COUNTED = re.compile(
    rf"\b(?P<word>{_BEFORE}) (?P<between>\w+ )?\[(?P<which>[XY])\]", re.IGNORECASE
)
_LOCK = threading.Lock()


def find_arguments(pair: Pair) -> Frames:
    """Return a pair's frames; `NothingToMakeError` unless both sentences have both arguments."""
    if re.search(r"\[[XY]\]", pair.premise + pair.hypothesis):
        raise NothingToMakeError("The placeholder of a template is no name to replace.")
    found = find_frames(pair)
    if found is None or not found.has_both:
        raise NothingToMakeError("Its subject and object were not found in both sentences.")
    if is_pronoun(found.x) or is_pronoun(found.y):
        raise NothingToMakeError("A pronoun is no name to replace.")
    if _is_part_of_phrase(found):
        raise NothingToMakeError("It is not about two single things.")
    return found


def _is_part_of_phrase(frames: Frames) -> bool:
    """True if [X] or [Y] is only part of a noun phrase: "Some [X] are [Y]", "The red [X] is"."""
    for place in _COUNTED.finditer(f"{frames.premise}\n{frames.hypothesis}"):
        name = frames.x if place["which"] == "X" else frames.y
        opening = name.split()[0].lower()
        bare = name.islower() and opening not in lexicon.DETERMINERS | POSSESSIVES
        # "It is true that [X] knows [Y]": before a name "that" is no determiner.
        if bare or (not place["between"] and place["word"].lower() != "that"):
            return True
    return "'s [X]" in f"{frames.premise} {frames.hypothesis}".replace("[Y]", "[X]")


def other_entities(pair: Pair) -> list[Change]:
    """Put other entities of the bank into a pair; the same ones each time.

    An entity is replaced by one of its kind and number, so that verbs still agree, and of its sex
    if the sentence says "she" or "brother".
    """
    arguments = find_arguments(pair)
    pools = _pools_for(arguments, pair)
    rng = random.Random(f"{pair.premise}|{pair.hypothesis}")
    found: list[Change] = []
    used = _words(arguments.x) | _words(arguments.y)
    for _ in range(_ATTEMPTS if all(pools) else 0):
        x, y = (rng.choice(pool) for pool in pools)
        if len(found) < MOST_ENTITIES and not (_words(x) & _words(y) or _words(f"{x} {y}") & used):
            how = f"About {x} and {y} instead."
            found.append(Change(*_filled(arguments, pair, x, y), how, (x, y)))
            used |= _words(f"{x} {y}")
    if not found:
        raise NothingToMakeError("Too few other things of this kind are known.")
    return found


def _filled(frames: Frames, pair: Pair, x: str, y: str) -> tuple[str, str]:
    """Return premise and hypothesis with other entities, capitalised like the pair."""
    first = next((c for c in pair.premise if c.isalnum()), "")
    texts = [fill(frame, x, y) for frame in (frames.premise, frames.hypothesis)]
    premise, hypothesis = texts if first.islower() else map(capitalise, texts)
    return premise, hypothesis


def _words(entity: str) -> set[str]:
    words = re.findall(r"\w+", entity.casefold())
    return {word for word in words if len(word) > 3 or word[0:1].isdigit()}


def _pools_for(arguments: Frames, pair: Pair) -> list[list[str]]:
    """Return the entities that may replace each argument: of its kind, number and known sex."""
    entities = shipped_bank().entities
    kinds = {n: kinds_of(n, pair.premise, pair.hypothesis) for n in (arguments.x, arguments.y)}
    for name, own in kinds.items():
        if not own:
            raise NothingToMakeError(f"It is not known what kind of thing “{name}” is.")
    # The narrowest kind that both are of: Baker Street is a landmark, too.
    both = set.intersection(*map(set, kinds.values()))
    shared = sorted(both, key=lambda kind: len(entities[kind]))
    words = re.findall(r"[a-z]+", f"{arguments.premise} {arguments.hypothesis}".lower())
    gendered = any(word in _GENDERED or gender_of(word) for word in words)
    pools = []
    for name, own in kinds.items():
        kind = shared[0] if shared else next((k for k in own if k in BEINGS), own[0])
        sex = next((k for k in own if k in {"woman", "man"}), None)
        if sex is None and gendered and kind in PEOPLE:
            raise NothingToMakeError(f"It is not known whether “{name}” is a he or a she.")
        pool = [one for one in entities[sex or kind] if is_plural(one) == is_plural(name)]
        pools.append([one for one in pool if not _OWNED.search(one)])
    return pools


def delexicalize(pair: Pair) -> list[Change]:
    """Replace both entities by their ids, or made-up ones (QX…): “Q3870 borders Q114.”"""
    arguments = find_arguments(pair)
    sentences = [_in_singular(text, arguments) for text in (pair.premise, pair.hypothesis)]
    repaired = locate(Pair(sentences[0], sentences[1]), arguments.x, arguments.y) or arguments
    if arguments.hypothesis == exchange_places(arguments.premise):
        # The parser may have misread the hypothesis: "Deer hunt wolves."
        repaired = replace(repaired, hypothesis=exchange_places(repaired.premise))
    ids = tuple(
        Entity(name, _ids().get(name.casefold(), "")).name_without_words
        for name in (arguments.x, arguments.y)
    )
    return [Change(*_filled(repaired, pair, *ids), "Both names replaced by ids.", ids)]


@cache
def _ids() -> dict[str, str]:
    known: dict[str, str] = {}
    for fact in load_facts():
        for entity in (fact.head, fact.tail):
            if entity.id:
                known.setdefault(entity.label.casefold(), entity.id)
    return known


def _in_singular(sentence: str, arguments: Frames) -> str:
    """Put verbs with a plural argument as subject into the singular: an id is one thing."""
    names = {arguments.x.casefold(), arguments.y.casefold()}
    for pair in ways_to_read(sentence)[:1]:
        clause = Clause(sentence, pair.subject.head.doc)
        edits: list[Edit] = []
        for phrase in pair:
            place = Place(clause, phrase)
            if place.text.casefold() in names and person_of(phrase) == "plural":
                edits += agree(clause, phrase, "singular", changed=False)
        return apply(sentence, list(dict.fromkeys(edits)))
    return sentence


def kinds_of(entity: str, *sentences: str) -> tuple[str, ...]:
    """Return an entity's kinds in the bank, the likeliest first; () if unknown.

    If a name alone does not decide, named entities are recognised in the `sentences` that have it.
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
    entities: dict[str, tuple[str, ...]] = {}
    heads: dict[str, tuple[str, ...]] = {}
    for kind, pool in shipped_bank().entities.items():
        for name in dict.fromkeys(entity.casefold() for entity in pool):
            entities[name] = (*entities.get(name, ()), kind)
        if kind not in {"number", "word", "statement"}:
            for head in dict.fromkeys(head_word(entity) for entity in pool if not _is_name(entity)):
                heads[head] = (*heads.get(head, ()), kind)
    return entities, heads


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


_name_finder = cache(partial(open_pipeline, PIPELINE, enable=["ner"]))


@lru_cache(maxsize=256)
def _entity_types(sentence: str) -> dict[str, str]:
    with _LOCK:
        return {found.text: found.label_ for found in _name_finder()(sentence).ents}


def other_phrasings(pair: Pair) -> list[Change]:
    """Put the same entities into other phrasings of the relation.

    The relation is the one that the pair names, by its id in the bank or in Wikidata, or else the
    one that has the premise among its phrasings.
    """
    arguments = find_arguments(pair)
    relation, key, forward = _relation_of(pair, arguments)
    x, y = (arguments.x, arguments.y) if forward else (arguments.y, arguments.x)
    _check_fit(relation, x, y, named=pair.relation == relation.id)
    texts = sorted(text for text in relation.phrasings if key_of(text) != key)
    if len(texts) > MOST_PHRASINGS:
        texts = random.Random(f"{pair.premise}|{pair.hypothesis}").sample(texts, MOST_PHRASINGS)
    ends = (x, y) if forward else (y, x)
    how = "The same said in other words."
    return [Change(finish(fill(text, x, y)), finish(fill(text, y, x)), how, ends) for text in texts]


def _relation_of(pair: Pair, arguments: Frames) -> tuple[BankRelation, str, bool]:
    """Return the bank's relation of a pair, and how the premise states it.

    That is the key of its phrasing, and True if [X] of that phrasing is `arguments.x`, False if it
    is `arguments.y`. Raises `NothingToMakeError` if the bank has no such relation.
    """
    by_id, by_key = _index()
    named = by_id.get(pair.relation or "")
    key = key_of(arguments.premise)
    for forward, at in ((True, key), (False, exchanged(key))):
        if named is not None and at not in map(key_of, named.phrasings):
            continue
        if (relation := named or by_key.get(at)) is not None:
            return relation, at, forward
    if pair.relation in RELATION_BY_ID:
        raise NothingToMakeError("No other wording of this relation is known.")
    if named is not None and pair.head and pair.tail:
        return named, key, True
    raise NothingToMakeError("The relation is not in the bank, so no other wording is known.")


def _check_fit(relation: BankRelation, x: str, y: str, named: bool) -> None:
    """Raise `NothingToMakeError` unless entities x and y suit a relation in both orders."""
    fits = all(
        any((kind in PLURAL_KINDS) == is_plural(name) for kind in kinds)
        for name in (x, y)
        for kinds in (relation.head, relation.tail)
    )
    own = ((x, relation.head), (y, relation.tail))
    fits = fits and (named or all(_fits_kind(name, kinds) for name, kinds in own))
    # "[X] is [Y]'s son" fits one sex only.
    for sex in ("man", "woman"):
        if relation.head == relation.tail == (sex,):
            fits = fits and all(sex in kinds_of(name) for name in (x, y))
    if not fits:
        raise NothingToMakeError(
            "The other wordings that are known are about other kinds of things."
        )


def _fits_kind(name: str, kinds: Iterable[str]) -> bool:
    """True if an entity can be of one of these kinds; an unknown name can be of most."""
    wanted, known = set(kinds), set(kinds_of(name))
    if known:
        return bool(known & wanted or (known & PEOPLE and wanted & PEOPLE))
    names = {"person", "woman", "man", "city", "country", "region", "company", "team"}
    return name[:1].isupper() and bool(wanted & names)


@cache
def _index() -> tuple[dict[str, BankRelation], dict[str, BankRelation]]:
    relations = shipped_bank().relations
    by_key = {key_of(text): relation for relation in relations for text in relation.phrasings}
    by_id = {relation.id: relation for relation in relations}
    return by_id, by_key
