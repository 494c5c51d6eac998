"""What a view names without saying what it is: rows of suggestions, and places on maps."""

from __future__ import annotations

import re

from symdemo.analysis.pair_table import PairTable
from symdemo.analysis.projection import Projected
from symdemo.analysis.query import Inside, Query
from symdemo.errors import InputError
from symdemo.ui.analyse.desk import HINTS, MAP, Opened


class NotMadeYetError(InputError):
    """A filter speaks of a map or of suggestions that are still to be made.

    Attributes:
        part: “map” or “hints”.
        model: of which.
        kind: of the map.
    """

    def __init__(self, part: str, model: str, kind: str = "pca"):
        super().__init__("What a filter speaks of is being made; the rows come with it.")
        self.part, self.model, self.kind = part, model, kind


_PLACE = re.compile(r"map (pca|umap) of (.+): [xy]")


def rows_of_hint(opened: Opened, name: str) -> list[int]:
    """The rows of a suggestion by “model:number”.

    Raises:
        NotMadeYetError: the suggestions are not made yet.
        InputError: there is none of that number.
    """
    model, _, number = name.rpartition(":")
    if model not in opened.analysis.models or not re.fullmatch("[0-9]{1,4}", number):
        raise InputError("There is no such suggestion.")
    found = opened.known.get((HINTS, model))
    if found is None:
        raise NotMadeYetError(HINTS, model)
    if int(number) >= len(found):
        raise InputError(f"There is no suggestion {int(number) + 1}; there are {len(found)}.")
    return [int(row) for row in found[int(number)].rows]


def place_names(kind: str, model: str) -> tuple[str, str]:
    """What the two columns of a map are called in the table."""
    return f"map {kind} of {model}: x", f"map {kind} of {model}: y"


def with_places(opened: Opened, query: Query) -> PairTable:
    """The table with the columns of the maps that a query asks for.

    Raises:
        NotMadeYetError: such a map is not made yet.
    """
    table = opened.table
    for condition in query.conditions:
        if isinstance(condition, Inside) and condition.x not in table.columns:
            match = _PLACE.fullmatch(condition.x)
            if not match or match[2] not in opened.runs:
                continue  # the table says that there is no such column
            placed = opened.known.get((MAP, match[1], match[2]))
            if placed is None:
                raise NotMadeYetError(MAP, match[2], match[1])
            table = opened.remember(("placed", match[1], match[2]), lambda p=placed, m=match: (
                _placed_table(opened, p, m[1], m[2])
            ))  # fmt: skip
    return table


def _placed_table(opened: Opened, placed: Projected, kind: str, model: str) -> PairTable:
    x, y = place_names(kind, model)
    opened.table = opened.table.with_columns(**{x: placed.xy[:, 0], y: placed.xy[:, 1]})
    return opened.table
