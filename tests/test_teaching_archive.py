"""Archives: a project comes back whole from its zip, and a zip made on purpose does no harm."""

import hashlib
import io
import json
import os
import random
import shutil
import stat
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest
from safetensors.torch import load_file, save_file
from tiny import write_tiny_encoder

from symdemo import SymmetryClassifier, checkpoints
from symdemo.encoders import load_encoder
from symdemo.errors import InputError
from symdemo.teaching import archive, safe_zip
from symdemo.teaching.archive import export_model, export_project, import_project, save_encoder
from symdemo.teaching.json_files import MAX_DEPTH
from symdemo.teaching.limits import MIB, Limits
from symdemo.teaching.project_store import ProjectStore
from symdemo.teaching.rows import Row

BASE = "tiny base"
ROWS = [
    Row("Ann", "is a sibling of", "Ben", label="entailment"),
    Row(premise="Zoë is next to Ida.", hypothesis="Ida is next to Zoë.", label="mein “Etikett”"),
    Row("Eve"),
]
Content = dict[str, bytes]


@pytest.fixture(scope="module", autouse=True)
def quick_saving(tiny_encoder, tiny_folder):
    """Saving compares with the base encoder; it need not be read from the disk every time."""
    load = checkpoints.load_encoder

    def give(name, device=None):
        same = str(name) == str(tiny_folder) and device == "cpu"
        return tiny_encoder if same else load(name, device)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoints, "load_encoder", give)
        yield


def make_store(root, model, **limits) -> ProjectStore:
    return ProjectStore(root, Limits(**limits), load_base=lambda name: model, bases=[BASE])


@pytest.fixture(scope="module")
def project(fitted, tmp_path_factory):
    """A project with two versions, the first one selected; tests leave it as it is."""
    project = make_store(tmp_path_factory.mktemp("mine"), fitted["knn"]).create("Family")
    project.save_rows(ROWS)
    first = project.add_version(
        fitted["knn"], how="retrained", scores={"own": 0.5}, curve=[{"loss": 1.0}]
    )
    taught = [row.pair() for row in ROWS[:2]]
    project.add_version(fitted["knn"].teach(taught), how="instant", parent=first.id, name="zwei")
    project.select(first.id)
    project.save_job_state({"state": "done", "title": "secret job"})
    return project


@pytest.fixture(scope="module")
def exported(project, tmp_path_factory) -> Path:
    return export_project(project, tmp_path_factory.mktemp("out") / "mine.zip")


@pytest.fixture(scope="module")
def content(exported) -> Content:
    with zipfile.ZipFile(exported) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture
def store(fitted, tmp_path) -> ProjectStore:
    return make_store(tmp_path / "theirs", fitted["knn"])


