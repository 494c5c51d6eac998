"""How labels, relations and numbers are put into words; all tabs use it."""

from __future__ import annotations

from typing import Any, NamedTuple

from symdemo.data.relations import RELATION_BY_ID
from symdemo.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL


class Wording(NamedTuple):
    """How a label is shown: a style class, a sign, the verdict, and what it means."""

    style: str
    sign: str
    verdict: str
    meaning: str


WORDINGS: dict[str, Wording] = {
    ENTAILMENT: Wording(
        "holds", "✓", "Yes, it still holds", "If the first sentence is true, so is the second."
    ),
    CONTRADICTION: Wording(
        "fails",
        "✕",
        "No, it cannot also hold",
        "If the first sentence is true, the second is false.",
    ),
    NEUTRAL: Wording(
        "open",
        "?",
        "It says nothing about that",
        "The first sentence leaves the second one open.",
    ),
}


def wording(label: str) -> Wording:
    """How to show a label; one that was taught by a user is shown by its own name."""
    return WORDINGS.get(label, Wording("other", "◆", label, ""))


def relation_name(relation: str | None) -> str:
    """The name of one of the 14 relations by its id; any other as it was taught."""
    if not relation:
        return "–"
    return RELATION_BY_ID[relation].name if relation in RELATION_BY_ID else relation


def count(number: int, noun: str) -> str:
    """“1 seed”, “2 seeds”."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def is_number(value: Any) -> bool:
    """Whether something, such as a score out of an archive, is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def percent(share: Any) -> str:
    """A share as a whole percentage; a dash where nothing was measured."""
    return f"{share:.0%}" if is_number(share) else "–"


def plain(value: float, digits: int) -> str:
    """A number with a true minus sign, and no minus before a zero."""
    shown = f"{value:.{digits}f}"
    if not float(shown):
        shown = shown.lstrip("-")
    return shown.replace("-", "−")


def duration(seconds: float | None) -> str:
    """Seconds as a person says them."""
    seconds = max(1, round(seconds or 0))
    return count(seconds, "second") if seconds < 90 else f"{round(seconds / 60)} minutes"
