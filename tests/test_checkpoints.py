"""Model folders: what is in them, that they come back whole, and what is refused."""

import hashlib
import json
import multiprocessing
import random
import shutil
import sys
import time
from pathlib import Path

import huggingface_hub
import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from tiny import write_tiny_encoder

from symdemo import Pair, SymmetryClassifier, checkpoints, folders
from symdemo.checkpoints import find_model, list_models
from symdemo.errors import InputError, ModelError
from symdemo.methods import METHODS

every_method = pytest.mark.parametrize("method", METHODS)
load = SymmetryClassifier.from_pretrained
FILES = {"README.md", "config.json", "encoder.safetensors", "index.safetensors", "taught.jsonl"}
BYTES = ["encoder.safetensors", "index.safetensors", "taught.jsonl", "head.safetensors"]


@pytest.fixture(scope="module")
def saved(fitted, tmp_path_factory) -> dict[str, Path]:
    """method → a saved model; tests that spoil one copy it first."""
    folder = tmp_path_factory.mktemp("models")
    for method, model in fitted.items():
        model.save_pretrained(folder / method)
    return {method: folder / method for method in METHODS}


@pytest.fixture
def spoilt(saved, tmp_path) -> Path:
    """A fine-tuned model, which has all files that there can be, in a folder `spoilt`."""
    return shutil.copytree(saved["fine-tuning"], tmp_path / "spoilt")


@pytest.fixture
def models(saved, tmp_path, monkeypatch) -> Path:
    """A folder of models like `models/`, with the two models `alpha` and `beta`."""
    folder = tmp_path / "models"
    shutil.copytree(saved["knn"], folder / "alpha")
    shutil.copytree(saved["fine-tuning"], folder / "beta")
    monkeypatch.setattr(checkpoints, "MODELS", folder)
    return folder


def edit_config(folder: Path, change) -> None:
    path = folder / "config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    change(config)
    path.write_text(json.dumps(config), encoding="utf-8")


def reseal(folder: Path) -> None:
    """List the files as they are now: what someone does who makes a bad model on purpose."""

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


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def refused(folder: Path, says: str) -> None:
    before = content(folder)
    with pytest.raises(ModelError) as error:
        load(folder)
    assert says in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400
    assert content(folder) == before


@every_method
def test_a_model_comes_back_as_it_was(fitted, saved, pairs, method):
    model, again = fitted[method], load(saved[method])
    assert again.card == model.card
    assert again.index.pairs == model.index.pairs
    assert again.labels == model.labels
    asked = [*pairs, Pair("Mia is a sibling of Nora.", "Nora is a sibling of Mia.")]
    for one, two in zip(model.predict(asked), again.predict(asked), strict=True):
        assert two.label == one.label
        assert two.probabilities == pytest.approx(one.probabilities, abs=2e-3)
        assert two.neighbours[0].distance == pytest.approx(one.neighbours[0].distance, abs=2e-3)
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
    assert load_file(folder / "index.safetensors")["label_embeddings"].dtype == torch.float16
    changed = load_file(folder / "encoder.safetensors")
    assert changed
    assert not [name for name in changed if name.startswith("embeddings.")]
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert readme.startswith("---\n")
    assert f"`{method}`" in readme


def test_saving_what_was_loaded_changes_nothing(saved, tmp_path):
    load(saved["knn"]).save_pretrained(tmp_path / "copy")
    assert content(tmp_path / "copy") == content(saved["knn"])


def test_a_taught_model_keeps_its_new_label(saved, tmp_path):
    own = Pair("Otto is next to Oscar.", "Oscar is next to Otto.", "mein “Etikett”", "über")
    load(saved["knn"]).teach([own]).save_pretrained(tmp_path / "taught")
    again = load(tmp_path / "taught")
    assert again.labels[-1] == "mein “Etikett”"
    assert again.index.pairs[-1] == own
    assert again.predict([own], k=1)[0].label == own.label


def test_an_untaught_model_comes_back_untaught(tiny_encoder, tmp_path):
    SymmetryClassifier.from_encoder(tiny_encoder).save_pretrained(tmp_path / "blank")
    again = load(tmp_path / "blank")
    assert len(again.index) == 0
    assert again.encoder.changed_weights(tiny_encoder) == {}


