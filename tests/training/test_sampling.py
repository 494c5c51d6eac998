"""Batches: balanced over relations, by length, by their seed; triplets from labelled pairs."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symdemo.data.bank import bank_names
from symdemo.data.pair_files import save_pairs
from symdemo.pairs import Pair
from symdemo.training.config import TrainingConfig
from symdemo.training.sampling import by_length, plan_batches
from symdemo.training.triplets import Triplet, load_triplets, triplets_of

relations = st.lists(st.integers(0, 5), min_size=1, max_size=40)


def whole(size, **changes):
    return TrainingConfig(batch_size=size, min_steps=0, recombine=0.0, **changes)


@given(relations, st.integers(1, 20), st.integers(0, 3), st.integers(0, 99))
def test_balanced_batches_spread_each_relation_evenly(drawn, size, epochs, seed):
    pairs = [Pair(f"a {n}", f"b {n}", str(r % 2), str(r)) for n, r in enumerate(drawn)]
    made = plan_batches(pairs, whole(size, epochs=epochs, seed=seed))
    per_epoch = -(-len(pairs) // size)
    assert len(made) == epochs * per_epoch
    for epoch in range(epochs):
        own = made[epoch * per_epoch : (epoch + 1) * per_epoch]
        flat = [pair for batch in own for pair in batch]
        assert Counter(flat) == Counter(pairs)
        assert {len(batch) for batch in own[:-1]} <= {size}
        # relations take turns: while two of them have pairs left, neither is two ahead
        left, seen = Counter(pair.relation for pair in pairs), Counter()
        for pair in flat:
            seen[pair.relation] += 1
            left[pair.relation] -= 1
            waiting = [seen[relation] for relation in left if left[relation]]
            assert not waiting or seen[pair.relation] - min(waiting) <= 1


@given(st.lists(st.integers(1, 60), min_size=1, max_size=700), st.integers(1, 9))
def test_batches_by_length_hold_the_same_pairs_in_as_many_batches(lengths, size):
    pairs = [Pair("a" * n, "b", "yes", head=str(k)) for k, n in enumerate(lengths)]
    planned = plan_batches(pairs, whole(size, epochs=1, balanced=False))
    sorted_ones = by_length(planned, seed=0)
    assert sorted(map(len, planned)) == sorted(map(len, sorted_ones))
    assert sorted(p.head for own in planned for p in own) == sorted(
        p.head for own in sorted_ones for p in own
    )
    assert padding(sorted_ones) <= padding(planned)


def padding(planned):
    return sum(len(own) * max(len(pair.premise) for pair in own) for own in planned)


def test_recombined_pairs_may_use_names_of_the_bank(pairs, quick_config):
    def shown(whose):
        config = replace(quick_config, recombine=1.0, epochs=4, recombine_with=whose)
        return [pair for batch in plan_batches(pairs, config) for pair in batch]

    own = {entity for pair in pairs for entity in (pair.head, pair.tail)}
    names = set(bank_names()) - own
    assert len(names) > 500
    for whose, expected in (("own", 0), ("bank", 20)):
        strangers = {entity for pair in shown(whose) for entity in (pair.head, pair.tail)} - own
        assert strangers <= names
        assert len(strangers) >= expected
        assert bool(strangers) == bool(expected)
    labels = Counter((pair.relation, pair.label) for pair in pairs)
    assert Counter((p.relation, p.label) for p in shown("bank")) == {
        key: 4 * n for key, n in labels.items()
    }


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
