"""Find subject and object by rules over the dependency parse, one function per construction.

Each rule takes the main verb (or the head of a sentence without one), and most take its subject;
it returns the two phrases or None. The first match counts (`find_in`).

Decisions worth knowing: a coordinated object is one object ("Chad, Niger and Cameroon"); a
coordinated subject is the pair itself where there is no other animate noun, or *being* ("Kenya and
Uganda share a border"); and a being beats a thing as object ("Ann told the story to Bob").
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from symdemo.swapping import lexicon
from symdemo.swapping.lexicon import ABSOLUTES, verb_lemma
from symdemo.swapping.phrases import (
    Arguments,
    Phrase,
    children,
    conjunct,
    direct_object,
    is_animate,
    is_name,
    is_time,
    objects_behind,
    objects_of,
    pair_of_conjuncts,
    phrase_of,
    prepositional_object,
    subject_of,
)

if TYPE_CHECKING:
    from spacy.tokens import Token


def _pair(subject: Token, other: Token) -> Arguments:
    return Arguments(phrase_of(subject), phrase_of(other))


# ---- Verbs with objects, recipients, agents and prepositions


def ditransitive(verb: Token, subject: Token) -> Arguments | None:
    """Match "Ann gave Bob a book": subject and recipient."""
    for found in children(verb, "dative"):
        for recipient in children(found, "pobj") if found.tag_ in {"IN", "TO"} else [found]:
            # "showed the wolf | a book"
            gifts = children(recipient, "appos")
            stop = gifts[0].left_edge if gifts else None
            return Arguments(phrase_of(subject), phrase_of(recipient, stop=stop))
    thing = direct_object(verb)
    if verb_lemma(verb) in lexicon.GIVING_VERBS and thing is not None:
        # The parser attaches "to the server" to the thing too: "sends requests to the server".
        for found in objects_behind("to", verb, thing):
            return _pair(subject, found)
    if verb_lemma(verb) in lexicon.TAKING_VERBS and thing is not None and not is_animate(thing):
        for found in objects_behind("from", verb, thing):
            if not is_time(found):
                return _pair(subject, found)
    bare = _recipient_of_bare_thing(verb)
    return bare and Arguments(phrase_of(subject), bare)


def _recipient_of_bare_thing(verb: Token) -> Phrase | None:
    """Return the recipient in "lent the farmer money", which the parser reads as one noun."""
    thing = direct_object(verb)
    if thing is None or verb_lemma(verb) not in lexicon.GIVING_VERBS or is_name(thing):
        return None
    beings = [c for c in children(thing, "compound", "nmod") if is_animate(c)]
    between = verb.doc[beings[-1].i + 1 : thing.i] if beings else ()
    if not beings or any(t.tag_ not in {"CD", "DT", "JJ"} for t in between):
        return None
    # "sells cat food", "offers student loans": without an article, one noun after all.
    if thing.left_edge == beings[-1] and not is_name(beings[-1]):
        return None
    return Phrase(beings[-1], thing.left_edge.i, beings[-1].i)


def transitive(verb: Token, subject: Token) -> Arguments | None:
    """Match "The cat chased the dog"; a being that a thing belongs or leads to beats the thing."""
    thing = direct_object(verb)
    if thing is None:
        return None
    if verb_lemma(verb) == "remind":  # "reminds me of the actress"
        for found in objects_behind("of", verb):
            return _pair(subject, found)
    chosen = _argument_beside(verb, subject, thing) or _end_of_idiom(verb, thing)
    return _pair(subject, chosen or thing)


def _argument_beside(verb: Token, subject: Token, thing: Token) -> Token | None:
    """Return the being in "signed the treaty with Italy", "ate Bob's lunch", "swam before Bob did".

    Only a being has such a counterpart: "The key opens the door of the house" is about the door.
    """
    if not is_animate(subject):
        return None
    behind = argument_behind(thing)
    if is_animate(thing):
        # "has recalled its ambassador from Peru": one's own is no second argument.
        own = any(c.lower_ in {"its", "their", "his", "her"} for c in children(thing, "poss"))
        return behind if own and behind is not None and is_name(behind) else None
    if behind is not None:
        return behind
    for found, prep in objects_of(verb):
        brought_in = prep is not None and prep.lower_ in _LEADING
        if brought_in and found.i > thing.i:
            argument = found if is_animate(found) else argument_behind(found)
            if argument is not None:
                return argument
    return None


_LEADING = lexicon.ARGUMENT_PREPOSITIONS | lexicon.word_set("of on about by before after")


def argument_behind(thing: Token) -> Token | None:
    """Return the being that a thing belongs to or leads to: "Bob's lunch", "a remark about Bob"."""
    for owner in children(thing, "poss"):
        if owner.tag_ != "PRP$" and is_animate(owner):
            return owner
    made = [thing, *children(thing, "acl")]  # "a promise | made to Bob"
    for prep in (prep for part in made for prep in children(part, "prep", "agent")):
        for found in children(prep, "pobj") if prep.lower_ in _LEADING else ():
            if is_animate(found) and not is_time(found):
                return found
            if (further := argument_behind(found)) is not None:
                return further
    return None


def _end_of_idiom(verb: Token, thing: Token) -> Token | None:
    """Return the end of "makes room for fear", "has a bearing on fear", "set fire to the barn"."""
    definite = {"the", "this", "that", "these", "those"}
    known = any(c.dep_ == "poss" or c.lower_ in definite for c in thing.children)
    light = verb_lemma(verb) in lexicon.LIGHT_VERBS and not is_animate(thing)
    idiom = f"{verb_lemma(verb)} {thing.lower_}" in lexicon.IDIOMS
    if known or not (light or idiom):
        return None
    led = prepositional_object(thing)
    if led is not None and (
        led[0].lower_ not in lexicon.ADJUNCT_PREPOSITIONS
        or is_animate(led[1])
        or (verb_lemma(verb), led[0].lower_) == ("have", "on")  # "has an effect on prices"
    ):
        return led[1]
    after = [t for t, p in objects_of(verb) if p is not None and t.i > thing.i]
    return next((t for t in after if t.head.lower_ not in lexicon.ADJUNCT_PREPOSITIONS), None)


def passive(verb: Token, subject: Token) -> Arguments | None:
    """Match "The letter was written by Anna"; in "A was introduced to B by a friend", A and B."""
    # In "was given a book by Ann" the agent may be labelled as any preposition.
    by = [t for t in verb.subtree if t.lower_ == "by" and t.head.dep_ in {"ROOT", "dobj"}]
    spread = by if children(verb, "auxpass") else []
    agents = [t for prep in children(verb, "agent") or spread for t in children(prep, "pobj")]
    if not agents or is_time(agents[0]) or agents[0].lower_ in lexicon.MANNERS:
        return None
    chosen = agents[0]
    linking = verb_lemma(verb) in lexicon.CONNECTING_VERBS and not is_animate(chosen)
    if linking or (is_name(subject) and not is_name(chosen)):
        led = [t for t, p in objects_of(verb) if p and p.lower_ in {"to", "with", "from"}]
        chosen = next((t for t in led if linking or is_name(t)), chosen)
    return _pair(subject, chosen)


def prepositional(verb: Token, subject: Token) -> Arguments | None:
    """Match "Yusuf works with Hana", "lies north of the station", "is close to Bergen"."""
    found = list(objects_of(verb))
    found = [(t, p) for t, p in found if p is None or p.lower_ not in lexicon.SENTENCE_PREPOSITIONS]
    # What says where or when comes last in line: "listened in London to the queen".
    close = [t for t, p in found if p is None or p.lower_ not in lexicon.ADJUNCT_PREPOSITIONS]
    chosen = (close or [t for t, _ in found])[:1]
    # "went to school with Bob"
    company = [t for t, p in found if p is not None and p.lower_ == "with" and is_animate(t)]
    first = chosen[0] if chosen else None
    bare = first and first.left_edge == first and first.tag_ == "NN" and first.is_lower
    if company and is_animate(subject) and (bare or not is_animate(chosen[0])):
        chosen = company[:1]
    elif first:  # "got on Bob's nerves", "relies on help from Bob"
        chosen = [_argument_beside(verb, subject, first) or first]
    return _pair(subject, chosen[0]) if chosen else None


# ---- Side by side: joined by "and", in "between", or both objects of one verb


class NoArgumentsError(Exception):
    """Raised for a construction whose arguments are not named: "They love each other"."""


def between(verb: Token) -> Arguments | None:
    """Match "a road between Oslo and Bergen", "the distance between A and B"."""
    for token in verb.subtree:
        if token.lower_ != "between":
            continue
        for found in children(token, "pobj"):
            return pair_of_conjuncts(found) or _nested(found)
    return None


def _nested(head: Token) -> Arguments | None:
    """Match "between the Empress of Russia and Voltaire": joined to the wrong noun."""
    for inner in head.subtree:
        second, links = conjunct(inner), children(inner, "cc")
        if second is not None and links and links[0].i > head.i:
            return Arguments(phrase_of(head)._replace(last=links[0].i - 1), phrase_of(second))
    return None


def coordination(verb: Token, subject: Token) -> Arguments | None:
    """Match "Kenya and Uganda share a border": the subject itself is the pair."""
    if conjunct(subject) is None:
        return None
    pair = pair_of_conjuncts(subject)
    if verb_lemma(verb) == "be" and not children(verb, "acomp", "prep"):
        # "Ann and Bob are Carl and Dora" has two pairs.
        return None if any(map(is_name, children(verb, "attr")[:1])) else pair
    return pair if _is_pair_itself(verb, subject) else None


def _is_pair_itself(verb: Token, subject: Token) -> bool:
    """True if only the coordinated subject can be the pair."""
    others = [(t, p) for t, p in objects_of(verb) if t.lower_ not in {"other", "another"}]
    objects = [t for t, p in others if p is None or p.lower_ not in lexicon.ADJUNCT_PREPOSITIONS]
    objects += [t for t in map(argument_behind, objects) if t is not None]
    # A being elsewhere in the sentence is the object: "Ahmed and Nour admire Carlos"; but not in
    # "Ahmed and Nour have a friend in common" or "have the same mother".
    if any(is_animate(t) and _is_definite(t) for t in objects):
        return False
    collective = verb_lemma(verb) in lexicon.COLLECTIVE_VERBS
    return not objects or collective or is_animate(subject)


def _is_definite(noun: Token) -> bool:
    """True if a phrase names a known one: not "a friend", not "the same mother"."""
    opening = {t.lower_ for t in noun.doc[noun.left_edge.i : noun.i]}
    bare = not opening and noun.tag_ == "NN"  # "went to school"
    vague = bare or opening & {"a", "an", "same", "one", "some"}
    return is_name(noun) or noun.tag_ == "PRP" or not vague


def reciprocal(verb: Token) -> Arguments | None:
    """Match "Ann and Bob resembled each other": the two are named in the subject, or nowhere."""
    places = [
        t.i
        for t in verb.subtree
        if t.i and (t.nbor(-1).lower_, t.lower_) in {("each", "other"), ("one", "another")}
    ]
    if not places:
        return None
    subject = subject_of(verb)
    # "Rival clans led by Nasser and Barre have been shelling each other."
    named = [subject, *(t for t in subject.subtree if t != subject)] if subject is not None else []
    for head in [*children(verb, "dobj"), *named]:
        if head.i < places[0] and conjunct(head) is not None and head.dep_ != "conj":
            return pair_of_conjuncts(head)
    raise NoArgumentsError


def brought_together(verb: Token) -> Arguments | None:
    """Match "I mixed the cinnamon with the sugar": both arguments are objects."""
    for act in [verb, *children(verb, "xcomp", "ccomp")]:
        ways = _WAYS.get(verb_lemma(act))
        # An imperative names no second argument: "Whisk the eggs with the sugar".
        if act.tag_ == "VB" and act.dep_ == "ROOT" and subject_of(act) is None:
            ways = (ways or frozenset()) | {"with", "to", "from", "into"}
        if ways is None or children(act, "auxpass"):
            continue
        for thing in children(act, "dobj"):
            if f"{verb_lemma(act)} {thing.lower_}" in lexicon.IDIOMS:
                continue
            pair = _with_second(act, thing, ways)
            if pair is None and verb_lemma(act) in lexicon.JOINING_VERBS:
                pair = pair_of_conjuncts(thing)
            if pair is not None:
                return pair
    return None


def _with_second(act: Token, thing: Token, ways: frozenset[str]) -> Arguments | None:
    """Return the object and the object of a preposition, under the verb or the first object."""
    inner = [t for t in thing.subtree if t.dep_ in {"prep", "dative"} and t.i > thing.i]
    for prep in [*children(act, "prep", "dative", "agent"), *inner]:
        if prep.lower_ in ways and prep.i > thing.i:
            for found in children(prep, "pobj"):
                return Arguments(phrase_of(thing, stop=prep), phrase_of(found))
    return None


# The verbs whose object and second object are the arguments, with the prepositions of the second.
_WAYS = {
    verb: frozenset(way for way, verbs in lexicon.SECOND_OBJECTS.items() if verb in verbs)
    for verb in frozenset().union(*lexicon.SECOND_OBJECTS.values())
}


def joint_agents(verb: Token, subject: Token) -> Arguments | None:
    """Match "The treaty was signed by France and Germany": two agents of an act upon a thing."""
    if not children(verb, "auxpass") or is_animate(subject):
        return None
    for prep in verb.subtree:
        if prep.dep_ in {"agent", "prep"} and prep.lower_ == "by" and prep.i > verb.i:
            for agent in children(prep, "pobj"):
                if conjunct(agent) is not None and subject not in prep.ancestors:
                    return pair_of_conjuncts(agent)
    return None


# ---- States of two things, and sentences within sentences


def possessive(verb: Token, subject: Token) -> Arguments | None:
    """Match "Ann is Bob's mother" and "Ann's mother is Carla": the possessor and the other noun."""
    attributes = children(verb, "attr")
    if not attributes:
        return None
    attr = attributes[0]
    of_attr, of_subject = children(attr, "poss"), children(subject, "poss")
    if of_subject and not of_attr and not prepositional_object(attr):
        return _pair(of_subject[0], attr)
    if of_attr and not of_subject:
        return _pair(subject, of_attr[0])
    return None


def _counted_nouns(subject: Token, attr: Token) -> Arguments | None:
    """Match "Some poets are doctors": the number goes with the first noun, whichever it is."""
    numbers = {"some", "no", "all", "few", "many", "most"}
    counting = [c for c in children(subject, "det", "amod") if c.lower_ in numbers]
    plural = subject.tag_ == attr.tag_ == "NNS"
    if not counting or not plural or counting[0].i + 1 != subject.i or len(list(attr.subtree)) > 1:
        return None
    return Arguments(Phrase(subject, subject.i, subject.i), Phrase(attr, attr.i, attr.i))


def copula(verb: Token, subject: Token) -> Arguments | None:
    """Match "Lima is the capital of Peru", "The capital of Peru is Lima", "Whales are mammals"."""
    attributes = children(verb, "attr")
    if not attributes:
        return None
    attr = attributes[0]
    if (nouns := _counted_nouns(subject, attr)) is not None:
        return nouns
    led = prepositional_object(attr)
    if led is not None and not is_name(attr):
        # "is one of Bob's students", "is a reader of Bob's blog"
        one_of = attr.lower_ == "one" or (is_animate(subject) and not is_animate(led[1]))
        behind = argument_behind(led[1]) if one_of else None
        return _pair(subject, behind or led[1])
    relational = prepositional_object(subject)
    if relational is not None and is_name(attr) and not is_name(subject):
        return _pair(relational[1], attr)
    others = [t for t, _ in objects_of(verb)]
    if others and not is_animate(attr) and not is_name(attr) and attr.i < others[0].i:
        return _pair(subject, others[0])
    return _pair(subject, attr)


def comparative(verb: Token, subject: Token) -> Arguments | None:
    """Match "Tom is taller than Sue", "We are older than they are", "as tall as Mikko"."""
    for token in verb.subtree:
        if token.i < subject.i or token.lower_ not in {"than", "as"}:
            continue
        # "as tall as Bob", "the same age as Bob"; but "hailed Bob as a hero".
        before = {t.lower_ for t in token.doc[subject.i : token.i]}
        if token.lower_ == "as" and not before & lexicon.COMPARING_WORDS:
            continue
        if token.dep_ == "prep":
            for found in children(token, "pobj"):
                return _pair(subject, found)
        if token.dep_ != "mark":
            continue
        inner = subject_of(token.head)
        if inner is None and token.head.i == token.i + 1:  # "than sound": taken for a verb
            return Arguments(phrase_of(subject), Phrase(token.head, token.head.i, token.head.i))
        if inner is not None and verb_lemma(token.head) not in lexicon.THINKING_VERBS:
            return _pair(subject, inner)
    return None


def elliptical(verb: Token) -> Arguments | None:
    """Match "Ann's car is faster than Bob's", "yours": the two possessors of things alike."""
    doc = verb.doc
    for token in verb.subtree:
        # "a colleague of mine" is no colleague of two
        if not _stands_for_a_possession(token) or token.head.lower_ == "of":
            continue
        above = list(token.ancestors)
        above = [token, *(above[: above.index(verb)] if verb in above else above)]
        if any(t.dep_ in {"advcl", "relcl", "ccomp", "conj"} for t in above):
            continue  # "because mine was broken"
        owners = [t for t in doc[: token.left_edge.i] if t.dep_ == "poss" and t.head.dep_ != "poss"]
        if owners:
            ending = token.i + 1 < len(doc) and token.nbor().dep_ == "case"
            last = token.i + ending
            return Arguments(phrase_of(owners[0]), Phrase(token, phrase_of(token).first, last))
    return None


def _stands_for_a_possession(token: Token) -> bool:
    """True if a phrase owns something unsaid: Bob's, yours."""
    if token.lower_ in ABSOLUTES and (token.lower_ not in {"his", "its"} or token.dep_ != "poss"):
        return token.i > 0
    closing = children(token, "case")
    return bool(closing) and token.dep_ not in {"poss", "compound"} and closing[0].i == token.i + 1