def test_an_existing_folder_is_kept_unless_asked(fitted, saved, tmp_path):
    folder = shutil.copytree(saved["knn"], tmp_path / "mine")
    before = content(folder)
    with pytest.raises(InputError, match=r"mine exists and is not empty; choose another name"):
        fitted["fine-tuning"].save_pretrained(folder)
    assert content(folder) == before
    fitted["fine-tuning"].save_pretrained(folder, overwrite=True)
    assert load(folder).method == "fine-tuning"
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    (tmp_path / "empty").mkdir()
    fitted["knn"].save_pretrained(tmp_path / "empty")
    fitted["knn"].save_pretrained(tmp_path / "deep" / "down")
    assert load(tmp_path / "empty").method == load(tmp_path / "deep" / "down").method == "knn"


def test_a_file_in_the_way_is_kept(fitted, tmp_path):
    (tmp_path / "mine").write_text("precious", encoding="utf-8")
    for overwrite in (False, True):
        with pytest.raises(InputError, match="mine"):
            fitted["knn"].save_pretrained(tmp_path / "mine", overwrite=overwrite)
    assert content(tmp_path) == {"mine": b"precious"}


def test_a_folder_that_is_no_model_is_never_overwritten(fitted, tmp_path):
    folder = tmp_path / "letters"
    folder.mkdir()
    (folder / "letter.txt").write_text("precious", encoding="utf-8")
    with pytest.raises(InputError, match="letters"):
        fitted["knn"].save_pretrained(folder, overwrite=True)
    assert content(folder) == {"letter.txt": b"precious"}


@pytest.mark.parametrize("failing", ["save_file", "save_pairs", "readme", "_hash", "folders._put"])
@pytest.mark.parametrize("existing", [True, False])
def test_a_failed_save_leaves_the_old_folder_whole(
    fitted, saved, tmp_path, monkeypatch, failing, existing
):
    folder = tmp_path / "mine"
    if existing:
        shutil.copytree(saved["knn"], folder)
        before = content(folder)

    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    module = checkpoints
    if failing.startswith("folders."):
        module, failing = folders, failing.removeprefix("folders.")
    monkeypatch.setattr(module, failing, fail)
    with pytest.raises(OSError, match="No space left"):
        fitted["fine-tuning"].save_pretrained(folder, overwrite=True)
    monkeypatch.undo()
    assert [path.name for path in tmp_path.iterdir()] == (["mine"] if existing else [])
    if existing:
        assert content(folder) == before
        assert load(folder).method == "knn"


@pytest.mark.parametrize("failing", [1, 2])
def test_a_failed_rename_puts_the_old_folder_back(fitted, saved, tmp_path, monkeypatch, failing):
    folder = shutil.copytree(saved["knn"], tmp_path / "mine")
    before, rename, calls = content(folder), Path.rename, []

    def sometimes(self, target):
        calls.append(target)
        if len(calls) == failing:
            raise OSError(5, "Input/output error")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", sometimes)
    with pytest.raises(OSError, match="Input/output"):
        fitted["fine-tuning"].save_pretrained(folder, overwrite=True)
    monkeypatch.undo()
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    assert content(folder) == before


def test_a_reader_between_the_two_renames_does_not_spoil_the_save(
    fitted, saved, tmp_path, monkeypatch
):
    folder = shutil.copytree(saved["knn"], tmp_path / "mine")
    rename, readers = Path.rename, [find_model]

    def with_a_reader(self, target):
        rename(self, target)
        if readers:
            readers.pop()(folder)

    monkeypatch.setattr(Path, "rename", with_a_reader)
    fitted["fine-tuning"].save_pretrained(folder, overwrite=True)
    monkeypatch.undo()
    assert load(folder).method == "fine-tuning"
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_kill_between_the_two_renames_is_mended_on_loading(saved, tmp_path):
    folder = shutil.copytree(saved["knn"], tmp_path / "mine")
    before = content(folder)
    folder.rename(tmp_path / ".mine.previous")
    assert load(folder).method == "knn"
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    assert content(folder) == before


def test_a_kill_between_the_two_renames_is_mended_on_saving(fitted, saved, tmp_path):
    folder = shutil.copytree(saved["knn"], tmp_path / "mine")
    folder.rename(tmp_path / ".mine.previous")
    with pytest.raises(InputError, match="exists and is not empty"):
        fitted["fine-tuning"].save_pretrained(folder)
    assert load(folder).method == "knn"


