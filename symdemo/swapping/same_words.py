"""When two words of two sentences count as one: what a swap may rightly change, and nothing more.

Two degrees. A party that moves keeps its words but for pronoun case, capitals and one typing error
in a long word (`same_party`). What stands around the parties may also agree with another subject,
or speak of it with another pronoun (`same_frame`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from symdemo.swapping import words

THIRD_PERSONS = words.word_set("he she it they")
LONG_WORD = 7
"""Letters from which on a word may hold a typing error; shorter ones are other words too often."""

_POSSESSIVES = {"mine": "i", "yours": "you", "hers": "she", "ours": "we", "theirs": "they"}
_PERSON_OF = {form.lower(): row[0].lower() for row in words.PRONOUNS for form in row} | _POSSESSIVES
_GROUPS = (
    "am is are 'm 're 's",
    "have has 've 's",
    "was were",
    "will 'll",
    "had 'd",
    "would 'd",
    "this these",
    "that those",
    "who which that",
    "someone something",
    " ".join(sorted(words.REFLEXIVES)),
)
_IN_GROUPS = {
    word: frozenset(n for n, group in enumerate(_GROUPS) if word in group.split())
    for group in _GROUPS
    for word in group.split()
}

_TOKEN = re.compile(r"(?:\w(?:[\w'./&+–-]*\w)?'?|[^\w\s'\"“”().,;:!?…\[\]–—-])(?P<comma>,(?!\d))?")
_CONTRACTED = re.compile(r"(?<=\w)(n't|'(?:s|m|re|ve|ll|d))$", re.IGNORECASE)
_BEFORE_NOT = {"ca": "can", "wo": "will", "sha": "shall", "can": "can"}
# After these 's is a verb always.
_TAKES_VERB = words.word_set("i you he she it we they that there here who what this where how")


@dataclass(frozen=True, slots=True)
class Word:
    """A word as typed; words with one key are one word."""

    text: str
    key: str
    person: str = ""
    """The nominative of a personal or possessive pronoun ("she" of "hers"), else empty."""
    owner: bool = False
    """Whether a possessive mark follows."""
    comma: bool = False


def read(sentence: str, *, verbal: bool) -> tuple[Word, ...]:
    """The words of a sentence, without other punctuation than commas, contractions taken apart.

    Args:
        sentence: any text.
        verbal: take an 's after a noun for "is" or "has", not for a possessive mark.
    """
    found: list[Word] = []
    for match in _TOKEN.finditer(sentence.replace("’", "'").replace("‘", "'")):
        comma = bool(match["comma"])
        token = match[0].removesuffix(",") if comma else match[0]
        found += _taken_apart(token, comma, verbal)
    return tuple(found)


def _taken_apart(token: str, comma: bool, verbal: bool) -> list[Word]:
    """A token as one word, or as the two that it contracts."""
    match = _CONTRACTED.search("can" + "n't" if token.lower() == "cannot" else token)
    if match is None:
        return [_word(token.rstrip("'"), token.endswith("'"), comma)]
    stem, ending = match.string[: match.start()], match[1].lower()
    if ending == "n't":
        stem = _BEFORE_NOT.get(stem.lower(), stem)
        return [_word(stem), Word("not", "not", comma=comma)]
    if ending == "'s" and not verbal and stem.lower() not in _TAKES_VERB:
        return [_word(stem, True, comma)]
    return [_word(stem), Word(ending, ending, comma=comma)]


def _word(text: str, owner: bool = False, comma: bool = False) -> Word:
    low = text.lower()
    # US and IT are names.
    if low in _POSSESSIVES or words.is_pronoun(text):
        return Word(text, f"<{_PERSON_OF[low]}>", _PERSON_OF[low], comma=comma)
    return Word(text, "a" if low == "an" else low, owner=owner, comma=comma)


def same_party(one: Word, two: Word) -> bool:
    """Whether two words are one, up to capitals, pronoun case and a typing error."""
    return one.key == two.key or is_misspelt(one.key, two.key)


def same_frame(one: Word, two: Word) -> bool:
    """Whether two words outside the parties are one, up to agreement and pronouns as well.

    Any pronoun may stand for any other here: whether the parties ask for it is for
    `symdemo.swapping.blocks` to say.
    """
    a, b = one.key, two.key
    if a == b or (one.person and two.person) or is_misspelt(a, b):
        return True
    if a in _IN_GROUPS and b in _IN_GROUPS:
        return bool(_IN_GROUPS[a] & _IN_GROUPS[b])
    return words.third_person(a) == b or words.third_person(b) == a


def is_misspelt(one: str, two: str) -> bool:
    """Whether two long words are one with a letter too many, too few, wrong, or two exchanged.

    They must begin alike and end alike: an ending changes the meaning (loves, loved), and so does
    a beginning (known, unknown).
    """
    short, long = sorted((one, two), key=len)
    if len(long) < LONG_WORD or len(long) - len(short) > 1 or not (one + two).isalpha():
        return False
    start = 0
    while start < len(short) and short[start] == long[start]:
        start += 1
    end = 0
    while end < len(short) - start and short[-1 - end] == long[-1 - end]:
        end += 1
    if start < 1 or end < 3:
        return False
    left, right = short[start : len(short) - end], long[start : len(long) - end]
    return len(right) <= 1 or left == right[::-1]