def sealed(content: Content) -> Content:
    """With a manifest that fits the rest: what someone does who makes a bad archive on purpose."""
    files = {
        name: {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
        for name, data in content.items()
        if name != "manifest.json"
    }
    manifest = {"format": "symdemo-project/1", "files": files}
    return content | {"manifest.json": json.dumps(manifest).encode()}


def packed(content: Content, path: Path) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return path


def tree(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


def refused(store, path, says, **options) -> None:
    around, inside = tree(path.parent) - tree(store.root), tree(store.root)
    with pytest.raises(InputError) as error:
        import_project(store, path, **options)
    text = str(error.value)
    assert says in text
    assert "\n" not in text
    assert text.endswith(".")
    assert len(text) < 500
    assert tree(store.root) == inside == set()
    assert tree(path.parent) - tree(store.root) == around


def edited(data: bytes, **changes) -> bytes:
    return json.dumps(json.loads(data) | changes).encode()


def first_of(content: Content, ending: str) -> str:
    return next(name for name in sorted(content) if name.endswith(ending))


def test_a_project_comes_back_whole(store, project, exported, pairs):
    again = import_project(store, exported)
    assert again.id != project.id
    assert (again.name, again.base, again.selected) == ("Family", BASE, project.selected)
    assert again.rows == ROWS
    assert again.created == project.created
    assert again.touched > project.touched
    assert again.versions() == project.versions()
    assert again.job_state is None
    for version in project.versions():
        one, two = project.model(version.id), again.model(version.id)
        assert two.labels == one.labels
        assert [p.probabilities for p in two.predict(pairs)] == [
            p.probabilities for p in one.predict(pairs)
        ]
    assert again.versions()[1].labels[-1] == "mein “Etikett”"
    assert [path.name for path in store.root.iterdir()] == [again.id]
    assert store.open(again.id).add_version(again.model(), how="instant").name == "Version 3"
    assert again.folder.stat().st_mode & 0o077 == 0


def test_a_project_can_be_imported_twice_and_from_nothing(store, exported, fitted, tmp_path):
    one, two = import_project(store, exported), import_project(store, exported)
    assert one.id != two.id
    one.delete_version(one.versions()[0].id)
    assert len(two.versions()) == 2
    empty = export_project(store.create("empty"), tmp_path / "empty.zip")
    again = import_project(make_store(tmp_path / "new", fitted["knn"]), empty)
    assert (again.name, again.rows, again.versions()) == ("empty", [], [])


def test_an_import_of_an_export_exports_the_same(store, project, exported, content, tmp_path):
    again = export_project(import_project(store, exported), tmp_path / "again.zip")
    with zipfile.ZipFile(again) as archive:
        assert set(archive.namelist()) == set(content)
        for name in set(content) - {"manifest.json", "project.json"}:
            assert archive.read(name) == content[name], name


def test_what_is_in_an_archive(project, exported, content):
    model = {"README.md", "config.json", "encoder.safetensors", "index.safetensors", "taught.jsonl"}
    expected = {"manifest.json", "project.json", "rows.json"}
    for version in project.versions():
        expected |= {f"versions/{version.id}/version.json"}
        expected |= {f"versions/{version.id}/model/{name}" for name in model}
    assert set(content) == expected
    assert content == sealed(content) | {"manifest.json": content["manifest.json"]}
    assert json.loads(content["manifest.json"]) == json.loads(sealed(content)["manifest.json"])
    for secret in (project.id.encode(), b"secret job"):
        assert not [name for name, data in content.items() if secret in data]
    with zipfile.ZipFile(exported) as archive:
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_an_export_replaces_the_old_one_or_leaves_it(project, tmp_path, monkeypatch):
    path = tmp_path / "deep" / "mine [1].zip"
    first = export_project(project, path).read_bytes()
    stale = path.with_name(f".{path.name}.draft-old")
    stale.write_text("half")
    os.utime(stale, (0, 0))
    assert export_project(project, path).read_bytes() == first
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    monkeypatch.setattr(safe_zip, "_put", lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
    with pytest.raises(OSError, match="full"):
        export_project(project, path)
    assert path.read_bytes() == first
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    with pytest.raises(InputError, match=r"^deep is a folder; the name of a file is expected\.$"):
        export_project(project, path.parent)


def test_a_project_too_large_to_be_read_again_is_not_exported(project, fitted, tmp_path):
    small = make_store(project.folder.parent, fitted["knn"], archive_bytes=1000).open(project.id)
    with pytest.raises(InputError, match=r"The archive has [\d,]+ bytes; at most 1,000 bytes are"):
        export_project(small, tmp_path / "mine.zip")
    assert list(tmp_path.iterdir()) == []


def test_the_encoder_of_an_export_gives_the_same_embeddings(project, fitted, tmp_path):
    from sentence_transformers import SentenceTransformer

    version = project.versions()[0]
    with zipfile.ZipFile(export_model(project, version.id, tmp_path / "model.zip")) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        archive.extractall(tmp_path / "out")
    assert {name.split("/")[0] for name in names} == {"README.md", "model", "encoder"}
    endings = {name.rsplit(".")[-1] for name in names}
    assert endings == {"json", "jsonl", "md", "safetensors"}
    texts = ["Ann is a sibling of Ben.", "Kenya borders Uganda.", "Otto"]
    found = SentenceTransformer(str(tmp_path / "out" / "encoder"), device="cpu").encode(texts)
    model = project.model(version.id)
    assert np.abs(found - model.encoder.encode(texts)).max() < 1e-6
    base = load_encoder(model.card.encoder, device="cpu")
    assert np.abs(found - base.encode(texts)).max() > 1e-2
    again = SymmetryClassifier.from_pretrained(tmp_path / "out" / "model")
    assert again.card == model.card
    assert again.encoder.encode(texts) == pytest.approx(found, abs=2e-3)
    for name in names:  # nothing tells where it was made
        data = (tmp_path / "out" / name).read_bytes()
        assert str(project.folder).encode() not in data
        assert project.id.encode() not in data


def test_the_base_model_is_exported_too(project, tmp_path):
    path = export_model(project, None, tmp_path / "base.zip")
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path / "out")
    assert load_encoder(tmp_path / "out" / "encoder", device="cpu").dimension == 32
    assert "# " + project.model().card.name in (tmp_path / "out" / "README.md").read_text()
    with pytest.raises(InputError, match="no such version"):
        export_model(project, "../../x", tmp_path / "x.zip")
    assert not (tmp_path / "x.zip").exists()


def test_an_encoder_without_a_last_step_of_length_one_gets_it(tiny_encoder, tmp_path):
    from sentence_transformers import SentenceTransformer

    bare = tiny_encoder.clone()
    bare.model = SentenceTransformer(modules=list(bare.model)[:2], device="cpu")
    save_encoder(bare, tmp_path / "encoder")
    found = SentenceTransformer(str(tmp_path / "encoder"), device="cpu").encode(["Ann is next."])
    assert found == pytest.approx(tiny_encoder.encode(["Ann is next."]), abs=1e-6)


def test_only_known_encoders_are_loaded(project, exported, fitted, content, tmp_path, tiny_folder):
    """The store's own base model is of another encoder here."""
    other = write_tiny_encoder(tmp_path / "other", seed=8)
    base = SymmetryClassifier.from_encoder(load_encoder(other, device="cpu"))
    foreign = make_store(tmp_path / "foreign", base)
    refused(foreign, exported, "was made from an encoder that is not allowed here, “")
    refused(foreign, exported, "not allowed here", allowed_encoders=[])
    again = import_project(foreign, exported, allowed_encoders=[str(tiny_folder)])
    assert len(again.versions()) == 2
    assert archive.ENCODERS.keys() >= {"all-MiniLM-L6-v2"}


def test_the_encoder_of_any_built_in_model_is_known(exported, fitted, tmp_path):
    other = write_tiny_encoder(tmp_path / "other", seed=8)
    base = SymmetryClassifier.from_encoder(load_encoder(other, device="cpu"))
    models = {BASE: base, "second": fitted["knn"]}
    store = ProjectStore(tmp_path / "two", load_base=models.__getitem__, bases=list(models))
    assert len(import_project(store, exported, allowed_encoders=[]).versions()) == 2


@pytest.mark.parametrize(
    "encoder",
    [
        "../encoder", "/etc", ".", "", "someone/all-MiniLM-L6-v2", "roberta", None, 3, ["a"],
        {"a": 1}, "encoder",
    ],
)  # fmt: skip
def test_an_encoder_named_by_the_archive_is_not_looked_for(store, content, tmp_path, encoder):
    name = first_of(content, "config.json")
    config = json.loads(content[name])
    config["card"]["encoder"] = encoder
    bad = sealed(content | {name: json.dumps(config).encode()})
    refused(store, packed(bad, tmp_path / "bad.zip"), "an encoder that is not allowed here, “")


def test_a_registered_encoder_that_is_not_the_one_is_refused(
    store, content, tmp_path, monkeypatch, tiny_encoder
):
    asked = []
    monkeypatch.setattr(
        checkpoints, "load_encoder", lambda name, *_: asked.append(name) or tiny_encoder
    )
    name = first_of(content, "config.json")
    config = json.loads(content[name])
    config["card"] |= {"encoder": "all-MiniLM-L12-v2", "base_hash": "0" * 64}
    bad = sealed(content | {name: json.dumps(config).encode()})
    refused(store, packed(bad, tmp_path / "bad.zip"), "with the weights 000000000000…; the ones")
    assert asked == ["all-MiniLM-L12-v2"]


@pytest.mark.parametrize(
    "name",
    [
        "../evil.json", "/tmp/evil.json", "versions/../../evil", "C:\\evil", "..\\evil",
        "versions/v000001-00000000/model/../../../evil.json", "versions//version.json",
        "versions/v000001-00000000/model/pytorch_model.bin", "model.pkl", "job.json", ".job.lock",
        "versions/v000001-00000000/model/modeling.py", "versions/", "PROJECT.JSON", "rows.json ",
        "rows.json\n", "./rows.json", "versions/v000001-00000000/model/encoder.safetensors.index",
        "versions/v0-00000000/version.json", "e" * 300, "é.json", "\x1b[31m.json",
    ],
)  # fmt: skip
def test_a_foreign_name_is_refused(store, content, tmp_path, name):
    for bad in (sealed(content | {name: b"evil"}), content | {name: b"evil"}):
        refused(store, packed(bad, tmp_path / "bad.zip"), "The archive has the foreign file “")
    assert not (tmp_path / "evil.json").exists()
    assert not Path("/tmp/evil.json").exists()


def test_a_name_that_ends_at_a_nul_is_refused(store, content, tmp_path):
    path = packed(sealed(content | {"rows.jsonX.py": b"evil"}), tmp_path / "bad.zip")
    path.write_bytes(path.read_bytes().replace(b"rows.jsonX.py", b"rows.json\0.py"))
    refused(store, path, "foreign file “rows.json?.py”")


@pytest.mark.parametrize("mode", [stat.S_IFLNK | 0o777, stat.S_IFDIR, stat.S_IFIFO, stat.S_IFCHR])
def test_links_and_folders_are_refused(store, content, tmp_path, mode):
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        for name, data in content.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = (mode if name == "rows.json" else stat.S_IFREG) << 16
            archive.writestr(info, b"/etc/passwd" if name == "rows.json" else data)
    refused(store, tmp_path / "bad.zip", "“rows.json” is a link or a folder; a file is expected.")


def test_a_name_twice_is_refused(store, content, tmp_path):
    path = packed(sealed(content), tmp_path / "bad.zip")
    with (
        pytest.warns(UserWarning, match="Duplicate"),
        zipfile.ZipFile(path, "a") as archive,
    ):
        archive.writestr("rows.json", b"[]")
    refused(store, path, "The archive has the file “rows.json” twice.")


def test_other_contents_than_listed_are_refused(store, content, tmp_path):
    bad = content | {"rows.json": content["rows.json"].replace(b"Ann", b"Bob")}
    refused(store, packed(bad, tmp_path / "a.zip"), "rows.json is not the file that was exported.")
    bad = content | {"rows.json": content["rows.json"] + b" "}
    refused(store, packed(bad, tmp_path / "b.zip"), "gives another size for rows.json.")
    bad = content | {"rows.json": b"[]"}
    del bad["manifest.json"]
    refused(store, packed(bad, tmp_path / "c.zip"), "The archive has no manifest.json")


@pytest.mark.parametrize(
    ("manifest", "says"),
    [
        (b"", "is not JSON"),
        (b"[]", "does not name the format “symdemo-project/1”"),
        (b'{"format": "symdemo-project/2", "files": {}}', "does not name the format"),
        (b'{"format": "symdemo-project/1"}', "does not list exactly the files in it"),
        (b'{"format": "symdemo-project/1", "files": []}', "does not list exactly the files"),
        (b'{"format": "symdemo-project/1", "files": {"rows.json": 3}}', "does not list exactly"),
        (b"[" * 100_000, "nested deeper than"),
        (b" " * 300_000, "“manifest.json” has 300,000 bytes; at most 262,144 are read."),
    ],
)
def test_a_broken_manifest_is_refused(store, content, tmp_path, manifest, says):
    refused(store, packed(content | {"manifest.json": manifest}, tmp_path / "bad.zip"), says)


@pytest.mark.parametrize("values", [None, 3, {}, {"size": 1}, {"size": "1"}, {"sha256": "a"}])
def test_a_manifest_with_odd_entries_is_refused(store, content, tmp_path, values):
    manifest = json.loads(content["manifest.json"])
    manifest["files"]["rows.json"] = values
    bad = content | {"manifest.json": json.dumps(manifest).encode()}
    refused(store, packed(bad, tmp_path / "bad.zip"), "gives another size for rows.json.")
    manifest["files"]["rows.json"] = {"size": len(content["rows.json"]), "sha256": None}
    bad = content | {"manifest.json": json.dumps(manifest).encode()}
    refused(store, packed(bad, tmp_path / "bad.zip"), "is not the file that was exported.")


def test_a_bomb_is_refused_before_it_is_unpacked(store, content, tmp_path, monkeypatch):
    read = []
    monkeypatch.setattr(safe_zip, "_extract", lambda *_: read.append(1))
    weights = first_of(content, "encoder.safetensors")
    for name, size, says in (
        (weights, 30 * MIB, "grows more than 200-fold when it is unpacked."),
        ("rows.json", 17 * MIB, "“rows.json” has 17,825,792 bytes; at most 16,777,216 are read."),
        ("project.json", 70_000, "“project.json” has 70,000 bytes; at most 65,536 are read."),
    ):
        bad = sealed(content | {name: b"\0" * size})
        refused(store, packed(bad, tmp_path / "bad.zip"), says)
    assert read == []


def test_a_bomb_below_the_ratio_is_stopped_by_the_sum(fitted, content, tmp_path):
    store = make_store(tmp_path / "theirs", fitted["knn"], project_bytes=300_000)
    spare = {
        f"versions/v00000{number}-00000000/model/head.safetensors": random.Random(0).randbytes(
            50_000
        )
        for number in range(6)
    }
    path = packed(sealed(content | spare), tmp_path / "bad.zip")
    refused(store, path, "The project would take")


def test_an_archive_beyond_the_limits_is_not_opened(fitted, exported, content, tmp_path):
    path = shutil.copy(exported, tmp_path / "a.zip")
    store = make_store(tmp_path / "theirs", fitted["knn"], archive_bytes=1000)
    refused(store, path, "The archive has")
    store = make_store(tmp_path / "theirs", fitted["knn"], archive_entries=5)
    refused(store, path, "The archive has 15 files in it; at most 5 are read.")
    store = make_store(tmp_path / "theirs", fitted["knn"], versions=1)
    refused(store, path, "The project would have 2 versions; at most 1")
    store = make_store(tmp_path / "theirs", fitted["knn"], rows=2)
    refused(store, path, "There are 3 rows; at most 2 are kept.")
    full = make_store(tmp_path / "full", fitted["knn"], projects=1)
    full.create()
    with pytest.raises(InputError, match="There would be 2 projects here; there is room for 1"):
        import_project(full, path)
    assert len(list(full.root.iterdir())) == 1


def end_of(data: bytes) -> int:
    return data.rindex(b"PK\x05\x06")


def test_a_directory_of_many_files_is_not_read(store, tmp_path, monkeypatch):
    path = tmp_path / "bad.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(5000):
            archive.writestr(f"{number}", b"")
    opened = []
    monkeypatch.setattr(safe_zip.zipfile, "ZipFile", lambda *_: opened.append(1))
    refused(store, path, "The archive has 5,000 files in it; at most 200 are read.")
    data = bytearray(path.read_bytes())
    struct.pack_into("<HH", data, end_of(data) + 8, 3, 3)  # it says that there are three
    path.write_bytes(data)
    refused(store, path, "directory is not what its end says")
    assert opened == []


def test_lying_sizes_are_refused(store, content, tmp_path):
    """Sizes in the zip's directory that are not those of the packed bytes."""
    good = packed(sealed(content), tmp_path / "bad.zip").read_bytes()
    entry = good.rindex(b"rows.json") - 46
    assert good[entry : entry + 4] == b"PK\x01\x02"
    size = len(content["rows.json"])
    for lie in (0, 1, size - 1, size + 1, 10 * size, 15 * MIB, 2**31, 2**32 - 1):
        bad = bytearray(good)
        struct.pack_into("<I", bad, entry + 24, lie)
        (tmp_path / "bad.zip").write_bytes(bad)
        refused(store, tmp_path / "bad.zip", "archive")


def test_a_size_that_lies_in_manifest_and_directory_is_refused(store, content, tmp_path):
    """The manifest agrees with the lie: all that is left is what comes out of the packed bytes."""
    manifest = json.loads(content["manifest.json"])
    for lie in (3, 200_000):
        manifest["files"]["rows.json"]["size"] = lie
        bad = content | {"manifest.json": json.dumps(manifest).encode()}
        data = bytearray(packed(bad, tmp_path / "bad.zip").read_bytes())
        struct.pack_into("<I", data, data.rindex(b"rows.json") - 46 + 24, lie)
        (tmp_path / "bad.zip").write_bytes(data)
        refused(store, tmp_path / "bad.zip", "archive")


@pytest.mark.parametrize("part", [0, 0.01, 0.3, 0.7, 0.999])
def test_a_truncated_archive_is_refused(store, exported, tmp_path, part):
    data = exported.read_bytes()
    (tmp_path / "bad.zip").write_bytes(data[: int(part * len(data))])
    refused(store, tmp_path / "bad.zip", "is not a zip file as this app writes them, or was cut")


@pytest.mark.parametrize(
    "data", [b"", b"\x80\x04K\x01.", b"PK\x03\x04" * 100, b"PK\x05\x06", b"\0" * 1000]
)
def test_what_is_no_zip_is_refused(store, tmp_path, data):
    (tmp_path / "bad.zip").write_bytes(data)
    refused(store, tmp_path / "bad.zip", "is not a zip file as this app writes them")


def test_what_is_not_there_is_refused(store, tmp_path):
    refused(store, tmp_path / "none.zip", "There is no file none.zip; an exported project is")
    (tmp_path / "folder.zip").mkdir()
    refused(store, tmp_path / "folder.zip", "There is no file folder.zip")


def test_a_zip_with_something_around_it_is_refused(store, exported, tmp_path):
    data = exported.read_bytes()
    for bad in (b"#!/bin/sh\n" + data, data + b"more", data[:-2] + b"\x04\0more"):
        (tmp_path / "bad.zip").write_bytes(bad)
        refused(store, tmp_path / "bad.zip", "zip file")
    empty = io.BytesIO()
    zipfile.ZipFile(empty, "w").close()
    (tmp_path / "bad.zip").write_bytes(empty.getvalue())
    refused(store, tmp_path / "bad.zip", "The archive has no manifest.json")


def test_an_encrypted_entry_or_another_packing_is_refused(store, content, tmp_path):
    good = packed(sealed(content), tmp_path / "bad.zip").read_bytes()
    bad = bytearray(good)
    bad[good.rindex(b"rows.json") - 46 + 8] |= 1
    (tmp_path / "bad.zip").write_bytes(bad)
    refused(store, tmp_path / "bad.zip", "“rows.json” is encrypted or packed in a foreign way.")
    with zipfile.ZipFile(tmp_path / "bad.zip", "w", zipfile.ZIP_LZMA) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    refused(store, tmp_path / "bad.zip", "is encrypted or packed in a foreign way.")


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("rows.json", b"{}", "The file rows.json is dict; a list of rows is expected."),
        ("rows.json", b"[3]", "A row is int"),
        ("rows.json", b'[{"subject": 3}]', "The subject of a row is int"),
        ("rows.json", b'[{"script": "x"}]', "A row has the field “script”"),
        ("rows.json", b'[{"subject": "a\\ud800"}]', "Row 1: The subject contains the control"),
        ("rows.json", b'[{"subject": "%s"}]' % (b"x" * 301), "has 301 characters; at most 300"),
        ("rows.json", b"[" * 100_000, "rows.json is nested deeper than"),
        ("rows.json", b"[" * MAX_DEPTH + b"1" + b"]" * MAX_DEPTH, "rows.json is nested deeper"),
        ("rows.json", b"[%s{}]" % (b"{}," * 1000), "There are 1,001 rows; at most 1,000"),
        ("rows.json", b"\x80\x04K\x01.", "The file rows.json is not JSON in UTF-8."),
        ("project.json", b"{}", "The file project.json has not the fields of a project."),
        ("project.json", b"[]", "The file project.json has not the fields of a project."),
    ],
)
def test_broken_contents_are_refused(store, content, tmp_path, name, data, says):
    refused(store, packed(sealed(content | {name: data}), tmp_path / "bad.zip"), says)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"name": "x" * 81}, "The name “xxx"),
        ({"name": ""}, "The name is empty"),
        ({"name": 3}, "another kind of value"),
        ({"base": "../../etc"}, "There is no base model “../../etc” here; expected: tiny base."),
        ({"base": "someone/model"}, "There is no base model “someone/model” here"),
        ({"created": "long ago"}, "another kind of value"),
        ({"selected": "../x"}, "another kind of value"),
        ({"selected": "v000009-00000000"}, "selects a version that is not in it."),
        ({"made": -1}, "another kind of value"),
        ({"made": 10**30}, "another kind of value"),
        ({"made": True}, "another kind of value"),
        ({"id": "A" * 24}, "has not the fields of a project"),
    ],
)
def test_a_project_file_with_wrong_values_is_refused(store, content, tmp_path, changes, says):
    bad = content | {"project.json": edited(content["project.json"], **changes)}
    refused(store, packed(sealed(bad), tmp_path / "bad.zip"), says)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"id": "v000009-00000000"}, "is another version's"),
        ({"id": "../x"}, "version.json"),
        ({"name": "a\nb" * 60}, "The name “"),
        ({"parent": "../x"}, "under “parent”"),
        ({"parent": "v999999-00000000"}, "under “parent”"),
        ({"labels": 3}, "under “labels”"),
        ({"more": 1}, "has not the fields of a version"),
        ({"curve": [[[]] * 9] * 9, "scores": {"a": "x" * (4 * MIB)}}, "at most 4,194,304"),
    ],
)
def test_a_version_file_with_wrong_values_is_refused(store, content, tmp_path, changes, says):
    name = first_of(content, "version.json")
    bad = content | {name: edited(content[name], **changes)}
    refused(store, packed(sealed(bad), tmp_path / "bad.zip"), says)


