"""A project: the rows of one person, the versions of their model, and the last job.

All of it is on the disk, so any number of threads and processes see the same project.
"""

from __future__ import annotations

import secrets
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from logging import getLogger
from pathlib import Path
from typing import Any, TypeGuard

from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.checkpoints import SHIPPED, list_models
from symdemo.classifier.symmetry import ModelCache
from symdemo.errors import DiskError, InputError
from symdemo.files import storage
from symdemo.pairs import Pair
from symdemo.teaching import project_files as files
from symdemo.teaching.limits import LIMITS, Limits
from symdemo.teaching.project_files import ProjectInfo, RowTable, Version, now, parse
from symdemo.teaching.rows import TeachRow, check_sizes
from symdemo.text import one_line, shorten

logger = getLogger(__name__)
_MEASURED_SECONDS = 5.0
MOST_USED = 100  # steps that can be undone


class SharedFolder:
    """The folder of all projects; safe between threads and between processes.

    `root` is created if missing; `limits` say what one person may use. `load_base` loads a base
    model by its name, from `models/` if None. `bases` are the names of the base models, the default
    first; if empty, those in `models/`.
    """

    def __init__(
        self,
        root: str | Path,
        limits: Limits = LIMITS,
        load_base: Callable[[str], SymmetryClassifier] | None = None,
        bases: Sequence[str] = (),
    ):
        self.root = Path(root).absolute()
        self.limits = limits
        self.models = ModelCache()
        self._load_base = load_base or SymmetryClassifier.from_pretrained
        self._bases = tuple(bases)
        self._locks: dict[str, storage.FolderLock] = {}
        self._measuring = threading.Lock()
        self._all_bytes, self._measured = 0, float("-inf")
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)

    @property
    def bases(self) -> tuple[str, ...]:
        """The names of the base models, the default first."""
        return self._bases or tuple(card.name for card in list_models()) or SHIPPED[-1:]

    def check_base(self, name: str | None) -> str:
        """Return the name of a base model; `InputError` for a path, a hub id or any other name."""
        bases = self.bases
        if name is not None and name not in bases:
            raise InputError(
                f"There is no base model “{self.limits.check_name(name)}” here; expected: "
                f"{', '.join(bases)}."
            )
        return bases[0] if name is None else name

    def base_model(self, name: str | None = None) -> SymmetryClassifier:
        """Return a base model by its name, or the default one; `ModelError` if it is damaged."""
        name = self.check_base(name)
        return self.models.get(("", name), lambda: self._load_base(name))

    def check_disk(self) -> None:
        """Raise if nothing large may be written; sizes are measured every few seconds."""
        storage.check_free(self.root, self.limits.free_bytes)
        with self._measuring:
            if time.monotonic() - self._measured > _MEASURED_SECONDS:
                self._all_bytes, self._measured = storage.folder_bytes(self.root), time.monotonic()
            self.limits.check("all_bytes", self._all_bytes)

    def lock_of(self, id: str) -> storage.FolderLock:
        """Return the lock of a project, one for all threads."""
        return self._locks.setdefault(id, storage.FolderLock(self.root / id))

    @contextmanager
    def locked(self, id: str) -> Iterator[None]:
        """Lock a project, which must exist."""
        if not files.is_project_id(id):
            raise files.unknown_project()
        lock = self.lock_of(id)
        try:
            lock.acquire()
        except (FileNotFoundError, NotADirectoryError):
            self._locks.pop(id, None)
            raise files.unknown_project() from None
        try:
            if not files.exists(self.root, id):  # removed while this thread waited
                raise files.unknown_project()
            with storage.explaining_disk_errors():
                yield
        finally:
            lock.release()


