"""`counterfactuals`: what is promised of all kinds."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symdemo.analysis.counterfactuals import KINDS, Counterfactual, Unmade, counterfactuals
from symdemo.errors import InputError
from symdemo.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL, Pair, check_pair

BORDERS = Pair(
    "Kenya borders Uganda.", "Uganda borders Kenya.", ENTAILMENT, "borders", "Kenya", "Uganda"
)
CHASED = Pair("The cat chased the dog.", "The dog chased the cat.", NEUTRAL)


def made(pair, kind):
    return [one for one in counterfactuals(pair, [kind]) if isinstance(one, Counterfactual)]


def test_of_other_pairs_than_swaps_less_follows():
    reworded = Pair("Kenya borders Uganda.", "Kenya touches Uganda.", ENTAILMENT, None, "Kenya",
                    "Uganda")  # fmt: skip
    assert [one.expected for one in made(reworded, "swap")] == [None]
    assert {one.expected for one in made(reworded, "entities")} == {ENTAILMENT}
    assert [one.expected for one in made(BORDERS, "swap")] == [ENTAILMENT]


@pytest.mark.parametrize("pair", [BORDERS, CHASED], ids=["borders", "chased"])
def test_what_is_given_can_be_judged_and_is_new(pair):
    found = counterfactuals(pair)
    kinds = [one.kind for one in found]
    assert list(dict.fromkeys(kinds)) == list(KINDS)  # each kind, in order
    given = [one for one in found if isinstance(one, Counterfactual)]
    assert len(given) > len(KINDS)
    for one in given:
        assert check_pair(one.pair) == one.pair
        assert (one.pair.premise, one.pair.hypothesis) != (pair.premise, pair.hypothesis)
        assert one.pair.label == one.expected
        assert one.pair.relation == pair.relation
        assert one.how.endswith(".")
    for one in found:
        if isinstance(one, Unmade):
            assert one.why.endswith(".")


def test_a_bad_pair_and_an_unknown_kind_are_refused():
    with pytest.raises(InputError, match="empty"):
        counterfactuals(Pair("Ann met Bob.", " "))
    with pytest.raises(InputError, match="The kind is “paraphrase”; expected one of: swap, "):
        counterfactuals(BORDERS, ["paraphrase"])


TEXT = (
    "Ann Bob's the a cat dogs is are was not n't by chased has been will can , . ? ' “ ” [X] [Y] "
    "'s and who that each other never all no 猫 x 12 ( )"
)
WORDS = TEXT.split()


@given(
    st.lists(st.sampled_from(WORDS), min_size=2, max_size=12).map(" ".join),
    st.lists(st.sampled_from(WORDS), min_size=2, max_size=12).map(" ".join),
    st.sampled_from([None, "Ann", "[X]", "the", "."]),
)
@settings(max_examples=40)
def test_no_text_that_is_accepted_makes_it_fail(premise, hypothesis, head):
    pair = Pair(premise, hypothesis, CONTRADICTION, "P25", head, "Bob")
    try:
        check_pair(pair)
    except InputError:
        return
    for one in counterfactuals(pair):
        if isinstance(one, Counterfactual):
            check_pair(one.pair)
