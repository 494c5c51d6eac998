"""A phrase with its place in the text, and the other places where a swap has to change it.

"Peter lent his bicycle to Sofia" mentions Peter twice, so the swap changes "his" as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from symdemo.swapping import lexicon
from symdemo.swapping.parsing import surface
from symdemo.swapping.phrases import (
    SUBJECTS,
    Phrase,
    children,
    is_animate,
    is_name,
    number_of,
)
from symdemo.swapping.words import (
    ABSOLUTE,
    ACCUSATIVE,
    GENITIVE,
    NOMINATIVE,
    REFLEXIVE,
    REFLEXIVES,
    forms_of,
    genitive,
    pronoun_in,
    verb_lemma,
)

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
        """Return where a token begins."""
        return self.starts[token.i]

    def stop(self, token: Token) -> int:
        """Return where a token ends."""
        return self.starts[token.i] + len(surface(token).strip())

    def edit(self, token: Token, text: str) -> Edit:
        """Return the edit that puts a text in the place of a token."""
        return Edit(self.start(token), self.stop(token), text)

    def opens(self, token: Token) -> bool:
        """True if a token is the first word of the text, so that its capital says nothing."""
        return not any(c.isalnum() for c in self.text[: self.start(token)])


class Place:
    """A phrase with its place in the text, and its words in the form for other places."""

    def __init__(self, clause: Clause, phrase: Phrase, other: Phrase | None = None) -> None:
        doc, text = clause.doc, clause.text
        self.clause, self.phrase = clause, phrase
        self.start, self.stop = clause.start(doc[phrase.first]), clause.stop(doc[phrase.last])
        self.text = text[self.start : self.stop]
        self.ending = ""
        self.middle_text = ""
        """The text as it is within a sentence, if that differs from here."""
        self.closed = phrase.comma and text[self.stop :].lstrip().startswith(",")
        # "Ann's car is faster than Bob's": Bob owns something if the other phrase does, too.
        named = phrase.ends_in_s and other is not None and not other.possessive
        self.owner = phrase.possessive and not named
        if self.owner:
            # The ending ('s or ') belongs to the place; a pronoun (her) holds it within.
            if doc[phrase.last].dep_ == "case":
                self.text = text[self.start : clause.starts[phrase.last]].rstrip()
            self.ending = "'s"
        if self.closed:
            self.stop = text.index(",", self.stop) + 1
        self.before_word = text[self.stop :].lstrip()[:1].isalnum()

    @property
    def pronoun(self) -> tuple[str, ...] | None:
        """All forms of the pronoun in this place, or None."""
        shouted = self.clause.text.isupper()  # "HE SENT HER A CARD"
        return forms_of(self.text.lower() if shouted else self.text)

    @property
    def row(self) -> str:
        """The nominative of the pronoun in this place, in lower case, or ""."""
        return self.pronoun[NOMINATIVE].lower() if self.pronoun is not None else ""

    @property
    def case(self) -> int:
        """The form of a pronoun that this place needs."""
        head = self.phrase.head
        if self.text.lower() in REFLEXIVES:
            return REFLEXIVE
        if self.owner:
            return GENITIVE if head.dep_ == "poss" else ABSOLUTE
        # "He and I are friends": a conjunct has the case of the phrase it is joined to.
        while head.dep_ == "conj":
            head = head.head
        return NOMINATIVE if head.dep_ in SUBJECTS else ACCUSATIVE

    def edit(self, text: str) -> Edit:
        """Return the edit that puts a text in this place."""
        return Edit(self.start, self.stop, text)

    def text_for(self, place: Place) -> str:
        """Return this phrase in the form that another place needs."""
        if self.pronoun is not None:
            return self.pronoun[place.case]
        text = self.middle_text or self.text
        text = genitive(text) if place.owner else text
        # An inserted phrase is closed by a second comma wherever the sentence goes on.
        if self.phrase.comma and place.before_word and (self.closed or self.phrase.first > 0):
            text += ","
        return text


def apply(text: str, edits: list[Edit]) -> str:
    """Make all edits; none may overlap."""
    for start, stop, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[stop:]
    return text


_WEATHER = lexicon.word_set("rain snow thunder freeze hail drizzle")


class Mention(NamedTuple):
    """Another mention of an argument (0 or 1), and the text that the swap puts there.

    `person` is the form of the verb that the new text needs; `doubt` says what is unclear.
    """

    place: Place
    argument: int
    text: str
    person: str
    doubt: str = ""


def find_mentions(clauses: list[Clause], arguments: tuple[Place, Place]) -> list[Mention]:
    """Return all mentions of either argument outside the two phrases themselves."""
    found = _repeats(clauses, arguments)
    taken = [*(mention.place for mention in found), *arguments]
    used = {0: "", 1: ""}
    pronouns = []
    for clause in clauses:
        for token in clause.doc:
            if not _is_free_pronoun(token) or _inside(clause.start(token), taken):
                continue
            place = Place(clause, Phrase(token, token.i, token.i))
            if (meant := _antecedent(place, arguments)) is not None:
                pronouns.append((place, meant))
                used[meant] = used[meant] or place.row
    others = (_as_other(place, meant, arguments, used) for place, meant in pronouns)
    return found + [mention for mention in others if mention is not None]


def _inside(at: int, places: Iterable[Place]) -> bool:
    return any(place.start <= at < place.stop for place in places)


def _is_free_pronoun(token: Token) -> bool:
    if forms_of(token.text) is None or not token.tag_.startswith(("PRP", "NN", "JJ")):
        return False
    if token.lower_ != "it" or token.dep_ not in SUBJECTS:
        return token.dep_ != "expl"
    # "it rains", "it is clear that": nothing is meant.
    verb = token.head
    clausal = children(verb, "ccomp", "xcomp", "advcl") and children(verb, "acomp", "attr")
    return verb_lemma(verb) not in _WEATHER and not clausal


def _repeats(clauses: list[Clause], arguments: tuple[Place, Place]) -> list[Mention]:
    """Return where the same words are repeated: "Ann loves Bob and Bob loves Ann"."""
    found: list[Mention] = []
    for clause in clauses:
        for argument in (0, 1):
            own, other = arguments[argument], arguments[1 - argument]
            tokens = own.phrase.tokens
            letter = len(tokens) == 1 and tokens[0].is_upper  # "A hates B and B hates A"
            # Words such as "the" alone mean something else each time.
            vague = not letter and all(t.is_stop or t.is_punct for t in tokens)
            if own.pronoun is not None or other.pronoun is not None or vague:
                continue
            for place in _places_of(clause, own, arguments):
                if any(place.start < m.place.stop and m.place.start < place.stop for m in found):
                    continue
                text = other.text_for(place)
                found.append(Mention(place, argument, text, number_of(other.phrase)))
    return found


def _places_of(clause: Clause, own: Place, arguments: tuple[Place, Place]) -> list[Place]:
    wanted = [t.text for t in own.phrase.tokens]
    if own.ending and wanted[-1:] in (["'s"], ["'"], ["’s"]):
        wanted.pop()
    length, opens = len(wanted), own.clause.opens(own.phrase.tokens[0])
    if opens:
        wanted[0] = wanted[0].lower()
    out = []
    for first in range(len(clause.doc) - length + 1):
        tokens = clause.doc[first : first + length]
        texts = [t.text for t in tokens]
        if clause.opens(tokens[0]) or opens:
            same = texts[1:] == wanted[1:] and texts[0].lower() == wanted[0].lower()
            # "A hates B and a dog": the letter keeps its capital.
            same = same and (len(texts[0]) > 1 or texts[0] == own.text)
        else:
            same = texts == wanted
        # "Ann's sister", "the Ann Street": part of a longer phrase, and another thing.
        if not same or tokens.root.dep_ in {"compound", "nmod", "amod"}:
            continue
        if _inside(clause.start(tokens[0]), arguments):
            continue
        stop = first + length
        ending = stop < len(clause.doc) and clause.doc[stop].dep_ == "case"
        out.append(Place(clause, Phrase(tokens.root, first, stop - 1 + ending)))
    return out


def _antecedent(place: Place, arguments: tuple[Place, Place]) -> int | None:
    """Return the argument that a pronoun refers to, or None."""
    if _comes_too_early(place, arguments):
        return None
    row = place.row
    fits = [i for i, p in enumerate(arguments) if row in pronouns_for(p.phrase)]
    sure = [i for i in fits if pronouns_for(arguments[i].phrase) == (row,)]
    if row in {"i", "we", "you"} or (len(sure) == 1 and not _bound_to_subject(place, arguments)):
        fits = sure
    return next(iter(fits), None)


def _comes_too_early(place: Place, arguments: tuple[Place, Place]) -> bool:
    """True if a pronoun precedes both arguments, in no clause of its own.

    "She sat between Omar and Ruth" is about a third; in "When he saw Ann, Bob ran" he may be Bob.
    """
    first = arguments[0]
    if place.clause is not first.clause or place.start > first.start:
        return False
    return not any(t.dep_ in {"advcl", "pcomp"} for t in place.phrase.head.ancestors)


def _bound_to_subject(place: Place, arguments: tuple[Place, Place]) -> bool:
    """True if a possessive or reflexive is in the clause of which an argument is subject."""
    if place.case not in {GENITIVE, REFLEXIVE}:
        return False
    subject = arguments[0].phrase.head
    return not any(
        a.dep_ in {"ccomp", "advcl", "relcl", "conj"} and children(a, *SUBJECTS)
        for a in place.phrase.head.ancestors
        if a != subject.head
    )


def _as_other(
    place: Place, meant: int, arguments: tuple[Place, Place], used: dict[int, str]
) -> Mention | None:
    """Return the pronoun for the other argument in a place; None where it is the same word."""
    other = arguments[1 - meant]
    row, possible = place.row, pronouns_for(other.phrase)
    doubt = ""
    if len(possible) == 1:
        new = possible[0]
    elif used[1 - meant] in possible:
        new = used[1 - meant]
    elif row in possible:
        new = row
        same_kind = row in pronouns_for(arguments[meant].phrase)[1:]
        if len(pronouns_for(arguments[meant].phrase)) == 1 and not same_kind:
            doubt = f"“{other.text}” may be he or she: look at “{place.text}”."
    else:
        new = possible[0]
        doubt = f"“{other.text}” may be he or she, so the pronoun may have to be another."
    person = {"i": "I", "you": "plural", "we": "plural", "they": "plural"}.get(new, "singular")
    if new == row:
        return Mention(place, meant, place.text, person, doubt) if doubt else None
    return Mention(place, meant, pronoun_in(new, place.case), person, doubt)


_HER_ENDING = re.compile(r".+(?:ika|ena|ina)|.*(?:elle|ette|iana|isha)")
"""Endings of given names that are most likely a woman's: Annika, Serena, Camille."""


