"""Training in pieces gives the same numbers as in one go, also from a stored state."""

import json
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pandas as pd
import pytest
import torch

from symdemo import SymmetryClassifier
from symdemo.errors import InputError
from symdemo.training.loop import TrainingRun, train_encoder
from symdemo.training.methods import METHODS

every_method = pytest.mark.parametrize("method", METHODS)


def same(one: dict, other: dict) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[k], other[k]) for k in one)


def losses(run) -> list:
    return [(step.step, step.loss, step.retention) for step in run.history]


@pytest.fixture(scope="module")
def demanding(quick_config):
    """Everything that draws random numbers: dropout, retention, recombined entities."""
    return replace(quick_config, epochs=2, dropout=True, retention=1.0, recombine=0.75, seed=4)


@every_method
def test_three_and_three_steps_are_six_steps(tiny_encoder, pairs, demanding, method):
    straight = TrainingRun(tiny_encoder, pairs, method, demanding)
    assert straight.total == 6
    straight.advance(6)
    first = TrainingRun(tiny_encoder, pairs, method, demanding)
    assert [step.step for step in first.advance(3)] == [1, 2, 3]
    carried = pickle.loads(pickle.dumps(first.state()))
    torch.rand(5)  # what happens in between does not matter
    second = TrainingRun(tiny_encoder, pairs, method, demanding)
    second.restore(carried)
    assert second.step == 3
    second.advance(3)
    assert losses(second) == losses(straight)
    assert same(second.student.weights(), straight.student.weights())
    if straight.readout():
        assert same(second.readout().tensors(), straight.readout().tensors())
    first.advance(3)  # taking a state changes nothing for the run that gave it
    assert same(first.student.weights(), straight.student.weights())


def test_two_trainings_at_once_keep_their_own_randomness(tiny_encoder, pairs, demanding):
    alone = train_encoder(tiny_encoder, pairs, "knn", demanding)
    other = replace(demanding, seed=9)
    with ThreadPoolExecutor(2) as pool:
        runs = [
            pool.submit(train_encoder, tiny_encoder, pairs, "knn", config)
            for config in (demanding, other) * 2
        ]
    for run in runs[::2]:
        assert same(run.result().encoder.weights(), alone.encoder.weights())


def test_a_foreign_state_is_refused(tiny_encoder, pairs, quick_config, demanding):
    run = TrainingRun(tiny_encoder, pairs, "knn", quick_config)
    frozen = TrainingRun(tiny_encoder, pairs, "knn", replace(quick_config, freeze_layers=1))
    with pytest.raises(InputError, match="tensors; 34 of the shapes of this training are expected"):
        run.restore(frozen.state())
    with pytest.raises(InputError, match="another retention term"):
        run.restore(TrainingRun(tiny_encoder, pairs, "knn", demanding).state())


def test_half_precision_trains(tiny_encoder, pairs, quick_config):
    method = "knn"
    half = replace(quick_config, precision="bf16", retention=1.0)
    run = TrainingRun(tiny_encoder, pairs, method, half)
    steps = run.advance(run.total)
    assert sum(s.loss for s in steps[-3:]) < 0.8 * sum(s.loss for s in steps[:3])
    assert {p.dtype for p in run.student.model.parameters()} == {torch.float32}
    full = train_encoder(tiny_encoder, pairs, method, replace(half, precision="fp32"))
    assert steps[0].loss == pytest.approx(full.history[0].loss, rel=0.05)
    assert steps[0].loss != full.history[0].loss  # it was half precision indeed


LOSSES = """
import json, pickle, sys, torch
from symdemo.encoders import load_encoder
from symdemo.encoders.encoder import SentenceEncoder
from symdemo.training.loop import processes, train_encoder

def forward(self, inputs, whole=SentenceEncoder.forward):
    global read
    read += len(inputs) * torch.is_grad_enabled()
    return whole(self, inputs)

folder, given, out = sys.argv[1:]
SentenceEncoder.forward, read = forward, 0
others = processes()
found = train_encoder(load_encoder(folder, device="cpu"), *pickle.load(open(given, "rb"))).history
if others is None or others.is_main_process:
    losses = [(step.step, step.loss, step.retention) for step in found]
    json.dump([read, losses], open(out, "w"))
"""


STOPPED = """
import os, signal, sys
from symdemo.cli import data, main

def press(*_):
    if os.environ["RANK"] == "1":
        signal.raise_signal(signal.SIGINT)

data.show_progress = lambda *_: press
main.main(sys.argv[1:])
"""


@pytest.mark.slow  # processes that import torch
def test_of_two_processes_both_stop_where_one_is_asked_to(tiny_folder, pairs, tmp_path):
    rows = pd.DataFrame(list(pairs))
    rows.to_csv(tmp_path / "rows.csv", index=False)
    (tmp_path / "stopped.py").write_text(STOPPED)
    subprocess.run(
        [
            sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2",
            tmp_path / "stopped.py", "train", "--encoder", tiny_folder, "--device", "cpu",
            "--data", tmp_path / "rows.csv", "--part", "all", "--out", tmp_path / "out",
        ],
        check=True, timeout=200, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    made = SymmetryClassifier.from_pretrained(tmp_path / "out").card.training
    assert (made["steps"], made["stopped"]) == (1, True)


@pytest.mark.slow  # processes that import torch
def test_two_processes_train_as_one(tiny_folder, pairs, demanding, tmp_path):
    given = tmp_path / "given.pickle"
    config = replace(demanding, dropout=False)
    given.write_bytes(pickle.dumps((pairs[:-1], "fine-tuning", config)))  # a batch of 15, too
    (tmp_path / "losses.py").write_text(LOSSES)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    several = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    results = []
    for launch in ([], several):
        out = tmp_path / "losses.json"
        command = [sys.executable, *launch, tmp_path / "losses.py", tiny_folder, given, out]
        subprocess.run(command, check=True, timeout=400, env=environment)
        results.append(json.loads(out.read_text()))
    (read, alone), (read_by_one, shared) = results
    assert len(alone) == 6
    assert read_by_one < 0.6 * read
    for own, expected in zip(shared, alone, strict=True):
        assert own == pytest.approx(expected, rel=1e-4)
