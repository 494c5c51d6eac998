"""A project: the rows of one person, the versions of the model they made, and the last job.

Nothing of it is kept in memory, so any number of threads and processes see the same project.
`files` says what is in its folder.
"""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from logging import getLogger
from pathlib import Path
from typing import Any, TypeGuard

from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.cache import ModelCache
from symdemo.errors import DiskError, InputError
from symdemo.files.atomic import sync_folder
from symdemo.files.disk import drop_unshared, folder_bytes
from symdemo.files.json_files import plain, read_json, write_json
from symdemo.files.locks import acquire_job, is_job_elsewhere, release_job
from symdemo.teaching.limits import Limits
from symdemo.teaching.projects import files
from symdemo.teaching.projects.version import Version, is_version_id, thinned
from symdemo.teaching.rows.row import Row
from symdemo.teaching.rows.table import Table

__all__ = ["Project", "ProjectContext", "Version"]

logger = getLogger(__name__)

_NO_VERSION = "There is no such version in this project; it may have been deleted."


@dataclass(frozen=True, slots=True)
class ProjectContext:
    """What all projects of a store share.

    Attributes:
        root: the folder of all projects.
        limits: what one person may ask for.
        models: the few that stay in memory.
        bases: the names of the built-in models, the one to start with first.
        base_model: a built-in model by its name.
        locked: keeps all others from changing the project of an id meanwhile.
        check_room: raises where nothing large is to be written any more.
    """

    root: Path
    limits: Limits
    models: ModelCache
    bases: Callable[[], tuple[str, ...]]
    base_model: Callable[[str], SymmetryClassifier]
    locked: Callable[[str], AbstractContextManager[None]]
    check_room: Callable[[], None]


