"""One model over many pairs, in parts: it tells how far it is, can be stopped, and goes on."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from symdemo.analysis.baselines import word_answers
from symdemo.analysis.loading import taught_part
from symdemo.analysis.rows import MODEL_COLUMNS, model_rows
from symdemo.classifier import SymmetryClassifier
from symdemo.errors import InputError
from symdemo.files.atomic import replacing
from symdemo.jobs.state import StoppedError
from symdemo.pairs import Pair

PART = 256
"""Pairs that are encoded between two looks at the wish to stop; each part is kept on the disk."""


@dataclass(frozen=True, eq=False)
class ModelRun:
    """What one model answered on n pairs, with all that its figures need.

    Attributes:
        key: of the model: the same weights, memory and settings have the same.
        labels: the L labels that it can give.
        rows: (n) the columns `MODEL_COLUMNS`; a pair that it cannot read has no verdict.
        probabilities: (n, L) float32; NaN for a pair that it cannot read.
        embeddings: (n, d) float16 label embeddings; NaN likewise.
        word_answers: what a rule over words answers that learnt from the same; None where it was
            not asked, because no pair has a label.
        taught: (n,) whether it was taught the "pair", only its "relation", "none", or "unknown".
        taught_relations: names of the relations that it was taught.
        unread: number of a pair that it cannot read → why.
    """

    key: str
    labels: tuple[str, ...]
    rows: pd.DataFrame
    probabilities: np.ndarray
    embeddings: np.ndarray
    word_answers: tuple[str, ...] | None
    taught: tuple[str, ...]
    taught_relations: frozenset[str]
    unread: dict[int, str]

    @cached_property
    def times_taught(self) -> Counter[str]:
        """How many pairs each word of `taught` stands at."""
        return Counter(self.taught)


def model_key(classifier: SymmetryClassifier) -> str:
    """SHA-256 of all that a verdict depends on.

    The label embeddings of the taught pairs come out of the encoder's weights, so that they stand
    for these too; the card holds method, quotient, temperature and the settings of the training.
    """
    digest = hashlib.sha256(json.dumps(classifier.card.to_json(), sort_keys=True).encode())
    for pair in classifier.index.pairs:  # with its relation, which stands beside every neighbour
        digest.update(json.dumps(astuple(pair)).encode())
    digest.update(str(classifier.index.later).encode())
    digest.update(np.ascontiguousarray(classifier.index.embeddings).tobytes())
    if classifier.readout:
        for name, tensor in sorted(classifier.readout.tensors().items()):
            digest.update(name.encode())
            digest.update(tensor.contiguous().numpy().tobytes())
    return digest.hexdigest()


@dataclass(frozen=True)
class RunReports:
    """What a run tells, and what it asks.

    Attributes:
        progress: called with pairs done, pairs in all, and seconds left where that can be told.
        stopped: whether to end; what was encoded so far is kept.
    """

    progress: Callable[[int, int, float | None], None] = lambda done, total, left: None
    stopped: Callable[[], bool] = lambda: False


def run_model(
    classifier: SymmetryClassifier,
    pairs: Sequence[Pair],
    exchanged: bool = True,
    parts: Path | None = None,
    reports: RunReports | None = None,
) -> ModelRun:
    """Ask a model all pairs.

    Args:
        classifier: the model.
        pairs: n pairs, labelled or not; one that it cannot read gets no verdict.
        exchanged: also ask each with premise and hypothesis in each other's place.
        parts: a folder for what is encoded so far, of this model and these pairs alone; whatever is
            in it is not encoded again.
        reports: whom to tell.

    Raises:
        InputError: there are no pairs.
        StoppedError: it was asked to stop.
        ModelError: it was taught nothing yet.
    """
    if not pairs:
        raise InputError("There are no pairs; at least one is expected.")
    readable, unread = _readable(classifier, pairs)
    ways = [readable, [pair.reversed() for pair in readable]] if exchanged else [readable]
    work = _Work(classifier, sum(map(len, ways)), parts, reports or RunReports())
    encoded = [
        work.encode(own, name) for own, name in zip(ways, ("forward", "turned"), strict=False)
    ]
    answers = [
        classifier.predict_embedded(own, embeddings) if own else None
        for own, embeddings in zip(ways, encoded, strict=True)
    ]
    places = np.array([number for number in range(len(pairs)) if number not in unread], dtype=int)
    rows = pd.DataFrame(columns=list(MODEL_COLUMNS), dtype=object)
    shares = np.empty((0, len(classifier.labels)))
    if (forward := answers[0]) is not None:
        known = [pairs[place].label for place in places]
        rows = model_rows(known, forward, answers[1] if exchanged else None)
        shares = forward.probabilities
    labelled = any(pair.label for pair in pairs)
    taught = classifier.index.pairs
    return ModelRun(
        key=model_key(classifier),
        labels=tuple(classifier.labels),
        rows=_placed(rows, places, pairs),
        probabilities=_scattered(shares, places, len(pairs), np.float32),
        embeddings=_scattered(encoded[0], places, len(pairs), np.float16),
        word_answers=tuple(word_answers(taught, [p.premise for p in pairs])) if labelled else None,
        taught=tuple(taught_part(pairs, taught).tolist()),
        taught_relations=frozenset(pair.relation for pair in taught if pair.relation),
        unread=unread,
    )


def _readable(
    classifier: SymmetryClassifier, pairs: Sequence[Pair]
) -> tuple[list[Pair], dict[int, str]]:
    """The pairs that the model can read, and why it cannot read the others."""
    readable, unread = [], {}
    for number, pair in enumerate(pairs):
        try:
            readable.append(classifier.check(pair))
        except InputError as error:
            unread[number] = str(error)
    return readable, unread


def _placed(rows: pd.DataFrame, places: np.ndarray, pairs: Sequence[Pair]) -> pd.DataFrame:
    """The rows of the readable pairs at their places among all; an unread labelled one is wrong."""
    if len(places) == len(pairs):
        return rows
    rows = rows.set_axis(places).reindex(range(len(pairs)))
    rows = rows.astype(object).where(rows.notna(), None)
    missing = sorted(set(range(len(pairs))) - set(places.tolist()))
    for number in missing:
        rows.at[number, "right"] = False if pairs[number].label else None
    return rows.assign(
        probability=rows.probability.astype(float), distance=rows.distance.astype(float)
    )


def _scattered(found: np.ndarray, places: np.ndarray, n: int, kind: type) -> np.ndarray:
    whole: np.ndarray = np.full((n, found.shape[1]), np.nan, dtype=kind)
    whole[places] = found
    return whole


class _Work:
    """Encodes part after part, and keeps each."""

    def __init__(
        self,
        classifier: SymmetryClassifier,
        total: int,
        parts: Path | None,
        reports: RunReports,
    ):
        self.classifier, self.total = classifier, total
        self.parts, self.reports = parts, reports
        self.done = self.fresh = 0
        self.began = time.monotonic()

    def encode(self, pairs: Sequence[Pair], way: str) -> np.ndarray:
        """The label embeddings (n, d) of pairs, float32."""
        found = []
        for start in range(0, len(pairs), PART):
            if self.reports.stopped():
                raise StoppedError("It was stopped; what is done so far is kept.")
            part = pairs[start : start + PART]
            found.append(self._part(part, f"{way}-{start // PART:05d}.npy"))
            self._tell(len(part))
        return np.concatenate(found) if found else np.empty((0, 1), np.float32)

    def _part(self, pairs: Sequence[Pair], name: str) -> np.ndarray:
        path = self.parts / name if self.parts else None
        if path and path.is_file():
            try:
                kept = np.load(path, allow_pickle=False)
                if kept.shape == (len(pairs), self.classifier.index.embeddings.shape[1]):
                    return kept
            except (OSError, EOFError, ValueError):  # it was cut off: encode it again
                pass
        found = self.classifier.embed(pairs)
        self.fresh += len(pairs)
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as draft, draft.open("wb") as file:
                np.save(file, found)
        return found

    def _tell(self, more: int) -> None:
        self.done += more
        seconds = time.monotonic() - self.began
        left = (self.total - self.done) * seconds / self.fresh if self.fresh else None
        self.reports.progress(self.done, self.total, left)
