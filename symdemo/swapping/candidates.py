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
    SUBJECTS,
    Arguments,
    Phrase,
    children,
    is_animate,
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
        if _is_clause(parse(left, parser)) and _is_clause(second, subject_first=True):
            return joint.start(), Clause(sentence, second, joint.end())
    return None


def _is_clause(doc: Doc, *, subject_first: bool = False) -> bool:
    """True if a text has a subject with a finite verb."""
    root = next(doc.sents).root
    subject = subject_of(root)
    if subject is None or subject.i > root.i or subject.tag_ in {"WP", "WDT", "WP$"}:
        return False
    if subject_first and subject.left_edge.i > 1:
        return False
    return any(t.tag_ in FINITE for t in [root, *root.children])


class Candidate(NamedTuple):
    """One of the ways to swap a sentence, and how it was read."""

    swap: Swap
    mentions: int
    reading: Reading
    clauses: list[Clause]


def candidate(premise: str, parser: str) -> Candidate | None:
    """Swap a sentence as one parser reads it; None where that finds no pair."""
    if (read := _clauses(premise, parser)) is None:
        return None
    reading, clauses = read
    return Candidate(*exchange(clauses, reading.arguments), reading, clauses)


def _clauses(premise: str, parser: str) -> tuple[Reading, list[Clause]] | None:
    """Return the reading of the part of a sentence that holds the pair, and the parsed clauses."""
    if (chat := split_chat(premise)) and (reading := find(premise[slice(*chat)], parser)):
        return reading, [Clause(premise, reading.doc, chat[0])]
    if frame := split_frame(premise):
        reading = find(frame[1], parser)
        if reading and any(t.tag_ in FINITE for t in reading.doc):
            return reading, [Clause(premise, reading.doc, len(frame[0]))]
    halves = split_clauses(premise, parser)
    if halves and (reading := find(premise[: halves[0]], parser)):
        return reading, [Clause(premise, reading.doc), halves[1]]
    reading = find(premise, parser)
    return (reading, [Clause(premise, reading.doc)]) if reading else None


TWO_READINGS = "The sentence can be read in more than one way."
NOT_BACK = "It may not be the one you mean."


SURE = 0.6
"""Probability from which a swap by rules that the ranker puts first is not doubted."""
LEADING, AGAINST_SURE = 0.5, 0.75
"""Probability from which another swap is preferred to what the rules say, in doubt or not."""
SURE_ALONE = 0.95
"""Probability from which a swap that the ranker alone makes is not doubted."""


def chosen(premise: str) -> Swap | None:
    """Return the likeliest swap with the doubts about it and the others; None without any."""
    rules = by_rules(premise)
    top = rank(premise, rules)[0]
    if rules is not None and top.swap is not None and top.swap.hypothesis == rules.hypothesis:
        return rules if top.probability >= SURE else _doubted(rules, TWO_READINGS)
    needed = LEADING if rules is not None and not rules.sure else AGAINST_SURE
    if top.swap is None or top.probability < needed:
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
    others = [c.swap for c in found[1:]] if len(hypotheses) > 1 else []
    doubts = [*best.swap.doubts, *(filter(None, (check(best) for check in _CHECKS)))]
    if others or len(found) == 1:
        doubts.append(TWO_READINGS)
    if not _swaps_back(best):
        doubts.append(NOT_BACK)
    arguments = best.reading.arguments
    for phrase in filter(None, (thing_owned(arguments), without_place(arguments))):
        other, _ = exchange(best.clauses, arguments._replace(object=phrase))
        if other.hypothesis not in hypotheses:
            others.append(other)
    others = [replace(other, doubts=()) for other in others]
    return replace(best.swap, doubts=tuple(dict.fromkeys(doubts)), others=tuple(others))


def _faults(found: Candidate) -> tuple[bool, ...]:
    """Return what speaks against a candidate, the gravest first."""
    stands_in = found.reading.how == "verb"
    return bool(without_verb(found)), bool(no_noun(found)), stands_in, not _swaps_back(found)


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

_NOUNS = {"NOUN", "PROPN", "PRON", "NUM", "SYM", "X"}
_PLACES = lexicon.word_set(
    "in on at from for near by under behind inside outside beside with before after"
)
_THIRD = lexicon.word_set("he she him her his hers they them their it its")
_ANYBODY = lexicon.word_set("everyone everybody someone somebody nobody anyone anybody those")
_SUBORDINATORS = lexicon.word_set(
    "if when before after because although though while since unless once"
)


def without_verb(candidate: Candidate) -> str:
    """Doubt "the road from Oslo", or a verb that the parser has not recognised."""
    unseen = candidate.reading.how in {"fragment", "no verb"}
    return "We found no verb that joins the two." if unseen else ""


def no_noun(candidate: Candidate) -> str:
    """Doubt a phrase whose head names nothing: a misreading of the parser."""
    for phrase in candidate.reading.arguments:
        opens = any(c.dep_ in {"det", "poss"} for c in phrase.head.children)
        named = phrase.head.text[:1].isupper() or opens or phrase.head.tag_ in {"DT", "CD", "VBG"}
        if phrase.head.pos_ not in _NOUNS and phrase.head.dep_ != "csubj" and not named:
            return f"“{phrase.tokens.text}” may not be a person or thing."
    return ""


def holds_a_verb(candidate: Candidate) -> str:
    """Doubt a phrase with a verb that belongs to no relative clause in it."""
    for phrase in candidate.reading.arguments:
        for token in phrase.tokens:
            if token.pos_ == "VERB" and token.dep_ in {"ROOT", "ccomp", "advcl", "parataxis"}:
                return f"“{phrase.tokens.text}” may be too long a part."
    return ""


