"""Candidates for the swap of a sentence, one for each way to read it, and the doubts about them.

A parser reads some sentences well only in parts: after an introduction ("Experts agree that"),
after a place or time without its comma ("At the airport Yusuf"), and one of two full clauses by
itself ("Ann loves Bob, but Bob does not love Ann.").
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from symdemo.swapping import lexicon
from symdemo.swapping.exchange import Swap, exchange
from symdemo.swapping.mentions import Clause
from symdemo.swapping.parsing import PIPELINE, SECOND, parse, surface
from symdemo.swapping.phrases import (
    FINITE,
    subject_of,
)
from symdemo.swapping.ranking import rank
from symdemo.swapping.readings import Reading, find
from symdemo.swapping.words import is_word

if TYPE_CHECKING:
    from spacy.tokens import Doc


_STATED = "|".join(sorted(lexicon.STATING_WORDS))
_FRAME = re.compile(
    rf"""
    (?P<frame> [^,;:]{{0,60}}? \b (?:
        (?:{_STATED}) (?: \s (?: out | here | to\ (?:me|us) | (?:in|on|at|from)\ the\ \w+ ) )?
      | (?:tell|tells|told|remind|reminds|reminded|assures?|assured|teaches|taught|shows?|showed)
        \s (?:me|us|you|him|her|them|everyone|everybody|people|the\ \w+)
      | (?:a|no|the|of|any) \s (?:fact|doubt|secret|truth|news|proof|question)
      | (?:fact|truth|point|news) \s (?:is|was)
      | what\ [^,;:]+ \s (?:is|was)
      | has\ it
    ) \s that \s )
    (?P<statement> .+ )
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)

_OPENERS = """
    At In On For From Since During Until After Before By Under Near Over Among Through Behind Inside
    Outside Within Throughout Halfway Last Next Every
"""
# A phrase such as "at the end of the season" is over where a new one begins.
_DETERMINERS = "the a an my our his her its their your this these those"
_ENDS = re.compile(
    rf"""(?P<last>[\w'’]+)\ (?=(?P<next>(?:{_DETERMINERS.replace(" ", "|")})\b|[A-Z“"]))""",
    re.VERBOSE,
)
_LINKS = "of to with and or that between than as into onto who whom what"
_NEVER_LAST = f"{_OPENERS.lower()} {_DETERMINERS} {_LINKS}".split()

_CHAT = "|".join(sorted(lexicon.CHAT, key=len, reverse=True))
_CHATTING = re.compile(
    rf"(?P<opening>(?:(?:{_CHAT})\b[,!.…]*\s+)*)(?P<said>.*?)(?P<closing>(?:[,.!…]*\s+(?:{_CHAT})\b)*[.!…]*)",
    re.IGNORECASE | re.DOTALL,
)


def split_chat(sentence: str) -> tuple[int, int] | None:
    """Return where a sentence starts and stops between words such as "ugh" and "lol", if any."""
    match = _CHATTING.fullmatch(sentence)
    closing = match is not None and any(c.isalnum() for c in match["closing"])
    if match is None or not (match["opening"] or closing) or len(match["said"].split()) < 3:
        return None
    return match.start("said"), match.start("closing") if closing else len(sentence)


def split_frame(sentence: str) -> tuple[str, str] | None:
    """Return an introduction, with the space after it, and the statement that follows, if any.

    The introduction ends in "that", or is a phrase of time or place without a comma.
    """
    match = _FRAME.fullmatch(sentence)
    return (match["frame"], match["statement"]) if match else _split_time_or_place(sentence)


def _split_time_or_place(sentence: str) -> tuple[str, str] | None:
    if sentence.split(" ", 1)[0] not in _OPENERS.split() or "," in sentence:
        return None
    for match in _ENDS.finditer(sentence):
        last, capital = match["last"], not match["next"][0].islower()
        named = last[0].isupper() and last.lower().rstrip("s") not in lexicon.TIME_WORDS
        if last.lower() in _NEVER_LAST or (capital and named):
            continue
        return sentence[: match.end()], sentence[match.end() :]
    return None


_CONJUNCTION = re.compile(
    r"\s*(?:,|;|\s-|–|—)?\s+(?:and|but|so|while|whereas|yet)\s+|\s*;\s+", re.IGNORECASE
)


def split_clauses(sentence: str, parser: str = PIPELINE) -> tuple[int, Clause] | None:
    """Return where the first of two full clauses stops, and the second, if there are two."""
    for joint in _CONJUNCTION.finditer(sentence):
        left, right = sentence[: joint.start()], sentence[joint.end() :]
        if len(left.split()) < 3 or len(right.split()) < 2:
            continue
        second = parse(right, parser)
        if _is_clause(parse(left, parser)) and _is_clause(second):
            return joint.start(), Clause(sentence, second, joint.end())
    return None


def _is_clause(doc: Doc) -> bool:
    """True if a text has a subject with a finite verb."""
    root = next(doc.sents).root
    finite = any(t.tag_ in FINITE for t in [root, *root.children])
    return finite and subject_of(root) is not None


class Candidate(NamedTuple):
    """One of the ways to swap a sentence, and how it was read."""

    swap: Swap
    reading: Reading


def candidate(premise: str, parser: str) -> Candidate | None:
    """Swap a sentence as one parser reads it; None where that finds no pair."""
    if (read := _clauses(premise, parser)) is None:
        return None
    reading, clauses = read
    return Candidate(exchange(clauses, reading.arguments), reading)


