"""Questions that come at the same time, asked together: eight take half as long as one by one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

MOST = 12
"""Of one batch: larger ones hardly save more, and all of a batch wait for the longest sentence."""


@dataclass(eq=False)
class _Waiting(Generic[Item, Result]):
    item: Item
    answer: Future[Result] = field(default_factory=Future)


class Batches(Generic[Item, Result]):
    """Gives many threads their answers, found for all that wait by one of them at a time.

    Nobody waits for a batch to fill: who comes while none is at work is answered at once, and
    whoever comes meanwhile is in the next one.

    Args:
        run: answers to items, in order. Where it fails for several, each is asked alone, so that
            nobody gets the error of another.
    """

    def __init__(self, run: Callable[[Sequence[Item]], Sequence[Result]]):
        self._run = run
        self._waiting: list[_Waiting[Item, Result]] = []
        self._adding, self._working = threading.Lock(), threading.Lock()

    def ask(self, item: Item) -> Result:
        """The answer to one item; errors are those of `run` for it alone."""
        own: _Waiting[Item, Result] = _Waiting(item)
        with self._adding:
            self._waiting.append(own)
        with self._working:  # whoever holds it answers for those who stand behind it
            if not own.answer.done():
                self._answer(self._next(own))
        return own.answer.result()

    def _next(self, own: _Waiting[Item, Result]) -> list[_Waiting[Item, Result]]:
        """One's own item, and the others that have waited longest."""
        with self._adding:
            others = [one for one in self._waiting if one is not own][: MOST - 1]
            batch = [own, *others]
            self._waiting = [one for one in self._waiting if one not in batch]
        return batch

    def _answer(self, batch: list[_Waiting[Item, Result]]) -> None:
        try:
            found = self._run([one.item for one in batch])
        except Exception as error:
            if len(batch) == 1:
                batch[0].answer.set_exception(error)
                return
            for one in batch:
                self._answer([one])
            return
        for one, answer in zip(batch, found, strict=True):
            one.answer.set_result(answer)
