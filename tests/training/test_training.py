"""Few-shot retraining of the tiny encoder: what changes and what does not, and its settings."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from symdemo.errors import InputError
from symdemo.training.config import TrainingConfig, defaults
from symdemo.training.loop import PASS, in_short_passes, train_encoder
from symdemo.training.methods import METHODS
from symdemo.training.retention import retention_sentences
from symdemo.training.sampling import count_steps

every_method = pytest.mark.parametrize("method", METHODS)
SENTENCES = ["Ann is the mother of Ben.", "Kenya borders Uganda.", "Oscar was next."]


def same(one: dict, other: dict) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[k], other[k]) for k in one)


@pytest.fixture(scope="module")
def trained(tiny_encoder, pairs, quick_config):
    return {m: train_encoder(tiny_encoder, pairs, m, quick_config) for m in METHODS}


@pytest.fixture(scope="module")
def one_epoch(quick_config):
    return replace(quick_config, epochs=1)


@every_method
def test_a_copy_learns_and_the_starting_encoder_stays(tiny_encoder, trained, method):
    result, start = trained[method], tiny_encoder
    assert len(result.history) == 12
    first, last = result.history[:3], result.history[-3:]
    assert sum(step.loss for step in last) < 0.8 * sum(step.loss for step in first)
    changed = result.encoder.changed_weights(start)
    assert changed
    assert not [name for name in changed if name.startswith("embeddings.")]
    assert np.abs(result.encoder.encode(SENTENCES) - start.encode(SENTENCES)).max() > 1e-3
    assert (result.encoder.name, result.encoder.base_hash) == (start.name, start.base_hash)
    assert not result.encoder.forward(SENTENCES).requires_grad
    assert (result.readout is None) == (method in ("knn", "knn-learnt-metric"))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"freeze_embeddings": False}, {"embeddings", "encoder.layer.0", "encoder.layer.1"}),
        ({"freeze_layers": 1}, {"encoder.layer.1"}),
    ],
)
def test_only_unfrozen_parts_are_trained(tiny_encoder, pairs, one_epoch, change, expected):
    result = train_encoder(tiny_encoder, pairs, "knn", replace(one_epoch, **change))
    changed = result.encoder.changed_weights(tiny_encoder)
    parts = {re.match(r"embeddings|encoder\.layer\.\d", name)[0] for name in changed}
    assert parts == expected


@every_method
@pytest.mark.parametrize("after", [0, 2])
def test_stopping_early_gives_a_usable_encoder(tiny_encoder, pairs, quick_config, method, after):
    steps = []
    result = train_encoder(
        tiny_encoder,
        pairs,
        method,
        quick_config,
        callback=steps.append,
        should_stop=lambda: len(steps) >= after,
    )
    assert result.stopped
    assert result.history == tuple(steps)
    assert [(step.step, step.total) for step in steps] == [(n, 12) for n in range(1, after + 1)]
    assert all(step.eta > 0 for step in steps)
    assert same(result.encoder.weights(), tiny_encoder.weights()) == (after == 0)
    assert not result.encoder.model.training
    assert np.linalg.norm(result.encoder.encode(SENTENCES), axis=1) == pytest.approx(1, abs=1e-5)


def test_retention_holds_generic_sentences_in_place(tiny_encoder, pairs, quick_config):
    generic = retention_sentences()
    before = tiny_encoder.encode(generic)

    def drift(retention: float) -> float:
        config = replace(quick_config, retention=retention, epochs=6)
        result = train_encoder(tiny_encoder, pairs, "knn", config)
        assert all((step.retention > 0) == (retention > 0) for step in result.history[1:])
        return float(np.square(result.encoder.encode(generic) - before).sum(1).mean())

    free, kept = drift(0.0), drift(1.0)
    assert 0 < kept < 0.5 * free


@pytest.mark.parametrize(
    ("changes", "steps"),
    [
        ({"epochs": 2, "min_steps": 0}, 4),
        ({"epochs": 2, "min_steps": 4}, 4),
        ({"epochs": 2, "min_steps": 5}, 6),
        ({"epochs": 0, "min_steps": 3}, 4),
        ({"epochs": 0, "min_steps": 0}, 0),
        ({"epochs": 1, "min_steps": 0, "batch_size": 100}, 1),
    ],
)
def test_the_fewest_steps_are_made(quick_config, changes, steps):
    assert count_steps(8, replace(quick_config, **{"batch_size": 4} | changes)) == steps


@pytest.mark.parametrize(
    ("name", "value"),
    [("learning_rate", -1e-4), ("batch_size", 0), ("epochs", -1), ("learning_rate", float("nan"))],
)
def test_impossible_hyperparameters_are_refused(name, value):
    with pytest.raises(InputError, match=f"^{name} is {value}; at least"):
        TrainingConfig(**{name: value})


def test_large_encoders_learn_in_smaller_steps():
    large = defaults("knn", SimpleNamespace(dimension=768))
    assert large.learning_rate == defaults("knn").learning_rate / 4


@pytest.mark.parametrize("share", [0.25, 1.0])
def test_weights_are_averaged_with_the_start(tiny_encoder, pairs, quick_config, trained, share):
    config = replace(quick_config, average_with_start=share)
    seen = train_encoder(tiny_encoder, pairs, "knn", config).encoder.weights()
    start, end = tiny_encoder.weights(), trained["knn"].encoder.weights()
    for name, tensor in seen.items():
        assert torch.allclose(tensor, (1 - share) * end[name] + share * start[name], atol=1e-6)


def test_short_passes_give_the_same_embeddings_and_gradients(tiny_encoder, pairs):
    sentences = [pair.premise for pair in pairs[: 3 * PASS - 1]] + SENTENCES
    assert len({len(sentence) for sentence in sentences}) > 3
    rows, gradients = [], []
    for wrap in (lambda forward: forward, in_short_passes):
        student = tiny_encoder.clone()
        student.model.requires_grad_(True)
        embeddings = wrap(student.forward)(sentences)
        (embeddings @ embeddings.T).square().sum().backward()
        rows.append(embeddings.detach())
        gradients.append([p.grad for p in student.model.parameters() if p.grad is not None])
    assert torch.allclose(rows[0], rows[1], atol=1e-5)
    for whole, short in zip(*gradients, strict=True):
        assert torch.allclose(whole, short, rtol=1e-3, atol=1e-4)


# Named hyperparameters
