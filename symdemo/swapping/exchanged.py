"""Is a hypothesis the premise with its two parties exchanged, and nothing else?

``exchanged("Kenya borders Uganda.", "Uganda borders Kenya.").is_swap`` is true. No parser and no
model: two sentences are compared as sequences of words. A swap is a permutation that exchanges two
blocks X and Y around a frame that stays,

    premise a X b Y c, hypothesis a' Y b' X c',

where words of the parties are the same up to case (I, me) and the frame up to agreement
(`symdemo.swapping.same_words`), and the blocks can be parties (`symdemo.swapping.blocks`). What is
no such permutation is no swap, and the answer says what differs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from symdemo.swapping.blocks import Exchanged, are_parties
from symdemo.swapping.differences import difference
from symdemo.swapping.same_words import Word, read, same_frame, same_party

LONGEST = 80
"""Words of a sentence beyond which no exchange is searched for."""

Sentence = tuple[Word, ...]


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
    return Exchange(False, min((difference(one, two) for one, two in as_read), key=len))


def readings(premise: str, hypothesis: str) -> list[tuple[Sentence, Sentence]]:
    """Both sentences as words, each with 's after a noun as possessive mark and as verb."""
    first, second = (
        dict.fromkeys(read(text, verbal=verbal) for verbal in (False, True))
        for text in (premise, hypothesis)
    )
    return list(product(first, second))


def is_swap(one: Sentence, two: Sentence) -> bool:
    """Whether two blocks that can be parties changed places, and nothing else did."""
    if len(one) != len(two) or len(one) > LONGEST:
        return False
    return any(map(are_parties, splits(one, two)))


def splits(one: Sentence, two: Sentence) -> Iterator[Exchanged]:
    """All ways to read `two` as `one` with two of its blocks exchanged."""
    n = len(one)
    party, frame = runs(one, two, same_party), runs(one, two, same_frame)
    starts = range(min(frame[0][0], n - 1) + 1)
    stops = [stop for stop in range(n, 0, -1) if frame[stop][stop] == n - stop]
    for i, l in product(starts, stops):
        for k in range(i + 1, l):
            y = l - k
            if party[k][i] < y:
                continue
            for j in range(i + 1, k + 1):
                x = j - i
                if party[i][l - x] >= x and frame[j][i + y] >= k - j:
                    yield Exchanged(one, two, i, j, k, l)


def runs(
    one: Sequence[Word], two: Sequence[Word], same: Callable[[Word, Word], bool]
) -> list[list[int]]:
    """How many words from each pair of places on are the same: [place in one][place in two]."""
    table = [[0] * (len(two) + 1) for _ in range(len(one) + 1)]
    for i in range(len(one) - 1, -1, -1):
        for j in range(len(two) - 1, -1, -1):
            if same(one[i], two[j]):
                table[i][j] = table[i + 1][j + 1] + 1
    return table
