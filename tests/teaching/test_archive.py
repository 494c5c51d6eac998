"""An archive brings a project back whole; what is inside one of a stranger is not trusted."""

import hashlib
import json
import os
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
from refusals import refusal
from safetensors.torch import load_file, save_file
from teaching_tools import (
    BASE,
    Content,
    edited,
    fail_with,
    first_of,
    make_store,
    packed,
    refused,
    sealed,
)
from tiny import write_tiny_encoder

from symdemo import SymmetryClassifier
from symdemo.encoders import load_encoder
from symdemo.errors import DiskError, InputError
from symdemo.files.storage import parse_json
from symdemo.teaching import archive, safe_zip
from symdemo.teaching.archive import export_model, export_project, import_project
from symdemo.text import MIB


def test_only_known_encoders_are_loaded(exported, tmp_path, tiny_folder):
    """The store's own base model is of another encoder here."""
    other = write_tiny_encoder(tmp_path / "other", seed=8)
    base = SymmetryClassifier.from_encoder(load_encoder(other, device="cpu"))
    foreign = make_store(tmp_path / "foreign", base)
    refused(foreign, exported, "was made from an encoder that is not allowed here, “")
    refused(foreign, exported, "not allowed here", allowed_encoders=[])
    again = import_project(foreign, exported, allowed_encoders=[str(tiny_folder)])
    assert len(again.versions()) == 2
    assert archive.ENCODERS.keys() >= {"all-MiniLM-L6-v2"}


@pytest.mark.parametrize(
    "encoder",
    [
        "../encoder", "/etc", ".", "", "someone/all-MiniLM-L6-v2", "roberta", None, 3, ["a"],
        {"a": 1}, "encoder",
    ],
)  # fmt: skip
def test_an_encoder_named_by_the_archive_is_not_looked_for(store, content, encoder):
    name = first_of(content, "config.json")
    config = json.loads(content[name])
    config["card"]["encoder"] = encoder
    bad = sealed(content | {name: json.dumps(config).encode()})
    refused(store, bad, "an encoder that is not allowed here, “")


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("rows.json", b'[{"script": "x"}]', "rows.json is not valid under “rows.0.script”"),
        ("rows.json", b'[{"a\\nb": "x"}]', "rows.json is not valid under “rows.0.a b”"),
        ("rows.json", b'[{"subject": "a\\ud800"}]', "Row 1: The subject contains the control"),
        ("rows.json", b'[{"subject": "%s"}]' % (b"x" * 301), "has 301 characters; at most 300"),
        ("rows.json", b"[%s{}]" % (b"{}," * 1000), "There are 1,001 rows; at most 1,000"),
        ("rows.json", b'{"revision": 1, "rows": [{"id": "../a"}]}', "under “rows.0.id”"),
        ("rows.json", b'{"revision": 1, "rows": [{"id": "a"}, {"id": "a"}]}', "the same id."),
        ("project.json", b"[]", "The file project.json is not valid"),
        ("project.json", {"name": "x" * 81}, "The name “xxx"),
        ("project.json", {"base": "../../etc"}, "base model “../../etc” here; expected: tiny"),
        ("project.json", {"selected": "../x"}, "is not valid under"),
        ("project.json", {"selected": "v000009-00000000"}, "selects a version that is not in it."),
        ("project.json", {"made": 10**30}, "has the number 1000000000000000000…"),
        ("project.json", {"id": "A" * 24}, "is not valid under “id”"),
        ("version.json", {"id": "v000009-00000000"}, "is another version's"),
        ("version.json", {"name": "a\nb" * 60}, "The name “"),
        ("version.json", {"parent": "../x"}, "under “parent”"),
        ("version.json", {"parent": "v999999-00000000"}, "the parent is not older"),
        ("version.json", {"more": 1}, "under “more”"),
        ("version.json", {"scores": {"a": "x" * (4 * MIB)}}, "at most 4,194,304"),
        ("config.json", b"[]", "an encoder that is not allowed here, “None”"),
        ("config.json", b" " * (MIB + 1), "has 1,048,577 bytes; at most 1,048,576 are read."),
    ],
)
def test_a_file_of_another_form_is_refused(store, content, name, data, says):
    name = first_of(content, name)
    data = data if isinstance(data, bytes) else edited(content[name], **data)
    refused(store, sealed(content | {name: data}), says)


def test_what_a_version_says_of_its_model_is_taken_from_the_model(store, content, tmp_path):
    name = first_of(content, "version.json")
    bad = content | {name: edited(content[name], labels=["<b>"], method="fine-tuning")}
    again = import_project(store, packed(sealed(bad), tmp_path / "bad.zip"))
    version = again.versions()[0]
    assert set(version.labels) == {"entailment", "contradiction"}
    assert version.method == "knn"