def pointing(candidate: Candidate) -> str:
    """Doubt a word that refers to something outside the sentence: "I cannot believe it"."""
    for phrase in candidate.reading.arguments:
        word = phrase.tokens.text.lower()
        if word in {"it", "this", "that", "these", "those"}:
            return f"The sentence does not say what “{word}” is."
    return ""


def whose(candidate: Candidate) -> str:
    """Doubt an owner as object: "Ann drank Bob's coffee" may be about the coffee."""
    owned = thing_owned(candidate.reading.arguments)
    return f"The object may be all of “{owned.tokens.text}”." if owned else ""


def thing_owned(arguments: Arguments) -> Phrase | None:
    """Return what the object phrase owns, where that may be the object itself."""
    owner = arguments.object.head
    owned = owner.head
    if owner.dep_ != "poss" or arguments.subject.head.dep_ == "poss":
        return None
    return Phrase(owned, owned.left_edge.i, owned.i) if owned.dep_ in {"dobj", "pobj"} else None


def attached(candidate: Candidate) -> str:
    """Doubt a place or time at the end that may be about the whole: "met the man in Paris"."""
    two, short = candidate.reading.arguments.object, without_place(candidate.reading.arguments)
    where = short and two.head.doc[short.last + 1 : two.last + 1].text
    return f"“{where}” may be about the whole sentence." if where else ""


def without_place(arguments: Arguments) -> Phrase | None:
    """Return the object phrase without a place at its end that may not belong to it."""
    two = arguments.object
    if two.head.dep_ in SUBJECTS or any(c.lower_ in {"a", "an"} for c in two.head.children):
        return None
    for prep in children(two.head, "prep"):
        ends = prep.right_edge.i == two.last and prep.i > two.head.i
        if ends and prep.lower_ in _PLACES:
            return two._replace(last=prep.i - 1)
    return None


def more_than_two(candidate: Candidate) -> str:
    """Doubt a list of which only the ends are exchanged: "Ann, Bob and Carl are friends"."""
    one, two = candidate.reading.arguments
    listed = [t for t in one.head.subtree if t.dep_ == "conj"]
    several = two.head in listed and sum(t.i <= two.head.i for t in listed) > 1
    return "More than two are named: only the first and the last are swapped." if several else ""


def shared_adjectives(candidate: Candidate) -> str:
    """Doubt adjectives that may belong to both."""
    one, two = candidate.reading.arguments
    if two.head not in children(one.head, "conj") or one.first == one.head.left_edge.i:
        return ""
    adjectives = [c for c in children(one.head, "amod") if c.i < one.head.i]
    unclear = len(adjectives) > 1 and not children(two.head, "amod", "det", "poss")
    return "The adjectives may belong to both." if unclear else ""


def other_couple(candidate: Candidate) -> str:
    """Doubt a second clause about two others: "Ann married Bob and Carl married Dora"."""
    if len(candidate.clauses) < 2:
        return ""
    clause = candidate.clauses[1]
    second = find(clause.text[clause.starts[0] :])
    about_two = second is not None and all(is_animate(s.head) for s in second.arguments)
    unchanged = about_two and candidate.mentions < 2
    return "The part about two others is left unchanged." if unchanged else ""


def unchanged_pronoun(candidate: Candidate) -> str:
    """Doubt a "he" or "their" that stays, and may be one of the two: "Before he died, Ann …"."""
    kept = f" {candidate.swap.hypothesis.lower()} "
    arguments = {t.i for s in candidate.reading.arguments for t in s.tokens}
    for token in candidate.reading.doc:
        low = token.lower_
        if low in _THIRD and token.i not in arguments and f" {low} " in kept:
            return f"“{token.text}” may be one of the two."
    return ""


def starts_with_condition(candidate: Candidate) -> str:
    """Doubt a clause before the one that changes: "If my brothers visit you, they will want …"."""
    one = candidate.reading.arguments.subject
    opening = candidate.reading.doc[0]
    fronted = opening.lower_ in _SUBORDINATORS and opening.dep_ in {"mark", "advmod"}
    return "The two may be in the first clause." if fronted and one.first > 0 else ""


def cut_short(candidate: Candidate) -> str:
    """Doubt what follows an object: "a player | from Chennai", "everybody | in town"."""
    two = candidate.reading.arguments.object
    rest = two.head.doc[two.last + 1 :]
    if not len(rest) or rest[0].tag_ != "IN" or two.head.pos_ == "PROPN":
        return ""
    if rest[0].lower_ == "from" or two.head.lower_ in _ANYBODY:
        return f"“{rest[0].text} …” may belong to “{two.tokens.text}”."
    return ""


def quantity(candidate: Candidate) -> str:
    """Doubt a number of things compared: "More people speak Bengali than Danish"."""
    one = candidate.reading.arguments.subject
    amount = one.tokens[0].lower_ in {"more", "fewer", "less"}
    return f"“{one.tokens.text}” is an amount." if amount else ""


def without_owned(candidate: Candidate) -> str:
    """Doubt a possessive without what it owns: "between the butcher's and the bank"."""
    for phrase in candidate.reading.arguments:
        rest = phrase.head.doc[phrase.last + 1 :]
        if phrase.tokens[-1].tag_ == "POS" and len(rest) and rest[0].pos_ == "CCONJ":
            return f"The sentence does not say what belongs to “{phrase.tokens.text}”."
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
    without_verb,
    no_noun,
    holds_a_verb,
    pointing,
    whose,
    attached,
    more_than_two,
    shared_adjectives,
    other_couple,
    unchanged_pronoun,
    starts_with_condition,
    cut_short,
    quantity,
    without_owned,
    misspelt,
)
