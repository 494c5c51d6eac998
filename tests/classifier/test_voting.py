"""Votes: a majority of the nearest, or all by distance, with later pairs as their own group."""

import numpy as np
import pytest

from symdemo.classifier.index import LabelIndex, Neighbour, majority
from symdemo.pairs import Pair


def neighbours(*labels_and_distances) -> list[Neighbour]:
    return [
        Neighbour(Pair("A b.", "B a.", label), distance, row)
        for row, (label, distance) in enumerate(labels_and_distances)
    ]


def test_the_majority_wins_even_against_the_nearest():
    label, shares = majority(neighbours(("a", 0.0), ("b", 0.3), ("b", 0.4)))
    assert label == "b"
    assert shares == {"a": pytest.approx(1 / 3), "b": pytest.approx(2 / 3)}


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
    label, shares = majority(neighbours(*near))
    assert label == winner
    assert sum(shares.values()) == pytest.approx(1)


def index_of(*rows):
    pairs = [Pair(f"premise {n}", f"hypothesis {n}", label) for n, (label, *_) in enumerate(rows)]
    return LabelIndex(pairs, np.array([vector for _, *vector in rows], np.float32))


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
    index = index_of(("a", 0, 1), ("a", 0, -1)).add(*_later("b", "c"))
    query = np.array([[1.0, 0.0]])
    for silent, winner in (([2, 3], "a"), ([0, 1, 3], "b"), ([0, 1, 2], "c")):
        mask = np.zeros((1, 4), bool)
        mask[0, silent] = True
        shares = index.kernel_vote(query, 0.1, mask)[0]
        assert shares[index.labels.index(winner)] == pytest.approx(1)


def _later(*labels):
    pairs = [Pair(f"later {n}.", f"and {n}.", label) for n, label in enumerate(labels)]
    return pairs, np.array([[1, 0.1], [1, 0.2]], np.float32)
