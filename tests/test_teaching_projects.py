"""Projects: what is saved is there again, whole, whoever was killed meanwhile, and apart."""

import json
import multiprocessing
import os
import random
import sys
import threading
import time
import zipfile
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
import torch

from symdemo import Pair, SymmetryClassifier, checkpoints
from symdemo.errors import InputError, ModelError
from symdemo.teaching import project_files
from symdemo.teaching.archive import export_project
from symdemo.teaching.json_files import MAX_DEPTH, parse_json, plain, read_json, write_json
from symdemo.teaching.limits import Limits
from symdemo.teaching.model_cache import ModelCache
from symdemo.teaching.project_store import ProjectStore
from symdemo.teaching.rows import Row
from symdemo.teaching.version import CURVE_POINTS, Version, thinned

BASE = "tiny base"
ROWS = [
    Row("Ann", "is a sibling of", "Ben", label="entailment"),
    Row("Carl", "is the mother of", "Dan", label="contradiction"),
    Row("Eve", "is next to", "", label=""),
]
linux = pytest.mark.skipif(sys.platform != "linux", reason="a forked child is killed")


@pytest.fixture(autouse=True)
def quick_saving(tiny_encoder, tiny_folder, monkeypatch):
    """Saving compares with the base encoder; it need not be read from the disk every time."""
    load = checkpoints.load_encoder

    def give(name, device=None):
        same = str(name) == str(tiny_folder) and device == "cpu"
        return tiny_encoder if same else load(name, device)

    monkeypatch.setattr(checkpoints, "load_encoder", give)


def make_store(root, model, **limits) -> ProjectStore:
    return ProjectStore(root, Limits(**limits), load_base=lambda name: model, bases=[BASE])


@pytest.fixture
def store(tmp_path, fitted) -> ProjectStore:
    return make_store(tmp_path / "projects", fitted["knn"])


@pytest.fixture
def project(store):
    return store.create("Family")


def add(project, model, **values):
    return project.add_version(model, **{"how": "retrained"} | values)


def files_of(folder) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def said(call, *args, **kwargs) -> str:
    """The one sentence that a call is refused with."""
    with pytest.raises(InputError) as error:
        call(*args, **kwargs)
    text = str(error.value)
    assert "\n" not in text
    assert text.endswith(".")
    assert len(text) < 400
    return text


def test_a_project_is_there_again(store, project, fitted):
    project.save_rows(ROWS)
    again = make_store(store.root, fitted["knn"]).open(project.id)
    assert (again.name, again.base, again.selected) == ("Family", BASE, None)
    assert again.rows == ROWS
    assert again.versions() == []
    assert datetime.now(UTC) - datetime.fromisoformat(again.created) < timedelta(seconds=60)
    again.rename("  My   family ")
    assert project.name == "My family"
    project.save_rows([])
    assert again.rows == []


def test_ids_cannot_be_guessed(store):
    ids = {store.create().id for _ in range(20)}
    assert len(ids) == 20
    assert {len(id) for id in ids} == {24}
    assert store.open(ids.pop()).name == "My relations"


@pytest.mark.parametrize(
    "id",
    [
        "", ".", "..", "/", "../other", "a/b", "x" * 24, "x" * 5000, "\0", "é" * 24, None, 3,
        "/etc/passwd", ".draft-xxxxxxxxxxxxxxxxxx", "A" * 23 + "\n", "%2e%2e%2f" * 3, ["a"],
    ],
)  # fmt: skip
def test_a_wrong_id_is_refused_with_the_same_words_as_an_unknown_one(store, project, id):
    before = files_of(store.root)
    unknown = said(store.open, "A" * 24)
    assert said(store.open, id) == unknown
    assert said(store.delete, id) == unknown
    assert files_of(store.root) == before


def test_the_id_is_not_in_any_file(store, project, fitted, tmp_path):
    project.save_rows(ROWS)
    add(project, fitted["knn"])
    export_project(project, tmp_path / "mine.zip")
    contents = files_of(store.root)
    with zipfile.ZipFile(tmp_path / "mine.zip") as archive:
        contents |= {name: archive.read(name) for name in archive.namelist()}
    assert len(contents) > 12
    assert not [name for name, data in contents.items() if project.id.encode() in data]


