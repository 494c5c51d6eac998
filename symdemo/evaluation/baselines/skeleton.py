"""How a sentence is built: its function words, with both entities and every content word masked.

What counts as a function word is the list here and nothing else: the closed classes of English, as
grammars give them (Quirk et al. 1985, sections 2.34 to 2.40). A word that is on no list is masked,
whatever it is; one that is on a list stays, whatever it does in the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from symdemo.errors import InputError
from symdemo.pairs import Pair

FUNCTION_WORDS_BY_CLASS: Mapping[str, frozenset[str]] = {
    name: frozenset(words.split())
    for name, words in {
        "determiner": "a an the this that these those each every either neither some any no all "
        "both half such what which whose another other enough much many more most few fewer fewest "
        "little less least several own same",
        "pronoun": "i you he she it we they me him her us them my your his its our their mine "
        "yours hers ours theirs myself yourself himself herself itself ourselves yourselves "
        "themselves who whom one ones someone somebody something anyone anybody anything "
        "everyone everybody everything nobody nothing none there",
        "preposition": "about above across after against along alongside amid among amongst around "
        "as at atop before behind below beneath beside besides between beyond by despite down "
        "during except for from in inside into like near next of off on onto opposite out outside "
        "over past per since than through throughout till to toward towards under underneath "
        "unlike until up upon via with within without",
        "conjunction": "and but or nor so yet if because although though while whereas whether "
        "unless once when whenever where wherever how why",
        "auxiliary": "am is are was were be been being has have had having do does did doing done "
        "can could may might must shall should will would cannot isn't aren't wasn't weren't "
        "hasn't haven't hadn't doesn't don't didn't can't couldn't won't wouldn't shouldn't",
        "particle": "not n't away back together apart ahead aside too also only even just again "
        "ever never very",
    }.items()
}
FUNCTION_WORDS = frozenset().union(*FUNCTION_WORDS_BY_CLASS.values())

PLACE, CONTENT = "[e]", "_"
"""Stand for an entity, whether it is the head or the tail, and for words that are masked."""

_ANY_PLACE = re.compile(r"\[(?:x|y|e)\]")
_TOKEN = re.compile(r"\[e\]|,|'s\b|'|[^\W_]+(?:['-][^\W_]+)*")


def skeleton(text: str) -> str:
    """“[X] was founded by the parents of [Y].” → “[e] was _ by the _ of [e]”.

    Words that are masked side by side are one mark: how many there are says little of a
    construction, and without it more sentences are built alike.

    Args:
        text: a phrasing with its places, or what `masked` gives.
    """
    kept: list[str] = []
    for token in tokens(text):
        mark = token if token in FUNCTION_WORDS or token in {PLACE, ",", "'s"} else CONTENT
        if mark != CONTENT or kept[-1:] != [CONTENT]:
            kept.append(mark)
    return " ".join(kept)


def tokens(text: str) -> list[str]:
    """“[X] is [Y]'s mother.” → [e], is, [e], 's, mother: words, places, possessives and commas."""
    found = _TOKEN.findall(_ANY_PLACE.sub(PLACE, text.casefold().replace("’", "'")))
    return ["'s" if token == "'" else token for token in found]


def masked(pair: Pair) -> str:
    """The premise, case-folded, with the mark of a place where head and tail stand.

    Both get the same mark, since which of them a phrasing begins with says something of its label.

    Raises:
        InputError: the pair names no head and tail, or its premise lacks one.
    """
    text = pair.premise.casefold()
    ends = [end.casefold() for end in (pair.head, pair.tail) if end]
    if len(ends) < 2:
        raise InputError(f"“{pair.premise}” names no head and tail; both are expected.")
    for end in sorted(ends, key=len, reverse=True):  # "the nurse's son" before "the nurse"
        place = _find_word(text, end)
        if place < 0:
            raise InputError(f"“{end}” does not stand in “{pair.premise}”; head and tail should.")
        text = f"{text[:place]}{PLACE}{text[place + len(end) :]}"
    return text


def _find_word(text: str, end: str) -> int:
    """Where `end` stands in `text` with no letter or digit beside it; −1 where it does not."""
    place = text.find(end)
    while place >= 0:
        around = text[place - 1 : place], text[place + len(end) : place + len(end) + 1]
        if not any(sign.isalnum() for sign in around):
            return place
        place = text.find(end, place + 1)
    return -1