@pytest.mark.parametrize("name", ["version.json", "model/config.json", "model/index.safetensors"])
def test_a_missing_file_is_refused(store, content, name):
    bad = dict(content)
    del bad[first_of(content, name)]
    says = "cannot be read" if name.endswith("n.json") or "config" in name else "lacks the file"
    refused(store, sealed(bad), says)


def in_model(content: Content, file: str, data: bytes) -> Content:
    """With another file in the first model, listed in its config as it should be."""
    name = first_of(content, file)
    folder = name.rsplit("/", maxsplit=1)[0]
    config = json.loads(content[f"{folder}/config.json"])
    config["files"][file] = {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
    return sealed(content | {name: data, f"{folder}/config.json": json.dumps(config).encode()})


def as_tensors(change, content: Content, file: str, folder: Path) -> bytes:
    (folder / "one.safetensors").write_bytes(content[first_of(content, file)])
    save_file(change(load_file(folder / "one.safetensors")), folder / "two.safetensors")
    return (folder / "two.safetensors").read_bytes()


def test_a_model_whose_index_is_not_of_its_weights_is_refused(store, content, tmp_path):
    """The weights of another model would pass for it where only cards and indexes are compared."""
    change = lambda t: {k: v.flip(0).clone() for k, v in t.items()}  # noqa: E731
    data = as_tensors(change, content, "encoder.safetensors", tmp_path)
    bad = in_model(content, "encoder.safetensors", data)
    refused(store, bad, "label embeddings are not those that its weights give")


def test_names_out_of_the_archive_do_not_break_the_sentence(store, content, tmp_path):
    change = lambda t: {"a\nb\x1b[31m": next(iter(t.values()))}  # noqa: E731
    data = as_tensors(change, content, "encoder.safetensors", tmp_path)
    bad = in_model(content, "encoder.safetensors", data)
    refused(store, bad, "has no tensor “a b?[31m”.")
    name = first_of(content, "config.json")
    config = json.loads(content[name])
    config["card"] |= {f"field {number}": 1 for number in range(1000)}
    bad = sealed(content | {name: json.dumps(config).encode()})
    assert len(refusal(import_project, store, packed(bad, tmp_path / "bad.zip"))) <= 400


def test_a_model_of_too_many_labels_is_refused(store, content):
    name = first_of(content, "taught.jsonl")
    lines = [json.loads(line) for line in content[name].splitlines()]
    for label, says in (
        ("label {}", "There are 48 different labels; at most 12 can be taught."),
        ("x" * 41, "has 41 characters; at most 40"),
    ):
        named = [line | {"label": label.format(n)} for n, line in enumerate(lines)]
        data = "".join(json.dumps(line) + "\n" for line in named).encode()
        refused(store, in_model(content, "taught.jsonl", data), says)


def test_a_disk_that_is_full_is_not_blamed_on_the_archive(store, exported, monkeypatch):
    monkeypatch.setattr(safe_zip, "_extract", fail_with(28))
    with pytest.raises(DiskError, match="disk of this server is full"):
        import_project(store, exported)
    assert list(store.root.iterdir()) == []


def test_a_model_of_too_many_pairs_is_refused_before_it_is_built(
    exported, fitted, tmp_path, monkeypatch
):
    store = make_store(tmp_path / "small", fitted["knn"], taught_pairs=47)
    monkeypatch.setattr(archive.SymmetryClassifier, "from_pretrained", None)
    refused(store, exported, "A model in it knows 48 pairs; at most 47 are allowed.")


def test_a_file_of_empty_objects_is_refused_before_they_are_made():
    data = b"[" + b"{}," * 1_400_000 + b"{}]"
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="more than 50,000 lists and objects"):
            parse_json(data, 16 * MIB, "rows.json")
        assert tracemalloc.get_traced_memory()[1] < 10 * MIB
    finally:
        tracemalloc.stop()


def test_a_project_comes_back_whole(store, archived, exported, pairs):
    again = import_project(store, exported)
    assert again.id != archived.id
    assert (again.name, again.base, again.selected) == ("Family", BASE, archived.selected)
    assert again.rows == archived.rows
    assert again.info.created == archived.info.created
    assert again.info.touched > archived.info.touched
    assert again.versions() == archived.versions()
    assert again.job_state is None
    for version in archived.versions():
        one, two = archived.model(version.id), again.model(version.id)
        assert two.labels == one.labels
        assert [p.probabilities for p in two.predict(pairs)] == [
            p.probabilities for p in one.predict(pairs)
        ]
    assert again.versions()[1].labels[-1] == "mein “Etikett”"
    assert [path.name for path in store.root.iterdir()] == [again.id]
    assert store.open(again.id).add_version(again.model(), how="instant").name == "Version 3"
    assert again.folder.stat().st_mode & 0o077 == 0


