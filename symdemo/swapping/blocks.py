"""Two blocks of words that changed places: can they be the two arguments of a sentence?

Words alone tell most of what a parser would: an argument opens with no preposition and ends in no
article, holds no statement of its own, and is not torn from a phrase that stays behind: "the old
man met the young woman" and "the young man met the old woman" speak of four people.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from symdemo.swapping import lexicon
from symdemo.swapping.same_words import (
    THIRD_PERSONS,
    Sentence,
    Word,
    same_frame,
    same_word,
    same_words,
)
from symdemo.swapping.words import POSSESSIVES


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
    same, frame = runs(one, two, same_word), runs(one, two, same_frame)
    starts = range(min(frame[0][0], n - 1) + 1)
    stops = [stop for stop in range(n, 0, -1) if frame[stop][stop] == n - stop]
    for i, l in product(starts, stops):
        for k in range(i + 1, l):
            y = l - k
            if same[k][i] < y:
                continue
            for j in range(i + 1, k + 1):
                x = j - i
                if same[i][l - x] >= x and frame[j][i + y] >= k - j:
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


_NO_OPENING = lexicon.CLOSED_CLASS - lexicon.DETERMINERS
"""No argument opens with one of these, unless it is a name or a title."""
_NO_ENDING = (
    lexicon.word_set("the a than as of") | lexicon.COORDINATORS | lexicon.AUXILIARIES - {"will"}
)
_COMPLEMENTS = lexicon.word_set("of than")
"""Prepositions whose phrase belongs to the word before it and never moves alone."""
_LINKS = lexicon.word_set("of from in as by to with for than")
"""What a relation between two arguments ends in: "is part of", "is older than"."""

_LIKE_ADJECTIVES = ("ful", "ous", "less", "able", "ible", "ish")
_SURE_ADJECTIVES = ("ful", "ous", "less")
_SHORTEST_SURE = 7
"""Letters of a word that ends like an adjective and is one: not "less"."""
_LONGEST_JOINED = 5
"""Words of "Bob and the old neighbour": what is longer goes on to say something else."""


def are_arguments(blocks: Blocks) -> bool:
    """True if the blocks can be the two arguments, and the rest changed only as they ask."""
    return (
        not same_words(*blocks.exchanged)
        and _are_apart(blocks)
        and (_has_relation_between(blocks) or all(map(is_argument, blocks.exchanged)))
        and not _is_identity(blocks)
        and not are_torn(blocks)
        and pronouns_agree(blocks.frame, *blocks.exchanged)
    )


def is_argument(block: Sequence[Word]) -> bool:
    """True if a block can be an argument as far as its own words tell."""
    first, last = block[0], block[-1]
    if first.key in _NO_OPENING and not (first.capital or first.owner):
        return False
    if last.key in _NO_ENDING and not last.capital:
        return False
    keys = [word.key for word in block]
    # "A" and "B", but not "a" and "the"
    return (last.capital or not lexicon.DETERMINERS.issuperset(keys)) and not _is_statement(keys)


def _is_statement(keys: Sequence[str]) -> bool:
    """True if a verb stands in the block, as in "Ann is tall", but not "the man who is tall"."""
    verbs = [n for n, key in enumerate(keys[:-1]) if n and key in lexicon.AUXILIARIES]
    return bool(verbs) and not lexicon.RELATIVES.intersection(keys[: verbs[0]])


def is_adverb(word: Word) -> bool:
    """True if a word that stands alone can be an adverb."""
    return word.key in lexicon.ADVERBS or (word.key.endswith("ly") and not word.capital)


def is_adverbial(block: Sequence[Word]) -> bool:
    """True if several words can say when, where or why: by how they open, or a time at the end."""
    last = block[-1].key
    opens_so = block[0].key in lexicon.PREPOSITIONS - _COMPLEMENTS
    return opens_so or last in lexicon.ADVERBS or last in lexicon.TIME_WORDS


def _are_apart(blocks: Blocks) -> bool:
    """True if something holds the blocks apart: if neighbours change places, one has just moved.

    Words do, and in a question its verb before them ("Is Ann Bob's aunt?"), and a comma with words
    on the outer side ("To Ann, Bob is a hero.", but not "Yesterday, Ann sang.").
    """
    if blocks.between:
        return True
    before, after = blocks.before[0], blocks.after[1]
    if before is not None and blocks.i == 1 and before.key in lexicon.AUXILIARIES:
        return after is not None
    y = blocks.l - blocks.k
    comma = blocks.one[blocks.j - 1].comma and blocks.two[blocks.i + y - 1].comma
    return comma and (before is not None or after is not None)


def _has_relation_between(blocks: Blocks) -> bool:
    """True if the blocks are all there is but for a relation such as "is located in".

    Then they are arguments whatever they are made of, such as titles: "not a moment too soon".
    """
    if blocks.i > 0 or blocks.l < len(blocks.one):
        return False
    return len(blocks.between) > 1 and blocks.between[-1].key in _LINKS


def _is_identity(blocks: Blocks) -> bool:
    """True if the sides of a plain "is" changed places, one of which holds the relation itself.

    "Ann is Bob's mother" and "Bob's mother is Ann" say the same; their arguments are Ann and Bob.
    """
    if [word.key in lexicon.COPULAS for word in blocks.between] != [True]:
        return False
    x, y = blocks.exchanged
    return any(
        _holds_relation(one) and (two[0].capital or two[0].person or two[0].key == "the")
        for one, two in ((x, y), (y, x))
    )


def _holds_relation(block: Sequence[Word]) -> bool:
    """True if a block names somebody by another: "Bob's mother", "the capital of France"."""
    return any(word.owner for word in block[:-1]) or any(word.key == "of" for word in block[1:-1])


def pronouns_agree(frame: Iterable[tuple[Word, Word]], *arguments: Sequence[Word]) -> bool:
    """True if pronouns of the frame changed among he, she, it, they, or with an argument."""
    persons = {word.person for argument in arguments for word in argument} - {""}
    for one, two in frame:
        changed = {one.person, two.person}
        if len(changed) == 2 and not (changed <= THIRD_PERSONS or changed & persons):
            return False
    return True


def are_torn(blocks: Blocks) -> bool:
    """True if one of the blocks, or both, belong to what does not move with them."""
    checks = (_are_modifiers, _are_predicates, _are_heads, _are_verbs, _is_name_part, _is_half)
    return any(check(blocks) for check in checks)


def _are_modifiers(blocks: Blocks) -> bool:
    """Adjectives or numbers: "two boys met three girls"."""
    return all(map(_is_modifier, _bare(blocks), blocks.after))


def _bare(blocks: Blocks) -> list[Sequence[Word]]:
    """The blocks without articles and the like, unless that is all they are."""
    without = ([w for w in b if w.key not in lexicon.DETERMINERS] for b in blocks.exchanged)
    return [bare or block for bare, block in zip(without, blocks.exchanged, strict=True)]


def _is_modifier(block: Sequence[Word], following: Word | None) -> bool:
    word = block[0]
    if len(block) > 1 or word.owner or word.comma or word.capital or following is None:
        return False
    # "the blue one": there the adjective stands for the argument
    if (
        following.key in lexicon.CLOSED_CLASS
        or following.person
        or following.key in {"one", "ones"}
    ):
        return False
    return word.key in lexicon.MODIFIERS or word.key.endswith(_LIKE_ADJECTIVES)


def _are_predicates(blocks: Blocks) -> bool:
    """What is said of one argument: "Ann is tall and thin"."""
    before = blocks.before[0]
    if before is None or before.key not in lexicon.COPULAS:
        return False
    short = all(len(block) == 1 and not block[0].capital for block in _bare(blocks))
    return short and len(blocks.between) == 1 and blocks.between[0].key in lexicon.COORDINATORS


def _are_heads(blocks: Blocks) -> bool:
    """Nouns without what tells which is meant.

    Whose they are ("my brother", "Ann's sister"), of what or whence ("king of Spain"), or an
    adjective of one of them ("the old man", "the woman").
    """
    if all(w and (w.owner or w.text.lower() in POSSESSIVES) for w in blocks.before):
        return True
    if all(w and w.key in {"of", "from"} for w in blocks.after):
        return True
    described = any(before and _is_adjective(before) for before in blocks.before)
    return described and any(_is_common(block[0]) for block in blocks.exchanged)


def _is_adjective(word: Word) -> bool:
    long = len(word.key) >= _SHORTEST_SURE
    return word.key in lexicon.ADJECTIVES or (long and word.key.endswith(_SURE_ADJECTIVES))


def _is_common(word: Word) -> bool:
    return not (word.capital or word.person or word.key in lexicon.CLOSED_CLASS)


def _are_verbs(blocks: Blocks) -> bool:
    """The verbs of one argument: "Ann loves Bob and hates Carl"."""
    before = blocks.before[0]
    if before is None or before.owner or before.comma or not before.capital:
        return False
    if before.key in lexicon.CLOSED_CLASS or any(
        len(b) > 1 or b[0].capital for b in blocks.exchanged
    ):
        return False
    x, y = (block[0].key for block in blocks.exchanged)
    return any(x.endswith(ending) and y.endswith(ending) for ending in ("s", "ed"))


def _is_name_part(blocks: Blocks) -> bool:
    """Parts of names: "Ann Smith met Bob Jones" and "Bob Smith met Ann Jones"."""
    if not blocks.between:
        return False
    # Each block stands in both places, in the one sentence or the other.
    seams = [*product((block[-1] for block in blocks.exchanged), blocks.after)]
    seams += [(blocks.between[-1], block[0]) for block in blocks.exchanged]
    return any(_goes_on(word, following) for word, following in seams if following)


def _goes_on(word: Word, following: Word) -> bool:
    """True if two neighbours can be one name."""
    return (
        word.capital
        and following.capital
        and not (word.owner or word.comma or word.person or following.person)
    )


def _is_half(blocks: Blocks) -> bool:
    """One block without what "and" joins it to: "Ann met Bob and Carl"."""
    if not blocks.between or blocks.between[0].key in lexicon.COORDINATORS:
        return False  # both are members of one list
    first = _is_joined(blocks.before[0], blocks.one[blocks.j - 1 :])
    return first != _is_joined(blocks.before[1], blocks.one[blocks.l - 1 :])


def _is_joined(before: Word | None, rest: Sequence[Word]) -> bool:
    """True if only "and" and another argument follow the first word of the rest."""
    if (
        not 3 <= len(rest) <= _LONGEST_JOINED
        or rest[0].comma
        or rest[1].key not in lexicon.COORDINATORS
    ):
        return False
    if before is not None and before.key == "between":
        return False
    return rest[2].key in {"the", "a"} or rest[2].capital
