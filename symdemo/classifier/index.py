"""The memory of a k-NN model: taught pairs with their label embeddings, and how they vote.

Either the k nearest vote by majority, or all taught pairs vote with weights that fall with their
distance (`kernel`). Pairs taught later vote as a group of their own (`split_weights`), because a
few of them would count for nothing among thousands.

Hundreds of thousands of pairs are not all compared with a question: see `LabelIndex`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from symdemo.errors import InputError, ModelError
from symdemo.pairs import Pair, labels_of
from symdemo.text import shorten

if TYPE_CHECKING:
    import faiss

K = 3
"""Appendix C."""

SHARPEST = 0.01
"""The least temperature of a vote; half-precision distances mean nothing below it."""

STEEPNESS = 32
"""Chosen on held-out relations of five folds: at 8, teaching changed some verdicts on questions
that were as far from what it taught as from everything else.
"""

EXACT = 200_000
"""Number of pairs up to which all are compared with a question."""

CELLS_SEARCHED = 64
"""Cells of a large index searched per question; recall over a million pairs: docs/results.md."""

VOTERS = 4_096
"""Pairs found in a large index; the others have no vote."""

_ADDED = 20_000  # pairs that a large index compares one by one before its cells are rebuilt


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A taught pair, its row in the index, and its cosine distance from the query, in [0, 2]."""

    pair: Pair
    distance: float
    row: int

    @property
    def label(self) -> str:
        """The label it was taught with."""
        return self.pair.label or ""

    @property
    def relation(self) -> str | None:
        """The relation it was taught under, if any."""
        return self.pair.relation

    def to_json(self) -> dict:
        """Return the pair with its distance, as JSON values."""
        return {
            "premise": self.pair.premise,
            "hypothesis": self.pair.hypothesis,
            "label": self.label,
            "relation": self.relation,
            "distance": self.distance,
        }


