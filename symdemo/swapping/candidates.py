"""All pairs of phrases of a sentence that could change places.

Every noun phrase is a candidate, in each of its possible extents: with more or less of what comes
before and after its head, as one member of a list, as a possessor without what it owns, and without
the modifiers that the members of a list share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from symdemo.swapping import lexicon
from symdemo.swapping.parsing import Clause, surface
from symdemo.swapping.phrases import Arguments, Phrase, children, is_time, phrase_of, subject_of

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

MOST_PHRASES = 40
"""Most phrases of a sentence; one with more has too many pairs to rank, and gets none."""

NOUNS = {"NOUN", "PROPN", "PRON", "NUM", "X", "SYM"}
OBJECTS = {"nsubj", "nsubjpass", "dobj", "pobj", "dative", "attr"}
NO_ARGUMENTS = lexicon.word_set("there who whom which whose what other another < >")
_NEVER_HEADS = {"case", "aux", "auxpass", "prep", "mark", "cc", "punct", "neg", "expl", "nummod"}
_WHOEVER = lexicon.word_set("what whatever who whoever")
_QUANTIFIERS = lexicon.word_set(
    "every each no all some most many few both any more fewer only a an double"
)
_PARTS = _QUANTIFIERS | {"half", "third", "quarter", "none"}


def phrases_of(doc: Doc) -> list[Phrase]:
    """Return every noun phrase that could be an argument, in all extents that it may have."""
    found: dict[tuple[int, int], Phrase] = {}
    for token in doc:
        for phrase in _edges(token) if _can_head(token) else ():
            found.setdefault((phrase.first, phrase.last), phrase)
    return list(found.values())


def _can_head(token: Token) -> bool:
    if token.lower_ in NO_ARGUMENTS or token.is_punct or token.dep_ in _NEVER_HEADS:
        return False
    if token.dep_ == "det" and token.lower_ in lexicon.DETERMINERS:
        return False
    joined = token.dep_ == "conj" or bool(children(token, "conj"))
    return (
        token.pos_ in NOUNS
        or token.dep_ in OBJECTS
        or token.tag_ in {"PRP$", "VBG"}
        or (joined and token.pos_ in {"ADJ", "VERB"})  # "the north and south coasts"
        or token.text[:1].isupper()
        or bool(children(token, "det"))
        or (token.i > 0 and token.nbor(-1).lower_ in {"than", "as"})  # "than sound": tagged VERB
        or (token.dep_ == "csubj" and token.left_edge.lower_ in _WHOEVER)
        or (token.i == 0 and token.dep_ == "advmod" and not subject_of(token.head))  # "r2d2 beeped"
    )


def _edges(head: Token) -> Iterator[Phrase]:
    """Yield the phrases that a head may have, some more than once.

    They are its whole phrase, that phrase without the rest of a list, and one for each combination
    of a possible start and a possible end.
    """
    doc = head.doc
    whole, alone = phrase_of(head), phrase_of(head, alone=True)
    yield whole
    yield alone
    if head.i > whole.first and any(map(_is_elliptic, doc)):
        yield Phrase(head.nbor(-1), whole.first, head.i - 1)  # "The old | API", "the new | one"
    lefts = [alone.first]
    joined = head.dep_ == "conj" or bool(children(head, "conj"))
    for child in head.lefts:
        if child.i >= alone.first and (joined or _stays(child)):
            lefts.append(child.right_edge.i + 1)
    rights = [c.i for c in children(head, "case") if c.i == head.i + 1] or [head.i]
    rights += [c.right_edge.i for c in head.rights if c.dep_ not in {"cc", "conj", "punct", "case"}]
    end = head.right_edge.i
    rights.append(end)
    # Include what the parser may wrongly attach to the verb: "the boy | from the bakery | winked".
    while end + 1 < len(doc):
        added = doc[end + 1]
        if added.head.dep_ == "npadvmod" and not is_time(added.head):
            added = added.head  # "teased | the girl next door"
        if added.dep_ not in {"prep", "advmod", "npadvmod"} or added.left_edge.i != end + 1:
            break
        end = added.right_edge.i
        rights.append(end)
    if head.dep_ in {"compound", "nmod"} and head.head.left_edge.i < head.i:
        lefts.append(head.head.left_edge.i)  # "lent | the farmer | money" may be parsed as one noun
    for first in dict.fromkeys(lefts):
        for right in dict.fromkeys(rights):
            last = right
            while last > head.i and doc[last].is_punct and not doc[last].is_quote:
                last -= 1
            if first <= head.i <= last:
                yield Phrase(head, first, last, alone.comma and last == alone.last)


def _stays(child: Token) -> bool:
    """True if what precedes a noun may stay when it moves: "half | the price", "ten of the |"."""
    if child.dep_ in {"det", "amod"} and child.lower_ in _QUANTIFIERS:
        return True
    of = child.head.head
    if of.lower_ == "of" and (of.head.tag_ == "CD" or of.head.lemma_.lower() in _PARTS):
        return True
    counted = child.dep_ == "nummod" and any(child.children)  # "at least one | plumber"
    return counted or child.dep_ in {"predet", "advmod", "quantmod"}


def _is_elliptic(token: Token) -> bool:
    """True if a token stands for a noun: the new "one"; "the second" beside "the first axis"."""
    opened = token.i > 0 and token.nbor(-1).dep_ in {"det", "poss"} and token.dep_ in OBJECTS
    return token.lower_ in {"one", "ones"} or (opened and token.tag_.startswith(("JJ", "CD")))


class Candidate(NamedTuple):
    """Two phrases that may change places; each field has an item for each parse."""

    pairs: tuple[Arguments | None, ...]
    """The phrases in each parse; None if its tokens begin or end elsewhere."""
    found: tuple[bool, ...]
    """True for each parse in which both are noun phrases. If there is no such parse, True for each
    whose item of `pairs` is not None."""

    @property
    def best(self) -> int:
        """Index of the parse to use: the first that is True in `found`."""
        return self.found.index(True)


def candidates(clauses: Sequence[Clause]) -> Iterator[Candidate]:
    """Yield all pairs of phrases that do not overlap, from the parses of a sentence."""
    own = [{_place(clause, p): p for p in phrases_of(clause.doc)} for clause in clauses]
    places = sorted(set().union(*own))
    if len(places) > MOST_PHRASES:
        return
    seen = [
        {place: found.get(place) or _at(clause, place) for place in places}
        for clause, found in zip(clauses, own, strict=True)
    ]
    for one, two in combinations(places, 2):
        if two[0] < one[1]:
            continue
        both = [(s[one], s[two]) for s in seen]
        pairs = tuple(Arguments(a, b) if a and b else None for a, b in both)
        found = tuple(one in phrases and two in phrases for phrases in own)
        if any(pairs) and not any(pair and _is_one_person(pair) for pair in pairs):
            yield Candidate(pairs, found if any(found) else tuple(map(bool, pairs)))


def _is_one_person(pair: Arguments) -> bool:
    """True if both phrases are forms of one pronoun: my and me in "My aunt is taller than me"."""
    one, two = (lexicon.forms_of(" ".join(map(surface, phrase.tokens))) for phrase in pair)
    return one is not None and one == two


def _place(clause: Clause, phrase: Phrase) -> tuple[int, int]:
    doc = clause.doc
    return clause.start(doc[phrase.first]), clause.stop(doc[phrase.last])


def _at(clause: Clause, place: tuple[int, int]) -> Phrase | None:
    """Return the phrase at a place of the text; None unless tokens begin and end there."""
    first = next((t.i for t in clause.doc if clause.start(t) == place[0]), None)
    last = next((t.i for t in clause.doc if clause.stop(t) == place[1]), None)
    if first is None or last is None or last < first:
        return None
    return Phrase(clause.doc[first : last + 1].root, first, last)
