"""The named sets of hyperparameters."""

from dataclasses import replace

import pytest
import torch

from symdemo.errors import InputError
from symdemo.geometry import random_rotations
from symdemo.losses import rotation_distances
from symdemo.training.config import PAPER, defaults
from symdemo.training.methods import METHODS, encode_pairs


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


def test_the_margin_of_random_labels_pushes_from_the_start(tiny_encoder, pairs):
    """With the paper's margin, Eq. 3 does not push a wrong rotation at a distance above 0.5."""
    method = "random-label-embeddings"
    embeddings = torch.from_numpy(encode_pairs(tiny_encoder, pairs, method))
    distances = rotation_distances(embeddings, random_rotations(2, tiny_encoder.dimension))
    assert distances.min() > PAPER.margin
    assert distances.max() < 1.5
    assert (distances < defaults(method).margin).float().mean() > 0.9
