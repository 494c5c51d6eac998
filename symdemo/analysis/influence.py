"""Word influence: the change of a verdict without each word of a pair (occlusion).

Words are removed one at a time, as by Li, Monroe and Jurafsky (2016), “Understanding neural
networks through representation erasure”. A word of both sentences is removed from both, so that
what is left is still a sentence and its swap.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal

from symdemo.classifier import SymmetryClassifier
from symdemo.errors import InputError
from symdemo.pairs import Pair, check_pair
from symdemo.swapping.lexicon import capitalise
from symdemo.swapping.swaps import words_of

MOST_WORDS = 60  # words per pair; those after them are ignored
Side = Literal["premise", "hypothesis", "both"]


@dataclass(frozen=True, slots=True)
class WordInfluence:
    """The effect of one word on a verdict."""

    side: Side  # the sentence that contains it, or both
    premise_places: tuple[int, ...]  # its positions in the premise, as `words_of` counts words
    hypothesis_places: tuple[int, ...]  # its positions in the hypothesis
    word: str  # its first occurrence, without punctuation or 's
    change: float | None = None
    """Probability of the original verdict with the word minus that without it, in [-1, 1]; None if
    the rest cannot be read or is not judged."""
    label: str | None = None  # the verdict without the word; None likewise


def word_influence(classifier: SymmetryClassifier, pair: Pair) -> list[WordInfluence]:
    """Return the influence of each distinct word: of the premise, then only in the hypothesis.

    At most `MOST_WORDS` are returned; the classifier is called once. Case and 's are ignored: “Ann”
    and “Ann's” are one word, “border” and “borders” are not. `InputError` if the pair cannot be
    read, or the model does not judge it.
    """
    pair = classifier.check(check_pair(pair))
    words = _words(pair)[:MOST_WORDS]
    rests: dict[int, Pair] = {}
    for number, word in enumerate(words):
        premise = _remove(pair.premise, word.premise_places)
        hypothesis = _remove(pair.hypothesis, word.hypothesis_places)
        with suppress(InputError):  # too little is left
            rests[number] = classifier.check(Pair(premise, hypothesis))
    original, *answers = classifier.predict([pair, *rests.values()])
    if not original.judged:
        raise InputError("The model does not judge this pair, so no word speaks for a verdict.")
    for number, answer in zip(rests, answers, strict=True):
        if answer.judged:
            without = answer.probabilities.get(original.label, 0.0)
            change = original.probabilities[original.label] - without
            words[number] = replace(words[number], change=change, label=answer.label)
    return words


def _words(pair: Pair) -> list[WordInfluence]:
    """Return each distinct word with its places, its influence still unknown."""
    first_of: dict[str, str] = {}
    places: dict[str, tuple[list[int], list[int]]] = {}
    for number, text in enumerate((pair.premise, pair.hypothesis)):
        for place, word in enumerate(map(_core, words_of(text))):
            if word:  # punctuation alone is no word
                first_of.setdefault(word.casefold(), word)
                places.setdefault(word.casefold(), ([], []))[number].append(place)
    found = []
    for key, (first, second) in places.items():
        side: Side = "both" if first and second else "premise" if first else "hypothesis"
        found.append(WordInfluence(side, tuple(first), tuple(second), first_of[key]))
    return found


def _core(word: str) -> str:
    """Return a word without punctuation and without 's."""
    bare = re.sub(r"^[^\w]+|[^\w]+$", "", word)
    return re.sub(r"(?<=\w)['’]s$", "", bare)


def _remove(sentence: str, places: Sequence[int]) -> str:
    """Return a sentence without some words, with its final punctuation and its capital."""
    if not places:
        return sentence
    left: list[str] = []
    for place, word in enumerate(words_of(sentence)):
        if place not in places:
            left.append(word)
        elif left and (end := re.search(r"[.,;:!?]+$", word)) and not left[-1].endswith(end[0]):
            left[-1] = left[-1].rstrip(",;:") + end[0]
    text = " ".join(left)
    return capitalise(text) if sentence[:1].isupper() else text
