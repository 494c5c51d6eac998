"""Swap subject and object of an English sentence: ``swap("The cat chased the dog.")``.

Three steps: clean the text, find the two phrases, exchange them and mend what that breaks:
capitals, case, possessives, agreement of verbs, pronouns. The known wordings of the fourteen
relations are tried first; all other sentences are parsed. In `swap_at` a person picks the phrases.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from symdemo.errors import InputError, NoPairFound
from symdemo.swapping.boxes import guess_boxes
from symdemo.swapping.doubts import chosen
from symdemo.swapping.mending.capitals import capitalise
from symdemo.swapping.mending.exchange import Exchanged, exchange
from symdemo.swapping.mending.places import Clause
from symdemo.swapping.questions import is_question, statement_of
from symdemo.swapping.reading.phrases import Pair, Phrase
from symdemo.swapping.reading.pipeline import PIPELINE, SECOND, parse, parse_ahead
from symdemo.swapping.text import (
    MAX_CHARACTERS,
    SELF_HELP,
    check,
    clean,
    shown,
    spelt_out,
    words_of,
)
from symdemo.swapping.wordings import by_wording

if TYPE_CHECKING:
    from spacy.tokens import Token

_TOGETHER = 32
"""Sentences that are parsed together; others who ask the parser wait for as many."""


@dataclass(frozen=True)
class Swap:
    """A sentence, the same sentence with subject and object changed places, and its parts.

    `subject` and `object` stand as they do in the premise. `relation` is the premise with [X] for
    the subject and [Y] for the object: "[X] was married to [Y] in 1895."

    `doubts` says in plain sentences why this may not be the swap that a person would make, and
    `others` gives what else it may be, the likeliest first. `note` says what was read in place of
    what was typed, where the premise is not the sentence as given (a question, a typing error).
    """

    premise: str
    hypothesis: str
    subject: str
    object: str
    relation: str
    doubts: tuple[str, ...] = ()
    others: tuple[Swap, ...] = ()
    note: str = ""

    @property
    def sure(self) -> bool:
        """Whether nothing speaks against showing this swap as the one that was meant."""
        return not self.doubts


def swap(sentence: str) -> Swap:
    """Exchange subject and object of one English sentence.

    A yes/no question is read as the statement it asks about, and a line of chat with its short
    words spelt out; the note says so. Raises `NoPairFound` where there is a sentence but no pair,
    any other `InputError` where there is no such sentence, and `ModelError` where the parser that
    free sentences need is not installed.
    """
    premise = clean(sentence)
    check(premise)
    if is_question(premise):
        asked = statement_of(premise)
        found = _swap_statement(asked.text)
        if premise[:1].isupper():
            found = _with_capitals(found)
        doubts = (*filter(None, [asked.doubt]), *found.doubts)
        note = f"The question is read as the statement “{found.premise}”"
        return replace(found, note=note, doubts=doubts)
    premise, note = spelt_out(premise)
    return replace(_swap_statement(premise), note=note) if note else _swap_statement(premise)


def swap_many(sentences: Iterable[str]) -> Iterator[Swap | InputError]:
    """Give what `swap` gives or refuses for each sentence, in order, in less time than one by one.

    Raises `ModelError` where the parser is not installed.
    """
    waiting = iter(sentences)
    while batch := list(islice(waiting, _TOGETHER)):
        free = [text for text in map(clean, batch) if len(text) < MAX_CHARACTERS]
        for parser in (PIPELINE, SECOND):
            parse_ahead((text for text in free if by_wording(text) is None), parser)
        for sentence in batch:
            try:
                yield swap(sentence)
            except InputError as error:
                yield error


def _with_capitals(found: Swap) -> Swap:
    """Give a statement made of a question the capital that it has had no need of until here."""
    return replace(
        found,
        premise=capitalise(found.premise),
        hypothesis=capitalise(found.hypothesis),
        others=tuple(map(_with_capitals, found.others)),
    )


def _swap_statement(premise: str) -> Swap:
    if (known := by_wording(premise)) is not None:
        return _swap_of(premise, known)
    if (found := chosen(premise)) is not None:
        got, doubts, ways = found
        others = tuple(_swap_of(way.premise, way.exchanged) for way in ways)
        return replace(_swap_of(got.premise, got.exchanged), doubts=doubts, others=others)
    if (known := by_wording(premise, strict=False)) is not None:
        return _swap_of(premise, known)
    raise NoPairFound(
        f"No subject and object were found in {shown(premise)}: give an English sentence "
        f"about two things, such as 'The cat chased the dog.', or {SELF_HELP}.",
        guess_boxes(premise),
    )


def _swap_of(premise: str, got: Exchanged) -> Swap:
    return Swap(premise, got.hypothesis, got.subject, got.object, got.relation)


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
    got = exchange([clause], Pair(_phrase_at(clause, *first), _phrase_at(clause, *second)))
    return replace(_swap_of(premise, got), doubts=got.unclear)


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


def _phrase_at(clause: Clause, start: int, stop: int) -> Phrase:
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
    return Phrase(doc[inside[0].i : inside[-1].i + 1].root, inside[0].i, inside[-1].i)