def test_what_a_version_says_of_its_model_is_taken_from_the_model(store, content, tmp_path):
    name = first_of(content, "version.json")
    bad = content | {name: edited(content[name], labels=["<b>"], method="fine-tuning")}
    again = import_project(store, packed(sealed(bad), tmp_path / "bad.zip"))
    version = again.versions()[0]
    assert set(version.labels) == {"entailment", "contradiction"}
    assert version.method == "knn"


@pytest.mark.parametrize(
    "name",
    [
        "version.json", "model/config.json", "model/encoder.safetensors",
        "model/index.safetensors", "model/taught.jsonl",
    ],
)  # fmt: skip
def test_a_missing_file_is_refused(store, content, tmp_path, name):
    bad = dict(content)
    del bad[first_of(content, name)]
    says = "cannot be read" if name.endswith("n.json") or "config" in name else "lacks the file"
    refused(store, packed(sealed(bad), tmp_path / "bad.zip"), says)


@pytest.mark.parametrize("name", ["project.json", "rows.json"])
def test_a_missing_main_file_is_refused(store, content, tmp_path, name):
    bad = {other: data for other, data in content.items() if other != name}
    refused(store, packed(sealed(bad), tmp_path / "bad.zip"), f"The archive has no {name}")


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


@pytest.mark.parametrize(
    ("file", "data", "says"),
    [
        ("encoder.safetensors", b"\x80\x04K\x01.", "is not a readable safetensors file"),
        ("encoder.safetensors", b"\xff" * 8 + b"{}", "is not a readable safetensors file"),
        ("index.safetensors", b"", "is not a readable safetensors file"),
        ("taught.jsonl", b"{", "not a JSON object"),
        ("taught.jsonl", b"[" * 100_000, "not a JSON object"),
        ("taught.jsonl", b"\xff", "is not UTF-8 text"),
    ],
)
def test_a_damaged_model_is_refused(store, content, tmp_path, file, data, says):
    refused(store, packed(in_model(content, file, data), tmp_path / "bad.zip"), says)
    direct = sealed(content | {first_of(content, file): data})
    refused(store, packed(direct, tmp_path / "bad.zip"), "cannot be used: ")


