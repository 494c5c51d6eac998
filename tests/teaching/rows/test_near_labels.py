"""Labels that are probably meant for others are asked about; labels of one's own are left alone."""

import pytest

from symdemo.teaching.row_suggestions import NearLabel, near_labels
from symdemo.teaching.rows import TeachRow


def rows(*labels):
    return [TeachRow(f"A{n}", "knows", f"B{n}", label=label) for n, label in enumerate(labels)]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("entailmnet", "entailment"),
        ("Entailement", "entailment"),
        ("contradicton", "contradiction"),
        ("contradictory", "contradiction"),
        ("nuetral", "neutral"),
        ("y", "entailment"),
        ("Nope!", "contradiction"),
        ("mabye", "neutral"),
    ],
)
def test_a_slip_is_asked_about(typed, meant):
    assert near_labels(rows("entailment", typed)) == [NearLabel(typed, meant, (2,))]
    assert near_labels(rows(typed), settled=[typed]) == []


def test_a_label_of_ones_own_written_in_two_ways_is_asked_about_where_it_is_rarer():
    found = near_labels(rows("depends", "depend", "depends", "nuetral", "nuetral"))
    assert found == [
        NearLabel("depend", "depends", (2,)),
        NearLabel("nuetral", "neutral", (4, 5)),
    ]
    assert near_labels(rows("depends", "depend")) == []
