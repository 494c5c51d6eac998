"""Tell whether a hypothesis is its premise with the two arguments exchanged, and nothing else.

Two sentences are compared as sequences of words, without a model and without parsing. A swap
exchanges two blocks X and Y around a frame: a X b Y c becomes a' Y b' X c', where the arguments are
the same up to case (I, me) and the frame up to agreement (`same_words`), and the blocks can be
arguments (`blocks`). For all other pairs the answer says what differs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, pairwise, product

from symdemo.swapping.blocks import (
    Sentence,
    Word,
    are_arguments,
    is_adverb,
    is_adverbial,
    is_argument,
    pronouns_agree,
    read,
    runs,
    same_frame,
    same_word,
    same_words,
    splits,
)
from symdemo.swapping.statements import is_word

LONGEST = 80
"""Most words of a sentence in which an exchange is searched for."""
LONGEST_ADVERBIAL = 8
"""Most words of a phrase that may be first in one sentence and last in the other."""
LONGEST_REPEATED = 4
"""Most words of an argument that occurs more than once."""


@dataclass(frozen=True)
class Exchange:
    """The result of comparing two sentences: is the second the swap, and if not, what differs."""

    is_swap: bool
    difference: str = ""


def exchanged(premise: str, hypothesis: str) -> Exchange:
    """Tell if `hypothesis` is `premise` with its two arguments exchanged and nothing else."""
    as_read = as_words(premise, hypothesis)
    if any(is_swap(one, two) for one, two in as_read):
        return Exchange(True)
    told = [(changes(one, two), one, two) for one, two in as_read]
    changed, one, two = min(told, key=lambda reading: sum(map(len, reading[0])))
    return Exchange(False, describe(one, two, changed, moved(one, two)))


_COMPARED = re.compile(r"\b(than|as) ([\w' ]{1,40}?) (?:am|is|are|was|were|do|does|did)(?=[.!?]*$)")
_HYPHENATED = re.compile(r"(?<=[^\W\d])-(?=[^\W\d])")


def plainer(text: str) -> str:
    """Remove what a writer may leave out: "am" in "older than I am", hyphens ("ex-president")."""
    return _HYPHENATED.sub(" ", _COMPARED.sub(r"\1 \2", text))


def as_words(premise: str, hypothesis: str) -> list[tuple[Sentence, Sentence]]:
    """Return the ways to read both sentences as words, typing errors of the second corrected.

    An 's after a noun is read as possessive and as verb, in each sentence.
    """
    ways = [(premise, hypothesis)]
    if premise.count("-") != hypothesis.count("-") or len(premise) != len(hypothesis):
        ways.append((plainer(premise), plainer(hypothesis)))
    found = []
    for way in dict.fromkeys(ways):
        first, second = (
            dict.fromkeys(read(text, verbal=verbal) for verbal in (False, True)) for text in way
        )
        found += [(one, with_slips_corrected(one, two)) for one, two in product(first, second)]
    return found


def is_swap(one: Sentence, two: Sentence) -> bool:
    """True if two blocks that can be arguments changed places, and nothing else."""
    if max(len(one), len(two)) > LONGEST:
        return False
    ways = chain([(one, two)], without_adverbial(one, two), without_article(one, two))
    return any(
        any(map(are_arguments, splits(*way))) or is_swap_throughout(*way)
        for way in ways
        if len(way[0]) == len(way[1])
    )


def without_adverbial(one: Sentence, two: Sentence) -> Iterator[tuple[Sentence, Sentence]]:
    """Yield both sentences without one part that may move: an adverb, or a phrase at an end."""
    for key in {word.key for text in (one, two) for word in text if is_adverb(word)}:
        first, second = (tuple(word for word in text if word.key != key) for text in (one, two))
        if len(first) == len(one) - 1 and len(second) == len(two) - 1:
            yield first, second
    same = runs(one, two, same_word)
    for i, j in product(range(len(one)), range(len(two))):
        n = same[i][j]
        longest = i == 0 or j == 0 or same[i - 1][j - 1] <= n
        at_end = i in {0, len(one) - n} or j in {0, len(two) - n}
        if 1 < n <= LONGEST_ADVERBIAL and longest and at_end and is_adverbial(one[i : i + n]):
            yield one[:i] + one[i + n :], two[:j] + two[j + n :]


def without_article(one: Sentence, two: Sentence) -> Iterator[tuple[Sentence, Sentence]]:
    """Yield both sentences without the article that one needs: "a friend of", "friends of"."""
    long, short = sorted((one, two), key=len, reverse=True)
    if len(long) - len(short) != 1:
        return
    plurals = {word.key for word in short}
    for n, (article, noun) in enumerate(pairwise(long)):
        if article.key == "a" and noun.key not in plurals and noun.forms & plurals:
            pair = long[:n] + long[n + 1 :], short
            yield pair if long is one else pair[::-1]


def is_swap_throughout(one: Sentence, two: Sentence) -> bool:
    """True if two arguments change places everywhere: "Ann hit Bob after Bob hit Ann"."""
    alike = [same_word(*pair) for pair in zip(one, two, strict=False)]
    if all(alike):
        return False
    start = alike.index(False)
    for n, m in product(range(1, LONGEST_REPEATED + 1), repeat=2):
        x, y = one[start : start + n], two[start : start + m]
        if not (is_argument(x) and is_argument(y)) or same_words(x, y):
            continue
        times, changed = replaced(one, x, y)
        pairs = zip(changed, two, strict=False)
        if times > 2 and _unmoved(changed, two) and pronouns_agree(pairs, x, y):
            return True
    return False


def replaced(text: Sentence, x: Sentence, y: Sentence) -> tuple[int, Sentence]:
    """Return how often x or y occurs in the text, and the text with the two exchanged."""
    changed: list[Word] = []
    times = place = 0
    while place < len(text):
        for old, new in ((x, y), (y, x)):
            if same_words(text[place : place + len(old)], old):
                changed += new
                place += len(old)
                times += 1
                break
        else:
            changed.append(text[place])
            place += 1
    return times, tuple(changed)


def moved(one: Sentence, two: Sentence) -> Sentence:
    """Return the shorter of two adjacent stretches that changed places, if any did."""
    if len(one) != len(two) or len(one) > LONGEST:
        return ()
    neighbours = [way.exchanged for way in splits(one, two) if not way.between]
    return min((block for pair in neighbours for block in pair), key=len, default=())


# Typing errors: a misspelt word counts as the word that was meant


MOST_LEFT_OVER = 8
"""Most words in only one of the sentences among which typing errors are searched."""


def with_slips_corrected(one: Sequence[Word], two: Sequence[Word]) -> Sentence:
    """Return the second sentence with the first's word where they differ by a typing error."""
    spare = [one[place] for place in left_over(one, two)]
    unmatched = [two[place] for place in left_over(two, one)]
    if max(len(spare), len(unmatched)) > MOST_LEFT_OVER:
        return tuple(two)
    return tuple(_corrected(word, spare) if word in unmatched else word for word in two)


