"""Contrastive training, on tiny decoders with random weights."""

import json
import os
import shutil

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from tiny import TRAINS_DECODERS

from symdemo.encoders import load_encoder
from symdemo.encoders.decoders import DecoderOptions, load_decoder
from symdemo.encoders.decoders.adapters import RECORD, WEIGHTS, write_record
from symdemo.errors import ModelError
from symdemo.training.contrastive import ContrastiveConfig, _loss, read_in_passes, train_contrastive
from symdemo.training.triplets import Triplet

pytestmark = TRAINS_DECODERS

NAMES = ("Ann", "Ben", "Mia", "Leo", "Eva", "Tom", "Ida", "Max")
TRIPLETS = tuple(
    Triplet(f"{n} is the mother of {m}.", f"{m} is a sibling of {n}.", f"{n} borders {m} {i}.")
    for i, (n, m) in enumerate(zip(NAMES, NAMES[1:] + NAMES[:1], strict=True))
)
COLUMNS = [[getattr(t, name) for t in TRIPLETS] for name in ("anchor", "positive", "negative")]
CONFIG = ContrastiveConfig(
    epochs=3, batch_size=4, learning_rate=5e-3, rank=4, alpha=4, checkpoint_every=2
)


@pytest.fixture(scope="module")
def encoder(decoder_folder):
    return load_decoder(decoder_folder, 1, pooling="mean", device="cpu")


def oracle(a, p, n, temperature):
    """Eq. 6 of BeLLM as a mean over the batch."""
    total = 0.0
    for i in range(len(a)):
        above = np.exp(a[i] @ p[i] / temperature)
        below = sum(np.exp(a[i] @ x / temperature) for x in (*p, *n))
        total -= np.log(above / below)
    return total / len(a)


@pytest.mark.parametrize("chunk", [None, 2])
@pytest.mark.parametrize("temperature", [0.05, 0.5])
def test_the_loss_is_equation_6(encoder, chunk, temperature):
    embedded = [encoder.encode(column).astype(np.float64) for column in COLUMNS]
    config = ContrastiveConfig(batch_size=8, chunk=chunk, temperature=temperature)
    with torch.enable_grad():
        loss = _loss(encoder.model, config)([encoder.model.preprocess(c) for c in COLUMNS], None)
    assert loss.item() == pytest.approx(oracle(*embedded, temperature), rel=1e-4)


def test_short_passes_give_the_same_embeddings_and_gradients(encoder):
    texts = [text for t in TRIPLETS for text in (t.anchor, "Ann.", t.negative * 2)]
    student = encoder.clone()
    weight = student.body.layers[0].self_attn.q_proj.weight.requires_grad_(True)
    found = []
    for read in (lambda model, features: model(features)["sentence_embedding"], read_in_passes):
        weight.grad = None
        embeddings = read(student.model, student.model.preprocess(texts))
        (embeddings[:, 0] * torch.arange(len(texts))).sum().backward()
        found.append((embeddings.detach(), weight.grad))
    for whole, passes in zip(*found, strict=True):
        torch.testing.assert_close(passes, whole, rtol=1e-3, atol=1e-4)


def test_it_learns_and_the_given_encoder_stays(encoder):
    before = encoder.weights()
    steps = []
    trained = train_contrastive(encoder, TRIPLETS, CONFIG, progress=steps.append)
    assert [s.step for s in steps] == list(range(1, 7))
    assert steps[-1].loss < steps[0].loss
    assert all(torch.equal(before[name], tensor) for name, tensor in encoder.weights().items())
    changed = trained.changed_weights(encoder)
    assert changed
    assert all("_proj" in name for name in changed)
    assert trained.max_length == encoder.max_length
    after, untrained = (oracle(*map(own.encode, COLUMNS), 0.05) for own in (trained, encoder))
    assert after < untrained


@pytest.fixture(scope="module")
def learnt(encoder, decoder_folder, tmp_path_factory):
    """An adapter's folder, and the trained encoder."""
    out = tmp_path_factory.mktemp("learnt") / "mine"
    trained = train_contrastive(encoder, TRIPLETS, CONFIG, folder=out)
    write_record(out, str(decoder_folder), DecoderOptions(1, pooling="mean"), {"steps": 6})
    return out, trained


def test_an_adapter_is_loaded_by_name(learnt):
    out, trained = learnt
    loaded = load_encoder(str(out), device="cpu")
    texts = [t.anchor for t in TRIPLETS]
    np.testing.assert_allclose(loaded.encode(texts), trained.encode(texts), atol=1e-5)
    assert loaded.name == str(out)
    assert loaded.base_hash == load_encoder(str(out), device="cpu").base_hash
    assert set(loaded.weights()) == set(trained.weights())


def test_the_files_name_no_path_of_this_machine(learnt):
    settings = json.loads((learnt[0] / "adapter_config.json").read_text())
    assert settings["base_model_name_or_path"] is None
    assert not (learnt[0] / "training_args.bin").exists()


@pytest.mark.parametrize(
    "damage",
    [
        lambda out: (out / RECORD).write_text("{}", encoding="utf-8"),
        lambda out: (out / WEIGHTS).unlink(),
        lambda out: os.truncate(out / WEIGHTS, 200),
        lambda out: save_file({"one.lora_A.weight": torch.zeros(4, 32)}, out / WEIGHTS),
    ],
)
def test_a_damaged_adapter_is_refused(learnt, tmp_path, damage):
    damage(out := shutil.copytree(learnt[0], tmp_path / "damaged"))
    with pytest.raises(ModelError, match=r"cannot be read \(\w+\)"):
        load_encoder(str(out), device="cpu")
