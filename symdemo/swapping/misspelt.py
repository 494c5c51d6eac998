"""Are two different words one, with a typing error? By their letters, and by the dictionary.

A slip of one letter leaves a word that is in no dictionary (mayro, tahn); where both words are
known, the letter makes another word (loves and loved, window and widow).
"""

from __future__ import annotations

from functools import cache, lru_cache

from symdemo.errors import ModelError
from symdemo.swapping import words
from symdemo.swapping.pipeline import pipeline

SHORTEST = 4
"""Letters of the longer word from which on a slip can be told from another word."""
SHORTEST_NAME, SHORTEST_UNKNOWN = 6, 7
"""The same for names, of which many differ by a letter, and for names that no dictionary has."""

_CLOSED = words.FUNCTION_WORDS | words.ADJUNCT_PREPOSITIONS | words.word_set(
    "and or but nor not than that which who whom whose what is are was were am been being has have "
    "had does did will would can could may might must shall should with from of into onto about "
    "between me us them him mine yours hers ours theirs"
)  # fmt: skip
_ENDINGS = (
    ("s", ""), ("es", ""), ("ies", "y"), ("d", ""), ("ed", ""), ("ied", "y"), ("ing", ""),
    ("ing", "e"), ("r", ""), ("er", ""), ("ier", "y"), ("st", ""), ("est", ""), ("iest", "y"),
    ("ly", ""), ("men", "man"),
)  # fmt: skip


@lru_cache(maxsize=4096)
def is_misspelt(one: str, two: str, *, name: bool = False) -> bool:
    """Whether one of two different lower-cased words is the other with one slip of the keys.

    A slip is two neighbours exchanged, a letter doubled or not, and, in names of some length only,
    any letter too many, too few or wrong.
    """
    short, long = sorted((one, two), key=len)
    if len(long) < SHORTEST or len(long) - len(short) > 1 or not (one + two).isalpha():
        return False
    start, end = _alike(short, long)
    left, right = short[start : len(short) - end], long[start : len(long) - end]
    exchanged = len(right) == 2 and left == right[::-1]
    if len(right) > 1 and not exchanged:
        return False
    known = is_word(one) + is_word(two)
    if exchanged or (not left and right == long[start - 1 : start]):
        return known == 1 or (known == 0 and len(long) > SHORTEST)
    if known == 1 and not name:
        return True
    shortest = SHORTEST_NAME if known else SHORTEST_UNKNOWN
    # Marina and Martina: two names differ by a letter as well, and mostly at an end.
    return known < 2 and len(long) >= shortest and start >= 1 and end >= 2 - known


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
    if word in known or word in _CLOSED:
        return True
    for ending, base in _ENDINGS:
        if word.endswith(ending):
            stem = word.removesuffix(ending) + base
            doubled = len(stem) > 2 and stem[-1] == stem[-2]
            if stem in known or (doubled and stem[:-1] in known):
                return True
    return False


@cache
def _dictionary() -> frozenset[str]:
    try:
        lookups = pipeline().get_pipe("lemmatizer").lookups
    except ModelError:
        return frozenset()
    tables = (lookups.get_table(name) for name in ("lemma_index", "lemma_exc"))
    return frozenset(word for table in tables for listed in table.values() for word in listed)
