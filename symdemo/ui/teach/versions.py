"""The versions of a project: which is in use, and what each says of every row.

Every function takes the id that the browser keeps, and opens nothing but the project it opens.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from symdemo.errors import InputError
from symdemo.pairs import Pair
from symdemo.teaching.comparison import Verdict, judge
from symdemo.teaching.project import Version
from symdemo.teaching.row_check import NO_RELATION
from symdemo.ui.shared.sessions import Sessions
from symdemo.ui.teach.rows import report_on

BASE = "base"
"""Stands for the base model where versions are chosen from."""


@dataclass(frozen=True)
class VersionList:
    """The versions of a project, oldest first, the one in use, and the name of the base model."""

    versions: tuple[Version, ...] = ()
    selected: str | None = None
    base: str = ""
    project: str = ""

    def find(self, id: str | None) -> Version | None:
        """A version by its id; None for the base model and for one that is gone."""
        return next((version for version in self.versions if version.id == id), None)

    @property
    def current(self) -> Version | None:
        """The version in use."""
        return self.find(self.selected)

    def name(self, id: str | None) -> str:
        """What to call a version, or the base model."""
        if id is None:
            return f"Base model ({self.base})"
        found = self.find(id)
        return found.name if found else "a deleted version"

    def origin(self, version: Version) -> str:
        """What to call that which a version was made from."""
        return self.name(version.parent) if version.parent else f"Base model ({version.base})"


def list_versions(sessions: Sessions, id: str) -> VersionList:
    """The versions of a project; an empty list for a visitor who has none."""
    project = sessions.find(id)
    if project is None:
        return VersionList()
    return VersionList(tuple(project.versions()), project.selected, project.base, project.id)


def use_version(sessions: Sessions, id: str, version: str | None) -> VersionList:
    """Answer with a version, or with the base model, from now on."""
    sessions.require(id).select(_version(version))
    return list_versions(sessions, id)


def undo_teaching(sessions: Sessions, id: str) -> VersionList:
    """Go back to what the version in use was made from."""
    sessions.require(id).undo()
    return list_versions(sessions, id)


def rename_version(sessions: Sessions, id: str, version: str | None, name: str) -> VersionList:
    """Call a version something else."""
    sessions.require(id).rename_version(_own_version(version), name)
    return list_versions(sessions, id)


def delete_version(sessions: Sessions, id: str, version: str | None) -> VersionList:
    """Remove a version for good; the base model cannot be removed."""
    sessions.require(id).delete_version(_own_version(version))
    return list_versions(sessions, id)


def _version(chosen: str | None) -> str | None:
    if not chosen:
        raise InputError("No version was chosen; choose one first.")
    return None if chosen == BASE else chosen


def _own_version(chosen: str | None) -> str:
    version = _version(chosen)
    if version is None:
        raise InputError("The base model stays as it is; choose one of your own versions.")
    return version


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
            (relation, len(rows), [self._right(column, rows) for column in self.columns])
            for relation, rows in places.items()
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
    sessions: Sessions, id: str, listed: VersionList, versions: Sequence[str | None]
) -> Results:
    """Ask some versions (None is the base model) about every row, as it is now.

    Each is asked as if it had been taught nothing of the row's two names.

    Raises:
        InputError: no project, no usable row, or no such version.
    """
    project = sessions.require(id)
    pairs = report_on(sessions, id, project.rows).pairs
    if not pairs:
        raise InputError("There is no usable row to ask about; write a few rows first.")
    columns = []
    for version in dict.fromkeys(versions):
        model = project.model(version)
        columns.append(
            Column(listed.name(version), tuple(judge(model, pairs)), tuple(model.labels))
        )
    return Results(pairs, tuple(columns))
