"""All projects of a machine: a folder of folders, each opened by knowing its id."""

from __future__ import annotations

import secrets
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symdemo.errors import InputError
from symdemo.teaching import project_files as files
from symdemo.teaching.folder_lock import FolderLock, hold, job_is_elsewhere, let_go, let_go_of_job
from symdemo.teaching.json_files import sync_folder, write_json
from symdemo.teaching.limits import Limits
from symdemo.teaching.model_cache import ModelCache
from symdemo.teaching.project import Project

if TYPE_CHECKING:
    from symdemo.classifier import SymmetryClassifier

PREFERRED_BASES = ("general", "wikidata14")
"""The models to start a project from, best first; without them it is the first by name."""

DEFAULT_NAME = "My relations"
_UNKNOWN = "There is no such project here; it may have been deleted, or the address is incomplete."
_TOUCH_SECONDS = 60


class ProjectStore:
    """Makes, opens and removes projects; safe between threads, and between processes.

    Opening a store removes what a kill left half written and marks the jobs that died with it.

    Args:
        root: the folder of all projects; it is made if it is not there.
        limits: what one person may ask for.
        load_base: gives a base model by its name; from `models/` if None.
        bases: the names of the base models, the one to start with first; those in `models/` if
            empty.

    Attributes:
        models: the few that stay in memory.
    """

    def __init__(
        self,
        root: str | Path,
        limits: Limits | None = None,
        load_base: Callable[[str], SymmetryClassifier] | None = None,
        bases: Sequence[str] = (),
    ):
        self.root = Path(root).absolute()
        self.limits = limits or Limits()
        self.models = ModelCache()
        self._load_base = load_base
        self._bases = tuple(bases)
        self._locks: dict[str, FolderLock] = {}
        self._guard = threading.Lock()
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._root_lock = FolderLock(self.root)
        self._sweep()

    @property
    def bases(self) -> tuple[str, ...]:
        """The names of the base models, the one to start with first."""
        from symdemo.checkpoints import list_models

        if self._bases:
            return self._bases
        here = [card.name for card in list_models()]
        return tuple(sorted(here, key=lambda name: _rank(name, here))) or PREFERRED_BASES[-1:]

    def base_model(self, name: str | None = None) -> SymmetryClassifier:
        """A base model by its name, or the one to start with.

        Raises:
            InputError: there is none of that name.
            ModelError: it is damaged.
        """
        from symdemo.checkpoints import load_model

        name = self.check_base(name)
        return self.models.get(("", name), lambda: (self._load_base or load_model)(name))

    def check_base(self, name: str | None) -> str:
        """The name of a base model, or `InputError`; a path or a hub id is none."""
        bases = self.bases
        if name is not None and name not in bases:
            raise InputError(
                f"There is no base model “{self.limits.check_name(name)}” here; expected: "
                f"{', '.join(bases)}."
            )
        return bases[0] if name is None else name

    def create(self, name: str = DEFAULT_NAME, base: str | None = None) -> Project:
        """A new, empty project.

        Raises:
            InputError: there is no room for more, or the name cannot be used.
        """
        name, base = self.limits.check_name(name), self.check_base(base)
        with self.draft() as draft:
            return self.adopt(draft, name=name, base=base, created=files.now())

    def open(self, id: str) -> Project:
        """The project that has the id.

        Raises:
            InputError: there is none, or `id` has not the form of an id: one sentence for both.
        """
        touched = datetime.fromisoformat(self.info(id)["touched"])
        project = Project(self, id)
        if abs(datetime.now(UTC) - touched) > timedelta(seconds=_TOUCH_SECONDS):
            project.touch()
        return project

    def delete(self, id: str) -> None:
        """Remove a project with all that is in it."""
        with self.locked(id):
            self._remove(id)

    def clean_idle(self, now: datetime | None = None) -> int:
        """Remove the projects that nobody used for `Limits.idle_days`; how many these were."""
        oldest = (now or datetime.now(UTC)) - timedelta(days=self.limits.idle_days)
        number = 0
        for id in self._ids():
            with suppress(InputError):
                if self._last_use(id) < oldest:
                    with self.locked(id, whole=False):
                        if self._last_use(id) < oldest and not self._has_job(id):
                            self._remove(id)
                            number += 1
        return number

    def info(self, id: object) -> dict[str, Any]:
        """What the project.json of a project says; errors as in `open`."""
        if not self._exists(id):
            raise InputError(_UNKNOWN)
        try:
            return files.read_info(self.root / id)
        except InputError:
            if not self._exists(id):  # removed meanwhile
                raise InputError(_UNKNOWN) from None
            raise

    @contextmanager
    def locked(self, id: str, whole: bool = True) -> Iterator[None]:
        """Keep all others from changing a project; with `whole`, its project.json must be there."""
        if not _is_id(id):
            raise InputError(_UNKNOWN)
        with self._guard:
            lock = self._locks.setdefault(id, FolderLock(self.root / id))
        try:
            lock.take()
        except (FileNotFoundError, NotADirectoryError):
            with self._guard:
                self._locks.pop(id, None)
            raise InputError(_UNKNOWN) from None
        try:
            if whole and not self._exists(id):  # removed while this thread waited
                raise InputError(_UNKNOWN)
            yield
        finally:
            lock.free()

    @contextmanager
    def draft(self) -> Iterator[Path]:
        """A folder in which a project can be put together, for `adopt`; else it is removed."""
        with self._root_lock:  # no sweep may come before it is held
            self._check_room()
            draft = Path(tempfile.mkdtemp(prefix=files.DRAFT, dir=self.root))
            handle = hold(draft, wait=True)
        try:
            yield draft
        finally:
            let_go(handle)
            files.remove(draft)

    def adopt(self, draft: Path, **info) -> Project:
        """Make a project with a new id of a draft and of what its project.json is to say."""
        id = secrets.token_urlsafe(18)
        values = {"selected": None, "made": 0, "touched": files.now()} | info
        write_json(draft / files.PROJECT, files.check_info(values))
        with self._root_lock:
            self._check_room()
            draft.rename(self.root / id)
        sync_folder(self.root)
        return Project(self, id)

    def _check_room(self) -> None:
        if len(self._ids()) >= self.limits.projects:
            self.clean_idle()
        self.limits.check_projects(len(self._ids()) + 1)

    def _ids(self) -> list[str]:
        return sorted(path.name for path in self.root.iterdir() if _is_id(path.name))

    def _exists(self, id: object) -> bool:
        return _is_id(id) and (self.root / id / files.PROJECT).is_file()

    def _last_use(self, id: str) -> datetime:
        try:
            return datetime.fromisoformat(self.info(id)["touched"])
        except InputError:
            with suppress(OSError):
                return datetime.fromtimestamp((self.root / id).stat().st_mtime, UTC)
            raise

    def _has_job(self, id: str) -> bool:
        with suppress(InputError):
            state = Project(self, id).job_state
            return isinstance(state, dict) and state.get("state") in files.ALIVE
        return job_is_elsewhere(self.root / id / files.JOB_LOCK)

    def _remove(self, id: str) -> None:
        gone = self.root / (files.DELETED + id)
        (self.root / id).rename(gone)
        let_go_of_job(self.root / id / files.JOB_LOCK)
        files.remove(gone)
        self.models.drop(id)
        with self._guard:
            self._locks.pop(id, None)

    def _sweep(self) -> None:
        with self._root_lock:
            for path in self.root.glob(".*"):
                if path.name.startswith((files.DRAFT, files.DELETED)):
                    with suppress(OSError):
                        handle = hold(path, wait=False)
                        if handle is not None:  # nobody alive is at it
                            files.remove(path)
                            let_go(handle)
        for id in self._ids():
            lock = FolderLock(self.root / id)
            with suppress(OSError):
                if lock.take(wait=False):  # else somebody alive is writing
                    files.sweep_drafts(self.root / id)
                    lock.free()
                files.mark_job(self.root / id)


def _rank(name: str, names: Sequence[str]) -> int:
    return PREFERRED_BASES.index(name) - 9 if name in PREFERRED_BASES else names.index(name)


def _is_id(id: object) -> bool:
    return isinstance(id, str) and files.PROJECT_ID.fullmatch(id) is not None
