"""A project comes back whole from its archive, and its models serve other programs."""

import json
import os
import zipfile

import numpy as np
import pytest
from refusals import refusal
from teaching_tools import BASE, fail_with, make_store, sealed

from symdemo import SymmetryClassifier
from symdemo.encoders import load_encoder
from symdemo.errors import DiskError, InputError
from symdemo.teaching import safe_zip
from symdemo.teaching.archive import export_model, export_project, import_project


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


def test_the_encoder_of_an_export_gives_the_same_embeddings(archived, fitted, tmp_path):
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
