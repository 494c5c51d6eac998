"""Model folders: content, loading, names, the hub, failed writes, and killed processes."""

import hashlib
import json
import shutil
from pathlib import Path

import huggingface_hub
import pytest
import torch
from huggingface_hub import ModelCard
from killing import LINUX, kill_at_work
from model_folders import FILES, WHOLE, files_of, load
from refusals import refusal
from safetensors.torch import load_file
from teaching_tools import fail_with

from symdemo import Pair
from symdemo.classifier import checkpoints
from symdemo.classifier.card import readme
from symdemo.classifier.checkpoints import find_model, list_models
from symdemo.encoders import load_encoder
from symdemo.errors import InputError, ModelError
from symdemo.files import storage
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
    card = (
        fitted["knn"].with_card(scores={"never taught": "90.7% (1 of 2)", "worst": "causes"}).card
    )
    (figure,) = ModelCard(readme(card)).data.eval_results
    assert (figure.metric_name, figure.metric_value) == ("never taught", 90.7)


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


def test_one_damaged_model_does_not_hide_the_others(models):
    (models / "beta" / "config.json").write_text("{", encoding="utf-8")
    assert [card.name for card in list_models()] == ["alpha"]
    with pytest.raises(ModelError, match="There is no model “gamma”; here are: alpha"):
        load("gamma")


@pytest.mark.parametrize("name", ["gamma", "a/b/c", "/no/such", "../none", "~/none", "x" * 300])
def test_an_unknown_name_is_one_sentence(models, name):
    text = refusal(load, name, raising=ModelError)
    assert text.startswith(f"There is no model “{name[:50]}")
    assert text.endswith("here are: alpha, beta. A folder or a hub id (owner/name) works too.")


def test_a_pushed_model_opens_from_the_hub(fitted, models, saved, tmp_path, monkeypatch):
    hub = tmp_path / "hub"

    def create(api, repo, private, exist_ok):
        assert (api.token, repo, private) == ("secret", "me/mine", True)
        return "https://huggingface.co/me/mine"

    def give(repo, allow_patterns, **_):  # neither pickles nor code
        endings = {pattern.rsplit(".")[-1] for pattern in allow_patterns}
        assert (repo, endings) == ("me/mine", {"json", "jsonl", "safetensors"})
        return str(hub)

    upload = lambda api, repo_id, folder_path: shutil.copytree(folder_path, hub)  # noqa: E731
    monkeypatch.setattr(huggingface_hub.HfApi, "create_repo", create)
    monkeypatch.setattr(huggingface_hub.HfApi, "upload_folder", upload)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", give)
    assert fitted["knn"].push_to_hub("me/mine", token="secret").endswith("/me/mine")
    assert files_of(hub) == files_of(saved["knn"])
    assert load("me/mine").method == "knn"


def test_a_push_without_network_is_one_sentence(fitted):
    with pytest.raises(
        ModelError, match=r"^The model could not be pushed to me/mine \(.*network\.$"
    ):
        fitted["knn"].push_to_hub("me/mine", token="hf_none")


def test_an_existing_folder_is_only_overwritten_on_request(fitted, saved, tmp_path):
    folder = shutil.copytree(saved["knn"], tmp_path / "mine")
    before = files_of(folder)
    with pytest.raises(InputError, match=r"mine exists and is not empty; choose another name"):
        fitted["fine-tuning"].save_pretrained(folder)
    assert files_of(folder) == before
    fitted["fine-tuning"].save_pretrained(folder, overwrite=True)
    assert load(folder).method == "fine-tuning"
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "letter.txt").write_text("precious", encoding="utf-8")
    (tmp_path / "file").write_text("precious", encoding="utf-8")
    for name in ("letters", "file"):  # never overwritten: no model
        assert name in refusal(fitted["knn"].save_pretrained, tmp_path / name, overwrite=True)
    assert files_of(tmp_path / "letters") == {"letter.txt": b"precious"}


@pytest.mark.parametrize("failing", ["save_file", "save_pairs", "readme", "_hash", "storage._put"])
@pytest.mark.parametrize("existing", [True, False])
def test_a_failed_save_leaves_the_old_folder_whole(
    fitted, saved, tmp_path, monkeypatch, failing, existing
):
    folder = tmp_path / "mine"
    if existing:
        shutil.copytree(saved["knn"], folder)
        before = files_of(folder)

    module = checkpoints
    if failing.startswith("storage."):
        module, failing = storage, failing.removeprefix("storage.")
    monkeypatch.setattr(module, failing, fail_with(28))
    with pytest.raises(OSError, match="no"):
        fitted["fine-tuning"].save_pretrained(folder, overwrite=True)
    monkeypatch.undo()
    assert [path.name for path in tmp_path.iterdir()] == (["mine"] if existing else [])
    if existing:
        assert files_of(folder) == before
        assert load(folder).method == "knn"


@pytest.mark.parametrize("moment", ["first fails", "second fails", "a reader between"])
def test_the_renames_of_a_save(fitted, saved, tmp_path, monkeypatch, moment):
    folder = shutil.copytree(saved["knn"], tmp_path / "mine")
    before, rename, calls = files_of(folder), Path.rename, []

    def watched(self, target):
        calls.append(target)
        if len(calls) == {"first fails": 1, "second fails": 2}.get(moment):
            raise OSError(5, "Input/output error")
        rename(self, target)
        if moment == "a reader between" and len(calls) == 1:
            find_model(folder)  # restores the old folder

    monkeypatch.setattr(Path, "rename", watched)
    if moment == "a reader between":
        fitted["fine-tuning"].save_pretrained(folder, overwrite=True)
        assert load(folder).method == "fine-tuning"
    else:
        with pytest.raises(OSError, match="Input/output"):
            fitted["fine-tuning"].save_pretrained(folder, overwrite=True)
        assert files_of(folder) == before
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_recovery_from_a_kill_between_the_renames_and_after_them(fitted, saved, tmp_path):
    folder, aside = tmp_path / "mine", tmp_path / ".mine.previous"
    shutil.copytree(saved["knn"], aside)  # loading restores it
    assert load(folder).method == "knn"
    assert files_of(folder) == files_of(saved["knn"])
    folder.rename(aside)  # and so does saving
    assert "exists and is not empty" in refusal(fitted["fine-tuning"].save_pretrained, folder)
    assert files_of(folder) == files_of(saved["knn"])
    aside.mkdir()  # the kill came while the old folder was deleted
    (aside / "README.md").write_text("left over", encoding="utf-8")
    assert load(folder).method == "knn"
    fitted["fine-tuning"].save_pretrained(folder, overwrite=True)
    assert load(folder).method == "fine-tuning"
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def save_for_ever(one, two, folder, base, log):
    """Save two models in turn, in a child process, with the base encoder from memory."""
    torch.set_num_threads(1)
    checkpoints.load_encoder = lambda *_, **__: base
    while True:
        for model in (one, two):
            model.save_pretrained(folder, overwrite=True)
            log.write_text("saved")


@pytest.mark.slow
@LINUX
def test_a_killed_process_leaves_a_complete_model(fitted, saved, tiny_encoder, tmp_path):
    folder = shutil.copytree(saved["knn"], tmp_path / "mine")
    given = fitted["knn"], fitted["fine-tuning"], folder, tiny_encoder
    for turn in range(6):
        log = tmp_path / f"log {turn}"
        assert kill_at_work(save_for_ever, *given, log=log, begun="saved", within=0.1)
        model = load(folder)
        assert model.method in ("knn", "fine-tuning")
        assert model.predict([Pair("Ann is next.", "Next is Ann.")])
