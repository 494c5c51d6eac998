"""Parties that stand side by side: joined by "and", in "between", or both objects of one verb.

Like the rules in `constructions`, each takes the main verb and gives a `Pair` or None.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symdemo.swapping.reading import lexicon
from symdemo.swapping.reading.arguments import party_behind
from symdemo.swapping.reading.objects import objects_of
from symdemo.swapping.reading.phrases import (
    NOUN_TAGS,
    SPECIFIERS,
    Pair,
    Phrase,
    children,
    is_animate,
    is_name,
    phrase_of,
    subject_of,
)
from symdemo.swapping.reading.pipeline import verb_lemma

if TYPE_CHECKING:
    from spacy.tokens import Token


class NoPartiesError(Exception):
    """A construction was found whose two parties are not named: "They love each other"."""


def conjunct(head: Token) -> Token | None:
    """Give the last of the phrases coordinated with this one."""
    last = None
    while found := children(last or head, "conj"):
        last = found[-1]
    return last


def pair_of_conjuncts(head: Token) -> Pair | None:
    """Give the first and the last of coordinated phrases, without what both of them share."""
    second = conjunct(head)
    if second is None or not second.tag_.startswith(NOUN_TAGS):
        return None
    # Of three and more, the first and the last change places: "Ann, Bob and Carl are friends".
    one, two = phrase_of(head, alone=True), phrase_of(second, alone=True)
    if not _shares(head, second):
        return Pair(one, two)
    first = _after_shared(head, second)
    # "The kings and bishops | of Hungary": what follows the second is said of both, too.
    ofs = [c for c in children(second, "prep") if c.i > second.i]
    last = ofs[0].left_edge.i - 1 if ofs else two.last
    return Pair(Phrase(head, first, one.last), Phrase(second, two.first, last))


def _shares(head: Token, second: Token) -> bool:
    """Whether the opening of the first is meant of the second too: "The brother and sister"."""
    opens = any(c.dep_ in SPECIFIERS | {"amod"} and c.i < head.i for c in head.children)
    own = any(c.dep_ in SPECIFIERS and c.i < second.i for c in second.children)
    own = own or (second.i > 0 and second.left_edge.tag_ in {"DT", "PRP$"})
    return opens and not own and not is_name(second) and second.tag_ != "PRP"


def _after_shared(head: Token, second: Token) -> int:
    """Give where the first phrase begins once the shared words are left to both.

    One adjective is shared as well ("Those naughty boys and girls") unless the second has its own.
    """
    first = phrase_of(head, alone=True).first
    lefts = [c for c in head.children if c.i < head.i and c.i >= first]
    for child in lefts:
        if child.dep_ in SPECIFIERS:
            first = child.right_edge.i + 1
    adjectives = [c for c in lefts if c.dep_ == "amod"]
    bare = not any(c.i < second.i and c.dep_ in {"amod", "compound"} for c in second.children)
    if len(adjectives) == 1 and bare and adjectives[0].left_edge.i == first:
        first = adjectives[0].right_edge.i + 1
    return first


def between(verb: Token) -> Pair | None:
    """As in "a road between Oslo and Bergen", "the distance between A and B"."""
    for token in verb.subtree:
        if token.lower_ != "between":
            continue
        for found in children(token, "pobj"):
            return pair_of_conjuncts(found) or _nested(found)
    return None


def _nested(head: Token) -> Pair | None:
    """As in "between the Empress of Russia and Voltaire": joined to the wrong noun."""
    for inner in head.subtree:
        second = conjunct(inner)
        links = children(inner, "cc")
        if second is not None and links and links[0].i > head.i:
            return Pair(phrase_of(head, stop=None)._replace(last=links[0].i - 1), phrase_of(second))
    return None


def coordination(verb: Token) -> Pair | None:
    """As in "Kenya and Uganda share a border": the subject itself is the pair."""
    subject = subject_of(verb)
    if subject is None or conjunct(subject) is None:
        return _joined_modifiers(subject) if subject is not None else None
    pair = pair_of_conjuncts(subject)
    if verb_lemma(verb) == "be" and not children(verb, "acomp", "prep"):
        attributes = children(verb, "attr")
        return pair if not attributes or not is_name(attributes[0]) else None
    return pair if _is_pair_itself(verb, subject) else None


def _joined_modifiers(noun: Token) -> Pair | None:
    """As in "The primary and secondary controllers communicate"."""
    if noun.tag_ != "NNS":
        return None
    for child in children(noun, "amod", "compound", "nmod"):
        for other in children(child, "conj"):
            links = {c.lower_ for c in children(child, "cc")}
            if links == {"and"} and other.i < noun.i and other.left_edge.i > child.i:
                return Pair(Phrase(child, child.i, child.i), Phrase(other, other.i, other.i))
    return None


def _is_pair_itself(verb: Token, subject: Token) -> bool:
    """Whether nothing but the coordinated subject can be the pair."""
    others = [(t, p) for t, p in objects_of(verb) if t.lower_ not in {"other", "another"}]
    rivals = [t for t, p in others if p is None or p.lower_ not in lexicon.ADJUNCT_PREPOSITIONS]
    rivals += [t for t in map(party_behind, rivals) if t is not None]
    if any(c.lower_ == "together" for c in verb.children):
        return True
    if rivals and {c.lower_ for t in subject.subtree for c in children(t, "cc")} & {"or", "nor"}:
        return False  # "Neither the cat nor the dog likes the vet"
    # A being elsewhere in the sentence is the object: "Ahmed and Nour admire Carlos"; but not in
    # "Ahmed and Nour have a friend in common" or "have the same mother".
    if any(is_animate(t) and _is_definite(t) for t in rivals):
        return False
    collective = verb_lemma(verb) in lexicon.COLLECTIVE_VERBS
    return not rivals or collective or is_animate(subject)


def _is_definite(noun: Token) -> bool:
    """Whether a phrase names one that is known: not "a friend", not "the same mother"."""
    opening = {t.lower_ for t in noun.doc[noun.left_edge.i : noun.i]}
    bare = not opening and noun.tag_ == "NN"  # "went to school"
    vague = bare or opening & {"a", "an", "same", "one", "some"}
    return is_name(noun) or noun.tag_ == "PRP" or not vague


def reciprocal(verb: Token) -> Pair | None:
    """As in "Ann and Bob resembled each other": the two are named in the subject, or nowhere."""
    places = [
        t.i
        for t in verb.subtree
        if t.i and (t.nbor(-1).lower_, t.lower_) in {("each", "other"), ("one", "another")}
    ]
    if not places:
        return None
    subject = subject_of(verb)
    heads = list(children(verb, "dobj")) + ([subject] if subject is not None else [])
    # "Rival clans led by Nasser and Barre have been shelling each other."
    heads += [t for t in subject.subtree if t != subject] if subject is not None else []
    for head in heads:
        if head.i < places[0] and conjunct(head) is not None and head.dep_ != "conj":
            return pair_of_conjuncts(head)
    raise NoPartiesError


def brought_together(verb: Token) -> Pair | None:
    """As in "I mixed the cinnamon with the sugar": both parties are objects."""
    for act in [verb, *children(verb, "xcomp", "ccomp")]:
        ways = _WAYS.get(verb_lemma(act))
        # An order names no other party: "Whisk the eggs with the sugar".
        if act.tag_ == "VB" and act.dep_ == "ROOT" and subject_of(act) is None:
            ways = (ways or frozenset()) | {"with", "to", "from", "into"}
        if ways is None or children(act, "auxpass"):
            continue
        for thing in children(act, "dobj"):
            if f"{verb_lemma(act)} {thing.lower_}" in lexicon.IDIOMS:
                continue
            pair = _with_second(act, thing, ways) or _joined_objects(act, thing)
            if pair is not None:
                return pair
    return None


def _with_second(act: Token, thing: Token, ways: frozenset[str]) -> Pair | None:
    """The object and what a preposition leads to; the parser hangs it on the verb or the object."""
    inner = [t for t in thing.subtree if t.dep_ in {"prep", "dative"} and t.i > thing.i]
    for prep in [*children(act, "prep", "dative", "agent"), *inner]:
        if prep.lower_ in ways and prep.i > thing.i:
            for found in children(prep, "pobj"):
                return Pair(phrase_of(thing, stop=prep), phrase_of(found))
    return None


def _joined_objects(act: Token, thing: Token) -> Pair | None:
    lemma = verb_lemma(act)
    if conjunct(thing) is None or lemma not in _OF_TWO:
        return None
    subject = subject_of(act)
    # "The priest married Ann and Bob", but "Ann married Bob".
    if lemma == "marry" and (subject is None or subject.lower_ not in _MARRYING):
        return None
    return pair_of_conjuncts(thing)


# The verbs whose object and second object are the parties, by the prepositions of the second.
_BY_PREPOSITION = {
    "with": "compare contrast mix combine blend merge pair match confuse interchange conflate "
    "unite reconcile acquaint associate cross replace mingle equate juxtapose align reunite "
    "synchronise synchronize bundle entangle connect link join",
    "from": "compare contrast separate distinguish split divide isolate detach disconnect divorce "
    "tell protect extract disentangle partition",
    "to": "compare contrast marry introduce connect link join tie attach bind fasten glue weld "
    "couple prefer chain add relate adapt subordinate liken fix pin nail sew staple",
    "and": "compare contrast",
    "into": "merge fold blend stir turn transform convert mix",
    "for": "mistake substitute swap exchange trade",
    "against": "pit play match weigh set protect defend shield",
    "by": "replace",
}
_WAYS = {
    verb: frozenset(way for way, verbs in _BY_PREPOSITION.items() if verb in verbs.split())
    for verb in lexicon.word_set(" ".join(_BY_PREPOSITION.values()))
}
# Of these, an object of two joined by "and" is the pair.
_OF_TWO = lexicon.word_set(
    "mix combine blend merge pair match confuse interchange conflate unite reconcile compare "
    "contrast separate distinguish connect link marry divide reunite juxtapose relate"
)
_MARRYING = lexicon.word_set(
    "priest rabbi imam minister judge captain pastor vicar registrar mayor bishop"
)


def joint_agents(verb: Token) -> Pair | None:
    """As in "The treaty was signed by France and Germany": two agents of an act upon a thing."""
    subject = subject_of(verb)
    if subject is None or not children(verb, "auxpass") or is_animate(subject):
        return None
    for prep in verb.subtree:
        if prep.dep_ in {"agent", "prep"} and prep.lower_ == "by" and prep.i > verb.i:
            for agent in children(prep, "pobj"):
                if conjunct(agent) is not None and subject not in prep.ancestors:
                    return pair_of_conjuncts(agent)
    return None
