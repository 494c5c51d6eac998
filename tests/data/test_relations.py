"""The paper's relations, the facts, and how they are split and sampled."""

import re
from collections import Counter, defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symdemo.data.relations import (
    RELATION_BY_ID,
    Entity,
    Fact,
    load_facts,
    pairs_of_facts,
    sample_balanced,
    split_facts,
)
from symdemo.errors import InputError

seeds = st.integers(0, 10**6)


@pytest.mark.parametrize(
    ("relation", "head", "tail", "sentence"),
    [
        ("P40", "Leopold", "Wolfgang", "Wolfgang is a child of Leopold."),
        ("P25", "Wolfgang", "Anna", "Anna is the mother of Wolfgang."),
        ("P22", "Wolfgang", "Leopold", "Leopold is the father of Wolfgang."),
        ("P131", "Paris", "France", "Paris is located in France."),
        ("P279", "dog", "animal", "dog is a type of animal."),
        ("P361", "wheel", "car", "wheel is part of car."),
        ("P1542", "rain", "flood", "rain led to flood."),
        ("P828", "flood", "rain", "flood caused by rain."),
    ],
)
def test_direction_of_the_templates(relation, head, tail, sentence):
    assert RELATION_BY_ID[relation].sentence(head, tail) == sentence


@pytest.mark.parametrize("head", ["[Y]", "[X]", "A [Y] b", r"\1 \g<0>", "{head} %s"])
def test_names_are_never_read_as_places(head):
    relation = RELATION_BY_ID["P3373"]
    assert relation.sentence(head, "Ben") == f"{head} is a sibling of Ben."
    assert relation.sentence("Ben", head) == f"Ben is a sibling of {head}."


def test_opaque_names_are_stable_and_never_look_like_a_real_id():
    assert Entity("Anna").name_without_words == "QX9678038"
    assert Entity("Anna", "Q1").name_without_words == "Q1"
    for fact in load_facts():
        for entity in (fact.head, fact.tail):
            form = r"Q[1-9]\d*" if entity.id else r"QX\d{7}"
            assert re.fullmatch(form, entity.name_without_words)


@settings(max_examples=40)
@given(seeds, st.sampled_from([0.2, 0.5, 0.8]))
def test_no_entity_pair_is_on_both_sides_of_a_split(seed, share):
    facts = load_facts()
    train, test = split_facts(facts, share, seed)
    assert Counter(train) + Counter(test) == Counter(facts)
    assert not {f.entity_pair for f in train} & {f.entity_pair for f in test}
    sides = [{p.entity_pair for p in pairs_of_facts(side)} for side in (train, test)]
    assert not sides[0] & sides[1]
    for side in (train, test):
        assert {fact.relation.id for fact in side} == set(RELATION_BY_ID)
    assert abs(len(test) / len(facts) - share) < 0.05


def test_a_split_follows_its_seed_and_not_the_order_of_the_facts():
    facts = load_facts()
    assert split_facts(facts, seed=3) == split_facts(facts, seed=3)
    assert split_facts(facts, seed=3) != split_facts(facts, seed=4)
    turned = split_facts(facts[::-1], seed=3)
    assert [set(side) for side in turned] == [set(side) for side in split_facts(facts, seed=3)]


def test_relations_that_share_an_entity_pair_stay_together():
    ann, ben = Entity("Ann"), Entity("Ben")
    shared = [
        Fact(RELATION_BY_ID["P25"], ann, ben),
        Fact(RELATION_BY_ID["P22"], ben, ann),
        Fact(RELATION_BY_ID["P40"], Entity("ANN"), Entity("ben")),
    ]
    others = [Fact(RELATION_BY_ID["P25"], ann, Entity(f"Cy {n}")) for n in range(9)]
    for seed in range(20):
        train, test = split_facts([*shared, *others], seed=seed)
        assert len({fact in test for fact in shared}) == 1
        assert train


@settings(max_examples=30)
@given(seeds, st.integers(1, 200))
def test_a_sample_is_distinct_and_balanced_over_relations(seed, n):
    pairs = pairs_of_facts(load_facts())
    drawn = sample_balanced(pairs, n, seed)
    assert len(drawn) == len(set(drawn)) == n
    assert set(drawn) <= set(pairs)
    counts = [Counter(p.relation for p in drawn)[relation] for relation in RELATION_BY_ID]
    assert max(counts) - min(counts) <= 1
    by_relation = defaultdict(list)  # ≤ 15 of the ≥ 25 entity pairs of each: none comes twice
    for pair in drawn:
        by_relation[pair.relation].append(pair.entity_pair)
    assert all(len(own) == len(set(own)) for own in by_relation.values())


def test_new_entity_pairs_come_before_second_directions(pairs):
    for n in (4, 13, 24):
        drawn = sample_balanced(pairs, n, seed=1)
        assert len({(p.relation, p.entity_pair) for p in drawn}) == n
    assert sorted(sample_balanced(pairs, 48), key=str) == sorted(pairs, key=str)


@pytest.mark.parametrize("n", [0, -1, 49])
def test_impossible_sample_sizes_are_refused(pairs, n):
    with pytest.raises(InputError, match=f"^{n} samples were asked for; between 1 and 48"):
        sample_balanced(pairs, n)


def test_a_pair_that_stands_twice_in_the_data_is_drawn_once(pairs):
    doubled = [*pairs[:6], *pairs[:6]]
    assert len(set(sample_balanced(doubled, 6))) == 6
    with pytest.raises(InputError, match="between 1 and 6"):
        sample_balanced(doubled, 7)
