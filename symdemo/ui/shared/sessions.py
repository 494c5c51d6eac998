"""Whose project is whose: the projects on disk, the queue of trainings, and who comes with what.

The id of a project is a secret that only its browser keeps. Whatever a visitor asks for is opened
by that id alone, so nobody meets the rows, versions or jobs of another.
"""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from symdemo.encoders.registry import DEFAULT_ENCODER
from symdemo.errors import DiskError, InputError, SymdemoError
from symdemo.files.disk import folder_bytes
from symdemo.jobs.kinds import KindPolicy
from symdemo.jobs.queue import JobHandle, JobQueue, JobView
from symdemo.pairs import Pair, check_pair
from symdemo.teaching.limits import Limits
from symdemo.teaching.projects.project import Project
from symdemo.teaching.projects.store import ProjectStore
from symdemo.training import zero_gpu
from symdemo.ui.shared.encoders import SharedEncoders
from symdemo.ui.shared.store import Models, ModelStore, VisitorModels
from symdemo.ui.shared.traffic.origins import Begun, current_origin

FOLDER = "symdemo-projects"
CLEAN_SECONDS = 3600.0
ANALYSIS_KINDS = {
    "analysis": KindPolicy(
        seconds=7_200.0,
        waiting=16,
        per_group=8,
        busy="You would have {:,} runs of one analysis at once; {:,} is allowed, so stop it first.",
    ),
    "figures": KindPolicy(seconds=900.0, per_owner=12, per_group=24),
}
"""Models over data that a visitor brought; and maps and suggestions, which come after them."""
SENTENCE_KINDS = {"sentences": KindPolicy(seconds=300.0, waiting=16, per_owner=2, per_group=8)}
"""Lists that are read by several encoders; two, as a newer one begins while the last one ends."""
_REMEMBERED_SAVES = 2_000
_NEWCOMERS = 1_000
_NEWCOMER_SECONDS = 600.0
NO_PROJECT = "none"
"""What a browser keeps that has no project; Gradio writes down nothing that is empty."""


class LostProjectError(InputError):
    """A browser keeps the key of a project that cannot be opened now.

    The key may be all that leads to somebody's work, so it stays until its owner replaces it.
    """


def default_root() -> Path:
    """Where projects are kept: SYMDEMO_PROJECTS, or a folder of the user's own data.

    A Space has no disk that lasts, so there it is the folder for temporary files.
    """
    if named := os.environ.get("SYMDEMO_PROJECTS"):
        return Path(named).expanduser()
    if os.environ.get("SPACE_ID"):
        return Path("/tmp") / FOLDER
    if os.name == "nt":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home()) / FOLDER
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / FOLDER


def allowed_encoders() -> list[str] | None:
    """The encoders that archives of visitors may name; None for all that are known.

    Whoever reaches the app can open an archive, and each other encoder would be downloaded and kept
    in memory. So it is the one that comes with the program, unless the owner of the machine sets
    SYMDEMO_OPEN_ENCODERS=1. Those of the built-in models may be named in any case.
    """
    return None if os.environ.get("SYMDEMO_OPEN_ENCODERS") == "1" else [DEFAULT_ENCODER]


class PageLog:
    """Which page saved which revision: a page that overtakes itself is no other page."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._saves: OrderedDict[tuple[str, int], tuple[str, int]] = OrderedDict()

    def note(self, project: str, revision: int, visit: str, seq: int) -> None:
        """A page saved a table, which got this revision."""
        with self._lock:
            self._saves[project, revision] = (visit, seq)
            while len(self._saves) > _REMEMBERED_SAVES:
                self._saves.popitem(last=False)

    def last_of(self, project: str, visit: str, since: int, until: int) -> int | None:
        """The `seq` of the page's last save, if all after `since` up to `until` are its own."""
        with self._lock:
            saves = [self._saves.get((project, n)) for n in range(since + 1, until + 1)]
        seqs = [save[1] for save in saves if save and save[0] == visit]
        return max(seqs) if seqs and len(seqs) == len(saves) else None


