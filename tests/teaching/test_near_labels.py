"""Mistyped labels, and the built-in examples."""

import pytest

from symdemo.teaching.near_labels import NearLabel, near_labels
from symdemo.teaching.row_sources import EXAMPLES, example_rows
from symdemo.teaching.rows import TeachRow as Row
from symdemo.teaching.rows import check_rows


def test_examples_can_be_taught_and_are_new_to_the_shipped_models():
    from symdemo.data.relations import RELATIONS

    known = {relation.template for relation in RELATIONS}
    for example in EXAMPLES:
        rows = example_rows(example)
        report = check_rows(rows)
        assert report.problems == ()
        assert list(report.counts_by_relation.values()) == [4] * 5
        assert {"entailment", "contradiction"} <= report.counts_by_label.keys()
        assert len({(pair.relation, pair.entity_pair) for pair in report.pairs}) == 20
        assert len({(row.relation, row.label) for row in rows}) == 5
        for row in rows:
            assert not {f"[X] {row.relation} [Y].", f"[Y] {row.relation} [X]."} & known
    assert "depends" in {row.label for row in example_rows("chemistry")}


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
