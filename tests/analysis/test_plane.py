import sys

import numpy as np
import pytest
from job_fakes import Reports
from refusals import refusal
from sklearn.decomposition import PCA

from symdemo.analysis import projection
from symdemo.analysis.projection import PrincipalAxes, describe, kept_neighbours, project
from symdemo.classifier.index import unit_rows
from symdemo.jobs.reporting import StoppedError


@pytest.fixture(scope="module")
def rows():
    """200 points in four groups on the sphere in 12 dimensions."""
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((4, 12)).repeat(50, axis=0)
    return (centres + 0.3 * rng.standard_normal((200, 12))).astype(np.float16)


def test_principal_axes_are_those_of_scikit_learn(rows):
    found = project(rows)
    library = PCA(2).fit(unit_rows(rows))
    assert found.explained == pytest.approx(tuple(library.explained_variance_ratio_), rel=1e-4)
    assert np.allclose(np.abs(found.xy), np.abs(library.transform(unit_rows(rows))), atol=1e-4)
    assert found.placed.all()


def test_kept_neighbours_by_hand():
    rng = np.random.default_rng(0)
    angles = np.sort(rng.uniform(0, np.pi, 60))
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    assert kept_neighbours(circle, circle, rng) == pytest.approx(1, abs=0.01)
    # Two groups of 15; the plane deals each 11 nearest over both as if it knew nothing.
    groups = unit_rows(np.repeat(np.eye(2), 15, axis=0) + 0.1 * rng.standard_normal((30, 2)))
    chance = np.mean([kept_neighbours(groups, rng.random((30, 2)), rng) for _ in range(50)])
    assert chance == pytest.approx(10 / 29, abs=0.03)
    assert kept_neighbours(circle[:20], circle[:20], rng) is None


@pytest.mark.slow
def test_umap_places_a_sample_the_same_twice(rows, monkeypatch):
    pytest.importorskip("umap")
    monkeypatch.setattr(projection, "MOST", 120)
    found, again = project(rows, "umap"), project(rows, "umap")
    assert found.placed.sum() == 120
    assert np.array_equal(found.xy, again.xy, equal_nan=True)
    assert found.explained is None
    assert found.kept_neighbours > 2 * 10 / 119
    own = np.arange(200) // 50
    middle = np.array([found.xy[found.placed & (own == n)].mean(axis=0) for n in range(4)])
    apart = np.linalg.norm(found.xy[:, None] - middle, axis=2)
    assert (apart.argmin(axis=1) == own)[found.placed].mean() > 0.95
    assert "120 of 200 pairs were drawn at random" in describe(found)


def test_what_cannot_be_projected(rows, monkeypatch):
    monkeypatch.setitem(sys.modules, "umap", None)
    for given, kind, message in (
        (rows, "tsne", "is “tsne”"),
        (rows[:0], "pca", "shape (0, 12)"),
        (rows[:5], "umap", "seen 5"),
        (rows, "umap", "pip install umap-learn"),
    ):
        assert message in refusal(project, given, kind)


def test_it_stops_when_asked_and_says_how_far_it_is(rows):
    told = []
    project(rows, reports=Reports(lambda *step: told.append(step)))
    assert told == [(0, 3), (1, 3), (2, 3), (3, 3)]
    with pytest.raises(StoppedError):
        project(rows, reports=Reports(stopped=lambda: True))


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_or_equal_rows_have_no_second_axis(n):
    axes = PrincipalAxes.fit(np.ones((n, 4), np.float32))
    assert axes.explained == (0, 0)
    assert np.allclose(axes.place(np.ones((n, 4), np.float32)), 0)
    line = PrincipalAxes.fit(np.arange(n, dtype=np.float32)[:, None] * np.eye(1, 4))
    assert line.explained == pytest.approx((float(n > 1), 0))
    assert PrincipalAxes.fit(np.arange(3.0)[:, None]).explained == pytest.approx((1, 0))
