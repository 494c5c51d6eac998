"""Workspaces: what a person added outlives restarts, threads, eviction, damage and kills."""

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from killing import LINUX, kill_at_work
from refusals import refusal

from symdemo.analysis import workspace as workspaces
from symdemo.analysis.loaded import LoadedPairs
from symdemo.analysis.running import ModelRun, run_model
from symdemo.analysis.workspace import AskedModel, Kept, Personal, WorkspaceStore
from symdemo.pairs import Pair

KILLS = max(4, int(os.environ.get("SYMDEMO_KILLS", "8")) // 2)
TINY = AskedModel("tiny", "tiny")
DATA = LoadedPairs(
    "made up",
    "a test",
    tuple(Pair(f"Ann met Ben {n}.", f"Ben {n} met Ann.", "entailment") for n in range(20)),
    (None,) * 20,
)


@pytest.fixture
def store(tmp_path):
    return WorkspaceStore(tmp_path / "all")


@pytest.fixture
def open_one(store):
    made = store.create([TINY])
    made.put(DATA)
    return made


def again(workspace):
    """The same workspace as another program finds it."""
    return WorkspaceStore(workspace.folder.parent).open(workspace.id)


def age(workspace, seconds):
    old = time.time() - seconds
    os.utime(workspace.folder / "workspace.json", (old, old))


def test_everything_outlives_a_restart(store, open_one):
    made = store.create([TINY, AskedModel("mine", "mine/v1")], exchanged=False, project="secret")
    assert not made.loaded
    made.put(DATA)
    made.set_key("mine", "key")
    made.mark([3, 1, 3], True)
    made.mark([1], False)
    made.note([0, 2], "  two   words ")
    assert made.keep_slice(" my  slice ", {"text": "met"}) == "my slice"
    kept = Kept(4, "own", "Ann saw Ben.", "Ben saw Ann.", None)
    made.keep_counterfactual(kept)
    for gone in (replace(kept, premise="Cy saw Ben."), kept, kept):  # the last in place of another
        made.keep_counterfactual(gone)
    made.drop_counterfactual(replace(kept, premise="Cy saw Ben."))
    made.keep_slice("brief", {})
    made.drop_slice("brief")
    made.note([5], "brief")
    made.note([5], "")
    assert made.folder.stat().st_mode & 0o077 == 0
    assert json.loads((made.folder / "workspace.json").read_text())["format"] == 1
    found = again(made)
    assert found.loaded
    assert found.data.key == DATA.key
    assert (found.exchanged, found.project) == (False, "secret")
    assert found.models == (TINY, AskedModel("mine", "mine/v1", "key"))
    assert found.personal == Personal(
        frozenset({3}), {0: "two words", 2: "two words"}, {"my slice": {"text": "met"}}, (kept,)
    )


def test_there_are_limits_and_what_is_refused_changes_nothing(open_one, monkeypatch):
    for name, most in (("MOST_SLICES", 1), ("MOST_NOTES", 2), ("MOST_KEPT", 1)):
        monkeypatch.setattr(workspaces, name, most)
    kept = Kept(1, "own", "Ann saw Ben.", "Ben saw Ann.", None)
    open_one.keep_slice("a", {})
    open_one.note([0, 1], "x")
    open_one.keep_counterfactual(kept)
    before = again(open_one).personal
    for change, given, says in (
        ("keep_slice", ("b", {}), "2 slices; at most 1"),
        ("keep_slice", ("", {}), "no name"),
        ("keep_slice", ("x" * 61, {}), "61 characters"),
        ("note", ([0, 1, 2], "y"), "3 notes; at most 2"),
        ("note", ([0], "x" * 501), "501 characters"),
        ("note", ([20], "x"), "There is no row 21; there are 20"),
        ("mark", ([10**30], True), "there are 20"),
        ("keep_counterfactual", (replace(kept, row=2),), "2 changed sentences"),
    ):
        assert says in refusal(getattr(open_one, change), *given)
    assert open_one.personal == again(open_one).personal == before


def test_threads_that_mark_at_once_lose_nothing(open_one):
    def work(row):
        open_one.mark([row], True)
        open_one.note([row], f"note {row}")

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(work, range(20)))
    assert again(open_one).personal.marked == frozenset(range(20))
    assert again(open_one).personal.notes == {row: f"note {row}" for row in range(20)}


def test_one_that_had_to_go_from_memory_loses_nothing(tmp_path):
    store = WorkspaceStore(tmp_path, capacity=1)
    first, second = store.create([TINY]), store.create([TINY])
    store.open(first.id).put(DATA)
    first.shown["opened"] = object()
    store.open(second.id)
    assert not first.shown  # what can be worked out anew does not stay in memory
    first.mark([1], True)
    assert store.open(first.id) is first
    store.open(second.id).put(DATA)
    store.open(first.id).mark([2], True)
    id = first.id
    del first
    store.open(second.id)
    assert store.open(id).personal.marked == {1, 2}


