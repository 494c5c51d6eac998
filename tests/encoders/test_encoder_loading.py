"""Loading encoders: names, folders, the hub, and errors for damaged ones."""

import json
import os
import shutil

import huggingface_hub
import pytest
from safetensors.torch import load_file, save_file
from tiny import write_tiny_encoder

from symdemo.encoders import load_encoder, loading
from symdemo.errors import ModelError


@pytest.fixture
def damaged(tiny_folder, tmp_path):
    """A copy of the tiny encoder's folder that a test may spoil."""
    return shutil.copytree(tiny_folder, tmp_path / "damaged")


@pytest.fixture(scope="module")
def embedded():
    return load_encoder(device="cpu")


@pytest.fixture
def no_cache(monkeypatch, tmp_path):
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))


@pytest.mark.parametrize("name", ["bert-of-mine", "", "x" * 10_000, "nul\0byte", "../models"])
def test_an_unknown_name_is_refused(name):
    with pytest.raises(ModelError, match="is unknown") as error:
        load_encoder(name)
    assert len(str(error.value)) < 400


def test_a_folder_without_safetensors_is_refused(damaged):
    (damaged / "model.safetensors").rename(damaged / "pytorch_model.bin")
    with pytest.raises(ModelError, match=r"no model.safetensors; .* from safetensors only"):
        load_encoder(damaged)


def lose_a_tensor(folder):
    tensors = load_file(folder / "model.safetensors")
    del tensors["encoder.layer.0.attention.self.query.weight"]
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})


def narrow(folder):
    config = json.loads((folder / "config.json").read_text()) | {"intermediate_size": 10}
    (folder / "config.json").write_text(json.dumps(config))


def code_of_its_own(folder):
    (folder / "own.py").write_text("raise SystemExit('code was run')")
    modules = [{"idx": 0, "name": "0", "path": "", "type": "own.Own"}]
    (folder / "modules.json").write_text(json.dumps(modules))


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: os.truncate(folder / "model.safetensors", 5_000),
        lambda folder: (folder / "config.json").write_text("{"),
        lambda folder: (folder / "config.json").write_text('{"model_type": "no-such"}'),
        lambda folder: (folder / "tokenizer.json").write_text("[]"),
        lose_a_tensor, narrow, code_of_its_own,
    ],
)  # fmt: skip
def test_a_damaged_folder_is_refused_in_one_sentence(damaged, damage):
    damage(damaged)
    with pytest.raises(ModelError, match=r"^The folder .*damaged cannot be loaded") as error:
        load_encoder(damaged, device="cpu")
    assert "\n" not in str(error.value)


def test_an_odd_dimension_is_refused(tmp_path):
    write_tiny_encoder(tmp_path / "odd", dimension=33, heads=3)
    with pytest.raises(ModelError, match="33"):
        load_encoder(tmp_path / "odd", device="cpu")


def test_offline_and_not_cached_is_one_sentence(no_cache):
    with pytest.raises(ModelError) as error:
        load_encoder("all-mpnet-base-v2")
    assert str(error.value) == (
        "The encoder all-mpnet-base-v2 is not on this machine and the hub cannot be reached: "
        "connect once so that sentence-transformers/all-mpnet-base-v2 is cached, give a local "
        "folder, or use all-MiniLM-L6-v2, which needs no network."
    )


@pytest.mark.parametrize(("offline", "calls"), [("1", [True]), ("0", [True, None])])
def test_the_hub_is_only_contacted_if_online(monkeypatch, offline, calls):
    seen = []

    def refuse(repo, **options):
        assert not [p for p in options["allow_patterns"] if p.endswith((".bin", ".pt", ".py"))]
        seen.append(options.get("local_files_only"))
        raise ConnectionError("no route")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", refuse)
    monkeypatch.setenv("HF_HUB_OFFLINE", offline)
    with pytest.raises(ModelError, match="hub cannot be reached"):
        load_encoder("roberta-large")
    assert seen == calls


def test_the_hash_of_the_embedded_package_is_checked(embedded, monkeypatch):
    assert embedded.base_hash == loading.EMBEDDED_SHA256
    monkeypatch.setattr(loading, "EMBEDDED_SHA256", "0" * 64)
    with pytest.raises(ModelError, match="has the hash 53aa51172d14…; expected 000000000000…"):
        load_encoder()


def test_without_the_package_the_default_encoder_comes_from_the_hub(monkeypatch, no_cache):
    monkeypatch.setattr(loading, "EMBEDDED_PACKAGE", "no_such_package")
    with pytest.raises(ModelError, match="all-MiniLM-L6-v2 is not on this machine"):
        load_encoder()
