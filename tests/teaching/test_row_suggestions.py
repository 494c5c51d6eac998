"""Mistyped labels, proposed rows, and the built-in examples."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from teaching_tools import BOSS, refusal

from symdemo.pairs import Pair
from symdemo.teaching.row_sources import EXAMPLES
from symdemo.teaching.row_suggestions import NearLabel, near_labels, propose
from symdemo.teaching.rows import TeachRow as Row
from symdemo.teaching.rows import check_rows, rows_of_pairs

KINDS = {  # relation → the kinds of its two sides, and its label
    "is the boss of": ("Person", "Person", "contradiction"),
    "is a friend of": ("Person", "Person", "entailment"),
    "lives in": ("Person", "Town", "contradiction"),
    "is twinned with": ("Town", "Town", "entailment"),
    "is made of": ("Thing", "Stuff", "contradiction"),
    "goes with": ("Stuff", "Stuff", "depends"),
}


def fact(relation, a, b):
    first, second, label = KINDS[relation]
    return Row(f"{first}{a}", relation, f"{second}{b}", label=label)


NUMBERS = st.integers(0, 5)
FACTS = st.builds(fact, st.sampled_from(sorted(KINDS)), NUMBERS, NUMBERS)
TABLES = st.lists(FACTS.filter(lambda row: row.subject != row.object), max_size=14)


def meaning(row):
    return row.relation, frozenset((row.subject.casefold(), row.object.casefold()))


@given(TABLES, st.integers(0, 40), NUMBERS)
def test_proposals_are_new_and_never_mix_kinds(rows, limit, seed):
    found = propose(rows, limit, seed)
    assert len(found) <= limit
    assert propose(rows, limit, seed) == found
    meanings = [meaning(row) for row in found]
    assert len(set(meanings)) == len(meanings)
    assert not {meaning(row) for row in rows} & set(meanings)
    names = {name for row in rows for name in (row.subject, row.object)}
    for row in found:
        assert row == fact(row.relation, row.subject[-1], row.object[-1])
        assert row.relation in {own.relation for own in rows}
        assert {row.subject, row.object} <= names


def proposed(*rows):
    return {(row.subject, row.relation, row.object) for row in propose(rows, 99)}


def test_relations_that_share_a_name_share_all():
    rows = (
        Row("Ann", "leads", "Ben", label="no"),
        Row("Ann", "lives in", "Rome", label="x"),
        Row("Cy", "lives in", "Oslo", label="x"),
        Row("Ivy", "eats", "rice", label="x"),
    )
    assert proposed(*rows) == {
        ("Ann", "lives in", "Oslo"),
        ("Cy", "lives in", "Rome"),
        ("Cy", "leads", "Ben"),
    }


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [BOSS, Row("Cy", "is the boss of", "Di", label="entailment")],  # two labels
        [Row("He", "likes", "Ann", label="no"), Row("Cy", "likes", "Di", label="no")],
        [BOSS, Row("=1", "is the boss of", "Di", label="contradiction"), Row("Cy", "is", "")],
        [BOSS, Row("Cy", "is the boss of", "Di")],
        rows_of_pairs(Pair(f"A{n} x.", f"x A{n}.", "no", "P1", f"A{n}", f"x{n}") for n in range(3)),
    ],
)
def test_nothing_is_proposed(rows):
    assert propose(rows) == []
    assert refusal(propose, rows, -1) == "-1 proposals were requested; 0 or more are expected."


def test_whole_sentences_give_proposals_in_parts():
    pytest.importorskip("spacy")
    rows = [
        Row(premise="Ann's mother is Carla.", label="contradiction"),
        Row(premise="Ben's mother is Dora.", label="contradiction"),
        Row("Eve", "[X]'s mother is [Y].", "Fay", label="contradiction"),
    ]
    found = propose(rows, 99)
    assert len(found) == 6
    assert Row("Ann", "[X]'s mother is [Y].", "Dora", label="contradiction") in found


def test_examples_can_be_taught_and_are_new_to_the_shipped_models():
    from symdemo.data.relations import RELATIONS

    known = {relation.template for relation in RELATIONS}
    assert [example.id for example in EXAMPLES] == ["family", "company", "chemistry"]
    for example in EXAMPLES:
        rows = example.rows()
        report = check_rows(rows)
        assert report.problems == ()
        assert list(report.counts_by_relation.values()) == [4] * 5
        assert {"entailment", "contradiction"} <= report.counts_by_label.keys()
        assert len({(pair.relation, pair.entity_pair) for pair in report.pairs}) == 20
        assert len({(row.relation, row.label) for row in rows}) == 5
        assert len(propose(rows)) == 24
        for row in rows:
            assert not {f"[X] {row.relation} [Y].", f"[Y] {row.relation} [X]."} & known
    assert "depends" in {row.label for row in EXAMPLES[2].rows()}


def labelled(*labels):
    return [Row(f"A{n}", "knows", f"B{n}", label=label) for n, label in enumerate(labels)]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("entailmnet", "entailment"),
        ("Entailement", "entailment"),
        ("contradictory", "contradiction"),
        ("nuetral", "neutral"),
        ("y", "entailment"),
        ("Nope!", "contradiction"),
        ("mabye", "neutral"),
    ],
)
def test_a_mistyped_label_is_found(typed, meant):
    assert near_labels(labelled("entailment", typed)) == [NearLabel(typed, meant, (2,))]
    assert near_labels(labelled(typed), settled=[typed]) == []


def test_of_two_spellings_the_rarer_is_questioned():
    found = near_labels(labelled("depends", "depend", "depends", "nuetral", "nuetral"))
    assert found == [NearLabel("depend", "depends", (2,)), NearLabel("nuetral", "neutral", (4, 5))]
    assert near_labels(labelled("depends", "depend")) == []
