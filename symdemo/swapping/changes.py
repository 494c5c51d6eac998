"""What a hypothesis changes: nothing, places (a swap), the sign (a negation), a thing, or words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from symdemo.pairs import Pair, sentence_key
from symdemo.swapping import lexicon
from symdemo.swapping.comparing import exchanged
from symdemo.swapping.frames import Frames, exchange_places, find_many, locate
from symdemo.swapping.lexicon import AUXILIARIES, CLOSED_CLASS, NEGATIONS
from symdemo.swapping.parsing import parse

SAME, SWAPPED, NEGATED, OTHER, MORE, TURNED, REWORDED = (
    "the same sentence", "a swap", "a negation", "another thing", "more is said",
    "seen from the other side", "other words",
)  # fmt: skip


def change_of(premise: str, hypothesis: str) -> str:
    """Return what a hypothesis changes: one of the seven names above."""
    return changes_of([Pair(premise, hypothesis)])[0]


def changes_of(pairs: Sequence[Pair]) -> list[str]:
    """Return what each hypothesis changes; a pair is parsed only if its words do not tell."""
    found = [_change_of_words(pair) for pair in pairs]
    left = [pair for pair, name in zip(pairs, found, strict=True) if name is None]
    others = map(_change_of_places, (pair.premise for pair in left), find_many(left))
    return [name or next(others) for name in found]


def is_swap(pair: Pair) -> bool:
    """True if the hypothesis is the premise with its two arguments exchanged and nothing else."""
    if exchanged(pair.premise, pair.hypothesis).is_swap:
        return True
    found = locate(pair, pair.head, pair.tail) if pair.head and pair.tail else None
    return bool(found and found.hypothesis.lower() == exchange_places(found.premise).lower())


def cannot_follow(pairs: Sequence[Pair]) -> list[bool]:
    """Return True for each pair whose words alone rule out entailment.

    The hypothesis names another thing ("Ann met Bob." → "Ann met Eve."), or repeats what the
    premise says of both things and adds to it ("Ann met Bob in Rome."). Such a pair may still be a
    contradiction.
    """
    found = zip(pairs, find_many(pairs), strict=True)
    return [f is not None and (_names_another(f) or _says_more(p.premise, f)) for p, f in found]


def _names_another(frames: Frames) -> bool:
    words = {*_words(frames.hypothesis)}
    return not frames.has_both and frames.replaces_one and not words & _ANY


def _says_more(premise: str, frames: Frames) -> bool:
    """True if the hypothesis repeats the premise's verb and both things, and adds content words.

    False if a sentence is negated, or if the added words open a clause or a bound.
    """
    one, two = (_content(frame) for frame in (frames.premise, frames.hypothesis))
    if {*one, *two} & NEGATIONS or not frames.has_both:
        return False
    # Compare four letters of each word, so that "crosses" matches "crossed".
    known, starts = ([word[:4] for word in words] for words in (one, two))
    same = SequenceMatcher(None, known, starts, autojunk=False).find_longest_match()
    shared = one[same.a : same.a + same.size]
    if not {"[x]", "[y]"} <= {*shared}:
        return False
    rest = _telling(word for word in one if word not in shared)
    verb = next(token.lower_ for token in parse(premise) if token.dep_ == "ROOT")
    if verb in AUXILIARIES:  # "is part of": repeat all of it
        said = bool(_telling(shared)) and not rest
    else:
        said = verb[:4] in known[same.a : same.a + same.size]
    # Words in front add something as in "In Rome", but not as in "It is true that".
    around = two[: same.b] if two[0] in lexicon.PREPOSITIONS else []
    around += two[same.b + same.size :]
    new = any(word[:4] not in known for word in _telling(around))
    return said and new and not {*around} & _OPENING


def _telling(words: Iterable[str]) -> list[str]:
    return [word for word in words if word not in CLOSED_CLASS and not word.startswith("[")]


_OPENING = lexicon.word_set("that if whether as like least most")
"""Words that open a clause or a bound; what they add may still follow, as in "at least once"."""
_LIGHT = (
    lexicon.DETERMINERS | lexicon.POSSESSIVES | AUXILIARIES
    | lexicon.word_set("s also already both just now once still then today too")
) - NEGATIONS - _OPENING  # fmt: skip
"""Words left out of comparisons, since they add nothing to what a sentence says of two things."""
_ANY = lexicon.word_set("another some somebody someone something")


def _content(frame: str) -> list[str]:
    return [word for word in _words(frame) if word not in _LIGHT]


def _words(text: str) -> list[str]:
    """Return [x], [y] and words in lower case, "n't" as "not"."""
    plain = text.lower().replace("n’t", " not").replace("n't", " not")
    return re.findall(r"\[[xy]\]|\w+", plain)


def _change_of_words(pair: Pair) -> str | None:
    """Return one of the first three names, or None for another change."""
    if sentence_key(pair.premise) == sentence_key(pair.hypothesis):
        return SAME
    if is_swap(pair):
        return SWAPPED
    return NEGATED if _says_no(pair.premise) != _says_no(pair.hypothesis) else None


def _change_of_places(premise: str, found: Frames | None) -> str:
    """Return what a hypothesis changes, where its words alone do not tell."""
    if found is None or not found.has_both:
        return OTHER
    if found.hypothesis == exchange_places(found.premise):  # adjectives, say
        return SWAPPED
    if _says_more(premise, found):
        return MORE
    x_first = (f.index("[X]") < f.index("[Y]") for f in (found.premise, found.hypothesis))
    return REWORDED if len(set(x_first)) == 1 else TURNED


def _says_no(text: str) -> bool:
    """True if a sentence has an odd number of words that negate."""
    return sum(word in NEGATIONS for word in _words(text)) % 2 == 1
