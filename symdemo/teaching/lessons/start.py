"""Where a retraining starts from: a version of the project, or a built-in model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from symdemo.errors import InputError
from symdemo.text import one_line, shorten

if TYPE_CHECKING:
    from symdemo.classifier import SymmetryClassifier
    from symdemo.teaching.projects.project import Project, Version


@dataclass(frozen=True, slots=True)
class Start:
    """Where a retraining starts from.

    Attributes:
        name: what to call it.
        base: the built-in model that it is, or that the version goes back to.
        version: the id of the version; None for a built-in model.
    """

    name: str
    base: str
    version: str | None = None

    def model(self, project: Project) -> SymmetryClassifier:
        """The model to start from; errors as in `Project.model`."""
        return project.model(self.version) if self.version else project.built_in(self.base)


def find_version(project: Project, text: str) -> Version | None:
    """The version that has this id or, where none has, this name; None where there is none.

    Raises:
        InputError: several have the name.
    """
    versions = project.versions()
    found = [version for version in versions if version.id == text]
    found = found or [version for version in versions if version.name == text]
    if len(found) > 1:
        raise InputError(
            f"{len(found)} versions are called “{shorten(text)}”; name one by its id: "
            f"{', '.join(version.id for version in found)}."
        )
    return found[0] if found else None


def find_start(project: Project, chosen: str | None = None) -> Start:
    """Read a choice of what to start from.

    Args:
        project: whose versions can be chosen.
        chosen: the name of a built-in model, or the id or name of a version, looked for in this
            order; None is the built-in model that the project began with.

    Raises:
        InputError: there is neither, or several versions have the name.
    """
    if chosen is None:
        return Start(project.base, project.base)
    if chosen in project.built_ins:
        return Start(chosen, chosen)
    version = find_version(project, chosen)
    if version is None:
        known = [*(version.name for version in project.versions()), *project.built_ins]
        raise InputError(
            f"There is no such version or built-in model as “{shorten(one_line(str(chosen)))}”; "
            f"expected: {', '.join(dict.fromkeys(known))}."
        )
    return Start(version.name, version.base, version.id)