class Sessions:
    """All that the visitors of one app have: projects, a queue of long work, shared encoders.

    Nothing is written before somebody does something.

    Args:
        store: the shared models, one of which a project starts from.
        root: the folder of the projects; `default_root()` if None.
        limits: what one visitor may ask for.
        workers: how many trainings run at once.
        encoders: what compares sentences; those of the registry if None.
    """

    def __init__(
        self,
        store: ModelStore,
        root: str | Path | None = None,
        limits: Limits | None = None,
        workers: int = 1,
        encoders: SharedEncoders | None = None,
    ):
        self.store = store
        self.limits = limits or Limits()
        self.encoders = encoders or SharedEncoders()
        kinds = self.limits.job_kinds(workers) | ANALYSIS_KINDS | SENTENCE_KINDS
        # A lent GPU is used by a process that would inherit the priority of whoever starts it.
        self.queue = JobQueue(kinds, gives_way=not zero_gpu.is_lent())
        self.pages = PageLog()
        self.root = Path(root) if root is not None else default_root()
        self._lock = threading.Lock()
        self._projects: ProjectStore | None = None
        self._newcomers: OrderedDict[str, tuple[str, float]] = OrderedDict()
        self._begun: Begun[str] = Begun(lambda id: (self.root / id).is_dir())
        self._jobs: Begun[tuple[str, str]] = Begun(self._is_at_work)
        self._submitting, self._newcoming = threading.Lock(), threading.Lock()

    @property
    def projects(self) -> ProjectStore:
        """The store of projects, opened on first use; idle ones are removed from then on.

        Raises:
            DiskError: its folder cannot be opened.
        """
        with self._lock:
            if self._projects is None:
                try:
                    self._projects = ProjectStore(
                        self.root,
                        self.limits,
                        load_base=lambda name: self.store.get(name).classifier,
                        bases=tuple(self.store.cards()),
                        crowding=self._begun.crowd,
                    )
                except OSError as error:
                    raise DiskError(
                        "The folder of all projects cannot be opened at the moment "
                        f"({type(error).__name__}); keep your key and try again later."
                    ) from error
                threading.Thread(target=self._clean, name="cleaning", daemon=True).start()
            return self._projects

    def find(self, id: object) -> Project | None:
        """The project of an id; None for a visitor who has none yet.

        Raises:
            InputError: there is no such project (any more).
        """
        if not id or id == NO_PROJECT:
            return None
        if not isinstance(id, str):
            raise InputError("The project’s key is not text; open the page again.")
        return self.projects.open(id)

    def find_own(self, id: object) -> Project | None:
        """As `find`, for who is about to write.

        Raises:
            LostProjectError: the browser keeps an id that opens nothing now.
        """
        try:
            return self.find(id)
        except InputError as error:
            raise LostProjectError(
                f"The project of this browser cannot be opened now. {error} Its key stays in this "
                "browser until you begin a new project in step 1 of “Teach”."
            ) from error

    def require(self, id: object) -> Project:
        """The project of an id.

        Raises:
            InputError: the visitor has none yet, or there is no such project (any more).
        """
        project = self.find(id)
        if project is None:
            raise InputError("There is no project yet; write a few rows first.")
        return project

    def find_or_create(self, id: object, visit: str | None = None) -> Project:
        """The project of an id, or a new one for a visitor who has none.

        Args:
            id: what the browser keeps.
            visit: the page that asks. Two first events of one page may come at the same time,
                before the browser knows its new id: the second gets the project of the first.

        Raises:
            LostProjectError: the browser keeps an id that opens nothing now.
        """
        if project := self.find_own(id):
            return project
        projects = self.projects
        with self._newcoming:
            if visit and (known := self._newcomer(visit)):
                return projects.open(known)
            project = self.begin(projects.create)
            if visit:
                self._newcomers[visit] = (project.id, time.monotonic())
                while len(self._newcomers) > _NEWCOMERS:
                    self._newcomers.popitem(last=False)
            return project

    def begin(self, make: Callable[[], Project]) -> Project:
        """A new project by `make`, within what one page and one network address may have.

        Raises:
            InputError: they have too many. Of an address, one in which nothing was taught gives
                way first.
        """
        origin, limits = current_origin(), self.limits
        limits.check_projects_of_page(len(self._begun.of_page(origin)) + 1)
        mine = self._begun.of_address(origin)
        if len(mine) >= limits.projects_per_address and self.projects.make_room(mine):
            mine = self._begun.of_address(origin)
        limits.check_projects_of_address(len(mine) + 1)
        limits.check_address_bytes(sum(folder_bytes(self.root / id) for id in mine))
        project = make()
        self._begun.note(project.id, origin)
        return project

    def submit(
        self,
        project: Project,
        run: Callable[[JobHandle], object],
        expected_seconds: float | None = None,
    ) -> JobView:
        """Queue a training of a project, within what one page and one address may have.

        Raises:
            InputError: they, or the project, have too many, or too many wait.
        """
        origin = current_origin()
        with self._submitting:
            self.limits.check_jobs_of_page(len(self._jobs.of_page(origin)) + 1)
            job = self.queue.submit(
                project.id, project.name, run, project.save_job_state, expected_seconds,
                group=origin.address,
            )  # fmt: skip
            self._jobs.note((job, project.id), origin)
        return self.queue.get(job, project.id)

    def _is_at_work(self, job: tuple[str, str]) -> bool:
        try:
            return not self.queue.get(*job).finished
        except InputError:  # it ended long ago
            return False

    def forget_page(self, visit: str | None) -> None:
        """Forget which project a page began with: it is about to begin another one."""
        with self._newcoming:
            self._newcomers.pop(visit or "", None)

    def models(self, id: object) -> Models:
        """The models that a visitor can ask: the shared ones, and the versions of their own."""
        try:
            project = self.find(id)
        except SymdemoError:
            project = None
        return VisitorModels(self.store, project) if project else self.store

    def checker(self, project: Project | None) -> Callable[[Pair], Pair]:
        """What a pair has to pass to be readable by the model that is to be taught."""
        try:
            name = project.base if project else None
            return self.projects.base_model(name).check
        except SymdemoError:  # said once it is to be taught
            return check_pair

    def _newcomer(self, visit: str) -> str | None:
        id, since = self._newcomers.get(visit, ("", 0.0))
        fresh = id and time.monotonic() - since < _NEWCOMER_SECONDS
        return id if fresh and (self.root / id).is_dir() else None

    def _clean(self) -> None:
        while True:
            with suppress(SymdemoError, OSError):  # the next round tries again
                self.projects.clean_idle()
            time.sleep(CLEAN_SECONDS)
