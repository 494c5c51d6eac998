"""Counterfactuals: each generator gives what was written down before it was made, a table a kind.

`counterfactuals/KIND.csv` has pairs with the expected premise, hypothesis and label, further right
ones separated by " | "; none if nothing should come out.
"""

import csv
import re
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusal

from symdemo.analysis.counterfactuals import KINDS, Counterfactual, Unmade, counterfactuals
from symdemo.data.bank import shipped_bank
from symdemo.data.bank_phrasings import capitalise, fill
from symdemo.data.relations import Entity, load_facts
from symdemo.errors import InputError
from symdemo.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL, Pair, check_pair

FOLDER = Path(__file__).with_name("counterfactuals")
# Rows that may go wrong: as many as do. experiments/results/counterfactuals.jsonl names them.
MOST_WRONG = {"phrasing": 1, "negation": 1, "passive": 1, "tense": 1}


@cache
def ids():
    return {e.label: e.id for fact in load_facts() for e in (fact.head, fact.tail) if e.id}


def texts(cell):
    """Return the texts of a cell; {name} stands for its id in our facts, else for the opaque id."""
    return [
        re.sub(r"\{(.*?)\}", lambda m: Entity(m[1], ids().get(m[1], "")).name_without_words, text)
        for text in filter(None, cell.split(" | "))
    ]


def is_right(kind, row, made):
    """True if what was made is what should be, and nothing if nothing should be."""
    given = [one for one in made if isinstance(one, Counterfactual)]
    premises, hypotheses = texts(row["expected_premise"]), texts(row["expected_hypothesis"])
    if not premises or not given:
        return not premises and not given
    label = row["expected_label"] or None
    if any(one.expected != label or one.pair.label != label for one in given):
        return False
    if kind == "entities":
        return all(fits(row, premises[0], hypotheses[0], one.pair) for one in given)
    found = [(one.pair.premise, one.pair.hypothesis) for one in given]
    wanted = set(product(premises, hypotheses))
    return bool(wanted & set(found)) and (kind == "phrasing" or len(found) == 1)


def fits(row, premise, hypothesis, made):
    """True if a pair is the frame of the row with entities of its types."""
    filled = [capitalise(fill(frame, made.head, made.tail)) for frame in (premise, hypothesis)]
    pools = shipped_bank().entities
    return filled == [made.premise, made.hypothesis] and all(
        any(end in pools[name] for name in row[types].split())
        for end, types in ((made.head, "head_kinds"), (made.tail, "tail_kinds"))
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_generator_gives_what_was_written_down(kind):
    columns = ("premise", "hypothesis", "label", "relation", "head", "tail")
    wrong = []
    with (FOLDER / f"{kind}.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            pair = Pair(*(row[name] or None for name in columns))
            if not is_right(kind, row, counterfactuals(pair, [kind])):
                wrong.append(pair.premise)
    assert len(wrong) <= MOST_WRONG.get(kind, 0), wrong


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
    assert "empty" in refusal(counterfactuals, Pair("Ann met Bob.", " "))
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
