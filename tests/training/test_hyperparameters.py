"""The named sets of hyperparameters."""

from dataclasses import replace

import pytest

from symdemo.errors import InputError
from symdemo.training.config import PAPER, defaults
from symdemo.training.methods import METHODS


def test_the_paper_and_our_own_hyperparameters(tiny_encoder):
    assert (PAPER.learning_rate, PAPER.batch_size, PAPER.margin) == (2e-5, 16, 0.5)
    assert (PAPER.retention, PAPER.freeze_embeddings) == (0, False)
    for method in METHODS:
        assert defaults(method, named="paper") is PAPER
        assert defaults(method, tiny_encoder).learning_rate == defaults(method).learning_rate
    with pytest.raises(InputError, match="is unknown"):
        defaults("setfit")


def test_hyperparameters_depend_on_the_size_of_an_encoder():
    class Large:
        dimension = 768

    for method in METHODS:
        small, large = defaults(method), defaults(method, Large())
        assert large.learning_rate == small.learning_rate / 4
        assert large.retention_batch <= small.retention_batch
        usual = defaults(method, named="usual")
        assert large == replace(usual, learning_rate=usual.learning_rate / 4)
    assert defaults("knn").retention_batch == 48
