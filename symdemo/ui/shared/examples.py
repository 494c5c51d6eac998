"""The sentences that a visitor can click."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from markupsafe import Markup

from symdemo.files.paths import ASSETS
from symdemo.ui.shared.html import draw

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


def example_buttons() -> Markup:
    """Two groups of sentences to press, as HTML; `assets/ask.js` asks what is pressed."""
    fresh, basic = examples_of(False), examples_of(True)
    return draw("shared/examples.html", fresh=fresh, basic=basic)
