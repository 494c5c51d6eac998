"""The alarm: what is asked must not stand, with other entities, in what was taught."""

from __future__ import annotations

import re
from collections.abc import Iterable

from symdemo.errors import InputError
from symdemo.evaluation.baselines.skeleton import PLACE, masked
from symdemo.pairs import Pair
from symdemo.text import shorten


def phrasing_key(pair: Pair) -> str:
    """What pairs of one phrasing share, whatever entities fill it and whichever comes first."""
    text = re.sub(rf"{re.escape(PLACE)}['’]s?(?!\w)", f"{PLACE} 's ", masked(pair))
    return " ".join(re.sub(r"[^\w\[\]']+", " ", text).split())


def refuse_leaks(taught: Iterable[Pair], asked: Iterable[Pair]) -> None:
    """Stop a measurement whose questions share a phrasing with what was taught.

    Raises:
        InputError: they do, or a pair does not name its head and tail.
    """
    refuse_known({phrasing_key(pair) for pair in taught}, asked)


def refuse_known(known: frozenset[str] | set[str], asked: Iterable[Pair]) -> None:
    """The same, where the keys of the taught phrasings are at hand."""
    shared = {key: pair for pair in asked if (key := phrasing_key(pair)) in known}
    if shared:
        first = shorten(next(iter(shared.values())).premise, 80)
        raise InputError(
            f"{len(shared)} of the phrasings that are asked were taught as well, such as that of "
            f"“{first}”; none may be."
        )
