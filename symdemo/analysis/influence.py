"""How much each word of a pair weighs: the verdict once more without it (occlusion).

The words are left out one at a time, as by Li, Monroe and Jurafsky (2016), “Understanding neural
networks through representation erasure”. A word that stands as often in both sentences is left out
of both at once, so that what is asked is still a sentence and its swap.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from symdemo.classifier.prediction import Prediction
from symdemo.errors import InputError
from symdemo.pairs import Pair, check_pair
from symdemo.swapping.exchange import capitalise
from symdemo.swapping.swaps import words_of

MOST_WORDS = 60
"""Words that are asked about at most; a longer pair gives as many, from its beginning."""

Side = Literal["premise", "hypothesis", "both"]


class Judge(Protocol):
    """What answers: a `SymmetryClassifier`, or a fake in tests."""

    def check(self, pair: Pair) -> Pair:
        """The pair tidied, or an `InputError`."""

    def predict(self, pairs: Sequence[Pair]) -> Sequence[Prediction]:
        """One verdict a pair, in order."""


@dataclass(frozen=True, slots=True)
class WordInfluence:
    """What one word does to a verdict.

    Attributes:
        side: the sentence that it stands in; both where it is as often in the one as in the other,
            and is then left out of both at once.
        premise_places: the numbers of its words in the premise, as `words_of` counts them.
        hypothesis_places: the same in the hypothesis.
        word: as it first stands there, without punctuation around it or 's behind it.
        change: share of the original verdict with the word minus the share without it, in [-1, 1];
            None where the rest cannot be judged.
        label: the verdict without the word; None where the rest cannot be judged.
    """

    side: Side
    premise_places: tuple[int, ...]
    hypothesis_places: tuple[int, ...]
    word: str
    change: float | None
    label: str | None


def word_influence(classifier: Judge, pair: Pair) -> list[WordInfluence]:
    """The influence of each word of premise and hypothesis, in the order in which they stand.

    Args:
        classifier: is asked once, for the pair and all that is left of it without each word.
        pair: as the classifier's `check` accepts it.

    Returns:
        One for each different word of the premise, then for those of the hypothesis alone. The list
        is cut at `MOST_WORDS`: what stands beyond is not asked. Words are the same whatever their
        case, and with or without 's: “Ann” and “Ann's”; not so “border” and “borders”.

    Raises:
        InputError: a pair that cannot be judged.
    """
    pair = classifier.check(check_pair(pair))
    words = _words(pair)[:MOST_WORDS]
    rests = [_judgeable(classifier, _without(pair, word)) for word in words]
    asked = [rest for rest in rests if rest is not None]
    original, *answers = classifier.predict([pair, *asked])
    whole = original.probabilities[original.label]
    answer = iter(answers)
    found = []
    for word, rest in zip(words, rests, strict=True):
        if rest is None:
            found.append(word)
            continue
        without = next(answer)
        change = whole - without.probabilities.get(original.label, 0.0)
        found.append(
            WordInfluence(
                word.side, word.premise_places, word.hypothesis_places, word.word, change,
                without.label,
            )
        )  # fmt: skip
    return found


def _words(pair: Pair) -> list[WordInfluence]:
    """Each different word with its places, nothing known of its influence yet."""
    texts = [words_of(text) for text in (pair.premise, pair.hypothesis)]
    places = [_places(words) for words in texts]
    of_premise, of_hypothesis = [], []
    for key in dict.fromkeys([*places[0], *places[1]]):
        first, second = (tuple(own.get(key, ())) for own in places)
        if len(first) == len(second):
            word = _core(texts[0][first[0]])
            of_premise.append(WordInfluence("both", first, second, word, None, None))
            continue
        if first:
            word = _core(texts[0][first[0]])
            of_premise.append(WordInfluence("premise", first, (), word, None, None))
        if second:
            word = _core(texts[1][second[0]])
            of_hypothesis.append(WordInfluence("hypothesis", (), second, word, None, None))
    of_hypothesis.sort(key=lambda one: one.hypothesis_places)
    return of_premise + of_hypothesis


def _places(words: Sequence[str]) -> dict[str, list[int]]:
    """Word → where it stands; what holds no letter or digit is no word."""
    found: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        if core := _core(word):
            found.setdefault(core.casefold(), []).append(place)
    return found


def _core(word: str) -> str:
    """A word without the punctuation around it and the 's behind it."""
    bare = re.sub(r"^[^\w]+|[^\w]+$", "", word)
    return re.sub(r"(?<=\w)['’]s$", "", bare)


def _without(pair: Pair, word: WordInfluence) -> Pair:
    """The pair without the words of some places."""
    return Pair(
        _left(pair.premise, word.premise_places), _left(pair.hypothesis, word.hypothesis_places)
    )


def _left(sentence: str, places: Sequence[int]) -> str:
    """A sentence without some of its words; the punctuation behind the last of them stays.

    A capital goes over to the word that is the first now, so that the case tells nothing.
    """
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


def _judgeable(classifier: Judge, pair: Pair) -> Pair | None:
    """The pair tidied, or None where too little is left of it, or two equal sentences."""
    try:
        return classifier.check(pair)
    except InputError:
        return None
