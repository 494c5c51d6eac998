"""The construction of an uploaded pair, by the rule that tells those of the bank's phrasings."""

from __future__ import annotations

from symdemo.data.bank_phrasings import phrasing_kind
from symdemo.pairs import Pair
from symdemo.swapping.blocks import are_arguments, splits
from symdemo.swapping.same_words import Sentence, read

_LONGEST = 40
"""Words of a sentence beyond which its construction is not looked for."""


def guess_construction(pair: Pair, template: str | None = None) -> str | None:
    """One of `symdemo.data.bank_phrasings.KINDS_OF_PHRASING`; None where it cannot be told.

    Args:
        pair: whose premise is meant.
        template: the premise with [X] and [Y] where its two parties stand; if None it is sought by
            head and tail, else by what changes places between the two sentences.
    """
    template = template or _by_ends(pair) or _by_words(pair)
    return phrasing_kind(template) if template else None


def _by_ends(pair: Pair) -> str | None:
    """The premise with its head and tail taken out, where each stands in it once."""
    head, tail, premise = pair.head, pair.tail, pair.premise
    if not head or not tail or premise.count(head) != 1 or premise.count(tail) != 1:
        return None
    if head in tail or tail in head:
        return None
    return premise.replace(head, "[X]").replace(tail, "[Y]")


def _by_words(pair: Pair) -> str | None:
    """The premise without the two stretches of words that changed places in the hypothesis."""
    one, two = (read(text, verbal=False) for text in (pair.premise, pair.hypothesis))
    if len(one) != len(two) or len(one) > _LONGEST:
        return None
    way = next(filter(are_arguments, splits(one, two)), None)
    if way is None:
        return None
    x, y = one[way.i : way.j], one[way.k : way.l]
    parts = (_text(one[: way.i]), _place("[X]", x), _text(way.between), _place("[Y]", y))
    return " ".join(filter(None, (*parts, _text(one[way.l :]))))


def _text(words: Sentence) -> str:
    return " ".join(word.text + _after(word.owner, word.comma) for word in words)


def _place(name: str, words: Sentence) -> str:
    return name + _after(words[-1].owner, words[-1].comma)


def _after(owner: bool, comma: bool) -> str:
    return ("'s" if owner else "") + ("," if comma else "")
