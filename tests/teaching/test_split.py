"""What a retraining holds out and replays, and its settings."""

from dataclasses import replace

import pytest
from refusals import refusal

from symdemo.classifier import SymmetryClassifier
from symdemo.pairs import Pair
from symdemo.teaching.plan import RetrainingData, TeachSettings, draw_replay, split_held_out


@pytest.mark.parametrize(("entity_pairs", "held"), [(1, 0), (2, 1), (3, 1), (4, 1), (6, 1), (8, 2)])
def test_one_entity_pair_in_four_is_held_out(entity_pairs, held):
    pairs = [
        Pair(f"A{n} r B{n}.", f"B{n} r A{n}.", "x", "r", f"A{n}", f"B{n}")
        for n in range(entity_pairs)
    ]
    pairs += [pair.reversed() for pair in pairs]
    train, held_out = split_held_out(pairs, seed=3)
    assert len({pair.entity_pair for pair in held_out}) == held
    assert len(held_out) == 2 * held  # both directions are on one side
    assert sorted([*train, *held_out], key=str) == sorted(pairs, key=str)


def test_no_entity_pair_is_on_both_sides_and_no_relation_is_held_out_whole(pairs):
    shared = [replace(pair, relation=f"{pair.relation} too") for pair in pairs]
    lonely = [replace(pairs[0], relation="lonely")]
    train, held_out = split_held_out([*pairs, *shared, *lonely], seed=1)
    assert not {p.entity_pair for p in train} & {p.entity_pair for p in held_out}
    assert {pair.relation for pair in train} == {p.relation for p in (*pairs, *shared, *lonely)}
    assert {pair.relation for pair in held_out} >= {pair.relation for pair in pairs}
    assert "lonely" not in {pair.relation for pair in held_out}


def test_the_split_follows_its_seed_and_not_the_order(pairs):
    one = split_held_out(pairs, seed=0)[1]
    assert set(split_held_out(pairs[::-1], seed=0)[1]) == set(one)
    assert any(set(split_held_out(pairs, seed=seed)[1]) != set(one) for seed in range(1, 4))


def test_replay_is_balanced_over_labels_and_relations_and_never_about_the_same(pairs):
    drawn = draw_replay(pairs, [], 16)
    assert len(drawn) == len(set(drawn)) == 16
    assert sorted(pair.relation for pair in drawn) == sorted(["P3373", "P1889", "P25", "P131"] * 4)
    scarce = [pair for pair in pairs if pair.label == "entailment"] + [
        pair for pair in pairs if pair.relation == "P25"
    ][:3]
    few = draw_replay(scarce, [], 12)
    assert sum(pair.label == "contradiction" for pair in few) == 3  # all there are
    assert len(few) == 12
    own = [replace(pairs[0], label="other"), pairs[13]]
    rest = draw_replay(pairs, own, 1000)
    assert len(rest) == len(pairs) - 4  # two entity pairs, in both directions
    assert not {(p.relation, p.entity_pair) for p in rest} & {
        (p.relation, p.entity_pair) for p in own
    }


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"method": "setfit"}, "“setfit” is unknown"),
        ({"epochs": 0}, "from 1 to 60"),
        ({"samples": 1001}, "The number of samples is 1001"),
        ({"learning_rate": float("nan")}, "learning rate is nan"),
        ({"retention": -1}, "retention is -1; a number from 0 to 100"),
        ({"replay": 2.5}, "replay is 2.5"),
    ],
)
def test_settings_are_checked(changes, message):
    assert message in refusal(TeachSettings, **changes)


def test_settings_become_hyperparameters(tiny_encoder, base, own):
    fresh = SymmetryClassifier.from_encoder(tiny_encoder)

    def config(start=fresh, **settings):
        return RetrainingData.of(start, own, TeachSettings(**settings)).config

    given = config(method="fine-tuning", epochs=5, learning_rate=1e-4, retention=2.0, seed=9)
    assert (given.epochs, given.min_steps, given.seed) == (5, 0, 9)
    assert (given.learning_rate, given.retention) == (1e-4, 2.0)
    usual = config()
    assert (usual.epochs, usual.min_steps, usual.retention) == (1, 42, 1.0)
    slow = config(method="random-label-embeddings")
    assert (slow.min_steps, slow.retention) == (70, 3.0)
    again = config(base)  # it was taught by this method before
    assert again.learning_rate == usual.learning_rate / 5
    assert again.retention == 4 * usual.retention
