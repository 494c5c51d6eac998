"""From a sentence to a verdict: the swap, doubts about the verdict, and refusals."""

from dataclasses import replace

import pytest
from ui_fakes import SENTENCE, SWAPPED, make_store

from symdemo.classifier import asking
from symdemo.classifier.asking import UNFAMILIAR, Question, ask, find_swap, of_swap, read
from symdemo.pairs import Pair


def answer(question, familiar=None, **changes):
    classifier = make_store(familiar=familiar).get().classifier
    found = ask(classifier, [question])[0]
    return replace(found, prediction=replace(found.prediction, **changes))


def test_a_chosen_swap_has_no_doubts(monkeypatch):
    other = replace(find_swap(SENTENCE), hypothesis="Uganda Kenya is different from.")
    doubted = replace(find_swap(SENTENCE), doubts=("Two readings.",), others=(other,))
    monkeypatch.setattr(asking, "find_swap", lambda _: doubted)
    assert read(SENTENCE).swap.doubts == ("Two readings.",)
    for chosen in (SWAPPED, other.hypothesis):
        question = read(SENTENCE, chosen)
        assert (question.pair.hypothesis, question.swap.doubts) == (chosen, ())


@pytest.mark.parametrize(
    ("hypothesis", "word"),
    [
        ("Uganda is not different from Kenya.", "not"),
        ("Uganda is different from Tanzania.", "Tanzania"),
        ("Uganda was different from Kenya.", "was"),
    ],
)
def test_more_than_the_places_changed(hypothesis, word):
    question = read(SENTENCE, hypothesis)
    assert not question.is_swap
    assert f"“{word}”" in question.difference
    assert question.pair.hypothesis == hypothesis
    found = answer(question)
    assert not found.sure
    assert question.difference in found.doubts


def test_a_model_that_was_taught_such_pairs_is_in_scope():
    question = read(SENTENCE, "Uganda is not different from Kenya.")
    found = answer(question)
    assert not found.in_scope  # its nearest taught pair is a swap, as all are
    near = found.prediction.neighbours[0]
    own = replace(near, pair=Pair("Ann is older than Ben.", "Ben is younger than Ann.", "x"))
    taught = replace(found, prediction=replace(found.prediction, neighbours=(own,)))
    assert taught.in_scope
    assert not taught.sure  # the difference is still reported
    assert answer(read(SENTENCE)).in_scope


def test_doubts_come_from_the_swap_and_from_the_model():
    swap = replace(find_swap(SENTENCE), doubts=("Two readings.",))
    question = Question(SENTENCE, Pair(SENTENCE, SWAPPED), swap)
    assert answer(question, familiar=False).doubts == ("Two readings.", UNFAMILIAR)
    assert answer(of_swap(SENTENCE, swap), familiar=True).doubts == ()


@pytest.mark.parametrize(("share", "sure"), [(0.95, True), (asking.SURE, True), (0.79, False)])
def test_a_small_share_is_not_sure(share, sure):
    shares = {"entailment": share, "contradiction": 1 - share}
    found = answer(read(SENTENCE), label="entailment", probabilities=shares)
    assert found.share == share
    assert found.sure is sure
