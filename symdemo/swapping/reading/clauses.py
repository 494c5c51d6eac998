"""A sentence cut where the parser goes astray: after an introduction, and between two clauses.

It hangs a sentence on a verb that merely introduces a statement and may then take "Experts" for a
party ("Experts agree that"); a place or time without its comma it joins to the subject ("At the
airport Yusuf"); and two full clauses it reads as a long one at times ("Ann loves Bob, but Bob does
not love Ann."). Each part by itself it reads well.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from symdemo.swapping.reading import lexicon
from symdemo.swapping.reading.phrases import FINITE, subject_of
from symdemo.swapping.reading.pipeline import PIPELINE, parse

if TYPE_CHECKING:
    from spacy.tokens import Doc

# Words that stand right before "that" where a statement follows. Before anything else ("the friend
# that", "such that") it opens a clause about a thing, or points.
_VERBS = """
    know knows knew known say says said agree agrees agreed think thinks thought
    believe believes believed report reports reported show shows showed shown
    confirm confirms confirmed explain explains explained claim claims claimed
    argue argues argued insist insists insisted swear swears swore admit admits admitted
    learn learns learned learnt hear hears heard read reads discover discovers discovered
    find finds found see sees saw notice notices noticed realise realises realised
    realize realizes realized remember remembers remembered recall recalls recalled
    forget forgets forgot deny denies denied doubt doubts doubted dispute disputes disputed
    mention mentions mentioned state states stated prove proves proved
    conclude concludes concluded reveal reveals revealed record records recorded
    write writes wrote written maintain maintains maintained suspect suspects suspected
    assume assumes assumed emerge emerges emerged happens happened goes seems appears
    add adds added note notes noted suggest suggests suggested tell tells told
    remark remarks remarked understand understands understood accept accepts accepted
    announce announces announced testify testifies testified declare declares declared teaches
    turns turned
"""
_ADJECTIVES = """
    true certain clear obvious evident plain sure aware convinced likely possible apparent proud
"""
_STATED = "|".join(f"{_VERBS} {_ADJECTIVES}".split())
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
    """Where a sentence starts and stops between words such as "ugh" and "lol"; None without any."""
    if (match := _CHATTING.fullmatch(sentence)) is None:
        return None
    closing = any(c.isalnum() for c in match["closing"])
    if not (match["opening"] or closing) or len(match["said"].split()) < 3:
        return None
    return match.start("said"), match.start("closing") if closing else len(sentence)


def split_frame(sentence: str) -> tuple[str, str] | None:
    """The introduction, with the space after it, and the statement that follows; None without one.

    Either it ends in "that", or it is a phrase of time or place without a comma.
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


class Halves(NamedTuple):
    """Where the first clause stops and the second starts, and the second as parsed."""

    stop: int
    start: int
    second: Doc


def split_clauses(sentence: str, parser: str = PIPELINE) -> Halves | None:
    """Give the two halves of a sentence that both have a subject and a finite verb."""
    for joint in _CONJUNCTION.finditer(sentence):
        left, right = sentence[: joint.start()], sentence[joint.end() :]
        if len(left.split()) < 3 or len(right.split()) < 2:
            continue
        second = parse(right, parser)
        if _is_clause(parse(left, parser)) and _is_clause(second, at_once=True):
            return Halves(joint.start(), joint.end(), second)
    return None


def _is_clause(doc: Doc, *, at_once: bool = False) -> bool:
    """Whether a text has a subject with its finite verb; `at_once`: it begins with the subject."""
    root = next(doc.sents).root
    subject = subject_of(root)
    if subject is None or subject.i > root.i or subject.tag_ in {"WP", "WDT", "WP$"}:
        return False
    if at_once and subject.left_edge.i > 1:
        return False
    return any(t.tag_ in FINITE for t in [root, *root.children])