def test_a_version_is_there_again_and_answers_the_same(store, project, fitted, pairs):
    project.save_rows(ROWS)
    version = add(
        project,
        fitted["fine-tuning"],
        scores={"own": np.float32(0.5), "text": "a\ud800b"},
        training={"epochs": 4},
        curve=[{"step": 1, "loss": float("nan")}, (1, 2)],
    )
    again = make_store(store.root, fitted["knn"]).open(project.id)
    assert again.versions() == [version]
    assert again.version(version.id) == version
    assert version.name == "Version 1"
    assert version.scores == {"own": 0.5, "text": "a?b"}
    assert version.curve == [{"step": 1, "loss": None}, [1, 2]]
    assert (version.rows, version.method, version.base) == (3, "fine-tuning", BASE)
    assert set(version.labels) == {"entailment", "contradiction"}
    assert again.selected == version.id
    expected = fitted["fine-tuning"].predict(pairs)
    found = again.model(version.id).predict(pairs)
    assert [p.label for p in found] == [p.label for p in expected]
    assert again.model() is fitted["knn"]


def test_versions_are_numbered_in_order_and_numbers_are_not_used_twice(project, fitted):
    first, second = add(project, fitted["knn"]), add(project, fitted["knn"], name="  best ")
    assert [v.name for v in project.versions()] == ["Version 1", "best"]
    project.delete_version(second.id)
    third = add(project, fitted["knn"], how="instant", parent=first.id)
    assert (third.name, third.how, third.parent) == ("Version 3", "instant", first.id)
    assert [v.id for v in project.versions()] == sorted([first.id, third.id])
    project.rename_version(first.id, "Ältere “Fassung”")
    assert [v.name for v in project.versions()] == ["Ältere “Fassung”", "Version 3"]


def test_selecting_and_going_back(project, fitted):
    first = add(project, fitted["knn"])
    second = add(project, fitted["knn"], parent=first.id)
    third = add(project, fitted["knn"], parent=second.id)
    assert project.selected == third.id
    assert project.undo() == project.selected == second.id
    project.delete_version(second.id)
    assert project.selected == first.id
    project.select(third.id)
    assert project.version(third.id).parent == second.id
    assert project.undo() is None
    assert project.selected is None
    assert "nothing to undo" in said(project.undo)
    project.select(first.id)
    project.delete_version(first.id)
    assert project.selected is None
    assert "no such version" in said(project.select, first.id)


def test_a_version_of_one_project_is_none_of_another(store, fitted):
    mine, theirs = store.create(), store.create()
    version = add(mine, fitted["knn"])
    add(theirs, fitted["knn"])
    unknown = said(theirs.version, "v000001-00000000")
    paths = ["..", "", f"../../{mine.id}/versions/{version.id}", f"{version.id}/../{version.id}"]
    for id in [version.id, *paths, "v000001-0000000g", version.id + "\n", ".draft-1", 1]:
        for call in (theirs.version, theirs.model, theirs.select, theirs.delete_version):
            assert said(call, id) == unknown
        assert said(theirs.rename_version, id, "new") == unknown
    assert mine.model(version.id).labels == fitted["knn"].labels
    assert [v.id for v in mine.versions()] == [version.id]


def test_rows_of_one_project_are_not_seen_in_another(store):
    mine, theirs = store.create(), store.create()
    mine.save_rows(ROWS)
    mine.save_job_state({"state": "done", "title": "mine"})
    assert theirs.rows == []
    assert theirs.job_state is None
    theirs.save_rows(ROWS[:1])
    assert mine.rows == ROWS


