"""Two blocks of words that changed places: can they be the two parties of a sentence?

Words alone tell most of what a parser would: a party opens with no preposition and ends in no
article, holds no statement of its own, and is not the adjective of something that stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symdemo.swapping import words
from symdemo.swapping.same_words import THIRD_PERSONS, Word

_DETERMINERS = words.word_set(
    "the a this that these those every each no some any all both most many few several"
)
_AUXILIARIES = words.word_set(
    "am is are was were be been being 's 'm 're 've 'll 'd has have had do does did will would can "
    "could may might must shall should not"
)
_COPULAS = words.word_set("am is are was were 's 're 'm")
_JOINTS = words.word_set("and or")
_PREPOSITIONS = words.word_set(
    "in on at by for of to from with without into onto than as about over under above below "
    "between among after before since until during through against across behind beside near "
    "towards upon within despite because although though while when if unless whereas where"
)
_COMPLEMENTING = words.word_set("of from in as by to with for than")
_ADVERBS = words.word_set(
    "yesterday today tomorrow now then often sometimes always never once twice again still "
    "ago already soon later earlier together very quite too also just only even ever here there"
)
_CLOSED = _DETERMINERS | _AUXILIARIES | _JOINTS | _PREPOSITIONS | _ADVERBS
_NO_OPENING = _CLOSED - _DETERMINERS
_NO_ENDING = words.word_set("the a than as of") | _JOINTS | _AUXILIARIES - {"will"}
_RELATIVES = words.word_set("who whom whose which that what")
_POSSESSIVES = {row[words.GENITIVE] for row in words.PRONOUNS}
_MODIFIERS = words.word_set(
    "old young new big small large little tall short long high low good bad great rich poor fast "
    "slow strong weak happy sad angry hungry tired busy kind clever bright dark light heavy hot "
    "cold warm cool dry wet clean dirty full empty early late quiet loud red blue green yellow "
    "black white brown grey pink purple orange wooden golden silver former local foreign northern "
    "southern eastern western older younger bigger smaller larger taller shorter richer poorer "
    "male female left right upper lower first second third last next main own other two three "
    "four five six seven eight nine ten eleven twelve"
)
_ADJECTIVES = words.word_set(
    "old young new big small large tall short long great rich poor strong weak happy sad angry hungry busy clever "
    "bright dark heavy hot cold wet dirty full quiet loud red blue green yellow black white brown grey pink purple orange wooden golden silver former local foreign northern southern eastern western male female other"
)
_ADJECTIVE_ENDINGS = ("ful", "ous", "less", "able", "ible", "ish")


@dataclass(frozen=True, slots=True)
class Exchanged:
    """Two sentences of equal length, read as a X b Y c and a' Y b' X c'.

    In the first, X is ``one[i:j]`` and Y is ``one[k:l]``.
    """

    one: Sequence[Word]
    two: Sequence[Word]
    i: int
    j: int
    k: int
    l: int

    @property
    def blocks(self) -> tuple[Sequence[Word], Sequence[Word]]:
        """X and Y, each from the sentence that it does not open, where a capital is a name's."""
        return self.two[self.l - (self.j - self.i) : self.l], self.one[self.k : self.l]

    @property
    def between(self) -> Sequence[Word]:
        """The words b of the first sentence."""
        return self.one[self.j : self.k]

    @property
    def frame(self) -> list[tuple[Word, Word]]:
        """The words of a, b and c beside those of a', b' and c'."""
        y = self.l - self.k
        between = range(self.k - self.j)
        return [
            *zip(self.one[: self.i], self.two[: self.i], strict=True),
            *((self.one[self.j + n], self.two[self.i + y + n]) for n in between),
            *zip(self.one[self.l :], self.two[self.l :], strict=True),
        ]

    def word(self, place: int) -> Word | None:
        """The word at a place of the first sentence; None beyond its ends."""
        return self.one[place] if 0 <= place < len(self.one) else None


