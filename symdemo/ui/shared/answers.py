"""A verdict on a sentence by one of the models that a visitor can ask."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, ref

from symdemo.classifier import asking
from symdemo.errors import InputError
from symdemo.text import shorten
from symdemo.ui.shared.batches import Batches
from symdemo.ui.shared.store import LoadedModel, Models

if TYPE_CHECKING:
    from symdemo.classifier import SymmetryClassifier

MAX_NEIGHBOURS = 15


@dataclass(frozen=True)
class Answer(asking.Answer):
    """A verdict, and the model that gave it."""

    model: LoadedModel


def answer(
    models: Models, question: asking.Question, model: str | None = None, k: int | None = None
) -> Answer:
    """The verdict on a question.

    Raises:
        InputError: the model cannot read a sentence, or k is out of range.
        ModelError: no such model, or it was taught nothing.
    """
    if k is not None and (type(k) is not int or not 1 <= k <= MAX_NEIGHBOURS):
        raise InputError(
            f"{shorten(str(k), 20)} neighbours were asked for; a whole number between 1 and "
            f"{MAX_NEIGHBOURS} works."
        )
    loaded = models.get(model)
    found = _batches(loaded.classifier, k).ask(question)
    return Answer(found.question, found.prediction, loaded)


def check(
    models: Models,
    sentence: str,
    hypothesis: str | None = None,
    model: str | None = None,
    k: int | None = None,
) -> Answer:
    """Read, swap and judge one sentence.

    Raises:
        InputError: a sentence that cannot be read, or in which no two parties were found.
        ModelError: no such model, or it was taught nothing.
    """
    models.get(model)  # and the parser, before there is something to read
    return answer(models, asking.read(sentence, hypothesis), model, k)


def _batches(
    classifier: SymmetryClassifier, k: int | None
) -> Batches[asking.Question, asking.Answer]:
    """Where the questions to a classifier come together; those with another k have another one."""
    with _making:
        own = _all_batches.setdefault(classifier, {})
        if k not in own:
            asks = ref(classifier)  # what it is kept under must not be kept by it
            own[k] = Batches(lambda questions: asking.ask(_there(asks), questions, k))
        return own[k]


def _there(asks: ref[SymmetryClassifier]) -> SymmetryClassifier:
    classifier = asks()
    assert classifier is not None  # whoever asks holds it
    return classifier


_making = threading.Lock()
_all_batches: WeakKeyDictionary[
    SymmetryClassifier, dict[int | None, Batches[asking.Question, asking.Answer]]
] = WeakKeyDictionary()
