"""Compare words of two sentences: what a swap may change, and nothing more.

Words of an argument that moves stay the same but for capitals and pronoun case (`same_word`). Words
of the frame around the arguments may also agree with another subject, or refer to it with another
pronoun (`same_frame`). A word with a typing error counts as the word that was meant.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from unicodedata import combining, normalize

from symdemo.swapping import lexicon
from symdemo.swapping.words import (
    ABSOLUTES,
    POSSESSIVES,
    PRONOUNS,
    REFLEXIVES,
    is_pronoun,
    is_word,
    third_person,
)

THIRD_PERSONS = lexicon.word_set("he she it they")
MOST_LEFT_OVER = 8
"""Most words of one sentence alone among which a typing error is looked for."""
LONGEST_ABBREVIATION = 8
"""Most characters of a text in capitals that is no sentence ("A = B", "NATO")."""

_NEVER_NAMES = ABSOLUTES - POSSESSIVES
"""Pronouns also in capitals: MINE, THEIRS."""
_PERSON_OF = {form.lower(): row[0].lower() for row in PRONOUNS for form in row}
_AGREEING = (
    "am is are 'm 're 's | have has 've 's | was were | will 'll | had 'd | would 'd | this these |"
    "that those | who which that | someone something | child children | wife wives | man men |"
    "woman women |" + " ".join(REFLEXIVES)
)
_GROUPS = _AGREEING.split("|")
_GROUPS_OF = {
    word: frozenset(group for group in _GROUPS if word in group.split())
    for word in _AGREEING.replace("|", " ").split()
}

_TOKEN = re.compile(
    r"(?:\w(?:(?:[\w'./&+–-]|(?<=\d),(?=\d))*\w)?'?|[^\w\s'\"“”().,;:!?…\[\]–—-])(?P<comma>,(?!\d))?"
)
_HYPHEN = re.compile(r"(?<=[^\W\d]{2})-(?=[^\W\d]{2})")
_CONTRACTED = re.compile(r"(?<=\w)(n't|'(?:s|m|re|ve|ll|d))$", re.IGNORECASE)
_VERBS = lexicon.word_set("is are was were do does did has have had could would should")
_UNMARKED = {f"{verb}nt": f"{verb}n't" for verb in _VERBS} | {
    "cant": "can't", "wont": "won't", "cannot": "cann't", "im": "I'm", "ive": "I've",
    "youre": "you're", "theyre": "they're",
}  # fmt: skip
"""Contractions without their apostrophe, and "cannot"."""
_WRITTEN_OTHERWISE = {"an": "a", "&": "and"}
_BEFORE_NOT = {"ca": "can", "can": "can", "wo": "will", "sha": "shall", "ai": "is"}
# After these 's is a verb always.
_TAKES_VERB = lexicon.word_set("i you he she it we they that there here who what this where how")


@dataclass(frozen=True, slots=True)
class Word:
    """A word as typed; words with one key are one word."""

    text: str
    key: str
    person: str = ""
    """The nominative of a personal or possessive pronoun ("she" of "hers"), else empty."""
    owner: bool = False
    """True if a possessive mark follows."""
    comma: bool = False
    forms: frozenset[str] = frozenset()
    """Groups that the word agrees with; words that share a group are one in the frame."""
    start: int = field(default=0, compare=False)
    stop: int = field(default=0, compare=False)
    """Its place in the text; that of a contracted word is a guess."""

    @property
    def capital(self) -> bool:
        """True if it begins with a capital: within a sentence, a name."""
        return self.text[:1].isupper()


Sentence = tuple[Word, ...]


def read(sentence: str, *, verbal: bool) -> Sentence:
    """Split a text into words, without punctuation but commas, and contractions into two.

    `verbal` takes an 's after a noun for "is" or "has", not for a possessive mark.
    """
    found: list[Word] = []
    sentence = sentence.replace("’", "'").replace("‘", "'")
    if sentence.isupper() and len(sentence) > LONGEST_ABBREVIATION:
        sentence = sentence.lower()  # all in capitals, which then mark no names
    for match in _TOKEN.finditer(sentence):
        comma = match["comma"] is not None
        at = match.start()
        for word in _taken_apart(match[0].removesuffix(","), comma, verbal):
            stop = min(at + len(word.text), match.end())
            found.append(replace(word, start=at, stop=stop))
            at = stop
    return tuple(found)


def _taken_apart(token: str, comma: bool, verbal: bool) -> list[Word]:
    """Return a token as one word, or as the two that it contracts."""
    match = _CONTRACTED.search(_UNMARKED.get(token.lower(), token))
    if match is None:
        return [_word(token.rstrip("'"), token.endswith("'"), comma)]
    stem, ending = match.string[: match.start()], match[1].lower()
    if ending == "n't":
        return [_word(_BEFORE_NOT.get(stem.lower(), stem)), _word("not", comma=comma)]
    if ending == "'s" and not verbal and stem.lower() not in _TAKES_VERB:
        return [_word(stem, True, comma)]
    return [_word(stem), _word(ending, comma=comma)]


def _word(text: str, owner: bool = False, comma: bool = False) -> Word:
    low = text.lower()
    # US and IT are names.
    if low in _NEVER_NAMES or is_pronoun(text):
        person = _PERSON_OF[low]
        return Word(text, f"<{person}>", person, comma=comma, forms=frozenset({"pronoun"}))
    key = _WRITTEN_OTHERWISE.get(low) or _HYPHEN.sub("", low)
    if not key.isascii():  # São Paulo is typed as Sao Paulo
        key = "".join(c for c in normalize("NFKD", key) if not combining(c))
    forms = _GROUPS_OF.get(key) or frozenset({key, third_person(key)})
    return Word(text, key, owner=owner, comma=comma, forms=forms)


def same_word(one: Word, two: Word) -> bool:
    """True if two words are one, up to capitals and pronoun case."""
    return one.key == two.key


def same_words(one: Sequence[Word], two: Sequence[Word]) -> bool:
    """True if two stretches are the same words, as arguments."""
    return len(one) == len(two) and all(map(same_word, one, two))


def same_frame(one: Word, two: Word) -> bool:
    """True if two words outside the arguments are one, up to agreement and pronouns as well.

    Any two pronouns count as one here; `blocks.pronouns_agree` checks them.
    """
    return one.key == two.key or not one.forms.isdisjoint(two.forms)


def with_slips_corrected(one: Sequence[Word], two: Sequence[Word]) -> Sentence:
    """Return the second sentence with the words of the first where either has a typing error."""
    spare = [one[place] for place in left_over(one, two)]
    unmatched = [two[place] for place in left_over(two, one)]
    if max(len(spare), len(unmatched)) > MOST_LEFT_OVER:
        return tuple(two)
    return tuple(_corrected(word, spare) if word in unmatched else word for word in two)


def left_over(one: Sequence[Word], two: Sequence[Word]) -> list[int]:
    """Return the places of the words of the first that the second has not, or not as often."""
    there = Counter(word.key for word in two)
    left = []
    for place, word in enumerate(one):
        there[word.key] -= 1
        if there[word.key] < 0:
            left.append(place)
    return left


def _corrected(word: Word, others: Sequence[Word]) -> Word:
    """Return the word, or the one of the others that it is with a typing error."""
    for other in others:
        if is_misspelt(word.key, other.key, name=word.capital or other.capital):
            return replace(word, key=other.key, forms=other.forms)
    return word


_SLIPS = {"teh": "the", "hte": "the", "adn": "and", "nad": "and"}
"""Slips that a large dictionary has as words."""
_CONFUSED = tuple(
    frozenset(pair.split())
    for pair in ("than then", "their there", "to too", "of off", "lose loose", "your youre")
)
"""Words that sound alike and are typed for each other."""


@lru_cache(maxsize=4096)
def is_misspelt(one: str, two: str, *, name: bool = False) -> bool:
    """True if one of two different lower-cased words is the other with one slip of the keys.

    A slip is two neighbours exchanged, or a letter doubled, too many, too few or wrong. Many names
    differ by a letter, so a name must be longer for that, and longer still if it is in no
    dictionary, and must begin and end alike.
    """
    if {one, two} in _CONFUSED or _SLIPS.get(one) == two or _SLIPS.get(two) == one:
        return True
    short, long = sorted((one, two), key=len)
    if len(long) - len(short) > 1 or not (one + two).isalpha():
        return False
    start = _shared(short, long)
    end = _shared(short[start:][::-1], long[start:][::-1])
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


def _shared(one: str, two: str) -> int:
    """Count the letters that two words have in common at their starts."""
    pairs = enumerate(zip(one, two, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(two)))