def test_a_model_with_other_tensors_is_refused(store, content, tmp_path):
    for file, change, says in (
        ("encoder.safetensors", lambda tensors: {"foreign": next(iter(tensors.values()))}, "no te"),
        ("encoder.safetensors", lambda t: {k: v[:1].clone() for k, v in t.items()}, "the shape"),
        ("index.safetensors", lambda t: {k: v * float("nan") for k, v in t.items()}, "not finite"),
        ("index.safetensors", lambda t: {k: v[:1].clone() for k, v in t.items()}, "expected (48"),
    ):
        data = as_tensors(change, content, file, tmp_path)
        refused(store, packed(in_model(content, file, data), tmp_path / "bad.zip"), says)


def test_names_out_of_the_archive_do_not_break_the_sentence(store, content, tmp_path):
    data = as_tensors(
        lambda tensors: {"a\nb\x1b[31m": next(iter(tensors.values()))},
        content, "encoder.safetensors", tmp_path,
    )  # fmt: skip
    bad = in_model(content, "encoder.safetensors", data)
    refused(store, packed(bad, tmp_path / "bad.zip"), "has no tensor “a b?[31m”.")
    bad = sealed(content | {"rows.json": b'[{"a\\nb": "x"}]'})
    refused(store, packed(bad, tmp_path / "bad.zip"), "A row has the field “a b”")
    name = first_of(content, "config.json")
    config = json.loads(content[name])
    config["card"] |= {f"field {number}": 1 for number in range(1000)}
    bad = sealed(content | {name: json.dumps(config).encode()})
    with pytest.raises(InputError) as error:
        import_project(store, packed(bad, tmp_path / "bad.zip"))
    assert len(str(error.value)) == 400


