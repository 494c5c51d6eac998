"""A phrase with its place in the text: what stands there, and in what form another would."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from symdemo.swapping.reading.inflection import (
    ABSOLUTE,
    ACCUSATIVE,
    GENITIVE,
    NOMINATIVE,
    REFLEXIVE,
    REFLEXIVES,
    forms_of,
    genitive,
)
from symdemo.swapping.reading.phrases import SUBJECTS, Phrase
from symdemo.swapping.reading.pipeline import surface

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


class Edit(NamedTuple):
    """A new text for the characters from `start` up to `stop`."""

    start: int
    stop: int
    text: str


class Clause:
    """A parsed part of a text, with the place of each of its tokens in that text."""

    def __init__(self, text: str, doc: Doc, origin: int = 0) -> None:
        self.text, self.doc = text, doc
        self.starts: list[int] = []
        at = origin
        for token in doc:  # white space may be wider in the text than it was for the parser
            at = text.index(surface(token).strip(), at)
            self.starts.append(at)
            at += len(surface(token).strip())

    def start(self, token: Token) -> int:
        """Where a token begins."""
        return self.starts[token.i]

    def stop(self, token: Token) -> int:
        """Where a token ends."""
        return self.starts[token.i] + len(surface(token).strip())

    def edit(self, token: Token, text: str) -> Edit:
        """Give the edit that puts a text in the place of a token."""
        return Edit(self.start(token), self.stop(token), text)

    def opens(self, token: Token) -> bool:
        """Whether a token is the first word of the text, so that its capital says nothing."""
        return not any(c.isalnum() for c in self.text[: self.start(token)])


class Place:
    """A phrase with its place in the text and its words as they can stand elsewhere."""

    def __init__(self, clause: Clause, phrase: Phrase) -> None:
        doc, text = clause.doc, clause.text
        self.clause, self.phrase = clause, phrase
        self.start, self.stop = clause.start(doc[phrase.first]), clause.stop(doc[phrase.last])
        self.text = text[self.start : self.stop]
        self.ending = ""
        self.middle_text = ""
        """The text as it stands within a sentence, where that is not as it stands here."""
        self.closed = phrase.comma and text[self.stop :].lstrip().startswith(",")
        if phrase.possessive:
            # The ending ('s or ') belongs to the place; a pronoun (her) holds it within.
            if doc[phrase.last].dep_ == "case":
                self.text = text[self.start : clause.starts[phrase.last]].rstrip()
            self.ending = "'s"
        if self.closed:
            self.stop = text.index(",", self.stop) + 1
        self.before_word = text[self.stop :].lstrip()[:1].isalnum()

    @property
    def pronoun(self) -> tuple[str, ...] | None:
        """All forms of the pronoun that stands here, or None."""
        return forms_of(self.text)

    @property
    def row(self) -> str:
        """The nominative of the pronoun that stands here, in small letters; "" for no pronoun."""
        return self.pronoun[NOMINATIVE].lower() if self.pronoun is not None else ""

    @property
    def case(self) -> int:
        """The form that this place asks of a pronoun."""
        head = self.phrase.head
        if self.text.lower() in REFLEXIVES:
            return REFLEXIVE
        if self.phrase.possessive:
            return GENITIVE if head.dep_ == "poss" else ABSOLUTE
        # "He and I are friends": a conjunct has the case of the phrase it is joined to.
        while head.dep_ == "conj":
            head = head.head
        return NOMINATIVE if head.dep_ in SUBJECTS else ACCUSATIVE

    def edit(self, text: str) -> Edit:
        """Give the edit that puts a text in this place."""
        return Edit(self.start, self.stop, text)

    def text_for(self, place: Place) -> str:
        """Give this phrase in the form that another place asks for."""
        if self.pronoun is not None:
            return self.pronoun[place.case]
        text = self.middle_text or self.text
        text = genitive(text) if place.phrase.possessive else text
        # An inserted phrase is closed by a second comma wherever the sentence goes on.
        if self.phrase.comma and place.before_word and (self.closed or self.phrase.first > 0):
            text += ","
        return text


def apply(text: str, edits: list[Edit]) -> str:
    """Make all edits, none of which overlap."""
    for start, stop, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[stop:]
    return text
