"""Rows that are proposed, and the examples that the app comes with."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from row_samples import BOSS, refusal

from symdemo.pairs import Pair
from symdemo.teaching.row_sources import EXAMPLES
from symdemo.teaching.row_suggestions import propose
from symdemo.teaching.rows import TeachRow as Row
from symdemo.teaching.rows import check_rows, rows_of_pairs

KINDS = {  # relation → the kinds of its two sides, and its label
    "is the boss of": ("person", "person", "contradiction"),
    "is a friend of": ("person", "person", "entailment"),
    "lives in": ("person", "town", "contradiction"),
    "is twinned with": ("town", "town", "entailment"),
    "is made of": ("thing", "stuff", "contradiction"),
    "goes with": ("stuff", "stuff", "depends"),
}
FACTS = st.sampled_from(sorted(KINDS)).flatmap(
    lambda relation: st.builds(
        lambda a, b: Row(
            f"{KINDS[relation][0].title()}{a}",
            relation,
            f"{KINDS[relation][1].title()}{b}",
            label=KINDS[relation][2],
        ),
        st.integers(0, 5),
        st.integers(0, 5),
    )
)
TABLES = st.lists(FACTS.filter(lambda row: row.subject != row.object), max_size=14)


def _meaning(row):
    return row.relation, frozenset((row.subject.casefold(), row.object.casefold()))


@given(TABLES, st.integers(0, 40), st.integers(0, 5))
def test_proposals_are_new_and_never_mix_kinds(rows, limit, seed):
    found = propose(rows, limit, seed)
    assert len(found) <= limit
    assert propose(rows, limit, seed) == found
    meanings = [_meaning(row) for row in found]
    assert len(set(meanings)) == len(meanings)
    assert not {_meaning(row) for row in rows} & set(meanings)
    names = {name for row in rows for name in (row.subject, row.object)}
    for row in found:
        first, second, label = KINDS[row.relation]
        assert row.label == label
        assert row.relation in {own.relation for own in rows}
        assert (row.subject.rstrip("012345"), row.object.rstrip("012345")) == (
            first.title(),
            second.title(),
        )
        assert {row.subject, row.object} <= names
        assert row.pair().label == label


def _proposed(*rows, limit=99):
    return {(row.subject, row.relation, row.object) for row in propose(rows, limit)}


def test_names_pass_between_relations_that_share_one():
    rows = (
        Row("Ann", "leads", "Ben", label="no"),
        Row("Ann", "lives in", "Rome", label="x"),
        Row("Cy", "lives in", "Oslo", label="x"),
        Row("Ivy", "eats", "rice", label="x"),
    )
    assert _proposed(*rows) == {
        ("Ann", "lives in", "Oslo"),
        ("Cy", "lives in", "Rome"),
        ("Cy", "leads", "Ben"),
    }


def test_what_gives_no_proposals():
    assert propose([]) == []
    assert propose([BOSS], 0) == []
    assert refusal(propose, [BOSS], -1) == "-1 proposals were requested; 0 or more are expected."
    two = (BOSS, Row("Cy", "is the boss of", "Di", label="entailment"))
    assert _proposed(*two) == set()  # which label would follow is not known
    he = (Row("He", "likes", "Ann", label="no"), Row("Cy", "likes", "Di", label="no"))
    assert _proposed(*he) == set()
    bad = (
        BOSS,
        Row("=1", "is the boss of", "Di", label="contradiction"),
        Row("Cy", "is", ""),
    )
    assert _proposed(*bad) == set()
    assert _proposed(BOSS, Row("Cy", "is the boss of", "Di")) == set()
    named = [Pair(f"A{n} x.", f"x A{n}.", "no", "P1", f"A{n}", f"x{n}") for n in range(3)]
    assert propose(rows_of_pairs(named)) == []


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
    assert "Ann's mother is Dora." in {row.pair().premise for row in found}


def test_the_examples():
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
        assert example.about.endswith(".")
        rows.clear()
        assert len(example.rows()) == 20
    assert "depends" in {row.label for row in EXAMPLES[2].rows()}


def test_no_example_is_a_relation_of_the_shipped_models():
    from symdemo.data.relations import RELATIONS

    known = {relation.template for relation in RELATIONS}
    for example in EXAMPLES:
        for row in example.rows():
            assert not {f"[X] {row.relation} [Y].", f"[Y] {row.relation} [X]."} & known
