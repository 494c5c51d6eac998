"""The facts dealt anew: parts and sides that share no entity, and hold all relations."""

from collections import Counter

import pytest

from symdemo.data.bank import bank_names
from symdemo.data.relations import (
    RELATION_BY_ID,
    Entity,
    Fact,
    entity_groups,
    facts_hash,
    load_facts,
    part_of_facts,
    taught_and_tested,
)

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


def test_groups_are_joined_by_name_and_by_id():
    relation = RELATION_BY_ID["P25"]
    ann, anna, ben, cid, dan = (
        Entity(*both)
        for both in (("Ann", "Q1"), ("Anna", "Q1"), ("Ben", "Q2"), ("BEN", ""), ("Dan", "Q3"))
    )
    first, second, third = (
        Fact(relation, *both) for both in ((ann, dan), (anna, ben), (cid, Entity("Eve", "Q4")))
    )
    alone = Fact(relation, Entity("Fay", "Q5"), Entity("Gus", "Q6"))
    groups = sorted(map(len, entity_groups([first, alone, second, third])))
    assert groups == [1, 3]


def test_no_name_that_recombination_adds_is_an_entity_of_a_fact():
    names = {name.casefold() for name in bank_names()}
    assert len(names) > 500
    assert not names & entities(load_facts())


def test_the_hash_tells_another_deal(monkeypatch):
    before = facts_hash()
    monkeypatch.setattr("symdemo.data.relations.SALT", "another")
    assert facts_hash() != before
    assert len(before) == 16
