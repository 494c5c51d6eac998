"""What versions say of every row of a project: right or wrong, relation by relation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from symdemo.errors import InputError
from symdemo.pairs import Pair
from symdemo.teaching.project import Project
from symdemo.teaching.row_check import NO_RELATION
from symdemo.teaching.verdicts import Verdict, judge
from symdemo.ui.teach_handlers import NOTHING_YET, Shelf
from symdemo.ui.teach_rows import report_on
from symdemo.ui.teach_sessions import TeachSessions


@dataclass(frozen=True)
class Column:
    """A model, the labels it knows, and its verdicts on all rows.

    A verdict is None where the model knew nothing to answer with.
    """

    name: str
    verdicts: tuple[Verdict | None, ...]
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Results:
    """All usable rows of a project, judged by one model or more.

    Attributes:
        pairs: of the rows, in order.
        columns: the models; what is sorted goes by the first of them.
    """

    pairs: tuple[Pair, ...]
    columns: tuple[Column, ...]

    def is_right(self, column: Column, place: int) -> bool:
        """Whether a model says of a row what its teacher says."""
        verdict = column.verdicts[place]
        return verdict is not None and verdict.label == self.pairs[place].label

    def relations(self) -> list[tuple[str, int, list[int]]]:
        """(relation, how many rows it has, how many of them each model has right), worst first."""
        places: dict[str, list[int]] = defaultdict(list)
        for place, pair in enumerate(self.pairs):
            places[pair.relation or NO_RELATION].append(place)
        found = [
            (relation, len(own), [self._right(column, own) for column in self.columns])
            for relation, own in places.items()
        ]
        return sorted(found, key=lambda line: line[2][0] / line[1])

    def total(self) -> list[int]:
        """How many rows each model has right."""
        return [self._right(column, range(len(self.pairs))) for column in self.columns]

    def wrong_first(self) -> Iterator[int]:
        """The places of all rows: those that the first model has wrong, then the others' wrong."""

        def rank(place: int) -> tuple[bool, ...]:
            return tuple(self.is_right(column, place) for column in self.columns)

        return iter(sorted(range(len(self.pairs)), key=rank))

    def _right(self, column: Column, places: Sequence[int]) -> int:
        return sum(self.is_right(column, place) for place in places)


def judge_rows(
    sessions: TeachSessions, id: str, shelf: Shelf, versions: Sequence[str | None]
) -> Results:
    """Ask some versions (None is the base model) about every row, as it is now.

    Each is asked as if it had been taught nothing of the row's two names.

    Raises:
        InputError: no project, no usable row, or no such version.
    """
    project: Project | None = sessions.find(id)
    if project is None:
        raise InputError(NOTHING_YET)
    pairs = report_on(sessions, id, project.rows).pairs
    if not pairs:
        raise InputError("There is no usable row to ask about; write a few rows first.")
    columns = []
    for version in dict.fromkeys(versions):
        model = project.model(version)
        columns.append(Column(shelf.name(version), tuple(judge(model, pairs)), tuple(model.labels)))
    return Results(pairs, tuple(columns))