class LabelIndex:
    """Nearest neighbours by cosine distance over the label embeddings of taught pairs.

    Exact up to `EXACT` pairs. A larger one finds `VOTERS` pairs in the cells nearest to a question,
    which store numbers in four bits, and measures their distances; all others count as infinitely
    far. Pairs added to it are all compared, so that adding a few takes no new cells.

    Attributes:
        pairs: the m taught pairs, all labelled.
        embeddings: their label embeddings (m, d) of unit norm, float32; float16 if not exact.
        later: number of pairs at the end that were taught to an already taught model.
        exact: True if all pairs are compared with a question.

    Args:
        cells: those of the index that these pairs were added to, which hold its rows already.

    Raises:
        ModelError: pairs and embeddings differ in number, or `later` is out of range.
        InputError: a pair without a label.
    """

    def __init__(
        self,
        pairs: Sequence[Pair],
        embeddings: np.ndarray,
        later: int = 0,
        cells: faiss.Index | None = None,
    ):
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
        self.exact = len(pairs) <= EXACT
        self._faiss: faiss.Index
        if self.exact:
            self.embeddings = unit_rows(embeddings)
            self._faiss = faiss.IndexFlatIP(self.embeddings.shape[1])
            self._faiss.add(self.embeddings)
        elif cells is None:
            self.embeddings = np.empty(embeddings.shape, np.float16)
            for part in _parts(len(embeddings)):
                self.embeddings[part] = unit_rows(embeddings[part])
            self._faiss = cell_index(self.embeddings, "SQ4", CELLS_SEARCHED)
        else:
            self.embeddings, self._faiss = embeddings, cells

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        return f"LabelIndex({len(self):,} pairs, labels={self.labels})"

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The L taught labels, in order of first appearance."""
        return tuple(dict.fromkeys(self._labels))

    @cached_property
    def later_labels(self) -> tuple[str, ...]:
        """The labels of the last `later` pairs."""
        return tuple(dict.fromkeys(self._labels[len(self) - self.later :]))

    @cached_property
    def entity_pairs(self) -> tuple[tuple[str, str], ...]:
        """`Pair.entity_pair` of all pairs."""
        return tuple(pair.entity_pair for pair in self.pairs)

    def add(self, pairs: Sequence[Pair], embeddings: np.ndarray) -> LabelIndex:
        """Return a new index with more pairs, taught later unless this one is empty."""
        later = self.later + len(pairs) if len(self) else 0
        new = unit_rows(embeddings).astype(self.embeddings.dtype, copy=False)
        rows = np.concatenate([self.embeddings, new])
        kept = not self.exact and len(rows) - self._faiss.ntotal <= _ADDED
        index = LabelIndex((*self.pairs, *pairs), rows, later, self._faiss if kept else None)
        if "entity_pairs" in vars(self):
            index.entity_pairs = (*self.entity_pairs, *(pair.entity_pair for pair in pairs))
        return index

    def select(self, rows: Sequence[int]) -> LabelIndex:
        """Return a new index of some rows, given in ascending order."""
        later = sum(row >= len(self) - self.later for row in rows)
        return LabelIndex([self.pairs[row] for row in rows], self.embeddings[rows], later)

    def search(self, embeddings: np.ndarray, k: int = K) -> list[list[Neighbour]]:
        """Return the k nearest taught pairs of each row, nearest first; as `search_rows`."""
        found = self.search_rows(embeddings, k)
        return [list(near) for near in map(self.neighbours, *found)]

    def search_rows(
        self, embeddings: np.ndarray, k: int = K, silent: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows (n, k) of the nearest taught pairs and their distances (n, k), float32.

        Args:
            embeddings: label embeddings (n, d).
            k: number of neighbours; fewer if fewer are taught.
            silent: (n, m), True for pairs to leave out. If fewer than k remain, the last rows are
                −1 and their distances infinite.

        Raises:
            InputError: k is not an integer of at least 1.
            ModelError: nothing was taught.
        """
        self.check_query(k)
        k = min(k, len(self))
        if not self.exact:
            return self._search_cells(embeddings, k, silent)
        if silent is None:
            similarity, rows = self._faiss.search(unit_rows(embeddings), k)
            return rows, np.clip(1 - similarity, 0, 2)
        distances = np.clip(self.distances(embeddings), 0, 2)
        distances[silent] = np.inf
        rows = np.argsort(distances, axis=1, kind="stable")[:, :k]
        nearest = np.take_along_axis(distances, rows, axis=1)
        return np.where(np.isfinite(nearest), rows, -1), nearest

    def _search_cells(
        self, embeddings: np.ndarray, k: int, silent: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        rows = np.full((len(embeddings), k), -1)
        distances = np.full(rows.shape, np.inf, np.float32)
        for n, (found, far) in enumerate(self._compared(embeddings)):
            if silent is not None:
                far[silent[n, found]] = np.inf
            order = np.argsort(far, kind="stable")[:k]
            order = order[np.isfinite(far[order])]
            rows[n, : len(order)] = found[order]
            distances[n, : len(order)] = np.clip(far[order], 0, 2)
        return rows, distances

    def _compared(self, embeddings: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the rows of the pairs compared with each question, and their distances."""
        queries = unit_rows(embeddings)
        added = np.arange(self._faiss.ntotal, len(self))
        for query, found in zip(queries, self._faiss.search(queries, VOTERS)[1], strict=True):
            rows = np.concatenate([found[found >= 0], added])
            yield rows, 1 - self.embeddings[rows].astype(np.float32) @ query

    def neighbours(self, rows: np.ndarray, distances: np.ndarray) -> tuple[Neighbour, ...]:
        """Return the neighbours of one row of `search_rows`."""
        return tuple(
            Neighbour(self.pairs[row], float(distance), int(row))
            for row, distance in zip(rows, distances, strict=True)
            if row >= 0
        )

    def check_query(self, k: int = K) -> None:
        """Raise the errors of `search_rows`."""
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
        """Return each label's share of the vote of all taught pairs, (n, L), as `vote_weights`.

        Unlike a majority of few neighbours, which is nearly always unanimous, the shares show how
        sure the vote is.
        """
        weights = self.vote_weights(embeddings, temperature, silent)
        return np.minimum(weights @ self.membership, 1)  # rounding may exceed 1

    def vote_weights(
        self, embeddings: np.ndarray, temperature: float, silent: np.ndarray | None = None
    ) -> np.ndarray:
        """Return the weight of each taught pair in a vote, (n, m), rows summing to 1.

        Args:
            embeddings: label embeddings (n, d).
            temperature: in units of cosine distance.
            silent: (n, m), True for pairs without a vote; a row of True is meaningless.

        Raises:
            ModelError: nothing was taught.
        """
        self.check_query()
        distances = self.distances(embeddings)
        if silent is not None:
            distances[silent & ~silent.all(axis=1, keepdims=True)] = np.inf
        return split_weights(distances, self.later, temperature)

    def distances(self, embeddings: np.ndarray) -> np.ndarray:
        """Return the cosine distances (n, m) of label embeddings (n, d) from all taught ones."""
        if self.exact:
            return 1 - unit_rows(embeddings) @ self.embeddings.T
        distances = np.full((len(embeddings), len(self)), np.inf, np.float32)
        for own, (rows, far) in zip(distances, self._compared(embeddings), strict=True):
            own[rows] = far
        return distances

    @cached_property
    def membership(self) -> np.ndarray:
        """(m, L): 1 where a pair has that label."""
        column = {label: number for number, label in enumerate(self.labels)}
        rows = np.zeros((len(self), len(column)), np.float32)
        rows[np.arange(len(self)), [column[label] for label in self._labels]] = 1
        return rows

    @cached_property
    def mean_embeddings(self) -> dict[str, np.ndarray]:
        """Label → the mean of its label embeddings, scaled to norm 1, (d,)."""
        parts = _parts(len(self))
        sums = sum(self.membership[own].T @ self.embeddings[own] for own in parts)
        return dict(zip(self.labels, unit_rows(np.asarray(sums)), strict=True))


def unit_rows(rows: np.ndarray) -> np.ndarray:
    """Return `rows` as contiguous float32, each scaled to norm 1 (zero rows stay zero)."""
    rows = np.ascontiguousarray(rows, dtype=np.float32)
    return rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-12)


def _parts(n: int) -> list[slice]:
    return [slice(start, start + EXACT) for start in range(0, max(n, 1), EXACT)]


def cell_index(rows: np.ndarray, codes: str, searched: int) -> faiss.Index:
    """Return FAISS's inverted file of rows (m, d): about 2√m cells, of which some are searched.

    Args:
        rows: float32 or float16, of unit norm.
        codes: how rows are stored: "Flat" whole, "SQ4" with four bits per number.
        searched: number of cells to look into for each question.
    """
    import faiss

    m, d = rows.shape
    cells = int(2 * np.sqrt(m))
    index: Any = faiss.index_factory(d, f"IVF{cells},{codes}", faiss.METRIC_INNER_PRODUCT)
    index.train(rows[:: max(1, m // (40 * cells))].astype(np.float32, copy=False))
    index.nprobe = searched
    for part in _parts(m):
        index.add(rows[part].astype(np.float32, copy=False))
    return index


def majority(neighbours: Sequence[Neighbour]) -> tuple[str, dict[str, float]]:
    """Return the winning label among a few neighbours, and each label's share of the votes.

    Of labels with equally many votes, the one with the nearest neighbour wins.
    """
    votes = Counter(neighbour.label for neighbour in neighbours)
    nearest: dict[str, float] = {}
    for neighbour in neighbours:
        nearest.setdefault(neighbour.label, neighbour.distance)
    winner = min(votes, key=lambda label: (-votes[label], nearest[label]))
    return winner, {label: count / len(neighbours) for label, count in votes.items()}


def split_weights(distances: np.ndarray, later: int, temperature: float) -> np.ndarray:
    """Return vote weights (n, m), rows summing to 1: `kernel` of old and later pairs apart.

    The vote of the `later` last pairs counts for `later_share`, that of the old ones for the rest.
    Distances (n, m) are infinite for pairs without a vote.
    """
    old, new = np.split(distances, [distances.shape[1] - later], axis=1)
    if not later or not old.shape[1]:
        return kernel(distances, temperature)
    share = later_share(old, new)
    parts = ((1 - share) * kernel(old, temperature), share * kernel(new, temperature))
    return np.concatenate(parts, axis=1)


def kernel(distances: np.ndarray, temperature: float) -> np.ndarray:
    """Return exp(−d / T) with rows scaled to sum 1; a row of infinite distances is all 0.

    T is the temperature, or the distance of the nearest pair if that is smaller.
    """
    nearest = distances.min(axis=1, keepdims=True)
    local = np.clip(nearest, SHARPEST, max(temperature, SHARPEST))
    weights = np.exp((np.where(np.isfinite(nearest), nearest, 0) - distances) / local)
    return weights / np.maximum(weights.sum(axis=1, keepdims=True), SHARPEST)


def later_share(old: np.ndarray, later: np.ndarray) -> np.ndarray:
    """Return 1 / (1 + (d_later / d_old)^`STEEPNESS`) of the nearest of each, (n, 1), in [0, 1].

    Close to 1 if a pair taught later is nearer than all old ones, else close to 0. Takes distances
    (n, any) to the old and to the later pairs, of which one may be infinite.
    """
    new, old = (np.log(np.maximum(d.min(axis=1, keepdims=True), SHARPEST)) for d in (later, old))
    return np.exp(-np.logaddexp(0, STEEPNESS * (new - old)))  # the formula itself would overflow
