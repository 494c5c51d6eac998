"""The analyses behind the tab: workspaces on disk, cached runs, and jobs that outlive a page."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from symdemo.analysis.built_in import EXAMPLE_RUNS
from symdemo.analysis.loaded import LoadedPairs
from symdemo.analysis.pair_table import PairTable
from symdemo.analysis.running import ModelRun, RunCache, assemble, model_key
from symdemo.analysis.workspace import READING, AskedModel, Workspace, check_names
from symdemo.classifier import SymmetryClassifier, asking
from symdemo.classifier.index import unit_rows
from symdemo.errors import InputError, ModelError, SymdemoError
from symdemo.evaluation.nli import load_cross_encoder, nli_verdicts
from symdemo.files.storage import explaining_disk_errors
from symdemo.jobs.queue import JobHandle, JobView
from symdemo.jobs.reporting import SILENT, Reporter
from symdemo.text import shorten
from symdemo.ui.shared.sessions import Sessions
from symdemo.ui.shared.store import VisitorModels

MAP, SUGGESTIONS, CHANGES = "map", "suggestions", "change"
"""First part of the key of everything that is computed in the background."""
REMEMBERED = 24  # panels kept in memory for each opened analysis
MOST_WAITED_FOR = 2_000
"""Pairs that are read, and looked up in the run cache, while the visitor waits."""
PAIR_SECONDS = 0.008  # to read a pair, or to run one model on it in one direction, on two cores

LoadData = Callable[[Reporter], LoadedPairs]


class NotComputedError(InputError):
    """A filter needs a map or suggestions, named by `key`, that do not exist yet."""

    def __init__(self, *key: str):
        super().__init__("A filter needs something that is still being computed. One moment.")
        self.key = key


class OpenedAnalysis:
    """A workspace with the verdicts of its models, and everything its parts are drawn from."""

    def __init__(
        self,
        sessions: Sessions,
        workspace: Workspace,
        runs: dict[str, ModelRun],
        older: OpenedAnalysis | None = None,
    ):
        self.sessions, self.workspace = sessions, workspace
        self.runs = runs  # by model; columns of other systems have none
        self.analysis = assemble(workspace.data, runs)
        self.table = PairTable(self.analysis.rows)
        self.lock = threading.RLock()
        # By key: results of background jobs, and the jobs' ids. The next analysis of the workspace,
        # with one more model, takes both over.
        self.known: dict[Any, Any] = {}
        self.jobs: dict[Any, str] = {}
        self._panels: dict[Any, Any] = {}  # the last used one is last
        if older:
            with older.lock:
                self.known, self.jobs = dict(older.known), older.jobs

    @property
    def changes(self) -> tuple[str, ...] | None:
        """The change that each second sentence makes; None until it is computed."""
        return self.known.get((CHANGES,))

    def model(self, name: str) -> SymmetryClassifier:
        """Load a model to query; `ModelError` if removed, `InputError` for a column of labels."""
        source = next((one.source for one in self.workspace.models if one.name == name), None)
        if source is None:
            raise InputError(f"{name} is a column of labels, not a model; it has no new answers.")
        try:
            return self.sessions.models(self.workspace.project).get(source).classifier
        except SymdemoError as error:
            raise ModelError(f"{shorten(name)} was removed, so it has no new answers.") from error

    def computed(self, *key: str) -> Any:
        """Return what was computed in the background; `NotComputedError` until it is."""
        if key not in self.known:
            raise NotComputedError(*key)
        return self.known[key]

    def distances(self, model: str, sentence: str) -> np.ndarray:
        """Return the cosine distance of each pair, in one model, from a sentence with its swap.

        The result is (n,) float32 in [0, 2]; NaN for a pair that the model cannot read.
        `InputError` if the sentence cannot be swapped, `ModelError` if the model was removed.
        """

        def measure() -> np.ndarray:
            asked = self.model(model).predict([asking.read(sentence).pair])
            (own,) = unit_rows(asked.label_embeddings)
            return 1 - unit_rows(self.runs[model].embeddings) @ own

        return self.remember(("distances", model, sentence), measure)

    def remember(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return the result of `make`, from memory if it is one of the last `REMEMBERED`."""
        with self.lock:
            if key in self._panels:
                self._panels[key] = self._panels.pop(key)
                return self._panels[key]
        made = make()
        with self.lock:
            self._panels[key] = made
            if len(self._panels) > REMEMBERED:
                del self._panels[next(iter(self._panels))]
        return made


