"""Do two pairs say nearly the same? Up to case, punctuation, one word more, or one misspelt word.

Rows of a template differ in a word, too: “Ann is Bob's mother” and “Eve is Bob's mother”. So one
word in place of another counts only as a misspelling: one letter of at least four is wrong, added,
missing or exchanged with the next; and either the data name the same relation for both rows, or
hardly any other row has the rarer of the two spellings, which for a name is always asked. No figure
may differ, no name may be added, and a “not” changes everything.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Words = tuple[str, ...]

NEGATIONS = frozenset((
    "not", "no", "never", "neither", "nor", "none", "nobody", "nothing", "without", "hardly",
    "isnt", "arent", "wasnt", "werent", "doesnt", "dont", "didnt", "hasnt", "havent", "hadnt",
    "cannot", "cant", "wont",
))  # fmt: skip
SHORTEST_MISSPELT = 4
"""Letters of the shorter spelling, of two that may be the same word."""
SHORTEST_NEGATION = 6
"""The same where one of the two is a negation: “ever” is no misspelt “never”."""
RARE = 2
"""Most rows that may have the rarer spelling, where the relations do not tell."""
NAME_RATIO = 5
"""How many times as many rows must have the other spelling, where the word is a name."""

_APOSTROPHES = str.maketrans("", "", "'’‘`´")
_WORD = re.compile(r"[^\W_]+")


def words_of(text: str) -> Words:
    """The words of a text without case and punctuation; “Bob's” is “bobs”.

    >>> words_of("Ann is Bob's step-mother!")
    ('ann', 'is', 'bobs', 'step', 'mother')
    """
    plain = unicodedata.normalize("NFKC", text).translate(_APOSTROPHES)
    return tuple(_WORD.findall(plain.casefold()))


def one_edit(a: Words, b: Words) -> tuple[Words, Words] | None:
    """What two texts do not share: a word against none, one against one, or two written as one.

    Returns:
        The words of each that the other lacks, both empty where the texts are the same; None where
        more than that differs.
    """
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    end = 0
    while end < min(len(a), len(b)) - start and a[-1 - end] == b[-1 - end]:
        end += 1
    rest = a[start : len(a) - end], b[start : len(b) - end]
    if {len(part) for part in rest} <= {0, 1} or "".join(rest[0]) == "".join(rest[1]):
        return rest
    return None


def one_letter(a: str, b: str) -> bool:
    """Whether one letter more, fewer, other, or exchanged with the next makes `a` into `b`."""
    if len(a) > len(b):
        a, b = b, a
    if a == b or len(b) - len(a) > 1:
        return False
    start = 0
    while start < len(a) and a[start] == b[start]:
        start += 1
    if len(a) < len(b):
        return a[start:] == b[start + 1 :]
    if a[start + 1 :] == b[start + 1 :]:
        return True
    turned = b[start : start + 2][::-1]
    return a[start : start + 2] == turned and a[start + 2 :] == b[start + 2 :]


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """What the words of a data set are like.

    Attributes:
        rows: word → how many rows have it.
        names: words that are mostly written with a capital inside of sentences.
    """

    rows: Counter[str]
    names: frozenset[str]

    @classmethod
    def of(cls, sayings: Sequence[tuple[str, str]]) -> Vocabulary:
        """Of n rows, each a premise and a hypothesis."""
        rows: Counter[str] = Counter()
        inside: Counter[str] = Counter()
        capital: Counter[str] = Counter()
        for saying in sayings:
            seen: set[str] = set()
            for text in saying:
                plain = unicodedata.normalize("NFKC", text).translate(_APOSTROPHES)
                found = _WORD.findall(plain)
                folded = [word.casefold() for word in found]
                seen.update(folded)
                inside.update(folded[1:])
                capital.update(
                    word
                    for word, whole in zip(folded[1:], found[1:], strict=True)
                    if whole[0].isupper()
                )
            rows.update(seen)
        return cls(rows, frozenset(word for word, n in capital.items() if 2 * n > inside[word]))

    def same(self, a: Words, b: Words, same_relation: bool = False) -> bool:
        """Whether two texts say nearly the same, as this module means it.

        Args:
            a: words of one text.
            b: words of the other.
            same_relation: whether the data name the same relation for both.
        """
        edit = one_edit(a, b)
        if edit is None:
            return False
        if "".join(edit[0]) == "".join(edit[1]):
            return True
        if not edit[0] or not edit[1]:
            return self._may_be_added((edit[0] or edit[1])[0])
        return self._misspelt(edit[0][0], edit[1][0], same_relation)

    def _may_be_added(self, word: str) -> bool:
        return word.isalpha() and word not in NEGATIONS and word not in self.names

    def _misspelt(self, a: str, b: str, same_relation: bool) -> bool:
        shortest = SHORTEST_NEGATION if {a, b} & NEGATIONS else SHORTEST_MISSPELT
        if not (a.isalpha() and b.isalpha()) or min(len(a), len(b)) < shortest:
            return False
        if not one_letter(a, b):
            return False
        rarer, commoner = sorted((self.rows[a], self.rows[b]))
        is_name = a in self.names or b in self.names
        if is_name:
            return rarer <= RARE and commoner >= NAME_RATIO * rarer
        return same_relation or rarer <= RARE


def candidate_keys(words: Words) -> tuple[int, np.ndarray, np.ndarray]:
    """Hashes that two texts share if a word, or a letter of one word, is all that differs.

    Returns:
        The hash of the text itself; of the text without each one of its letters, of which two
        texts that differ in a letter share one; and of the text without each one of its words, of
        which one equals the other text's own where that has one word less. Texts may share hashes
        and differ in more: `Vocabulary.same` decides.
    """
    text = " ".join(words)
    letters = {text[:n] + text[n + 1 :] for n, letter in enumerate(text) if not letter.isdigit()}
    without = {" ".join((*words[:n], *words[n + 1 :])) for n in range(len(words))}
    return hash(text), _hashes(letters), _hashes(without)


def _hashes(texts: set[str]) -> np.ndarray:
    return np.fromiter(map(hash, texts), np.int64, len(texts))
