"""Verbs that agree with a subject, and their forms for another subject."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symdemo.swapping.mending.places import Clause, Edit
from symdemo.swapping.reading.inflection import base_form, plural_of, verb_form
from symdemo.swapping.reading.phrases import SUBJECTS, Phrase, children, finite_verb
from symdemo.swapping.reading.pipeline import surface, verb_lemma

if TYPE_CHECKING:
    from spacy.tokens import Token

_SHORT = {"'m", "'s", "'re", "'ve", "'d", "'ll"}


def verbs_of(phrase: Phrase) -> list[Token]:
    """Give the finite verbs that agree with a phrase; none where it is no subject by itself."""
    head = phrase.head
    outside = [c for c in children(head, "conj") if not phrase.first <= c.i <= phrase.last]
    if head.dep_ not in SUBJECTS or outside:
        return []
    verb = head.head
    helpers = children(verb, "aux", "auxpass")
    found = [finite_verb(verb)]
    # "The dogs chase the cat and bite it"; but "can chase and bite" has one finite verb.
    while following := [c for c in children(verb, "conj") if c.pos_ in {"VERB", "AUX"}]:
        verb = following[0]
        own = children(verb, "aux", "auxpass")
        if children(verb, *SUBJECTS):
            break
        if own or not (helpers and verb.tag_ in {"VB", "VBN", "VBG"}):
            found.append(finite_verb(verb))
    return [token for token in found if token is not None]


def short_verb_of(phrase: Phrase) -> Token | None:
    """Give the 'll, 'd, 've, 'm, 're or 's that hangs on a subject."""
    if phrase.head.dep_ not in SUBJECTS or phrase.last + 1 >= len(phrase.head.doc):
        return None
    token = phrase.head.doc[phrase.last + 1]
    owned = token.dep_ in {"case", "poss"}
    return token if _plain(surface(token)) in _SHORT and not owned else None


def _plain(form: str) -> str:
    return form.lower().replace("’", "'")


def agree(clause: Clause, phrase: Phrase, person: str, *, changed: bool) -> list[Edit]:
    """Mend the verbs of a subject for a new one that is ``I``, ``singular`` or ``plural``.

    `changed`: a phrase takes the place of a pronoun, after which a verb cannot be short.
    """
    edits = []
    short = short_verb_of(phrase)
    if short is not None and (full := _full(short, person, changed)) is not None:
        edits.append(clause.edit(short, full))
    for verb in verbs_of(phrase):
        if verb == short and edits:
            continue
        form = surface(verb)
        # Behind a stand-in is another verb, in the present or a past in -ed.
        stands_in = form != verb.text and form[0].isalpha()  # "is" for "'s" is the same verb
        if stands_in and form.endswith("ed"):
            continue
        lemma = base_form(form) if stands_in else verb.lemma_.lower()
        if lemma == "be" and _plain(form) == "'s" and _is_perfect(verb):
            lemma = "have"  # "She's known them"
        new, stop = verb_form(form, lemma, person), clause.stop(verb)
        if person == "I" and new == "am" and _plain(surface(verb.nbor())) == "n't":
            new, stop = "am not", clause.stop(verb.nbor())  # "I amn't" is not said
        edits.append(Edit(clause.start(verb), stop, new))
        if lemma == "be":
            edits += _class_in_number(clause, phrase, verb, person)
    return edits


def _is_perfect(short: Token) -> bool:
    """Whether 's is "has": before "been", or a participle with an object of its own."""
    verb = short.head
    been = any(c.lower_ == "been" for c in verb.children) or verb.lower_ in {"been", "got", "had"}
    return been or (verb.tag_ in {"VBN", "VBD"} and bool(children(verb, "dobj")))


def _class_in_number(clause: Clause, phrase: Phrase, verb: Token, person: str) -> list[Edit]:
    """Mend what the subject is said to be: "were allies of", "was an ally of"."""
    for noun in children(verb, "attr"):
        if noun.i <= phrase.last or not children(noun, "prep"):
            continue
        opening = noun.left_edge
        if person == "plural" and opening.lower_ in {"a", "an"} and noun.tag_ == "NN":
            start = clause.start(noun.doc[opening.i + 1])
            plural = clause.edit(noun, plural_of(surface(noun)))
            return [Edit(clause.start(opening), start, ""), plural]
        bare = all(c.dep_ in {"amod", "compound"} for c in noun.children if c.i < noun.i)
        if person != "plural" and noun.tag_ == "NNS" and bare and noun.lemma_ != noun.lower_:
            article = "an " if surface(opening)[0].lower() in "aeiou" else "a "
            if opening == noun:
                return [clause.edit(noun, article + noun.lemma_)]
            at = clause.start(opening)
            return [Edit(at, at, article), clause.edit(noun, noun.lemma_)]
    return []


def _full(short: Token, person: str, changed: bool) -> str | None:
    """Give the long form of a short verb where the new subject cannot have a short one."""
    form = _plain(surface(short))
    if not changed:
        return None
    if form == "'s":
        return " has" if _is_perfect(short) or verb_lemma(short) == "have" else None
    if form in {"'ll", "'d"}:
        had = short.head.tag_ in {"VBN", "VBD"} or short.doc[short.i + 1].lower_ == "better"
        return " will" if form == "'ll" else " had" if had else " would"
    if form == "'ve":
        return " has" if person == "singular" else " have"
    return " are" if person == "plural" else None
