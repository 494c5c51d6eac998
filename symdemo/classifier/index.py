"""What a k-NN model remembers: taught pairs and their label embeddings, and who is nearest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from symdemo.classifier.voting import weights_apart
from symdemo.errors import InputError, ModelError
from symdemo.pairs import Pair, labels_of
from symdemo.text import shorten

K = 3
"""Appendix C."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A taught pair and its cosine distance from the query's label embedding, in [0, 2]."""

    pair: Pair
    distance: float
    row: int

    @property
    def label(self) -> str:
        """The label that the pair was taught with."""
        return self.pair.label or ""

    @property
    def relation(self) -> str | None:
        """The relation that the pair was taught under, if it was named."""
        return self.pair.relation

    def to_json(self) -> dict:
        """The pair with its distance, as JSON values."""
        return {
            "premise": self.pair.premise,
            "hypothesis": self.pair.hypothesis,
            "label": self.label,
            "relation": self.relation,
            "distance": self.distance,
        }


class LabelIndex:
    """Exact nearest neighbours by cosine distance over the label embeddings of taught pairs.

    Attributes:
        pairs: the n taught pairs, all labelled.
        embeddings: their label embeddings (n, d), float32, of unit norm.
        later: how many of the last pairs were taught to a model that knew the others already.
    """

    def __init__(self, pairs: Sequence[Pair], embeddings: np.ndarray, later: int = 0):
        import faiss

        if len(pairs) != len(embeddings):
            raise ModelError(
                f"Taught pairs and label embeddings differ in number: {len(pairs)} and "
                f"{len(embeddings)}."
            )
        self._labels = labels_of(pairs)
        if not 0 <= later <= len(pairs):
            raise ModelError(f"{later} of {len(pairs)} pairs cannot have been taught later.")
        self.pairs = tuple(pairs)
        self.later = later
        self.embeddings = unit_rows(embeddings)
        self._faiss = faiss.IndexFlatIP(self.embeddings.shape[1])
        self._faiss.add(self.embeddings)

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels taught so far, in the order of their first appearance."""
        return tuple(dict.fromkeys(self._labels))

    def add(self, pairs: Sequence[Pair], embeddings: np.ndarray) -> LabelIndex:
        """A new index with more neighbours, taught later; this one stays as it is.

        What an empty index is given first was not taught later than anything.
        """
        return LabelIndex(
            (*self.pairs, *pairs),
            np.concatenate([self.embeddings, unit_rows(embeddings)]),
            self.later + len(pairs) if len(self) else 0,
        )

    def select(self, rows: Sequence[int]) -> LabelIndex:
        """A new index of some rows, in rising order."""
        first_later = len(self) - self.later
        return LabelIndex(
            [self.pairs[row] for row in rows],
            self.embeddings[rows],
            sum(row >= first_later for row in rows),
        )

    def search(self, embeddings: np.ndarray, k: int = K) -> list[list[Neighbour]]:
        """The k nearest taught pairs of each row, nearest first (fewer where fewer are taught).

        Raises:
            InputError: k is below 1.
            ModelError: nothing has been taught.
        """
        found = self.search_rows(embeddings, k)
        return [list(near) for near in map(self.neighbours, *found)]

    def search_rows(
        self, embeddings: np.ndarray, k: int = K, silent: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Rows (n, k) of the nearest taught pairs, and their distances (n, k), float32.

        Args:
            embeddings: label embeddings (n, d).
            k: how many; fewer where fewer are taught.
            silent: (n, number of pairs), True where a pair is left out; where fewer than k remain,
                the last rows are −1 and their distances infinite.

        Raises:
            InputError: k is below 1.
            ModelError: nothing has been taught.
        """
        self.check_model(k)
        k = min(k, len(self))
        if silent is None:
            similarity, rows = self._faiss.search(unit_rows(embeddings), k)
            return rows, np.clip(1 - similarity, 0, 2)
        distances = np.clip(self.distances(embeddings), 0, 2)
        distances[silent] = np.inf
        rows = np.argsort(distances, axis=1, kind="stable")[:, :k]
        nearest = np.take_along_axis(distances, rows, axis=1)
        return np.where(np.isfinite(nearest), rows, -1), nearest

    def neighbours(self, rows: np.ndarray, distances: np.ndarray) -> tuple[Neighbour, ...]:
        """The neighbours that one row of `search_rows` names."""
        return tuple(
            Neighbour(self.pairs[row], float(distance), int(row))
            for row, distance in zip(rows, distances, strict=True)
            if row >= 0
        )

    def check_model(self, k: int = K) -> None:
        """Raise what `search` raises: nothing has been taught, or k is no number from 1."""
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
            raise InputError(
                f"{shorten(str(k), 20)} neighbours were asked for; a whole number of at least 1 is "
                "expected."
            )
        if not self.pairs:
            raise ModelError("This model has not been taught anything yet; teach it some pairs.")

    def kernel_vote(
        self, embeddings: np.ndarray, temperature: float, silent: np.ndarray | None = None
    ) -> np.ndarray:
        """Shares of the labels (n, number of labels), each row summing to 1; `labels` orders them.

        All taught pairs vote with the weights of `vote_weights`, which has the arguments. With few
        neighbours and a majority, nearly every vote is unanimous, right or wrong.
        """
        weights = self.vote_weights(embeddings, temperature, silent)
        return np.minimum(weights @ self.membership, 1)  # above it by rounding alone

    def vote_weights(
        self, embeddings: np.ndarray, temperature: float, silent: np.ndarray | None = None
    ) -> np.ndarray:
        """What each taught pair weighs in a vote: (n, number of pairs), each row summing to 1.

        Those that were taught later vote apart from the others; see `voting.weights_apart`.

        Args:
            embeddings: label embeddings (n, d).
            temperature: in the unit of the cosine distance.
            silent: (n, number of pairs), True where a pair has no vote; where none has one, the
                row says nothing.

        Raises:
            ModelError: nothing has been taught.
        """
        self.check_model()
        distances = self.distances(embeddings)
        if silent is not None:
            distances[silent & ~silent.all(axis=1, keepdims=True)] = np.inf
        return weights_apart(distances, self.later, temperature)

    def distances(self, embeddings: np.ndarray) -> np.ndarray:
        """Cosine distances (n, number of pairs) from label embeddings (n, d) to all taught ones."""
        return 1 - unit_rows(embeddings) @ self.embeddings.T

    @cached_property
    def membership(self) -> np.ndarray:
        """(number of pairs, number of labels): 1 where a pair has that label."""
        column = {label: number for number, label in enumerate(self.labels)}
        rows = np.zeros((len(self), len(column)), np.float32)
        rows[np.arange(len(self)), [column[label] for label in self._labels]] = 1
        return rows


def unit_rows(rows: np.ndarray) -> np.ndarray:
    """`rows` as contiguous float32 with every row scaled to norm 1 (zero rows stay zero)."""
    rows = np.ascontiguousarray(rows, dtype=np.float32)
    return rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-12)