@pytest.mark.parametrize(
    "damage",
    [
        "", "[]", "{", '{"marked": 3}', '{"marked": [1], "notes": []}',
        '{"marked": [], "notes": {}, "slices": {}, "kept": [{"row": 1}]}',
    ],
)  # fmt: skip
def test_damaged_marks_are_put_aside_and_the_rest_is_there(open_one, damage):
    open_one.mark([1], True)
    path = open_one.folder / "personal.json"
    path.write_text(damage)
    found = again(open_one)
    assert found.personal == Personal()
    assert found.damaged
    assert (found.folder / "personal.damaged.json").read_text() == damage
    assert found.data.key == DATA.key
    found.mark([2], True)
    last = again(found)
    assert last.personal.marked == {2}
    assert last.damaged


@pytest.mark.parametrize("damage", ["", "[]", "{}", '{"exchanged": 1, "project": "", "models": 3}'])
def test_a_damaged_workspace_is_one_sentence(open_one, damage):
    (open_one.folder / "workspace.json").write_text(damage)
    assert len(refusal(again, open_one)) < 100
    assert (open_one.folder / "data").is_dir()


def test_the_idle_go_but_never_what_is_in_use(tmp_path):
    store = WorkspaceStore(tmp_path, idle_days=2, capacity=1)
    held = store.create([TINY])
    names = {}
    for name, seconds in (("noted", 5_000), ("empty", 100), ("older", 900), ("idle", 2 * 86_460)):
        made = store.create([TINY])
        names[name] = made.id
        made.put(DATA)
        if name == "noted":
            made.note([1], "mine")
        age(made, seconds)
        del made
    age(held, 3 * 86_400)
    store.open(held.id)
    age(held, 3 * 86_400)
    stray = tmp_path / "left-by-a-kill"
    stray.mkdir()
    os.utime(stray, (1, 1))
    store.clean()
    left = {name for name, id in names.items() if (tmp_path / id).exists()}
    assert left == {"noted", "empty", "older"}
    assert not stray.exists()
    some = [held.id, *(names[name] for name in ("noted", "empty", "older"))]
    for gone in ("older", "empty"):
        assert store.make_room(some)
        assert not (tmp_path / names[gone]).exists()
    assert not store.make_room(some)
    held.put(DATA)


def test_nothing_is_written_for_a_built_in_set_until_something_is_added(tmp_path):
    store = WorkspaceStore(tmp_path)
    found = store.open_set("blind-sentences", ["tiny"])
    found.set_key("tiny", "key")
    id, n = found.id, len(found.data)
    del found, store
    calls: list[str] = []
    store = WorkspaceStore(tmp_path, admit=calls.append)
    found = store.open(id)
    assert not list(tmp_path.iterdir())
    assert (found.models, len(found.data), found.exchanged) == ((TINY,), n, True)
    found.note([3], "mine")
    assert calls == [found.folder.name]
    again = WorkspaceStore(tmp_path).open(id)
    assert again.personal.notes == {3: "mine"}
    assert len(again.data) == n
    store.delete(id)
    assert not list(tmp_path.iterdir())


def work_for_ever(place, data, id, run, log):
    """In a child process: note, make analyses, keep runs; write down what is finished."""
    store = WorkspaceStore(place / "all")
    workspace = store.open(id)
    with open(log, "a", buffering=1) as done:  # noqa: PTH123
        for turn in range(10_000):
            workspace.note([0], str(turn))
            done.write(f"note {turn}\n")
            made = store.create([TINY])
            made.put(data)
            done.write(f"made {made.id}\n")
            run.save(place / f"run-{os.getpid()}-{turn}")
            done.write(f"run run-{os.getpid()}-{turn}\n")


@pytest.mark.slow
@LINUX
def test_a_kill_loses_no_note_analysis_or_run_that_was_finished(tmp_path, open_one, fitted, pairs):
    run = run_model(fitted["knn"], pairs)
    given = tmp_path, DATA, open_one.id, run
    for _ in range(KILLS):
        log = tmp_path / "log"
        lines = kill_at_work(work_for_ever, *given, log=log, begun="run", within=0.05)
        finished = {kind: [line[1] for line in lines if line[0] == kind] for kind, _ in lines}
        store = WorkspaceStore(tmp_path / "all")
        last = int(finished["note"][-1])
        assert store.open(open_one.id).personal.notes[0] in (str(last), str(last + 1))
        for made in finished["made"]:
            assert store.open(made).data.pairs == DATA.pairs
        for name in finished["run"]:
            assert ModelRun.load(tmp_path / name).rows.equals(run.rows)