def test_a_removed_project_is_gone_for_all(store, project, fitted):
    other = make_store(store.root, fitted["knn"]).open(project.id)
    version = add(project, fitted["knn"])
    other.model(version.id)
    store.delete(project.id)
    unknown = said(store.open, project.id)
    for call in (other.versions, other.touch, lambda: other.rows, lambda: other.name):
        assert call == other.versions or said(call) == unknown
    assert other.versions() == []
    assert said(other.save_rows, ROWS) == unknown
    assert said(add, other, fitted["knn"]) == unknown
    assert "no such version" in said(other.model, version.id)
    assert list(store.root.iterdir()) == []


def test_idle_projects_are_removed_and_busy_ones_kept(store):
    old, busy, used = store.create(), store.create(), store.create()
    busy.save_job_state({"state": "running"})
    later = datetime.now(UTC) + timedelta(days=7, seconds=30)
    assert store.clean_idle(datetime.now(UTC) + timedelta(days=6.9)) == 0
    info = json.loads((used.folder / "project.json").read_text())
    info["touched"] = (later - timedelta(days=6)).isoformat()
    write_json(used.folder / "project.json", info)
    assert store.clean_idle(later) == 1
    assert busy.name == used.name == "My relations"
    said(store.open, old.id)
    busy.save_job_state({"state": "done"})
    assert store.clean_idle(later) == 1
    assert store.clean_idle(later + timedelta(days=7)) == 1
    assert list(store.root.iterdir()) == []


def test_opening_an_old_project_keeps_it(store, project):
    info = json.loads((project.folder / "project.json").read_text())
    info["touched"] = (datetime.now(UTC) - timedelta(days=6.99)).isoformat()
    write_json(project.folder / "project.json", info)
    store.open(project.id)
    assert store.clean_idle(datetime.now(UTC) + timedelta(days=1)) == 0
    assert datetime.now(UTC) - datetime.fromisoformat(project.touched) < timedelta(seconds=60)


def test_a_full_store_makes_room_by_removing_idle_projects(tmp_path, fitted):
    store = make_store(tmp_path, fitted["knn"], projects=2, idle_days=1)
    old, _ = store.create(), store.create()
    assert "There would be 3 projects here; there is room for 2" in said(store.create)
    info = json.loads((old.folder / "project.json").read_text())
    write_json(old.folder / "project.json", info | {"touched": "2020-01-01T00:00:00+00:00"})
    store.create()
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize(
    ("limits", "rows", "says"),
    [
        ({"rows": 2}, ROWS, "There are 3 rows; at most 2 are kept."),
        ({"labels": 1}, ROWS, "There are 2 different labels; at most 1 can be taught."),
        ({"relations": 2}, ROWS, "There are 3 different relations; at most 2 can be taught."),
        ({"characters": 15}, ROWS, "Row 2: The relation “is the mother of” has 16 characters; at"),
        ({"label_characters": 12}, ROWS, "Row 2: The label “contradiction” has 13 characters; at"),
        ({}, [Row("a\0b")], "Row 1: The subject contains the control character U+0000"),
        ({}, [Row("a\ud800b")], "Row 1: The subject contains the control character U+D800"),
        ({}, [Row(3)], "Row 1: The subject is int; text is expected."),
    ],
)
def test_a_table_beyond_the_limits_leaves_the_old_one(tmp_path, fitted, limits, rows, says):
    project = make_store(tmp_path, fitted["knn"], **limits).create()
    project.save_rows([Row("Ann", "is", "Ben")])
    assert said(project.save_rows, rows).startswith(says)
    assert project.rows == [Row("Ann", "is", "Ben")]


def test_a_full_project_takes_no_more_versions(tmp_path, fitted):
    project = make_store(tmp_path, fitted["knn"], versions=1).create()
    version = add(project, fitted["knn"])
    assert "would have 2 versions; at most 1 are kept" in said(add, project, fitted["knn"])
    small = make_store(tmp_path, fitted["knn"], project_bytes=20_000).open(project.id)
    small.delete_version(version.id)
    assert "The project would take" in said(add, small, fitted["knn"])
    assert project.versions() == []
    assert list((project.folder / "versions").iterdir()) == []
    assert project.size_bytes() < 1000


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"name": ""}, "The name is empty"),
        ({"name": "x" * 81}, "has 81 characters; at most 80"),
        ({"how": "magic"}, "names a way of teaching that is unknown"),
        ({"parent": "../other"}, "under “parent”"),
    ],
)
def test_a_version_with_wrong_values_is_refused(project, fitted, values, says):
    assert says in said(add, project, fitted["knn"], **values)
    assert project.versions() == []
    assert not list(project.folder.glob("versions/*"))


