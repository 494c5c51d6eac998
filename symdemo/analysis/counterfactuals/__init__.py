"""Counterfactuals: the same pair in other words, each with the label it should get."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from symdemo.analysis.counterfactuals.entities import delexicalize, other_entities, other_phrasings
from symdemo.analysis.counterfactuals.statements import SAME_LABEL, Change, NothingToMakeError
from symdemo.analysis.counterfactuals.verbs import change_tense, change_voice, negate
from symdemo.errors import InputError
from symdemo.pairs import LABELS, Pair, check_pair
from symdemo.swapping.changes import is_swap

LONGEST = 60  # words of the longest sentence that is parsed


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """A pair that differs from the original in one way."""

    kind: str  # one of `KINDS`
    pair: Pair  # its label is `expected`; head and tail are those of the new sentences
    expected: str | None
    """The label that follows from the original's label. None if that is none of the three, or if
    nothing follows from it."""
    how: str  # the change, in a short sentence


@dataclass(frozen=True, slots=True)
class Unmade:
    """A kind that does not apply to a pair, and the reason in a short sentence."""

    kind: str
    why: str


def exchange_sentences(pair: Pair) -> list[Change]:
    """Exchange premise and hypothesis; the label of a swap is the same in both directions."""
    made = pair.reversed()
    how = "Premise and hypothesis exchanged."
    return [Change(made.premise, made.hypothesis, how, (made.head, made.tail))]


_MAKERS: dict[str, tuple[str, Callable[[Pair], list[Change]]]] = {
    "swap": ("Exchanged", exchange_sentences),
    "delexicalized": ("Names taken out", delexicalize),
    "entities": ("Other names", other_entities),
    "phrasing": ("Other wording", other_phrasings),
    "negation": ("Negated", negate),
    "passive": ("Active and passive", change_voice),
    "tense": ("Another tense", change_tense),
}
KINDS = {kind: name for kind, (name, _) in _MAKERS.items()}
"""Kind → its name for people, in the order shown."""


OF_SWAPS = ("swap", "phrasing", "negation")  # kinds whose label follows only if the pair is a swap


def counterfactuals(
    pair: Pair, kinds: Sequence[str] | None = None
) -> list[Counterfactual | Unmade]:
    """Return variants of a pair, of some `KINDS` or all, each with the label that it should get.

    A kind gives counterfactuals, none of them equal to the original, or one `Unmade` with the
    reason. `InputError` if `check_pair` refuses the pair, or a kind is not in `KINDS`.
    """
    pair = check_pair(pair)
    for kind in kinds or ():
        if kind not in KINDS:
            raise InputError(f"The kind is “{kind}”; expected one of: {', '.join(KINDS)}.")
    return [one for kind in (KINDS if kinds is None else kinds) for one in _of_kind(kind, pair)]


def _of_kind(kind: str, pair: Pair) -> Sequence[Counterfactual | Unmade]:
    words = max(len(text.split()) for text in (pair.premise, pair.hypothesis))
    if words > LONGEST and kind != "swap":
        return [Unmade(kind, f"The sentence has more than {LONGEST} words.")]
    try:
        changes = _MAKERS[kind][1](pair)
    except NothingToMakeError as reason:
        return [Unmade(kind, str(reason))]
    same = pair.label if pair.label in LABELS else None
    nothing_follows = kind in OF_SWAPS and not is_swap(pair)
    made = []
    for premise, hypothesis, how, ends, expected in changes:
        label = same if expected == SAME_LABEL else expected
        label = None if nothing_follows else label
        new = Pair(premise, hypothesis, label, pair.relation, *(ends or (pair.head, pair.tail)))
        with suppress(InputError):
            if (premise, hypothesis) != (pair.premise, pair.hypothesis):
                made.append(Counterfactual(kind, check_pair(new), label, how))
    return made or [Unmade(kind, "The result is the same sentence again.")]
