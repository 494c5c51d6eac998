"""From a sentence to a verdict, for the page, the API and the command line.

`read` makes a question of a sentence and its swap, or of a sentence and any other about the same
two things, and `ask` predicts it. Reasons not to rely on the verdict are kept with the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from symdemo.classifier.checkpoints import SHIPPED
from symdemo.errors import InputError, ModelError
from symdemo.jobs.deadline import check_time
from symdemo.pairs import ENTAILMENT, Pair, check_sentence, sentence_key

if TYPE_CHECKING:
    from symdemo.classifier.prediction import Prediction
    from symdemo.classifier.symmetry import SymmetryClassifier
    from symdemo.swapping import Swap

SURE = 0.8
"""Verdicts with a smaller share are called unsure."""

UNFAMILIAR = "This is unlike anything the model was taught."
NOT_OUR_KIND = (
    "No verdict: both sentences must be short, and at most one of the two things may differ."
)
ONLY_SWAPS = "This model was taught swaps only; the model “pairs” judges others."


@dataclass(frozen=True)
class Question:
    """The pair to predict for a sentence, and how it was made."""

    sentence: str  # as given, tidied
    pair: Pair  # the sentence as it was read, and the second one: its swap unless another was given
    swap: Swap | None = None  # None if the second sentence was given and is not one of ours
    difference: str = ""  # what a given second sentence changes besides the order

    @property
    def changes_nothing(self) -> bool:
        """True if the second sentence is the first one again: “Electrons repel electrons.”"""
        return sentence_key(self.pair.premise) == sentence_key(self.pair.hypothesis)

    @property
    def is_swap(self) -> bool:
        """True if the two sentences differ only by exchanging the two arguments."""
        return not self.difference

    @cached_property
    def change(self) -> str:
        """The kind of change in the second sentence: one of the names in `swapping.changes`."""
        from symdemo.swapping.changes import SWAPPED, change_of

        return SWAPPED if self.is_swap else change_of(self.pair.premise, self.pair.hypothesis)


@dataclass(frozen=True)
class Answer:
    """A question with its verdict."""

    question: Question
    prediction: Prediction
    any_pair: bool = False  # the model judges any two sentences about the same two things
    answered_by: str = ""  # the name of the model
    second_verdict: str = ""  # of the model of pairs, where it was asked as well

    @property
    def share(self) -> float:
        """The verdict's probability; 0 without a verdict."""
        return self.prediction.probabilities.get(self.prediction.label, 0.0)

    @property
    def in_scope(self) -> bool:
        """True if the verdict means something: the model was taught pairs of this kind.

        For a model of swaps, a pair that is not a pure swap is in scope only if the nearest taught
        pair is not one either.
        """
        if not self.prediction.judged:
            return False
        if self.question.is_swap or self.any_pair or self.question.changes_nothing:
            return True
        from symdemo.swapping import exchanged

        return any(
            not exchanged(near.pair.premise, near.pair.hypothesis).is_swap
            for near in self.prediction.neighbours[:1]
        )

    @property
    def beyond(self) -> bool:
        """True if the model was taught swaps only and the model `pairs` should judge this pair."""
        return not self.in_scope and not self.any_pair

    @property
    def asks_twice(self) -> bool:
        """True if the model of pairs should be asked as well: `general` is sure about a swap.

        Where the two disagree, `general` is wrong about as often as right.
        """
        swap = self.question.is_swap and not self.question.changes_nothing
        return swap and self.answered_by == SHIPPED[0] and self.sure

    def beside(self, second: Answer) -> Answer:
        """Return the answer of the model of pairs if only that judges this, else both in one."""
        if self.beyond:
            return second
        return replace(self, second_verdict=second.prediction.label if second.in_scope else "")

    @property
    def why_none(self) -> str:
        """Why there is no verdict, as a sentence; "" if there is one."""
        if not self.prediction.judged:
            return NOT_OUR_KIND
        return "" if self.in_scope else f"{self.question.difference} {ONLY_SWAPS}"

    @property
    def doubts(self) -> tuple[str, ...]:
        """Reasons not to rely on the verdict, as sentences, those about the swap first."""
        found = list(self.question.swap.doubts) if self.question.swap else []
        if not self.prediction.judged:
            return (*found, self.why_none)
        beyond = not self.any_pair and not self.question.changes_nothing
        difference = self.question.difference if beyond else ""
        unfamiliar = UNFAMILIAR if self.prediction.familiar is False else ""
        disagrees = self.second_verdict not in ("", self.prediction.label)
        second = f"A second model answers: {self.second_verdict}." if disagrees else ""
        return tuple(filter(None, [*found, difference, unfamiliar, second]))

    @property
    def sure(self) -> bool:
        """True if the verdict is shown as certain."""
        return not self.doubts and self.share >= SURE

    def to_json(self) -> dict[str, Any]:
        """Return the verdict with its grounds and doubts as JSON values."""
        question, swap = self.question, self.question.swap
        return self.prediction.to_json() | {
            "sentence": question.sentence,
            "is_swap": question.is_swap,
            "change": question.change,
            "in_scope": self.in_scope,
            "sure": self.sure,
            "doubts": list(self.doubts),
            "model": self.answered_by,
            "note": swap.note if swap else "",
            "other_swaps": [other.hypothesis for other in swap.others] if swap else [],
        }


