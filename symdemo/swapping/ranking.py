"""All exchanges that a sentence allows, and how likely a person would make each of them.

Every noun phrase that could be an argument is a candidate: with several right edges, as a member
of a list, as a possessor, and without the modifiers that it shares. A linear model scores each pair
by what both parsers and the rules say about it. `experiments.recipes.swaps` learns its weights,
`assets/ranker.json`, from sentences whose swap people wrote.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, cast

from symdemo.files.paths import ASSETS
from symdemo.swapping import lexicon
from symdemo.swapping.exchange import Swap, exchange
from symdemo.swapping.lexicon import verb_lemma
from symdemo.swapping.parsing import PIPELINE, SECOND, Clause
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
from symdemo.swapping.readings import parsed

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

WEIGHTS = ASSETS / "ranker.json"
MOST_PHRASES = 40
"""Phrases of a sentence beyond which there are too many pairs to rank."""

_NOUNS = {"NOUN", "PROPN", "PRON", "NUM", "X", "SYM"}
_OBJECTS = {"nsubj", "nsubjpass", "dobj", "pobj", "dative", "attr"}
_NEVER_HEADS = {"case", "aux", "auxpass", "prep", "mark", "cc", "punct", "neg", "expl", "nummod"}
_NO_PARTIES = lexicon.word_set("there who whom which whose what other another < >")
_QUANTIFIERS = lexicon.word_set(
    "every each no all some most many few both any more fewer only a an"
)


# ---- Candidates


def phrases_of(doc: Doc) -> list[Phrase]:
    """Return every noun phrase that could be an argument: of each head, in several lengths."""
    found: dict[tuple[int, int], Phrase] = {}
    for token in doc:
        for phrase in _edges(token) if _can_head(token) else ():
            found.setdefault((phrase.first, phrase.last), phrase)
    return list(found.values())


def _can_head(token: Token) -> bool:
    if token.lower_ in _NO_PARTIES or token.is_punct or token.dep_ in _NEVER_HEADS:
        return False
    if token.dep_ == "det" and token.lower_ in lexicon.DETERMINERS:
        return False
    joined = token.dep_ == "conj" or bool(children(token, "conj"))
    return (
        token.pos_ in _NOUNS
        or token.dep_ in _OBJECTS
        or token.tag_ in {"PRP$", "VBG"}
        or (joined and token.pos_ in {"ADJ", "VERB"})  # "the north and south coasts"
        or token.text[:1].isupper()
        or bool(children(token, "det"))
    )


def _edges(head: Token) -> Iterator[Phrase]:
    """Yield the phrases of a head: whole, alone, and from each left to each right edge."""
    doc = head.doc
    whole, alone = phrase_of(head), phrase_of(head, alone=True)
    yield whole
    yield alone
    lefts = [alone.first]
    joined = head.dep_ == "conj" or bool(children(head, "conj"))
    for child in head.lefts:
        shared = child.dep_ == "det" and child.lower_ in _QUANTIFIERS
        if child.i >= alone.first and (joined or shared):
            lefts.append(child.right_edge.i + 1)
    rights = [c.i for c in children(head, "case") if c.i == head.i + 1] or [head.i]
    rights += [c.right_edge.i for c in head.rights if c.dep_ not in {"cc", "conj", "punct", "case"}]
    end = head.right_edge.i
    rights.append(end)
    # A phrase after it that the parser attaches to the verb: "the boy | from the bakery | winked".
    while end + 1 < len(doc) and doc[end + 1].dep_ in {"prep", "advmod"}:
        if doc[end + 1].right_edge.i <= end or doc[end + 1].left_edge.i != end + 1:
            break
        end = doc[end + 1].right_edge.i
        rights.append(end)
    for first in dict.fromkeys(lefts):
        for right in dict.fromkeys(rights):
            last = right
            while last > head.i and doc[last].is_punct and not doc[last].is_quote:
                last -= 1
            if first <= head.i <= last:
                yield Phrase(head, first, last, alone.comma and last == alone.last)


Pairs = tuple["Arguments | None", ...]
"""Two phrases that may change places, as each parse has them; None if it lacks one."""


def candidates(clauses: Sequence[Clause]) -> Iterator[tuple[Pairs, int]]:
    """Yield all pairs of phrases that do not overlap, and the number of a parse that has them."""
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
        made = [one in found and two in found for found in own]
        if any(pairs):
            yield pairs, (made if any(made) else list(map(bool, pairs))).index(True)


def _place(clause: Clause, phrase: Phrase) -> tuple[int, int]:
    doc = clause.doc
    return clause.start(doc[phrase.first]), clause.stop(doc[phrase.last])


def _at(clause: Clause, place: tuple[int, int]) -> Phrase | None:
    """Return the phrase at a place of the text, if tokens begin and end there."""
    first = next((t.i for t in clause.doc if clause.start(t) == place[0]), None)
    last = next((t.i for t in clause.doc if clause.stop(t) == place[1]), None)
    if first is None or last is None or last < first:
        return None
    return Phrase(clause.doc[first : last + 1].root, first, last)


# ---- Features: strings that describe a pair in one parse


def kind_of(head: Token) -> str:
    """Return what a head names, as coarsely as it matters for the choice."""
    if head.tag_.startswith("PRP"):
        return "it" if head.lower_ == "it" else "pronoun"
    if is_time(head):
        return "time"
    if is_measure(head) or head.tag_ == "CD":
        return "number"
    if is_name(head) or is_animate(head):
        return "name" if is_name(head) else "being"
    bare = head.tag_ == "NN" and head.left_edge == head
    return "bare" if bare else "thing" if head.pos_ == "NOUN" else head.pos_


def role_of(token: Token, depth: int = 0) -> str:
    """Return the role of a head: a label, the preposition before it, or the role it shares."""
    if depth > 3:
        return "…"
    if token.dep_ in {"conj", "poss"}:
        return f"{token.dep_}:{role_of(token.head, depth + 1)}"
    if token.dep_ in {"pobj", "pcomp"}:
        return f"{token.head.lower_}@{token.head.head.pos_}"
    return token.dep_


def _path(one: Token, two: Token) -> tuple[str, str, Token]:
    """Return the labels from one head to the other, with and without words, and where they meet."""
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
    """Yield what is included and left out at the edges of a phrase, and what is beside it."""
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
    after = doc[phrase.last + 1] if phrase.last + 1 < len(doc) else None
    yield f"before {before.pos_ if before is not None else ''}"
    yield f"after {after.pos_ if after is not None else ''}"
    yield f"after {after.lower_ if after is not None else ''}"


def of_phrase(phrase: Phrase) -> list[str]:
    """Return the features of one phrase of a pair."""
    head = phrase.head
    kind, role = kind_of(head), role_of(head)
    found = [f"k {kind}", f"r {role}", f"kr {kind} {role}", f"open {_opening(phrase)}"]
    found += _edge(phrase, kind)
    if kind in {"bare", "thing", "time", "number"}:
        found += [f"h {head.lemma_.lower()}", f"hr {head.lemma_.lower()} {role}"]
    return found


class Sentence:
    """A parse with what all its pairs need, computed once."""

    def __init__(self, clause: Clause) -> None:
        self.clause, self.doc = clause, clause.doc
        self.nouns = [
            t
            for t in self.doc
            if t.pos_ in _NOUNS and t.dep_ not in {"compound", "nmod", "det", "expl"}
            and t.lower_ not in _NO_PARTIES
        ]  # fmt: skip
        self.kinds = {t.i: kind_of(t) for t in self.nouns}
        self._phrases: dict[Phrase, list[str]] = {}

    def features(self, pair: Arguments | None) -> list[str]:
        """Return all features of a pair in this parse."""
        if pair is None:
            return ["absent"]
        one, two = pair
        found = [f"{n} {name}" for n, p in enumerate(pair, 1) for name in self._of(p)]
        words, labels, top = _path(one.head, two.head)
        kind = [kind_of(phrase.head) for phrase in pair]
        kinds = " ".join(map(_coarse, kind))
        acts = top.pos_ in {"VERB", "AUX"}
        outside = [
            t for t in self.nouns
            if not (one.first <= t.i <= one.last or two.first <= t.i <= two.last)
        ]  # fmt: skip
        counts = [0, 0, 0]
        for t in outside:
            counts[0 if t.i < one.first else 1 if t.i < two.first else 2] += 1
        left, between, right = (min(n, 3) for n in counts)
        others = {self.kinds[t.i] for t in outside}
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
            f"left {left}",
            f"between {between}",
            f"right {right}",
            f"lbr {left}{between}{right}",
            f"bl {between} {labels}",
            f"left {left} {labels}",
            f"right {right} {labels}",
            f"alike {kind[0] == kind[1]} {kind[0] in others} {kind[1] in others}",
            f"beings {kinds} {not others.isdisjoint({'name', 'being', 'pronoun'})}",
            f"same head {one.head.lower_ == two.head.lower_}",
        ]
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
        f"{c.dep_}:{_coarse(kind_of(c))}" if c.dep_ in _OBJECTS else c.dep_
        for c in verb.children
        if c.dep_ in {*_OBJECTS, "prep", "acomp", "advmod"} and c.i > verb.i
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
    """An exchange with its features; `swap` is None for making none."""

    swap: Swap | None
    features: list[str]


def options(premise: str, rules: Swap | None) -> list[Option]:
    """Return all exchanges of a sentence, that of the rules too; what these say is a feature."""
    clauses = [Clause(premise, parsed(premise, parser)) for parser in (PIPELINE, SECOND)]
    sentences = [Sentence(clause) for clause in clauses]
    found = [Option(None, [name for s in sentences for name in s.without()])]
    for pairs, at in candidates(clauses):
        names = [f for s, pair in zip(sentences, pairs, strict=True) for f in s.features(pair)]
        pair = pairs[at]
        if pair is not None:
            found.append(Option(exchange([clauses[at]], pair), names))
    if rules is None:
        found[0].features.append("rule none")
        return found
    sure = "sure" if rules.sure else "doubt"
    joined = bool(re.search(r"\[X\],? and \[Y\]", rules.relation))
    _mark(found, rules, "rule", f"rule {sure}", f"rule {sure} {bool(rules.others)}",
          f"rule joined {joined}")  # fmt: skip
    for other in rules.others[:2]:
        _mark(found, other, "rule other", f"rule other {sure}")
    return found


def _mark(found: list[Option], swap: Swap, *names: str) -> None:
    """Add features to the option that reads like a swap, which is added if there is none."""
    for option in found:
        if option.swap is not None and option.swap.hypothesis == swap.hypothesis:
            option.features.extend(names)
            return
    found.append(Option(swap, ["extra", *names]))


@cache
def weights() -> dict[str, float]:
    """Return the weight of each feature; a feature without one weighs 0."""
    return cast("dict[str, float]", json.loads(WEIGHTS.read_text(encoding="utf-8")))


def rank(premise: str, rules: Swap | None) -> tuple[Swap | None, float]:
    """Return the likeliest swap of a sentence, None for refusing, and its probability."""
    weight = weights()
    found = options(premise, rules)
    scores = [sum(weight.get(name, 0.0) for name in option.features) for option in found]
    best = max(scores)
    total = sum(math.exp(score - best) for score in scores)
    return found[scores.index(best)].swap, 1 / total