def are_parties(found: Exchanged) -> bool:
    """Whether the blocks can be the two parties, and the rest changed only as they ask."""
    first, second = found.blocks
    return (
        [word.key for word in first] != [word.key for word in second]
        and _are_apart(found)
        and (_has_relation_between(found) or all(map(is_party, found.blocks)))
        and not _are_modifiers(found)
        and not _are_verbs(found)
        and not _is_torn_name(found)
        and not _are_halves(found)
        and not _is_identity(found)
        and not _are_heads(found)
        and _pronouns_agree(found)
    )


def _are_apart(found: Exchanged) -> bool:
    """Whether something holds the blocks apart: if neighbours change places, one has just moved.

    Words do, and in a question its verb before them ("Is Ann Bob's aunt?"), and a comma with words
    on the outer side ("To Ann, Bob is a hero.", but not "Yesterday, Ann sang.").
    """
    if found.j < found.k:
        return True
    if found.i == 1 and found.one[0].key in _AUXILIARIES:
        return found.l < len(found.one)
    comma = found.one[found.j - 1].comma and found.two[found.i + found.l - found.k - 1].comma
    return comma and (found.i > 0 or found.l < len(found.one))


def is_party(block: Sequence[Word]) -> bool:
    """Whether a block can be a party as far as its own words tell."""
    first, last = block[0], block[-1]
    if first.key in _NO_OPENING and not (is_name(first) or first.owner):
        return False
    if last.key in _NO_ENDING and not is_name(last):
        return False
    keys = [word.key for word in block]
    # "A" and "B", but not "a" and "the"
    return (not set(keys) <= _DETERMINERS or is_name(last)) and not _is_statement(keys)


def _has_relation_between(found: Exchanged) -> bool:
    """Whether the blocks are all there is but for a relation such as "is located in".

    Then they are parties whatever they are made of, such as titles: "Not a Moment Too Soon".
    """
    if found.i > 0 or found.l < len(found.one) or len(found.between) < 2:
        return False
    return found.between[-1].key in _COMPLEMENTING


def is_adverb(word: Word) -> bool:
    """Whether a word that stands alone can be an adverb."""
    return word.key in _ADVERBS or (word.key.endswith("ly") and not is_name(word))


def is_adverbial(block: Sequence[Word]) -> bool:
    """Whether a block can say when, where or how: it opens as such, or names a time."""
    first, last = block[0], block[-1]
    return first.key in _PREPOSITIONS or is_adverb(last) or last.key in words.TIME_WORDS


def _is_statement(keys: Sequence[str]) -> bool:
    """Whether a verb stands in the block, as in "Ann is tall", but not "the man who is tall"."""
    verbs = [n for n, key in enumerate(keys[:-1]) if n and key in _AUXILIARIES]
    return bool(verbs) and not _RELATIVES.intersection(keys[: verbs[0]])


def is_name(word: Word) -> bool:
    """Whether a word that opens no sentence has a capital."""
    return word.text[:1].isupper()


def _are_modifiers(found: Exchanged) -> bool:
    """Whether only adjectives or numbers changed places: "the old man" and "the young woman"."""
    blocks = [
        [word for word in block if word.key not in _DETERMINERS] or block for block in found.blocks
    ]
    if any(len(block) > 1 or is_name(block[0]) for block in blocks):
        return False
    (x,), (y,) = blocks
    if all(map(_is_modifier, (x, y), (found.word(found.j), found.word(found.l)))):
        return True
    # "is tall and thin"
    before = found.word(found.i - 1)
    is_said = before is not None and before.key in _COPULAS
    return is_said and [word.key for word in found.between] in (["and"], ["or"])


def _is_modifier(word: Word, following: Word | None) -> bool:
    if following is None or following.key in _CLOSED or following.person:
        return False
    if word.owner or word.comma or following.key in {"one", "ones"}:
        return False
    return word.key in _MODIFIERS or word.key.endswith(_ADJECTIVE_ENDINGS)