def test_what_is_in_an_archive(archived, exported, content):
    model = {"README.md", "config.json", "encoder.safetensors", "index.safetensors", "taught.jsonl"}
    expected = {"manifest.json", "project.json", "rows.json"}
    for version in archived.versions():
        expected |= {f"versions/{version.id}/version.json"}
        expected |= {f"versions/{version.id}/model/{name}" for name in model}
    assert set(content) == expected
    assert content == sealed(content) | {"manifest.json": content["manifest.json"]}
    assert json.loads(content["manifest.json"]) == json.loads(sealed(content)["manifest.json"])
    for secret in (archived.id.encode(), b"secret job"):
        assert not [name for name, data in content.items() if secret in data]
    with zipfile.ZipFile(exported) as archive:
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_an_export_replaces_the_old_one_or_leaves_it(archived, tmp_path, monkeypatch):
    path = tmp_path / "deep" / "mine [1].zip"
    first = export_project(archived, path).read_bytes()
    stale = path.with_name(f".{path.name}.draft-old")
    stale.write_text("half")
    os.utime(stale, (0, 0))
    assert export_project(archived, path).read_bytes() == first
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    monkeypatch.setattr(safe_zip.zipfile.ZipFile, "writestr", fail_with(28))
    assert "is full" in refusal(export_project, archived, path, raising=DiskError)
    assert path.read_bytes() == first
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    with pytest.raises(InputError, match=r"^deep is a folder; the name of a file is expected\.$"):
        export_project(archived, path.parent)


def test_a_project_too_large_to_be_read_again_is_not_exported(archived, fitted, tmp_path):
    small = make_store(archived.folder.parent, fitted["knn"], archive_bytes=1000).open(archived.id)
    with pytest.raises(InputError, match=r"The archive has [\d,]+ bytes; at most 1,000 bytes are"):
        export_project(small, tmp_path / "mine.zip")
    assert list(tmp_path.iterdir()) == []


def test_the_encoder_of_an_export_gives_the_same_embeddings(archived, tmp_path):
    from sentence_transformers import SentenceTransformer

    version = archived.versions()[0]
    with zipfile.ZipFile(export_model(archived, version.id, tmp_path / "model.zip")) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        archive.extractall(tmp_path / "out")
    assert {name.split("/")[0] for name in names} == {"README.md", "model", "encoder"}
    endings = {name.rsplit(".")[-1] for name in names}
    assert endings == {"json", "jsonl", "md", "safetensors"}
    texts = ["Ann is a sibling of Ben.", "Kenya borders Uganda.", "Otto"]
    found = SentenceTransformer(str(tmp_path / "out" / "encoder"), device="cpu").encode(texts)
    model = archived.model(version.id)
    assert np.abs(found - model.encoder.encode(texts)).max() < 1e-6
    assert SymmetryClassifier.from_pretrained(tmp_path / "out" / "model").card == model.card
    for name in names:  # nothing tells where it was made
        data = (tmp_path / "out" / name).read_bytes()
        assert str(archived.folder).encode() not in data
        assert archived.id.encode() not in data


def test_the_base_model_is_exported_too(archived, tmp_path):
    path = export_model(archived, None, tmp_path / "base.zip")
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path / "out")
    assert load_encoder(tmp_path / "out" / "encoder", device="cpu").dimension == 32
    assert "# " + archived.model().card.name in (tmp_path / "out" / "README.md").read_text()
    assert "no such version" in refusal(export_model, archived, "../../x", tmp_path / "x.zip")
    assert not (tmp_path / "x.zip").exists()


def test_an_encoder_without_a_last_step_of_length_one_gets_it(tiny_encoder, tmp_path):
    from sentence_transformers import SentenceTransformer

    bare = tiny_encoder.clone()
    bare.model = SentenceTransformer(modules=list(bare.model)[:2], device="cpu")
    bare.save_pretrained(tmp_path / "encoder")
    found = SentenceTransformer(str(tmp_path / "encoder"), device="cpu").encode(["Ann is next."])
    assert found == pytest.approx(tiny_encoder.encode(["Ann is next."]), abs=1e-6)
