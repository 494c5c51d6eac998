"""Is a hypothesis the premise with its two parties exchanged, and nothing else?

``exchanged("Kenya borders Uganda.", "Uganda borders Kenya.").is_swap`` is true. No model and no
parsing: two sentences are compared as sequences of words. A swap is a permutation that exchanges
two blocks X and Y around a frame that stays,

    premise a X b Y c, hypothesis a' Y b' X c',

where words of the parties are the same up to case (I, me) and the frame up to agreement
(`same_words`), and the blocks can be parties (`parties`). What is no such permutation is no swap,
and the answer says what differs. Only where two words differ by a letter is the parser's dictionary
asked whether one is mistyped (`symdemo.swapping.reading.spelling`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, pairwise, product

from symdemo.swapping.comparing.blocks import runs, splits
from symdemo.swapping.comparing.differences import changes, describe
from symdemo.swapping.comparing.parties import (
    are_parties,
    is_adverb,
    is_adverbial,
    is_party,
    pronouns_agree,
)
from symdemo.swapping.comparing.same_words import (
    Sentence,
    Word,
    read,
    same_frame,
    same_party,
    same_words,
    with_slips_mended,
)

LONGEST = 80
"""Words of a sentence beyond which no exchange is searched for."""
LONGEST_ADVERBIAL = 8
"""Words of a phrase that may stand in front in one sentence and at the end in the other."""
LONGEST_REPEATED = 4
"""Words of a party that stands in a sentence more than once."""


@dataclass(frozen=True)
class Exchange:
    """Whether a hypothesis is the swap of its premise; if not, what differs, for a visitor."""

    is_swap: bool
    difference: str = ""


def exchanged(premise: str, hypothesis: str) -> Exchange:
    """Whether `hypothesis` is `premise` with its two parties exchanged and nothing else."""
    as_read = readings(premise, hypothesis)
    if any(is_swap(one, two) for one, two in as_read):
        return Exchange(True)
    told = [(changes(one, two), one, two) for one, two in as_read]
    changed, one, two = min(told, key=lambda reading: sum(map(len, reading[0])))
    return Exchange(False, describe(one, two, changed, moved(one, two)))


_COMPARED = re.compile(r"\b(than|as) ([\w' ]{1,40}?) (?:am|is|are|was|were|do|does|did)(?=[.!?]*$)")
_HYPHENATED = re.compile(r"(?<=[^\W\d])-(?=[^\W\d])")


def plainer(text: str) -> str:
    """The text without what is written or left out at will: "older than I (am)", "ex-president"."""
    return _HYPHENATED.sub(" ", _COMPARED.sub(r"\1 \2", text))


def readings(premise: str, hypothesis: str) -> list[tuple[Sentence, Sentence]]:
    """Both sentences as words, each with 's after a noun as possessive mark and as verb."""
    if premise.count("-") != hypothesis.count("-") or len(premise) != len(hypothesis):
        plain = plainer(premise), plainer(hypothesis)
        if plain != (premise, hypothesis):
            return [*_readings(premise, hypothesis), *_readings(*plain)]
    return _readings(premise, hypothesis)


def _readings(premise: str, hypothesis: str) -> list[tuple[Sentence, Sentence]]:
    first, second = (
        dict.fromkeys(read(text, verbal=verbal) for verbal in (False, True))
        for text in (premise, hypothesis)
    )
    return [(one, with_slips_mended(one, two)) for one, two in product(first, second)]


def is_swap(one: Sentence, two: Sentence) -> bool:
    """Whether two blocks that can be parties changed places, and nothing else of weight did."""
    if max(len(one), len(two)) > LONGEST:
        return False
    ways = chain([(one, two)], without_adverbial(one, two), without_article(one, two))
    return any(
        any(map(are_parties, splits(*way))) or is_swap_throughout(*way)
        for way in ways
        if len(way[0]) == len(way[1])
    )


def without_adverbial(one: Sentence, two: Sentence) -> Iterator[tuple[Sentence, Sentence]]:
    """Both without what may stand in several places: an adverb, or a phrase at an end."""
    for key in {word.key for text in (one, two) for word in text if is_adverb(word)}:
        first, second = (tuple(word for word in text if word.key != key) for text in (one, two))
        if len(first) == len(one) - 1 and len(second) == len(two) - 1:
            yield first, second
    same = runs(one, two, same_party)
    for i, j in product(range(len(one)), range(len(two))):
        n = same[i][j]
        longest = i == 0 or j == 0 or same[i - 1][j - 1] <= n
        at_end = i in {0, len(one) - n} or j in {0, len(two) - n}
        if 1 < n <= LONGEST_ADVERBIAL and longest and at_end and is_adverbial(one[i : i + n]):
            yield one[:i] + one[i + n :], two[:j] + two[j + n :]


def without_article(one: Sentence, two: Sentence) -> Iterator[tuple[Sentence, Sentence]]:
    """Both without the article that a plural drops: "is a friend of" and "are friends of"."""
    long, short = sorted((one, two), key=len, reverse=True)
    if len(long) - len(short) != 1:
        return
    plurals = {word.key for word in short}
    for n, (article, noun) in enumerate(pairwise(long)):
        if article.key == "a" and noun.key not in plurals and noun.forms & plurals:
            pair = long[:n] + long[n + 1 :], short
            yield pair if long is one else pair[::-1]


def is_swap_throughout(one: Sentence, two: Sentence) -> bool:
    """Whether two parties change places wherever they stand: "Ann hit Bob after Bob hit Ann"."""
    start = next(
        (n for n, pair in enumerate(zip(one, two, strict=False)) if not same_party(*pair)), None
    )
    if start is None:
        return False
    for n, m in product(range(1, LONGEST_REPEATED + 1), repeat=2):
        x, y = one[start : start + n], two[start : start + m]
        if not (is_party(x) and is_party(y)) or same_words(x, y):
            continue
        times, changed = replaced(one, x, y)
        alike = len(changed) == len(two) and all(map(same_frame, changed, two))
        if times > 2 and alike and pronouns_agree(zip(changed, two, strict=True), x, y):
            return True
    return False


def replaced(text: Sentence, x: Sentence, y: Sentence) -> tuple[int, Sentence]:
    """How often x or y stands in the text, and the text with each for the other."""
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
    """What moved, where two neighbouring stretches changed places: the shorter of them."""
    if len(one) != len(two) or len(one) > LONGEST:
        return ()
    neighbours = [way.exchanged for way in splits(one, two) if not way.between]
    return min((block for pair in neighbours for block in pair), key=len, default=())
