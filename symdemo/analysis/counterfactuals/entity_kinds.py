"""What kind of thing an entity is, by the pools of the relation bank or by its words."""

from __future__ import annotations

import re
import threading
from collections import defaultdict
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from symdemo.data.bank import shipped_bank
from symdemo.swapping import lexicon
from symdemo.swapping.mentions import gender_of
from symdemo.swapping.parsing import PIPELINE, knows_noun, open_pipeline
from symdemo.swapping.words import base_form, is_animate_noun

if TYPE_CHECKING:
    from spacy.language import Language

PEOPLE = frozenset({"person", "woman", "man", "role"})
PLURAL_KINDS = frozenset({"group", "species", "animal_species"})
_OPENING = re.compile(r"^(?:the|an?|my|our|your|his|her|their) ", re.IGNORECASE)
_OF_ENTITY_TYPE = {"PERSON": ("person",), "GPE": ("city",), "ORG": ("company",)}
_LOCK = threading.Lock()


def kinds_of(entity: str, *sentences: str) -> tuple[str, ...]:
    """The kinds of the bank that an entity is of, the likeliest first; () where none is known.

    Args:
        entity: as it stands inside a sentence.
        sentences: where it stands, to be read for names where the words alone do not tell.
    """
    pools, heads = _pools()
    known = pools.get(entity.casefold()) or _by_gender(entity)
    if known:
        return known
    if not _is_name(entity):
        return () if "'" in entity or "’" in entity else _by_noun(entity, heads)
    types = {_entity_types(sentence).get(entity, "") for sentence in sentences}
    # One word alone is taken for a firm where it is a given name: "Katrin", "Pavel".
    if len(types) != 1 or (types == {"ORG"} and " " not in entity):
        return ()
    return _OF_ENTITY_TYPE.get(types.pop(), ())


@cache
def _pools() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Kinds by entity, and by the last word of those that are common nouns."""
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
    """The last word of a noun phrase before any preposition: "the boy in the red coat", boy."""
    words = _OPENING.sub("", entity.casefold()).split()
    stop = next((n for n, w in enumerate(words) if n and w in lexicon.PREPOSITIONS), len(words))
    return words[stop - 1] if words else ""


def _by_gender(entity: str) -> tuple[str, ...]:
    if not _is_name(entity) or " " in entity:
        return ()
    return {"she": ("woman", "person"), "he": ("man", "person")}.get(gender_of(entity), ())


def _by_noun(entity: str, heads: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The kinds of a common noun: that of a like entity, or by what the noun says of itself."""
    head = head_word(entity)
    if is_plural(entity):
        alike = tuple(kind for kind in heads.get(head, ()) if kind in PLURAL_KINDS)
        people = is_animate_noun(base_form(head)) and base_form(head) not in lexicon.ANIMALS
        return alike or (("group",) if people else ())
    if head in lexicon.ANIMALS:
        return ("animal",)
    alike = tuple(kind for kind in heads.get(head, ()) if kind not in PLURAL_KINDS)
    if alike:
        return alike
    being = is_animate_noun(head) and head not in lexicon.GROUPS and _OPENING.match(entity)
    return ("role",) if being else ()


def is_plural(entity: str) -> bool:
    """Whether an entity asks for a verb in the plural."""
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
    """The names of a sentence with spaCy's type for each."""
    if not sentence:
        return {}
    with _LOCK:
        return {found.text: found.label_ for found in _name_finder()(sentence).ents}
