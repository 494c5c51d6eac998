"""Run a model over pairs in resumable parts, keep runs on disk, and assemble analyses from them.

A run is a folder, written completely or not at all. diskcache would not do: shipped runs are read
from a folder of their own, and the finished parts of a stopped run serve the next one.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
import torch

from symdemo.analysis import analysing
from symdemo.analysis.analysing import Analysis
from symdemo.analysis.loaded import LoadedPairs, taught_part
from symdemo.analysis.overview import word_answers
from symdemo.classifier import SymmetryClassifier
from symdemo.errors import InputError
from symdemo.files.storage import read_json, replacing, write_folder, write_json
from symdemo.jobs.reporting import SILENT, Reporter
from symdemo.pairs import Pair
from symdemo.text import MIB

PART = 256  # pairs encoded between two checks for a stop; each part is kept on disk
FORMAT = 1
_ABOUT = "run.json"
_MOST_ABOUT = 64 * MIB
_POLL_SECONDS = 0.2


@dataclass(frozen=True, eq=False)
class ModelRun:
    """Answers of one model on n pairs, with all that its scores need.

    A pair that the model does not judge has the verdict `NOT_JUDGED` and no probabilities.
    """

    key: str  # identifies the model: equal for equal weights, taught pairs and settings
    labels: tuple[str, ...]  # the L labels of the model
    rows: pd.DataFrame
    """(n) the columns `MODEL_COLUMNS`; a pair that the model cannot read has no verdict."""
    probabilities: np.ndarray  # (n, L) float32; NaN for a pair without a verdict
    embeddings: np.ndarray  # (n, d) float16 label embeddings; NaN for an unreadable pair
    word_answers: tuple[str, ...] | None
    """Answers of the words baseline; None if no pair has a label."""
    taught: tuple[str, ...]
    """(n,) what the model was taught: the "pair", its "relation", "none", or "unknown"."""
    unread: dict[int, str]  # number of an unreadable pair → the reason
    any_pair: bool = False
    """True if the model was made for any two sentences about the same two things."""

    @cached_property
    def times_taught(self) -> Counter[str]:
        """Number of pairs for each value of `taught`."""
        return Counter(self.taught)

    def save(self, folder: Path) -> None:
        """Write the run as a folder, completely or not at all."""

        def write(draft: Path) -> None:
            rows = self.rows.assign(taught=self.taught, word_answer=self.word_answers)
            rows.to_parquet(draft / "rows.parquet")
            np.save(draft / "probabilities.npy", self.probabilities)
            np.save(draft / "embeddings.npy", self.embeddings)
            about = {"format": FORMAT, "key": self.key, "labels": self.labels}
            write_json(draft / _ABOUT, about | {"unread": self.unread, "any_pair": self.any_pair})

        write_folder(folder, write)

    @classmethod
    def load(cls, folder: Path) -> ModelRun:
        """Read what `save` wrote; `InputError` if it is missing, damaged or of another format."""
        about = read_json(folder / _ABOUT, _MOST_ABOUT)
        try:
            rows = analysing.plain_cells(pd.read_parquet(folder / "rows.parquet"))
            taught, words = rows.pop("taught"), rows.pop("word_answer")
            run = cls(
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
            whole = about["format"] == FORMAT
            whole &= len(rows) == len(run.probabilities) == len(run.embeddings)
        except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError):
            whole = False
        if not whole:
            raise InputError(f"The run in {folder.name} is damaged; run the model again.")
        return run


def model_key(classifier: SymmetryClassifier) -> str:
    """Return a SHA-256 over everything that verdicts depend on.

    The weights are included: the index of an imported model need not come from its encoder.
    """
    digest = hashlib.sha256(json.dumps(classifier.card.to_json(), sort_keys=True).encode())
    for pair in classifier.index.pairs:  # with its relation, which is shown with each neighbour
        digest.update(json.dumps(astuple(pair)).encode())
    digest.update(str(classifier.index.later).encode())
    digest.update(np.ascontiguousarray(classifier.index.embeddings).tobytes())
    if classifier.encoder.exact is not classifier.encoder:
        digest.update(b"rounded by a backend")
    tensors = sorted(classifier.encoder.tensors().items())
    if classifier.readout:
        tensors += sorted(classifier.readout.tensors().items())
    for name, tensor in tensors:
        digest.update(name.encode())
        digest.update(tensor.detach().cpu().reshape(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()


def run_model(
    classifier: SymmetryClassifier,
    pairs: Sequence[Pair],
    exchanged: bool = True,
    parts: Path | None = None,
    reports: Reporter = SILENT,
) -> ModelRun:
    """Predict n pairs, labelled or not; one that the model cannot read gets no verdict.

    If `exchanged`, each pair is also predicted with premise and hypothesis exchanged. Parts encoded
    so far, of this model and these pairs alone, are kept in the folder `parts` and not encoded
    again. `InputError` for no pairs, `ModelError` for a model that was taught nothing.
    """
    if not pairs:
        raise InputError("There are no pairs; expected at least one.")
    n = len(pairs)
    readable: dict[int, Pair] = {}
    unread: dict[int, str] = {}
    for number, pair in enumerate(pairs):
        try:
            readable[number] = classifier.check(pair)
        except InputError as error:
            unread[number] = str(error)
    places, asked = list(readable), list(readable.values())
    turned = [pair.reversed() for pair in asked] if exchanged else []
    encoded = _encode(classifier, [*asked, *turned], parts, reports)
    rows = pd.DataFrame(columns=list(analysing.MODEL_COLUMNS), dtype=object)
    probabilities = np.full((n, len(classifier.labels)), np.nan, np.float32)
    embeddings = np.full((n, encoded.shape[1]), np.nan, np.float16)
    if readable:
        embeddings[places] = encoded[: len(asked)]
        answers = classifier.predict_embedded(asked, encoded[: len(asked)])
        back = classifier.predict_embedded(turned, encoded[len(asked) :]) if exchanged else None
        rows = analysing.model_rows([pairs[place].label for place in places], answers, back)
        probabilities[places] = np.where(answers.judged[:, None], answers.probabilities, np.nan)
    if unread:  # one with a label counts as wrong
        rows = analysing.plain_cells(rows.set_axis(places).reindex(range(n)))
        for number in unread:
            rows.at[number, "right"] = False if pairs[number].label else None
    labelled = any(pair.label for pair in pairs)
    taught = classifier.index.pairs
    return ModelRun(
        key=model_key(classifier),
        labels=tuple(classifier.labels),
        rows=rows,
        probabilities=probabilities,
        embeddings=embeddings,
        word_answers=tuple(word_answers(taught, [p.premise for p in pairs])) if labelled else None,
        taught=taught_part(pairs, taught),
        unread=unread,
        any_pair=classifier.judges_any_pair,
    )


def _encode(
    classifier: SymmetryClassifier, pairs: Sequence[Pair], parts: Path | None, reports: Reporter
) -> np.ndarray:
    """Return label embeddings (n, d) float32; each part of them is kept on disk."""
    found = [np.empty((0, classifier.index.embeddings.shape[1]), np.float32)]
    began, fresh = time.monotonic(), 0
    for start in range(0, len(pairs), PART):
        reports.check()
        some = pairs[start : start + PART]
        path = parts / f"{start // PART:05d}.npy" if parts else None
        kept = None
        with suppress(OSError, EOFError, ValueError):  # missing or truncated
            kept = np.load(path, allow_pickle=False) if path else None
        if kept is None or kept.shape != (len(some), found[0].shape[1]):
            kept = classifier.embed(some)
            fresh += len(some)
            if path:
                path.parent.mkdir(parents=True, exist_ok=True)
                with replacing(path) as draft, draft.open("wb") as file:
                    np.save(file, kept)
        found.append(kept)
        done = start + len(some)
        left = (len(pairs) - done) * (time.monotonic() - began) / fresh if fresh else None
        reports.progress(done, len(pairs), left)
    return np.concatenate(found)


def assemble(data: LoadedPairs, runs: Mapping[str, ModelRun]) -> Analysis:
    """Return the analysis of runs and of the labels of other systems; `InputError` for neither."""
    if not runs and not data.systems:
        raise InputError("There are neither answers of a model nor of another system.")
    rows = analysing.pair_rows(data.pairs, data.constructions, data.groups)
    frames = {name: run.rows for name, run in runs.items()}
    labels = list(rows.label)
    frames |= {name: analysing.model_rows(labels, own, None) for name, own in data.systems.items()}
    answers = {name: list(run.word_answers) for name, run in runs.items() if run.word_answers}
    rows = analysing.joined(rows, frames)
    return Analysis(rows, tuple(frames), dict.fromkeys(frames, ()), answers)


class RunCache:
    """Runs on disk, safe between threads; runs in the folders `shipped` are only read."""

    def __init__(self, root: Path, shipped: Sequence[Path] = ()):
        self.root = root
        self._shipped = tuple(shipped)
        self._locks: dict[str, threading.Lock] = {}

    def get(
        self,
        classifier: SymmetryClassifier,
        pairs: Sequence[Pair],
        data_key: str,
        exchanged: bool = True,
        reports: Reporter = SILENT,
    ) -> ModelRun:
        """Return the stored run, or run the model and store it; errors as in `run_model`.

        Wait for a run in progress in another thread. Keep the parts of a stopped run for the next.
        """
        key = model_key(classifier)
        name = _name(data_key, key, exchanged)
        lock = self._locks.setdefault(name, threading.Lock())
        while not lock.acquire(timeout=_POLL_SECONDS):
            reports.check()
        try:
            if (found := self.find(data_key, key, exchanged)) is not None:
                return found
            parts = self.root / f"{name}.parts"
            run = run_model(classifier, pairs, exchanged, parts, reports)
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            run.save(self.root / name)
            shutil.rmtree(parts, ignore_errors=True)
            return run
        finally:
            lock.release()

    def find(self, data_key: str, key: str, exchanged: bool) -> ModelRun | None:
        """Return the run of a model on data; one with exchanged pairs serves in both cases."""
        for way in dict.fromkeys((exchanged, True)):
            for root in (self.root, *self._shipped):
                with suppress(InputError):
                    run = ModelRun.load(root / _name(data_key, key, way))
                    if run.key == key:
                        return run
        return None


def _name(data_key: str, key: str, exchanged: bool) -> str:
    return f"{data_key[:24]}-{key[:24]}{'-both' if exchanged else ''}"
