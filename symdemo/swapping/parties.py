"""Two blocks of words that changed places: can they be the two parties of a sentence?

Words alone tell most of what a parser would: a party opens with no preposition and ends in no
article, holds no statement of its own, and is not torn from a phrase that stays behind
(`symdemo.swapping.torn`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symdemo.swapping import closed, torn, words
from symdemo.swapping.blocks import Blocks
from symdemo.swapping.same_words import THIRD_PERSONS, Word, same_words


def are_parties(blocks: Blocks) -> bool:
    """Whether the blocks can be the two parties, and the rest changed only as they ask."""
    return (
        not same_words(*blocks.exchanged)
        and _are_apart(blocks)
        and (_has_relation_between(blocks) or all(map(is_party, blocks.exchanged)))
        and not _is_identity(blocks)
        and not torn.are_torn(blocks)
        and pronouns_agree(blocks.frame, *blocks.exchanged)
    )


def is_party(block: Sequence[Word]) -> bool:
    """Whether a block can be a party as far as its own words tell."""
    first, last = block[0], block[-1]
    if first.key in closed.NO_OPENING and not (first.capital or first.owner):
        return False
    if last.key in closed.NO_ENDING and not last.capital:
        return False
    keys = [word.key for word in block]
    # "A" and "B", but not "a" and "the"
    return (last.capital or not closed.DETERMINERS.issuperset(keys)) and not _is_statement(keys)


def _is_statement(keys: Sequence[str]) -> bool:
    """Whether a verb stands in the block, as in "Ann is tall", but not "the man who is tall"."""
    verbs = [n for n, key in enumerate(keys[:-1]) if n and key in closed.AUXILIARIES]
    return bool(verbs) and not closed.RELATIVES.intersection(keys[: verbs[0]])


def is_adverb(word: Word) -> bool:
    """Whether a word that stands alone can be an adverb."""
    return word.key in closed.ADVERBS or (word.key.endswith("ly") and not word.capital)


def is_adverbial(block: Sequence[Word]) -> bool:
    """Whether several words can say when, where or why: by how they open, or a time at the end."""
    last = block[-1].key
    opens_so = block[0].key in closed.PREPOSITIONS - closed.COMPLEMENTS
    return opens_so or last in closed.ADVERBS or last in words.TIME_WORDS


def _are_apart(blocks: Blocks) -> bool:
    """Whether something holds the blocks apart: if neighbours change places, one has just moved.

    Words do, and in a question its verb before them ("Is Ann Bob's aunt?"), and a comma with words
    on the outer side ("To Ann, Bob is a hero.", but not "Yesterday, Ann sang.").
    """
    if blocks.between:
        return True
    before, after = blocks.before[0], blocks.after[1]
    if blocks.i == 1 and before.key in closed.AUXILIARIES:
        return after is not None
    y = blocks.l - blocks.k
    comma = blocks.one[blocks.j - 1].comma and blocks.two[blocks.i + y - 1].comma
    return comma and (before is not None or after is not None)


def _has_relation_between(blocks: Blocks) -> bool:
    """Whether the blocks are all there is but for a relation such as "is located in".

    Then they are parties whatever they are made of, such as titles: "not a moment too soon".
    """
    if blocks.i > 0 or blocks.l < len(blocks.one):
        return False
    return len(blocks.between) > 1 and blocks.between[-1].key in closed.LINKS


def _is_identity(blocks: Blocks) -> bool:
    """Whether the sides of a plain "is" changed places, one of which holds the relation itself.

    "Ann is Bob's mother" and "Bob's mother is Ann" say the same; their parties are Ann and Bob.
    """
    if [word.key in closed.COPULAS for word in blocks.between] != [True]:
        return False
    x, y = blocks.exchanged
    return any(
        _holds_relation(one) and (two[0].capital or two[0].person or two[0].key == "the")
        for one, two in ((x, y), (y, x))
    )


def _holds_relation(block: Sequence[Word]) -> bool:
    """Whether a block names somebody by another: "Bob's mother", "the capital of France"."""
    return any(word.owner for word in block[:-1]) or any(word.key == "of" for word in block[1:-1])


def pronouns_agree(frame: Iterable[tuple[Word, Word]], *parties: Sequence[Word]) -> bool:
    """Whether pronouns of the frame changed among he, she, it, they, or with one of the parties."""
    persons = {word.person for party in parties for word in party} - {""}
    for one, two in frame:
        changed = {one.person, two.person}
        if len(changed) == 2 and not (changed <= THIRD_PERSONS or changed & persons):
            return False
    return True
