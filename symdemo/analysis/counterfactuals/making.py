"""`counterfactuals`: all kinds for one pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from symdemo.analysis.counterfactuals.delexicalized import delexicalize
from symdemo.analysis.counterfactuals.entities import other_entities
from symdemo.analysis.counterfactuals.kinds import (
    DELEXICALIZED,
    ENTITIES,
    KINDS,
    NEGATION,
    PASSIVE,
    PHRASING,
    SWAP,
    TENSE,
    Counterfactual,
    NothingToMakeError,
    Unmade,
)
from symdemo.analysis.counterfactuals.negation import negate
from symdemo.analysis.counterfactuals.passive import change_voice
from symdemo.analysis.counterfactuals.phrasing import other_phrasings
from symdemo.analysis.counterfactuals.swapped import exchange_sentences
from symdemo.analysis.counterfactuals.tense import change_tense
from symdemo.errors import InputError
from symdemo.pairs import Pair, check_pair

LONGEST = 60
"""Words of a sentence beyond which nothing is made that the parser must read."""

_MAKERS: dict[str, Callable[[Pair], list[Counterfactual]]] = {
    SWAP: exchange_sentences,
    DELEXICALIZED: delexicalize,
    ENTITIES: other_entities,
    PHRASING: other_phrasings,
    NEGATION: negate,
    PASSIVE: change_voice,
    TENSE: change_tense,
}


def counterfactuals(
    pair: Pair, kinds: Sequence[str] | None = None
) -> list[Counterfactual | Unmade]:
    """The same pair in other ways, each with the label it should get.

    Args:
        pair: as `check_pair` accepts it; with a label, what is expected follows from it.
        kinds: some of `KINDS`; None is all, in that order.

    Returns:
        For each kind its counterfactuals, or one `Unmade` that says why there are none. The same
        pair gives the same ones each time; none equals the original.

    Raises:
        InputError: a pair that `check_pair` refuses, or a kind that is none of `KINDS`.
    """
    pair = check_pair(pair)
    for kind in kinds or ():
        if kind not in KINDS:
            raise InputError(f"The kind “{kind}” is unknown; known are: {', '.join(KINDS)}.")
    found: list[Counterfactual | Unmade] = []
    for kind in KINDS if kinds is None else kinds:
        found += _of_kind(kind, pair)
    return found


def _of_kind(kind: str, pair: Pair) -> Sequence[Counterfactual | Unmade]:
    words = max(len(text.split()) for text in (pair.premise, pair.hypothesis))
    if words > LONGEST and kind != SWAP:
        return [Unmade(kind, f"The sentence has more than {LONGEST} words.")]
    try:
        made = _MAKERS[kind](pair)
    except NothingToMakeError as reason:
        return [Unmade(kind, str(reason))]
    kept = [one for one in made if _is_new(one.pair, pair)]
    return kept or [Unmade(kind, "What comes out is the same sentence again.")]


def _is_new(made: Pair, pair: Pair) -> bool:
    """Whether a made pair can be judged and is not the original one."""
    if (made.premise, made.hypothesis) == (pair.premise, pair.hypothesis):
        return False
    try:
        check_pair(made)
    except InputError:
        return False
    return True
