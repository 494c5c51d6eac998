import numpy as np
import pytest
from scipy.stats import fisher_exact
from suggestion_columns import make_answered

from symdemo.analysis.suggestions import error_groups
from symdemo.analysis.suggestions.error_groups import make_groups, mask, worse_than_elsewhere

RIGHT, WRONG = "entailment", "neutral"


def answered_of(premises, wrong, **columns):
    verdicts = [WRONG if bad else RIGHT for bad in wrong]
    return make_answered([RIGHT] * len(premises), premises, verdicts=verdicts, **columns)


@pytest.fixture
def sentences():
    """400 sentences of six words drawn from 20; every 25th is wrong."""
    rng = np.random.default_rng(0)
    words = [f"w{chr(97 + n)}" for n in range(20)]
    premises = [" ".join(rng.choice(words, 6)) for _ in range(400)]
    return premises, [row % 25 == 0 for row in range(400)]


def test_a_phrase_that_errors_follow_is_named_once(sentences):
    premises, wrong = sentences
    for row in range(0, 60):
        premises[row] += " each other"
        wrong[row] = row % 2 == 0
    found = error_groups(answered_of(premises, wrong))
    assert len(found) == 1  # “each”, “other” and “each other” are the same rows
    assert "“each other”" in found[0].title
    bad = [row for row in range(60) if wrong[row]]
    assert sorted(found[0].rows.tolist()) == bad
    elsewhere = sum(wrong) - len(bad)
    said = f"{len(bad)} of these 60 pairs are wrong (50%), {elsewhere / 340:.0%} of all others"
    assert said in found[0].why


def test_nothing_is_named_where_errors_are_chance(sentences):
    premises, wrong = sentences
    for own in (wrong, [False] * 400, [True] * 400):
        assert error_groups(answered_of(premises, own)) == []


def test_constructions_and_relations_are_groups_and_the_larger_comes_first(sentences):
    premises, wrong = sentences
    constructions = ["question" if row < 80 else None for row in range(400)]
    relations = ["knows" if row >= 360 else "other" for row in range(400)]
    wrong = [bad or row < 60 or row >= 375 for row, bad in enumerate(wrong)]
    answered = answered_of(premises, wrong, construction=constructions, relation=relations)
    titles = [
        "The construction “question” is answered wrongly more often.",
        "The relation “knows” is answered wrongly more often.",
    ]
    assert [one.title for one in error_groups(answered)] == titles
    assert [one.title for one in error_groups(answered, np.arange(80))] == titles[1:]


def test_entities_are_masked_and_no_group_is_made_of_masks_alone():
    said = mask("Ann told Ann-Marie that Anna saw Bo.", "Ann", "Bo")
    assert said == "[X] told [X]-Marie that Anna saw [Y]."
    assert mask("The nurse met the night nurse.", "the nurse", "the night nurse") == (
        "[X] met [Y]."
    )
    premises = [f"Ann{chr(97 + n)} meets Bo." for n in range(20)]
    heads = [premise.split()[0] for premise in premises]
    answered = make_answered([RIGHT] * 20, premises, head=heads, tail=["Bo"] * 20)
    groups = make_groups(answered.rows[:15])
    assert groups.names == []  # “[X] meets [Y]” holds all rows and tells nothing apart


def test_p_values_are_those_of_fishers_exact_test():
    rng = np.random.default_rng(1)
    sizes = rng.integers(1, 60, 30)
    errors = rng.binomial(sizes, 0.3)
    expected = [
        fisher_exact([[e, s - e], [50 - e, 200 - 50 - (s - e)]], alternative="greater").pvalue
        for e, s in zip(errors, sizes, strict=True)
        if e <= 50
    ]
    assert np.allclose(worse_than_elsewhere(errors, sizes, 50, 200), expected)