def test_a_kill_after_the_renames_leaves_nothing_in_the_way(fitted, saved, tmp_path):
    folder = shutil.copytree(saved["knn"], tmp_path / "mine")
    old = tmp_path / ".mine.previous"
    old.mkdir()
    (old / "README.md").write_text("what was left of an old model", encoding="utf-8")
    assert load(folder).method == "knn"
    fitted["fine-tuning"].save_pretrained(folder, overwrite=True)
    assert load(folder).method == "fine-tuning"
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def save_for_ever(one, two, folder, base, saves):
    """In a child process: save two models in turn, without loading the base encoder each time."""
    torch.set_num_threads(1)
    checkpoints.load_encoder = lambda *_, **__: base
    while True:
        for model in (one, two):
            model.save_pretrained(folder, overwrite=True)
            saves.value += 1


@pytest.mark.skipif(sys.platform != "linux", reason="a forked child is killed")
def test_a_killed_process_leaves_a_whole_model(fitted, saved, tiny_encoder, tmp_path):
    folder = shutil.copytree(saved["knn"], tmp_path / "mine")
    context, rng = multiprocessing.get_context("fork"), random.Random(0)
    found = set()
    for _ in range(6):
        saves = context.Value("i", 0)
        child = context.Process(
            target=save_for_ever,
            args=(fitted["knn"], fitted["fine-tuning"], folder, tiny_encoder, saves),
        )
        child.start()
        limit = time.monotonic() + 20
        while not saves.value and time.monotonic() < limit:
            time.sleep(0.002)
        time.sleep(rng.uniform(0, 0.1))
        child.kill()  # SIGKILL: nothing is tidied up
        child.join()
        assert saves.value
        assert child.exitcode == -9
        model = load(folder)
        found.add(model.method)
        assert model.predict([Pair("Ann is next.", "Next is Ann.")])
    assert found <= {"knn", "fine-tuning"}


def test_names_of_models(models):
    assert [card.name for card in list_models()] == ["alpha", "beta"]
    assert load("alpha").method == "knn"
    assert load(str(models / "beta")).method == load(models / "beta").method == "fine-tuning"
    assert find_model("alpha") == models / "alpha"
    assert list_models(models / "none") == []


def test_what_a_killed_save_left_is_not_listed(models):
    shutil.copytree(models / "alpha", models / ".alpha.draft-x1")
    shutil.copytree(models / "alpha", models / ".alpha.previous")
    assert [card.name for card in list_models()] == ["alpha", "beta"]


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


def test_a_hub_model_that_cannot_be_had_is_one_sentence(models, monkeypatch, tmp_path):
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    with pytest.raises(ModelError) as error:
        load("someone/model")
    assert str(error.value).startswith("The model someone/model is not in models/ and could not be")
    assert str(error.value).endswith("; here are: alpha, beta.")
    assert "\n" not in str(error.value)


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


@pytest.mark.parametrize("name", BYTES)
def test_a_missing_file_is_refused(spoilt, name):
    (spoilt / name).unlink()
    refused(spoilt, f"The model in spoilt lacks the file {name}.")


@pytest.mark.parametrize("name", BYTES)
def test_a_truncated_file_is_refused(spoilt, name):
    data = (spoilt / name).read_bytes()
    (spoilt / name).write_bytes(data[: len(data) // 2])
    refused(spoilt, f"{name} in spoilt has {len(data) // 2} bytes; expected {len(data)}.")


@pytest.mark.parametrize("name", BYTES)
@pytest.mark.parametrize("where", [0, 0.5, -1])
def test_one_changed_byte_is_refused(spoilt, name, where):
    data = bytearray((spoilt / name).read_bytes())
    data[int(where * len(data)) if where > 0 else where] ^= 1
    (spoilt / name).write_bytes(data)
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
    refused(spoilt, "config.json in spoilt is not a symdemo model's.")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"format": "symdemo-model/2"}, "has the format “symdemo-model/2”; expected “symdemo-mod"),
        ({"format": None}, "has the format “None”"),
        ({"files": []}, "lists no files"),
        ({"files": {}}, "lacks the file encoder.safetensors"),
        ({"files": dict.fromkeys(BYTES, 3)}, "bytes; expected 3."),
        ({"card": []}, "card is not a JSON object"),
        ({"card": {}}, "lacks ['base_hash', 'encoder', 'labels', 'method', 'name']"),
    ],
)
def test_a_config_of_another_form_is_refused(spoilt, change, says):
    edit_config(spoilt, lambda config: config.update(change))
    refused(spoilt, says)


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("name", 3, "int under “name”; expected str"),
        ("name", None, "NoneType under “name”"),
        ("labels", "entailment", "str under “labels”; expected list"),
        ("labels", [1, 2], "a label that is not text"),
        ("labels", [], "rows for 0 labels"),
        ("labels", ["entailment", "entailment"], "label"),
        ("k", "3", "str under “k”; expected int"),
        ("k", 2.5, "float under “k”"),
        ("k", True, "bool under “k”"),
        ("k", 0, "k = 0; at least 1"),
        ("method", "setfit", "the method “setfit”; expected: random-label-embeddings, knn"),
        ("method", "knn", "knn expects []"),
        ("quotient", "sum", "the quotient “sum”; expected: conjugate"),
        ("scores", [], "list under “scores”; expected dict"),
        ("data", None, "NoneType under “data”"),
        ("training", "none", "str under “training”"),
        ("seed", "0", "str under “seed”; expected int or NoneType"),
        ("familiar_within", "near", "str under “familiar_within”"),
        ("encoder", "no-such-encoder", "The encoder “no-such-encoder” is unknown"),
        ("base_hash", "0" * 64, "with the weights 000000000000…; the ones here are "),
        ("more", 1, "unknown fields ['more']"),
    ],
)
def test_a_card_of_another_form_is_refused(spoilt, field, value, says):
    edit_config(spoilt, lambda config: config["card"].update({field: value}))
    refused(spoilt, says)


