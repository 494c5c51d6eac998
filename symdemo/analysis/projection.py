"""Label embeddings in a plane, and how much of them that plane keeps.

Principal components place every row. UMAP (McInnes et al. 2018, by umap-learn) places a sample, and
keeps neighbours together far better: on the label embeddings of `general` for pairs of the relation
bank it keeps 26% of the 10 nearest neighbours among 2,000 pairs and 20% among 20,000, where the
principal components keep 5% and 1%. That is what umap-learn is in the `app` extra for; it is
imported where it is used, and PCA needs none of it.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Literal

import numpy as np

from symdemo.analysis.stopping import Progress, ShouldStop, stop_if_asked
from symdemo.classifier.index import unit_rows
from symdemo.errors import InputError

Kind = Literal["pca", "umap"]
KINDS: tuple[Kind, ...] = ("pca", "umap")

MOST = 20_000
"""Rows that UMAP places."""
NEIGHBOURS = 10
SAMPLE = 2_000
"""Rows whose neighbours are compared."""
FEWEST_UMAP = 20

_CHUNK = 20_000
_one_at_a_time = threading.Lock()  # numba ends the process where two threads run parallel code


@dataclass(frozen=True, eq=False)
class PrincipalAxes:
    """The two directions along which rows differ most.

    Attributes:
        mean: (d,) of the rows.
        axes: (d, 2), orthonormal; a column of 0 where there is no second direction.
        explained: the share of the variance along each axis, in [0, 1].
    """

    mean: np.ndarray
    axes: np.ndarray
    explained: tuple[float, float]

    @classmethod
    def fit(cls, rows: np.ndarray) -> PrincipalAxes:
        """From the covariance of rows (n, d): exact, and as quick for many rows as one product."""
        d = rows.shape[1]
        mean = rows.mean(axis=0, dtype=np.float64) if len(rows) else np.zeros(d)
        covariance = np.zeros((d, d))
        for start in range(0, len(rows), _CHUNK):
            centred = (rows[start : start + _CHUNK] - mean).astype(np.float32)
            covariance += centred.T @ centred
        strengths, directions = np.linalg.eigh(covariance)
        strengths = np.maximum(strengths[::-1][:2], 0)
        # Directions without any variance are noise of the arithmetic.
        real = strengths > 1e-9 * max(1e-3, float(np.trace(covariance)))
        axes = np.zeros((d, 2))
        axes[:, : len(strengths)] = directions[:, ::-1][:, :2] * real
        # A component's sign is arbitrary; fixing it keeps the map the same way up on any machine.
        axes *= np.where(axes[np.abs(axes).argmax(axis=0), [0, 1]] < 0, -1, 1)
        total = float(np.trace(covariance))
        shares = np.zeros(2)
        shares[: len(strengths)] = strengths * real / total if total > 1e-12 else 0
        explained = float(shares[0]), float(shares[1])
        return cls(mean.astype(np.float32), axes.astype(np.float32), explained)

    def place(self, rows: np.ndarray) -> np.ndarray:
        """Where rows (m, d) fall: (m, 2) float32."""
        parts = [
            (rows[start : start + _CHUNK] - self.mean) @ self.axes
            for start in range(0, len(rows), _CHUNK)
        ]
        return np.concatenate(parts).astype(np.float32) if parts else np.zeros((0, 2), np.float32)


@dataclass(frozen=True, eq=False)
class Projected:
    """n rows in a plane.

    Attributes:
        xy: (n, 2) float32; NaN where a row was not placed.
        kind: “pca” or “umap”.
        explained: the share of the variance along each axis; None for UMAP, whose axes have none.
        kept_neighbours: mean share of a row's 10 nearest neighbours (cosine) that are among its 10
            nearest in the plane, over at most 2,000 rows drawn among those placed; None where too
            few rows are placed for that to mean anything.
    """

    xy: np.ndarray
    kind: Kind
    explained: tuple[float, float] | None
    kept_neighbours: float | None

    @property
    def placed(self) -> np.ndarray:
        """(n,) bool."""
        return ~np.isnan(self.xy[:, 0])


def project(
    embeddings: np.ndarray,
    kind: Kind = "pca",
    seed: int = 0,
    most: int = MOST,
    *,
    should_stop: ShouldStop | None = None,
    progress: Progress | None = None,
) -> Projected:
    """Place label embeddings in a plane; the same for the same arguments.

    Args:
        embeddings: (n, d), scaled to norm 1 here.
        kind: “pca” places all rows, “umap” at most `most` of them, drawn at random.
        seed: of that draw, of UMAP, and of the rows whose neighbours are compared.
        most: see `kind`.
        should_stop: asked between the steps; UMAP itself cannot be stopped once it runs.
        progress: told how many of three steps are done.

    Raises:
        InputError: no table of numbers, an unknown kind, too few rows, or umap-learn missing.
        Stopped: `should_stop` said so.
    """
    _check(embeddings, kind, most)
    told = progress or (lambda done, total: None)
    told(0, 3)
    rng = np.random.default_rng(seed)
    n = len(embeddings)
    explained = None
    xy = np.full((n, 2), np.nan, np.float32)
    rows = np.arange(n)
    if kind == "umap" and n > most:
        rows = np.sort(rng.choice(n, most, replace=False))
    vectors = unit_rows(embeddings[rows])
    stop_if_asked(should_stop)
    told(1, 3)
    if kind == "pca":
        axes = PrincipalAxes.fit(vectors)
        xy[rows], explained = axes.place(vectors), axes.explained
    else:
        xy[rows] = _umap(vectors, seed)
    stop_if_asked(should_stop)
    told(2, 3)
    kept = kept_neighbours(vectors, xy[rows], rng)
    told(3, 3)
    return Projected(xy, kind, explained, kept)


def _check(embeddings: np.ndarray, kind: str, most: int) -> None:
    if kind not in KINDS:
        raise InputError(f"The projection “{kind}” is unknown; expected are: {', '.join(KINDS)}.")
    if embeddings.ndim != 2 or not len(embeddings):
        raise InputError(
            f"The embeddings have the shape {embeddings.shape}; (n, d) with n above 0 is expected."
        )
    fewest = min(len(embeddings), most)
    if kind == "umap" and fewest < FEWEST_UMAP:
        raise InputError(
            f"UMAP was to place {fewest} rows; it needs at least {FEWEST_UMAP}. PCA places any."
        )


def _umap(vectors: np.ndarray, seed: int) -> np.ndarray:
    """Where UMAP places unit rows (m, d): (m, 2).

    With one thread, since only that gives the same twice.
    """
    try:
        import umap
    except ImportError as error:
        raise InputError(
            "UMAP needs the package umap-learn, which is not here; pip install umap-learn."
        ) from error
    neighbours = min(15, len(vectors) - 1)
    with _one_at_a_time:
        fitted = umap.UMAP(n_neighbors=neighbours, metric="cosine", random_state=seed, n_jobs=1)
        return np.asarray(fitted.fit_transform(vectors), np.float32)


def kept_neighbours(
    vectors: np.ndarray, xy: np.ndarray, rng: np.random.Generator, k: int = NEIGHBOURS
) -> float | None:
    """The mean share of k nearest neighbours that a plane keeps; None below 2 k + 1 rows.

    Args:
        vectors: (m, d) unit rows, compared by cosine.
        xy: (m, 2).
        rng: draws at most 2,000 rows; their neighbours are sought among all m.
        k: how many neighbours.
    """
    import faiss
    from scipy.spatial import cKDTree

    m = len(vectors)
    if m < 2 * k + 1:
        return None
    asked = rng.choice(m, min(m, SAMPLE), replace=False)
    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(vectors)
    before = index.search(vectors[asked], k + 1)[1]
    after = cKDTree(xy).query(xy[asked], k + 1)[1]
    shares = [
        len(_others(row, one, k) & _others(row, other, k)) / k
        for row, one, other in zip(asked.tolist(), before.tolist(), after.tolist(), strict=True)
    ]
    return float(np.mean(shares))


def _others(row: int, near: list[int], k: int) -> set[int]:
    return set([other for other in near if other != row][:k])


def describe(projected: Projected) -> str:
    """What the picture shows and what it does not, in plain sentences."""
    n, placed = len(projected.xy), int(projected.placed.sum())
    sentences = []
    if projected.explained is not None:
        first, second = projected.explained
        sentences.append(
            f"The two axes hold {first + second:.0%} of what tells the pairs apart "
            f"({first:.0%} and {second:.0%})."
        )
    else:
        sentences.append(
            "Pairs that are alike stand together here; how far groups stand apart, and how large "
            "they are, means nothing."
        )
    if projected.kept_neighbours is not None:
        kept = NEIGHBOURS * projected.kept_neighbours
        sentences.append(
            f"Of the {NEIGHBOURS} pairs most like a pair, {kept:.1f} on average are among the "
            f"{NEIGHBOURS} nearest in the picture."
        )
    if placed < n:
        sentences.append(f"{placed:,} of {n:,} pairs were drawn at random and are shown.")
    return " ".join(sentences)
