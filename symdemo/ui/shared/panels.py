"""HTML that all tabs use. Whatever a visitor typed or a model was taught is escaped here."""

from __future__ import annotations

import json
from html import escape
from typing import Any, NamedTuple

from symdemo.data.relations import RELATION_BY_ID
from symdemo.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL
from symdemo.text import shorten
from symdemo.ui.shared.problems import Problem


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


def problem_panel(problem: Problem | None) -> str:
    """The one place where it says what is wrong; empty when nothing is."""
    if problem is None:
        return ""
    return (
        '<div class="problem" role="alert"><span class="problem__sign" aria-hidden="true">!</span>'
        f"<p>{escape(problem.message)}</p></div>"
    )


def count(number: int, noun: str) -> str:
    """“1 seed”, “2 seeds”."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def label_tag(label: str) -> str:
    """A label with its sign and colour; one from an archive may be longer than can be taught."""
    shown = wording(label)
    return (
        f'<span class="tag tag--{shown.style}"><span aria-hidden="true">{shown.sign}</span> '
        f"{escape(shorten(label, 40))}</span>"
    )


def ask_button(text: str, question: dict[str, Any]) -> str:
    """A button that asks a question; `assets/ask.js` reads it."""
    return (
        f'<button type="button" class="choice" data-ask="{escape(json.dumps(question))}">'
        f"{escape(text)}</button>"
    )
