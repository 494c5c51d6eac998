"""The sentences that a visitor can click."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from symdemo.files.paths import ASSETS
from symdemo.ui.shared.panels import ask_button

OTHER = "other"
FIRST_SENTENCE = "Kenya borders Uganda."
"""What the page answers as soon as it opens."""


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence to try; `kind` is the id of one of the 14 relations, or `other`."""

    sentence: str
    hypothesis: str
    kind: str
    note: str


@cache
def load_examples(path: Path = ASSETS / "examples.csv") -> tuple[Example, ...]:
    """Read examples from a CSV file with the columns sentence, hypothesis, kind, note."""
    with path.open(encoding="utf-8", newline="") as file:
        return tuple(Example(**row) for row in csv.DictReader(file))


def examples_of(taught: bool) -> list[Example]:
    """The examples of the 14 relations, or the others."""
    return [example for example in load_examples() if (example.kind != OTHER) is taught]


def example_buttons() -> str:
    """Two groups of sentences to press, as HTML; `assets/ask.js` asks what is pressed."""
    fresh, basic = (
        f'<p class="choices">{"".join(map(_button, examples_of(taught)))}</p>'
        for taught in (False, True)
    )
    return (
        f"<h2>Try one of these</h2>{fresh}"
        f"<details><summary>From the 14 relations of the paper</summary>{basic}</details>"
    )


def _button(example: Example) -> str:
    question = {"sentence": example.sentence, "hypothesis": example.hypothesis, "fill": True}
    return ask_button(example.sentence, question)
