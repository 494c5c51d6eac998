"""Triplets from labelled pairs; test sentences are left out."""

import pytest

from symdemo.data.pair_files import save_pairs
from symdemo.pairs import Pair
from symdemo.training.triplets import Triplet, load_triplets, triplets_of

PAIRS = [
    Pair("A man plays.", "Somebody plays.", "entailment"),
    Pair("A man plays.", "Nobody plays.", "contradiction"),
    Pair("A man plays.", "He plays chess.", "neutral"),
    Pair("A man plays.", "A person plays.", "entailment"),
    Pair("A man plays.", "A man sleeps.", "contradiction"),
    Pair("A man plays.", "There is a man.", "entailment"),
    Pair("A dog runs.", "An animal moves.", "entailment"),
    Pair("A cat sits.", "A cat flies.", "contradiction"),
]


def test_each_entailment_has_one_of_its_premise_s_contradictions_in_turn():
    assert triplets_of(PAIRS) == [
        Triplet("A man plays.", "Somebody plays.", "Nobody plays."),
        Triplet("A man plays.", "A person plays.", "A man sleeps."),
        Triplet("A man plays.", "There is a man.", "Nobody plays."),
    ]


@pytest.mark.parametrize("unseen", ["A person plays.", "a person plays", "A MAN SLEEPS. "])
def test_test_sentences_are_left_out(tmp_path, unseen):
    save_pairs(PAIRS, tmp_path / "nli.jsonl")
    data = load_triplets(str(tmp_path / "nli.jsonl"), unseen=[unseen])
    assert [t.positive for t in data.triplets] == ["Somebody plays.", "There is a man."]
    assert data.left_out == 1
