"""Nearest neighbours on vectors with obvious answers."""

import numpy as np
import pytest

from symdemo.classifier import index as indexing
from symdemo.classifier.index import LabelIndex
from symdemo.errors import InputError, ModelError
from symdemo.pairs import Pair


def taught(*labels: str) -> list[Pair]:
    return [
        Pair(f"premise {n}.", f"hypothesis {n}.", label, f"R{n}") for n, label in enumerate(labels)
    ]


def rows(*vectors) -> np.ndarray:
    return np.array(vectors, dtype=np.float32)


@pytest.fixture
def compass() -> LabelIndex:
    return LabelIndex(taught("e", "n", "w", "s"), rows([2, 0], [0, 3], [-0.5, 0], [0, -1]))


def test_exact_neighbours_and_distances(compass):
    (near,) = compass.search(rows([10, 1]), k=4)
    root = 101**0.5
    assert [n.label for n in near] == ["e", "n", "s", "w"]
    assert [n.row for n in near] == [0, 1, 3, 2]
    expected = [1 - 10 / root, 1 - 1 / root, 1 + 1 / root, 1 + 10 / root]
    assert [n.distance for n in near] == pytest.approx(expected, abs=1e-6)


def test_agrees_with_brute_force():
    rng = np.random.default_rng(0)
    stored, asked = rng.normal(size=(60, 10)), rng.normal(size=(25, 10))
    index = LabelIndex(taught(*["x"] * 60), stored)
    norm = np.linalg.norm
    for query, near in zip(asked, index.search(asked, k=5), strict=True):
        distance = [1 - query @ row / (norm(query) * norm(row)) for row in stored]
        assert [n.row for n in near] == list(np.argsort(distance)[:5])
        assert [n.distance for n in near] == pytest.approx(sorted(distance)[:5], abs=1e-5)


def test_add_makes_a_new_index_and_leaves_the_old(compass):
    before = compass.embeddings.copy()
    larger = compass.add([Pair("north east.", "it is.", "ne")], rows([5, 5]))
    assert (len(compass), len(larger)) == (4, 5)
    assert np.array_equal(compass.embeddings, before)
    assert compass.labels == ("e", "n", "w", "s")
    assert larger.labels == ("e", "n", "w", "s", "ne")
    assert larger.search(rows([1, 1]), k=1)[0][0].label == "ne"
    assert compass.search(rows([1, 1]), k=1)[0][0].label in ("e", "n")
    empty = LabelIndex((), np.empty((0, 2), np.float32))
    assert empty.add(taught("x"), rows([1, 0])).labels == ("x",)


def test_an_index_knows_what_came_later(compass):
    assert compass.later == 0
    larger = compass.add(taught("x", "y"), rows([1, 0], [0, 1])).add(taught("z"), rows([1, 1]))
    assert larger.later == 3
    kept = larger.select([0, 3, 4, 6])
    assert ([p.label for p in kept.pairs], kept.later) == (["e", "s", "x", "z"], 2)
    assert np.array_equal(kept.embeddings, larger.embeddings[[0, 3, 4, 6]])
    assert LabelIndex((), np.empty((0, 2))).add(taught("x"), rows([1, 0])).later == 0
    with pytest.raises(ModelError, match="5 of 4 pairs"):
        LabelIndex(compass.pairs, compass.embeddings, later=5)


def test_pairs_and_vectors_must_match_and_be_labelled():
    with pytest.raises(ModelError, match="2 and 1"):
        LabelIndex(taught("a", "b"), rows([1, 0]))
    with pytest.raises(InputError, match=r"“A b.” has no label"):
        LabelIndex([Pair("A b.", "B a.")], rows([1, 0]))


def test_a_large_index_looks_into_near_cells_and_is_taught_at_once(monkeypatch):
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(12, 32))
    stored, asked = (
        (centres[np.arange(n) % 12] + 0.4 * rng.normal(size=(n, 32))).astype(np.float32)
        for n in (3_000, 60)
    )
    pairs = taught(*("abc"[n % 3] for n in range(3_000)))
    exact = LabelIndex(pairs, stored)
    for name, value in {"EXACT": 2_000, "CELLS_SEARCHED": 16, "VOTERS": 800}.items():
        monkeypatch.setattr(indexing, name, value)
    large = LabelIndex(pairs, stored)
    found, known = large.search_rows(asked, 5), exact.search_rows(asked, 5)
    same = [len({*one} & {*two}) / 5 for one, two in zip(found[0], known[0], strict=True)]
    assert np.mean(same) >= 0.98
    assert found[1] == pytest.approx(known[1], abs=0.01)
    votes = large.kernel_vote(asked, 0.05)
    assert votes == pytest.approx(exact.kernel_vote(asked, 0.05), abs=0.01)
    assert np.isinf(large.distances(asked)).sum() >= 60 * (3_000 - 800)
    silent = np.zeros((60, 3_000), bool)
    silent[np.arange(60), found[0][:, 0]] = True
    assert (large.search_rows(asked, 1, silent)[0] == found[0][:, 1:2]).mean() >= 0.98

    monkeypatch.setattr(indexing, "cell_index", None)  # no new cells for five more pairs
    larger = large.add(taught(*"xxxxx"), asked[:5])
    assert (larger.later, larger.labels) == (5, ("a", "b", "c", "x"))
    assert [near[0].label for near in larger.search(asked[:5], 1)] == ["x"] * 5
    assert larger.kernel_vote(asked[:1], 0.05)[0, 3] > 0.9
    assert (larger.search_rows(asked[5:], 5)[0] == found[0][5:]).all()
