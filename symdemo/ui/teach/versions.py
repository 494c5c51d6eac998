"""The versions of a project: which one is in use, what it changed, and what each says of rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import isfinite
from operator import eq
from typing import Any

from markupsafe import Markup

from symdemo.classifier import Prediction
from symdemo.errors import InputError
from symdemo.pairs import Pair
from symdemo.teaching.comparison import judge
from symdemo.teaching.project import Project, Version
from symdemo.teaching.rows import NO_RELATION
from symdemo.text import is_number, percent
from symdemo.ui.shared.figures import COLOURS, GRID, QUERY_COLOUR, base_layout, note, to_figure
from symdemo.ui.shared.html import count, draw
from symdemo.ui.shared.sessions import Sessions
from symdemo.ui.teach.grid import report_on

BASE = "base"  # value for the base model in a choice of versions

CURVE_HEIGHT = 300


@dataclass(frozen=True)
class VersionList:
    """The versions of a project, oldest first, the one in use, and the name of the base model."""

    versions: tuple[Version, ...] = ()
    selected: str | None = None
    base: str = ""
    project: str = ""
    undoable: bool = False  # another one was in use before

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


@dataclass(frozen=True)
class Column:
    """A model's verdicts on all rows."""

    id: str | None  # of the version; None for the base model
    name: str
    labels: tuple[str, ...]
    verdicts: tuple[Prediction | None, ...]  # None if it had no neighbours
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

    Each is queried as if it had been taught nothing about the row's two names. `InputError` without
    a project or a usable row, and for versions that do not exist.
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


def changes_panel(listed: VersionList) -> Markup:
    """Draw before and after, for the version in use.

    A version may come from an archive that anybody wrote, so scores of the wrong type are skipped.
    """
    return draw("teach/changes.html", listed=listed, version=listed.current)


def gain(version: Version) -> str:
    """Describe how a version was made, what it gained on the visitor's rows, and what it cost."""
    scores = version.scores
    parts = [f"{version.how}, {count(version.rows, 'row')}"]
    for title, name in (("your rows", "own"), ("benchmark", "benchmark")):
        sides = [scores.get(f"{name}_{side}") for side in ("before", "after")]
        if all(map(is_number, sides)):
            parts.append(f"{title} {' → '.join(map(percent, sides))}")
    if is_number(scores.get("drift")):
        parts.append(f"other sentences kept {percent(scores['drift'])}")
    return "; ".join(parts)


def compare_panel(listed: VersionList, results: RowResults) -> Markup:
    """Draw two or three models side by side, the base model being the last; then every row."""
    versions = [listed.find(column.id) for column in results.columns]
    first = next((v for v in versions if v and not v.parent and v.base == listed.base), None)
    return draw(
        "teach/compared.html",
        versions=versions,
        base=first.scores | {"drift": 1.0} if first else {},  # before something was taught to it
        results=results,
        when=datetime.fromisoformat,
    )


def draw_curves(points: Iterable[Any]) -> dict[str, Any] | None:
    """Draw loss above held-out accuracy, over the steps; None before the first step.

    The points are dicts with `step`, `total`, `loss` and `accuracy` (in [0, 1], None between
    measurements). Other values, which an archive may hold, are skipped.
    """
    points = [p for p in points if isinstance(p, Mapping)]

    def drawn(name: str, factor: float = 1) -> list[tuple[float, float]]:
        keys = ("step", name)
        drawable = [p for p in points if all(is_number(p.get(k)) and isfinite(p[k]) for k in keys)]
        return [(p["step"], round(factor * p[name], 5)) for p in drawable]

    if not (loss := drawn("loss")):
        return None
    traces = [
        {
            "type": "scatter",
            "mode": mode,
            "x": [x for x, _ in curve],
            "y": [y for _, y in curve],
            "yaxis": axis,
            "line": {"color": colour, "width": 2},
            "marker": {"color": colour, "size": 9},
            "hovertemplate": f"step %{{x}}<br>{hover}<extra></extra>",
        }
        for curve, colour, axis, mode, hover in (
            (loss, COLOURS["fails"], "y", "lines", "loss %{y:.3f}"),
            (drawn("accuracy", 100), COLOURS["holds"], "y2", "lines+markers", "%{y:.0f}% right"),
        )
    ]
    total = max([total for _, total in drawn("total")] or [loss[-1][0]])
    percents = {"tickvals": [0, 50, 100], "ticktext": ["0%", "50%", "100%"]}
    title = {"x": 0, "yref": "paper", "yanchor": "bottom"}
    title["font"] = {"size": 13, "color": QUERY_COLOUR}
    axis = {"fixedrange": True, "zeroline": False, "gridcolor": GRID}
    layout = base_layout(CURVE_HEIGHT, {"l": 44, "r": 12, "t": 26, "b": 34}) | {
        "xaxis": axis | {"range": [0, total], "anchor": "y2", "title": {"text": "step"}},
        "yaxis": axis | {"domain": [0.58, 1], "rangemode": "tozero", "nticks": 4},
        "yaxis2": axis | {"domain": [0, 0.4], "range": [-4, 104]} | percents,
        "annotations": [
            note("Error (loss)", y=1.0, **title),
            note("Right on held-out rows", y=0.4, **title),
        ],
    }
    return to_figure(traces, layout)