class Project:
    """One person's project, opened by a `ProjectStore`; `id` is the key that opens it.

    Every method raises `InputError` once the project was removed.
    """

    def __init__(self, store: SharedFolder, id: str, base: str):
        self.id, self.base, self.store = id, base, store
        self.folder, self.limits = store.root / id, store.limits

    @property
    def info(self) -> ProjectInfo:
        """The content of project.json, read from the disk."""
        return files.read_project(self.store.root, self.id)

    @property
    def name(self) -> str:
        """The name that the person gave the project."""
        return self.info.name

    @property
    def rows(self) -> list[TeachRow]:
        """The rows of the table."""
        return list(self.table.rows)

    @property
    def table(self) -> RowTable:
        """The table, read from the disk."""
        if not files.exists(self.store.root, self.id):
            raise files.unknown_project()
        return RowTable.read(self.folder)

    @property
    def job_state(self) -> dict | None:
        """The last argument of `save_job_state`; None if the file is missing or damaged."""
        try:
            return files.read_job(self.folder)
        except InputError as error:
            logger.warning("Ignoring a damaged job state: %s", error)
            return None

    @property
    def has_job_elsewhere(self) -> bool:
        """True if a job of the project runs in another process."""
        return storage.is_job_alive(self.folder / files.JOB_LOCK, elsewhere=True)

    def touch(self) -> None:
        """Record that the project is in use, so that it does not count as idle."""
        with self.changing():
            self._change()

    def repair(self) -> list[str]:
        """Write damaged files again from their copies, and say what was damaged."""
        if not files.repair(self.folder, write=False):  # most never wait for the lock
            return []
        with self.changing():
            return files.repair(self.folder)

    def save_rows(self, rows: Sequence[TeachRow]) -> None:
        """Replace the table; errors as in `change_table`."""
        self.change_table(lambda _: RowTable.of(rows))

    def change_table(self, change: Callable[[RowTable], RowTable]) -> RowTable:
        """Replace the table by `change(table)` under the lock, and return the new one.

        Unfinished rows are kept. If nothing changes, nothing is written. `InputError` for more or
        longer rows than the limits allow; the table stays as it was.
        """
        with self.changing():
            old = self.table
            new = replace(change(old), revision=old.revision)
            if new == old and (self.folder / RowTable.FILE).exists():
                return old
            check_sizes(new.rows, self.limits, known=set(old.rows))
            new = replace(new, revision=old.revision + 1)
            new.write(self.folder)
            self._change()
            return new

    def save_job_state(self, state: Mapping[str, Any]) -> None:
        """Save the state of a job: the name of the state as `state["state"]`, and anything else.

        If this process dies before the job has ended, its state later reads “broken off”.
        """
        lock, alive = self.folder / files.JOB_LOCK, state.get("state") in files.ALIVE
        with self.changing():
            if alive:
                storage.acquire_job(lock)
            storage.write_json(self.folder / files.JOB, dict(state))
            if not alive:
                storage.release_job(lock)

    @property
    def selected(self) -> str | None:
        """The id of the version in use; None for the base model."""
        return self._if_kept(self.info.selected)

    def versions(self) -> list[Version]:
        """Return the versions, oldest first; damaged ones are left out."""
        found = []
        for path in files.version_folders(self.folder):
            try:
                found.append(self.version(path.name))
            except InputError as error:
                logger.warning("Leaving out the version %s: %s", path.name, error)
        return found

    def version(self, id: str) -> Version:
        """Return one version of this project; `InputError` if there is none with that id."""
        if not self._has(id):
            raise InputError("There is no such version in this project; it may have been deleted.")
        return Version.read(self.version_folder(id))

    def find_version(self, text: str) -> Version | None:
        """Return the version with this id, else this name, else None; `InputError` for several."""
        versions = self.versions()
        found = [version for version in versions if version.id == text]
        found = found or [version for version in versions if version.name == text]
        if len(found) > 1:
            raise InputError(
                f"{len(found)} versions are called “{shorten(one_line(text))}”; name one by its "
                f"id: {', '.join(version.id for version in found)}."
            )
        return found[0] if found else None

    def version_folder(self, id: str) -> Path:
        """Return the folder of a version."""
        return self.folder / files.VERSIONS / id

    def add_version(
        self,
        model: SymmetryClassifier,
        *,
        how: str,
        name: str | None = None,
        base: str | None = None,
        parent: str | None = None,
        scores: Mapping[str, Any] | None = None,
        training: Mapping[str, Any] | None = None,
        curve: Sequence = (),
        rows: int | None = None,
    ) -> Version:
        """Save a taught model as a new version, whole or not at all, and select it.

        The arguments are fields of `Version`. By default the third is called "Version 3", the base
        model is the parent's, and the number of rows is that of the present table. `InputError` if
        the project is full, or a value is not allowed.
        """
        name = None if name is None else self.limits.check_name(name)
        if base is None:
            base = self.version(parent).base if self._has(parent) else self.base
        with self.changing():
            self.limits.check("versions", len(self.versions()) + 1)
            info = self.info
            number = min(info.made + 1, 999_999)
            info.save(self.folder, made=number)
            values = {
                "id": f"v{number:06d}-{secrets.token_hex(4)}",
                "name": name or f"Version {number}",
                "created": now(),
                "parent": parent,
                "how": how,
                "base": self.limits.check_name(base),
                "scores": storage.plain(scores or {}),
                "training": storage.plain(training or {}),
                "rows": len(self.rows) if rows is None else rows,
                "labels": list(model.labels),
                "method": model.method,
                "curve": storage.plain(list(curve)),
            }
            version = parse(Version, values, Version.FILE)
            self._write_version(version, model)
            self._use(version.id)
        return version

    def _write_version(self, version: Version, model: SymmetryClassifier) -> None:
        folder, weights = self.folder / files.VERSIONS, self.store.root / files.WEIGHTS
        folder.mkdir(exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=files.DRAFT, dir=folder))
        try:
            self.store.check_disk()
            model.save_pretrained(draft / "model", shared=weights, whole=False)
            version.write(draft)
            self.limits.check("project_bytes", storage.folder_bytes(self.folder))
            draft.rename(folder / version.id)
            storage.sync_folder(folder)
        finally:
            files.remove(draft)

    def rename_version(self, id: str, name: str) -> None:
        """Rename a version."""
        name = self.limits.check_name(name)
        with self.changing():
            self.version(id).model_copy(update={"name": name}).write(self.version_folder(id))
            self._change()

    def delete_version(self, id: str) -> None:
        """Remove a version; if it was selected, select its parent or, without one, the base model.

        On a full disk the selection cannot be saved; the base model is then used.
        """
        with self.changing():
            parent = self._if_kept(self.version(id).parent)
            was_selected = self.selected == id
            gone = self.version_folder(id).with_name(files.DELETED + id)
            self.version_folder(id).rename(gone)
            files.remove(gone)
            storage.drop_unshared(self.store.root / files.WEIGHTS)
            self.store.models.drop(self.id, id)
            if was_selected:
                with suppress(OSError, DiskError):
                    self._change(selected=parent)

    def select(self, id: str | None) -> None:
        """Use another version from now on; None is the base model."""
        with self.changing():
            if id is not None:
                self.version(id)
            self._use(id)

    @property
    def used(self) -> list[str | None]:
        """The versions in use before the selected one, oldest first; None is the base model."""
        info, selected = self.info, self.selected
        used = info.used
        if used is None:
            used = [None, *(one.id for one in self.versions() if one.id < (selected or ""))]
        kept = [id for id in used if id is None or self._has(id)]
        while kept and kept[-1] == selected:  # what was between them is deleted
            kept.pop()
        return kept

    def undo(self) -> str | None:
        """Select what was in use before the selected version; `InputError` if nothing was."""
        with self.changing():
            if not (used := self.used):
                raise InputError("No other version was in use before; there is nothing to undo.")
            self._change(selected=used[-1], used=used[:-1])
            return used[-1]

    def model(self, id: str | None = None) -> SymmetryClassifier:
        """Return the model of a version, the base model if None; `ModelError` if it is damaged."""
        if id is None:
            return self.store.base_model(self.base)
        self.version(id)

        def load() -> SymmetryClassifier:
            with self.changing():  # so that nobody deletes it
                self.version(id)
                return SymmetryClassifier.from_pretrained(self.version_folder(id) / "model")

        return self.store.models.get((self.id, id), load)

    def with_labels_of(
        self, model: SymmetryClassifier, pairs: Iterable[Pair], base: str
    ) -> SymmetryClassifier:
        """Return a model that knows only labels of its built-in model `base`, and of `pairs`.

        Otherwise a label that was once taught by mistake could never be removed.
        """
        if base not in self.store.bases:
            return model
        labels = {*self.store.base_model(base).labels, *(pair.label for pair in pairs)}
        return model.keeping(lambda pair: pair.label in labels)

    def changing(self) -> AbstractContextManager[None]:
        """Lock the project."""
        return self.store.locked(self.id)

    def _has(self, id: str | None) -> TypeGuard[str]:
        return files.is_version_id(id) and (self.version_folder(id) / Version.FILE).is_file()

    def _if_kept(self, id: str | None) -> str | None:
        return id if self._has(id) else None

    def _use(self, id: str | None) -> None:
        """Select a version; what was in use is remembered for `undo`."""
        if id != (selected := self.selected):
            self._change(selected=id, used=[*self.used, selected][-MOST_USED:])

    def _change(self, **changes) -> None:
        self.info.save(self.folder, **changes)
