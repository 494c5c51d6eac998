"""A server is killed during a training: what its successor finds and says."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from teach_fakes import edit, make_cells
from ui_fakes import make_tiny_store

from symdemo.pairs import Pair
from symdemo.teaching import comparison
from symdemo.ui.shared.html import draw
from symdemo.ui.shared.sessions import Sessions
from symdemo.ui.teach.training import find_training, plan_training, start_training

pytestmark = pytest.mark.slow

TESTS = Path(__file__).resolve().parents[1]
SECONDS = 90
KILLS = max(1, int(os.environ.get("SYMDEMO_KILLS", "8")) // 8)
linux = pytest.mark.skipif(sys.platform != "linux", reason="SIGKILL is sent")


@pytest.fixture
def storage(fitted, tmp_path):
    """A folder with the projects, the key of one, and a function that opens them again."""
    fitted["knn"].save_pretrained(tmp_path / "model")
    opened = []

    def reopen() -> Sessions:
        opened.append(Sessions(make_tiny_store(fitted["knn"]), tmp_path / "projects"))
        return opened[-1]

    yield tmp_path, edit(reopen(), "", "page", make_cells()).save().project, reopen
    for sessions in opened:
        sessions.queue.close(2)


def kill_once(place, key, epochs, is_time) -> list[list[str]]:
    """Start the server, kill it once it is time, and return the words of its log."""
    log = place / "log"
    log.write_text("")
    arguments = [place / "projects", place / "model", key, log, *epochs]
    server = subprocess.Popen(
        [sys.executable, TESTS / "fakes" / "training_server.py", *arguments],
        env=os.environ | {"PYTHONPATH": f"{TESTS.parent}{os.pathsep}{TESTS / 'fakes'}"},
        stderr=(place / "errors").open("w"),
    )

    def lines() -> list[list[str]]:
        return [line.split() for line in log.read_text().splitlines()]

    try:
        limit = time.monotonic() + SECONDS
        while not is_time(lines()):
            assert server.poll() is None, (place / "errors").read_text()[-2000:]
            assert time.monotonic() < limit, lines()[-3:]
            time.sleep(0.001)
    finally:
        server.send_signal(signal.SIGKILL)  # nothing is tidied up
    assert server.wait(10) == -signal.SIGKILL
    return lines()


def check_versions(project, lines) -> bool:
    """Check that all finished versions are whole; True if there is one more."""
    versions = project.versions()
    told = {line[1] for line in lines if line[0] == "version"}
    found = {version.id for version in versions}
    assert {path.name for path in (project.folder / "versions").iterdir()} == found
    more = {id for id in found if id > max(told)}
    assert max(told) in found
    assert len(more) <= 1
    for version in versions:
        model = project.model(version.id)
        verdict = model.predict([Pair("Ann borders Ben.", "Ben borders Ann.")])[0]
        assert verdict.label in model.labels == version.labels
        assert len(version.curve) == version.training["steps made"] > 0
    assert project.selected in found
    assert len(project.rows) == 8
    return bool(more)


@linux
def test_a_kill_in_the_middle_of_a_training_is_told_of_and_loses_nothing_else(storage, monkeypatch):
    place, key, reopen = storage

    def well_under_way(lines):
        since = [line for line in lines if line[0] != "begun"]
        finished = [n for n, line in enumerate(since) if line[0] == "version"]
        steps = since[finished[0] + 1 :] if finished else []
        return any(int(line[1]) >= 5 for line in steps if line[0] == "step")

    lines = kill_once(place, key, ["1", "60"], well_under_way)
    done, total = (int(lines[-1][n]) for n in (1, 3))
    assert 5 <= done < total
    sessions = reopen()
    project = sessions.find(key)
    assert not check_versions(project, lines)
    assert len(project.versions()) == 1
    view = find_training(sessions, key)
    assert view.state == "broken off"
    shown = draw("teach/job.html", view=view)
    assert "interrupted because the program ended" in shown
    assert "start it again" in shown

    facts = comparison.benchmark_pairs()[:28]
    monkeypatch.setattr(comparison, "benchmark_pairs", lambda: facts)
    form = {"epochs": "1", "retention": "0", "replay": "24"}
    plan = plan_training(edit(sessions, key, "page", make_cells()), form)[1]
    again = sessions.queue.wait(start_training(sessions, key, plan).id, key, 60)
    assert (again.state, again.result.name) == ("done", "Version 2")


@linux
@pytest.mark.parametrize("turn", range(KILLS))
def test_a_kill_while_a_version_is_written_leaves_no_half_of_it(storage, turn):
    place, key, reopen = storage
    versions = place / "projects" / key / "versions"

    def half_written(lines):
        return any(line[0] == "version" for line in lines) and any(versions.glob(".draft-*"))

    lines = kill_once(place, key, ["1"], half_written)
    sessions = reopen()
    written_in_time = check_versions(sessions.find(key), lines)
    view = find_training(sessions, key)
    assert written_in_time or view.state == "broken off"