def pronouns_for(phrase: Phrase) -> tuple[str, ...]:
    """Return the pronouns, in the nominative, that may refer to a phrase; one where it is known."""
    head = phrase.head
    if (row := forms_of(head.text)) is not None and head.tag_.startswith("PRP"):
        return (row[NOMINATIVE].lower(),)
    if number_of(phrase) == "plural":
        return ("they",)
    return _of_noun(head)


def _of_noun(head: Token) -> tuple[str, ...]:
    """Return the pronouns for a noun in the singular, by its own word and those beside it."""
    beside = {c.lower_ for c in children(head, "compound", "appos", "amod", "nmod")}
    known = {head.lower_, head.lemma_.lower(), *(beside if is_name(head) else ())}
    known |= beside & {"male", "female"}
    male, female = known & lexicon.MALE, known & lexicon.FEMALE
    if not male and not female and is_name(head) and _HER_ENDING.fullmatch(head.lower_):
        return ("she",)
    if bool(male) != bool(female):
        return ("he",) if male else ("she",)
    word = head.lemma_.lower()
    if word in lexicon.ANIMALS:
        return ("it", "he", "she")
    if word in lexicon.GROUPS:
        return ("it", "they")
    if is_name(head) or (head.text[:1].isupper() and is_animate(head)):
        return ("it", "he", "she", "they")
    return ("they", "she", "he") if is_animate(head) else ("it",)


def gender_of(word: str) -> str:
    """Return he or she for a given name or a noun of known gender, else ""."""
    low = word.lower()
    if (low in lexicon.MALE) == (low in lexicon.FEMALE):
        return ""
    return "he" if low in lexicon.MALE else "she"
