"""One model from several that were trained alike: their weights' mean (a model soup).

Runs that start from one encoder and differ in their seeds end in one basin, where the mean of their
weights does what an ensemble of them would, at the price of a single model (Wortsman et al. 2022,
"Model soups"). On the relation bank it brought no more than the mean of the runs' accuracies, so
that no shipped model is made so: `experiments/general.py` keeps the comparison.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from symdemo.classifier import SymmetryClassifier
from symdemo.encoders import Encoder
from symdemo.errors import InputError


def average_weights(weights: Sequence[Mapping[str, Tensor]]) -> dict[str, Tensor]:
    """The mean of several sets of tensors, name by name.

    Raises:
        InputError: none at all, or sets of different names.
    """
    if not weights or any(own.keys() != weights[0].keys() for own in weights):
        names = [len(own) for own in weights]
        raise InputError(f"Sets of the same tensors are expected; seen: {names} tensors.")
    return {name: torch.stack([own[name] for own in weights]).mean(0) for name in weights[0]}


def average_models(models: Sequence[SymmetryClassifier], start: Encoder) -> SymmetryClassifier:
    """The first model with the mean of all models' weights; its memory is encoded anew.

    Args:
        models: answering by neighbours, all trained from `start`.
        start: the encoder they began with.

    Raises:
        InputError: no model, one with a head of its own, or one from another encoder.
    """
    if not models:
        raise InputError("No models were given to average.")
    for model in models:
        if model.readout or model.encoder.base_hash != start.base_hash:
            raise InputError(
                f"“{model.card.name}” cannot be averaged: models that answer by neighbours and "
                f"come from {start.name} are expected."
            )
    encoder = start.clone()
    encoder.replace_weights(
        average_weights([model.encoder.changed_weights(start) for model in models])
    )
    return models[0].with_encoder(encoder)
