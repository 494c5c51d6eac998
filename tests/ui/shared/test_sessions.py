"""How much one page and one address may begin and upload, and how long files are kept."""

import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from gradio.context import LocalContext
from job_fakes import Gate
from refusals import refusal
from ui_fakes import project_ids

from symdemo.errors import InputError, SymdemoError
from symdemo.teaching.limits import Limits
from symdemo.ui.shared import temporary
from symdemo.ui.shared.temporary import TemporaryFiles, temporary_files


@pytest.fixture
def asked_by():
    """Set the page and the address of the requests that follow."""
    tokens = []

    def ask(page, address):
        client = SimpleNamespace(host=address) if address else None
        request = SimpleNamespace(client=client, headers={}, session_hash=page)
        tokens.append(LocalContext.request.set(request))

    yield ask
    for token in reversed(tokens):
        LocalContext.request.reset(token)


def test_a_flood_from_one_address_leaves_room_for_others(open_sessions, asked_by):
    sessions = open_sessions(limits=Limits(projects=20, projects_per_address=5))
    for number in range(40):
        asked_by(f"flood {number}", "198.51.100.7")
        sessions.find_or_create("", f"flood {number}")
    assert len(project_ids(sessions)) == 5  # the older ones gave way, as nothing was taught in them
    asked_by("page", "198.51.100.8")
    mine = sessions.find_or_create("", "page")
    assert mine.id in project_ids(sessions)


def test_a_flood_from_many_addresses_never_keeps_a_visitor_out(open_sessions, asked_by):
    sessions = open_sessions(limits=Limits(projects=6))
    asked_by("page", "198.51.100.8")
    mine = sessions.find_or_create("", "page")
    for number in range(30):
        asked_by(f"flood {number}", f"203.0.113.{number % 3}")
        sessions.find_or_create("", f"flood {number}")
    assert len(project_ids(sessions)) == 6
    assert mine.id in project_ids(sessions)  # those of the greatest crowd gave way
    asked_by("other page", "198.51.100.9")
    assert sessions.find_or_create("", "other page").id in project_ids(sessions)


def test_taught_projects_of_one_address_are_bounded(open_sessions, asked_by):
    sessions = open_sessions(
        limits=Limits(projects_per_address=3, projects_per_page=2, address_bytes=4_000)
    )
    made = []
    for page in ("one", "one", "two"):
        asked_by(page, "198.51.100.7")
        made.append(sessions.begin(sessions.projects.create))
        (made[-1].folder / "versions" / "v000001-00000000").mkdir(parents=True)
    asked_by("three", "198.51.100.7")
    with pytest.raises(InputError, match="would be 4 projects from your network; at most 3"):
        sessions.begin(sessions.projects.create)
    sessions.projects.delete(made[2].id)
    asked_by("one", "203.0.113.9")
    with pytest.raises(InputError, match="This page would have begun 3 projects; at most 2"):
        sessions.begin(sessions.projects.create)
    (made[0].folder / "large").write_bytes(b"x" * 5_000)
    asked_by("three", "198.51.100.7")
    assert "from your network take" in refusal(sessions.begin, sessions.projects.create)


def test_one_address_shares_its_time_between_browsers(open_sessions, asked_by):
    sessions = open_sessions()
    gates = [Gate() for _ in range(5)]

    def ask(n, page, key=""):
        asked_by(page, "198.51.100.7")
        return sessions.submit(f"owner {n}", "", gates[n], "analysis", 60, key)

    views = [ask(n, "one", "one’s key") for n in range(3)]
    views += [ask(3, "two", "one’s key"), ask(4, "three")]
    assert [view.state for view in views] == ["running"] * 2 + ["waiting"] * 3
    gates[0].let_go.set()
    assert gates[4].begun.wait(5)  # the other browser
    assert not gates[2].begun.is_set()
    for gate in gates:
        gate.let_go.set()


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
