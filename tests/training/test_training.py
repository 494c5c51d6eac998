"""Retraining of the tiny encoder, in pieces too; batches of pairs; triplets from labelled pairs."""

import json
import os
import pickle
import re
import runpy
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from symdemo import SymmetryClassifier
from symdemo.data.bank import bank_names
from symdemo.data.pair_files import save_pairs
from symdemo.encoders.encoder import SentenceEncoder
from symdemo.errors import InputError
from symdemo.pairs import Pair
from symdemo.training.config import TrainingConfig, defaults
from symdemo.training.loop import PASS, TrainingRun, in_short_passes, train_encoder
from symdemo.training.methods import METHODS
from symdemo.training.retention import retention_sentences
from symdemo.training.sampling import by_length, count_steps, plan_batches
from symdemo.training.triplets import Triplet, load_triplets, triplets_of

every_method = pytest.mark.parametrize("method", METHODS)
SENTENCES = ["Ann is the mother of Ben.", "Kenya borders Uganda.", "Oscar was next."]


def same(one: dict, other: dict) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[k], other[k]) for k in one)


@pytest.fixture(scope="module")
def trained(tiny_encoder, pairs, quick_config):
    return {m: train_encoder(tiny_encoder, pairs, m, quick_config) for m in METHODS}


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


def test_only_unfrozen_parts_are_trained(tiny_encoder, pairs, quick_config):
    def trained_parts(**change):
        config = replace(quick_config, epochs=1, **change)
        changed = train_encoder(tiny_encoder, pairs, "knn", config).encoder
        names = changed.changed_weights(tiny_encoder)
        return {re.match(r"embeddings|encoder\.layer\.\d", name)[0] for name in names}

    layers = {"encoder.layer.0", "encoder.layer.1"}
    assert trained_parts(freeze_embeddings=False) == {"embeddings"} | layers
    assert trained_parts(freeze_layers=1) == {"encoder.layer.1"}


@every_method
@pytest.mark.parametrize("after", [0, 2])
def test_stopping_early_gives_a_usable_encoder(tiny_encoder, pairs, quick_config, method, after):
    steps = []
    stop = {"callback": steps.append, "should_stop": lambda: len(steps) >= after}
    result = train_encoder(tiny_encoder, pairs, method, quick_config, **stop)
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
import json, os, pickle, signal, sys, torch
from symdemo.cli import main, shared
from symdemo.encoders import load_encoder
from symdemo.encoders.encoder import SentenceEncoder
from symdemo.training.loop import processes, train_encoder

def forward(self, inputs, whole=SentenceEncoder.forward):
    global read
    read += len(inputs) * torch.is_grad_enabled()
    return whole(self, inputs)

folder, given, out, *command = sys.argv[1:]
SentenceEncoder.forward, read = forward, 0
others = processes()
found = train_encoder(load_encoder(folder, device="cpu"), *pickle.load(open(given, "rb"))).history
if others is None or others.is_main_process:
    losses = [(step.step, step.loss, step.retention) for step in found]
    json.dump([read, losses], open(out, "w"))

def press(*_):
    if os.environ["RANK"] == "1":
        signal.raise_signal(signal.SIGINT)

if command:
    shared.show_progress = lambda *_: press
    main.main(command)