def test_other_encoder_weights_are_refused(fitted, spoilt, tmp_path):
    other = write_tiny_encoder(tmp_path / "other", seed=8)
    edit_config(spoilt, lambda config: config["card"].update(encoder=str(other)))
    refused(spoilt, f"with the weights {fitted['knn'].encoder.base_hash[:12]}…; the ones here are")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize("file", ["encoder.safetensors", "index.safetensors", "head.safetensors"])
def test_values_that_are_not_finite_are_refused(spoilt, file, value):
    def change(tensors):
        next(iter(tensors.values())).view(-1)[0] = value

    edit_tensors(spoilt, file, change)
    refused(spoilt, f"in {file} has values that are not finite")


def wrong_name(tensors):
    return {"foreign": next(iter(tensors.values()))}


def wrong_shape(tensors):
    return {name: tensor[:-1].contiguous() for name, tensor in tensors.items()}


def wrong_last_axis(tensors):
    return {
        name: tensor[..., :-1].contiguous() if tensor.dim() > 1 else tensor
        for name, tensor in tensors.items()
    }


def a_scalar(tensors):
    return {name: tensor.mean() for name, tensor in tensors.items()}


def nothing(tensors):
    return {}


@pytest.mark.parametrize("change", [wrong_name, wrong_shape, wrong_last_axis, a_scalar])
@pytest.mark.parametrize("file", ["encoder.safetensors", "index.safetensors", "head.safetensors"])
def test_foreign_tensors_are_refused(spoilt, file, change):
    edit_tensors(spoilt, file, change)
    refused(spoilt, "")  # each file has a message of its own; that none is a raw error counts


@pytest.mark.parametrize("file", ["index.safetensors", "head.safetensors"])
def test_lost_tensors_are_refused(spoilt, file):
    edit_tensors(spoilt, file, nothing)
    refused(spoilt, "expect")


def test_what_is_no_safetensors_file_is_refused(spoilt):
    (spoilt / "encoder.safetensors").write_bytes(b"\x80\x04K\x01.")  # a pickle
    reseal(spoilt)
    refused(spoilt, "encoder.safetensors is not a readable safetensors file")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "not a JSON object"),
        ('{"premise": "a b", "hypothesis": "b a", "label": null}', "the label is None"),
        ('{"premise": "a b", "hypothesis": "b a", "label": "x"}', "The index of spoilt holds"),
    ],
)
def test_broken_taught_pairs_are_refused(spoilt, line, says):
    with (spoilt / "taught.jsonl").open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    reseal(spoilt)
    refused(spoilt, says)


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


def test_a_loaded_model_can_be_fitted_again(saved, pairs, quick_config, tmp_path):
    again = load(saved["knn"]).fit(pairs[::4], method="fine-tuning", config=quick_config)
    again.save_pretrained(tmp_path / "again")
    loaded = load(tmp_path / "again")
    assert loaded.card.parent == load(saved["knn"]).card.name
    assert [p.label for p in loaded.predict(pairs)] == [p.label for p in again.predict(pairs)]
    assert np.isfinite(loaded.index.embeddings).all()
