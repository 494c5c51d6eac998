"""Verdicts for visitors: questions that arrive together are answered in one batch."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from symdemo.classifier import SymmetryClassifier, asking
from symdemo.classifier.checkpoints import PAIRS
from symdemo.errors import InputError, ModelError
from symdemo.text import shorten
from symdemo.ui.shared.store import LoadedModel, Models

Item = TypeVar("Item")
Result = TypeVar("Result")

MAX_NEIGHBOURS = 15
BATCH_SIZE = 12  # larger batches hardly save time, and all of a batch wait for its longest sentence


class Batches(Generic[Item, Result]):
    """Run the items of many threads in batches; eight questions take half as long as one by one.

    No item waits for a batch to fill: one that arrives while nothing runs is run by itself, and all
    that arrive during a run form the next batch. `run` maps items to results, in order; if it fails
    on several items, each is run alone, so that no caller gets the error of another.
    """

    def __init__(self, run: Callable[[Sequence[Item]], Sequence[Result]]):
        self._run = run
        self._waiting: list[tuple[Item, Future[Result]]] = []
        self._adding, self._running = threading.Lock(), threading.Lock()

    def ask(self, item: Item) -> Result:
        """Return the result of one item. Raises what `run` raises for it alone."""
        own = (item, Future[Result]())
        with self._adding:
            self._waiting.append(own)
        with self._running:  # the thread that holds it runs the items of those behind it
            if not own[1].done():
                with self._adding:
                    others = [one for one in self._waiting if one is not own]
                    self._waiting = others[BATCH_SIZE - 1 :]
                self._answer([own, *others[: BATCH_SIZE - 1]])  # the others have waited longest
        return own[1].result()

    def _answer(self, batch: list[tuple[Item, Future[Result]]]) -> None:
        try:
            results = self._run([item for item, _ in batch])
        except Exception as error:
            if len(batch) == 1:
                batch[0][1].set_exception(error)
                return
            for one in batch:
                self._answer([one])
            return
        for (_, future), result in zip(batch, results, strict=True):
            future.set_result(result)


@dataclass(frozen=True)
class LoadedAnswer(asking.Answer):
    """A verdict with the model that gave it, and the one that was asked."""

    model: LoadedModel = field(kw_only=True)
    chosen: LoadedModel = field(kw_only=True)


def answer(
    models: Models, question: asking.Question, model: str | None = None, k: int | None = None
) -> LoadedAnswer:
    """Return the verdict on a question; `ModelError` for no such model, or one taught nothing.

    The shipped model of pairs judges what a model of swaps cannot, and confirms what the default
    model is sure about. `InputError` if the model cannot read a sentence, or k is out of range.
    """
    if k is not None and (type(k) is not int or not 1 <= k <= MAX_NEIGHBOURS):
        raise InputError(
            f"The number of neighbours is {shorten(str(k), 20)}; a whole number between 1 and "
            f"{MAX_NEIGHBOURS} is expected."
        )
    loaded = chosen = models.get(model)
    found = _ask(loaded.classifier, question, k)
    if found.beyond or found.asks_twice:
        with suppress(ModelError):  # without that model, the first one's answer stays as it is
            pairs = models.get(PAIRS)
            second = _ask(pairs.classifier, question, k)
            loaded = pairs if found.beyond else loaded
            found = found.beside(second)
    own = vars(found) | {"answered_by": loaded.name}
    return LoadedAnswer(**own, model=loaded, chosen=chosen)


def check(
    models: Models, sentence: str, hypothesis: str | None = None, model: str | None = None
) -> LoadedAnswer:
    """Judge a sentence's swap, or the hypothesis; errors as in `asking.read` and `answer`."""
    models.get(model)  # loads the parser too, before the sentence is read
    return answer(models, asking.read(sentence, hypothesis), model)


def _ask(classifier: SymmetryClassifier, question: asking.Question, k: int | None) -> asking.Answer:
    with _lock:
        own = _batches.setdefault(classifier, {})
        # Take the classifier from the questions of the batch: a value of `_batches` that referred
        # to its own key would keep that in memory for ever.
        own.setdefault(k, Batches(lambda asked: asking.ask(asked[0][0], [q for _, q in asked], k)))
    return own[k].ask((classifier, question))


Asked = tuple["SymmetryClassifier", asking.Question]
_lock = threading.Lock()
_batches: WeakKeyDictionary[SymmetryClassifier, dict[int | None, Batches[Asked, asking.Answer]]]
_batches = WeakKeyDictionary()