def more_of(verb: Token) -> Arguments | None:
    """Match "There are more sheep than people": the kinds that are counted."""
    if subject_of(verb) is not None:
        return None
    counted = [c for t in verb.subtree if t.lower_ == "than" for c in children(t, "pobj")]
    for noun in children(verb, "attr") if counted and children(verb, "expl") else ():
        for more in children(noun, "amod", "advmod"):
            if more.lower_ in {"more", "fewer", "less"}:
                return Arguments(Phrase(noun, more.i + 1, noun.i), phrase_of(counted[0]))
    return None


def embedded(verb: Token) -> Arguments | None:
    """Match "Everyone knows that Ann loves Bob": the inner clause, if there is no object."""
    for clause in children(verb, "csubj", "ccomp", "xcomp", "advcl", "conj"):
        if clause.pos_ in {"VERB", "AUX"} and (pair := find_in(clause)) is not None:
            return pair
    return None


def _of_one(pair: Arguments) -> Arguments:
    """Return what tells the two apart in "The old API conflicts with the new one"."""
    one, two = sorted(pair)
    noun = two.head
    told = noun.lower_ in {"one", "ones"} and two.first < noun.i == two.last
    if not told or noun.nbor(-1).lower_ == "other":  # "Both twins love the other one"
        return pair
    if one.head.tag_ not in {"NN", "NNS"} or one.first >= one.head.i:
        return pair
    return Arguments(*(Phrase(p.head.nbor(-1), p.first, p.head.i - 1, p.comma) for p in (one, two)))


