"""From a sentence to a verdict: the one path that the page, the endpoint and the command line take.

A sentence is read and swapped (`read`), and the pair is judged (`ask`). What speaks against relying
on the verdict is collected on the way, and stays with the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from symdemo.errors import InputError
from symdemo.jobs.deadline import check_time
from symdemo.pairs import Pair, check_sentence

if TYPE_CHECKING:
    from symdemo.classifier.prediction import Prediction
    from symdemo.classifier.symmetry import SymmetryClassifier
    from symdemo.swapping import Swap

SURE = 0.8
"""A verdict with a smaller share than this is called unsure."""

UNFAMILIAR = "This is unlike anything the model was taught."


@dataclass(frozen=True)
class Question:
    """The pair to judge for a sentence, and how it came about.

    Attributes:
        sentence: as it was given, tidied.
        pair: the sentence that was read, and its swapped form.
        swap: what changed places; None where the swapped form was given and is none of ours.
        difference: what a given swapped form changes beside the places; empty for a mere swap.
    """

    sentence: str
    pair: Pair
    swap: Swap | None = None
    difference: str = ""

    @property
    def is_swap(self) -> bool:
        """Whether the two sentences differ by an exchange of the two parties alone."""
        return not self.difference


@dataclass(frozen=True)
class Answer:
    """A question and the verdict on it."""

    question: Question
    prediction: Prediction

    @property
    def share(self) -> float:
        """The share of the verdict's own label."""
        return self.prediction.probabilities[self.prediction.label]

    @property
    def in_scope(self) -> bool:
        """Whether the model was taught pairs of this kind, so that its verdict means something.

        What is no mere swap is judged only where the nearest taught pair is none either: then
        somebody taught the model such pairs.
        """
        if self.question.is_swap:
            return True
        from symdemo.swapping import exchanged

        return any(
            not exchanged(near.pair.premise, near.pair.hypothesis).is_swap
            for near in self.prediction.neighbours[:1]
        )

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why not to rely on the verdict, in plain sentences; empty where nothing speaks against.

        Doubts about the swap come first: a verdict on another pair than was meant is no answer.
        """
        found = list(self.question.swap.doubts) if self.question.swap else []
        if self.question.difference:
            found.append(self.question.difference)
        if self.prediction.familiar is False:
            found.append(UNFAMILIAR)
        return tuple(found)

    @property
    def sure(self) -> bool:
        """Whether the verdict is shown as certain."""
        return not self.doubts and self.share >= SURE

    def to_json(self) -> dict[str, Any]:
        """The verdict with its grounds and its doubts as JSON values."""
        question, swap = self.question, self.question.swap
        return self.prediction.to_json() | {
            "sentence": question.sentence,
            "is_swap": question.is_swap,
            "in_scope": self.in_scope,
            "sure": self.sure,
            "doubts": list(self.doubts),
            "note": swap.note if swap else "",
            "other_swaps": [other.hypothesis for other in swap.others] if swap else [],
        }


@lru_cache(maxsize=512)
def find_swap(sentence: str) -> Swap:
    """`symdemo.swap`, remembered: marking, answering and comparing ask for the same sentence.

    Raises:
        InputError: no subject and object were found.
    """
    from symdemo.swapping import swap

    return swap(sentence)


def read(sentence: str, hypothesis: str | None = None) -> Question:
    """The pair to judge: the sentence and its swapped form, or the one that is given.

    Raises:
        InputError: a sentence that cannot be read, or in which no two parties were found.
    """
    check_time()
    sentence = check_sentence(sentence)
    if not (hypothesis or "").strip():
        swap = find_swap(sentence)
        return Question(sentence, Pair(swap.premise, swap.hypothesis), swap)
    hypothesis = check_sentence(hypothesis, "swapped sentence")
    candidates = [swap for swap in _swaps(sentence) if _alike(swap.hypothesis, hypothesis)]
    if candidates:  # one of ours, chosen by hand: no doubt is left about which swap was meant
        return of_swap(sentence, candidates[0])
    from symdemo.swapping import exchanged

    found = exchanged(sentence, hypothesis)
    difference = "" if found.is_swap else found.difference or "More than the places changed."
    return Question(sentence, Pair(sentence, hypothesis), None, difference)


def of_swap(sentence: str, swap: Swap) -> Question:
    """The question about a swap that a person chose, free of doubts about which one was meant."""
    chosen = replace(swap, doubts=(), others=())
    return Question(sentence, Pair(swap.premise, swap.hypothesis), chosen)


def _swaps(sentence: str) -> list[Swap]:
    """Our own candidates for the swap of a sentence, the likeliest first."""
    try:
        swap = find_swap(sentence)
    except InputError:
        return []
    return [swap, *swap.others]


def _alike(one: str, other: str) -> bool:
    return " ".join(one.split()).rstrip(".") == " ".join(other.split()).rstrip(".")


def ask(
    classifier: SymmetryClassifier, questions: Sequence[Question], k: int | None = None
) -> list[Answer]:
    """Verdicts on questions, in order.

    Raises:
        InputError: a pair that the encoder cannot read.
        ModelError: nothing was taught yet.
    """
    predictions = classifier.predict([question.pair for question in questions], k=k)
    return [Answer(*both) for both in zip(questions, predictions, strict=True)]