def test_a_failed_save_leaves_the_versions_as_they_were(project, fitted, monkeypatch):
    version = add(project, fitted["knn"])
    before = files_of(project.folder / "versions")

    def fail(*_):
        raise OSError(28, "No space left on device")

    for name in ("save_pairs", "readme"):
        monkeypatch.setattr(checkpoints, name, fail)
        with pytest.raises(OSError, match="No space left"):
            add(project, fitted["knn"])
        monkeypatch.undo()
    monkeypatch.setattr(project_files, "write_version", fail)
    with pytest.raises(OSError, match="No space left"):
        add(project, fitted["knn"])
    assert files_of(project.folder / "versions") == before
    assert project.selected == version.id


def test_a_damaged_version_does_not_hide_the_others(project, fitted):
    first, second, third = (add(project, fitted["knn"]) for _ in range(3))
    (project.folder / "versions" / first.id / "version.json").write_text("{")
    other = project.folder / "versions" / second.id / "version.json"
    other.write_text(json.dumps(third.to_json()))
    assert [v.id for v in project.versions()] == [third.id]
    (project.folder / "versions" / third.id / "model" / "taught.jsonl").write_text("")
    with pytest.raises(ModelError, match=r"taught.jsonl in model has 0 bytes"):
        project.model(third.id)


@pytest.mark.parametrize(
    "base", ["../../etc", "someone/model", "/tmp", "wikidata14", "x" * 90, "a\0"]
)
def test_a_base_model_is_one_of_the_known_names(store, base):
    said(store.create, "mine", base)
    assert list(store.root.iterdir()) == []


def test_bases_in_models_come_best_first(tmp_path, fitted, monkeypatch):
    cards = [fitted["knn"].card.with_(name=name) for name in ("aa", "b", "general", "wikidata14")]
    monkeypatch.setattr(checkpoints, "list_models", lambda: cards)
    asked = []
    store = ProjectStore(tmp_path, load_base=lambda name: asked.append(name) or fitted["knn"])
    assert store.bases == ("general", "wikidata14", "aa", "b")
    assert store.create().base == "general"
    project = store.create(base="b")
    project.model()
    project.model()
    assert asked == ["b"]


def test_the_drafts_of_a_killed_process_are_swept(store, project, fitted):
    version = add(project, fitted["knn"])
    before = files_of(store.root)
    for name in (
        f"{project.id}/versions/.draft-a/model/config.json",
        f"{project.id}/versions/.deleted-{version.id}/version.json",
        f"{project.id}/.rows.json.draft-b",
        ".draft-c/project.json",
        f".deleted-{'A' * 24}/project.json",
    ):
        (store.root / name).parent.mkdir(parents=True, exist_ok=True)
        (store.root / name).write_text("half")
    make_store(store.root, fitted["knn"])
    assert files_of(store.root) == before


def test_a_draft_in_the_making_is_not_swept(store, fitted):
    with store.draft() as draft:
        make_store(store.root, fitted["knn"])
        assert draft.is_dir()
    with store.locked(store.create().id):
        kept = next(store.root.iterdir()) / ".rows.json.draft-x"
        kept.write_text("half")
        make_store(store.root, fitted["knn"])
        assert kept.exists()
    make_store(store.root, fitted["knn"])
    assert not kept.exists()


@pytest.mark.parametrize("state", ["waiting", "running", "stopping"])
def test_a_job_that_died_reads_broken_off(store, project, fitted, state):
    project.save_job_state({"state": state, "title": "Teaching", "progress": (1, 2)})
    assert project.job_state["state"] == state
    again = make_store(store.root, fitted["knn"]).open(project.id)
    assert again.job_state == {"state": "broken off", "title": "Teaching", "progress": [1, 2]}