def test_a_model_of_too_many_labels_is_refused(fitted, store, content, tmp_path):
    name = first_of(content, "taught.jsonl")
    lines = [json.loads(line) for line in content[name].splitlines()]
    for number, line in enumerate(lines):
        line["label"] = f"label {number}"
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    path = packed(in_model(content, "taught.jsonl", data), tmp_path / "bad.zip")
    refused(store, path, "There are 48 different labels; at most 12 can be taught.")
    lines[0]["label"] = "x" * 41
    data = "".join(json.dumps(line | {"label": "x" * 41}) + "\n" for line in lines).encode()
    path = packed(in_model(content, "taught.jsonl", data), tmp_path / "bad.zip")
    refused(store, path, "has 41 characters; at most 40")


def test_a_config_of_a_model_is_bounded(store, content, tmp_path):
    name = first_of(content, "config.json")
    for data, says in (
        (b"[" * 100_000, "nested deeper than"),
        (b'{"card": {"a": ' + b'{"a":' * 900 + b"1" + b"}" * 902, "nested deeper than"),
        (b"[]", "an encoder that is not allowed here, “None”"),
        (b" " * (MIB + 1), "has 1,048,577 bytes; at most 1,048,576 are read."),
    ):
        refused(store, packed(sealed(content | {name: data}), tmp_path / "bad.zip"), says)


