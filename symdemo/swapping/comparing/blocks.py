"""Two sentences read as one in which two blocks of words changed places."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from symdemo.swapping.comparing.same_words import Sentence, Word, same_frame, same_party


@dataclass(frozen=True, slots=True)
class Blocks:
    """Two sentences of equal length, read as X b Y between a and c, and Y b' X between a' and c'.

    In the first, X is ``one[i:j]`` and Y is ``one[k:l]``.
    """

    one: Sentence
    two: Sentence
    i: int
    j: int
    k: int
    l: int

    @property
    def exchanged(self) -> tuple[Sentence, Sentence]:
        """X and Y, each from the sentence that it does not open, where a capital is a name's."""
        return self.two[self.l - (self.j - self.i) : self.l], self.one[self.k : self.l]

    @property
    def between(self) -> Sentence:
        """The words b of the first sentence."""
        return self.one[self.j : self.k]

    @property
    def before(self) -> tuple[Word | None, Word | None]:
        """The words of the frame just before X and Y in the first sentence."""
        return self._word(self.i - 1), self.between[-1] if self.between else None

    @property
    def after(self) -> tuple[Word | None, Word | None]:
        """The words of the frame just after X and Y in the first sentence."""
        return self.between[0] if self.between else None, self._word(self.l)

    @property
    def frame(self) -> Iterator[tuple[Word, Word]]:
        """The words of a, b and c beside those of a', b' and c'."""
        shift = self.i + self.l - self.k - self.j
        yield from zip(self.one[: self.i], self.two[: self.i], strict=True)
        yield from zip(self.between, self.two[self.j + shift : self.k + shift], strict=True)
        yield from zip(self.one[self.l :], self.two[self.l :], strict=True)

    def _word(self, place: int) -> Word | None:
        return self.one[place] if 0 <= place < len(self.one) else None


def splits(one: Sentence, two: Sentence) -> Iterator[Blocks]:
    """All ways to read `two` as `one` with two of its blocks exchanged, neighbours among them.

    Both sentences must have the same number of words.
    """
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
                    yield Blocks(one, two, i, j, k, l)


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
