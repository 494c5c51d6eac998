"""The versions of a project: which one is in use, and what each says about every row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import eq

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
    """A model's verdicts on all rows, None if it had no neighbours, and which of them are right.

    `id` is that of the version; None for the base model.
    """

    id: str | None
    name: str
    labels: tuple[str, ...]
    verdicts: tuple[Prediction | None, ...]
    right: tuple[bool, ...]

    def score(self, places: Iterable[int]) -> int:
        """Return how many verdicts are right, of those on some rows."""
        return sum(self.right[place] for place in places)


@dataclass(frozen=True)
class RowResults:
    """The pairs of all usable rows of a project, judged by one model or more."""

    pairs: tuple[Pair, ...]
    columns: tuple[Column, ...]

    def relations(self) -> list[tuple[str, list[int]]]:
        """Return (relation, places of its rows), sorted by the score of the first model."""
        places: dict[str, list[int]] = defaultdict(list)
        for place, pair in enumerate(self.pairs):
            places[pair.relation or NO_RELATION].append(place)
        first = self.columns[0]
        return sorted(places.items(), key=lambda found: first.score(found[1]) / len(found[1]))

    def wrong_first(self) -> list[int]:
        """Return the places of all rows, sorted by the models that have them wrong."""
        places = range(len(self.pairs))
        return sorted(places, key=lambda place: [column.right[place] for column in self.columns])


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
        said = tuple(judge(model, pairs))
        labels = [verdict.label if verdict else None for verdict in said]
        right = tuple(map(eq, labels, (pair.label for pair in pairs)))
        columns.append(Column(version, listed.name(version), tuple(model.labels), said, right))
    return RowResults(pairs, tuple(columns))
