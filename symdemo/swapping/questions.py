"""Questions read as the statements that they ask about: "Does Kenya border Uganda?"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from symdemo.errors import InputError
from symdemo.swapping import lexicon
from symdemo.swapping.parsing import knows_noun, knows_verb, parse
from symdemo.swapping.phrases import SUBJECTS, children
from symdemo.swapping.readings import plain_verb_parse
from symdemo.swapping.words import past_of, third_person
from symdemo.text import shorten

if TYPE_CHECKING:
    from spacy.tokens import Doc


_DO = {"do": "", "does": "third", "did": "past"}
_FINITE = lexicon.word_set(
    "is are am was were has have had can could will would shall should may might must"
)
_INTERROGATIVES = lexicon.word_set("who whom whose what which when where why how")
_BEFORE_INTERROGATIVES = lexicon.word_set("in at on to by from with for of")
_TAG = re.compile(
    r",\s*(?:is|are|am|was|were|do|does|did|has|have|had|can|could|will|would|should)"
    r"(?:n['’]t)?\s+(?:i|you|he|she|it|we|they|there)(?:\s+not)?\s*\?+$|,\s*(?:right|no|eh|ok)\s*\?+$",
    re.IGNORECASE,
)


class Statement(NamedTuple):
    """What a question asks about, without the capital of an opening, and what speaks against it."""

    text: str
    doubt: str = ""


def statement_of(question: str) -> Statement:
    """Return the statement that a yes/no question asks about; `InputError` for other questions."""
    without_tag = _TAG.sub(".", question)
    if without_tag != question:
        return Statement(without_tag)
    body = re.sub(r"\s*\?+[!?]*([\"'”’)]*)\s*$", r"\1", question)
    first, _, rest = body.partition(" ")
    opening, negated = re.subn(r"n['’]t$", "", first.lower())
    opening = {"ca": "can", "wo": "will"}.get(opening, opening)
    if _asks_for_something(opening, rest):
        raise InputError(
            f"“{shorten(question)}” asks for something that is not named: give a statement such as "
            "'Ann knows Bob.', or a question that yes or no would answer."
        )
    if opening not in _DO and opening not in _FINITE:
        return Statement(body + ".")
    rest = re.sub(r"\bever ", "", rest)  # "Did Ann ever meet Bob?" asks whether she met him
    rest = re.sub(r" yet$", "", rest)
    found = _turned(opening, first, rest, bool(negated))
    if found is None:
        raise InputError(
            f"“{shorten(question)}” is a question whose subject was not found: give a statement "
            "such as 'Ann knows Bob.'."
        )
    text = found + "."
    doubt = ""
    if negated:
        doubt = "The question has a “not” in it, so it may ask about the opposite."
    elif _splits_name(found, body):
        doubt = "It is not clear where the subject of the question ends."
    elif opening in {"could", "would", "can", "will"} and rest.lower().startswith("you "):
        doubt = "This may be a request and not a statement about two things."
    return Statement(text, doubt)


def _splits_name(statement: str, question: str) -> bool:
    """True if the verb came between two words with capitals: "Is Lake | Geneva deep?"."""
    kept = question.split()[1:]
    for n, (one, other) in enumerate(zip(kept, statement.split(), strict=False)):
        if one != other:
            return n > 0 and one[:1].isupper() and kept[n - 1][:1].isupper()
    return False


def _asks_for_something(opening: str, rest: str) -> bool:
    """True if a question opens with who, what's, in which and the like."""
    second = (rest.split() or [""])[0].lower()
    asking = re.split(r"['’]", opening)[0] in _INTERROGATIVES
    return asking or (opening in _BEFORE_INTERROGATIVES and second in _INTERROGATIVES)


def _turned(opening: str, first: str, rest: str, negated: bool) -> str | None:
    """Put the verb behind the subject: the shortest subject with which the parser agrees."""
    tokens = rest.split()
    for length in _lengths(first, tokens):
        subject, after = tokens[:length], tokens[length:]
        if not after:
            continue
        built = _built(opening, first, subject, after, negated)
        if built is None:
            continue
        sentence, verb_at = built
        if _begins_with_subject(sentence, length, verb_at):
            return sentence
    return None


def _lengths(first: str, tokens: list[str]) -> Iterator[int]:
    """Return how many words the subject may have, what the parse of the question says first."""
    doc = parse(f"{first} {' '.join(tokens)}?")
    seen = set()
    for token in doc:
        if token.dep_ in SUBJECTS and token.head.dep_ == "ROOT":
            words_before = doc[: token.right_edge.i + 1].text.split()
            if len(words_before) > 1:
                seen.add(len(words_before) - 1)
                yield len(words_before) - 1
                break
    words_ = _word_numbers(doc)
    bases = {words_[t.i] - 1 for t in doc if t.tag_ == "VB" and words_[t.i] > 1}
    rest = [n for n in range(1, min(len(tokens), 12)) if n not in seen]
    asked = first.lower() in _DO  # of two words that could be the verb, that which is no noun
    yield from sorted(
        rest, key=lambda n: (n not in bases, asked and knows_noun(tokens[n].lower()), n)
    )


def _built(
    opening: str, first: str, subject: list[str], after: list[str], negated: bool
) -> tuple[str, int] | None:
    """The statement and the place of its finite verb, counted in words."""
    if opening in _FINITE:
        verb = first.lower() if first.lower() != "i" else first
        return " ".join([*subject, verb, *after]), len(subject)
    if negated:
        return " ".join([*subject, first.lower(), *after]), len(subject)
    # "Did Salieri really poison Mozart?": the verb comes after an adverb or two.
    at = 0
    while at < len(after) - 1 and (after[at].endswith("ly") or after[at].lower() in _ADVERBS):
        at += 1
    base = after[at]
    if not base.isalpha() or base != base.lower():
        return None
    known = knows_verb(base.lower()) or base.lower() in {"be", "do", "have"}
    if not known and at + 1 < len(after) and knows_verb(after[at + 1].lower()):
        return None
    form = {"": base, "third": third_person(base), "past": past_of(base)}[_DO[opening]]
    return " ".join([*subject, *after[:at], form, *after[at + 1 :]]), len(subject) + at


_ADVERBS = lexicon.word_set("ever still also often always never just even not")


def _begins_with_subject(sentence: str, length: int, verb_at: int) -> bool:
    """True if the first words are the whole subject of the verb behind them."""
    for doc in _readings(sentence, verb_at):
        starts = _word_numbers(doc)
        for token in doc:
            if (
                token.dep_ not in SUBJECTS
                or token.lower_ in {"the", "a", "an"}
                or token.head.dep_ not in {"ROOT", "aux"}
            ):
                continue
            left, right = starts[token.left_edge.i], starts[token.right_edge.i]
            if left == 0 and right == length - 1 and _finite_at(token.head, starts, verb_at):
                return True
    return False


def _readings(sentence: str, verb_at: int) -> Iterator[Doc]:
    doc = parse(sentence + ".")
    yield doc
    yield plain_verb_parse(doc, next(i for i, n in enumerate(_word_numbers(doc)) if n == verb_at))


def _word_numbers(doc: Doc) -> list[int]:
    """For each token the number of the word that it is a part of."""
    out, word = [], 0
    for token in doc:
        out.append(word)
        word += bool(token.whitespace_)
    return out


def _finite_at(verb, starts: list[int], verb_at: int) -> bool:
    places = {starts[verb.i], *(starts[c.i] for c in children(verb, "aux", "auxpass"))}
    return verb_at in places
