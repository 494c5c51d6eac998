"""The hypotheses that a table does not give: made by swapping, each sentence once."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import tee
from typing import NamedTuple

from symdemo.analysis.loading.cells import BAD_SENTENCE, NO_SWAP, RowRefused
from symdemo.data.columns import plain_relation
from symdemo.errors import InputError, NoPairFound
from symdemo.pairs import Pair, check_pair
from symdemo.swapping import Swap, swap_many


class Found(NamedTuple):
    """What is kept of a swap; `template` is the premise with [X] and [Y]."""

    premise: str
    hypothesis: str
    subject: str
    object: str
    template: str
    sure: bool


class Swapper:
    """Completes pairs, and remembers what it found: a sentence often stands in many rows.

    Args:
        premises: those of the pairs without a hypothesis, in the order in which they will come.

    Attributes:
        swapped: pairs that it completed.
        doubtful: those of them whose swap may not be the one a person would make.
    """

    def __init__(self, premises: Iterable[str]):
        premises, asked = tee(dict.fromkeys(premises))
        self._next = zip(premises, swap_many(asked), strict=True)
        self._found: dict[str, Found | RowRefused] = {}
        self.swapped = self.doubtful = 0

    def complete(self, pair: Pair) -> tuple[Pair, str]:
        """The pair with the hypothesis that its premise lacks, and the template of its premise.

        The premise becomes what was read in its place, where it is a question.

        Raises:
            RowRefused: there is no swap.
            ModelError: the parser is not installed.
        """
        while pair.premise not in self._found:
            premise, swap = next(self._next)
            self._found[premise] = _what_counts(swap)
        found = self._found[pair.premise]
        if isinstance(found, RowRefused):
            raise RowRefused(found.kind, found)  # the remembered one would gather tracebacks
        self.swapped += 1
        self.doubtful += not found.sure
        made = Pair(
            found.premise,
            found.hypothesis,
            pair.label,
            pair.relation or plain_relation(found.template),
            *((pair.head, pair.tail) if pair.head or pair.tail else (found.subject, found.object)),
        )
        return made, found.template


def _what_counts(found: Swap | InputError) -> Found | RowRefused:
    if isinstance(found, InputError):
        return RowRefused(NO_SWAP if isinstance(found, NoPairFound) else BAD_SENTENCE, found)
    try:
        check_pair(Pair(found.premise, found.hypothesis))
    except InputError as error:
        return RowRefused(BAD_SENTENCE, error)
    return Found(
        found.premise, found.hypothesis, found.subject, found.object, found.relation, found.sure
    )
