"""The paper's relations, the facts, and how they are split and sampled."""

from collections import Counter, defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symdemo.data.bank import bank_names
from symdemo.data.relations import (
    RELATION_BY_ID,
    Entity,
    Fact,
    load_facts,
    pairs_of_facts,
    part_of_facts,
    sample_balanced,
    split_facts,
    taught_and_tested,
)
from symdemo.errors import InputError

seeds = st.integers(0, 10**6)


@pytest.mark.parametrize("head", ["[Y]", "[X]", "A [Y] b", r"\1 \g<0>", "{head} %s"])
def test_names_are_never_read_as_places(head):
    relation = RELATION_BY_ID["P3373"]
    assert relation.sentence(head, "Ben") == f"{head} is a sibling of Ben."
    assert relation.sentence("Ben", head) == f"Ben is a sibling of {head}."


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


@pytest.mark.parametrize("n", [0, -1, 49])
def test_impossible_sample_sizes_are_refused(pairs, n):
    with pytest.raises(InputError, match=f"^{n} samples were asked for; between 1 and 48"):
        sample_balanced([*pairs, *pairs], n)  # a pair that stands twice counts once


PARTS = ("choosing", "measuring")


def entities(facts):
    both = (entity for fact in facts for entity in (fact.head, fact.tail))
    return {name for e in both for name in (e.label.casefold(), e.id) if name}


def test_every_fact_is_in_one_part_and_no_entity_in_both():
    choosing, measuring = map(part_of_facts, PARTS)
    assert Counter([*choosing, *measuring]) == Counter(load_facts())
    assert not entities(choosing) & entities(measuring)
    assert 0.3 < len(choosing) / len(load_facts()) < 0.37


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("seed", range(5))
def test_no_entity_that_is_asked_was_taught(part, seed):
    taught, tested = taught_and_tested(part, seed)
    assert Counter([*taught, *tested]) == Counter(part_of_facts(part))
    assert not entities(taught) & entities(tested)
    least = 5 if part == "choosing" else 10
    for side in (taught, tested):
        counts = Counter(fact.relation.id for fact in side)
        assert counts.keys() == RELATION_BY_ID.keys()
        assert min(counts.values()) >= least
        assert {fact.relation.label for fact in side} == {"entailment", "contradiction"}


def test_no_name_that_recombination_adds_is_an_entity_of_a_fact():
    names = {name.casefold() for name in bank_names()}
    assert len(names) > 500
    assert not names & entities(load_facts())
