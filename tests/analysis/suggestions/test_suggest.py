import numpy as np
import pytest
from job_fakes import Reports
from suggestion_columns import LABELS, make_answered, shares_for

from symdemo.analysis.suggestions import KINDS, suggest


@pytest.fixture
def planted(clean):
    """Wrong labels at 7 and 90, relation 4 labelled wrongly, and rows 360 and 0 the same."""
    labels, relations, vectors = clean
    verdicts = [*labels, labels[0]]
    labels = [*labels, "neutral"]
    labels[7] = labels[90] = "neutral"
    labels[48:60] = ["neutral"] * 12  # the model says contradiction
    premises = [f"Sentence{row} {'word ' * row}." for row in range(361)]
    premises[360] = premises[0].upper()
    return make_answered(
        labels,
        premises,
        verdicts=verdicts,
        relation=[*relations, "relation 0"],
        embeddings=np.vstack([vectors, vectors[:1]]),
        probabilities=shares_for(verdicts),
        label_names=LABELS,
    )


def test_all_that_was_planted_comes_out_once(planted):
    found = {suggestion.kind: suggestion for suggestion in suggest(planted)}
    assert list(found) == [kind for kind in KINDS if kind in found]
    assert set(found["label_errors"].rows.tolist()) == {7, 90, 360}
    assert set(found["near_duplicates"].rows.tolist()) == {0, 360}
    assert found["wrongly_taught_relations"].rows.tolist() == list(range(48, 60))
    assert "error_groups" not in found  # the relation explains its errors, and is told once


def test_what_was_found_before_the_stop_is_returned(planted):
    told = []
    found = suggest(planted, Reports(lambda *step: told.append(step), lambda: told[-1][0] >= 1))
    assert told == [(0, 4), (1, 4)]
    assert [suggestion.kind for suggestion in found] == ["wrongly_taught_relations"]
    told.clear()
    suggest(planted, Reports(lambda *step: told.append(step)))
    assert told == [(n, 4) for n in range(5)]
