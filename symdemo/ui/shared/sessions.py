"""The projects of visitors, their queue of long jobs, and how much each visitor may begin.

The id of a project is a secret that only its browser keeps. Everything a visitor asks for is opened
by that id, so no visitor meets the rows, versions or jobs of another.
"""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from symdemo.analysis.workspace import WorkspaceStore
from symdemo.encoders.registry import DEFAULT_ENCODER
from symdemo.errors import DiskError, InputError, SymdemoError
from symdemo.files.storage import folder_bytes
from symdemo.jobs.queue import JobHandle, JobQueue, JobView, KindPolicy
from symdemo.pairs import Pair, check_pair
from symdemo.teaching.limits import Limits
from symdemo.teaching.project import Project
from symdemo.teaching.store import ProjectStore
from symdemo.training import zero_gpu
from symdemo.ui.shared.gradio_hooks import Origin, current_origin
from symdemo.ui.shared.store import Models, ModelStore, SharedEncoders, VisitorModels
from symdemo.ui.shared.temporary import temporary_files

FOLDER = "symdemo-projects"
CLEAN_SECONDS = 3600.0
KINDS = {
    "teaching": KindPolicy(
        busy="The project would have {:,} jobs at once; {:,} is allowed, so wait for it or stop it."
    ),
    "analysis": KindPolicy(
        seconds=7_200.0,
        busy="You would have {:,} runs of one analysis at a time; {:,} is allowed, so stop it "
        "first.",
    ),
    "figures": KindPolicy(per_owner=12, seconds=900.0),
    "sentences": KindPolicy(per_owner=2, seconds=300.0),
}
"""Retrainings; models run on a visitor's data; maps and suggestions made of the results; lists read
by several encoders, two at a time, as one begins while its predecessor ends."""
_MAX_REMEMBERED = 2_000
_NEWCOMERS = 1_000
_NEWCOMER_SECONDS = 600.0
STORAGE = Path("/data")  # where a Space finds the storage that its owner attached
NO_PROJECT = "none"  # what a browser without a project keeps; Gradio stores no empty value


class LostProjectError(InputError):
    """A browser keeps the key of a project that cannot be opened now.

    The key may be all that leads to the owner's work, so it stays until the owner replaces it.
    """


def default_root() -> Path:
    """Return the folder of projects: SYMDEMO_PROJECTS, or a folder of the user's data.

    A Space keeps only what is in its storage, if it has one; else the folder is a temporary one.
    """
    if named := os.environ.get("SYMDEMO_PROJECTS"):
        return Path(named).expanduser()
    if os.environ.get("SPACE_ID"):
        return (STORAGE if os.access(STORAGE, os.W_OK) else Path("/tmp")) / FOLDER
    if os.name == "nt":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home()) / FOLDER
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / FOLDER


def allowed_encoders() -> list[str] | None:
    """Return the encoders that visitors' archives may name; None for all known ones.

    Any visitor can open an archive, and each other encoder would be downloaded and kept in memory.
    So only the embedded one is allowed, unless SYMDEMO_OPEN_ENCODERS=1 is set. Encoders of the
    built-in models are always allowed.
    """
    return None if os.environ.get("SYMDEMO_OPEN_ENCODERS") == "1" else [DEFAULT_ENCODER]


class PageLog:
    """Which page saved which revision of a table, so that a page does not conflict with itself."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._saves: OrderedDict[tuple[str, int], tuple[str, int]] = OrderedDict()

    def note(self, project: str, revision: int, visit: str, seq: int) -> None:
        """Record that a page saved a table as this revision."""
        with self._lock:
            self._saves[project, revision] = (visit, seq)
            while len(self._saves) > _MAX_REMEMBERED:
                self._saves.popitem(last=False)

    def last_of(self, project: str, visit: str, since: int, until: int) -> int | None:
        """Return the `seq` of the page's last save if it saved all revisions in (since, until]."""
        with self._lock:
            saves = [self._saves.get((project, n)) for n in range(since + 1, until + 1)]
        seqs = [save[1] for save in saves if save and save[0] == visit]
        return max(seqs) if seqs and len(seqs) == len(saves) else None


