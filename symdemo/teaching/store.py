"""All projects of a machine: a folder of folders, each opened by its id."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from symdemo.classifier import SymmetryClassifier
from symdemo.errors import InputError, SymdemoError
from symdemo.files import storage
from symdemo.teaching import project_files as files
from symdemo.teaching.limits import LIMITS, Limits
from symdemo.teaching.project import Project, SharedFolder
from symdemo.teaching.project_files import ProjectInfo, now

DEFAULT_NAME = "My relations"
CONFIRM_SECONDS = 6 * 3600.0
"""Time between the two cleanings that must both find a project idle: one alone may be the fault of
a computer clock that is days ahead."""

_TOUCH_SECONDS = 60


class ProjectStore(SharedFolder):
    """Creates, opens and removes projects.

    Opening a store removes what a kill left half written and marks the jobs that died with it.
    `crowding` returns how many projects the owner of a project (by id) has: when room is needed,
    those of the owner with the most go first. `removing` is called with the id of a project before
    it is removed.
    """

    def __init__(
        self,
        root: str | Path,
        limits: Limits = LIMITS,
        load_base: Callable[[str], SymmetryClassifier] | None = None,
        bases: Sequence[str] = (),
        crowding: Callable[[str], int] = lambda id: 1,
        removing: Callable[[str], None] = lambda id: None,
    ):
        super().__init__(root, limits, load_base, bases)
        self._crowding, self._removing = crowding, removing
        self._idle: dict[str, tuple[datetime, float]] = {}
        self._cleaning = threading.Lock()
        self._root_lock = storage.FolderLock(self.root)
        self._sweep()

    def create(self, name: str = DEFAULT_NAME, base: str | None = None) -> Project:
        """Create an empty project; if there is no room, remove one in which nothing was taught.

        `InputError` if there is no room even so, or the name cannot be used; `DiskError` if the
        disk is nearly full or cannot be written.
        """
        name, base = self.limits.check_name(name), self.check_base(base)
        info = {"name": name, "base": base, "created": now(), "selected": None, "made": 0}
        with self.draft() as draft:
            return self.adopt(draft, info)

    def open(self, id: str) -> Project:
        """Open the project of an id; `InputError` if there is none, also for any other text."""
        info = files.read_project(self.root, id)
        project = Project(self, id, info.base)
        touched = datetime.fromisoformat(info.touched)
        if abs(datetime.now(UTC) - touched) > timedelta(seconds=_TOUCH_SECONDS):
            # Reading must not wait for a lock; whoever holds it uses the project anyway.
            self._if_unlocked(id, project.touch)
        return project

    def delete(self, id: str) -> None:
        """Remove a project with all its files."""
        with self.locked(id):
            self._remove(id)

    def clean_idle(self, now: datetime | None = None, clock: float | None = None) -> int:
        """Remove projects that were unused for `Limits.idle_days`, and return their number.

        A project is removed only if an earlier cleaning, at least `CONFIRM_SECONDS` before by the
        monotonic `clock`, found it idle too.
        """
        clock = time.monotonic() if clock is None else clock
        oldest = (now or datetime.now(UTC)) - timedelta(days=self.limits.idle_days)

        def remove_if_idle(id: str) -> bool:
            used = self._last_use(id)
            if used >= oldest or storage.is_job_alive(self.root / id / files.JOB_LOCK):
                self._idle.pop(id, None)
                return False
            seen, since = self._idle.get(id, (None, clock))
            if seen != used:
                self._idle[id] = used, clock
            elif clock - since >= CONFIRM_SECONDS:
                return self._remove(id)
            return False

        with self._cleaning:
            return sum(bool(self._if_unlocked(id, remove_if_idle, id)) for id in self._ids())

    def make_room(self, ids: Sequence[str] | None = None) -> bool:
        """Remove one project, of `ids` if given, in which nothing was taught; False if none.

        Projects of the owner with the most projects come first, the longest unused among them.
        """

        def remove_if_untaught(id: str) -> bool:
            return self._is_untaught(id) and self._remove(id)

        found = []
        for id in self._ids() if ids is None else ids:
            with suppress(InputError):  # removed in the meantime
                if self._is_untaught(id):
                    found.append((-self._crowding(id), self._last_use(id), id))
        return any(self._if_unlocked(id, remove_if_untaught, id) for *_, id in sorted(found))

    def _is_untaught(self, id: str) -> bool:
        folder = self.root / id
        return not (files.version_folders(folder) or storage.is_job_alive(folder / files.JOB_LOCK))

    def _last_use(self, id: str) -> datetime:
        """Return when a project was last used, or its folder changed if its file is damaged."""
        with suppress(InputError):
            return datetime.fromisoformat(files.read_project(self.root, id).touched)
        try:
            return datetime.fromtimestamp((self.root / id).stat().st_mtime, UTC)
        except OSError:
            raise files.unknown_project() from None

    def _if_unlocked(self, id: str, action: Callable[..., Any], *args: Any) -> Any:
        """Run an action under the lock of a project, unless somebody else holds it."""
        lock = self.lock_of(id)
        with suppress(OSError, SymdemoError):
            if lock.acquire(blocking=False):
                try:
                    return action(*args)
                finally:
                    lock.release()
        return None

    @contextmanager
    def draft(self) -> Iterator[Path]:
        """Yield a folder to fill for `adopt`; it is removed unless adopted."""
        # No sweep may come before it is locked.
        with storage.explaining_disk_errors(), self._root_lock:
            self._check_room()
            draft = Path(tempfile.mkdtemp(prefix=files.DRAFT, dir=self.root))
            handle = storage.acquire(draft)
        try:
            with storage.explaining_disk_errors():
                yield draft
        finally:
            storage.release(handle)
            files.remove(draft)

    def adopt(self, draft: Path, info: dict[str, Any]) -> Project:
        """Turn a draft into a project with a new id and this content of project.json."""
        id = files.new_key()
        ProjectInfo(**info | {"touched": now()}).write(draft)
        with self._root_lock:
            self._check_room()
            draft.rename(self.root / id)
        storage.sync_folder(self.root)
        return Project(self, id, info["base"])

    def _check_room(self) -> None:
        self.check_disk()
        while len(self._ids()) >= self.limits.projects and self.make_room():
            pass
        self.limits.check("projects", len(self._ids()) + 1)

    def _ids(self) -> list[str]:
        return sorted(path.name for path in self.root.iterdir() if files.is_project_id(path.name))

    def _remove(self, id: str) -> bool:
        self._removing(id)
        gone = self.root / (files.DELETED + id)
        (self.root / id).rename(gone)
        storage.release_job(self.root / id / files.JOB_LOCK)
        files.remove(gone)
        storage.drop_unshared(self.root / files.WEIGHTS)
        self.models.drop(id)
        self._idle.pop(id, None)
        self._locks.pop(id, None)
        return True

    def _sweep(self) -> None:
        with self._root_lock:
            for path in self.root.glob(".*"):
                if path.name.startswith((files.DRAFT, files.DELETED)):
                    with suppress(OSError):
                        handle = storage.acquire(path, blocking=False)
                        if handle is not None:  # no living process uses it
                            files.remove(path)
                            storage.release(handle)
            storage.drop_unshared(self.root / files.WEIGHTS)
        for id in self._ids():
            self._if_unlocked(id, files.sweep_drafts, self.root / id)
            with suppress(OSError):
                files.mark_job(self.root / id)
