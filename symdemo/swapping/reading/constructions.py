"""Where subject and object stand: rules over the dependency parse, one function per construction.

Each rule takes the main verb (or the head of a sentence without one) and gives a `Pair` or None.
`CONSTRUCTIONS` lists the rules in the order in which they are asked; the first answer counts.
The rules for verbs with objects are in `arguments`, those for parties side by side in
`coordination`, those for a state of two things are here. The labels (nsubj, dobj, pobj, ...) are
those of spaCy's English pipelines.

Decisions worth knowing: a coordinated object is one object ("Chad, Niger and Cameroon"); a
coordinated subject is the pair itself where no second being is in sight ("Kenya and Uganda share a
border"); and a being beats a thing as object ("Ann told the story to Bob").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from symdemo.swapping.reading import lexicon
from symdemo.swapping.reading.arguments import (
    ditransitive,
    parts_in_relative,
    party_behind,
    passive,
    prepositional,
    transitive,
)
from symdemo.swapping.reading.coordination import (
    between,
    brought_together,
    coordination,
    joint_agents,
    reciprocal,
)
from symdemo.swapping.reading.inflection import ABSOLUTES
from symdemo.swapping.reading.objects import objects_of, prepositional_object
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


def _possessor(noun: Token) -> Token | None:
    found = children(noun, "poss")
    return found[0] if found else None


def possessive(verb: Token) -> Pair | None:
    """As in "Ann is Bob's mother" and "Ann's mother is Carla": the possessor and the other side."""
    subject, attributes = subject_of(verb), children(verb, "attr")
    if subject is None or not attributes:
        return None
    attr = attributes[0]
    owner, owned = _possessor(attr), _possessor(subject)
    if owned is not None and owner is None and not prepositional_object(attr):
        return Pair(phrase_of(owned), phrase_of(attr))
    if owner is not None and owned is None:
        return Pair(phrase_of(subject), phrase_of(owner))
    return None


_COUNTING = frozenset({"some", "no", "all", "few", "many", "most"})


def _counted_nouns(subject: Token, attr: Token) -> Pair | None:
    """As in "Some poets are doctors": how many is said of whichever noun stands in front."""
    counting = [c for c in children(subject, "det", "amod") if c.lower_ in _COUNTING]
    plural = subject.tag_ == attr.tag_ == "NNS" and attr.left_edge == attr
    if not counting or not plural or counting[0].i + 1 != subject.i or len(list(attr.subtree)) > 1:
        return None
    return Pair(Phrase(subject, subject.i, subject.i), Phrase(attr, attr.i, attr.i))


def copula(verb: Token) -> Pair | None:
    """As in "Lima is the capital of Peru", "The capital of Peru is Lima", "Whales are mammals"."""
    subject, attributes = subject_of(verb), children(verb, "attr")
    if subject is None or not attributes:
        return None
    attr = attributes[0]
    if (nouns := _counted_nouns(subject, attr)) is not None:
        return nouns
    led = prepositional_object(attr)
    if led is not None and not is_name(attr):
        # "is one of Bob's students", "is a reader of Bob's blog"
        one_of = attr.lower_ == "one" or (is_animate(subject) and not is_animate(led[1]))
        behind = party_behind(led[1]) if one_of else None
        return Pair(phrase_of(subject), phrase_of(behind or led[1]))
    relational = prepositional_object(subject)
    if relational is not None and is_name(attr) and not is_name(subject):
        return Pair(phrase_of(relational[1]), phrase_of(attr))
    others = [t for t, _ in objects_of(verb)]
    if others and not is_animate(attr) and not is_name(attr) and attr.i < others[0].i:
        return Pair(phrase_of(subject), phrase_of(others[0]))
    return Pair(phrase_of(subject), phrase_of(attr))


def comparative(verb: Token) -> Pair | None:
    """As in "Tom is taller than Sue", "We are older than they are", "as tall as Mikko"."""
    subject = subject_of(verb)
    if subject is None:
        return _more_of(verb)
    for token in verb.subtree:
        if token.i < subject.i or token.lower_ not in {"than", "as"}:
            continue
        # "as tall as Bob", "the same age as Bob"; but "hailed Bob as a hero".
        before = {t.lower_ for t in token.doc[subject.i : token.i]}
        if token.lower_ == "as" and not before & lexicon.COMPARING_WORDS:
            continue
        if token.dep_ == "prep":
            for found in children(token, "pobj"):
                return Pair(phrase_of(subject), phrase_of(found))
        if token.dep_ != "mark":
            continue
        inner = subject_of(token.head)
        if inner is None and token.head.i == token.i + 1:  # "than sound": taken for a verb
            return Pair(phrase_of(subject), Phrase(token.head, token.head.i, token.head.i))
        if inner is not None and verb_lemma(token.head) not in lexicon.THINKING_VERBS:
            return Pair(phrase_of(subject), phrase_of(inner))
    return None


def cleft(verb: Token) -> Pair | None:
    """As in "It was Ann who kissed Bob": what "it" points at, and the object of the clause."""
    subject, named = subject_of(verb), children(verb, "attr")
    if subject is None or subject.lower_ != "it" or not named:
        return None
    for clause in [*children(verb, "ccomp", "relcl", "advcl"), *children(named[0], "relcl")]:
        who = subject_of(clause)
        if who is not None and who.lower_ in {"who", "that", "which"}:
            objects = [t for t, _ in objects_of(clause)]
            if objects and objects[0].i > named[0].i:
                stop = next(iter(named[0].rights), None)
                return Pair(phrase_of(named[0], alone=True, stop=stop), phrase_of(objects[0]))
    return None


def elliptical(verb: Token) -> Pair | None:
    """As in "Ann's car is faster than Bob's", "yours": the two possessors of things alike."""
    doc = verb.doc
    for token in verb.subtree:
        # "a colleague of mine" is no colleague of two
        if not _stands_for_a_possession(token) or token.head.lower_ == "of":
            continue
        if any(t.dep_ in {"advcl", "relcl", "ccomp", "conj"} for t in _up_to(token, verb)):
            continue  # "because mine was broken"
        owners = [t for t in doc[: token.left_edge.i] if t.dep_ == "poss" and t.head.dep_ != "poss"]
        if owners:
            last = (
                token.i + 1 if token.i + 1 < len(doc) and token.nbor().dep_ == "case" else token.i
            )
            return Pair(phrase_of(owners[0]), Phrase(token, phrase_of(token).first, last))
    return None


def _up_to(token: Token, verb: Token) -> list[Token]:
    """The words that a word hangs on, up to a verb."""
    above = list(token.ancestors)
    return [token, *(above[: above.index(verb)] if verb in above else above)]


def _stands_for_a_possession(token: Token) -> bool:
    """Whether a phrase is a possessor of something left unsaid: Bob's, yours."""
    if token.lower_ in ABSOLUTES and (token.lower_ not in {"his", "its"} or token.dep_ != "poss"):
        return token.i > 0
    closing = children(token, "case")
    return bool(closing) and token.dep_ not in {"poss", "compound"} and closing[0].i == token.i + 1


