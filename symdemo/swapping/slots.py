"""Where the phrase of a noun begins and ends: what belongs to it, and what to the sentence.

The labels (nsubj, dobj, pobj, ...) are those of spaCy's English pipelines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symdemo.swapping import lexicon, words
from symdemo.swapping.phrases import (
    SCORE,
    SUBJECTS,
    Slot,
    children,
    is_being,
    is_name,
    is_time,
)
from symdemo.swapping.pipeline import verb_lemma

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_OPENING = {"det", "poss", "predet", "nummod"}
_INDEFINITE = words.word_set(
    "everyone everybody everything someone somebody something nobody anyone anybody no-one"
)
# "blamed Bob | for the leak", "saw the girl | at noon", "stung the toddler | on the nose".
_NOT_OF_BEINGS = words.word_set("for at on about by")
# "calls the backend | over HTTPS": whoever is called.
_OF_ACTS = words.word_set("against over")
# "accused the minister | of theft"
_CHARGES = words.word_set(
    "accuse suspect convict remind rob deprive inform warn assure cure relieve strip clear acquit"
)


def _cut(head: Token) -> set[Token]:
    """Give the dependents that belong to the sentence and not to the phrase."""
    after_verb = head.dep_ not in SUBJECTS
    return {c for c in head.children if _is_outside(c, head) or (after_verb and _follows(c, head))}


def _is_outside(child: Token, head: Token) -> bool:
    """Whether a dependent is the sentence's wherever the phrase stands."""
    if child.i > head.i:
        stop = child.dep_ == "punct" and child.text in {".", "!", ";", ":"}
        return stop or bool(SCORE.fullmatch(child.text))
    # "Tomorrow | Ann will meet Bob", "Even | Grandpa"
    day = child.lower_ in lexicon.DAY_ADVERBS and child.dep_ != "poss"
    return day or (child.lower_ in lexicon.FOCUS and child.dep_ in {"advmod", "amod"})


def _follows(child: Token, head: Token) -> bool:
    """Whether what comes after an object is said of the whole act: "Pierre Curie | in 1895"."""
    if child.i < head.i or child.dep_ not in {"prep", "npadvmod", "advmod", "advcl"}:
        return False
    if child.dep_ == "npadvmod":
        return True
    word, led = child.lower_, children(child, "pobj")
    if word == "of":
        return head.dep_ == "dobj" and verb_lemma(head.head) in _CHARGES
    # "next to a vegan | at dinner", "knows Bob | from church"
    bare = (
        word in {"at", "from"} and bool(led) and led[0].left_edge == led[0] and led[0].tag_ == "NN"
    )
    timed = bool(led) and is_time(led[0])
    being = is_being(head) and head.lower_ not in _INDEFINITE
    return (
        bare
        or timed
        or bool(children(child, "pcomp"))  # "accused the minister | of lying"
        or word in words.SENTENCE_PREPOSITIONS | _OF_ACTS
        or (being and word in _NOT_OF_BEINGS)
        or (_is_bare(head) and word in words.ADJUNCT_PREPOSITIONS)
        or _cannot_be_told_further(head)
    )


def _cannot_be_told_further(head: Token) -> bool:
    """Whether a phrase is a name or a pronoun; "a small NGO in Malawi" is neither."""
    article = any(c.lower_ in {"a", "an"} for c in children(head, "det"))
    return (is_name(head) and not article) or head.tag_ == "PRP"


def _is_bare(head: Token) -> bool:
    """Whether a noun stands without an article: "kill ants | in the forests".

    But "bolder than foxes in the countryside" tells some foxes from others.
    """
    earlier = {t.lower_ for t in head.doc[: head.i]}
    opened = any(c.dep_ in _OPENING for c in head.children)
    return head.tag_ in {"NNS", "NN"} and not opened and head.lower_ not in earlier


def slot(head: Token, *, alone: bool = False, stop: Token | None = None) -> Slot:
    """Give the whole phrase of a head; `alone` leaves out what it is coordinated with.

    `stop` and everything after it stay outside (the preposition that leads to the other phrase).
    """
    skip = _cut(head)
    if alone:
        skip |= set(children(head, "cc", "conj", "preconj"))
        skip |= {c for c in children(head, "det") if c.lower_ in {"both", "either", "neither"}}
    kept = [head]
    for child in head.children:
        if child in skip or (stop is not None and child.i >= stop.i):
            continue
        kept.extend(child.subtree)
    doc, first, last = head.doc, min(t.i for t in kept), max(t.i for t in kept)
    while last > head.i and doc[last].text in {",", ";", "--"}:
        last -= 1
    while first < head.i and doc[first].text in {",", ";"}:
        first += 1
    if alone and first < head.i and doc[first].lower_ in {"both", "either", "neither"}:
        first += 1
    first, last = _without_extras(head, first, last)
    # "The river Thames flows": two subjects side by side are one.
    beside = [c for c in children(head.head, *SUBJECTS) if c.i > last and head.dep_ in SUBJECTS]
    if beside and beside[0].left_edge.i == last + 1:
        last = beside[0].i
    # "Barack Obama (born 1961)": a bracket that follows belongs to the phrase.
    if last + 1 < len(doc) and doc[last + 1].text == "(":
        closing = [t.i for t in doc[last + 1 :] if t.text == ")"]
        last = closing[0] if closing else last
    first, last = _with_quotes(doc, first, last)
    inner = [t for t in doc[head.i + 1 : last + 1] if t.dep_ in {"appos", "relcl", "acl"}]
    set_off = any(doc[c.left_edge.i - 1].text == "," and c.right_edge.i >= last for c in inner)
    return Slot(head, first, last, set_off)


def _without_extras(head: Token, first: int, last: int) -> tuple[int, int]:
    """Leave what is said of the sentence: "| just | butter", "| more than | ten", "X |, not Y"."""
    doc = head.doc
    if head.dep_ not in SUBJECTS:
        opening = doc[first : first + 2].text.lower()
        if opening in _AMOUNTS and first + 1 < head.i:
            first += 2
        elif doc[first].lower_ in lexicon.FOCUS and first < head.i:
            first += 1
    for comma in range(head.i + 1, last):
        if doc[comma].text == "," and doc[comma + 1].lower_ == "not":
            return first, comma - 1
    return first, last


_AMOUNTS = frozenset({"more than", "less than", "fewer than"})


def _with_quotes(doc: Doc, first: int, last: int) -> tuple[int, int]:
    """Take in the marks of a quoted phrase; the parser hangs them here and there."""
    before = first > 0 and doc[first - 1].is_quote
    after = last + 1 < len(doc) and doc[last + 1].is_quote
    unclosed = sum(t.is_quote for t in doc[first : last + 1]) % 2 == 1
    if unclosed:
        return (first, last + 1) if after else (first - before, last)
    if before and after:
        return first - 1, last + 1
    return first, last
