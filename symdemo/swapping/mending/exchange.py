"""Exchange two phrases in a sentence and mend what that breaks."""

from __future__ import annotations

from typing import NamedTuple

from symdemo.swapping.mending.agreement import agree
from symdemo.swapping.mending.capitals import (
    capitalise,
    is_common_noun,
    lower_first,
    move_to_middle,
    starts_like_name,
)
from symdemo.swapping.mending.mentions import find_mentions
from symdemo.swapping.mending.places import Clause, Edit, Place, apply
from symdemo.swapping.reading.phrases import Pair, number_of
from symdemo.swapping.reading.pipeline import surface


class Exchanged(NamedTuple):
    """What an exchange makes of a sentence.

    `unclear` says what it had to guess, `mentioned` in how many more places it named a party.
    """

    hypothesis: str
    subject: str
    object: str
    relation: str
    unclear: tuple[str, ...] = ()
    mentioned: int = 0


def exchange(clauses: list[Clause], pair: Pair) -> Exchanged:
    """Exchange the pair found in the first of the clauses, and its mentions in all of them."""
    text = clauses[0].text
    one, two = Place(clauses[0], pair.one), Place(clauses[0], pair.two)
    one.middle_text = without_capital(one, two)
    mentions = find_mentions(clauses, (one, two))
    edits = [
        one.edit(two.text_for(one)),
        two.edit(one.text_for(two)),
        *(mention.place.edit(mention.text) for mention in mentions),
    ]
    edits += _agreement(one, two) + _agreement(two, one)
    for mention in mentions:
        phrase = mention.place.phrase
        edits += agree(mention.place.clause, phrase, mention.person, changed=False)
    hypothesis = apply(text, list(dict.fromkeys(edits)))
    if _opening(text).isupper():
        hypothesis = capitalise(hypothesis)
    marks = [one.edit("[X]" + one.ending), two.edit("[Y]" + two.ending)]
    unclear = tuple(dict.fromkeys(m.doubt for m in mentions if m.doubt))
    return Exchanged(hypothesis, one.text, two.text, apply(text, marks), unclear, len(mentions))


def _opening(text: str) -> str:
    return next((c for c in text if c.isalnum()), "")


def without_capital(one: Place, two: Place) -> str:
    """Give the first phrase without the capital that only the opening of a sentence asks for."""
    doc, text = one.clause.doc, one.text
    opening = doc[one.phrase.first]
    if not one.clause.opens(opening) or one.pronoun is not None or not _opening(one.text).isupper():
        return text
    if _open_alike(one.text, two.text):
        return lower_first(text)
    if one.text.split()[0] == two.text.split()[0]:
        return text  # "Section 4 overrides Section 9"
    beside = starts_like_name(two.text) or surface(two.phrase.head) == "I"
    return move_to_middle(
        text, lambda: not is_common_noun(opening, surface(opening), beside_name=beside)
    )


def _open_alike(one: str, two: str) -> bool:
    """Whether the second begins with the first's word in lower case: "Line A crosses line B"."""
    first, second = one.split()[:1], two.split()[:1]
    return first != second and [lower_first(word) for word in first] == second


def _agreement(old: Place, new: Place) -> list[Edit]:
    """Mend the verbs of a place for the phrase that comes into it."""
    person, was = number_of(new.phrase), number_of(old.phrase)
    changed = old.pronoun is not None and new.pronoun is None
    if person == was == "plural" and not changed:
        return []
    return agree(old.clause, old.phrase, person, changed=changed)
