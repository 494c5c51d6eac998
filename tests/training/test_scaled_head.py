"""Fine-tuning with logits as steep as those of the prototypes."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn import functional

from symdemo.classifier import SymmetryClassifier
from symdemo.losses import TEMPERATURE
from symdemo.training.methods import Head, ScaledHead, Task, find_method


def test_the_loss_is_that_of_logits_over_the_temperature():
    task = Task(("a", "b", "c"), dimension=4)
    torch.manual_seed(0)
    scaled = ScaledHead(task)
    embeddings = functional.normalize(torch.randn(5, 4), dim=-1)
    targets = torch.tensor([0, 1, 2, 1, 0])
    expected = functional.cross_entropy(scaled.head(embeddings) / TEMPERATURE, targets)
    torch.testing.assert_close(scaled(embeddings, targets), expected)
    torch.manual_seed(0)
    assert Head(task)(embeddings, targets) < scaled(embeddings, targets)


def test_the_readout_answers_as_the_objective_did():
    task = Task(("a", "b"), dimension=4)
    objective = find_method("fine-tuning").objective(task, "scaled")
    readout = find_method("fine-tuning").readout(objective)
    embeddings = torch.randn(6, 4)
    with torch.no_grad():
        expected = torch.softmax(objective.head(embeddings) / TEMPERATURE, -1)
    np.testing.assert_allclose(readout.probabilities(embeddings.numpy()), expected, atol=1e-5)


def test_a_scaled_head_is_saved_and_loaded(tiny_encoder, pairs, quick_config, tmp_path):
    start = SymmetryClassifier.from_encoder(tiny_encoder, "fine-tuning")
    scaled = start.fit(pairs, config=replace(quick_config, loss="scaled"))
    scaled.save_pretrained(tmp_path / "model")
    again = SymmetryClassifier.from_pretrained(tmp_path / "model")
    assert again.card.training["loss"] == "scaled"
    told, expected = (
        np.array([list(p.probabilities.values()) for p in model.predict(pairs[:6])])
        for model in (again, scaled)
    )
    np.testing.assert_allclose(told, expected, atol=1e-3)  # kept in half precision
    assert told.sum(1) == pytest.approx(1, abs=1e-5)
