"""A model, one's own pairs, and the two brought together."""

import pytest
from retrain_tools import QUICK, Listener, own_pairs

from symdemo.classifier import SymmetryClassifier
from symdemo.teaching.retraining import retrain


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
def _measured_quickly(small_measurements):
    """Every test here measures on little."""


@pytest.fixture(scope="module")
def retrained(base, own):
    listener = Listener()
    return *retrain(base, own, QUICK, listener), listener
