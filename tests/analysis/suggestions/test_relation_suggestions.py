from dataclasses import replace

import numpy as np
from suggestion_columns import LABELS, make_answered, shares_for

from symdemo.analysis.suggestions import wrongly_taught_relations

E, C, N = LABELS


def many_relations(**changed):
    """20 relations of 5 entailments each; `changed` gives verdicts of some by name."""
    relations = [f"r{n}" for n in range(20) for _ in range(5)]
    verdicts = [E] * 100
    for name, own in changed.items():
        start = relations.index(name)
        verdicts[start : start + 5] = own
    shares = shares_for(verdicts)
    return make_answered(
        [E] * 100, verdicts=verdicts, relation=relations, probabilities=shares, label_names=LABELS
    )


def test_a_relation_whose_verdicts_all_contradict_its_label_is_named():
    (found,) = wrongly_taught_relations(many_relations(r3=[C, C, E, C, C]))
    assert (
        found.title == "The relation “r3” is labelled entailment, and the model says contradiction."
    )
    assert "4 of its 5 pairs" in found.why
    assert sorted(found.rows.tolist()) == [15, 16, 18, 19]


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
