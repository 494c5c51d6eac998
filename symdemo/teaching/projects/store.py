"""All projects of a machine: a folder of folders, each opened by knowing its id."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.cache import ModelCache
from symdemo.classifier.checkpoints import SHIPPED, list_models
from symdemo.errors import InputError, SymdemoError
from symdemo.files.atomic import sync_folder
from symdemo.files.disk import drop_unshared, telling_of_disk
from symdemo.files.json_files import write_json
from symdemo.files.locks import FolderLock, acquire, release, release_job
from symdemo.teaching.limits import Limits
from symdemo.teaching.projects import files, room
from symdemo.teaching.projects.keys import new_key
from symdemo.teaching.projects.project import Project, ProjectContext

DEFAULT_NAME = "My relations"
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
        crowding: how many projects there are of whoever began that of an id; where there is no
            room, those of the greatest crowd give way first.

    Attributes:
        models: the few that stay in memory.
    """

    def __init__(
        self,
        root: str | Path,
        limits: Limits | None = None,
        load_base: Callable[[str], SymmetryClassifier] | None = None,
        bases: Sequence[str] = (),
        crowding: Callable[[str], int] = lambda id: 1,
    ):
        self.root = Path(root).absolute()
        self.limits = limits or Limits()
        self.models = ModelCache()
        self._load_base = load_base or SymmetryClassifier.from_pretrained
        self._bases = tuple(bases)
        self._disk = room.DiskRoom(self.root, self.limits)
        self._idle = room.IdleWatch()
        self._crowding = crowding
        self._context = ProjectContext(
            self.root,
            self.limits,
            self.models,
            lambda: self.bases,
            self.base_model,
            self.locked,
            self._disk.check,
        )
        self._locks: dict[str, FolderLock] = {}
        self._guard, self._cleaning = threading.Lock(), threading.Lock()
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._root_lock = FolderLock(self.root)
        self._sweep()

    @property
    def bases(self) -> tuple[str, ...]:
        """The names of the base models, the one to start with first."""
        if self._bases:
            return self._bases
        return tuple(card.name for card in list_models()) or SHIPPED[-1:]

    def base_model(self, name: str | None = None) -> SymmetryClassifier:
        """A base model by its name, or the one to start with.

        Raises:
            InputError: there is none of that name.
            ModelError: it is damaged.
        """
        name = self.check_base(name)
        return self.models.get(("", name), lambda: self._load_base(name))

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
        """A new, empty project; where there is no room, one in which nothing was taught gives way.

        Raises:
            InputError: there is no room for more, or the name cannot be used.
            DiskError: the disk is nearly full, or cannot be written.
        """
        name, base = self.limits.check_name(name), self.check_base(base)
        with self.draft() as draft:
            return self.adopt(draft, name=name, base=base, created=files.now())

    def open(self, id: str) -> Project:
        """The project that has the id.

        Raises:
            InputError: there is none, or `id` has not the form of an id: one sentence for both.
        """
        touched = datetime.fromisoformat(files.read_project(self.root, id)["touched"])
        project = Project(self._context, id)
        if abs(datetime.now(UTC) - touched) > timedelta(seconds=_TOUCH_SECONDS):
            self._touch(project)
        return project

    def _touch(self, project: Project) -> None:
        """Note that a project is in use, if that can be done at once: looking needs no writing."""
        lock = self._lock_of(project.id)
        with suppress(OSError, SymdemoError):
            if lock.acquire(blocking=False):  # whoever has it uses the project
                try:
                    project.touch()
                finally:
                    lock.release()

    def delete(self, id: str) -> None:
        """Remove a project with all that is in it."""
        with self.locked(id):
            self._remove(id)

    def clean_idle(self, now: datetime | None = None, clock: float | None = None) -> int:
        """Remove the projects that nobody used for `Limits.idle_days`; how many these were.

        One goes only where an earlier cleaning found it idle too, `room.CONFIRM_SECONDS` before.

        Args:
            now: the time of day; that of the computer if None.
            clock: seconds that no setting of its clock moves; those of the computer if None.
        """
        now = now or datetime.now(UTC)
        clock = time.monotonic() if clock is None else clock
        oldest = now - timedelta(days=self.limits.idle_days)

        def sure(id: str) -> bool:
            used = room.last_use(self.root, id)
            idle = used < oldest and not room.has_job(self.root, id)
            return self._idle.is_sure(id, used, idle, clock)

        with self._cleaning:
            self._idle.look(now, clock)
            return sum(self._remove_if(id, sure) for id in self._ids())

    def make_room(self, ids: Sequence[str] | None = None) -> bool:
        """Remove one project in which nothing was taught, of all or of some; whether there was one.

        Which comes first: `room.givers_of_way`.
        """
        givers = room.givers_of_way(self.root, self._ids() if ids is None else ids, self._crowding)
        return any(self._remove_if(id, lambda id: room.is_untaught(self.root, id)) for id in givers)

    def _remove_if(self, id: str, condition: Callable[[str], bool]) -> bool:
        """Remove a project that nobody is changing, where the condition holds."""
        lock = self._lock_of(id)
        with suppress(InputError, OSError):
            if lock.acquire(blocking=False):
                try:
                    if condition(id):
                        self._remove(id)
                        return True
                finally:
                    lock.release()
        return False

    def _lock_of(self, id: str) -> FolderLock:
        with self._guard:
            return self._locks.setdefault(id, FolderLock(self.root / id))

    @contextmanager
    def locked(self, id: str, whole: bool = True) -> Iterator[None]:
        """Keep all others from changing a project; with `whole`, its project.json must be there."""
        if not files.is_project_id(id):
            raise files.unknown_project()
        lock = self._lock_of(id)
        try:
            lock.acquire()
        except (FileNotFoundError, NotADirectoryError):
            with self._guard:
                self._locks.pop(id, None)
            raise files.unknown_project() from None
        try:
            if whole and not files.exists(self.root, id):  # removed while this thread waited
                raise files.unknown_project()
            with telling_of_disk():
                yield
        finally:
            lock.release()

    @contextmanager
    def draft(self) -> Iterator[Path]:
        """A folder in which a project can be put together, for `adopt`; else it is removed."""
        with telling_of_disk(), self._root_lock:  # no sweep may come before it is held
            self._check_room()
            draft = Path(tempfile.mkdtemp(prefix=files.DRAFT, dir=self.root))
            handle = acquire(draft)
        try:
            with telling_of_disk():
                yield draft
        finally:
            release(handle)
            files.remove(draft)

    def adopt(self, draft: Path, **info) -> Project:
        """Make a project with a new id of a draft and of what its project.json is to say."""
        id = new_key()
        values = {"selected": None, "made": 0, "touched": files.now()} | info
        write_json(draft / files.PROJECT, files.check_info(values))
        with self._root_lock:
            self._check_room()
            draft.rename(self.root / id)
        sync_folder(self.root)
        return Project(self._context, id)

    def _check_room(self) -> None:
        self._disk.check()
        while len(self._ids()) >= self.limits.projects and self.make_room():
            pass
        self.limits.check_projects(len(self._ids()) + 1)

    def _ids(self) -> list[str]:
        return sorted(path.name for path in self.root.iterdir() if files.is_project_id(path.name))

    def _remove(self, id: str) -> None:
        gone = self.root / (files.DELETED + id)
        (self.root / id).rename(gone)
        release_job(self.root / id / files.JOB_LOCK)
        files.remove(gone)
        drop_unshared(self.root / files.WEIGHTS)
        self.models.drop(id)
        self._idle.forget(id)
        with self._guard:
            self._locks.pop(id, None)

    def _sweep(self) -> None:
        with self._root_lock:
            for path in self.root.glob(".*"):
                if path.name.startswith((files.DRAFT, files.DELETED)):
                    with suppress(OSError):
                        handle = acquire(path, blocking=False)
                        if handle is not None:  # nobody alive is at it
                            files.remove(path)
                            release(handle)
            drop_unshared(self.root / files.WEIGHTS)
        for id in self._ids():
            lock = FolderLock(self.root / id)
            with suppress(OSError):
                if lock.acquire(blocking=False):  # else somebody alive is writing
                    files.sweep_drafts(self.root / id)
                    lock.release()
                files.mark_job(self.root / id)
