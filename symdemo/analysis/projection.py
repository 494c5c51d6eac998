"""Project label embeddings onto a plane, and measure how many neighbours the plane keeps.

PCA places all rows. UMAP (McInnes et al. 2018, by umap-learn) places a sample and keeps neighbours
together far better: on the label embeddings of `general` for pairs of the relation bank it keeps
26% of the 10 nearest neighbours among 2,000 pairs and 20% among 20,000, where PCA keeps 5% and 1%.
umap-learn is in the `app` extra and imported on use.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from symdemo.classifier.index import unit_rows
from symdemo.errors import InputError
from symdemo.jobs.reporting import SILENT, Reporter

if TYPE_CHECKING:
    from sklearn.decomposition import PCA

Kind = Literal["pca", "umap"]
KINDS: tuple[Kind, ...] = get_args(Kind)
MOST = 20_000  # rows that UMAP places
NEIGHBOURS = 10
SAMPLE = 2_000  # rows whose neighbours are compared
FEWEST_UMAP = 20
_SEED = 0
_one_at_a_time = threading.Lock()  # numba ends the process if two threads run parallel code


@dataclass(frozen=True, eq=False)
class PrincipalAxes:
    """The two directions of largest variance."""

    pca: PCA  # fitted exactly, by the covariance; its signs are the same everywhere
    explained: tuple[float, float]
    """Share of the variance along each axis, in [0, 1]; 0 if there is no such axis."""

    @classmethod
    def fit(cls, rows: np.ndarray) -> PrincipalAxes:
        """Fit to rows (n, d), n ≥ 1."""
        from sklearn.decomposition import PCA

        own = np.asarray(rows if len(rows) > 1 else np.repeat(rows, 2, axis=0), np.float32)
        with np.errstate(invalid="ignore"):  # equal rows have no variance to share
            pca = PCA(min(2, *own.shape), svd_solver="covariance_eigh").fit(own)
        first, second = (*np.nan_to_num(pca.explained_variance_ratio_).tolist(), 0.0)[:2]
        return cls(pca, (first, second))

    def place(self, rows: np.ndarray) -> np.ndarray:
        """Return the coordinates of rows (m, d): (m, 2) float32."""
        placed = self.pca.transform(np.asarray(rows, np.float32))
        return np.pad(placed, ((0, 0), (0, 2 - placed.shape[1]))).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Projected:
    """n rows on a plane."""

    xy: np.ndarray  # (n, 2) float32; NaN for a row that was not placed
    explained: tuple[float, float] | None  # share of the variance along each axis; None for UMAP
    kept_neighbours: float | None
    """Mean share of a row's 10 nearest neighbours (cosine) that are among its 10 nearest on the
    plane, over at most 2,000 placed rows; None for too few rows."""

    @property
    def placed(self) -> np.ndarray:
        """(n,) bool: rows that were placed."""
        return ~np.isnan(self.xy[:, 0])


def project(embeddings: np.ndarray, kind: Kind = "pca", *, reports: Reporter = SILENT) -> Projected:
    """Project label embeddings (n, d), scaled to norm 1 here; the same for the same arguments.

    “pca” places all rows, “umap” at most `MOST`, drawn at random. A stop is possible between the
    steps, not within UMAP. `InputError` for no matrix, an unknown kind, too few rows, or if
    umap-learn is missing.
    """
    if kind not in KINDS:
        raise InputError(f"The projection is “{kind}”; expected one of: {', '.join(KINDS)}.")
    if embeddings.ndim != 2 or not len(embeddings):
        raise InputError(f"The embeddings have the shape {embeddings.shape}; expected (n, d).")
    n = len(embeddings)
    if kind == "umap" and n < FEWEST_UMAP:
        raise InputError(
            f"UMAP needs at least {FEWEST_UMAP} rows, seen {n}; PCA places any number."
        )
    reports.progress(0, 3)
    rng = np.random.default_rng(_SEED)
    explained = None
    xy = np.full((n, 2), np.nan, np.float32)
    rows = np.arange(n)
    if kind == "umap" and n > MOST:
        rows = np.sort(rng.choice(n, MOST, replace=False))
    vectors = unit_rows(embeddings[rows])
    reports.check()
    reports.progress(1, 3)
    if kind == "pca":
        axes = PrincipalAxes.fit(vectors)
        xy[rows], explained = axes.place(vectors), axes.explained
    else:
        xy[rows] = _umap(vectors)
    reports.check()
    reports.progress(2, 3)
    kept = kept_neighbours(vectors, xy[rows], rng)
    reports.progress(3, 3)
    return Projected(xy, explained, kept)


def _umap(vectors: np.ndarray) -> np.ndarray:
    """Return UMAP's coordinates of unit rows (m, d): (m, 2), reproducible with one thread only."""
    try:
        import umap
    except ImportError as error:
        raise InputError("umap-learn is not installed; pip install umap-learn.") from error
    neighbours = min(15, len(vectors) - 1)
    with _one_at_a_time:
        fitted = umap.UMAP(n_neighbors=neighbours, metric="cosine", random_state=_SEED, n_jobs=1)
        return np.asarray(fitted.fit_transform(vectors), np.float32)


def kept_neighbours(vectors: np.ndarray, xy: np.ndarray, rng: np.random.Generator) -> float | None:
    """Return the mean share of 10 nearest neighbours that a plane keeps; None below 21 rows.

    The neighbours of at most 2,000 unit rows `vectors` (m, d), drawn by `rng`, are found among all
    m by cosine, and compared with those by the places `xy` (m, 2).
    """
    from sklearn.neighbors import NearestNeighbors

    m, k = len(vectors), NEIGHBOURS
    if m < 2 * k + 1:
        return None
    asked = rng.choice(m, min(m, SAMPLE), replace=False)
    before, after = (
        NearestNeighbors(n_neighbors=k + 1).fit(own).kneighbors(own[asked], return_distance=False)
        for own in (vectors, xy)
    )
    kept = []
    for row, *near in zip(asked, before, after, strict=True):
        one, other = (own[own != row][:k] for own in near)  # k others, if the row itself is missing
        kept.append(len(np.intersect1d(one, other)))
    return float(np.mean(kept)) / k


def describe(projected: Projected) -> str:
    """Return what the picture shows, in plain sentences."""
    n, placed = len(projected.xy), int(projected.placed.sum())
    if projected.explained is not None:
        first, second = projected.explained
        sentences = [
            f"The two axes show {first + second:.0%} of the differences between pairs "
            f"({first:.0%} and {second:.0%})."
        ]
    else:
        sentences = [
            "Similar pairs are close together here; the sizes of groups and the distances "
            "between them mean nothing."
        ]
    if projected.kept_neighbours is not None:
        kept = NEIGHBOURS * projected.kept_neighbours
        sentences.append(
            f"Of the {NEIGHBOURS} pairs most similar to a pair, {kept:.1f} on average are among "
            f"the {NEIGHBOURS} closest to it here."
        )
    if placed < n:
        sentences.append(f"{placed:,} of {n:,} pairs were drawn at random and are shown.")
    return " ".join(sentences)