@pytest.mark.parametrize("state", ["done", "stopped", "failed", "broken off"])
def test_a_job_that_ended_reads_as_it_did(store, project, fitted, state):
    project.save_job_state({"state": "running"})
    project.save_job_state({"state": state})
    assert make_store(store.root, fitted["knn"]).open(project.id).job_state == {"state": state}


def test_two_threads_and_two_stores_lose_nothing(store, project, fitted):
    other = make_store(store.root, fitted["knn"]).open(project.id)
    start, made, errors = threading.Barrier(4), [], []

    def work(mine, number):
        start.wait()
        try:
            for turn in range(4):
                version = add(mine, fitted["knn"], name=f"{number} {turn}")
                made.append(version.id)
                mine.save_rows(ROWS[: 1 + turn % 3])
                assert len(mine.rows) in (1, 2, 3)
                if turn == 2:
                    mine.delete_version(version.id)
                    made.remove(version.id)
                assert {v.id for v in mine.versions()} >= set(made) - {version.id} - gone()
        except BaseException as error:
            errors.append(error)

    def gone():
        return {id for id in list(made) if not (project.folder / "versions" / id).exists()}

    threads = [
        threading.Thread(target=work, args=(mine, number))
        for number, mine in enumerate([project, project, other, other])
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert errors == []
    versions = project.versions()
    assert sorted(made) == [v.id for v in versions]
    assert len(versions) == 12
    assert len({v.id[:7] for v in versions}) == 12  # no number was given twice
    assert project.selected in made or project.selected is None
    assert not list(project.folder.glob("**/.draft*"))


def test_a_lock_holds_between_stores_until_it_is_given_back(store, project, fitted):
    other = make_store(store.root, fitted["knn"]).open(project.id)
    order = []

    def rename():
        other.rename("theirs")
        order.append("theirs")

    with project.changing():
        thread = threading.Thread(target=rename)
        thread.start()
        time.sleep(0.1)
        project.rename("mine")
        order.append("mine")
    thread.join(10)
    assert order == ["mine", "theirs"]
    assert project.name == "theirs"


def test_models_stay_in_memory_and_the_oldest_goes():
    loaded, cache = [], ModelCache(capacity=2)

    def get(name):
        return cache.get(("p", name), lambda: loaded.append(name) or name)

    assert [get(name) for name in "abacab"] == list("abacab")
    assert loaded == list("abcb")
    cache.drop("p", "a")
    get("a")
    cache.drop("p")
    get("b")
    assert loaded == list("abcbab")


def test_one_model_is_loaded_once_for_all_threads(store, project, fitted, monkeypatch):
    version, calls = add(project, fitted["knn"]), []
    load = checkpoints.load_model

    def slow(folder):
        calls.append(folder)
        time.sleep(0.05)
        return load(folder)

    monkeypatch.setattr(checkpoints, "load_model", slow)
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(project.model(version.id))) for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(calls) == 1
    assert len({id(model) for model in found}) == 1


def work_for_ever(root, model, encoder, id, log):
    """In a child process: save rows, versions and exports; write down what is finished."""
    torch.set_num_threads(1)
    checkpoints.load_encoder = lambda *_, **__: encoder
    project = make_store(root, model).open(id)
    with open(log, "a", buffering=1) as done:  # noqa: PTH123
        for turn in range(10_000):
            project.save_job_state({"state": "running", "turn": turn})
            project.save_rows([Row("Ann", "is next to", "Ben", label=str(turn))] * 200)
            done.write(f"rows {turn}\n")
            version = project.add_version(model, how="retrained", name=str(turn))
            done.write(f"version {version.id}\n")
            export_project(project, root.parent / "export.zip")
            done.write("export\n")
            if len(project.versions()) > 4:
                oldest = project.versions()[0].id
                done.write(f"deleting {oldest}\n")
                project.delete_version(oldest)
                done.write(f"deleted {oldest}\n")