class Project:
    """One person's project; had from a `ProjectStore`.

    Every method raises `InputError` once the project was removed.

    Attributes:
        id: what opens it.
    """

    def __init__(self, context: ProjectContext, id: str):
        self._context = context
        self.id = id

    @property
    def folder(self) -> Path:
        """Where it is kept."""
        return self._context.root / self.id

    @property
    def limits(self) -> Limits:
        """What one person may ask for."""
        return self._context.limits

    @property
    def name(self) -> str:
        """What the person calls it."""
        return self._info()["name"]

    @property
    def created(self) -> str:
        """ISO 8601, UTC."""
        return self._info()["created"]

    @property
    def touched(self) -> str:
        """When it was last used: ISO 8601, UTC."""
        return self._info()["touched"]

    @property
    def rows(self) -> list[Row]:
        """The rows of the person's table."""
        return list(self.table.rows)

    @property
    def table(self) -> Table:
        """The person's table, with the names of its rows and its revision."""
        self._info()  # a removed project is no empty one
        return files.read_table(self.folder)

    @property
    def job_state(self) -> dict | None:
        """What `save_job_state` was given last; a damaged file counts as none."""
        path = self.folder / files.JOB
        if not path.exists():
            return None
        try:
            state = read_json(path, files.ROWS_BYTES)
        except InputError as error:
            logger.warning("The state of a job is left out: %s", error)
            return None
        return state if isinstance(state, dict) else None

    @property
    def has_job_elsewhere(self) -> bool:
        """Whether a job of the project is at work in another process."""
        return is_job_elsewhere(self.folder / files.JOB_LOCK)

    def touch(self) -> None:
        """Note that the project is in use, so that it does not count as idle."""
        with self.changing():
            self._change()

    def rename(self, name: str) -> None:
        """Give the project another name."""
        name = self.limits.check_name(name)
        with self.changing():
            self._change(name=name)

    def save_rows(self, rows: Sequence[Row]) -> None:
        """Put `rows` in the place of the table; unfinished rows are kept as they are.

        Raises:
            InputError: more or longer than the limits allow; the table stays as it was.
        """
        self.change_table(lambda _: Table.of(rows))

    def change_table(self, change: Callable[[Table], Table]) -> Table:
        """Put what `change` makes of the table in its place, and return it with its new revision.

        Nobody else reads or changes the project between; where nothing changes, nothing is
        written.

        Raises:
            InputError: more or longer rows than the limits allow; the table stays as it was.
        """
        with self.changing():
            old = self.table
            new = replace(change(old), revision=old.revision)
            if new == old and (self.folder / files.ROWS).exists():
                return old
            files.check_rows(new.rows, self.limits)
            new = replace(new, revision=old.revision + 1)
            files.write_table(self.folder, new)
            self._change()
            return new

    def save_job_state(self, state: Mapping[str, Any]) -> None:
        """Keep the state of a job under `state["state"]`, and whatever else is in `state`.

        One that has not ended when this process does will read "broken off".
        """
        lock, alive = self.folder / files.JOB_LOCK, state.get("state") in files.ALIVE
        with self.changing():
            if alive:
                acquire_job(lock)
            write_json(self.folder / files.JOB, dict(state))
            if not alive:
                release_job(lock)

    @property
    def base(self) -> str:
        """The name of the base model."""
        return self._info()["base"]

    @property
    def built_ins(self) -> tuple[str, ...]:
        """The names of all built-in models, the one to start with first."""
        return self._context.bases()

    @property
    def selected(self) -> str | None:
        """The id of the version in use; None is the base model."""
        chosen = self._info()["selected"]
        return chosen if chosen and self._has(chosen) else None

    def versions(self) -> list[Version]:
        """The versions, oldest first; damaged ones are left out."""
        found = []
        for path in sorted(self.folder.glob(f"{files.VERSIONS}/v*")):
            if is_version_id(path.name):
                try:
                    found.append(self.version(path.name))
                except InputError as error:
                    logger.warning("The version %s is left out: %s", path.name, error)
        return found

    def version(self, id: str) -> Version:
        """One version of this project.

        Raises:
            InputError: it has none with that id.
        """
        if not self._has(id):
            raise InputError(_NO_VERSION)
        return files.read_version(self.version_folder(id))

    def version_folder(self, id: str) -> Path:
        """Where a version is kept, whether it is there or not."""
        if not is_version_id(id):
            raise InputError(_NO_VERSION)
        return self.folder / files.VERSIONS / id

    def add_version(
        self,
        model: SymmetryClassifier,
        *,
        name: str | None = None,
        how: str,
        base: str | None = None,
        parent: str | None = None,
        scores: Mapping[str, Any] | None = None,
        training: Mapping[str, Any] | None = None,
        curve: Sequence = (),
        rows: int | None = None,
    ) -> Version:
        """Keep a model as a new version, whole or not at all, and select it.

        Args:
            model: what was taught.
            name: of the version; "Version 3" for the third if None.
            how: "instant" or "retrained".
            base: the name of the base model; the parent's if None, or else the project's.
            parent: the id of the version it was made from; None for the base model.
            scores: what it was measured at, as JSON values.
            training: hyperparameters, as JSON values.
            curve: points of its learning curve, as JSON values.
            rows: lines of the table that it was taught; those there are now if None.

        Raises:
            InputError: the project is full, or a value is not allowed.
        """
        name = None if name is None else self.limits.check_name(name)
        if base is None:
            base = self.version(parent).base if self._has(parent) else self.base
        with self.changing():
            self.limits.check_versions(len(self.versions()) + 1)
            number = min(self._info()["made"] + 1, 999_999)
            self._change(made=number)
            version = Version.from_json(
                {
                    "id": f"v{number:06d}-{secrets.token_hex(4)}",
                    "name": name or f"Version {number}",
                    "created": files.now(),
                    "parent": parent,
                    "how": how,
                    "base": self.limits.check_name(base),
                    "scores": plain(scores or {}),
                    "training": plain(training or {}),
                    "rows": len(self.rows) if rows is None else rows,
                    "labels": list(model.labels),
                    "method": model.method,
                    "curve": plain(thinned(list(curve))),
                }
            )
            self._write_version(version, model)
            self._change(selected=version.id)
        return version

    def _write_version(self, version: Version, model: SymmetryClassifier) -> None:
        folder = self.folder / files.VERSIONS
        folder.mkdir(exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=files.DRAFT, dir=folder))
        try:
            self._context.check_room()
            model.save_pretrained(draft / "model", shared=self._context.root / files.WEIGHTS)
            files.write_version(draft, version)
            self.limits.check_project_bytes(self.size_bytes())
            draft.rename(folder / version.id)
            sync_folder(folder)
        finally:
            files.remove(draft)

    def rename_version(self, id: str, name: str) -> None:
        """Give a version another name."""
        name = self.limits.check_name(name)
        with self.changing():
            changed = replace(self.version(id), name=name)
            files.write_version(self.version_folder(id), changed)
            self._change()

    def delete_version(self, id: str) -> None:
        """Remove a version; if it was selected, its parent is then, or the base model.

        It needs no room on the disk: on a full one the base model is used until there is some.
        """
        with self.changing():
            version = self.version(id)
            parent = version.parent if self._has(version.parent) else None
            left = {"selected": parent} if self.selected == id else {}
            gone = self.version_folder(id).with_name(files.DELETED + id)
            self.version_folder(id).rename(gone)
            files.remove(gone)
            drop_unshared(self._context.root / files.WEIGHTS)
            self._context.models.drop(self.id, id)
            if left:
                with suppress(OSError, DiskError):
                    self._change(**left)

    def select(self, id: str | None) -> None:
        """Use another version from now on; None is the base model."""
        with self.changing():
            if id is not None:
                self.version(id)
            self._change(selected=id)

    def undo(self) -> str | None:
        """Select the parent of the selected version, or the base model, and return its id."""
        with self.changing():
            if self.selected is None:
                raise InputError("The base model is in use already; there is nothing to undo.")
            parent = self.version(self.selected).parent
            chosen = parent if self._has(parent) else None
            self._change(selected=chosen)
            return chosen

    def model(self, id: str | None = None) -> SymmetryClassifier:
        """The model of a version, or the base model.

        Raises:
            InputError: there is no such version.
            ModelError: it is damaged.
        """
        if id is None:
            return self.built_in(self.base)
        self.version(id)

        def load() -> SymmetryClassifier:
            with self.changing():  # it is not deleted meanwhile
                self.version(id)
                return SymmetryClassifier.from_pretrained(self.version_folder(id) / "model")

        return self._context.models.get((self.id, id), load)

    def built_in(self, name: str) -> SymmetryClassifier:
        """A built-in model by its name, whether the project began with it or not.

        Raises:
            InputError: there is none of that name.
            ModelError: it is damaged.
        """
        return self._context.base_model(name)

    def size_bytes(self) -> int:
        """What the project takes on the disk, in bytes."""
        return folder_bytes(self.folder)

    def changing(self) -> AbstractContextManager[None]:
        """Keep all others from changing the project meanwhile."""
        return self._context.locked(self.id)

    def _has(self, id: str | None) -> TypeGuard[str]:
        return is_version_id(id) and (self.folder / files.VERSIONS / id / files.VERSION).is_file()

    def _info(self) -> dict[str, Any]:
        return files.read_project(self._context.root, self.id)

    def _change(self, **changes) -> None:
        path = self.folder / files.PROJECT
        write_json(path, self._info() | changes | {"touched": files.now()})
