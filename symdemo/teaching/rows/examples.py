"""Three small tables of rows to start from, with relations that no shipped model was taught."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache

from symdemo.files.paths import ASSETS
from symdemo.teaching.rows.row import Row

FOLDER = "teach"


@dataclass(frozen=True, slots=True)
class ExampleProject:
    """A table to start from; `about` says in a sentence what is in it."""

    id: str
    title: str
    about: str

    def rows(self) -> list[Row]:
        """Its rows, a new list each time."""
        return list(_rows(self.id))


EXAMPLES: tuple[ExampleProject, ...] = (
    ExampleProject(
        "family",
        "A family",
        "Who is married to whom, who is older, who writes to whom: invented people, three labels.",
    ),
    ExampleProject(
        "company",
        "A company",
        "Who works with whom and for whom, and in which team: invented people and teams.",
    ),
    ExampleProject(
        "chemistry",
        "Chemistry",
        "Elements, ores and solvents, with a label of its own: “depends”, for what holds the other "
        "way round for some substances and not for others.",
    ),
)


@cache
def _rows(name: str) -> tuple[Row, ...]:
    with (ASSETS / FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return tuple(Row(**values) for values in csv.DictReader(file))