def _ask_others(load: LoadData, names: Sequence[str], reports: Reporter) -> LoadedPairs:
    """Read the data, and ask other NLI models, whose verdicts are columns of labels."""
    data = load(reports)
    check_names([*data.systems, *names])
    verdicts = {}

    def show(done: int, total: int) -> None:
        reports.check()
        reports.progress(done, total)

    for name in names:
        reports.log(f"Running {name}")
        verdicts[name] = tuple(nli_verdicts(load_cross_encoder(name), data.pairs, show))
    return data.beside(verdicts)


class _OneOfSeveral(Reporter):
    """Reports the progress of one model as part of that of `n`, taken to be equally fast."""

    def __init__(self, handle: JobHandle, place: int, n: int):
        self.stopped = handle.stopped  # type: ignore[method-assign]
        self._handle, self._place, self._n = handle, place, n

    def progress(self, done: int, total: int, eta: float | None = None) -> None:
        left, later = total - done, total * (self._n - self._place - 1)
        if eta is not None:
            eta = eta * (left + later) / left if left else None
        self._handle.progress(done + self._place * total, total * self._n, eta)


class AnalyseService:
    """All analyses of one app; runs in the folder `examples` are only read."""

    def __init__(self, sessions: Sessions, examples: Path = EXAMPLE_RUNS):
        self.sessions = sessions
        self.store = sessions.analyses
        self.shared = RunCache(sessions.root / ".shared-runs", [examples])
        shutil.rmtree(sessions.root / ".runs", ignore_errors=True)  # 0.1 kept everyone's runs there

    def _runs(self, workspace: Workspace, source: str) -> RunCache:
        """Return the cache for runs of a model: the analysis's own, or the one for all visitors.

        Only runs of shipped models on built-in sets are in the one for all.
        """
        if workspace.data.built_in and source in self.sessions.store.cards():
            return self.shared
        return RunCache(workspace.folder / "runs")

    def _find_run(self, workspace: Workspace, source: str, key: str) -> ModelRun | None:
        cache = self._runs(workspace, source)
        return cache.find(workspace.data.key, key, workspace.exchanged)

    def start(
        self,
        load: LoadData,
        models: Sequence[str],
        project: str = "",
        exchanged: bool = True,
        rows: int = 0,
        others: Sequence[str] = (),
    ) -> Workspace:
        """Create a workspace of the data that `load` reads, and start its models.

        Errors are `ModelError` if there is no such model, and `InputError` for unusable data or
        models, or if too many jobs are waiting.

        Args:
            load: reads the data and reports its progress.
            models: names in the store, or of the versions of `project`.
            project: id of the visitor's project.
            exchanged: also query each pair with its sentences exchanged.
            rows: most rows that `load` may read; above `MOST_WAITED_FOR`, the job reads them.
            others: NLI models by folder or hub id, which are not in the store.
        """
        known = self.sessions.models(project)
        asked = []
        for source in models:
            card = known.card(source)
            if card is None:
                raise ModelError(f"There is no model “{shorten(source)}” here.")
            asked.append(AskedModel(card.name, source))
        check_names([*(one.name for one in asked), *others])
        data = None if rows > MOST_WAITED_FOR or others else load(SILENT)
        shipped = self.sessions.store.cards().keys() >= set(models)
        if data is not None and data.built_in and shipped:
            workspace = self.store.open_set(data.built_in, models, exchanged)
        else:
            own = isinstance(known, VisitorModels)  # a key that opens nothing is not written
            workspace = self.store.create(asked, exchanged, project if own else "")
        # To estimate the time: another model is at least as slow as ours, and the number of rows of
        # a built-in set is not known yet.
        if others:
            load = partial(_ask_others, load, others)
            rows = max(rows, MOST_WAITED_FOR) * (1 + len(others))
        try:
            if data is not None and not workspace.loaded:
                workspace.put(data)
            self.run(workspace, load, rows)
        except BaseException:
            self.store.delete(workspace.id)
            raise
        return workspace

    def open(self, id: object) -> Workspace:
        """Return the workspace of an id or a reading key; errors as in `WorkspaceStore`."""
        is_key = isinstance(id, str) and id.startswith(READING)
        workspace = self.store.open_to_read(id) if is_key else self.store.open(id)
        job = self.job(workspace)
        if not workspace.kept and (job is None or job.finished):  # it may have left memory
            self._take_runs(workspace)
        return workspace

    def _take_runs(self, workspace: Workspace) -> None:
        """Give a workspace the runs that exist already."""
        get = self.sessions.models(workspace.project).get
        for asked in [one for one in workspace.models if not one.key]:
            key = model_key(get(asked.source).classifier)
            if self._find_run(workspace, asked.source, key):
                workspace.set_key(asked.name, key)

    def run(self, workspace: Workspace, load: LoadData | None = None, rows: int = 0) -> None:
        """Run the models of a workspace that have not answered yet, in the background.

        Runs that are in the cache are taken immediately. `InputError` if it is running already, too
        many jobs are waiting, or there is no data.
        """
        get = self.sessions.models(workspace.project).get
        if workspace.loaded and len(workspace.data.pairs) <= MOST_WAITED_FOR:
            self._take_runs(workspace)
        left = [one for one in workspace.models if not one.key]
        if workspace.loaded and not left:
            return
        if not workspace.loaded and load is None:
            raise InputError("The data was never read completely; choose it again.")

        @explaining_disk_errors()
        def work(handle: JobHandle) -> None:
            try:
                if load is not None and not workspace.loaded:
                    handle.log("Reading the data")
                    workspace.put(load(handle))
                data = workspace.data
                for place, asked in enumerate(left):
                    handle.log(f"Running {asked.name}")
                    self.sessions.projects.check_disk()
                    model, cache = get(asked.source).classifier, self._runs(workspace, asked.source)
                    part = _OneOfSeveral(handle, place, len(left))
                    run = cache.get(model, data.pairs, data.key, workspace.exchanged, part)
                    workspace.set_key(asked.name, run.key)
            finally:
                if workspace.removed:  # while it wrote
                    workspace.remove()

        rows = len(workspace.data.pairs) if workspace.loaded else rows
        seconds = PAIR_SECONDS * rows * (1 + len(left) * (1 + workspace.exchanged))
        self.sessions.submit(workspace.id, "Analysis", work, "analysis", seconds, workspace.project)

    def job(self, workspace: Workspace) -> JobView | None:
        """Return the state of a workspace's run; None if none was started here."""
        return self.sessions.queue.current(workspace.id, "analysis")

    def opened(self, workspace: Workspace) -> OpenedAnalysis | None:
        """Return the analysis so far; None until the first model has answered."""
        if not workspace.loaded:
            return None
        asked = {one.name: one for one in workspace.models if one.key}
        with workspace.showing:
            keys, known = workspace.shown.get("opened", (None, None))
            if known and keys == {name: one.key for name, one in asked.items()}:
                return known
            runs = {}
            for name, one in asked.items():
                if run := self._find_run(workspace, one.source, one.key):
                    runs[name] = run
                else:  # evicted
                    workspace.set_key(name, "")
            if not runs and not workspace.data.systems:
                return None
            opened = OpenedAnalysis(self.sessions, workspace, runs, known)
            workspace.shown["opened"] = {name: asked[name].key for name in runs}, opened
            return opened
