"""How long a retraining will take, and retraining on a GPU that is lent."""

import importlib
import sys
import types
from dataclasses import replace

import numpy as np
import pytest
from retrain_tools import QUICK

from symdemo.teaching import plan as estimating
from symdemo.teaching.plan import RetrainingData, estimate
from symdemo.teaching.retraining import retrain
from symdemo.training import zero_gpu
from symdemo.training.loop import TrainingRun, train_encoder

pytestmark = pytest.mark.slow

# --- how long it takes


def test_an_estimate_times_two_steps_once(base, own, monkeypatch):
    estimating._speeds.clear()
    advanced = []
    advance = TrainingRun.advance
    monkeypatch.setattr(
        TrainingRun, "advance", lambda self, n: (advanced.append(n), advance(self, n))[1]
    )
    first = estimate(base, RetrainingData.of(base, own, QUICK))
    assert advanced == [2]
    assert (first.device, first.seconds > 0) == ("cpu", True)
    longer = estimate(base, RetrainingData.of(base, own, replace(QUICK, epochs=30)))
    assert advanced == [2]  # remembered
    assert longer.steps == 10 * first.steps
    assert longer.seconds > first.seconds
    _, _, curve = retrain(base, own, QUICK)
    assert curve[-1]["total"] == first.steps
    (speed,) = estimating._speeds.values()
    assert speed.step == pytest.approx(curve[-1]["seconds"] / first.steps)


# --- a GPU that is lent


@pytest.fixture
def lent(monkeypatch):
    """The module as it is where the package `spaces` lends GPUs; how it was asked, and for what."""
    asked, calls = [], []

    def gpu(duration):
        asked.append(duration)

        def decorate(function):
            def call(*arguments):
                calls.append(arguments[-1])
                return function(*arguments)

            return call

        return decorate

    monkeypatch.setitem(sys.modules, "spaces", types.SimpleNamespace(GPU=gpu))
    importlib.reload(zero_gpu)
    yield types.SimpleNamespace(asked=asked, calls=calls)
    monkeypatch.undo()
    importlib.reload(zero_gpu)
    assert not zero_gpu.is_lent()


def test_pieces_on_a_lent_gpu_are_the_same_training(lent, tiny_encoder, pairs, quick_config):
    assert zero_gpu.is_lent()
    assert lent.asked == [60]
    config = replace(quick_config, dropout=True, retention=0.5)
    run = TrainingRun(tiny_encoder, pairs, "fine-tuning", config)
    steps = []
    while run.step < run.total:
        steps += zero_gpu.advance(run, 8)
    assert lent.calls == [8, 8]
    whole = train_encoder(tiny_encoder, pairs, "fine-tuning", config)
    assert [step.loss for step in steps] == [step.loss for step in whole.history]
    assert np.array_equal(run.readout().weight, whole.readout.weight)


def test_retraining_goes_in_pieces_on_a_lent_gpu(lent, base, own, retrained):
    model, _, curve = retrain(base, own, QUICK)
    assert len(lent.calls) < len(curve)
    assert sum(lent.calls) == len(curve)
    assert np.array_equal(model.index.embeddings, retrained[0].index.embeddings)
    assert estimate(base, RetrainingData.of(base, own, QUICK)).device == "lent GPU"
