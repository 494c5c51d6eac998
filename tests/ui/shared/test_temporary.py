"""Uploads and downloads: bounded, short-lived, and gone with their process and their project."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from symdemo.errors import SymdemoError
from symdemo.ui.shared import temporary
from symdemo.ui.shared.temporary import TemporaryFiles, temporary_files

START = """
import sys, time
from pathlib import Path
from symdemo.ui.shared.temporary import TemporaryFiles
made = TemporaryFiles(Path(sys.argv[1]))
(made.folder / "upload.zip").write_bytes(b"x")
print(made.folder, flush=True)
time.sleep(60)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="folders are locked")
def test_the_next_start_removes_the_folder_of_a_killed_process(tmp_path):
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    killed = subprocess.Popen(
        [sys.executable, "-c", START, tmp_path], stdout=subprocess.PIPE, text=True, env=environment
    )
    left = Path(killed.stdout.readline().strip())
    living = TemporaryFiles(tmp_path)
    assert (left / "upload.zip").exists()  # its process lives
    killed.kill()
    killed.wait(10)
    other = TemporaryFiles(tmp_path)
    assert not left.exists()
    assert living.folder.exists()
    assert living.folder != other.folder


def test_old_files_are_swept_and_those_of_a_project_dropped(tmp_path, monkeypatch):
    files = TemporaryFiles(tmp_path)
    mine, theirs = files.place("a.zip", "mine"), files.place("a.zip", "theirs")
    upload = files.folder / "hash" / "b.csv"
    upload.parent.mkdir()
    for path in (mine, theirs, upload):
        path.write_bytes(b"x")
    files.drop("mine")
    assert [p.exists() for p in (mine, theirs, upload)] == [False, True, True]
    now = time.time()
    monkeypatch.setattr(temporary.time, "time", lambda: now + temporary.DOWNLOAD_SECONDS + 1)
    files.sweep()
    assert [p.exists() for p in (theirs, upload)] == [False, True]
    monkeypatch.setattr(temporary.time, "time", lambda: now + temporary.UPLOAD_SECONDS + 1)
    files.sweep()
    assert not upload.parent.exists()


def test_uploads_are_bounded_for_one_address_and_for_all(tmp_path, monkeypatch):
    def full(folder, reserve):
        raise SymdemoError(f"The disk is nearly full: {reserve}.")

    files = TemporaryFiles(tmp_path, most_bytes=1_000)
    for _ in range(2):
        files.check_upload("one", 120)
    with pytest.raises(SymdemoError, match="Your uploads of the last hour would take 360 bytes"):
        files.check_upload("one", 120)
    files.check_upload("other", 240)
    (files.folder / "here").write_bytes(b"x" * 900)
    with pytest.raises(SymdemoError, match="All uploads here would take 1,020 bytes"):
        files.check_upload("third", 120)
    monkeypatch.setattr(temporary, "check_free", full)
    with pytest.raises(SymdemoError, match="nearly full"):
        files.check_upload("third", 1)


def test_the_app_bounds_uploads_and_forgets_dropped_files(client, monkeypatch):
    files = temporary_files()
    packed = files.place("mine.zip", "mark")
    packed.write_bytes(b"rows of mine")
    assert client.get(f"/file={packed}").content == b"rows of mine"
    files.drop("mark")
    assert client.get(f"/file={packed}").status_code == 403

    send = {"files": ("a.csv", b"a,b,c\n" * 100)}
    path = Path(client.post("/upload", files=send).json()[0])
    assert path.is_relative_to(files.folder)
    path.unlink()
    monkeypatch.setattr(files, "_most", 1_000)
    refused = client.post("/upload", files=send)
    assert refused.status_code == 413
    assert refused.text.startswith("Your uploads of ")