@linux
def test_a_kill_loses_nothing_that_was_finished(tmp_path, fitted, tiny_encoder):
    root, log, model = tmp_path / "projects", tmp_path / "log", fitted["knn"]
    id = make_store(root, model).create().id
    context, rng, drafts = multiprocessing.get_context("fork"), random.Random(1), 0
    log.touch()
    for _ in range(8):
        written = log.stat().st_size
        child = context.Process(target=work_for_ever, args=(root, model, tiny_encoder, id, log))
        child.start()
        limit = time.monotonic() + 20
        while "version" not in log.read_text()[written:] and time.monotonic() < limit:
            time.sleep(0.005)
        time.sleep(rng.uniform(0, 0.25))
        child.kill()  # SIGKILL: nothing is tidied up
        child.join()
        assert child.exitcode == -9
        drafts += len(list(root.glob("**/.*draft*")))
        project = make_store(root, model).open(id)
        assert [path.name for path in root.glob("**/.*")] == [".job.lock"]
        lines = [line.split() for line in log.read_text().splitlines()]
        finished = {line[1] for line in lines if line[0] == "version"}
        leaving = {line[1] for line in lines if line[0] == "deleting"}
        left = {line[1] for line in lines if line[0] == "deleted"}
        found = {version.id for version in project.versions()}
        assert found >= finished - leaving
        assert not found & left
        assert found == {path.name for path in (project.folder / "versions").iterdir()}
        for version in found:
            asked = [Pair("Ann is next.", "Next is Ann.")]
            assert project.model(version).predict(asked)[0].label in model.labels
        last = [int(line[1]) for line in lines if line[0] == "rows"][-1]
        labels = {row.label for row in project.rows}
        assert len(project.rows) == 200
        assert labels in ({str(last)}, {str(last + 1)})
        assert project.job_state["state"] == "broken off"
        assert project.selected is None or project.selected in found
        if (tmp_path / "export.zip").exists():
            with zipfile.ZipFile(tmp_path / "export.zip") as archive:
                assert archive.testzip() is None
    assert drafts > 0  # some kill came in the middle of a save


def hold_a_job(root, model, id, ready, end):
    """In a child process: a job that goes on until `end` is set."""
    make_store(root, model).open(id).save_job_state({"state": "running"})
    ready.set()
    end.wait(20)
    os._exit(0)


@linux
def test_a_job_that_lives_in_another_process_is_not_marked(store, project, fitted):
    context = multiprocessing.get_context("fork")
    ready, end = context.Event(), context.Event()
    child = context.Process(
        target=hold_a_job, args=(store.root, fitted["knn"], project.id, ready, end)
    )
    child.start()
    assert ready.wait(20)
    make_store(store.root, fitted["knn"])
    assert project.job_state == {"state": "running"}
    end.set()
    child.join(20)
    make_store(store.root, fitted["knn"])
    assert project.job_state == {"state": "broken off"}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"[" * 100_000, "nested deeper than"),
        (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), "nested deeper than"),
        (b'{"a":' * 900 + b"1" + b"}" * 900, "nested deeper than"),
        (b"[" + b"1," * 600_000 + b"1]", "is larger than 1.0 MiB"),
        (b"[1", "is not JSON in UTF-8"),
        (b'"\xff"', "is not JSON in UTF-8"),
        (b"\x80\x04K\x01.", "is not JSON in UTF-8"),
        (b"9" * 5000, "is not JSON in UTF-8"),
    ],
)
def test_json_of_a_stranger_is_bounded(data, says):
    assert says in said(parse_json, data, 1024**2, "rows.json")


