"""`RunCache`: runs of models on disk, by data and model, so that no pair is encoded twice.

Runs are folders that are written completely or not at all. diskcache would not do: shipped runs are
read from a folder of their own, and the finished parts of a stopped run serve the next one.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from symdemo.analysis.analysing import plain_cells
from symdemo.analysis.running import ModelRun, model_key, run_model
from symdemo.classifier import SymmetryClassifier
from symdemo.errors import InputError
from symdemo.files.storage import read_json, write_folder, write_json
from symdemo.jobs.reporting import SILENT, Reporter
from symdemo.pairs import Pair

FORMAT = 1
_ABOUT = "run.json"
_MOST_ABOUT = 64 * 1024**2
_PARTS = ".parts"
_POLL_SECONDS = 0.2


class RunCache:
    """Runs on disk, named by what they depend on; safe between threads.

    Args:
        root: Folder of the runs; it is made with the first one.
        shipped: Folders of runs that are only read.
    """

    def __init__(self, root: Path, shipped: Sequence[Path] = ()):
        self.root = root
        self._shipped = tuple(shipped)
        self._changed = threading.Condition()
        self._at_work: set[str] = set()

    def get(
        self,
        classifier: SymmetryClassifier,
        pairs: Sequence[Pair],
        data_key: str,
        exchanged: bool = True,
        reports: Reporter = SILENT,
    ) -> ModelRun:
        """Return the stored run, or run the model and store it; errors as in `run_model`.

        The parts of a stopped run are kept for the next one. A run in progress in another thread is
        awaited.
        """
        key = model_key(classifier)
        name = _name(data_key, key, exchanged)
        with self._alone(name, reports):
            if (found := self.find(data_key, key, exchanged)) is not None:
                return found
            parts = self.root / f"{name}{_PARTS}"
            run = run_model(classifier, pairs, exchanged, parts, reports)
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            save_run(run, self.root / name)
            shutil.rmtree(parts, ignore_errors=True)
        return run

    @contextmanager
    def _alone(self, name: str, reports: Reporter) -> Iterator[None]:
        """Keep other threads from making the run of this name."""
        while True:
            with self._changed:
                if name not in self._at_work:
                    self._at_work.add(name)
                    break
                self._changed.wait(_POLL_SECONDS)
            reports.check()  # without the lock, as it may take long
        try:
            yield
        finally:
            with self._changed:
                self._at_work.discard(name)
                self._changed.notify_all()

    def find(self, data_key: str, key: str, exchanged: bool) -> ModelRun | None:
        """Return the run of a model on data; one with exchanged pairs serves in both cases."""
        for way in dict.fromkeys((exchanged, True)):
            for root in (self.root, *self._shipped):
                with suppress(InputError):
                    run = load_run(root / _name(data_key, key, way))
                    if run.key == key:
                        return run
        return None


def _name(data_key: str, key: str, exchanged: bool) -> str:
    return f"{data_key[:24]}-{key[:24]}{'-both' if exchanged else ''}"


def save_run(run: ModelRun, folder: Path) -> None:
    """Write a run as a folder, completely or not at all."""

    def write(draft: Path) -> None:
        beside = {"taught": run.taught, "word_answer": run.word_answers}
        run.rows.assign(**beside).to_parquet(draft / "rows.parquet")
        np.save(draft / "probabilities.npy", run.probabilities)
        np.save(draft / "embeddings.npy", run.embeddings)
        about = {
            "format": FORMAT,
            "key": run.key,
            "labels": list(run.labels),
            "unread": {str(number): why for number, why in run.unread.items()},
            "any_pair": run.any_pair,
        }
        write_json(draft / _ABOUT, about)

    write_folder(folder, write)


def load_run(folder: Path) -> ModelRun:
    """Read a run.

    Raises:
        InputError: It is missing, damaged, or of another format.
    """
    about = read_json(folder / _ABOUT, _MOST_ABOUT)
    try:
        run = _read(folder, about)
        whole = {len(run.rows)} == {len(run.probabilities), len(run.embeddings)}
    except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError):
        whole = False
    if not whole:
        raise InputError(f"The run in {folder.name} is damaged; run the model again.")
    return run


def _read(folder: Path, about: dict[str, Any]) -> ModelRun:
    if about["format"] != FORMAT:
        raise ValueError(f"The run has the format {about['format']}; expected {FORMAT}.")
    rows = plain_cells(pd.read_parquet(folder / "rows.parquet"))
    taught, words = rows.pop("taught"), rows.pop("word_answer")
    return ModelRun(
        key=about["key"],
        labels=tuple(about["labels"]),
        rows=rows,
        probabilities=np.load(folder / "probabilities.npy", allow_pickle=False),
        embeddings=np.load(folder / "embeddings.npy", allow_pickle=False),
        word_answers=None if words.isna().any() else tuple(words),
        taught=tuple(taught),
        unread={int(number): why for number, why in about["unread"].items()},
        any_pair=about.get("any_pair", False),  # older runs are of models of swaps
    )
