"""A model, one's own pairs, and the two brought together."""

import pytest
from retrain_tools import BENCHMARK_PAIRS, QUICK, Listener, own_pairs

from symdemo import forgetting
from symdemo.classifier import SymmetryClassifier
from symdemo.retention import retention_sentences
from symdemo.teaching import compare as comparing
from symdemo.teaching.retrain import retrain


@pytest.fixture(scope="module")
def own():
    return own_pairs()


@pytest.fixture(scope="module")
def base(fitted):
    """A k-NN model with a k of its own and a limit of familiarity."""
    model = fitted["knn"]
    card = model.card.with_(name="tiny", k=5, familiar_within=0.25)
    return SymmetryClassifier(model.encoder, model.index, card)


@pytest.fixture(autouse=True, scope="module")
def small_measurements():
    """28 facts and 60 generic sentences to measure on: a fraction of a second."""
    facts, sentences = BENCHMARK_PAIRS()[:28], retention_sentences()[:60]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comparing, "benchmark_pairs", lambda: facts)
        patch.setattr(forgetting, "retention_sentences", lambda: sentences)
        comparing._embedded.clear()
        yield
    comparing._embedded.clear()


@pytest.fixture(scope="module")
def retrained(base, own):
    listener = Listener()
    return *retrain(base, own, QUICK, listener), listener
