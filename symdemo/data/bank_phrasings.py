"""Phrasings of relations: filled as sentences, compared, and sorted by construction."""

from __future__ import annotations

import re

_PLACE = re.compile(r"\[([XY])\]('s)?")
_PAST = re.compile(r"\b(?:was|were|gave|got|met|had|took|won|lost|\w{2,}ed)\b")
_PRESENT = re.compile(r"\b(?:is|are|has|have|can|cannot|does|do)\b")
_FRAMED = re.compile(
    r",|\d|\b(?:in|on|at|since|last|during|for|until|after|before|when|while|by the|from|never|"
    r"ever|often|always|sometimes|once|ago|times?|same|long|earlier|later|already|will|would)\b"
)

_PASSIVE = re.compile(r"\b(?:is|are|was|were|been|being|got)\s(?:\w+ly\s)?\w+(?:ed|en|t|n|d)\sby\b")
KINDS_OF_PHRASING = ("plain", "joined", "passive", "possessive", "framed")


def fill(phrasing: str, x: str, y: str) -> str:
    """Fill both places of a phrasing; a name that ends in s takes the bare apostrophe."""
    ends = {"X": x, "Y": y}

    def put(match: re.Match[str]) -> str:
        name, possessive = ends[match[1]], match[2] or ""
        return name + ("'" if possessive and name.endswith("s") else possessive)

    return _PLACE.sub(put, phrasing)


def finish(sentence: str, before: str = "", after: str = "") -> str:
    """Make a sentence of a filled phrasing: modifiers around it, a capital at its start."""
    return capitalise(f"{before}{sentence.removesuffix('.')}{after}.")


def capitalise(sentence: str) -> str:
    """Start the sentence with a capital, unless it starts with a variable such as n or x."""
    first = re.split(r"\W", sentence, maxsplit=1)[0]
    article = re.match(r"a \w{2}", sentence)
    return sentence if len(first) == 1 and not article else sentence[:1].upper() + sentence[1:]


def kinds_of(phrasing: str) -> tuple[str, ...]:
    """Return the kinds of modifier that a phrasing can take and still be a good sentence.

    Only a phrasing that begins with [X] or [Y] takes one: its first letter is then right inside a
    sentence too. A frame ("experts agree that") suits all of these, an adverb those without a
    comma. A date or a location needs a past event without a word of time, place or frequency.
    """
    if not phrasing.startswith("["):
        return ()
    if "," in phrasing:
        return ("frame",)
    if _PAST.search(phrasing) and not _PRESENT.search(phrasing) and not _FRAMED.search(phrasing):
        return ("frame", "adverb", "date", "place")
    return ("frame", "adverb")


def phrasing_kind(phrasing: str) -> str:
    """Return the construction of a phrasing, one of `KINDS_OF_PHRASING`.

    `joined` is "[X] and [Y] are cousins"; `framed` does not begin with [X] or [Y], or has a
    comma.
    """
    if re.search(r"\[[XY]\] and \[[XY]\]", phrasing):
        return "joined"
    if _PASSIVE.search(phrasing):
        return "passive"
    if "]'s" in phrasing:
        return "possessive"
    return "framed" if "," in phrasing or not phrasing.startswith("[") else "plain"


def key_of(phrasing: str) -> str:
    """Return a phrasing in lower case without punctuation, for comparison."""
    return " ".join(re.sub(r"[^\w\[\]]+", " ", phrasing.casefold()).split())


def exchanged(key: str) -> str:
    """Return a key with [X] and [Y] exchanged."""
    return key.replace("[x]", "[]").replace("[y]", "[x]").replace("[]", "[y]")


def same_sentence(phrasing: str) -> str:
    """Return a key that ignores case, punctuation, and which place is called [X]."""
    key = key_of(phrasing)
    return min(key, exchanged(key))
