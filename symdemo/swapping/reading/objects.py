"""What a verb or a noun leads to: direct objects, and those behind prepositions.

The labels (nsubj, dobj, pobj, ...) are those of spaCy's English pipelines.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from symdemo.swapping.reading import lexicon
from symdemo.swapping.reading.inflection import REFLEXIVES
from symdemo.swapping.reading.phrases import (
    NOUN_TAGS,
    children,
    is_measure,
    is_name,
    is_time,
    subject_of,
)

if TYPE_CHECKING:
    from spacy.tokens import Token

# Dependents through which the object of a predicate is looked for: "is [taller] than Sue",
# "lies [north] of the station", "wants [to marry] Bob".
BRIDGES = {
    "acomp",
    "attr",
    "advmod",
    "oprd",
    "prt",
    "prep",
    "xcomp",
    "agent",
    "dative",
    "acl",
    "pcomp",
}


def direct_object(verb: Token) -> Token | None:
    """Give the direct object; a bare name after the verb is one, taken for a time or not."""
    for child in verb.children:
        if is_measure(child):
            continue  # "lasted three hours"
        if child.dep_ == "dobj" and child.lower_ not in REFLEXIVES:
            # "followed us home": a pronoun is a whole phrase
            first = child.left_edge
            return first if first.tag_ == "PRP" and child.tag_ != "NNS" else child
        taken_for_time = child.dep_ in {"npadvmod", "advmod"} and is_name(child)
        if taken_for_time and child.i > verb.i and not is_time(child):
            return child
    return None


def objects_behind(preposition: str, *heads: Token) -> Iterator[Token]:
    """Give the objects of one preposition wherever it hangs on one of the heads."""
    for prep in (prep for head in heads for prep in children(head, "prep")):
        if prep.lower_ == preposition:
            yield from children(prep, "pobj")


def prepositional_object(noun: Token) -> tuple[Token, Token] | None:
    """Give the first preposition under a noun with its object, if it is not a time."""
    for prep in children(noun, "prep", "agent"):
        for found in children(prep, "pobj"):
            if not is_time(found):
                return prep, found
    return None


def _in_fixed_phrase(noun: Token) -> bool:
    """Whether a bare noun is part of a phrase such as "in love with" or "in front of"."""
    bare = (
        noun.dep_ == "pobj" and noun.tag_ == "NN" and noun.head.lower_ in {"in", "at", "on", "by"}
    )
    led = prepositional_object(noun) if bare and noun.left_edge == noun else None
    return led is not None


def _is_side(noun: Token) -> bool:
    """Whether a noun only says on which side: "to the north of the village"."""
    return noun.lower_ in lexicon.SIDES and any(c.lower_ == "of" for c in children(noun, "prep"))


def objects_of(verb: Token) -> Iterator[tuple[Token, Token | None]]:
    """Give every phrase that could be the object, in sentence order, with its preposition."""
    found: list[tuple[Token, Token | None]] = []

    def visit(token: Token, depth: int) -> None:
        for child in token.children:
            if _in_fixed_phrase(child) or _is_side(child):
                visit(child, depth + 1)
            elif child.lower_ in REFLEXIVES:
                continue
            elif child.dep_ in {"dobj", "pobj", "dative"} and child.tag_.startswith(NOUN_TAGS):
                found.append((child, token if child.dep_ == "pobj" else None))
            if child.dep_ in BRIDGES and depth < 4:
                visit(child, depth + 1)

    visit(verb, 0)
    subject = subject_of(verb)
    floor = subject.i if subject is not None else -1
    # "Two is not equal to three": beside a number, a number is no time.
    timeless = subject is not None and subject.tag_ == "CD"
    # Fronted adjuncts ("In 1999, ...") stand before the subject and never hold the object.
    after = [
        (t, p)
        for t, p in found
        if t.i > floor and not is_measure(t) and (p is None or timeless or not is_time(t))
    ]
    yield from sorted(after, key=lambda pair: pair[0].i)
