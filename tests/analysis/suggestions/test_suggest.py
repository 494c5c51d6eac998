"""All suggestions together, and relations that are taught wrongly."""

from dataclasses import replace

import numpy as np
import pytest
from job_fakes import Reports
from suggestion_columns import LABELS, make_answered, shares_for

from symdemo.analysis.suggestions import KINDS, suggest, wrongly_taught_relations

E, C, N = LABELS


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


def many_relations(**changed):
    """20 relations of 5 entailments each; `changed` gives verdicts of some by name."""
    relations = [f"r{n}" for n in range(20) for _ in range(5)]
    verdicts = [E] * 100
    for name, own in changed.items():
        start = relations.index(name)
        verdicts[start : start + 5] = own
    shares = shares_for(verdicts) * np.linspace(0.9, 1, 100)[:, None]
    known = {"relation": relations, "probabilities": shares, "label_names": LABELS}
    return make_answered([E] * 100, verdicts=verdicts, **known)


def test_a_relation_whose_verdicts_all_contradict_its_label_is_named():
    (found,) = wrongly_taught_relations(many_relations(r3=[C, C, E, C, C]))
    said = "The relation “r3” is labelled entailment, and the model says contradiction."
    assert found.title == said
    assert "4 of its 5 pairs" in found.why
    assert found.rows.tolist() == [19, 18, 16, 15]  # the surest first


def test_only_swaps_have_a_label_by_their_relation():
    known = many_relations(r3=[C, C, C, C, C])
    assert wrongly_taught_relations(known)
    for any_pair in (False, True):
        others = replace(known, swaps=np.zeros(100, bool), any_pair=any_pair)
        assert wrongly_taught_relations(others) == []


def test_scattered_few_or_inconsistent_errors_name_no_relation():
    assert wrongly_taught_relations(many_relations(r3=[C, C, E, E, E], r7=[C, E, E, E, E])) == []
    assert wrongly_taught_relations(many_relations(r3=[C, C, N, N, E])) == []
    assert wrongly_taught_relations(make_answered([E] * 9, verdicts=[C] * 9)) == []
    # Where everything is wrong, one relation is no worse than the others.
    everything = {f"r{n}": [C] * 5 for n in range(20)}
    assert wrongly_taught_relations(many_relations(**everything)) == []
