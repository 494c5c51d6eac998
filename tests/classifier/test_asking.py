"""From a sentence to a verdict: the swap, doubts, refusals, and explanations by hand."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from ui_fakes import SENTENCE, SWAPPED, make_store

from symdemo import Pair, SymmetryClassifier
from symdemo.classifier import asking
from symdemo.classifier.asking import UNFAMILIAR, Question, ask, find_swap, of_swap, read
from symdemo.classifier.explaining import (
    is_turned_round,
    outvoted,
    reason,
    rotation_likeness,
    shown_premise,
    vote_pull,
)
from symdemo.classifier.index import LabelIndex, Neighbour
from symdemo.classifier.prediction import Prediction
from symdemo.data.relations import load_facts


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


def test_the_model_of_pairs_confirms_what_general_is_sure_about():
    shares = {"entailment": 0.9, "neutral": 0.1}
    found = replace(
        answer(read(SENTENCE), label="entailment", probabilities=shares), answered_by="general"
    )
    assert found.asks_twice
    assert not replace(found, answered_by="mine").asks_twice
    unsure = replace(found.prediction, probabilities={"entailment": 0.6, "neutral": 0.4})
    assert not replace(found, prediction=unsure).asks_twice
    assert found.beside(found).sure
    other = replace(found, prediction=replace(found.prediction, label="neutral"))
    both = found.beside(other)
    assert (both.prediction.label, both.sure) == ("entailment", False)
    assert both.doubts == ("A second model answers: neutral.",)
    refused = replace(found, prediction=replace(found.prediction, judged=False))
    assert found.beside(refused).sure


def test_a_second_sentence_is_handed_over_whole():
    general, pairs = (make_store(name).get().classifier for name in ("general", "pairs"))
    asked = [read(SENTENCE), read(SENTENCE, "Uganda is not different from Kenya.")]
    swapped, handed = ask(general, asked, k=1, pairs=lambda: pairs)
    assert (swapped.answered_by, swapped.second_verdict) == ("general", swapped.prediction.label)
    assert (handed.answered_by, handed.second_verdict) == ("pairs", "")


QUESTION = Pair("Mia is a sibling of Nora.", "Nora is a sibling of Mia.")
OWN = Pair("Otto is next to Oscar.", "Oscar is next to Otto.", "adjacent", "next-to")


@pytest.fixture
def warm(fitted) -> SymmetryClassifier:
    """Return a model in which all taught pairs vote."""
    model = fitted["knn-learnt-metric"]
    return SymmetryClassifier(model.encoder, model.index, model.card.with_(temperature=0.1))


@pytest.mark.parametrize("taught_more", [False, True])
def test_the_last_row_of_the_pull_is_the_vote(warm, pairs, taught_more):
    model = warm.teach([OWN]) if taught_more else warm
    for prediction in model.predict([QUESTION, *pairs[::9]]):
        pull = vote_pull(model, prediction)
        assert pull.counts.tolist() == [1, 3, 10, 30, len(model.index)]
        last = dict(zip(pull.labels, pull.shares[-1], strict=True))
        assert last == pytest.approx(prediction.probabilities, abs=1e-5)
        assert (np.diff(pull.shares, axis=0) >= 0).all()
        assert (np.diff(pull.distances) >= 0).all()
        assert pull.distances[0] == pytest.approx(prediction.neighbours[0].distance, abs=1e-5)


def test_the_pull_by_hand():
    """With a stand-in for a classifier that only votes: taught pairs at cosine distances of it."""
    rows = [("b", 0.3)] * 20 + [("a", 0.2)] * 3
    taught = [Pair(f"premise {n}.", f"hypothesis {n}.", label) for n, (label, _) in enumerate(rows)]
    angles = np.arccos([1 - distance for _, distance in rows])
    index = LabelIndex(taught, np.stack([np.cos(angles), np.sin(angles)], 1).astype(np.float32))
    query = np.array([1.0, 0.0], np.float32)
    shares = index.kernel_vote(query[None], 0.1)[0]
    votes = dict(zip(index.labels, map(float, shares), strict=True))
    near = tuple(index.search(query[None], 3)[0])
    prediction = Prediction(QUESTION, max(votes, key=votes.get), votes, near, query)
    card = SimpleNamespace(temperature=0.1, method="knn-learnt-metric")
    pull = vote_pull(SimpleNamespace(index=index, card=card, readout=None), prediction)
    assert pull.counts.tolist() == [1, 3, 10, 23]
    total = 3 + 20 * np.exp(-1)  # T is 0.1, and the far ones lie that much farther off
    one, other = 1 / total, np.exp(-1) / total
    expected = {"a": [one, 3 * one, 3 * one, 3 * one], "b": [0, 0, 7 * other, 20 * other]}
    for column, label in enumerate(pull.labels):
        assert pull.shares[:, column] == pytest.approx(expected[label], abs=1e-5)
    assert pull.decided == 3 + 9  # 8 · e⁻¹ < 3 < 9 · e⁻¹
    assert outvoted(prediction, pull) == (
        "The 3 closest examples say “a”, but the next 9 outweigh them."
    )


def test_likeness_is_the_cosine_to_the_mean_of_each_label(fitted):
    model = fitted["knn"].teach([OWN])
    prediction = model.predict([QUESTION])[0]
    likeness = rotation_likeness(model, prediction)
    assert prediction.rotation
    assert prediction.to_json()["symmetry"] == pytest.approx(prediction.symmetry, abs=1e-4)
    for method in ("knn-learnt-metric", "fine-tuning"):  # these read the pair together
        other = fitted[method].predict([QUESTION])[0]
        assert rotation_likeness(fitted[method], other) is other.to_json()["symmetry"] is None
    unit = prediction.label_embedding / np.linalg.norm(prediction.label_embedding)
    assert set(likeness.cosines) == {"entailment", "contradiction", "adjacent"}
    for label in model.labels:
        rows = [n for n, pair in enumerate(model.index.pairs) if pair.label == label]
        mean = model.index.embeddings[rows].mean(axis=0)
        expected = mean @ unit / np.linalg.norm(mean)
        assert likeness.cosines[label] == pytest.approx(expected, abs=1e-5)
        real, imaginary = np.split(mean / np.linalg.norm(mean), 2)
        assert likeness.means[label] == pytest.approx(real + 1j * imaginary, abs=1e-6)
    assert likeness.closest == max(likeness.cosines, key=likeness.cosines.get)


def prediction_near(*near: Pair, label: str) -> Prediction:
    neighbours = tuple(Neighbour(pair, 0.1, n) for n, pair in enumerate(near))
    return Prediction(QUESTION, label, {label: 1.0}, neighbours, np.ones(4, np.float32))


BORDERS = Pair("Fiji borders Peru.", "Peru borders Fiji.", "entailment", "borders", "Fiji", "Peru")
MOTHER = Pair("Ann is the mother of Ben.", "Ben is the mother of Ann.", "contradiction", "P25")


def test_the_reason_in_words(fitted, warm):
    model = fitted["knn"]
    assert reason(prediction_near(BORDERS, label="entailment"), model) == (
        "Closest known example: “Fiji borders Peru” (borders) – true both ways."
    )
    child = replace(MOTHER, hypothesis="Ben is a child of Ann.", label="entailment")
    assert reason(prediction_near(child, label="entailment"), model) == (
        "Closest known example: “Ann is the mother of Ben” → “Ben is a child of Ann” (mother) – "
        "it follows."
    )
    against = prediction_near(BORDERS, MOTHER, MOTHER, label="contradiction")
    assert reason(against, model).endswith("But 2 of the 3 closest say otherwise.")
    assert "all other examples together outweigh it" in reason(against, warm)
    assert "not by examples" in reason(against, fitted["fine-tuning"])


def test_a_reversed_fact_is_shown_the_right_way_round(fitted):
    for fact in load_facts()[::40]:
        forward, backward = fact.pairs()
        turned = forward.label == "contradiction"
        assert (is_turned_round(forward), is_turned_round(backward)) == (False, turned)
        assert shown_premise(forward) == forward.premise
        assert shown_premise(backward) == (forward.premise if turned else backward.premise)
    assert not is_turned_round(MOTHER)  # no fact of ours either way
    assert not is_turned_round(OWN)
    forward, backward = next(f for f in load_facts() if f.relation.id == "P25").pairs()
    text = reason(prediction_near(backward, label="contradiction"), fitted["knn"])
    assert forward.premise.rstrip(".") in text
