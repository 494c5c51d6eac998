"""What a phrasing of the relation bank is like: as a sentence, with modifiers, by construction."""

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
    """`phrasing` with both places filled; the case of its first letter stays as it falls.

    A name that ends in s takes the bare apostrophe, as a plural must ("the miners' dispute").
    """
    ends = {"X": x, "Y": y}

    def put(match: re.Match[str]) -> str:
        name, possessive = ends[match[1]], match[2] or ""
        return name + ("'" if possessive and name.endswith("s") else possessive)

    return _PLACE.sub(put, phrasing)


def finish(sentence: str, before: str = "", after: str = "") -> str:
    """A filled phrasing made a sentence: modifiers around it, a capital at its start."""
    return capitalise(f"{before}{sentence.removesuffix('.')}{after}.")


def capitalise(sentence: str) -> str:
    """`sentence` with a capital at its start, unless it starts with a variable such as n or x."""
    first = re.split(r"\W", sentence, maxsplit=1)[0]
    article = re.match(r"a \w{2}", sentence)
    return sentence if len(first) == 1 and not article else sentence[:1].upper() + sentence[1:]


def kinds_of(phrasing: str) -> tuple[str, ...]:
    """The kinds of modifier that `phrasing` can take and still be a good sentence.

    Only a phrasing that opens with a place takes one, for its first letter is then right inside a
    sentence too. A frame ("experts agree that") suits each of them, an adverb those without a
    clause of their own. A date or a place needs, further, one finished event with no word of time,
    place or frequency in it yet.
    """
    if not phrasing.startswith("["):
        return ()
    if "," in phrasing:
        return ("frame",)
    if _PAST.search(phrasing) and not _PRESENT.search(phrasing) and not _FRAMED.search(phrasing):
        return ("frame", "adverb", "date", "place")
    return ("frame", "adverb")


def phrasing_kind(phrasing: str) -> str:
    """Its construction, one of `KINDS_OF_PHRASING`.

    `joined` is "[X] and [Y] are cousins"; `framed` begins with something other than a place, or
    holds a clause of its own.
    """
    if re.search(r"\[[XY]\] and \[[XY]\]", phrasing):
        return "joined"
    if _PASSIVE.search(phrasing):
        return "passive"
    if "]'s" in phrasing:
        return "possessive"
    return "framed" if "," in phrasing or not phrasing.startswith("[") else "plain"
