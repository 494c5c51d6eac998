"""Loading encoders: names, folders, the hub, and errors for damaged ones."""

import json
import shutil
from importlib.util import find_spec

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
    if find_spec(loading.EMBEDDED_PACKAGE) is None:
        pytest.skip(f"the package {loading.EMBEDDED_PACKAGE} is not installed")
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


def cut_weights(folder):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])


def spoil_weights(folder):
    (folder / "model.safetensors").write_bytes(b"not safetensors at all")


def lose_a_tensor(folder):
    path = folder / "model.safetensors"
    tensors = load_file(path)
    del tensors["encoder.layer.0.attention.self.query.weight"]
    save_file(tensors, path, {"format": "pt"})


def break_config(folder):
    (folder / "config.json").write_text("{", encoding="utf-8")


def foreign_config(folder):
    (folder / "config.json").write_text('{"model_type": "no-such"}', encoding="utf-8")


def narrow_config(folder):
    path = folder / "config.json"
    config = json.loads(path.read_text(encoding="utf-8")) | {"intermediate_size": 10}
    path.write_text(json.dumps(config), encoding="utf-8")


def break_tokenizer(folder):
    (folder / "tokenizer.json").write_text("[]", encoding="utf-8")


def code_of_its_own(folder):
    (folder / "own.py").write_text("raise SystemExit('code was run')", encoding="utf-8")
    modules = [{"idx": 0, "name": "0", "path": "", "type": "own.Own"}]
    (folder / "modules.json").write_text(json.dumps(modules), encoding="utf-8")


@pytest.mark.parametrize(
    "damage",
    [
        cut_weights, spoil_weights, lose_a_tensor, break_config, foreign_config, narrow_config,
        break_tokenizer, code_of_its_own,
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


def test_a_cached_encoder_is_loaded_with_its_registered_name(monkeypatch, tiny_folder):
    monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda *_, **__: str(tiny_folder))
    encoder = load_encoder("microsoft/MiniLM-L12-H384-uncased", device="cpu")
    assert encoder.name == "MiniLM-L12-H384-uncased"
    assert encoder.spec.script == "LATIN"


def test_the_hash_of_the_embedded_package_is_checked(embedded, monkeypatch):
    assert embedded.base_hash == loading.EMBEDDED_SHA256
    monkeypatch.setattr(loading, "EMBEDDED_SHA256", "0" * 64)
    with pytest.raises(ModelError, match="has the hash 53aa51172d14…; expected 000000000000…"):
        load_encoder()


def test_without_the_package_the_default_encoder_comes_from_the_hub(monkeypatch, no_cache):
    monkeypatch.setattr(loading, "EMBEDDED_PACKAGE", "no_such_package")
    with pytest.raises(ModelError, match="all-MiniLM-L6-v2 is not on this machine"):
        load_encoder()
