"""The two arguments of a pair, and both sentences as frames with [X] and [Y] for them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from symdemo.data.bank_phrasings import fill
from symdemo.errors import InputError
from symdemo.pairs import Pair
from symdemo.swapping import lexicon, swap
from symdemo.swapping.exchange import capitalise
from symdemo.swapping.words import POSSESSIVES, is_pronoun

_ARTICLES = ("the ", "a ", "an ")
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


@dataclass(frozen=True)
class ArgumentFrames:
    """Two arguments as they occur inside a sentence, and the frames of premise and hypothesis.

    Frames have [X] for every `x` and [Y] for every `y`, followed by 's for any possessive ending.
    `capital` is False if the premise begins with a lower-case letter.
    """

    x: str
    y: str
    premise: str
    hypothesis: str
    capital: bool = True

    def fill(self, x: str, y: str) -> tuple[str, str]:
        """Return premise and hypothesis with other entities, capitalised like the original."""
        texts = [fill(frame, x, y) for frame in (self.premise, self.hypothesis)]
        premise, hypothesis = map(capitalise, texts) if self.capital else texts
        return premise, hypothesis


def exchange_places(frame: str) -> str:
    """Return a frame with [X] and [Y] exchanged."""
    return re.sub(r"\[([XY])\]", lambda place: "[Y]" if place[1] == "X" else "[X]", frame)


def find_arguments(pair: Pair) -> ArgumentFrames:
    """Return head and tail if both sentences contain them, else the arguments of the swap.

    Raises:
        NothingToMakeError: No two arguments, other than pronouns, are in both sentences.
    """
    if re.search(r"\[[XY]\]", pair.premise + pair.hypothesis):
        raise NothingToMakeError("The placeholder of a template is no name to replace.")
    ways = [(pair.head, pair.tail)] if pair.head and pair.tail else []
    found = next(filter(None, (locate(pair, *way) for way in ways)), None) or _by_swap(pair)
    if _is_part_of_phrase(found):
        raise NothingToMakeError("It is not about two single things.")
    return found


_WORDS = "|".join(sorted(lexicon.DETERMINERS | POSSESSIVES | {"two", "three", "four", "five"}))
_COUNTED = re.compile(rf"\b(?P<word>{_WORDS}) (?P<between>\w+ )?\[(?P<which>[XY])\]", re.IGNORECASE)


def _is_part_of_phrase(frames: ArgumentFrames) -> bool:
    """True if [X] or [Y] is only part of a noun phrase: "Some [X] are [Y]", "The red [X] is"."""
    for place in _COUNTED.finditer(f"{frames.premise}\n{frames.hypothesis}"):
        name = frames.x if place["which"] == "X" else frames.y
        opening = name.split()[0].lower()
        bare = name.islower() and opening not in lexicon.DETERMINERS | POSSESSIVES
        # "It is true that [X] knows [Y]": before a name "that" is no determiner.
        if bare or (not place["between"] and place["word"].lower() != "that"):
            return True
    return "'s [X]" in f"{frames.premise} {frames.hypothesis}".replace("[Y]", "[X]")


def _by_swap(pair: Pair) -> ArgumentFrames:
    """Return the arguments that change places in the swap of one of the two sentences."""
    ways = [*_swapped(pair.premise), *((y, x) for x, y in _swapped(pair.hypothesis))]
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


def _change_places(frames: ArgumentFrames) -> bool:
    """True if the hypothesis has [X] and [Y] in each other's places."""
    order = [re.findall(r"\[[XY]\]", frame) for frame in (frames.premise, frames.hypothesis)]
    return re.findall(r"\[[XY]\]", exchange_places("".join(order[0]))) == order[1]


@lru_cache(maxsize=64)  # several kinds ask for the same sentences
def _swapped(sentence: str) -> tuple[tuple[str, str], ...]:
    """Return subject and object of a sentence in each of its readings."""
    try:
        read = swap(sentence)
    except InputError:
        return ()
    return tuple((way.subject, way.object) for way in (read, *read.others))


def locate(pair: Pair, x: str, y: str) -> ArgumentFrames | None:
    """Return frames with the two arguments marked, or None if a sentence lacks one."""
    x, y = x.strip(), y.strip()
    if not x or not y or x.casefold() == y.casefold():
        return None
    sentences = (pair.premise, pair.hypothesis)
    x, y = (_with_article(name, sentences) for name in (x, y))
    places = [_places(sentence, x, y) for sentence in sentences]
    if any({which for _, _, which in found} != {"X", "Y"} for found in places):
        return None
    frames = [_mark(sentence, found) for sentence, found in zip(sentences, places, strict=True)]
    named = {"X": x, "Y": y}
    for which, name in named.items():
        inside = [
            sentence[start:stop]
            for sentence, found in zip(sentences, places, strict=True)
            for start, stop, whose in found
            if whose == which and any(c.isalnum() for c in sentence[:start])
        ]
        named[which] = inside[0] if inside else name
    first = next((c for c in pair.premise if c.isalnum()), "")
    return ArgumentFrames(named["X"], named["Y"], frames[0], frames[1], not first.islower())


def _pattern(name: str) -> str:
    """Return an expression for a name as whole words, with its first letter in either case."""
    first = name[0]
    start = f"(?:{re.escape(first.lower())}|{re.escape(first.upper())})"
    left = r"(?<!\w)" if first.isalnum() else ""
    right = r"(?!\w)" if name[-1].isalnum() else ""
    return left + start + re.escape(name[1:]) + right


def _places(sentence: str, x: str, y: str) -> list[tuple[int, int, str]]:
    """Return start, stop and X or Y of every occurrence; the longer name takes precedence."""
    which = dict(sorted({"X": x, "Y": y}.items(), key=lambda item: -len(item[1])))
    pattern = "|".join(f"(?P<{key}>{_pattern(name)})" for key, name in which.items())
    found = re.finditer(pattern, sentence)
    return [(match.start(), match.end(), str(match.lastgroup)) for match in found]


def _with_article(name: str, sentences: tuple[str, str]) -> str:
    """Return a name with its article if every occurrence has the same: "dog", "the dog"."""
    if name.casefold().startswith(_ARTICLES):
        return name
    before = [
        sentence[: match.start()].casefold()
        for sentence in sentences
        for match in re.finditer(_pattern(name), sentence)
    ]
    for article in _ARTICLES:
        if before and all(re.search(rf"(?<!\w){article}$", text) for text in before):
            return article + name
    return name


def _mark(sentence: str, places: list[tuple[int, int, str]]) -> str:
    """Replace arguments by [X] and [Y], and possessive endings by 's."""
    frame, end = "", 0
    for start, stop, which in places:
        ending = re.match(
            r"['’]s\b" if not sentence[:stop].endswith("s") else r"['’]s?(?!\w)", sentence[stop:]
        )
        frame += f"{sentence[end:start]}[{which}]" + ("'s" if ending else "")
        end = stop + (ending.end() if ending else 0)
    return frame + sentence[end:]