def test_whatever_loading_leads_to_is_one_sentence(store, exported, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoints, "load_model", lambda _: {}["key"])
    path = shutil.copy(exported, tmp_path / "a.zip")
    refused(store, path, "The version “Version 1” in the archive cannot be used: It leads to KeyE")


def test_a_disk_that_is_full_is_not_blamed_on_the_archive(store, exported, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(safe_zip, "_extract", fail)
    with pytest.raises(OSError, match="No space left"):
        import_project(store, exported)
    assert list(store.root.iterdir()) == []


def test_random_damage_is_refused_or_harmless(store, exported, content, tmp_path, monkeypatch):
    """Bytes changed at random: mostly in the zip's own structure, where no hash protects it."""
    checked = []
    monkeypatch.setattr(archive, "_check_version", lambda *_: checked.append(1))
    monkeypatch.setattr(os, "fsync", lambda _: None)
    rng, good, passed, said = random.Random(2), exported.read_bytes(), 0, []
    start = good.index(b"PK\x01\x02")  # of the directory
    for turn in range(200):
        bad = bytearray(good)
        for _ in range(rng.choice([1, 1, 2, 8])):
            low = start if turn % 4 else 0
            bad[rng.randrange(low, len(bad))] = rng.randrange(256)
        (tmp_path / "bad.zip").write_bytes(bad)
        try:
            again = import_project(store, tmp_path / "bad.zip")
        except InputError as error:
            said.append(str(error))
        else:
            passed += 1
            assert again.rows == ROWS
            store.delete(again.id)
        assert list(store.root.iterdir()) == []
    assert 0 < passed < 100
    assert len(said) == 200 - passed
    assert not [text for text in said if "\n" in text or not text.endswith(".")]