def _clauses(premise: str, parser: str) -> tuple[Reading, list[Clause]] | None:
    """Return the reading of the part of a sentence that holds the pair, and the parsed clauses."""
    if (chat := split_chat(premise)) and (reading := find(premise[slice(*chat)], parser)):
        return reading, [Clause(premise, reading.doc, chat[0])]
    if frame := split_frame(premise):
        reading = find(frame[1], parser)
        if reading:
            return reading, [Clause(premise, reading.doc, len(frame[0]))]
    halves = split_clauses(premise, parser)
    if halves and (reading := find(premise[: halves[0]], parser)):
        return reading, [Clause(premise, reading.doc), halves[1]]
    reading = find(premise, parser)
    return (reading, [Clause(premise, reading.doc)]) if reading else None


TWO_READINGS = "The sentence can be read in more than one way."
NOT_BACK = "It may not be the one you mean."


SURE = 0.7
"""Probability from which a swap by rules that the ranker puts first is not doubted."""
LEADING = 0.5
"""Probability from which another swap is preferred to what the rules say."""
SURE_ALONE = 0.95
"""Probability from which a swap that the ranker alone makes is not doubted."""


def chosen(premise: str) -> Swap | None:
    """Return the likeliest swap with the doubts about it and the others; None without any."""
    rules = by_rules(premise)
    top = rank(premise, rules)[0]
    if rules is not None and top.swap is not None and top.swap.hypothesis == rules.hypothesis:
        return rules if top.probability >= SURE else _doubted(rules, TWO_READINGS)
    if top.swap is None or top.probability < LEADING:
        if rules is None:
            return None
        more = (replace(top.swap, doubts=()),) if top.swap else ()
        both = tuple(dict.fromkeys((*rules.others, *more)))
        return _doubted(replace(rules, others=both), TWO_READINGS)
    others = () if rules is None else (replace(rules, doubts=(), others=()), *rules.others)
    others = tuple(other for other in others if other.hypothesis != top.swap.hypothesis)
    found = replace(top.swap, others=others)
    return found if top.probability >= SURE_ALONE else _doubted(found, TWO_READINGS)


def _doubted(swap: Swap, doubt: str) -> Swap:
    return replace(swap, doubts=tuple(dict.fromkeys((*swap.doubts, doubt))))


def by_rules(premise: str) -> Swap | None:
    """Return the swap by the first construction that matches; None without any."""
    found = [c for parser in (PIPELINE, SECOND) if (c := candidate(premise, parser)) is not None]
    if not found:
        return None
    hypotheses = {c.swap.hypothesis for c in found}
    if len(hypotheses) > 1:
        found.sort(key=_faults)
    best = found[0]
    others = [replace(c.swap, doubts=()) for c in found[1:]] if len(hypotheses) > 1 else []
    doubts = [*best.swap.doubts, *(filter(None, (check(best) for check in _CHECKS)))]
    if others or len(found) == 1:
        doubts.append(TWO_READINGS)
    if not _swaps_back(best):
        doubts.append(NOT_BACK)
    return replace(best.swap, doubts=tuple(dict.fromkeys(doubts)), others=tuple(others))


def _faults(found: Candidate) -> tuple[bool, ...]:
    """Return what speaks against a candidate, the gravest first."""
    return found.reading.how == "verb", not _swaps_back(found)


def _swaps_back(found: Candidate) -> bool:
    """True if a parser reads the swapped sentence as the swap of the premise."""
    # A noun with 's for "is" may be read as a possessor, so the way back starts from the long form.
    short = re.search(
        r"\b(?:I|[Hh]e|[Ss]he|[Ii]t|[Ww]e|[Yy]ou|[Tt]hey)['’](?:m|s|re)\b", found.swap.premise
    )
    text = found.swap.hypothesis
    text = re.sub(r"(?<=\w)['’]s\b", " is", text, count=1) if short else text
    again = (candidate(text, parser) for parser in (PIPELINE, SECOND))
    return any(_plain(c.swap.hypothesis) == _plain(found.swap.premise) for c in again if c)


def _plain(text: str) -> str:
    """Remove what a swap there and back may change: capitals, short verbs, spaces."""
    text = text.lower().replace("’", "'")
    for short, long in (("'ll", " will"), ("'ve", " have"), ("'m", " am"), ("'re", " are")):
        text = text.replace(short, long)
    text = re.sub(r"\b(he|she|it)'s\b", r"\1 is", text)
    return " ".join(text.split()).rstrip(" .!")


# ---- Doubts: each check returns a sentence for a visitor, or "".

_ANYBODY = lexicon.word_set("everyone everybody someone somebody nobody anyone anybody those")


def pointing(candidate: Candidate) -> str:
    """Doubt a word that refers to something outside the sentence: "I cannot believe it"."""
    for phrase in candidate.reading.arguments:
        word = phrase.tokens.text.lower()
        if word in {"it", "this", "that", "these", "those"}:
            return f"The sentence does not say what “{word}” is."
    return ""


def cut_short(candidate: Candidate) -> str:
    """Doubt what follows an object: "a player | from Chennai", "everybody | in town"."""
    two = candidate.reading.arguments.object
    rest = two.head.doc[two.last + 1 :]
    if not len(rest) or rest[0].tag_ != "IN" or two.head.pos_ == "PROPN":
        return ""
    if rest[0].lower_ == "from" or two.head.lower_ in _ANYBODY:
        return f"“{rest[0].text} …” may belong to “{two.tokens.text}”."
    return ""


def misspelt(candidate: Candidate) -> str:
    """Doubt a lower-case word that the dictionary does not have."""
    for token in candidate.reading.doc:
        word = surface(token)
        known = not word.isalpha() or not word.islower() or len(word) < 4 or is_word(word)
        if not known and token.pos_ in {"NOUN", "ADJ", "ADV", "ADP", "X", "PROPN"}:
            return f"We don’t know the word “{word}”."
    return ""


_CHECKS: tuple[Callable[[Candidate], str], ...] = (
    pointing,
    cut_short,
    misspelt,
)
