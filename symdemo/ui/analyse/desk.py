"""What the tab works with: workspaces, runs that are kept, and jobs that outlive the page."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from symdemo.analysis.example import RUNS
from symdemo.analysis.loading import LoadedPairs
from symdemo.analysis.pair_table import PairTable
from symdemo.analysis.run_cache import RunCache
from symdemo.analysis.running import ModelRun, RunReports, assemble, model_key
from symdemo.analysis.workspace import AskedModel, Workspace, WorkspaceStore
from symdemo.errors import InputError, ModelError, SymdemoError
from symdemo.jobs.queue import JobHandle, JobView
from symdemo.text import shorten
from symdemo.ui.shared.gradio_hooks import current_origin
from symdemo.ui.shared.sessions import Sessions
from symdemo.ui.shared.store import LoadedModel

MAP, HINTS = "map", "hints"
"""What the keys of what is made in the background begin with."""
FEW = 24
"""Pictures and tables that are remembered of each opened workspace."""
AT_ONCE = 2_000
"""Pairs that are read, and looked up among what is kept, while the visitor waits."""


class Opened:
    """A workspace whose models have answered, with all that its parts are drawn from.

    Attributes:
        workspace: what it is of.
        runs: name → what that model answered; not of other systems.
        analysis: all rows.
        table: the same in columns.
    """

    def __init__(self, workspace: Workspace, runs: dict[str, ModelRun]):
        self.workspace = workspace
        self.runs = runs
        self.analysis = assemble(workspace.data, runs)
        self.table = PairTable(self.analysis.rows)
        self.lock = threading.RLock()
        self.known: dict[Any, Any] = {}
        self.jobs: dict[Any, str] = {}  # what is being made → the job that makes it
        self._few: OrderedDict[Any, Any] = OrderedDict()

    def take_over(self, older: Opened) -> None:
        """Keep the maps and suggestions that were made before another model had answered."""
        with older.lock:
            self.jobs = older.jobs
            self.known = {key: own for key, own in older.known.items() if key[0] in (MAP, HINTS)}

    def remember(self, key: Any, make: Callable[[], Any]) -> Any:
        """What `make` gives, made once for each key."""
        with self.lock:
            if key not in self.known:
                self.known[key] = make()
            return self.known[key]

    def remember_few(self, key: Any, make: Callable[[], Any]) -> Any:
        """The same for what there are many of: the last few stay, and two may be made at once."""
        with self.lock:
            if key in self._few:
                self._few.move_to_end(key)
                return self._few[key]
        made = make()
        with self.lock:
            self._few[key] = made
            while len(self._few) > FEW:
                self._few.popitem(last=False)
        return made


class Desk:
    """All analyses of one app.

    Args:
        sessions: the models, the queue and the folder that all tabs share.
        examples: runs that are only read.
    """

    def __init__(self, sessions: Sessions, examples: Path = RUNS):
        self.sessions = sessions
        self.store = WorkspaceStore(sessions.root / ".analyses")
        self.cache = RunCache(sessions.root / ".runs", [examples])

    def start(
        self,
        load: Callable[[RunReports], LoadedPairs],
        models: Sequence[str],
        project: str = "",
        exchanged: bool = True,
        background: bool = False,
    ) -> Workspace:
        """A new workspace, whose models begin to answer.

        Args:
            load: reads the data; it is given whom to tell how far it is.
            models: names in the store, or of the project's versions.
            project: the id of the visitor's project, for its versions.
            exchanged: whether each pair is also asked the other way round.
            background: whether reading the data takes so long that it belongs to the job.

        Raises:
            InputError: data or models that cannot be used, or too many that wait.
            ModelError: there is no such model.
        """
        known = self.sessions.models(project)
        asked = []
        for source in models:
            card = known.card(source)
            if card is None:
                raise ModelError(f"There is no model “{shorten(source)}” here.")
            asked.append(AskedModel(card.name, source))
        workspace = self.store.create(asked, exchanged, project)
        try:
            if not background:
                workspace.put(load(RunReports()))
            self.run(workspace, load)
        except BaseException:
            self.store.delete(workspace.id)
            raise
        return workspace

    def run(
        self, workspace: Workspace, load: Callable[[RunReports], LoadedPairs] | None = None
    ) -> None:
        """Let the models of a workspace answer that have not yet, in the background.

        What is kept already is taken at once.

        Raises:
            InputError: it runs already, too many wait, or the data never came.
        """
        get = self.sessions.models(workspace.project).get
        left = [one for one in workspace.models if not one.key]
        if workspace.loaded:
            if len(workspace.data.pairs) <= AT_ONCE:  # a kept run is then read in no time
                left = [one for one in left if not self._take_kept(workspace, one, get)]
            if not left:
                return
        elif load is None:
            raise InputError("The data was never read to its end; bring it again.")
        self.sessions.queue.submit(
            workspace.id,
            "Analysis",
            lambda handle: self._work(workspace, left, get, load, handle),
            kind="analysis",
            group=current_origin().address,
        )

    def _work(
        self,
        workspace: Workspace,
        left: list[AskedModel],
        get: Callable[[str], LoadedModel],
        load: Callable[[RunReports], LoadedPairs] | None,
        handle: JobHandle,
    ) -> None:
        if load is not None and not workspace.loaded:
            handle.log("Reading the data")
            workspace.put(load(RunReports(handle.progress, handle.stopped)))
        self._ask(workspace, left, get, handle)

    def _take_kept(
        self, workspace: Workspace, asked: AskedModel, get: Callable[[str], LoadedModel]
    ) -> bool:
        key = model_key(get(asked.source).classifier)
        if self.cache.find(workspace.data.key, key, workspace.exchanged) is None:
            return False
        workspace.set_key(asked.name, key)
        return True

    def _ask(
        self,
        workspace: Workspace,
        left: list[AskedModel],
        get: Callable[[str], LoadedModel],
        handle: JobHandle,
    ) -> None:
        for place, asked in enumerate(left):
            handle.log(f"Asking {asked.name}")

            def tell(done: int, total: int, seconds: float | None, place: int = place) -> None:
                # As long for each of the next ones as for all of this one.
                left_here = total - done
                per_pair = seconds / left_here if seconds is not None and left_here else None
                later = total * (len(left) - place - 1)
                eta = None if per_pair is None else per_pair * (left_here + later)
                handle.progress(done + place * total, total * len(left), eta)

            run = self.cache.get(
                get(asked.source).classifier,
                workspace.data.pairs,
                workspace.data.key,
                workspace.exchanged,
                RunReports(tell, handle.stopped),
            )
            workspace.set_key(asked.name, run.key)

    def job(self, workspace: Workspace) -> JobView | None:
        """How the models of a workspace get on; None where none was ever asked here."""
        return self.sessions.queue.current(workspace.id, "analysis")

    def stop(self, workspace: Workspace) -> None:
        """Ask the models of a workspace to stop; what they have answered so far is kept."""
        job = self.job(workspace)
        if job is not None and not job.finished:
            self.sessions.queue.stop(job.id, workspace.id)

    def opened(self, workspace: Workspace) -> Opened | None:
        """All that there is to see so far; None before the first model has answered."""
        if not workspace.loaded:
            return None
        keys = tuple((one.name, one.key) for one in workspace.models if one.key)
        with workspace.showing:
            known = workspace.shown.get("opened")
            if known and known[0] == keys:
                return known[1]
            runs = {}
            for name, key in keys:
                run = self.cache.find(workspace.data.key, key, workspace.exchanged)
                if run is None:  # there was no room for it any more
                    workspace.set_key(name, "")
                else:
                    runs[name] = run
            if not runs and not workspace.data.systems:
                return None
            opened = Opened(workspace, runs)
            if known:
                opened.take_over(known[1])
            workspace.shown["opened"] = (tuple((n, k) for n, k in keys if n in runs), opened)
            return opened

    def model(self, workspace: Workspace, name: str) -> LoadedModel:
        """A model of a workspace by its name there, to be asked anew.

        Raises:
            InputError: it is another system's column, which cannot be asked.
            ModelError: it is gone.
        """
        source = next((one.source for one in workspace.models if one.name == name), None)
        if source is None:
            raise InputError(f"{name} is a column of labels; it cannot be asked anything new.")
        try:
            return self.sessions.models(workspace.project).get(source)
        except SymdemoError as error:
            raise ModelError(
                f"{shorten(name)} cannot be asked anything new: it is gone."
            ) from error

    def later(
        self, opened: Opened, key: Any, title: str, make: Callable[[JobHandle], Any]
    ) -> tuple[Any, JobView | None]:
        """What `make` gives, or None with how the job stands that makes it in the background.

        A failed one is tried again when it is asked for anew; the view that says why comes first.
        """
        with opened.lock:
            if key in opened.known:
                return opened.known[key], None
            owner, jobs = opened.workspace.id, opened.jobs
            view = self._known_job(jobs, key, owner)
            if view is None:
                jobs[key] = self.sessions.queue.submit(
                    owner, title, make, kind="figures", group=current_origin().address
                )
                view = self.sessions.queue.get(jobs[key], owner)  # a quick one has ended by now
            if not view.finished:
                return None, view
            del jobs[key]
            if view.state != "done":
                return None, view
            opened.known[key] = view.result
            return view.result, None

    def _known_job(self, jobs: dict[Any, str], key: Any, owner: str) -> JobView | None:
        """How the job stands that was begun for `key`; None if there is none, or no longer."""
        try:
            return self.sessions.queue.get(jobs[key], owner) if key in jobs else None
        except InputError:  # forgotten
            return None