def contrasted(verb: Token) -> Pair | None:
    """As in "Ann, unlike Bob, likes tea"."""
    subject = subject_of(verb)
    if subject is None:
        return None
    for token in verb.subtree:
        if token.lower_ == "unlike" and token.i > subject.i:
            for found in children(token, "pobj"):
                return Pair(phrase_of(subject, stop=token), phrase_of(found))
    return None


def _more_of(verb: Token) -> Pair | None:
    """As in "There are more sheep than people": the kinds that are counted."""
    for noun in children(verb, "attr") if children(verb, "expl") else ():
        for token in verb.subtree:
            counted = [c for c in children(token, "pobj") if token.lower_ == "than"]
            more = [
                c for c in children(noun, "amod", "advmod") if c.lower_ in {"more", "fewer", "less"}
            ]
            if counted and more:
                return Pair(Phrase(noun, more[0].i + 1, noun.i), phrase_of(counted[0]))
    return None


def source_and_goal(verb: Token) -> Pair | None:
    """As in "The virus spread from bats to humans": where from and where to."""
    if children(verb, "dobj"):
        return None
    ways = {c.lower_: c for c in children(verb, "prep")}
    if not {"from", "to"} <= set(ways) or ways["from"].i > ways["to"].i:
        return None
    ends = [found for way in ("from", "to") for found in children(ways[way], "pobj")[:1]]
    if len(ends) != 2 or any(map(is_time, ends)) or any(t.tag_ == "CD" for t in ends):
        return None
    return Pair(phrase_of(ends[0]), phrase_of(ends[1]))


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
                return Pair(phrase_of(head, stop=part), phrase_of(found))
    return None


def embedded(verb: Token) -> Pair | None:
    """As in "Everyone knows that Ann loves Bob": the inner clause, for want of an object."""
    for clause in children(verb, "csubj", "ccomp", "xcomp", "advcl", "conj"):
        if clause.pos_ in {"VERB", "AUX"} and (pair := find_in(clause)) is not None:
            return pair
    return None


CONSTRUCTIONS: tuple[Callable[[Token], Pair | None], ...] = (
    reciprocal,  # before all others: "each other" is no party
    between,  # before the copula: an expletive "there" is no subject
    brought_together,  # before the objects, of which one is the subject's counterpart elsewhere
    cleft,
    elliptical,  # before the comparative: "Ann's car is faster than Bob's"
    contrasted,
    source_and_goal,
    comparative,  # before the copula: "is a better player than Bob"
    coordination,  # before the objects: "share a border" has one that is not the other party
    possessive,  # before the copula, whose attribute would take "Bob's mother" whole
    copula,
    joint_agents,  # before the passive: the two agents are the pair
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


def _of_one(pair: Pair) -> Pair:
    """Give what tells the two apart in "The old API conflicts with the new one"."""
    one, two = sorted((pair.one, pair.two))
    noun = two.head
    if (
        noun.lower_ not in {"one", "ones"}
        or noun.i != two.last
        or one.head.tag_ not in {"NN", "NNS"}
    ):
        return pair
    if one.first >= one.head.i or two.first >= noun.i or two.first == noun.i - 1:
        return pair
    doc = noun.doc
    return Pair(
        Phrase(doc[one.head.i - 1], one.first, one.head.i - 1),
        Phrase(doc[noun.i - 1], two.first, noun.i - 1),
    )


def find_in(
    verb: Token, rules: tuple[Callable[[Token], Pair | None], ...] = CONSTRUCTIONS
) -> Pair | None:
    """Ask each construction in turn; the first pair of two separate phrases is the answer."""
    for rule in rules:
        pair = rule(verb)
        pair = pair and _of_one(pair)
        if pair is None or _overlap(pair) or _asks_or_points(pair):
            continue
        return pair if pair.one.first < pair.two.first else Pair(pair.two, pair.one)
    return None