def left_over(one: Sequence[Word], two: Sequence[Word]) -> list[int]:
    """Return the places of words of the first that the second lacks or has less often."""
    there = Counter(word.key for word in two)
    left = []
    for place, word in enumerate(one):
        there[word.key] -= 1
        if there[word.key] < 0:
            left.append(place)
    return left


def _corrected(word: Word, others: Sequence[Word]) -> Word:
    """Return a word, with the key of the one of `others` that it misspells, if there is one."""
    for other in others:
        if is_misspelt(word.key, other.key, name=word.capital or other.capital):
            return replace(word, key=other.key, forms=other.forms)
    return word


_SLIPS = {"teh": "the", "hte": "the", "adn": "and", "nad": "and"}
"""Typing errors that a large dictionary lists as words."""
_CONFUSED = tuple(
    frozenset(pair.split())
    for pair in ("than then", "their there", "to too", "of off", "lose loose", "your youre")
)
"""Words that sound alike and are often confused."""


@lru_cache(maxsize=4096)
def is_misspelt(one: str, two: str, *, name: bool = False) -> bool:
    """True if two different lower-cased words differ by one typing mistake.

    That is two adjacent letters exchanged, or one letter doubled, added, missing or wrong. Many
    names differ by a letter, so names must be longer, longer still if in no dictionary, and must
    begin and end alike.
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


# What differs


MOST_WORDS = 6
"""Most changed words that are listed; if there are more, the sentences simply differ."""

Stretch = list[Word]
Changes = tuple[list[int], list[int]]
"""Places of the words that only the first sentence has, and of those only in the second."""


def changes(one: Sequence[Word], two: Sequence[Word]) -> Changes:
    """Return the places of the words that only one of the two sentences has.

    Differences of agreement and pronouns are left out. If there are no others, they count after
    all, unless every word is in its old place and no pronoun has changed its person.
    """
    exact = left_over(one, two), left_over(two, one)
    gone, new = map(list, exact)
    for i in exact[0]:
        match = next((j for j in new if same_frame(one[i], two[j])), None)
        if match is not None:
            gone.remove(i)
            new.remove(match)
    if gone or new:
        return gone, new
    changed = {one[i].person != two[j].person for i, j in zip(*exact, strict=True)}
    return exact if True in changed or not _unmoved(one, two) else ([], [])


def _unmoved(one: Sequence[Word], two: Sequence[Word]) -> bool:
    return len(one) == len(two) and all(map(same_frame, one, two))


def describe(
    premise: Sequence[Word], hypothesis: Sequence[Word], changed: Changes, moved: Sequence[Word]
) -> str:
    """Say why a hypothesis is no swap, from what `changes` found, or else from what `moved`."""
    if sum(map(len, changed)) > MOST_WORDS or len(changed[0]) == len(premise):
        return "The two sentences say different things."
    if any(changed):
        gone, new = _phrases(premise, changed[0]), _phrases(hypothesis, changed[1])
        # A capital within a sentence marks a name.
        known = {word.key for word in (*premise, hypothesis[0])} | {"<i>"}
        names = [p for p in new if p[0].capital and p[0].key not in known]
        if names:
            return f"{_listed(names)} {'is' if len(names) == 1 else 'are'} new."
        if gone and new:
            single = len(gone) == len(new) == 1
            became = f"{_listed(gone)} became {_listed(new)}."
            return became if single else f"{_listed(new)} came in for {_listed(gone)}."
        verb = "was" if len(gone or new) == 1 else "were"
        return f"{_listed(gone or new)} {verb} {'added' if new else 'left out'}."
    if _unmoved(premise, hypothesis):
        return "Nothing changed places."
    otherwise = "The words are the same, but subject and object did not change places."
    return f"Only {_quoted(moved)} moved." if moved else otherwise


def _phrases(text: Sequence[Word], places: Sequence[int]) -> list[Stretch]:
    """Return the words at some places, adjacent ones together."""
    negated = any(text[place].key == "not" for place in places)
    found: list[Stretch] = []
    last = -2
    for place in places:
        if negated and text[place].key in {"do", "does", "did"}:
            continue  # "not" needs them
        if place == last + 1:
            found[-1].append(text[place])
        else:
            found.append([text[place]])
        last = place
    return found


def _quoted(phrase: Sequence[Word]) -> str:
    return f"“{' '.join(word.text for word in phrase)}”"


def _listed(found: Sequence[Stretch]) -> str:
    *others, last = map(_quoted, found)
    return f"{', '.join(others)} and {last}" if others else last
