"""The arguments of a pair that other sentences can be made of, and why there are none."""

from __future__ import annotations

import re
from typing import NamedTuple

from symdemo.pairs import Pair
from symdemo.swapping import lexicon
from symdemo.swapping.frames import Frames, find_frames
from symdemo.swapping.lexicon import POSSESSIVES, is_pronoun

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
    found = find_frames(pair)
    if found is None or not found.has_both:
        raise NothingToMakeError("Its subject and object were not found in both sentences.")
    if is_pronoun(found.x) or is_pronoun(found.y):
        raise NothingToMakeError("A pronoun is no name to replace.")
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
