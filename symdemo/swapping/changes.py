"""What a hypothesis changes: nothing, places (a swap), the sign (a negation), a thing, or words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from symdemo.pairs import Pair, sentence_key
from symdemo.swapping.comparing import exchanged
from symdemo.swapping.frames import Frames, exchange_places, find_many, locate
from symdemo.swapping.lexicon import NEGATIONS

SAME, SWAPPED, NEGATED, OTHER, TURNED, REWORDED = (
    "the same sentence", "a swap", "a negation", "another thing", "seen from the other side",
    "other words",
)  # fmt: skip


def change_of(premise: str, hypothesis: str) -> str:
    """Return what a hypothesis changes: one of the six names above."""
    return changes_of([Pair(premise, hypothesis)])[0]


def changes_of(pairs: Sequence[Pair]) -> list[str]:
    """Return what each hypothesis changes; a pair is parsed only if its words do not tell."""
    found = [_change_of_words(pair) for pair in pairs]
    left = [pair for pair, name in zip(pairs, found, strict=True) if name is None]
    frames = iter(find_many(left))
    return [name or _change_of_places(next(frames)) for name in found]


def is_swap(pair: Pair) -> bool:
    """True if the hypothesis is the premise with its two arguments exchanged and nothing else."""
    if exchanged(pair.premise, pair.hypothesis).is_swap:
        return True
    found = locate(pair, pair.head, pair.tail) if pair.head and pair.tail else None
    return bool(found and found.hypothesis.lower() == exchange_places(found.premise).lower())


def _change_of_words(pair: Pair) -> str | None:
    """Return one of the first three names, or None for another change."""
    if sentence_key(pair.premise) == sentence_key(pair.hypothesis):
        return SAME
    if is_swap(pair):
        return SWAPPED
    return NEGATED if _says_no(pair.premise) != _says_no(pair.hypothesis) else None


def _change_of_places(found: Frames | None) -> str:
    """Return what a hypothesis changes, where its words alone do not tell."""
    if found is None or not found.has_both:
        return OTHER
    if found.hypothesis == exchange_places(found.premise):  # adjectives, say
        return SWAPPED
    x_first = (f.index("[X]") < f.index("[Y]") for f in (found.premise, found.hypothesis))
    return REWORDED if len(set(x_first)) == 1 else TURNED


def _says_no(text: str) -> bool:
    """True if a sentence has an odd number of words that negate."""
    words = re.findall(r"\w+", text.lower().replace("n’t", "n't").replace("n't", " not"))
    return sum(word in NEGATIONS for word in words) % 2 == 1
