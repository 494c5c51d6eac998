"""The versions of a project: which one is in use, and what each says about every row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from symdemo.classifier import Prediction
from symdemo.errors import InputError
from symdemo.pairs import Pair
from symdemo.teaching.comparison import judge
from symdemo.teaching.project import Project, Version
from symdemo.teaching.rows import NO_RELATION
from symdemo.ui.shared.sessions import Sessions
from symdemo.ui.teach.grid import report_on

BASE = "base"
"""Value for the base model in a choice of versions."""


@dataclass(frozen=True)
class VersionList:
    """The versions of a project, oldest first, the one in use, and the name of the base model.

    `undoable` is true if another one was in use before.
    """

    versions: tuple[Version, ...] = ()
    selected: str | None = None
    base: str = ""
    project: str = ""
    undoable: bool = False

    @classmethod
    def of(cls, project: Project) -> VersionList:
        """Read the versions of a project."""
        versions, used = tuple(project.versions()), bool(project.used)
        return cls(versions, project.selected, project.base, project.id, used)

    def find(self, id: str | None) -> Version | None:
        """Return a version by id; None for the base model and for deleted ones."""
        return next((version for version in self.versions if version.id == id), None)

    @property
    def current(self) -> Version | None:
        """The version in use."""
        return self.find(self.selected)

    def name(self, id: str | None) -> str:
        """Return the display name of a version, or of the base model."""
        if id is None:
            return f"Base model ({self.base})"
        found = self.find(id)
        return found.name if found else "a deleted version"

    def origin(self, version: Version) -> str:
        """Return the display name of a version's parent."""
        return self.name(version.parent) if version.parent else f"Base model ({version.base})"


def list_versions(sessions: Sessions, id: str) -> VersionList:
    """List the versions of a project; empty for a visitor who has none."""
    project = sessions.find(id)
    return VersionList.of(project) if project else VersionList()


def chosen_version(version: str | None) -> str | None:
    """Return the id of a version chosen on the page; None for the base model."""
    if not version:
        raise InputError("No version was chosen; choose one first.")
    return None if version == BASE else version


def chosen_own(version: str | None) -> str:
    """Return the id of a version chosen on the page to be changed."""
    chosen = chosen_version(version)
    if chosen is None:
        raise InputError("The base model cannot be changed; choose one of your own versions.")
    return chosen


@dataclass(frozen=True)
class Column:
    """A model's name, its verdicts on all rows (None if it had no neighbours), and its labels."""

    name: str
    verdicts: tuple[Prediction | None, ...]
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class RowResults:
    """All usable rows of a project, judged by one model or more.

    Attributes:
        pairs: the pairs of the rows, in order.
        columns: the models; rows are sorted by the first of them.
    """

    pairs: tuple[Pair, ...]
    columns: tuple[Column, ...]

    def is_right(self, column: Column, place: int) -> bool:
        """True if a model's verdict on a row is the row's label."""
        verdict = column.verdicts[place]
        return verdict is not None and verdict.label == self.pairs[place].label

    def relations(self) -> list[tuple[str, int, list[int]]]:
        """Return (relation, number of rows, right answers of each model), worst first."""
        places: dict[str, list[int]] = defaultdict(list)
        for place, pair in enumerate(self.pairs):
            places[pair.relation or NO_RELATION].append(place)
        found = [(relation, len(rows), self._right(rows)) for relation, rows in places.items()]
        return sorted(found, key=lambda line: line[2][0] / line[1])

    def total(self) -> list[int]:
        """Return the right answers of each model."""
        return self._right(range(len(self.pairs)))

    def wrong_first(self) -> list[int]:
        """Return the places of all rows, sorted by the models that have them wrong."""
        return sorted(
            range(len(self.pairs)),
            key=lambda place: [self.is_right(column, place) for column in self.columns],
        )

    def _right(self, places: Sequence[int]) -> list[int]:
        return [sum(self.is_right(column, place) for place in places) for column in self.columns]


def judge_rows(
    sessions: Sessions, id: str, listed: VersionList, versions: Sequence[str | None]
) -> RowResults:
    """Query some versions (None is the base model) about every row, as it is now.

    Each is queried as if it had been taught nothing about the row's two names.

    Raises:
        InputError: no project, no usable row, or no such version.
    """
    project = sessions.require(id)
    pairs = report_on(sessions, project, project.rows).pairs
    if not pairs:
        raise InputError("There is no usable row to test; write a few rows first.")
    columns = []
    for version in dict.fromkeys(versions):
        model = project.model(version)
        columns.append(
            Column(listed.name(version), tuple(judge(model, pairs)), tuple(model.labels))
        )
    return RowResults(pairs, tuple(columns))
