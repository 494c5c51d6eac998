"""Are two different words one, with a typing error? By their letters, and by the dictionary.

A slip of one letter leaves a word that is in no dictionary (mayro, tahn); where both words are
known, the letter makes another word (loves and loved, window and widow).
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from symdemo.errors import ModelError
from symdemo.swapping.reading.lexicon import (
    CLOSED_CLASS,
    FUNCTION_WORDS,
    RELATIVES,
    word_set,
)
from symdemo.swapping.reading.pipeline import lookups

_OTHERS = word_set("me us them him am mine yours hers ours theirs but nor")
_FUNCTION_WORDS = FUNCTION_WORDS | CLOSED_CLASS | RELATIVES | _OTHERS
_ENDINGS = (
    ("s", ""), ("es", ""), ("ies", "y"), ("ed", ""), ("ed", "e"), ("ied", "y"), ("ing", ""),
    ("ing", "e"), ("er", ""), ("er", "e"), ("ier", "y"), ("est", ""), ("est", "e"), ("iest", "y"),
    ("ly", ""), ("men", "man"),
)  # fmt: skip
_CHANGING_Y = re.compile(r"[^aeiou]y$")
"""After this an ending changes the y: carried, not "carryed"."""
_DOUBLED = re.compile(r"[^aeiou][aeiou]([^aeiouwxy])\1$")
_DOUBLES = re.compile(r"^[^aeiou]*[aeiou][^aeiouwxy]$")
"""After this an ending that begins with a vowel doubles the consonant: bigger, not "biger"."""
_SLIPS = {"teh": "the", "hte": "the", "adn": "and", "nad": "and"}
"""Slips that a large dictionary has as words."""
_CONFUSED = tuple(
    frozenset(pair.split())
    for pair in ("than then", "their there", "to too", "of off", "lose loose", "your youre")
)
"""Words that sound alike and are typed for one another."""


@lru_cache(maxsize=4096)
def is_misspelt(one: str, two: str, *, name: bool = False) -> bool:
    """Whether one of two different lower-cased words is the other with one slip of the keys.

    A slip is two neighbours exchanged, or a letter doubled, too many, too few or wrong. Many names
    differ by a letter, so a name must be longer for that, and longer still if it is in no
    dictionary, and must begin and end alike.
    """
    if {one, two} in _CONFUSED or _SLIPS.get(one) == two or _SLIPS.get(two) == one:
        return True
    short, long = sorted((one, two), key=len)
    if len(long) - len(short) > 1 or not (one + two).isalpha():
        return False
    start, end = _alike(short, long)
    left, right = short[start : len(short) - end], long[start : len(long) - end]
    exchanged = len(right) == 2 and left == right[::-1]
    doubled = not left and right == long[start - 1 : start]
    known = is_word(one) + is_word(two)
    if known == 2 or (not exchanged and len(right) != 1):
        return False
    if exchanged or doubled:
        return len(long) >= (5 if name or not known else 3)
    if known and not name:
        return len(long) >= 4
    return len(long) >= 7 - known and start >= 1 and end >= 2 - known


def _alike(one: str, two: str) -> tuple[int, int]:
    """How many letters two words share at their starts, and at their ends beyond those."""
    shorter = min(len(one), len(two))
    start = next((n for n in range(shorter) if one[n] != two[n]), shorter)
    rest = shorter - start
    end = next((n for n in range(rest) if one[-1 - n] != two[-1 - n]), rest)
    return start, end


def is_word(word: str) -> bool:
    """Whether the parser's dictionary has a lower-cased word, or what it is an inflection of.

    Without the parser no word is known, and only long words are compared.
    """
    known = _dictionary()
    if word in known or word in _FUNCTION_WORDS:
        return True
    for ending, base in _ENDINGS:
        if word.endswith(ending):
            stem = word.removesuffix(ending) + base
            if _CHANGING_Y.search(stem) and not base and ending[0] in "se":
                continue
            if ending[0] in "ei" and ending != "es" and not base and _DOUBLES.search(stem):
                continue
            if stem in known or (_DOUBLED.search(stem) and stem[:-1] in known):
                return True
    return False


@cache
def _dictionary() -> frozenset[str]:
    try:
        named = lookups()
    except ModelError:
        return frozenset()
    tables = (named.get_table(name) for name in ("lemma_index", "lemma_exc"))
    return frozenset(word for table in tables for listed in table.values() for word in listed)
