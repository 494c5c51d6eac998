"""Rules for who does what to whom: verbs with objects, recipients, agents and prepositions.

Like those in `constructions`, each takes the main verb and gives a `Pair` or None.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symdemo.swapping.reading import lexicon
from symdemo.swapping.reading.objects import (
    direct_object,
    objects_behind,
    objects_of,
    prepositional_object,
)
from symdemo.swapping.reading.phrases import (
    Pair,
    Phrase,
    children,
    is_animate,
    is_name,
    is_time,
    phrase_of,
    subject_of,
)
from symdemo.swapping.reading.pipeline import verb_lemma

if TYPE_CHECKING:
    from spacy.tokens import Token


def ditransitive(verb: Token) -> Pair | None:
    """As in "Ann gave Bob a book": subject and recipient."""
    subject = subject_of(verb)
    if subject is None:
        return None
    for found in children(verb, "dative"):
        recipient = children(found, "pobj")[:1] if found.tag_ in {"IN", "TO"} else [found]
        if recipient:
            return Pair(phrase_of(subject), _without_gift(recipient[0]))
    thing = direct_object(verb)
    if verb_lemma(verb) in lexicon.GIVING_VERBS and thing is not None:
        # The parser hangs "to the server" on the thing too: "sends requests to the server".
        for found in objects_behind("to", verb, thing):
            return Pair(phrase_of(subject), phrase_of(found))
    if verb_lemma(verb) in lexicon.TAKING_VERBS and thing is not None and not is_animate(thing):
        for found in objects_behind("from", verb, thing):
            if not is_time(found):
                return Pair(phrase_of(subject), phrase_of(found))
    bare = _recipient_of_bare_thing(verb)
    return bare and Pair(phrase_of(subject), bare)


def _without_gift(recipient: Token) -> Phrase:
    """Give the phrase of a recipient without what is given: "showed the wolf | a book"."""
    gifts = [c for c in children(recipient, "appos") if c.left_edge.nbor(-1).text != ","]
    return phrase_of(recipient, stop=gifts[0].left_edge if gifts else None)


def _recipient_of_bare_thing(verb: Token) -> Phrase | None:
    """Give the recipient in "lent the farmer money", which the parser reads as one noun."""
    thing = direct_object(verb)
    if thing is None or verb_lemma(verb) not in lexicon.GIVING_VERBS or is_name(thing):
        return None
    beings = [c for c in children(thing, "compound", "nmod") if is_animate(c)]
    between = verb.doc[beings[-1].i + 1 : thing.i] if beings else ()
    if not beings or any(t.tag_ not in {"CD", "DT", "JJ"} for t in between):
        return None
    if verb_lemma(verb) == "feed" and not between:
        return None  # "feeds the worker pool"
    # "sells cat food", "offers student loans": without an article, one noun after all.
    if thing.left_edge == beings[-1] and not is_name(beings[-1]):
        return None
    return Phrase(beings[-1], thing.left_edge.i, beings[-1].i)


def transitive(verb: Token) -> Pair | None:
    """As in "The cat chased the dog"; a being that a thing belongs or leads to beats the thing."""
    subject, chosen = subject_of(verb), direct_object(verb)
    if subject is None or chosen is None:
        return None
    if verb_lemma(verb) == "remind":  # "reminds me of the actress"
        for found in objects_behind("of", verb):
            return Pair(phrase_of(subject), phrase_of(found))
    chosen = _party_beside(verb, subject, chosen) or _end_of_idiom(verb, chosen) or chosen
    return Pair(phrase_of(subject), phrase_of(chosen))


def _party_beside(verb: Token, subject: Token, thing: Token) -> Token | None:
    """Give the being in "signed the treaty with Italy", "ate Bob's lunch", "swam before Bob did".

    Only a being has such a counterpart: "The key opens the door of the house" is about the door.
    """
    if not is_animate(subject):
        return None
    behind = party_behind(thing)
    if is_animate(thing):
        # "has recalled its ambassador from Peru": one's own is no other party.
        own = any(c.lower_ in {"its", "their", "his", "her"} for c in children(thing, "poss"))
        return behind if own and behind is not None and is_name(behind) else None
    if behind is not None:
        return behind
    for found, prep in objects_of(verb):
        brought_in = prep is not None and prep.lower_ in _PARTY_PREPOSITIONS
        if brought_in and found.i > thing.i:
            party = found if is_animate(found) else party_behind(found)
            if party is not None:
                return party
    return _forerunner(verb)


def _forerunner(verb: Token) -> Token | None:
    """Give the other in "apologised before Bob did", "started before the play ended"."""
    for clause in children(verb, "advcl"):
        other, marks = subject_of(clause), {c.lower_ for c in children(clause, "mark")}
        if other is None or not marks:
            continue
        # "The concert started before the play ended": neither has an object, and both can change.
        alone = marks & {"before", "after", "until"} and not (
            children(clause, "dobj", "attr", "acomp") or children(verb, "dobj", "attr", "acomp")
        )
        if verb_lemma(clause) == "do" or alone:
            return other
    return None


_PARTY_PREPOSITIONS = lexicon.PARTY_PREPOSITIONS | {"of", "on", "about", "by", "before", "after"}


def party_behind(thing: Token) -> Token | None:
    """Give the being that a thing belongs to or leads to: "Bob's lunch", "a remark about Bob"."""
    for owner in children(thing, "poss"):
        if owner.tag_ != "PRP$" and is_animate(owner):
            return owner
    made = [thing, *children(thing, "acl")]  # "a promise | made to Bob"
    for prep in (prep for part in made for prep in children(part, "prep", "agent")):
        for found in children(prep, "pobj") if prep.lower_ in _PARTY_PREPOSITIONS else ():
            if is_animate(found) and not is_time(found):
                return found
            if (further := party_behind(found)) is not None:
                return further
    return None


def _end_of_idiom(verb: Token, thing: Token) -> Token | None:
    """Give the end of "makes room for fear", "has a bearing on fear", "set fire to the barn"."""
    known = any(c.dep_ == "poss" or c.lower_ in _DEFINITE for c in thing.children)
    light = verb_lemma(verb) in lexicon.LIGHT_VERBS and not (is_animate(thing) or is_name(thing))
    idiom = f"{verb_lemma(verb)} {thing.lower_}" in lexicon.IDIOMS
    if known or not (light or idiom):
        return None
    led = prepositional_object(thing)
    if led is not None and verb_lemma(verb) == "have" and led[0].lower_ == "on":
        return led[1]  # "has a crush on", "has an effect on"
    if led is not None and (
        led[0].lower_ not in lexicon.ADJUNCT_PREPOSITIONS or is_animate(led[1])
    ):
        return led[1]
    after = [t for t, p in objects_of(verb) if p is not None and t.i > thing.i]
    return next((t for t in after if t.head.lower_ not in lexicon.ADJUNCT_PREPOSITIONS), None)


_DEFINITE = frozenset({"the", "this", "that", "these", "those"})


def passive(verb: Token) -> Pair | None:
    """As in "The letter was written by Anna"; in "A was introduced to B by a friend", A and B."""
    subject = subject_of(verb)
    # In "was given a book by Ann" the agent may be labelled as any preposition.
    by = [t for t in verb.subtree if t.lower_ == "by" and t.head.dep_ in {"ROOT", "dobj"}]
    spread = by if children(verb, "auxpass") else []
    agents = [t for prep in children(verb, "agent") or spread for t in children(prep, "pobj")]
    if subject is None or not agents or is_time(agents[0]) or agents[0].lower_ in lexicon.MANNERS:
        return None
    chosen = agents[0]
    linking = verb_lemma(verb) in lexicon.CONNECTING_VERBS and not is_animate(chosen)
    if linking or (is_name(subject) and not is_name(chosen)):
        for found, prep in objects_of(verb):
            led = prep is not None and prep.lower_ in {"to", "with", "from"}
            if led and (linking or is_name(found)):
                chosen = found
                break
    return Pair(phrase_of(subject), phrase_of(chosen))


def _is_bare_noun(noun: Token) -> bool:
    return noun.left_edge == noun and noun.tag_ == "NN" and noun.is_lower


def prepositional(verb: Token) -> Pair | None:
    """As in "Yusuf works with Hana", "lies north of the station", "is close to Bergen"."""
    subject = subject_of(verb)
    if subject is None:
        return None
    found = list(objects_of(verb))
    found = [(t, p) for t, p in found if p is None or p.lower_ not in lexicon.SENTENCE_PREPOSITIONS]
    # What says where or when comes last in line: "listened in London to the queen".
    close = [t for t, p in found if p is None or p.lower_ not in lexicon.ADJUNCT_PREPOSITIONS]
    if verb_lemma(verb) in lexicon.VERBS_WITH_ON:  # "depends on algae for food"
        close = [t for t, p in found if p is not None and p.lower_ in {"on", "upon"}] or close
    chosen = (close or [t for t, _ in found])[:1]
    # "went to school with Bob"
    company = [t for t, p in found if p is not None and p.lower_ == "with" and is_animate(t)]
    if company and is_animate(subject) and (not is_animate(chosen[0]) or _is_bare_noun(chosen[0])):
        chosen = company[:1]
    elif chosen:  # "got on Bob's nerves", "relies on help from Bob"
        chosen = [_party_beside(verb, subject, chosen[0]) or chosen[0]]
    else:
        chosen = [other for other in [_forerunner(verb)] if other is not None]
    return Pair(phrase_of(subject), phrase_of(chosen[0])) if chosen else None


def parts_in_relative(verb: Token) -> Pair | None:
    """As in "X has part(s) that are instances of Y": the wording ends in "instances of"."""
    subject = subject_of(verb)
    for token in verb.subtree:
        if token.lower_ in {"instances", "instance"} and subject is not None:
            led = prepositional_object(token)
            if led is not None and led[1].i > subject.i and verb_lemma(verb) == "have":
                return Pair(phrase_of(subject), phrase_of(led[1]))
    return None
