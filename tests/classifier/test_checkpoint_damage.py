"""Damaged and hostile model folders are refused with one sentence."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest
from model_folders import files_of, load
from refusals import refusal
from safetensors.torch import load_file, save_file

from symdemo.errors import ModelError

INF = float("inf")
BYTES = ["encoder.safetensors", "index.safetensors", "taught.jsonl", "head.safetensors"]


@pytest.fixture
def spoilt(saved, tmp_path) -> Path:
    """Copy a fine-tuned model, which has every kind of file, to a folder `spoilt`."""
    return shutil.copytree(saved["fine-tuning"], tmp_path / "spoilt")


def edit_config(folder: Path, change) -> None:
    path = folder / "config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    change(config)
    path.write_text(json.dumps(config), encoding="utf-8")


def reseal(folder: Path) -> None:
    """Update the listed hashes and sizes, as a malicious author would."""

    def change(config):
        for name in config["files"]:
            content = (folder / name).read_bytes()
            digest = hashlib.sha256(content).hexdigest()
            config["files"][name] = {"sha256": digest, "size": len(content)}

    edit_config(folder, change)


def edit_tensors(folder: Path, file: str, change) -> None:
    tensors = load_file(folder / file)
    changed = change(tensors)
    save_file(tensors if changed is None else changed, folder / file)
    reseal(folder)


def refused(folder: Path, says: str) -> None:
    before = files_of(folder)
    assert says in refusal(load, folder, raising=ModelError)
    assert files_of(folder) == before


@pytest.mark.parametrize("name", BYTES)
def test_a_missing_cut_or_changed_file_is_refused(spoilt, name):
    whole = (spoilt / name).read_bytes()
    half = len(whole) // 2
    (spoilt / name).unlink()
    refused(spoilt, f"The model in spoilt lacks the file {name}.")
    (spoilt / name).write_bytes(whole[:half])
    refused(spoilt, f"{name} in spoilt has {half} bytes; expected {len(whole)}.")
    for where in (0, half):
        changed = bytearray(whole)
        changed[where] ^= 1
        (spoilt / name).write_bytes(changed)
        refused(spoilt, f"{name} in spoilt was changed: its hash is not the listed one.")


@pytest.mark.parametrize("name", ["pytorch_model.bin", "modeling.py", "head.pkl", "x" * 200])
def test_a_foreign_file_is_refused(spoilt, name):
    (spoilt / name).write_bytes(b"import os")
    refused(spoilt, f"The model in spoilt has the foreign file “{name[:50]}")


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "config.json", "extra.bin"])
def test_foreign_files_cannot_be_listed(spoilt, name):
    edit_config(spoilt, lambda config: config["files"].update({name: {"sha256": "", "size": 0}}))
    refused(spoilt, "The model in spoilt")


def test_a_checkout_of_the_hub_repository_is_read(spoilt):
    (spoilt / ".git").mkdir()
    (spoilt / ".gitattributes").write_text("*.safetensors filter=lfs\n", encoding="utf-8")
    assert load(spoilt).method == "fine-tuning"


@pytest.mark.parametrize(
    "text", ["", "{", "null", "[]", '{"format": 1}', "\x00", "[" * 100_000, '{"card": {}}']
)
def test_a_broken_config_is_refused(spoilt, text):
    (spoilt / "config.json").write_text(text, encoding="utf-8")
    refused(spoilt, "config.json in spoilt is not a symdemo model's (")


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("format", "symdemo-model/2", "format: Input should be 'symdemo-model/1'; seen: 'sym"),
        ("files", {}, "lacks the file encoder.safetensors"),
        ("taught_later", True, "taught_later: Input should be a valid integer; seen: True"),
        ("taught_later", -1, "-1 of 48 pairs"),
        ("taught_later", 49, "49 of 48 pairs"),
        ("labels", [], "fine-tuning expects {'weight': (0, "),
        ("labels", ["entailment", "entailment"], "each label once is expected"),
        ("k", 0, "card.k: Input should be greater than or equal to 1"),
        ("method", "setfit", "“setfit” is unknown; expected: random-label-embeddings, knn"),
        ("method", "knn", "knn expects {}"),
        *(("temperature", value, "card.temperature: ") for value in (0, -1, INF, "warm", True)),
        ("encoder", "no-such-encoder", "The encoder “no-such-encoder” is unknown"),
        ("base_hash", "0" * 64, "with the weights 000000000000…; the ones here are "),
        ("more", 1, "card.more: Unexpected keyword argument"),
    ],
)
def test_a_config_or_card_of_another_form_is_refused(spoilt, field, value, says):
    def change(config):
        whose = config if field in ("format", "files", "taught_later") else config["card"]
        whose[field] = value

    edit_config(spoilt, change)
    refused(spoilt, says)


@pytest.mark.parametrize("value", [float("nan"), INF])
@pytest.mark.parametrize("file", ["encoder.safetensors", "index.safetensors", "head.safetensors"])
def test_values_that_are_not_finite_are_refused(spoilt, file, value):
    def change(tensors):
        name, tensor = next(iter(tensors.items()))
        tensors[name] = tensor.float()
        tensors[name].view(-1)[0] = value

    edit_tensors(spoilt, file, change)
    refused(spoilt, f"in {file} has values that are not finite")


FOREIGN = {
    "name": lambda tensors: {"foreign": next(iter(tensors.values()))},
    "rows": lambda tensors: {n: tensor[:-1].contiguous() for n, tensor in tensors.items()},
    "columns": lambda tensors: {n: tensor[..., :-1].contiguous() for n, tensor in tensors.items()},
    "scalar": lambda tensors: {n: tensor.float().mean() for n, tensor in tensors.items()},
}


@pytest.mark.parametrize("change", FOREIGN)
@pytest.mark.parametrize("file", ["encoder.safetensors", "index.safetensors", "head.safetensors"])
def test_foreign_tensors_are_refused(spoilt, file, change):
    edit_tensors(spoilt, file, FOREIGN[change])
    refused(spoilt, "")  # the messages differ; any ModelError will do


def test_a_pickle_is_refused(spoilt):
    (spoilt / "encoder.safetensors").write_bytes(b"\x80\x04K\x01.")  # a pickle
    reseal(spoilt)
    refused(spoilt, "encoder.safetensors is not a readable safetensors file")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "not a JSON object"),
        ('{"premise": "a b", "hypothesis": "b a", "label": null}', "The label is"),
        ('{"premise": "a b", "hypothesis": "b a", "label": "x"}', "The index of spoilt holds"),
    ],
)
def test_broken_taught_pairs_are_refused(spoilt, line, says):
    with (spoilt / "taught.jsonl").open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    reseal(spoilt)
    refused(spoilt, says)
