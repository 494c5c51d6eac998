"""Rank the exchanges that a sentence allows by the probability that a person would make them.

A linear model scores each pair of phrases by features of both parses. A softmax over all pairs and
“no exchange” turns the scores into probabilities. `experiments.recipes.swaps` learns the weights,
`assets/ranker.json`, from sentences written with their swaps.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, cast

from symdemo.files.paths import ASSETS
from symdemo.swapping import lexicon
from symdemo.swapping.candidates import NO_ARGUMENTS, NOUNS, OBJECTS, candidates
from symdemo.swapping.exchange import Swap, exchange
from symdemo.swapping.lexicon import verb_lemma
from symdemo.swapping.parsing import PIPELINE, SECOND, Clause, surface
from symdemo.swapping.phrases import (
    Arguments,
    Phrase,
    children,
    is_animate,
    is_measure,
    is_name,
    is_time,
    phrase_of,
    subject_of,
)
from symdemo.swapping.readings import (
    is_understood,
    parsed,
    split_chat,
    split_frame,
    understood,
    with_stop,
)

if TYPE_CHECKING:
    from spacy.tokens import Token

WEIGHTS = ASSETS / "ranker.json"


# ---- Features: strings that describe a pair in one parse


def kind_of(head: Token) -> str:
    """Return the kind of a phrase by its head: pronoun, time, number, name, being, thing, …"""
    if head.tag_.startswith("PRP"):
        return "it" if head.lower_ == "it" else "pronoun"
    if head.lower_ in lexicon.REFLEXIVES:
        return "reflexive"
    if is_time(head):
        return "time"
    if is_measure(head) or head.tag_ == "CD":
        return "number"
    if is_name(head) or is_animate(head):
        return "name" if is_name(head) else "being"
    bare = head.tag_ == "NN" and head.left_edge == head
    return "bare" if bare else "thing" if head.pos_ == "NOUN" else head.pos_


def role_of(token: Token, depth: int = 0) -> str:
    """Return the role of a head in the sentence, by default its dependency label.

    After a preposition, it is that word and the part of speech of what the preposition depends on.
    For a conjunct or a possessor, it is the label and the role of the head above, up to four times.
    """
    if depth > 3:
        return "…"
    if token.dep_ in {"conj", "poss"}:
        return f"{token.dep_}:{role_of(token.head, depth + 1)}"
    if token.dep_ in {"pobj", "pcomp"}:
        return f"{token.head.lower_}@{token.head.head.pos_}"
    return token.dep_


def _path(one: Token, two: Token) -> tuple[str, str, Token]:
    """Return the path of labels from one head to the other, and the token where both branches meet.

    The path is returned twice: with prepositions as words, and with labels only.
    """
    above, below = [one, *one.ancestors], [two, *two.ancestors]
    top = next((token for token in below if token in above), None)
    if top is None:
        return "apart", "apart", two
    up, down = above[: above.index(top)], below[: below.index(top)][::-1]
    labels = [*(t.dep_ for t in up), "|", *(t.dep_ for t in down)]
    words = [t.lower_ if t.dep_ in {"prep", "agent"} else t.dep_ for t in (*up, *down)]
    words.insert(len(up), "|")
    return " ".join(words), " ".join(labels), top


def _opening(phrase: Phrase) -> str:
    token = phrase.tokens[0]
    if token.i == phrase.head.i:
        return "bare"
    return token.lower_ if token.dep_ in {"det", "poss"} and token.tag_ != "NNP" else token.dep_


def _edge(phrase: Phrase, kind: str) -> Iterator[str]:
    """Yield features of the edges: dependents inside and outside a phrase, and words beside it."""
    head, doc = phrase.head, phrase.head.doc
    for child in head.children:
        if child.dep_ in {"punct", "case"}:
            continue
        edge = "in" if phrase.first <= child.i <= phrase.last else "out"
        edge += "<" if child.i < head.i else ">"
        yield edge + child.dep_ + (f":{child.lower_}" if child.dep_ in {"prep", "det"} else "")
        if child.dep_ == "prep":
            led = children(child, "pobj")
            what = kind_of(led[0]) if led else ""
            yield f"{edge}prep {kind} {what}"
            yield f"{edge}{child.lower_} {kind} {what}"
    tail = doc[phrase.last]
    if not (tail == head or head.is_ancestor(tail)):
        first = next(t for t in phrase.tokens if t.i > head.i and not head.is_ancestor(t))
        yield f"beyond {first.dep_} {first.lower_}"
        yield f"beyond {first.dep_} {kind}"
    if not (doc[phrase.first] == head or head.is_ancestor(doc[phrase.first])):
        yield "beyond left"
    before = doc[phrase.first - 1] if phrase.first else None
    caps = [
        doc[i].text[:1].isupper() if 0 <= i < len(doc) else None
        for i in (phrase.first - 1, phrase.first, phrase.last, phrase.last + 1)
    ]
    yield f"caps {kind} {caps} {phrase.first < 2}"
    after = doc[phrase.last + 1] if phrase.last + 1 < len(doc) else None
    yield f"before {before.pos_ if before is not None else ''}"
    yield f"after {after.pos_ if after is not None else ''}"
    yield f"after {after.lower_ if after is not None else ''}"


def of_phrase(phrase: Phrase) -> list[str]:
    """Return the features of one phrase of a pair."""
    head = phrase.head
    kind, role = kind_of(head), role_of(head)
    extent = _extent(phrase)
    found = [f"span {extent}", f"span {extent} {kind}", f"span {extent} {role}"]
    found += [f"k {kind}", f"r {role}", f"kr {kind} {role}", f"open {_opening(phrase)}"]
    found += _edge(phrase, kind)
    if kind in {"bare", "thing", "time", "number"}:
        found += [f"h {head.lemma_.lower()}", f"hr {head.lemma_.lower()} {role}"]
    return found


class SentenceFeatures:
    """The features of the pairs of one parse; what several pairs share is computed once."""

    def __init__(self, clause: Clause) -> None:
        self.clause, self.doc = clause, clause.doc
        self.nouns = [
            t
            for t in self.doc
            if t.pos_ in NOUNS and t.dep_ not in {"compound", "nmod", "det", "expl"}
            and t.lower_ not in NO_ARGUMENTS
        ]  # fmt: skip
        self.kinds = {t.i: kind_of(t) for t in self.nouns}
        self._phrases: dict[Phrase, list[str]] = {}

    def features(self, pair: Arguments | None) -> list[str]:
        """Return all features of a pair in this parse, or “absent” alone if the parse lacks it."""
        if pair is None:
            return ["absent"]
        one, two = pair
        words, labels, top = _path(one.head, two.head)
        kind = [kind_of(phrase.head) for phrase in pair]
        kinds = " ".join(map(_coarse, kind))
        acts = top.pos_ in {"VERB", "AUX"}
        extents = " ".join(map(_extent, pair))
        found = [f"{n} {name}" for n, p in enumerate(pair, 1) for name in self._of(p)]
        found += [
            f"w {words}",
            f"l {labels}",
            f"kk {kinds}",
            f"wk {words} {kinds}",
            f"lk {labels} {kinds}",
            f"wl {words} {verb_lemma(top) if acts else top.lemma_.lower()}",
            f"rr {role_of(one.head)} {role_of(two.head)}",
            f"oo {_opening(one)} {_opening(two)}",
            f"top {top.pos_} {top.dep_}",
            f"same head {one.head.lower_ == two.head.lower_}",
            f"same text {one.tokens.text.lower() == two.tokens.text.lower()}",
            f"spans {extents}",
            f"spans {extents} {labels}",
        ]
        for tails in _tails(pair):
            found += [f"tails {tails}", f"tails {tails} {kinds}", f"tails {tails} {labels}"]
        found += self._of_others(pair, labels, kind)
        if acts:
            found += [*_of_verb(top, words, f"{labels} {kinds}"), f"root {top.dep_} {labels}"]
        members = list(_listed(one.head))
        if two.head in members:
            return found + _of_list(one, two, len(members))
        halves = [
            any(c.dep_ == "conj" and not p.first <= c.i <= p.last for c in p.head.children)
            for p in pair
        ]
        found.append(f"halves {halves} {[p.head.dep_ == 'conj' for p in pair]}")
        subject = subject_of(top) if acts else None
        if subject is not None and any(_listed(subject)):
            found.append(f"list beside {_coarse(kind[1])} {labels}")
        return found

    def _of_others(self, pair: Arguments, labels: str, kind: list[str]) -> list[str]:
        """Return the features of the nouns outside the pair: how many, of which kinds, where."""
        one, two = pair
        kinds = " ".join(map(_coarse, kind))
        outside = [
            t for t in self.nouns
            if not (one.first <= t.i <= one.last or two.first <= t.i <= two.last)
        ]  # fmt: skip
        counts = [0, 0, 0]
        for t in outside:
            counts[0 if t.i < one.first else 1 if t.i < two.first else 2] += 1
        left, between, right = (min(n, 3) for n in counts)
        others = {self.kinds[t.i] for t in outside}
        later = [f"{_coarse(self.kinds[t.i])}:{role_of(t)}" for t in outside if t.i > one.last][:3]
        return [
            f"left {left}",
            f"between {between}",
            f"right {right}",
            f"lbr {left}{between}{right}",
            f"bl {between} {labels}",
            f"left {left} {labels}",
            f"right {right} {labels}",
            f"alike {kind[0] == kind[1]} {kind[0] in others} {kind[1] in others}",
            f"beings {kinds} {not others.isdisjoint({'name', 'being', 'pronoun'})}",
            *(f"beside {noun} {labels} {kinds}" for noun in later),
            f"besides {' '.join(later)} {labels}",
        ]

    def _of(self, phrase: Phrase) -> list[str]:
        if phrase not in self._phrases:
            self._phrases[phrase] = of_phrase(phrase)
        return self._phrases[phrase]

    def without(self) -> list[str]:
        """Return the features of making no exchange at all."""
        root = next(self.doc.sents).root
        low = {t.lower_ for t in self.doc}
        return [
            "none",
            f"none {min(len(self.nouns), 4)}",
            f"none {root.tag_} {subject_of(root) is not None}",
            f"none {' '.join(sorted({_coarse(k) for k in self.kinds.values()}))}",
            f"none other {'other' in low} {'and' in low}",
            f"none {root.lemma_.lower()}",
        ]


def _of_verb(verb: Token, words: str, labels: str) -> list[str]:
    """Return features of the verb that both phrases depend on: its classes, object and idioms."""
    lemma, found = verb_lemma(verb), []
    for name in _classes(lemma):
        found += [f"vc {name} {words}", f"vc {name} {labels}"]
    for thing in children(verb, "dobj")[:1]:
        idiom = f"{lemma} {surface(thing).lower()}" in lexicon.IDIOMS
        found += [f"idiom {idiom} {words}", f"thing {_coarse(kind_of(thing))} {words}"]
        found.append(f"thing {thing.lower_} {words}")
    return found


@cache
def _classes(lemma: str) -> list[str]:
    """Return the names of the lists of verbs in `lexicon` that have a base form."""
    names = (
        "GIVING_VERBS",
        "TAKING_VERBS",
        "CHARGING_VERBS",
        "CONNECTING_VERBS",
        "JOINING_VERBS",
        "COLLECTIVE_VERBS",
        "LIGHT_VERBS",
        "THINKING_VERBS",
    )
    found = [n for n in names if lemma in getattr(lexicon, n)]
    return found + [f"way {w}" for w, verbs in lexicon.SECOND_OBJECTS.items() if lemma in verbs]


def _extent(phrase: Phrase) -> str:
    """Return “whole”, “alone”, both in one word, or "".

    “whole” if a phrase has all that belongs to its head, “alone” if all but the rest of a list.
    """
    span, head = (phrase.first, phrase.last), phrase.head
    ways = {"whole": phrase_of(head), "alone": phrase_of(head, alone=True)}
    return "".join(name for name, way in ways.items() if span == (way.first, way.last))


def _tails(pair: Arguments) -> list[str]:
    """Return features of what follows each head, inside the phrase and right after the phrase."""
    doc = pair.subject.head.doc
    first = [doc[p.head.i + 1] if p.last > p.head.i else None for p in pair]
    after = [doc[p.last + 1] if p.last + 1 < len(doc) else None for p in pair]
    inside = ["" if t is None else t.lower_ if t.dep_ == "prep" else "+" for t in first]
    behind = [t is not None and t.dep_ in {"prep", "relcl", "acl", "advmod"} for t in after]
    words = [t.lower_ if t is not None else "" for t in (first[0], *first[1:], after[1])]
    one = [any(t is not None and t.lower_ in {"one", "ones"} for t in (p.head, t))
           for p, t in zip(pair, after, strict=True)]  # fmt: skip
    parallel = words[0] != "" and words[0] in words[1:]
    return [f"{inside} {behind} {one}", f"parallel {parallel} {inside[0] != ''} {inside[1] != ''}"]


def _coarse(kind: str) -> str:
    return "one" if kind in {"name", "being", "pronoun"} else kind


def _listed(head: Token) -> Iterator[Token]:
    for child in children(head, "conj"):
        yield child
        yield from _listed(child)


def _of_list(one: Phrase, two: Phrase, more: int) -> list[str]:
    """Return the features of two members of a list with `more` members after the first."""
    verb, role = one.head.head, role_of(one.head)
    lefts = any(c.i < one.first for c in one.head.lefts)
    rights = any(c.i > two.last for c in two.head.rights)
    last, inside = not children(two.head, "conj"), one.first <= one.head.right_edge.i
    shared = _opening(one) != "bare", _opening(two) != "bare"
    rest = " ".join(
        f"{c.dep_}:{_coarse(kind_of(c))}" if c.dep_ in OBJECTS else c.dep_
        for c in verb.children
        if c.dep_ in {*OBJECTS, "prep", "acomp", "advmod"} and c.i > verb.i
    )
    return [
        f"list {min(more, 3)} {last} {inside}",
        f"list open {shared} {lefts}",
        f"list rights {rights} {lefts}",
        f"list {role} {verb.lemma_}",
        f"list {role} {rest}",
        f"list {one.head.tag_} {two.head.tag_}",
    ]


# ---- The model


class Option(NamedTuple):
    """One exchange that a sentence allows: a pair in the clause that has it, and its features."""

    clause: Clause
    pair: Arguments | None
    """None for making no exchange."""
    features: list[str]

    def swap(self) -> Swap | None:
        """Return the sentence with the two exchanged; None for making no exchange."""
        return exchange([self.clause], self.pair) if self.pair else None


def options(premise: str) -> list[Option]:
    """Return an option for making no exchange, then one for each exchange of a sentence."""
    start, stop = split_chat(premise) or (0, len(premise))
    frame = split_frame(premise[start:stop])
    if frame and is_understood(parsed(frame[1], PIPELINE)):
        found = _options_between(premise, start + len(frame[0]), stop)
        if len(found) > 1:  # else the two are not both in the statement: "I said that you won"
            return found
    return _options_between(premise, start, stop)


def _options_between(premise: str, start: int, stop: int) -> list[Option]:
    text = with_stop(premise[start:stop])
    docs = [understood(text, parser) for parser in (PIPELINE, SECOND)]
    clauses = [Clause(premise, doc, start) for doc in docs]
    sentences = [SentenceFeatures(clause) for clause in clauses]
    found = [Option(clauses[0], None, [name for s in sentences for name in s.without()])]
    for one in candidates(clauses):
        both = zip(sentences, one.pairs, strict=True)
        names = [name for sentence, pair in both for name in sentence.features(pair)]
        names.append(f"found {one.found}")
        found.append(Option(clauses[one.best], one.pairs[one.best], names))
    return found


@cache
def weights() -> dict[str, float]:
    """Return the weight of each feature; a feature without one weighs 0."""
    return cast("dict[str, float]", json.loads(WEIGHTS.read_text(encoding="utf-8")))


def rank(premise: str) -> list[tuple[Option, float]]:
    """Return the options of a sentence, likeliest first, with probabilities that sum to 1."""
    weight = weights()
    found = options(premise)
    scores = [sum(weight.get(name, 0.0) for name in option.features) for option in found]
    best = max(scores)
    powers = [math.exp(score - best) for score in scores]
    total = sum(powers)
    shares = [power / total for power in powers]
    return sorted(zip(found, shares, strict=True), key=lambda way: -way[1])
