"""Label leak check: no test sentence may occur in training with only its entities changed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from symdemo.errors import InputError
from symdemo.evaluation.baselines.skeleton import PLACE, masked
from symdemo.pairs import Pair
from symdemo.text import shorten


def phrasing_key(pair: Pair) -> str:
    """Return a key shared by all pairs of one phrasing, in either direction and with any entities.

    Raises:
        InputError: the pair names no head and tail.
    """
    text = re.sub(rf"{re.escape(PLACE)}['’]s?(?!\w)", f"{PLACE} 's ", masked(pair))
    return " ".join(re.sub(r"[^\w\[\]']+", " ", text).split())


def refuse_leaks(taught: Iterable[Pair], asked: Iterable[Pair]) -> None:
    """Refuse test pairs that share a phrasing with the training pairs.

    Raises:
        InputError: some do, or a pair names no head and tail.
    """
    refuse_known({phrasing_key(pair) for pair in taught}, asked)


def refuse_known(known: Collection[str], asked: Iterable[Pair]) -> None:
    """Refuse test pairs whose `phrasing_key` is among the keys `known`; as `refuse_leaks`."""
    shared = {key: pair for pair in asked if (key := phrasing_key(pair)) in known}
    if shared:
        first = shorten(next(iter(shared.values())).premise, 80)
        raise InputError(
            f"{len(shared)} of the test phrasings occur in training too, such as “{first}”; none "
            "may."
        )