class Begun:
    """Which page and address created each folder of `root`; deleted ones are forgotten."""

    def __init__(self, root: Path):
        self._root = root
        self._lock = threading.Lock()
        self._origins: dict[str, Origin] = {}

    def note(self, id: str, origin: Origin) -> None:
        """Record the page and address that created an id, unless the program itself did."""
        if origin != Origin():
            with self._lock:
                self._origins[id] = origin
            if len(self._origins) > _MAX_REMEMBERED:
                self.of()

    def of(self, **sender: str) -> list[str]:
        """Return the existing ids created by `page=…` or `address=…`; none for an empty name."""
        with self._lock:
            found = [
                id
                for id, origin in self._origins.items()
                if all(name and getattr(origin, key) == name for key, name in sender.items())
            ]
            for id in [id for id in found if not (self._root / id).is_dir()]:
                found.remove(id)
                del self._origins[id]
        return found

    def crowd(self, id: str) -> int:
        """Return how many ids were created by the address that created `id`; 1 if unknown."""
        with self._lock:
            address = self._origins[id].address if id in self._origins else None
            return sum(origin.address == address for origin in self._origins.values()) or 1


class Sessions:
    """Projects, the job queue and shared encoders of all visitors of one app.

    Nothing is written to disk before a visitor does something. A project, in a folder of `root`
    (`default_root()` if None), starts from a model of `store`. `limits` bound what one visitor may
    ask for, `workers` how many long jobs run at a time. `encoders` are those of the sentence lab.
    """

    def __init__(
        self,
        store: ModelStore,
        root: str | Path | None = None,
        limits: Limits | None = None,
        workers: int = 2,
        encoders: SharedEncoders | None = None,
    ):
        self.store = store
        self.limits = limits or Limits()
        self.encoders = encoders or SharedEncoders()
        teaching = replace(KINDS["teaching"], seconds=60 * self.limits.job_minutes)
        # A lent GPU is used by a process that would inherit the priority of the thread starting it.
        self.queue = JobQueue(
            KINDS | {"teaching": teaching}, workers, low_priority=not zero_gpu.is_lent()
        )
        self.pages = PageLog()
        self.taught_now: list[str] = []
        self.root = Path(root) if root is not None else default_root()
        self._lock = threading.Lock()
        self._projects: ProjectStore | None = None
        self._newcomers: OrderedDict[str, tuple[str, float]] = OrderedDict()
        self.analyses = WorkspaceStore(
            self.root / ".analyses", self._admit_analysis, self.limits.idle_days
        )
        self._begun, self._begun_analyses = Begun(self.root), Begun(self.analyses.root)
        self._newcoming = threading.Lock()

    @property
    def projects(self) -> ProjectStore:
        """The store of projects, opened on first use; from then on idle projects are removed."""
        with self._lock:
            if self._projects is None:
                try:
                    self._projects = ProjectStore(
                        self.root,
                        self.limits,
                        load_base=self.store.trainable,
                        bases=tuple(self.store.cards()),
                        crowding=self._begun.crowd,
                        removing=self._delete_analyses,
                    )
                except OSError as error:
                    raise DiskError(
                        "The folder of all projects cannot be opened at the moment "
                        f"({type(error).__name__}); keep your key and try again later."
                    ) from error
                threading.Thread(target=self._clean, name="cleaning", daemon=True).start()
            return self._projects

    def find(self, id: object) -> Project | None:
        """Return the project of an id, None for a visitor who has none yet; else `InputError`."""
        if not id or id == NO_PROJECT:
            return None
        if not isinstance(id, str):
            raise InputError("The project key is not text. Reload the page.")
        return self.projects.open(id)

    def find_own(self, id: object) -> Project | None:
        """Return what `find` does, but raise `LostProjectError`, for a caller about to write."""
        try:
            return self.find(id)
        except InputError as error:
            raise LostProjectError(
                f"The project of this browser cannot be opened now. {error} Its key stays in this "
                "browser until you start a new project in step 1 of “Teach”."
            ) from error

    def require(self, id: object) -> Project:
        """Return what `find` does, but raise `InputError` for a visitor who has none yet."""
        if (project := self.find(id)) is None:
            raise InputError("There is no project yet. Write a few rows first.")
        return project

    def find_or_create(self, id: object, visit: str | None = None) -> Project:
        """Return the project of an id, or a new one for a visitor who has none.

        The first two events of a page, `visit`, may arrive together, before the browser knows its
        new id: the second gets the project of the first. Errors as `find_own`.
        """
        if project := self.find_own(id):
            return project
        projects = self.projects
        with self._newcoming:
            known, since = self._newcomers.get(visit or "", ("", 0.0))
            fresh = known and time.monotonic() - since < _NEWCOMER_SECONDS
            if fresh and (self.root / known).is_dir():
                return projects.open(known)
            project = self.begin(projects.create)
            if visit:
                self._newcomers[visit] = (project.id, time.monotonic())
                while len(self._newcomers) > _NEWCOMERS:
                    self._newcomers.popitem(last=False)
            return project

    def begin(self, make: Callable[[], Project]) -> Project:
        """Return a new project by `make`, within the limits of one page and one network address.

        An address at its limit loses a project in which nothing was taught. `InputError` if it has
        none, or another limit is reached.
        """
        origin = current_origin()
        self.limits.check("projects_per_page", len(self._begun.of(page=origin.page)) + 1)
        self._check_share(origin, "projects_per_address", self._begun, self.projects.make_room)
        project = make()
        self._begun.note(project.id, origin)
        return project

    def _admit_analysis(self, name: str) -> None:
        """Let the sender of this request keep an analysis, within the share of one address."""
        origin, begun = current_origin(), self._begun_analyses
        self.projects.check_disk()
        self._check_share(origin, "analyses_per_address", begun, self.analyses.make_room)
        begun.note(name, origin)

    def _check_share(
        self, origin: Origin, limit: str, begun: Begun, make_room: Callable[[list[str]], bool]
    ) -> None:
        """Raise `InputError` if an address may not begin one more; unused ones make room for it."""
        mine = begun.of(address=origin.address)
        if len(mine) >= getattr(self.limits, limit) and make_room(mine):
            mine = begun.of(address=origin.address)
        self.limits.check(limit, len(mine) + 1)
        both = (self.root, self._begun), (self.analyses.root, self._begun_analyses)
        folders = [root / id for root, own in both for id in own.of(address=origin.address)]
        self.limits.check("address_bytes", sum(map(folder_bytes, folders)))

    def delete_analysis(self, id: str) -> None:
        """Delete an analysis with its downloads, and stop its run."""
        workspace = self.analyses.open(id)
        self.stop_current(workspace.id, "analysis")
        self.analyses.delete(id)
        temporary_files().drop(workspace.folder.name)

    def _delete_analyses(self, project: str) -> None:
        for id in self.analyses.of_project(project):
            with suppress(InputError):  # closed in the meantime
                self.delete_analysis(id)

    def submit(
        self,
        owner: str,
        title: str,
        run: Callable[[JobHandle], object],
        kind: str,
        expected_seconds: float | None = None,
        key: str = "",
        on_change: Callable[[dict], None] | None = None,
    ) -> JobView:
        """Queue long work for the sender of this request, within the share of one visitor.

        Visitors are told apart by address, and within one by `key`, the project of their browser,
        or else by page. Errors as in `JobQueue.submit`.
        """
        sender = current_origin()
        who = sender.address, key or sender.page
        job = self.queue.submit(owner, title, run, on_change, expected_seconds, kind, *who)
        return self.queue.get(job, owner)

    def stop_current(self, owner: str, kind: str | None = None) -> None:
        """Stop an owner's waiting or running job of a kind, if any; a retraining if None."""
        job = self.queue.current(owner, kind)
        if job is not None and not job.finished:
            self.queue.stop(job.id, owner)

    @contextmanager
    def teaching(self, id: str) -> Iterator[None]:
        """Tell other pages, during a `with` block, that a project is taught instantly."""
        self.taught_now.append(id)
        try:
            yield
        finally:
            self.taught_now.remove(id)

    def forget_page(self, visit: str | None) -> None:
        """Forget the project that a page began with, before it begins another one."""
        with self._newcoming:
            self._newcomers.pop(visit or "", None)

    def models(self, id: object) -> Models:
        """Return the models that a visitor can ask: the shared ones and their own versions."""
        try:
            project = self.find(id)
        except SymdemoError:
            project = None
        return VisitorModels(self.store, project) if project else self.store

    def checker(self, project: Project | None) -> Callable[[Pair], Pair]:
        """Return the check that a pair must pass to be readable by the project's base model."""
        try:
            name = project.base if project else None
            return self.projects.base_model(name).check
        except SymdemoError:  # reported when it is taught
            return check_pair

    def _clean(self) -> None:
        while True:
            with suppress(SymdemoError, OSError):  # the next round tries again
                self.projects.clean_idle()
                self.analyses.clean()
            time.sleep(CLEAN_SECONDS)
