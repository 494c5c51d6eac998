"""Phrases of a parsed sentence: where they begin and end, what they name, what they ask of a verb.

The labels (nsubj, dobj, pobj, ...) are those of spaCy's English pipelines.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from symdemo.swapping import beings, lexicon, words
from symdemo.swapping.pipeline import is_irregular_past, knows_noun

if TYPE_CHECKING:
    from spacy.tokens import Token

SUBJECTS = {"nsubj", "nsubjpass"}
SCORE = re.compile(r"\d{1,3}[-–:]\d{1,3}")
NOUN_TAGS = ("NN", "PRP", "CD", "DT", "VBG", "FW", "JJ")


class Slot(NamedTuple):
    """A noun phrase by its head and its first and last token; `comma`: set off by commas."""

    head: Token
    first: int
    last: int
    comma: bool = False

    @property
    def possessive(self) -> bool:
        """Whether the phrase stands as a possessor: Bob's, her."""
        # "Ann's book is Bob's": the last word is a possessor too, of something left unsaid.
        absolute = self.head.lower_ in words.ABSOLUTES and self.first == self.last
        ends = self.head.doc[self.last].dep_ == "case"
        return (self.head.dep_ == "poss" and self.first <= self.head.i) or ends or absolute


class Pair(NamedTuple):
    """Two phrases that change places, and the verb that agrees with the first where one does."""

    one: Slot
    two: Slot
    verb: Token | None = None


def children(token: Token, *labels: str) -> list[Token]:
    """Give the direct dependents of a token with one of the labels, from left to right."""
    return [c for c in token.children if c.dep_ in labels]


def subject_of(verb: Token) -> Token | None:
    """Give the subject of a verb, or None; in "is engaged to" it may hang on the auxiliary.

    A second verb has the subject of the first: "The standby promotes itself and fences it off".
    """
    helpers = children(verb, "aux", "auxpass")
    found = [s for head in (verb, *helpers) for s in children(head, *SUBJECTS)]
    if not found:
        found = [c for c in children(verb, "csubj") if c.left_edge.lower_ in _WHO]
    # "Dude, the raccoon scared Kevin": who is spoken to comes before the subject.
    if len(found) > 1 and found[0].i + 1 < len(verb.doc) and found[0].nbor().text == ",":
        found = found[1:]
    if not found and verb.dep_ == "xcomp":
        return subject_of(verb.head) if verb.head.pos_ in {"VERB", "AUX"} else None
    if not found and verb.dep_ == "conj" and verb.head.pos_ in {"VERB", "AUX"}:
        return subject_of(verb.head)
    return found[0] if found else None


_WHO = {"whoever", "whatever", "what", "who"}


def is_name(token: Token) -> bool:
    """Whether a noun is a proper noun."""
    return token.tag_.startswith("NNP")


def is_being(token: Token) -> bool:
    """Whether a phrase names someone rather than something: a name, he/she, "the girl"."""
    if token.tag_ == "PRP":
        return token.lower_ != "it"
    # "The cleaner", "the general": taken for adjectives at times.
    if is_name(token) or beings.is_being(token.lemma_.lower()) or beings.is_being(token.lower_):
        return True
    # A name that the tagger does not know (Ann): bare, with a capital, and in no dictionary.
    bare = token.tag_ == "NN" and token.text[:1].isupper() and token.left_edge == token
    given = token.lower_ in lexicon.COUNTED_NAMES | lexicon.UNCOUNTED_NAMES
    return bare and (given or not knows_noun(token.lower_))


def is_time(token: Token) -> bool:
    """Whether a noun says when: 1895, May, the next morning, the 1990s."""
    if {token.lemma_.lower(), token.lower_.removesuffix("s")} & words.TIME_WORDS:
        return not any(c.dep_ == "compound" and is_name(c) for c in token.children)
    if token.lower_ in {"one", "ones"} and any(token.children):
        return False  # "the new one"
    year = token.text.rstrip("s")
    return token.tag_ == "CD" or (year.isdigit() and len(year) == 4)


def is_measure(noun: Token) -> bool:
    """Whether a noun says how much: three per cent, 200 metres, ten points."""
    counted = any(c.tag_ == "CD" for c in noun.children) or (
        noun.i > 0 and noun.nbor(-1).tag_ == "CD"
    )
    return counted and noun.lemma_.lower() in words.UNITS | words.TIME_WORDS


def finite_verb(verb: Token) -> Token | None:
    """Give the word that agrees with the subject: the first auxiliary, or else the verb itself."""
    helpers = children(verb, "aux", "auxpass")
    finite = helpers[0] if helpers else verb
    if not finite.tag_.startswith("VB") or (helpers and finite.lower_ == "to"):
        return None
    # Past forms never change, but for was and were; a bare form after a plural is tagged VB at
    # times ("Lions hunt the zebra"), so only past tags are put aside.
    # A past form may be tagged as a base form itself ("forgave").
    changing = finite.lemma_ == "be" or finite.lower_ in {"was", "were"}
    past = finite.tag_ in {"VBD", "VBN", "VBG"} or is_irregular_past(finite.lower_)
    return None if past and not changing else finite


def number_of(slot: Slot) -> str:
    """Give the person a phrase asks of its verb: ``I``, ``singular`` or ``plural``."""
    head = slot.head
    if (row := words.row_of(head.text)) is not None:
        named = row[words.NOMINATIVE]
        return {"I": "I", "you": "plural", "we": "plural", "they": "plural"}.get(named, "singular")
    inside = range(slot.first, slot.last + 1)
    if head.doc[slot.first : slot.last + 1].text.lower() in words.DOUBLE_NAMES:
        return "singular"
    if children(head, "conj"):
        # In "Ann, Bob and Carl" the "and" hangs on Bob.
        links = {c.lower_ for t in head.subtree if t.i in inside for c in children(t, "cc")}
        joined = any(c.i in inside for c in children(head, "conj"))
        if joined and links & {"and", "&"}:
            return "plural"
    if is_name(head) and head.lower_ in words.SINGULAR_NAMES:
        return "singular"
    # "The Alps", "the Beatles": with an article, a name in -s is a plural, tagged as one or not.
    if is_name(head) and any(c.lower_ == "the" for c in children(head, "det")):
        return "plural" if re.search(r"[^siu']s$", head.lower_) else "singular"
    # Lower-cased names are tagged as plurals at times ("romeo"), and they do not end in -s.
    endings = re.search(r"(?:as|is|us|ss)$", head.lower_) and not knows_noun(
        words.base_form(head.lower_)
    )
    tagged = (
        not endings
        and head.tag_ in {"NNS", "NNPS"}
        and head.lower_.endswith(("s", "i", "ae", "a", "en"))
    )
    bare = slot.first == head.i and head.lower_ in words.SAME_IN_PLURAL
    # "Pixels", "Protesters": the plural of a common noun, written like a name.
    written = is_name(head) and re.search(r"[^siu']s$", head.lower_) and slot.first == head.i
    counted = bool(written) and head.i > 0 and knows_noun(words.base_form(head.lower_))
    counted = counted and len(head.text) > 4
    plural = tagged or bare or counted or head.lower_ in words.PLURAL_NOUNS
    return "plural" if plural else "singular"
