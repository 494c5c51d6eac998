"""The versions of the model that a person made in a project."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from logging import getLogger
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symdemo.errors import InputError
from symdemo.teaching import project_files as files
from symdemo.teaching.json_files import plain, sync_folder, write_json
from symdemo.teaching.limits import Limits
from symdemo.teaching.version import Version, is_version_id, thinned

if TYPE_CHECKING:
    from symdemo.classifier import SymmetryClassifier
    from symdemo.teaching.project_store import ProjectStore

logger = getLogger(__name__)

_NO_VERSION = "There is no such version in this project; it may have been deleted."


class ProjectVersions:
    """What a `Project` does with its versions.

    Attributes:
        id: what opens the project.
    """

    def __init__(self, store: ProjectStore, id: str):
        self._store = store
        self.id = id

    @property
    def folder(self) -> Path:
        """Where it is kept."""
        return self._store.root / self.id

    @property
    def limits(self) -> Limits:
        """Of its store."""
        return self._store.limits

    @property
    def base(self) -> str:
        """The name of the base model."""
        return self._info()["base"]

    @property
    def built_ins(self) -> tuple[str, ...]:
        """The names of all built-in models, the one to start with first."""
        return self._store.bases

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
                    "rows": len(self.rows),
                    "labels": list(model.labels),
                    "method": model.method,
                    "curve": plain(thinned(list(curve))),
                }
            )
            self._write_version(version, model)
            self._change(selected=version.id)
        return version

    def _write_version(self, version: Version, model: SymmetryClassifier) -> None:
        from symdemo.checkpoints import save_model

        folder = self.folder / files.VERSIONS
        folder.mkdir(exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=files.DRAFT, dir=folder))
        try:
            save_model(model, draft / "model")
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
        """Remove a version; if it was selected, its parent is then, or the base model."""
        with self.changing():
            version = self.version(id)
            if self.selected == id:
                self._change(selected=version.parent if self._has(version.parent) else None)
            gone = self.version_folder(id).with_name(files.DELETED + id)
            self.version_folder(id).rename(gone)
            files.remove(gone)
            self._store.models.drop(self.id, id)

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
        from symdemo.checkpoints import load_model

        if id is None:
            return self.built_in(self.base)
        self.version(id)

        def load() -> SymmetryClassifier:
            with self.changing():  # it is not deleted meanwhile
                self.version(id)
                return load_model(self.version_folder(id) / "model")

        return self._store.models.get((self.id, id), load)

    def built_in(self, name: str) -> SymmetryClassifier:
        """A built-in model by its name, whether the project began with it or not.

        Raises:
            InputError: there is none of that name.
            ModelError: it is damaged.
        """
        return self._store.base_model(name)

    def size_bytes(self) -> int:
        """What the project takes on the disk, in bytes."""
        return files.folder_bytes(self.folder)

    def changing(self) -> AbstractContextManager[None]:
        """Keep all others from changing the project meanwhile."""
        return self._store.locked(self.id)

    def _has(self, id: str | None) -> bool:
        return is_version_id(id) and (self.folder / files.VERSIONS / id / files.VERSION).is_file()

    def _info(self) -> dict[str, Any]:
        return self._store.info(self.id)

    def _change(self, **changes) -> None:
        path = self.folder / files.PROJECT
        write_json(path, self._info() | changes | {"touched": files.now()})
