"""Model folders: their content, loading, names, and the hub."""

import hashlib
import json
import shutil
from pathlib import Path

import huggingface_hub
import pytest
import torch
from model_folders import FILES, content, load
from safetensors.torch import load_file

from symdemo import Pair
from symdemo.classifier import checkpoints
from symdemo.classifier.checkpoints import find_model, list_models
from symdemo.errors import ModelError
from symdemo.training.methods import METHODS

every_method = pytest.mark.parametrize("method", METHODS)


@pytest.fixture
def models(saved, tmp_path, monkeypatch) -> Path:
    """A folder of models like `models/`, with the two models `alpha` and `beta`."""
    folder = tmp_path / "models"
    shutil.copytree(saved["knn"], folder / "alpha")
    shutil.copytree(saved["fine-tuning"], folder / "beta")
    monkeypatch.setattr(checkpoints, "MODELS", folder)
    return folder


@every_method
def test_a_loaded_model_equals_the_saved_one(fitted, saved, pairs, method):
    model, again = fitted[method], load(saved[method])
    assert again.card == model.card
    assert again.index.pairs == model.index.pairs
    assert again.labels == model.labels
    asked = [*pairs, Pair("Mia is a sibling of Nora.", "Nora is a sibling of Mia.")]
    for one, two in zip(model.predict(asked), again.predict(asked), strict=True):
        assert two.label == one.label
        assert two.probabilities == pytest.approx(one.probabilities, abs=2e-3)
        # In roles, half precision is amplified by `geometry.SPREAD`.
        within = 4e-3 if method == "conjugate" else 2e-3
        assert two.neighbours[0].distance == pytest.approx(one.neighbours[0].distance, abs=within)
    assert again.encoder.encode(["Ann is next."]) == pytest.approx(
        model.encoder.encode(["Ann is next."]), abs=2e-3
    )


@every_method
def test_a_folder_holds_json_safetensors_and_text_only(fitted, saved, method):
    folder = saved[method]
    head = {"head.safetensors"} if fitted[method].readout else set()
    assert {path.name for path in folder.iterdir()} == FILES | head
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    assert config["format"] == "symdemo-model/1"
    assert set(config["files"]) == (FILES | head) - {"README.md", "config.json"}
    for name, listed in config["files"].items():
        data = (folder / name).read_bytes()
        assert listed == {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
    assert len((folder / "taught.jsonl").read_text(encoding="utf-8").splitlines()) == 48
    assert load_file(folder / "index.safetensors")["label_embeddings"].dtype == torch.int8
    changed = load_file(folder / "encoder.safetensors")
    assert changed
    assert not [name for name in changed if name.startswith("embeddings.")]
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert readme.startswith("---\n")
    assert f"`{method}`" in readme


def test_saving_what_was_loaded_changes_nothing_and_taught_pairs_are_kept(saved, tmp_path):
    load(saved["knn"]).save_pretrained(tmp_path / "copy")
    assert content(tmp_path / "copy") == content(saved["knn"])
    own = Pair("Otto is next to Oscar.", "Oscar is next to Otto.", "mein “Etikett”", "über")
    load(saved["knn"]).teach([own]).save_pretrained(tmp_path / "taught")
    again = load(tmp_path / "taught")
    assert (again.labels[-1], again.index.pairs[-1], again.index.later) == (own.label, own, 1)
    assert load(saved["knn"]).index.later == 0


def test_names_of_models(models):
    assert [card.name for card in list_models()] == ["alpha", "beta"]
    assert load("alpha").method == "knn"
    assert load(str(models / "beta")).method == load(models / "beta").method == "fine-tuning"
    assert find_model("alpha") == models / "alpha"
    assert list_models(models / "none") == []


def test_one_damaged_model_does_not_hide_the_others(models):
    (models / "beta" / "config.json").write_text("{", encoding="utf-8")
    assert [card.name for card in list_models()] == ["alpha"]
    with pytest.raises(ModelError, match="There is no model “gamma”; here are: alpha"):
        load("gamma")


@pytest.mark.parametrize("name", ["gamma", "a/b/c", "/no/such", "../none", "~/none", "x" * 300])
def test_an_unknown_name_is_one_sentence(models, name):
    with pytest.raises(ModelError) as error:
        load(name)
    text = str(error.value)
    assert text.startswith(f"There is no model “{name[:50]}")
    assert text.endswith("here are: alpha, beta. A folder or a hub id (owner/name) works too.")


def test_a_hub_model_is_loaded_without_pickles_or_code(models, monkeypatch, saved):
    def give(repo, allow_patterns, **_):
        assert repo == "someone/model"
        assert {pattern.rsplit(".")[-1] for pattern in allow_patterns} == {
            "json", "jsonl", "safetensors",
        }  # fmt: skip
        return str(saved["knn"])

    monkeypatch.setattr(huggingface_hub, "snapshot_download", give)
    assert load("someone/model").method == "knn"


def test_a_folder_that_is_no_model_is_refused(tmp_path, tiny_folder):
    with pytest.raises(ModelError, match=r"has no config.json; a symdemo model folder"):
        load(tmp_path)
    with pytest.raises(ModelError, match=r"config.json in tiny is not a symdemo model's"):
        load(tiny_folder)


def test_a_push_uploads_the_checked_files_only(fitted, monkeypatch):
    uploaded = {}

    class Api:
        def __init__(self, token):
            assert token == "secret"

        def create_repo(self, repo_id, private, exist_ok):
            assert (repo_id, private, exist_ok) == ("me/mine", True, True)
            return "https://hub/me/mine"

        def upload_folder(self, repo_id, folder_path):
            uploaded.update(content(Path(folder_path)))

    monkeypatch.setattr(huggingface_hub, "HfApi", Api)
    assert fitted["knn"].push_to_hub("me/mine", token="secret") == "https://hub/me/mine"
    assert set(uploaded) == FILES
    assert not [name for name, data in uploaded.items() if b"secret" in data]


def test_a_push_without_network_is_one_sentence(fitted):
    with pytest.raises(
        ModelError, match=r"^The model could not be pushed to me/mine \(.*network\.$"
    ):
        fitted["knn"].push_to_hub("me/mine", token="hf_none")
