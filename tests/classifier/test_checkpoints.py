"""Model folders: their content, loading, names, and the hub."""

import base64
import hashlib
import json
import shutil
from pathlib import Path

import httpx2
import huggingface_hub
import pytest
import torch
from huggingface_hub import ModelCard
from huggingface_hub.utils import _http
from model_folders import FILES, WHOLE, files_of, load
from safetensors.torch import load_file

from symdemo import Pair
from symdemo.classifier import checkpoints
from symdemo.classifier.card import readme
from symdemo.classifier.checkpoints import find_model, list_models
from symdemo.encoders import load_encoder
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
    assert set(files_of(folder)) == FILES | head | WHOLE
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
    card = ModelCard.load(folder / "README.md")
    assert (card.data.library_name, card.data.license) == ("symdemo", "apache-2.0")
    assert f"`{method}`" in card.text
    assert "SentenceTransformer(folder)" in card.text


def test_the_card_tells_the_hub_the_figures(fitted):
    scores = {
        "relations never taught": "90.7% (entailment 97%)",
        "most often wrong there": "causes",
    }
    text = readme(fitted["knn"].with_card(scores=scores, encoder="all-MiniLM-L6-v2").card)
    data = ModelCard(text).data
    assert [(r.metric_name, r.metric_value) for r in data.eval_results] == [
        ("relations never taught", 90.7)
    ]
    assert data.base_model == "sentence-transformers/all-MiniLM-L6-v2"
    assert "SentenceTransformer" not in text


@every_method
def test_the_encoder_opens_in_sentence_transformers(saved, pairs, tmp_path, method):
    from sentence_transformers import SentenceTransformer
    from transformers import AutoModel

    model, texts = load(saved[method]), [pair.premise for pair in pairs]
    model.encoder.save_pretrained(tmp_path / "encoder")
    expected = model.encoder.encode(texts)
    for folder in (saved[method], tmp_path / "encoder"):
        found = SentenceTransformer(str(folder), device="cpu").encode(texts)
        assert found == pytest.approx(expected, abs=1e-6)
    assert load_encoder(saved[method], device="cpu").encode(texts) == pytest.approx(expected)
    assert AutoModel.from_pretrained(saved[method]).config.hidden_size == 32


@pytest.mark.parametrize("exact", [True, False])
def test_saving_what_was_loaded_changes_nothing_and_taught_pairs_are_kept(
    saved, tmp_path, monkeypatch, exact
):
    if not exact:
        monkeypatch.setattr("symdemo.classifier.index.EXACT", 1)
    assert load(saved["knn"]).index.exact == exact
    load(saved["knn"]).save_pretrained(tmp_path / "copy")
    assert files_of(tmp_path / "copy") == files_of(saved["knn"])
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


class Hub:
    """The hub as its client sees it: one repository, in memory."""

    SHA = "5" * 40

    def __init__(self):
        self.files = {}

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        path = request.url.path.removeprefix("/api/models").removeprefix("/me/mine")
        if request.method == "POST":
            assert request.headers["authorization"] == "Bearer secret"
            return httpx2.Response(200, json=self.written(path, request.read()))
        if path.startswith("/revision"):
            return httpx2.Response(200, json={"id": "me/mine", "sha": self.SHA, "siblings": []})
        if path.startswith("/tree"):
            tree = [
                {"type": "file", "path": name, "size": len(data), "oid": "1" * 40}
                for name, data in self.files.items()
            ]
            return httpx2.Response(200, json=tree)
        name = path.split("/", 3)[-1]
        head = {"x-repo-commit": self.SHA, "etag": f'"{hashlib.sha1(name.encode()).hexdigest()}"'}
        if name not in self.files:
            return httpx2.Response(404, headers=head | {"x-error-code": "EntryNotFound"})
        return httpx2.Response(200, headers=head, content=self.files[name])

    def written(self, path: str, body: bytes) -> dict:
        if path.startswith("/preupload"):
            names = [file["path"] for file in json.loads(body)["files"]]
            mode = {"uploadMode": "regular", "shouldIgnore": False}
            return {"files": [{"path": name} | mode for name in names]}
        if path.startswith("/commit"):
            values = [json.loads(line)["value"] for line in body.splitlines()]
            files = [value for value in values if "path" in value]
            self.files |= {one["path"]: base64.b64decode(one["content"]) for one in files}
            return {
                "commitUrl": "https://huggingface.co/me/mine/commit/" + self.SHA,
                "commitOid": self.SHA,
            }
        if path == "/api/repos/create":
            assert b"private" in body
        return {"url": "https://huggingface.co/me/mine", "errors": [], "warnings": []}


@pytest.fixture
def hub(monkeypatch, tmp_path):
    hub = Hub()
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    transport = httpx2.MockTransport(hub)
    monkeypatch.setattr(_http, "_GLOBAL_CLIENT_FACTORY", lambda: httpx2.Client(transport=transport))
    huggingface_hub.close_session()
    yield hub
    huggingface_hub.close_session()


def test_a_pushed_model_opens_from_the_hub(fitted, hub, pairs, tmp_path):
    from sentence_transformers import SentenceTransformer

    fitted["knn"].save_pretrained(tmp_path / "saved")
    assert fitted["knn"].push_to_hub("me/mine", token="secret") == "https://huggingface.co/me/mine"
    assert hub.files == files_of(tmp_path / "saved")
    assert not [name for name, data in hub.files.items() if b"secret" in data]
    pulled = load("me/mine")
    assert pulled.predict(pairs).verdict_labels == fitted["knn"].predict(pairs).verdict_labels
    texts = [pair.premise for pair in pairs]
    encoder = SentenceTransformer("me/mine", device="cpu", cache_folder=str(tmp_path / "hub"))
    assert encoder.encode(texts) == pytest.approx(pulled.encoder.encode(texts), abs=1e-6)


def test_a_push_without_network_is_one_sentence(fitted):
    with pytest.raises(
        ModelError, match=r"^The model could not be pushed to me/mine \(.*network\.$"
    ):
        fitted["knn"].push_to_hub("me/mine", token="hf_none")
