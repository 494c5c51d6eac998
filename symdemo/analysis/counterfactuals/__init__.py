"""Counterfactuals: the same pair in other words, each with the label it should get."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from symdemo.analysis.counterfactuals.entities import delexicalize, other_entities
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
    changed,
)
from symdemo.analysis.counterfactuals.passive import change_voice
from symdemo.analysis.counterfactuals.phrasing import other_phrasings
from symdemo.analysis.counterfactuals.verbs import change_tense, negate
from symdemo.errors import InputError
from symdemo.pairs import Pair, check_pair

__all__ = ["KINDS", "Counterfactual", "Unmade", "counterfactuals"]

LONGEST = 60
"""Words of the longest sentence that is parsed."""


def exchange_sentences(pair: Pair) -> list[Counterfactual]:
    """Exchange premise and hypothesis: a relation's pattern does not depend on direction."""
    made = pair.reversed()
    how = "Premise and hypothesis exchanged."
    ends = (made.head, made.tail)
    return [changed(SWAP, pair, (made.premise, made.hypothesis), how, ends)]


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
    """Return variants of a pair, each with the label it should get.

    Args:
        pair: As `check_pair` accepts it; expected labels follow from its label.
        kinds: Some of `KINDS`; all if None.

    Returns:
        For each kind its counterfactuals, or one `Unmade` with the reason. They are the same each
        time, and none equals the original.

    Raises:
        InputError: `check_pair` refuses the pair, or a kind is not in `KINDS`.
    """
    pair = check_pair(pair)
    for kind in kinds or ():
        if kind not in KINDS:
            raise InputError(f"The kind is “{kind}”; expected one of: {', '.join(KINDS)}.")
    return [one for kind in (KINDS if kinds is None else kinds) for one in _of_kind(kind, pair)]


def _of_kind(kind: str, pair: Pair) -> Sequence[Counterfactual | Unmade]:
    words = max(len(text.split()) for text in (pair.premise, pair.hypothesis))
    if words > LONGEST and kind != SWAP:
        return [Unmade(kind, f"The sentence has more than {LONGEST} words.")]
    try:
        made = _MAKERS[kind](pair)
    except NothingToMakeError as reason:
        return [Unmade(kind, str(reason))]
    kept = [one for one in made if _is_new(one.pair, pair)]
    return kept or [Unmade(kind, "The result is the same sentence again.")]


def _is_new(made: Pair, pair: Pair) -> bool:
    if (made.premise, made.hypothesis) == (pair.premise, pair.hypothesis):
        return False
    try:
        check_pair(made)
    except InputError:
        return False
    return True
