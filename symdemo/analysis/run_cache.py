"""Runs that are kept by data and model, so that the same question is never encoded twice."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd

from symdemo.analysis.running import ModelRun, RunReports, model_key, run_model
from symdemo.classifier import SymmetryClassifier
from symdemo.errors import InputError
from symdemo.files.atomic import write_folder
from symdemo.files.json_files import read_json, write_json
from symdemo.pairs import Pair

FORMAT = 1
MOST_BYTES = 2 * 1024**3
"""What all runs of a cache may take; those that were not asked for the longest time go first."""
_ABOUT = "run.json"
_MOST_ABOUT = 64 * 1024**2


class RunCache:
    """Runs on the disk, under names made of what they depend on; safe between threads.

    Args:
        root: the folder of the runs; it is made when the first is kept.
        shipped: folders of runs that are only read.
        most_bytes: what they may take in all.
    """

    def __init__(self, root: Path, shipped: Sequence[Path] = (), most_bytes: int = MOST_BYTES):
        self.root = root
        self._shipped = tuple(shipped)
        self._most_bytes = most_bytes

    def get(
        self,
        classifier: SymmetryClassifier,
        pairs: Sequence[Pair],
        data_key: str,
        exchanged: bool = True,
        reports: RunReports | None = None,
    ) -> ModelRun:
        """The run that is kept, or else a new one, which is then kept; errors as in `run_model`.

        What a stopped run had encoded stays, and the next one goes on from there.
        """
        key = model_key(classifier)
        if (found := self.find(data_key, key, exchanged)) is not None:
            return found
        parts = self.root / f"{_name(data_key, key, exchanged)}.parts"
        run = run_model(classifier, pairs, exchanged, parts, reports)
        self.keep(run, data_key, exchanged)
        shutil.rmtree(parts, ignore_errors=True)
        return run

    def find(self, data_key: str, key: str, exchanged: bool) -> ModelRun | None:
        """The run of a model on data; one that was also asked the other way round serves too."""
        for way in (exchanged, True):
            for root in (self.root, *self._shipped):
                folder = root / _name(data_key, key, way)
                with suppress(InputError, OSError, ValueError, KeyError):
                    run = load_run(folder)
                    if run.key == key:
                        with suppress(OSError):
                            os.utime(folder)
                        return run
        return None

    def keep(self, run: ModelRun, data_key: str, exchanged: bool) -> None:
        """Write a run, and let go of old ones where there is no room."""
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = self.root / _name(data_key, run.key, exchanged)
        save_run(run, folder)
        self._make_room(folder)

    def _make_room(self, newest: Path) -> None:
        folders = [path for path in self.root.iterdir() if path.is_dir()]
        sizes = {path: sum(f.stat().st_size for f in path.glob("*")) for path in folders}
        total = sum(sizes.values())
        for path in sorted(folders, key=lambda path: path.stat().st_mtime):
            if total <= self._most_bytes:
                return
            if path != newest:
                shutil.rmtree(path, ignore_errors=True)
                total -= sizes[path]


def _name(data_key: str, key: str, exchanged: bool) -> str:
    return f"{data_key[:24]}-{key[:24]}{'-both' if exchanged else ''}"


def save_run(run: ModelRun, folder: Path) -> None:
    """Write a run as a folder, whole or not at all."""

    def write(draft: Path) -> None:
        beside = {"taught": run.taught, "word_answer": run.word_answers}
        run.rows.assign(**beside).to_parquet(draft / "rows.parquet")
        np.save(draft / "probabilities.npy", run.probabilities)
        np.save(draft / "embeddings.npy", run.embeddings)
        unread = {str(number): why for number, why in run.unread.items()}
        about = {
            "format": FORMAT, "key": run.key, "labels": list(run.labels), "unread": unread,
            "taught_relations": sorted(run.taught_relations),
        }  # fmt: skip
        write_json(draft / _ABOUT, about)

    write_folder(folder, write)


def load_run(folder: Path) -> ModelRun:
    """Read a run.

    Raises:
        InputError, OSError, ValueError, KeyError: it is not there, damaged, or of another format.
    """
    about = read_json(folder / _ABOUT, _MOST_ABOUT)
    if about["format"] != FORMAT:
        raise ValueError(f"The run has the format {about['format']}; {FORMAT} is expected.")
    rows = pd.read_parquet(folder / "rows.parquet")
    taught, words = rows.pop("taught"), _objects(rows.pop("word_answer"))
    texts = {name: _objects(rows[name]) for name in rows if name not in ("probability", "distance")}
    return ModelRun(
        key=about["key"],
        labels=tuple(about["labels"]),
        rows=rows.assign(**{str(name): column for name, column in texts.items()}),
        probabilities=np.load(folder / "probabilities.npy", allow_pickle=False),
        embeddings=np.load(folder / "embeddings.npy", allow_pickle=False),
        word_answers=None if words.isna().any() else tuple(words),
        taught=tuple(taught),
        taught_relations=frozenset(about["taught_relations"]),
        unread={int(number): why for number, why in about["unread"].items()},
    )


def _objects(column: pd.Series) -> pd.Series:
    """A column of plain Python values, None where there is none, as it was before it was kept."""
    plain = column.astype(object)
    return plain.where(plain.notna(), None)