def test_json_is_read_up_to_its_bounds(tmp_path):
    deep = b"[" * (MAX_DEPTH - 1) + b"1" + b"]" * (MAX_DEPTH - 1)
    assert json.dumps(parse_json(deep, len(deep), "a")) == deep.decode()
    write_json(tmp_path / "a.json", {"x": (1, None, True, "é")})
    assert read_json(tmp_path / "a.json", 100) == {"x": [1, None, True, "é"]}
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]
    assert "a.json cannot be read" in said(read_json, tmp_path / "b" / "a.json", 100)
    with pytest.raises(TypeError):
        plain({1, 2})


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    write_json(tmp_path / "a.json", 1)
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(5, "Input/output")))
    with pytest.raises(OSError, match="Input/output"):
        write_json(tmp_path / "a.json", 2)
    assert files_of(tmp_path) == {"a.json": b"1\n"}


def test_a_long_curve_is_thinned_evenly_with_its_end():
    assert thinned([]) == []
    assert thinned(list(range(CURVE_POINTS))) == list(range(CURVE_POINTS))
    assert thinned(list(range(2 * CURVE_POINTS))) == list(range(1, 2 * CURVE_POINTS, 2))


VERSION = Version(
    "v000001-0123abcd", "mine", "2026-01-02T03:04:05+00:00", None, "instant", "base",
    labels=("a", "b"), method="knn",
)  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        {"id": "../x"}, {"id": 1}, {"created": "yesterday"}, {"created": "2026-01-02"},
        {"parent": "x"}, {"parent": "v000001-0123abcd"}, {"parent": "v000002-00000000"},
        {"how": "other"}, {"scores": []}, {"rows": -1}, {"rows": True}, {"labels": [1]},
        {"labels": "ab"}, {"method": "setfit"}, {"curve": {}}, {"more": 1},
    ],
)  # fmt: skip
def test_a_version_of_another_form_is_refused(change):
    assert Version.from_json(VERSION.to_json()) == VERSION
    assert "version.json" in said(Version.from_json, VERSION.to_json() | change)


@pytest.mark.parametrize(
    ("check", "allowed", "refused", "says"),
    [
        ("check_rows", 1000, 1001, "There are 1,001 rows; at most 1,000 are kept."),
        ("check_labels", 12, 13, "There are 13 different labels; at most 12"),
        ("check_relations", 200, 201, "There are 201 different relations; at most 200"),
        ("check_epochs", 60, 61, "61 epochs were asked for; a whole number from 1 to 60 is"),
        ("check_epochs", 1, 0, "0 epochs were asked for"),
        ("check_samples", 1000, 2.5, "2.5 samples were asked for; a whole number from 1 to 1,000"),
        ("check_versions", 12, 13, "would have 13 versions; at most 12"),
        ("check_projects", 500, 501, "501 projects"),
        ("check_waiting_jobs", 32, 33, "33 jobs waiting; the queue holds 32"),
        ("check_jobs_per_project", 1, 2, "2 jobs at once; 1 is allowed"),
        ("check_archive_entries", 200, 201, "201 files in it; at most 200"),
        ("check_archive_bytes", 300 * 1024**2, 301 * 1024**2, "301.0 MiB; at most 300.0 MiB"),
        ("check_project_bytes", 1, 401 * 1024**2, "401.0 MiB; at most 400.0 MiB"),
        ("check_job_minutes", 30, 31.2, "31 minutes; at most 30"),
        ("check_label", "depends", " ", "The label is empty"),
        ("check_name", "mine", "a\x07b", "control character U+0007"),
    ],
)
def test_each_limit_has_its_sentence(check, allowed, refused, says):
    limits = Limits()
    assert getattr(limits, check)(allowed) == allowed
    assert says in said(getattr(limits, check), refused)


@pytest.mark.parametrize("value", [0, -1, "3", True, float("nan"), None])
def test_a_limit_is_a_number_above_zero(value):
    assert "The limit rows is" in said(Limits, rows=value)


def test_an_untaught_base_makes_a_project_too(tmp_path, tiny_encoder):
    store = make_store(tmp_path, SymmetryClassifier.from_encoder(tiny_encoder))
    project = store.create()
    taught = project.model().teach([Pair("Ann is it.", "It is Ann.", "new label")])
    version = add(project, taught, how="instant")
    assert project.model(version.id).labels == version.labels == ("new label",)
