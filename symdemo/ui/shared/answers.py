"""A verdict on a sentence by one of the models that a visitor can ask."""

from __future__ import annotations

from dataclasses import dataclass

from symdemo.classifier import asking
from symdemo.errors import InputError
from symdemo.text import shorten
from symdemo.ui.shared.store import LoadedModel, Models

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
            f"{shorten(str(k), 20)} neighbours were asked for; a whole number from 1 to "
            f"{MAX_NEIGHBOURS} works."
        )
    loaded = models.get(model)
    (found,) = asking.ask(loaded.classifier, [question], k)
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
    return answer(models, asking.read(sentence, hypothesis), model, k)