def _pairs_of(verb: Token) -> Iterator[Arguments | None]:
    """Yield what each construction finds."""
    yield reciprocal(verb)  # before all others: "each other" is no argument
    yield between(verb)  # before the copula: an expletive "there" is no subject
    yield brought_together(verb)  # before the objects, of which one is the counterpart elsewhere
    yield elliptical(verb)  # before the comparative: "Ann's car is faster than Bob's"
    yield more_of(verb)
    if (subject := subject_of(verb)) is not None:
        yield comparative(verb, subject)  # before the copula: "is a better player than Bob"
        yield coordination(verb, subject)  # before the objects: a shared border is no argument
        yield possessive(verb, subject)  # before the copula, which would take "Bob's mother" whole
        yield copula(verb, subject)
        yield joint_agents(verb, subject)  # before the passive: the two agents are the pair
        yield passive(verb, subject)
        yield ditransitive(verb, subject)  # before the direct object
        yield transitive(verb, subject)
        yield prepositional(verb, subject)  # what is left with a subject
    yield embedded(verb)


def find_in(verb: Token) -> Arguments | None:
    """Try each construction in turn; return the first pair of two separate phrases."""
    for pair in filter(None, _pairs_of(verb)):
        one, two = sorted(_of_one(pair), key=lambda phrase: phrase.first)
        # there, who, which, whose, ">": no thing at all
        nothing = any(
            p.head.tag_ in {"EX", "WP", "WDT", "WP$"} or p.head.text in {"<", "=", ">"}
            for p in (one, two)
        )
        if two.first > one.last and not nothing:
            return Arguments(one, two)
    return None