@lru_cache(maxsize=512)
def find_swap(sentence: str) -> Swap:
    """Return `symdemo.swap(sentence)`, cached: marking, answering and comparing all need it.

    Raises:
        InputError: no subject and object were found.
    """
    from symdemo.swapping import swap

    return swap(sentence)


def read(sentence: str, hypothesis: str | None = None) -> Question:
    """Make a question of a sentence and a second one, its swap unless given.

    Raises:
        InputError: a sentence that cannot be read, or in which no two arguments were found.
    """
    check_time()
    sentence = check_sentence(sentence)
    if not (hypothesis or "").strip():
        swap = find_swap(sentence)
        return Question(sentence, Pair(swap.premise, swap.hypothesis), swap)
    hypothesis = check_sentence(hypothesis, "second sentence")
    with suppress(InputError):
        swap = find_swap(sentence)
        for candidate in (swap, *swap.others):
            if _words(candidate.hypothesis) == _words(hypothesis):
                return of_swap(sentence, candidate)
    from symdemo.swapping import exchanged
    from symdemo.swapping.statements import check_english

    for text in (sentence, hypothesis):
        check_english(text)
    found = exchanged(sentence, hypothesis)
    difference = "" if found.is_swap else found.difference or "More than the places changed."
    return Question(sentence, Pair(sentence, hypothesis), None, difference)


def of_swap(sentence: str, swap: Swap) -> Question:
    """Make a question of a swap that a person chose, without doubts about which one was meant.

    Raises:
        InputError: a sentence in another language.
    """
    from symdemo.swapping.statements import check_english

    check_english(sentence)
    chosen = replace(swap, doubts=(), others=())
    return Question(sentence, Pair(swap.premise, swap.hypothesis), chosen)


def _words(text: str) -> str:
    return " ".join(text.split()).rstrip(".")


def ask(
    classifier: SymmetryClassifier,
    questions: Sequence[Question],
    k: int | None = None,
    pairs: Callable[[], SymmetryClassifier] | None = None,
) -> list[Answer]:
    """Predict questions, in order.

    Args:
        classifier: the model to ask.
        questions: pairs, and how they were made.
        k: how many neighbours vote; the model's own number if None.
        pairs: load the model of pairs. It gets what a model of swaps does not judge, and confirms
            what `general` is sure about. Without it, or if it raises `ModelError`, the answer
            stays as it is.

    Raises:
        InputError: a pair that the encoder cannot read.
        ModelError: nothing was taught yet.
    """
    any_pair = classifier.judges_any_pair
    asked = [question for question in questions if not question.changes_nothing]
    of_asked = [question.pair for question in asked]
    predictions = iter(classifier.predict(of_asked, k=k) if of_asked else ())
    answers = [
        Answer(
            question,
            _certain(classifier, question.pair) if question.changes_nothing else next(predictions),
            any_pair,
            classifier.card.name,
        )
        for question in questions
    ]
    rows = [n for n, answer in enumerate(answers) if answer.beyond or answer.asks_twice]
    if pairs and rows:
        with suppress(ModelError):
            again = ask(pairs(), [questions[row] for row in rows], k)
            for row, second in zip(rows, again, strict=True):
                answers[row] = answers[row].beside(second)
    return answers


def _certain(classifier: SymmetryClassifier, pair: Pair) -> Prediction:
    """Return the verdict on a sentence and itself, which needs no model: it follows."""
    from symdemo.classifier.prediction import Prediction

    shares = dict.fromkeys(classifier.labels, 0.0) | {ENTAILMENT: 1.0}
    turned = np.zeros(classifier.index.embeddings.shape[1], np.float32)
    return Prediction(pair, ENTAILMENT, shares, (), turned, rotation=False)
