"""Exchange two phrases that a person picked, by the numbers of their words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symdemo.errors import InputError
from symdemo.swapping.mend import exchange
from symdemo.swapping.phrases import Pair, Slot
from symdemo.swapping.pipeline import parse
from symdemo.swapping.places import Clause
from symdemo.swapping.swaps import Swap
from symdemo.swapping.text import clean, words_of

if TYPE_CHECKING:
    from spacy.tokens import Token


def swap_at(sentence: str, one: tuple[int, int], two: tuple[int, int]) -> Swap:
    """Exchange two phrases, each a half-open range of word numbers as `words_of` gives the words.

    ``swap_at("Ann, my boss, met Bob.", (0, 1), (4, 5))`` exchanges Ann and Bob. What the exchange
    breaks is mended as by `symdemo.swapping.swap`; punctuation at the edge of a phrase stays in its
    place. Raises `InputError` where a range is empty, outside the sentence or without a letter or
    digit, and where the two overlap.
    """
    premise = clean(sentence)
    words = words_of(premise)
    first, second = sorted((tuple(one), tuple(two)))
    for start, stop in (first, second):
        _check_range(start, stop, words)
    if first[1] > second[0]:
        raise InputError(
            f"The two phrases share a word: words {first[0]} to {first[1] - 1} and words "
            f"{second[0]} to {second[1] - 1} were picked, and they must not overlap."
        )
    clause = Clause(premise, parse(" ".join(words)))
    got = exchange([clause], Pair(_slot(clause, *first), _slot(clause, *second)))
    return Swap(premise, *got[:4], doubts=got.unclear)


def _check_range(start: int, stop: int, words: list[str]) -> None:
    """Refuse a range that picks no words of the sentence."""
    if not 0 <= start < stop <= len(words):
        raise InputError(
            f"Words {start} up to {stop} were picked, but a phrase is at least one of the words "
            f"0 to {len(words) - 1}, its start before its end."
        )
    if not any(c.isalnum() for c in "".join(words[start:stop])):
        raise InputError(
            f"'{' '.join(words[start:stop])}' was picked, and a phrase has a letter or a digit."
        )


def _at_edge(token: Token, inside: list[Token]) -> bool:
    """Whether punctuation belongs to the sentence and not to the phrase that it opens or closes."""
    if token.is_quote or token.is_bracket:  # a pair of them is picked with the phrase
        return sum(t.is_quote or t.is_bracket for t in inside) % 2 == 1
    return token.is_punct


def _slot(clause: Clause, start: int, stop: int) -> Slot:
    """Give the tokens of some words, without the punctuation at their edges."""
    doc, word, inside = clause.doc, 0, []
    for token in doc:
        if start <= word < stop:
            inside.append(token)
        word += bool(token.whitespace_)
    while len(inside) > 1 and _at_edge(inside[-1], inside):
        inside.pop()
    while len(inside) > 1 and _at_edge(inside[0], inside):
        inside.pop(0)
    # "Ann's | car": the ending belongs to the place, but not that of a verb ("Ann's taller").
    if len(inside) > 1 and inside[-1].text in {"'s", "’s"} and inside[-1].dep_ != "case":
        inside.pop()
    return Slot(doc[inside[0].i : inside[-1].i + 1].root, inside[0].i, inside[-1].i)
