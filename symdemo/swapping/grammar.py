"""Where subject and object stand: rules over the dependency parse, one function per construction.

Each rule takes the main verb (or the head of a sentence without one) and gives a `Pair` or None.
`CONSTRUCTIONS` lists the rules in the order in which they are asked; the first answer counts.
The rules for verbs with objects are in `symdemo.swapping.acts`, those for a state of two things are
here. The labels (nsubj, dobj, pobj, ...) are those of spaCy's English pipelines.

Decisions worth knowing: a coordinated object is one object ("Chad, Niger and Cameroon"); a
coordinated subject is the pair itself where no second being is in sight ("Kenya and Uganda share a
border"); and a being beats a thing as object ("Ann told the story to Bob").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from symdemo.swapping import words
from symdemo.swapping.acts import (
    ditransitive,
    parts_in_relative,
    party_behind,
    passive,
    prepositional,
    transitive,
)
from symdemo.swapping.objects import objects_of, prepositional_object
from symdemo.swapping.phrases import (
    NOUN_TAGS,
    SUBJECTS,
    Pair,
    children,
    finite_verb,
    is_being,
    is_name,
    slot,
    subject_of,
)

if TYPE_CHECKING:
    from spacy.tokens import Token


def _possessor(noun: Token) -> Token | None:
    found = children(noun, "poss")
    return found[0] if found else None


def _conjunct(head: Token) -> Token | None:
    """Give the last of the phrases coordinated with this one."""
    last = None
    while found := children(last or head, "conj"):
        last = found[-1]
    return last


def _pair_of_conjuncts(head: Token) -> Pair | None:
    second = _conjunct(head)
    if second is None or not second.tag_.startswith(NOUN_TAGS):
        return None
    # Of three and more, the first and the last change places: "Ann, Bob and Carl are friends".
    return Pair(slot(head, alone=True), slot(second, alone=True))


def between(verb: Token) -> Pair | None:
    """As in "a road between Oslo and Bergen", "the distance between A and B"."""
    for token in verb.subtree:
        if token.lower_ != "between":
            continue
        for found in children(token, "pobj"):
            expletive = bool(children(verb, "expl"))
            in_subject = token.head.dep_ in SUBJECTS or token.head == verb
            if expletive or in_subject or not children(verb, "dobj"):
                return _pair_of_conjuncts(found)
    return None


def coordination(verb: Token) -> Pair | None:
    """As in "Kenya and Uganda share a border": the subject itself is the pair."""
    subject = subject_of(verb) or (verb if verb.pos_ in {"NOUN", "PROPN"} else None)
    if subject is None or _conjunct(subject) is None:
        return None
    pair = _pair_of_conjuncts(subject)
    if subject is verb:
        return pair
    if any(t.lower_ == "other" and t.nbor(-1).lower_ == "each" for t in verb.subtree if t.i):
        return pair
    others = [(t, p) for t, p in objects_of(verb) if t.lower_ not in {"other", "another"}]
    locative = [p is not None and p.lower_ in words.ADJUNCT_PREPOSITIONS for _, p in others]
    rivals = [t for (t, _), where in zip(others, locative, strict=True) if not where]
    collective = verb.lemma_.lower() in words.COLLECTIVE_VERBS
    # A being elsewhere in the sentence is the object: "Ahmed and Nour admire Carlos"; but not in
    # "Ahmed and Nour have a friend in common" or "have the same mother".
    if any(is_being(t) and _is_definite(t) for t in rivals):
        return None
    if not rivals or collective or is_being(subject):
        return pair
    return None


def _is_definite(noun: Token) -> bool:
    """Whether a phrase names one that is known: not "a friend", not "the same mother"."""
    opening = {t.lower_ for t in noun.doc[noun.left_edge.i : noun.i]}
    return is_name(noun) or noun.tag_ == "PRP" or not opening & {"a", "an", "same", "one", "some"}


def possessive(verb: Token) -> Pair | None:
    """As in "Ann is Bob's mother" and "Ann's mother is Carla": the possessor and the other side."""
    subject, said = subject_of(verb), children(verb, "attr")
    if subject is None or not said:
        return None
    attr = said[0]
    owner, owned = _possessor(attr), _possessor(subject)
    if owned is not None and owner is None and not prepositional_object(attr):
        return Pair(slot(owned), slot(attr))
    if owner is not None and owned is None:
        return Pair(slot(subject), slot(owner), finite_verb(verb))
    return None


def copula(verb: Token) -> Pair | None:
    """As in "Lima is the capital of Peru", "The capital of Peru is Lima", "Whales are mammals"."""
    subject, said = subject_of(verb), children(verb, "attr")
    if subject is None or not said:
        return None
    attr, finite = said[0], finite_verb(verb)
    led = prepositional_object(attr)
    if led is not None and not is_name(attr):
        # "is one of Bob's students", "is a reader of Bob's blog"
        one_of = attr.lower_ == "one" or (is_being(subject) and not is_being(led[1]))
        behind = party_behind(led[1]) if one_of else None
        return Pair(slot(subject), slot(behind or led[1]), finite)
    relational = prepositional_object(subject)
    if relational is not None and is_name(attr) and not is_name(subject):
        return Pair(slot(relational[1]), slot(attr))
    others = [t for t, _ in objects_of(verb)]
    if others and not is_being(attr) and not is_name(attr) and attr.i < others[0].i:
        return Pair(slot(subject), slot(others[0]), finite)
    return Pair(slot(subject), slot(attr), finite)


def comparative(verb: Token) -> Pair | None:
    """As in "Tom is taller than Sue", "We are older than they are", "as tall as Mikko"."""
    subject = subject_of(verb)
    if subject is None:
        return None
    for token in verb.subtree:
        if token.i < subject.i or token.lower_ not in {"than", "as"}:
            continue
        # "as tall as Bob", "the same age as Bob"; but "hailed Bob as a hero".
        before = {t.lower_ for t in token.doc[subject.i : token.i]}
        if token.lower_ == "as" and not before & words.COMPARING_WORDS:
            continue
        if token.dep_ == "prep":
            for found in children(token, "pobj"):
                return Pair(slot(subject), slot(found), finite_verb(verb))
        if token.dep_ == "mark" and (inner := subject_of(token.head)) is not None:
            return Pair(slot(subject), slot(inner), finite_verb(verb))
    return None


def participle(head: Token) -> Pair | None:
    """As in "West Nile disease caused by West Nile virus": a noun with a participle and no verb."""
    return _fragment(head, "acl")


def fragment(head: Token) -> Pair | None:
    """As in "the road from Oslo": a noun with a preposition, when nothing else is found."""
    return _fragment(head, "prep", "amod", "advmod")


def _fragment(head: Token, *labels: str) -> Pair | None:
    if subject_of(head) is not None or head.pos_ in {"VERB", "AUX"}:
        return None
    for part in children(head, *labels):
        for found, _ in [*objects_of(part), *((t, None) for t in children(part, "pobj"))]:
            if found.i > head.i:
                return Pair(slot(head, stop=part), slot(found))
    return None


def embedded(verb: Token) -> Pair | None:
    """As in "Everyone knows that Ann loves Bob": the inner clause, for want of an object."""
    for clause in children(verb, "ccomp", "xcomp", "advcl", "conj"):
        if clause.pos_ in {"VERB", "AUX"} and (pair := find_in(clause)) is not None:
            return pair
    return None


CONSTRUCTIONS: tuple[Callable[[Token], Pair | None], ...] = (
    between,  # before all others: an expletive "there" is no subject
    comparative,  # before the copula: "is a better player than Bob"
    coordination,  # before the objects: "share a border" has one that is not the other party
    possessive,  # before the copula, whose attribute would take "Bob's mother" whole
    copula,
    passive,
    ditransitive,  # before the direct object
    parts_in_relative,
    transitive,
    prepositional,  # what is left with a subject
    participle,
    embedded,
)


def _overlap(pair: Pair) -> bool:
    one, two = pair.one, pair.two
    return one.first <= two.last and two.first <= one.last


def _asks_or_points(pair: Pair) -> bool:
    """Whether a side is no thing at all: there, who, which, whose."""
    return any(s.head.tag_ in {"EX", "WP", "WDT", "WP$"} for s in (pair.one, pair.two))


def find_in(
    verb: Token, rules: tuple[Callable[[Token], Pair | None], ...] = CONSTRUCTIONS
) -> Pair | None:
    """Ask each construction in turn; the first pair of two separate phrases is the answer."""
    for rule in rules:
        pair = rule(verb)
        if pair is None or _overlap(pair) or _asks_or_points(pair):
            continue
        return pair if pair.one.first < pair.two.first else Pair(pair.two, pair.one, pair.verb)
    return None
