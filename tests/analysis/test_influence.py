"""The influence of words: a fake whose answers are known, and the tiny model once."""

from types import SimpleNamespace

import pytest

from symdemo.analysis.influence import MOST_WORDS, word_influence
from symdemo.errors import InputError
from symdemo.pairs import Pair, check_pair


class Fake:
    """Says 0.9 entailment; 0.3 less for each of “and” and “not” that is missing somewhere.

    It judges only pairs with the word `needed`.
    """

    def __init__(self, needed=""):
        self.asked = []
        self.needed = needed

    @staticmethod
    def check(pair):
        return check_pair(pair)

    def predict(self, pairs):
        self.asked.append(list(pairs))
        return [self.answer(pair) for pair in pairs]

    def answer(self, pair):
        texts = (pair.premise.split(), pair.hypothesis.split())
        share = 0.9 - 0.3 * sum(any(word not in t for t in texts) for word in ("not", "and"))
        label = "entailment" if share > 0.5 else "contradiction"
        return SimpleNamespace(
            label=label,
            probabilities={"entailment": share, "contradiction": 1 - share},
            judged=self.needed in pair.premise,
        )


def of(found, word):
    return [one for one in found if one.word == word]


PAIR = Pair("Ann and Bob do not agree.", "Bob and Ann do not agree.")


def test_a_word_of_both_is_left_out_of_both_at_once():
    fake = Fake()
    found = word_influence(fake, PAIR)
    assert [one.word for one in found] == ["Ann", "and", "Bob", "do", "not", "agree"]
    assert {one.side for one in found} == {"both"}
    changes = {one.word: one.change for one in found}
    assert changes["not"] == pytest.approx(0.3)
    assert changes["and"] == pytest.approx(0.3)
    assert changes["do"] == 0.0
    (ann,) = of(found, "Ann")
    assert (ann.premise_places, ann.hypothesis_places) == ((0,), (2,))
    (batch,) = fake.asked  # one batch, the pair itself first
    assert batch[0] == PAIR
    assert [pair.premise for pair in batch[1:]] == [
        "And Bob do not agree.", "Ann Bob do not agree.", "Ann and do not agree.",
        "Ann and Bob not agree.", "Ann and Bob do agree.", "Ann and Bob do not.",
    ]  # fmt: skip
    assert batch[-1].hypothesis == "Bob and Ann do not."


def test_a_pair_that_is_not_judged_has_no_influences():
    with pytest.raises(InputError, match="does not judge this pair"):
        word_influence(Fake("eat"), PAIR)
    (verb,) = of(word_influence(Fake("agree"), PAIR), "agree")  # the rest is not judged
    assert (verb.change, verb.label) == (None, None)


def test_another_form_is_another_word_and_an_ending_is_not():
    found = word_influence(Fake(), Pair("Ann is Bob's mother.", "Bob is Ann's mother."))
    assert [(one.word, one.side) for one in found] == [
        ("Ann", "both"), ("is", "both"), ("Bob", "both"), ("mother", "both"),
    ]  # fmt: skip
    found = word_influence(Fake(), Pair("The dogs chase the cat.", "The cat chases the dogs."))
    assert [(one.word, one.side) for one in found] == [
        ("The", "both"), ("dogs", "both"), ("chase", "premise"), ("cat", "both"),
        ("chases", "hypothesis"),
    ]  # fmt: skip
    assert found[0].premise_places == (0, 3)


def test_a_long_pair_is_cut():
    words = [f"word{n}" for n in range(MOST_WORDS + 20)]
    pair = Pair(" ".join(words) + ".", " ".join(reversed(words)) + ".")
    found = word_influence(Fake(), pair)
    assert [one.word for one in found] == words[:MOST_WORDS]
