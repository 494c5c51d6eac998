"""Counterfactuals: each generator gives what was written down before it was made, a table a kind.

`counterfactuals/KIND.csv` has pairs with the expected premise, hypothesis and label, further right
ones separated by " | "; none if nothing should come out. The influence of words is that on a fake
whose answers are known.
"""

import re
from functools import cache
from itertools import product
from types import SimpleNamespace

import pytest
from cases import cases_of
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusal

from symdemo.analysis.counterfactuals import KINDS, Counterfactual, Unmade, counterfactuals
from symdemo.analysis.influence import MOST_WORDS, word_influence
from symdemo.data.bank import shipped_bank
from symdemo.data.bank_phrasings import capitalise, fill
from symdemo.data.relations import Entity, load_facts
from symdemo.errors import InputError
from symdemo.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL, Pair, check_pair

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
    for row in cases_of(__file__, f"counterfactuals/{kind}.csv"):
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


WORDS = (
    "Ann Bob's the a cat dogs is are was not n't by chased has been will can , . ? ' “ ” [X] [Y] "
    "'s and who that each other never all no 猫 x 12 ( )"
)
TEXTS = st.lists(st.sampled_from(WORDS.split()), min_size=2, max_size=12).map(" ".join)


@given(TEXTS, TEXTS, st.sampled_from([None, "Ann", "[X]", "the", "."]))
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


class Fake:
    """Says 0.9 entailment; 0.3 less for each of “and” and “not” that is missing somewhere.

    It judges only pairs with the word `needed`.
    """

    check = staticmethod(check_pair)

    def __init__(self, needed=""):
        self.asked = []
        self.needed = needed

    def predict(self, pairs):
        self.asked.append(list(pairs))
        return [self.answer(pair) for pair in pairs]

    def answer(self, pair):
        texts = (pair.premise.split(), pair.hypothesis.split())
        share = 0.9 - 0.3 * sum(any(word not in t for t in texts) for word in ("not", "and"))
        return SimpleNamespace(
            label="entailment" if share > 0.5 else "contradiction",
            probabilities={"entailment": share, "contradiction": 1 - share},
            judged=self.needed in pair.premise,
        )


PAIR = Pair("Ann and Bob do not agree.", "Bob and Ann do not agree.")


def test_a_word_of_both_is_left_out_of_both_at_once():
    fake = Fake()
    found = {one.word: one for one in word_influence(fake, PAIR)}
    assert list(found) == ["Ann", "and", "Bob", "do", "not", "agree"]
    assert {one.side for one in found.values()} == {"both"}
    changes = [found[word].change for word in ("not", "and", "do")]
    assert changes == pytest.approx([0.3, 0.3, 0])
    assert (found["Ann"].premise_places, found["Ann"].hypothesis_places) == ((0,), (2,))
    (batch,) = fake.asked  # one batch, the pair itself first
    assert batch[0] == PAIR
    assert [pair.premise for pair in batch[1:]] == [
        "And Bob do not agree.", "Ann Bob do not agree.", "Ann and do not agree.",
        "Ann and Bob not agree.", "Ann and Bob do agree.", "Ann and Bob do not.",
    ]  # fmt: skip
    assert batch[-1].hypothesis == "Bob and Ann do not."


def test_a_pair_that_is_not_judged_has_no_influences():
    assert "does not judge this pair" in refusal(word_influence, Fake("eat"), PAIR)
    *_, verb = word_influence(Fake("agree"), PAIR)  # the rest is not judged
    assert (verb.word, verb.change, verb.label) == ("agree", None, None)


def test_another_form_is_another_word_and_an_ending_is_not():
    found = word_influence(Fake(), Pair("Ann is Bob's mother.", "Bob is Ann's mother."))
    assert {one.word: one.side for one in found} == dict.fromkeys(
        ["Ann", "is", "Bob", "mother"], "both"
    )
    found = word_influence(Fake(), Pair("The dogs chase the cat.", "The cat chases the dogs."))
    assert [(one.word, one.side) for one in found] == [
        ("The", "both"), ("dogs", "both"), ("chase", "premise"), ("cat", "both"),
        ("chases", "hypothesis"),
    ]  # fmt: skip
    assert found[0].premise_places == (0, 3)


def test_a_long_pair_is_cut():
    words = [f"word{n}" for n in range(MOST_WORDS + 20)]
    pair = Pair(" ".join(words) + ".", " ".join(reversed(words)) + ".")
    assert [one.word for one in word_influence(Fake(), pair)] == words[:MOST_WORDS]
