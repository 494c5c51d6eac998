"""Nearest neighbours and their votes, on vectors with obvious answers."""

import numpy as np
import pytest

from symdemo.classifier import index as indexing
from symdemo.classifier.index import LabelIndex, Neighbour, majority
from symdemo.errors import ModelError
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


def test_agrees_with_brute_force():
    rng = np.random.default_rng(0)
    stored, asked = rng.normal(size=(60, 10)), rng.normal(size=(25, 10))
    index = LabelIndex(taught(*["x"] * 60), stored)
    norm = np.linalg.norm
    for query, near in zip(asked, index.search(asked, k=5), strict=True):
        distance = [1 - query @ row / (norm(query) * norm(row)) for row in stored]
        assert [n.row for n in near] == list(np.argsort(distance)[:5])
        assert [n.distance for n in near] == pytest.approx(sorted(distance)[:5], abs=1e-5)


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


@pytest.mark.parametrize(
    ("near", "winner"),
    [
        ([("a", 0.1), ("b", 0.2), ("c", 0.3)], "a"),
        ([("c", 0.1), ("b", 0.2), ("a", 0.3)], "c"),
        ([("b", 0.1), ("a", 0.2), ("a", 0.3), ("b", 0.4)], "b"),
        ([("b", 0.1), ("a", 0.1)], "b"),  # no difference at all: the first found
        ([("c", 0.0), ("a", 0.2), ("b", 0.3), ("b", 0.4), ("a", 0.5)], "a"),
    ],
)
def test_a_tie_goes_to_the_label_with_the_nearest_neighbour(near, winner):
    label, shares = majority([Neighbour(Pair("A b.", "B a.", of), far, 0) for of, far in near])
    assert label == winner
    assert sum(shares.values()) == pytest.approx(1)


def index_of(*given):
    return LabelIndex(taught(*(label for label, *_ in given)), rows(*(v for _, *v in given)))


def test_kernel_vote_is_the_weighted_share():
    index = index_of(("a", 0, 1), ("a", 0, -1), ("b", -1, 0))
    shares = index.kernel_vote(np.array([[1.0, 0.0]]), temperature=0.5)[0]
    weights = np.exp(-np.array([1.0, 1.0, 2.0]) / 0.5)  # cosine distances of the three
    assert shares == pytest.approx([weights[:2].sum() / weights.sum(), weights[2] / weights.sum()])


def test_later_pairs_win_where_they_are_nearest():
    """Thousands at 0.2 disagree, as for jargon in a large model."""

    def at(distance):
        return 1 - distance, np.sqrt(1 - (1 - distance) ** 2)

    many = index_of(*[("a", *at(0.2))] * 2_000)
    query, b = np.array([[1.0, 0.0]]), 1
    for distance, share in ((0.19, 0.8377), (0.21, 0.1735)):  # 1 / (1 + 0.95^32), 1 / (1 + 1.05^32)
        pair = Pair("a later premise.", "a later hypothesis.", "b")
        taught = many.add([pair], np.array([at(distance)], np.float32))
        assert taught.later == 1
        assert taught.kernel_vote(query, 0.1)[0, b] == pytest.approx(share, abs=1e-3)
        drowned = LabelIndex(taught.pairs, taught.embeddings).kernel_vote(query, 0.1)
        assert drowned[0, b] < 0.01
        weights = taught.vote_weights(query, 0.1)[0]
        assert weights.sum() == pytest.approx(1, abs=1e-5)
        assert weights[:-1] == pytest.approx((1 - share) / 2_000, abs=1e-6)


def test_silent_pairs_do_not_vote():
    index = index_of(("a", 0, 1), ("a", 0, -1)).add(taught("b", "c"), rows([1, 0.1], [1, 0.2]))
    query = np.array([[1.0, 0.0]])
    for silent, winner in (([2, 3], "a"), ([0, 1, 3], "b"), ([0, 1, 2], "c")):
        mask = np.zeros((1, 4), bool)
        mask[0, silent] = True
        shares = index.kernel_vote(query, 0.1, mask)[0]
        assert shares[index.labels.index(winner)] == pytest.approx(1)
