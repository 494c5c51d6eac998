"""The sentences that a visitor can click."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from symdemo.paths import ASSETS

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


def group_titles(taught_relations: Iterable[str | None]) -> tuple[str, str]:
    """What to call the two groups of examples for a model that was taught these relations.

    Only a model whose relations all carry ids of the 14 is known not to have met the other group.
    """
    basic = {example.kind for example in load_examples()} - {OTHER}
    taught = {relation for relation in taught_relations if relation}
    known = "Relations it was taught" if basic <= taught else "The fourteen Wikidata relations"
    fresh = "Relations it was not taught" if taught and taught <= basic else "Other relations"
    return known, fresh
