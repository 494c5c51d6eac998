"""The arguments of a pair that other sentences can be made of, and why there are none."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from symdemo.errors import InputError
from symdemo.pairs import Pair
from symdemo.swapping import lexicon, swap
from symdemo.swapping.frames import Frames, exchange_places, locate
from symdemo.swapping.words import POSSESSIVES, is_pronoun

SAME_LABEL = "same"


class Change(NamedTuple):
    """New sentences of a pair and the change in a short sentence.

    `ends` are the new head and tail, None for the old ones; `label` is None if nothing follows from
    the pair's, and by default the same.
    """

    premise: str
    hypothesis: str
    how: str
    ends: tuple[str | None, ...] | None = None
    label: str | None = SAME_LABEL


class NothingToMakeError(Exception):
    """A generator has nothing to return; the message is the reason, for people."""


def find_arguments(pair: Pair) -> Frames:
    """Return head and tail if both sentences contain them, else the arguments of the swap.

    Raises:
        NothingToMakeError: No two arguments, other than pronouns, are in both sentences.
    """
    if re.search(r"\[[XY]\]", pair.premise + pair.hypothesis):
        raise NothingToMakeError("The placeholder of a template is no name to replace.")
    given = locate(pair, pair.head, pair.tail) if pair.head and pair.tail else None
    found = given or _by_swap(pair)
    if _is_part_of_phrase(found):
        raise NothingToMakeError("It is not about two single things.")
    return found


_WORDS = "|".join(sorted(lexicon.DETERMINERS | POSSESSIVES | {"two", "three", "four", "five"}))
_COUNTED = re.compile(rf"\b(?P<word>{_WORDS}) (?P<between>\w+ )?\[(?P<which>[XY])\]", re.IGNORECASE)


def _is_part_of_phrase(frames: Frames) -> bool:
    """True if [X] or [Y] is only part of a noun phrase: "Some [X] are [Y]", "The red [X] is"."""
    for place in _COUNTED.finditer(f"{frames.premise}\n{frames.hypothesis}"):
        name = frames.x if place["which"] == "X" else frames.y
        opening = name.split()[0].lower()
        bare = name.islower() and opening not in lexicon.DETERMINERS | POSSESSIVES
        # "It is true that [X] knows [Y]": before a name "that" is no determiner.
        if bare or (not place["between"] and place["word"].lower() != "that"):
            return True
    return "'s [X]" in f"{frames.premise} {frames.hypothesis}".replace("[Y]", "[X]")


def _by_swap(pair: Pair) -> Frames:
    """Return the arguments that change places in the swap of one of the two sentences."""
    ways = [*_readings(pair.premise), *((y, x) for x, y in _readings(pair.hypothesis))]
    if not ways:
        raise NothingToMakeError("Its subject and object were not found.")
    # "collided head-on with": one word with a hyphen and no article names nothing.
    ways = [way for way in ways if not any(re.fullmatch(r"[a-z]+-[a-z]+", name) for name in way)]
    named = [way for way in ways if not any(map(is_pronoun, way))]
    if not named:
        raise NothingToMakeError("A pronoun is no name to replace.")
    found = (locate(pair, *way) for way in dict.fromkeys(named) if "," not in "".join(way))
    located = [way for way in found if way is not None and _change_places(way)]
    if not located:
        raise NothingToMakeError("The two sentences are not about the same two things.")
    exact = (way for way in located if way.hypothesis == exchange_places(way.premise))
    return next(exact, located[0])


def _change_places(frames: Frames) -> bool:
    """True if the hypothesis has [X] and [Y] in each other's places."""
    order = [re.findall(r"\[[XY]\]", frame) for frame in (frames.premise, frames.hypothesis)]
    return re.findall(r"\[[XY]\]", exchange_places("".join(order[0]))) == order[1]


@lru_cache(maxsize=64)  # several kinds ask for the same sentences
def _readings(sentence: str) -> tuple[tuple[str, str], ...]:
    """Return subject and object of a sentence in each reading of its swap."""
    try:
        found = swap(sentence)
    except InputError:
        return ()
    return tuple((way.subject, way.object) for way in (found, *found.others))
