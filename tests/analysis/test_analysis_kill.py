"""A server is killed while analyses are made, noted in, and run: what is finished stays."""

import multiprocessing
import os
import random
import sys
import time

import pytest

from symdemo.analysis.loaded import LoadedPairs
from symdemo.analysis.running import ModelRun, run_model
from symdemo.analysis.workspace import AskedModel, WorkspaceStore

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="a forked child is killed"),
]
KILLS = max(4, int(os.environ.get("SYMDEMO_KILLS", "8")) // 2)


def work_for_ever(place, data, id, run, log):
    """In a child process: note, make analyses, keep runs; write down what is finished."""
    store = WorkspaceStore(place / "all")
    workspace = store.open(id)
    with open(log, "a", buffering=1) as done:  # noqa: PTH123
        for turn in range(10_000):
            workspace.note([0], str(turn))
            done.write(f"note {turn}\n")
            made = store.create([AskedModel("tiny", "tiny")])
            made.put(data)
            done.write(f"made {made.id}\n")
            run.save(place / f"run-{os.getpid()}-{turn}")
            done.write(f"run run-{os.getpid()}-{turn}\n")


def test_a_kill_loses_no_note_analysis_or_run_that_was_finished(tmp_path, fitted, pairs):
    log, rng = tmp_path / "log", random.Random(1)
    run = run_model(fitted["knn"], pairs)
    data = LoadedPairs("made up", "a test", tuple(pairs), (None,) * len(pairs))
    noted = WorkspaceStore(tmp_path / "all").create([AskedModel("tiny", "tiny")])
    noted.put(data)
    log.touch()
    for _ in range(KILLS):
        written = log.stat().st_size
        child = multiprocessing.get_context("fork").Process(
            target=work_for_ever, args=(tmp_path, data, noted.id, run, log)
        )
        child.start()
        limit = time.monotonic() + 20
        while "run" not in log.read_text()[written:] and time.monotonic() < limit:
            time.sleep(0.002)
        time.sleep(rng.uniform(0, 0.05))
        child.kill()
        child.join()
        assert child.exitcode == -9
        lines = [line.split() for line in log.read_text()[written:].splitlines()]
        finished = {kind: [line[1] for line in lines if line[0] == kind] for kind, _ in lines}
        store = WorkspaceStore(tmp_path / "all")
        last = int(finished["note"][-1])
        assert store.open(noted.id).personal.notes[0] in (str(last), str(last + 1))
        for made in finished["made"]:
            assert store.open(made).data.pairs == data.pairs
        for name in finished["run"]:
            assert ModelRun.load(tmp_path / name).rows.equals(run.rows)
