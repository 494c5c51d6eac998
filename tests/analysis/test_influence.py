"""The influence of words: a fake whose answers are known."""

from types import SimpleNamespace

import pytest
from refusals import refusal

from symdemo.analysis.influence import MOST_WORDS, word_influence
from symdemo.pairs import Pair, check_pair


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