def _is_identity(found: Exchanged) -> bool:
    """Whether the sides of a plain "is" changed places, one of which holds the relation itself.

    "Ann is Bob's mother" and "Bob's mother is Ann" say the same; their parties are Ann and Bob.
    """
    if [word.key in _COPULAS for word in found.between] != [True]:
        return False
    x, y = found.blocks
    return any(
        _holds_relation(one) and (is_name(two[0]) or two[0].person or two[0].key == "the")
        for one, two in ((x, y), (y, x))
    )


def _holds_relation(block: Sequence[Word]) -> bool:
    """Whether a block names somebody by another: "Bob's mother", "the capital of France"."""
    inner = block[1:-1]
    return any(word.owner for word in block[:-1]) or any(word.key == "of" for word in inner)


def _are_verbs(found: Exchanged) -> bool:
    """Whether the verbs after a name changed places: "Ann loves Bob and hates Carl"."""
    before = found.word(found.i - 1)
    if before is None or before.owner or before.comma or not before.text[:1].isupper():
        return False
    if any(len(block) > 1 or is_name(block[0]) for block in found.blocks):
        return False
    x, y = (block[0].key for block in found.blocks)
    if before.key in _CLOSED:
        return False
    return any(x.endswith(ending) and y.endswith(ending) for ending in ("s", "ed"))


def _is_torn_name(found: Exchanged) -> bool:
    """Whether a block is a part of a name: "Ann Smith met Bob Jones", "Bob Smith met Ann Jones"."""
    if found.j == found.k:
        return False
    x, y = found.blocks
    before = found.word(found.k - 1)
    joints = [(x[-1], found.word(found.j)), (before, y[0]), (y[-1], found.word(found.l))]
    return any(is_name(word) and _goes_on(word, following) for word, following in joints)


def _goes_on(word: Word, following: Word | None) -> bool:
    return bool(
        following
        and is_name(following)
        and not (word.owner or word.comma or word.person or following.person)
    )


def _are_halves(found: Exchanged) -> bool:
    """Whether one block is torn from what "and" joins it to: "Ann met Bob and Carl"."""
    if found.one[found.j : found.k] and found.one[found.j].key in _JOINTS:
        return False
    return _is_joined(found, found.i, found.j) != _is_joined(found, found.k, found.l)


def _are_heads(found: Exchanged) -> bool:
    """Whether both blocks are torn from what says which is meant.

    Whose it is ("my brother", "Ann's sister") or of what ("king of Spain", "queen of France").
    """
    befores = [found.word(found.i - 1), found.word(found.k - 1) if found.j < found.k else None]
    if all(word and (word.owner or _is_possessive(word)) for word in befores):
        return True
    if any(word and _is_adjective(word) and is_common(block[0]) for word, block in zip(befores, found.blocks, strict=True)):
        return True
    afters = [found.word(found.j) if found.j < found.k else None, found.word(found.l)]
    return all(word and word.key in {"of", "from"} for word in afters)


def is_common(word):
    return not is_name(word) and word.key not in _CLOSED and not word.person

def _is_adjective(word: Word) -> bool:
    return word.key in _ADJECTIVES or (len(word.key) > 6 and word.key.endswith(("ful", "ous", "less")))


def _is_possessive(word: Word) -> bool:
    return word.text.lower() in _POSSESSIVES


def _is_joined(found: Exchanged, start: int, stop: int) -> bool:
    """Whether "and" and another party follow, with nothing else: "... Bob and the neighbour."."""
    rest = found.one[stop:]
    if len(rest) < 2 or rest[0].key not in _JOINTS or found.one[stop - 1].comma:
        return False
    before = found.word(start - 1)
    if before and before.key == "between":
        return False
    return rest[1].key in {"the", "a"} or is_name(rest[1])


def _pronouns_agree(found: Exchanged) -> bool:
    """Whether pronouns of the frame changed among he, she, it, they, or with one of the parties."""
    persons = {word.person for block in found.blocks for word in block} - {""}
    for one, two in found.frame:
        changed = {one.person, two.person}
        if len(changed) == 2 and not (changed <= THIRD_PERSONS or changed & persons):
            return False
    return True
