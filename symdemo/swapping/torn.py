"""Are blocks that changed places torn from phrases that stay behind?

Then it is not the parties that changed places: "the old man met the young woman" and "the young man
met the old woman" speak of four people. Each check finds one way of tearing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from symdemo.swapping import closed
from symdemo.swapping.blocks import Blocks
from symdemo.swapping.same_words import Word

_LIKE_ADJECTIVES = ("ful", "ous", "less", "able", "ible", "ish")
_SURE_ADJECTIVES = ("ful", "ous", "less")
_SHORTEST_SURE = 7
"""Letters of a word that ends like an adjective and is one: not "less"."""
_LONGEST_JOINED = 5
"""Words of "Bob and the old neighbour": what is longer goes on to say something else."""


def are_torn(blocks: Blocks) -> bool:
    """Whether one of the blocks, or both, belong to what does not move with them."""
    checks = (_are_modifiers, _are_predicates, _are_heads, _are_verbs, _is_name_part, _is_half)
    return any(check(blocks) for check in checks)


def _are_modifiers(blocks: Blocks) -> bool:
    """Adjectives or numbers: "two boys met three girls"."""
    return all(map(_is_modifier, _bare(blocks), blocks.after))


def _bare(blocks: Blocks) -> list[Sequence[Word]]:
    """The blocks without articles and the like, unless that is all they are."""
    without = ([w for w in b if w.key not in closed.DETERMINERS] for b in blocks.exchanged)
    return [bare or block for bare, block in zip(without, blocks.exchanged, strict=True)]


def _is_modifier(block: Sequence[Word], following: Word | None) -> bool:
    word = block[0]
    if len(block) > 1 or word.owner or word.comma or word.capital or following is None:
        return False
    # "the blue one": there the adjective stands for the party
    if following.key in closed.CLOSED or following.person or following.key in {"one", "ones"}:
        return False
    return word.key in closed.MODIFIERS or word.key.endswith(_LIKE_ADJECTIVES)


def _are_predicates(blocks: Blocks) -> bool:
    """What is said of one party: "Ann is tall and thin"."""
    before = blocks.before[0]
    if before is None or before.key not in closed.COPULAS:
        return False
    short = all(len(block) == 1 and not block[0].capital for block in _bare(blocks))
    return short and len(blocks.between) == 1 and blocks.between[0].key in closed.JOINTS


def _are_heads(blocks: Blocks) -> bool:
    """Nouns without what tells which is meant.

    Whose they are ("my brother", "Ann's sister"), of what or whence ("king of Spain"), or an
    adjective of one of them ("the old man", "the woman").
    """
    if all(w and (w.owner or w.text.lower() in closed.POSSESSIVES) for w in blocks.before):
        return True
    if all(w and w.key in {"of", "from"} for w in blocks.after):
        return True
    described = any(before and _is_adjective(before) for before in blocks.before)
    return described and any(_is_common(block[0]) for block in blocks.exchanged)


def _is_adjective(word: Word) -> bool:
    long = len(word.key) >= _SHORTEST_SURE
    return word.key in closed.ADJECTIVES or (long and word.key.endswith(_SURE_ADJECTIVES))


def _is_common(word: Word) -> bool:
    return not (word.capital or word.person or word.key in closed.CLOSED)


def _are_verbs(blocks: Blocks) -> bool:
    """The verbs of one party: "Ann loves Bob and hates Carl"."""
    before = blocks.before[0]
    if before is None or before.owner or before.comma or not before.capital:
        return False
    if before.key in closed.CLOSED or any(len(b) > 1 or b[0].capital for b in blocks.exchanged):
        return False
    x, y = (block[0].key for block in blocks.exchanged)
    return any(x.endswith(ending) and y.endswith(ending) for ending in ("s", "ed"))


def _is_name_part(blocks: Blocks) -> bool:
    """Parts of names: "Ann Smith met Bob Jones" and "Bob Smith met Ann Jones"."""
    if not blocks.between:
        return False
    # Each block stands in both places, in the one sentence or the other.
    seams = [*product((block[-1] for block in blocks.exchanged), blocks.after)]
    seams += [(blocks.before[1], block[0]) for block in blocks.exchanged]
    return any(_goes_on(word, following) for word, following in seams if following)


def _goes_on(word: Word, following: Word) -> bool:
    """Whether two neighbours can be one name."""
    return (
        word.capital
        and following.capital
        and not (word.owner or word.comma or word.person or following.person)
    )


def _is_half(blocks: Blocks) -> bool:
    """One block without what "and" joins it to: "Ann met Bob and Carl"."""
    if not blocks.between or blocks.between[0].key in closed.JOINTS:
        return False  # both are members of one list
    first = _is_joined(blocks.before[0], blocks.one[blocks.j - 1 :])
    return first != _is_joined(blocks.before[1], blocks.one[blocks.l - 1 :])


def _is_joined(before: Word | None, rest: Sequence[Word]) -> bool:
    """Whether only "and" and another party follow the first word of the rest."""
    if not 3 <= len(rest) <= _LONGEST_JOINED or rest[0].comma or rest[1].key not in closed.JOINTS:
        return False
    if before is not None and before.key == "between":
        return False
    return rest[2].key in {"the", "a"} or rest[2].capital
