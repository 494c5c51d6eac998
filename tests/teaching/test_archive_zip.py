"""A zip made on purpose does no harm: names, links, manifests, sizes, bombs and damage."""

import json
import os
import random
import shutil
import stat
import struct
import zipfile
from pathlib import Path

import pytest
from teaching_tools import first_of, make_store, packed, refused, sealed

from symdemo.errors import InputError
from symdemo.teaching import archive, safe_zip
from symdemo.teaching.archive import import_project
from symdemo.text import MIB


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
        refused(store, bad, "The archive has the unknown file “")
    assert not (tmp_path / "evil.json").exists()
    assert not Path("/tmp/evil.json").exists()


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
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(path, "a") as archive:
        archive.writestr("rows.json", b"[]")
    refused(store, path, "The archive has the file “rows.json” twice.")


def test_other_contents_than_listed_are_refused(store, content):
    for rows, says in (
        (content["rows.json"].replace(b"Ann", b"Bob"), "is not the file that was exported."),
        (content["rows.json"] + b" ", "gives another size for rows.json."),
    ):
        refused(store, content | {"rows.json": rows}, says)
    without = {name: data for name, data in content.items() if name != "manifest.json"}
    refused(store, without, "The archive has no manifest.json")


@pytest.mark.parametrize(
    ("manifest", "says"),
    [
        (b"", "is not JSON"),
        (b"[]", "does not name the format “symdemo-project/1”"),
        (b'{"format": "symdemo-project/2", "files": {}}', "does not name the format"),
        (b'{"format": "symdemo-project/1"}', "does not list exactly the files in it"),
        (b'{"format": "symdemo-project/1", "files": []}', "does not list exactly the files"),
        (b'{"format": "symdemo-project/1", "files": {"rows.json": 3}}', "does not list exactly"),
        (b"[" * 40_000, "nested deeper than"),
        (b" " * 300_000, "“manifest.json” has 300,000 bytes; at most 262,144 are read."),
    ],
)
def test_a_broken_manifest_is_refused(store, content, manifest, says):
    refused(store, content | {"manifest.json": manifest}, says)


def test_a_bomb_is_refused_before_it_is_unpacked(store, content, monkeypatch):
    read = []
    monkeypatch.setattr(safe_zip, "_extract", lambda *_: read.append(1))
    weights = first_of(content, "encoder.safetensors")
    for name, size, says in (
        (weights, 30 * MIB, "grows more than 200-fold when unpacked."),
        ("rows.json", 17 * MIB, "“rows.json” has 17,825,792 bytes; at most 16,777,216 are read."),
        ("project.json", 70_000, "“project.json” has 70,000 bytes; at most 65,536 are read."),
    ):
        refused(store, sealed(content | {name: b"\0" * size}), says)
    assert read == []


def test_an_archive_beyond_the_limits_is_not_opened(fitted, exported, tmp_path):
    path = shutil.copy(exported, tmp_path / "a.zip")
    for limits, says in (
        ({"archive_bytes": 1000}, "The archive has"),
        ({"archive_entries": 5}, "The archive holds 15 files; at most 5 are read."),
        ({"versions": 1}, "The project would have 2 versions; at most 1"),
        ({"rows": 2}, "There are 3 rows; at most 2 are allowed."),
    ):
        refused(make_store(tmp_path / "theirs", fitted["knn"], **limits), path, says)
    full = make_store(tmp_path / "full", fitted["knn"], projects=1)
    full.create().save_job_state({"state": "running"})  # it does not give way
    with pytest.raises(InputError, match="There would be 2 projects here; at most 1 are kept"):
        import_project(full, path)
    assert len(list(full.root.iterdir())) == 1


def test_a_directory_of_many_files_is_not_read(store, tmp_path, monkeypatch):
    path = tmp_path / "bad.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(5000):
            archive.writestr(f"{number}", b"")
    opened = []
    monkeypatch.setattr(safe_zip.zipfile, "ZipFile", lambda *_: opened.append(1))
    refused(store, path, "The archive holds 5,000 files; at most 200 are read.")
    data = bytearray(path.read_bytes())
    struct.pack_into("<HH", data, data.rindex(b"PK\x05\x06") + 8, 3, 3)  # it says that three are
    refused(store, bytes(data), "directory does not match its end")
    assert opened == []


def test_lying_sizes_are_refused(store, content, tmp_path):
    """Sizes in the zip's directory that are not those of the packed bytes.

    Where the manifest agrees with the lie, all that is left is what comes out of these.
    """
    size = len(content["rows.json"])
    manifest = json.loads(content["manifest.json"])
    for lie in (0, 1, 3, size - 1, size + 1, 10 * size, 200_000, 15 * MIB, 2**31, 2**32 - 1):
        manifest["files"]["rows.json"]["size"] = lie
        agreeing = content | {"manifest.json": json.dumps(manifest).encode()}
        for told in (content, agreeing):
            bad = bytearray(packed(told, tmp_path / "bad.zip").read_bytes())
            entry = bad.rindex(b"rows.json") - 46
            assert bad[entry : entry + 4] == b"PK\x01\x02"
            struct.pack_into("<I", bad, entry + 24, lie)
            refused(store, bytes(bad), "archive")


@pytest.mark.parametrize("part", [0, 0.01, 0.3, 0.7, 0.999])
def test_a_truncated_archive_is_refused(store, exported, part):
    data = exported.read_bytes()
    says = "is not a zip file as this app writes them, or was cut"
    refused(store, data[: int(part * len(data))], says)


def test_a_zip_with_something_around_it_is_refused(store, exported):
    data = exported.read_bytes()
    for bad in (b"#!/bin/sh\n" + data, data + b"more", data[:-2] + b"\x04\0more"):
        refused(store, bad, "zip file")
    refused(store, {}, "The archive has no manifest.json")


def test_an_encrypted_entry_or_another_packing_is_refused(store, content, tmp_path):
    bad = bytearray(packed(content, tmp_path / "bad.zip").read_bytes())
    bad[bad.rindex(b"rows.json") - 46 + 8] |= 1
    says = "has an unknown encryption or compression."
    refused(store, bytes(bad), f"“rows.json” {says}")
    refused(store, packed(content, tmp_path / "bad.zip", zipfile.ZIP_LZMA), says)


def test_random_damage_is_refused_or_harmless(
    store, archived, exported, fitted, tmp_path, monkeypatch
):
    """Bytes changed at random: mostly in the zip's own structure, where no hash protects it."""
    monkeypatch.setattr(archive, "_load_model", lambda *_: fitted["knn"])
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
            assert again.rows == archived.rows
            store.delete(again.id)
        assert list(store.root.iterdir()) == []
    assert 0 < passed < 100
    assert len(said) == 200 - passed
    assert not [text for text in said if "\n" in text or not text.endswith(".")]