"""


@pytest.fixture(scope="module")
def in_two(tiny_folder, pairs, demanding, tmp_path_factory):
    """A folder: the losses of a training that two processes shared, and what a stopped one left.

    One start serves both tests, since importing takes longest.
    """
    folder = tmp_path_factory.mktemp("two")
    config = replace(demanding, dropout=False)
    given = pickle.dumps((pairs[:-1], "fine-tuning", config))  # a batch of 15, too
    (folder / "given.pickle").write_bytes(given)
    (folder / "losses.py").write_text(LOSSES)
    pd.DataFrame(list(pairs)).to_csv(folder / "rows.csv", index=False)
    subprocess.run(
        [
            sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2",
            folder / "losses.py", tiny_folder, folder / "given.pickle", folder / "shared.json",
            "train", "--encoder", tiny_folder, "--device", "cpu", "--data", folder / "rows.csv",
            "--part", "all", "--out", folder / "stopped",
        ],
        check=True, timeout=400, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    return folder


@pytest.mark.slow  # processes that import torch
def test_of_two_processes_both_stop_where_one_is_asked_to(in_two):
    made = SymmetryClassifier.from_pretrained(in_two / "stopped").card.training
    assert (made["steps"], made["stopped"]) == (1, True)


@pytest.mark.slow  # processes that import torch
def test_two_processes_train_as_one(in_two, tiny_folder, tmp_path, monkeypatch):
    script, out = str(in_two / "losses.py"), tmp_path / "alone.json"
    monkeypatch.setattr(SentenceEncoder, "forward", SentenceEncoder.forward)  # the script wraps it
    given = [script, tiny_folder, in_two / "given.pickle", out]
    monkeypatch.setattr(sys, "argv", list(map(str, given)))
    runpy.run_path(script)
    read, alone = json.loads(out.read_text())
    read_by_one, shared = json.loads((in_two / "shared.json").read_text())
    assert len(alone) == 6
    assert read_by_one < 0.6 * read
    for own, expected in zip(shared, alone, strict=True):
        assert own == pytest.approx(expected, rel=1e-4)


relations = st.lists(st.integers(0, 5), min_size=1, max_size=40)


def whole(size, **changes):
    return TrainingConfig(batch_size=size, min_steps=0, recombine=0.0, **changes)


@given(relations, st.integers(1, 20), st.integers(0, 3), st.integers(0, 99))
def test_balanced_batches_spread_each_relation_evenly(drawn, size, epochs, seed):
    pairs = [Pair(f"a {n}", f"b {n}", str(r % 2), str(r)) for n, r in enumerate(drawn)]
    made = plan_batches(pairs, whole(size, epochs=epochs, seed=seed))
    per_epoch = -(-len(pairs) // size)
    assert len(made) == epochs * per_epoch
    for epoch in range(epochs):
        own = made[epoch * per_epoch : (epoch + 1) * per_epoch]
        flat = [pair for batch in own for pair in batch]
        assert Counter(flat) == Counter(pairs)
        assert {len(batch) for batch in own[:-1]} <= {size}
        # relations take turns: while two of them have pairs left, neither is two ahead
        left, seen = Counter(pair.relation for pair in pairs), Counter()
        for pair in flat:
            seen[pair.relation] += 1
            left[pair.relation] -= 1
            waiting = [seen[relation] for relation in left if left[relation]]
            assert not waiting or seen[pair.relation] - min(waiting) <= 1


@given(st.lists(st.integers(1, 60), min_size=1, max_size=700), st.integers(1, 9))
def test_batches_by_length_hold_the_same_pairs_in_as_many_batches(lengths, size):
    pairs = [Pair("a" * n, "b", "yes", head=str(k)) for k, n in enumerate(lengths)]
    planned = plan_batches(pairs, whole(size, epochs=1, balanced=False))
    sorted_ones = by_length(planned, seed=0)
    assert sorted(map(len, planned)) == sorted(map(len, sorted_ones))
    assert sorted(p.head for own in planned for p in own) == sorted(
        p.head for own in sorted_ones for p in own
    )
    assert padding(sorted_ones) <= padding(planned)


def padding(planned):
    return sum(len(own) * max(len(pair.premise) for pair in own) for own in planned)


def test_recombined_pairs_may_use_names_of_the_bank(pairs, quick_config):
    def shown(whose):
        config = replace(quick_config, recombine=1.0, epochs=4, recombine_with=whose)
        return [pair for batch in plan_batches(pairs, config) for pair in batch]

    own = {entity for pair in pairs for entity in (pair.head, pair.tail)}
    names = set(bank_names()) - own
    assert len(names) > 500
    for whose, expected in (("own", 0), ("bank", 20)):
        strangers = {entity for pair in shown(whose) for entity in (pair.head, pair.tail)} - own
        assert strangers <= names
        assert len(strangers) >= expected
        assert bool(strangers) == bool(expected)
    labels = Counter((pair.relation, pair.label) for pair in pairs)
    assert Counter((p.relation, p.label) for p in shown("bank")) == {
        key: 4 * n for key, n in labels.items()
    }


NLI_PAIRS = [
    Pair("A man plays.", "Somebody plays.", "entailment"),
    Pair("A man plays.", "Nobody plays.", "contradiction"),
    Pair("A man plays.", "He plays chess.", "neutral"),
    Pair("A man plays.", "A person plays.", "entailment"),
    Pair("A man plays.", "A man sleeps.", "contradiction"),
    Pair("A man plays.", "There is a man.", "entailment"),
    Pair("A dog runs.", "An animal moves.", "entailment"),
    Pair("A cat sits.", "A cat flies.", "contradiction"),
]


def test_each_entailment_has_one_of_its_premise_s_contradictions_in_turn():
    assert triplets_of(NLI_PAIRS) == [
        Triplet("A man plays.", "Somebody plays.", "Nobody plays."),
        Triplet("A man plays.", "A person plays.", "A man sleeps."),
        Triplet("A man plays.", "There is a man.", "Nobody plays."),
    ]


@pytest.mark.parametrize("unseen", ["A person plays.", "a person plays", "A MAN SLEEPS. "])
def test_test_sentences_are_left_out(tmp_path, unseen):
    save_pairs(NLI_PAIRS, tmp_path / "nli.jsonl")
    data = load_triplets(str(tmp_path / "nli.jsonl"), unseen=[unseen])
    assert [t.positive for t in data.triplets] == ["Somebody plays.", "There is a man."]
    assert data.left_out == 1
