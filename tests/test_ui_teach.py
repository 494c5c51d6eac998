"""The tab “Teach” without a browser: rows, jobs, versions, and who may see which of them."""

import hashlib
import json
import threading
import time
import zipfile
from types import MappingProxyType
from weakref import WeakKeyDictionary

import pytest

pytest.importorskip("gradio")
pytest.importorskip("gradio_client")

import gradio_client
from ui_fakes import NASTY, TINY, make_store, make_tiny_store

from symdemo import checkpoints
from symdemo.classifier import SymmetryClassifier
from symdemo.errors import InputError, ModelError
from symdemo.teaching import compare as comparing
from symdemo.teaching.estimate import Estimate
from symdemo.teaching.limits import Limits
from symdemo.teaching.rows import Row
from symdemo.teaching.settings import TeachSettings
from symdemo.ui import teach_away as away
from symdemo.ui import teach_changes, teach_panels, teach_rows
from symdemo.ui import teach_handlers as handlers
from symdemo.ui.app import build_app, launch_options
from symdemo.ui.store import OWN, OwnModels
from symdemo.ui.teach_figures import draw_curves
from symdemo.ui.teach_grid import decode, encode
from symdemo.ui.teach_handlers import BASE, Plan, Shelf
from symdemo.ui.teach_sessions import TeachSessions, default_root
from symdemo.ui.teach_show import start_choices

RELATIONS = (("borders", "yes"), ("was next to", "depends"))
NAMES = ("Ann", "Ben", "Carl", "Dan", "Eve", "Finn", "Greta", "Hugo")
QUICK = {"epochs": "2", "learning_rate": "0.003", "retention": "0", "replay": "24"}
BLANK = ["", "", "", ""]


def make_cells(mark="77"):
    """Two relations, one with a label of its own; `mark` is in every name."""
    return [
        [f"{NAMES[2 * n]} {mark}", relation, f"{NAMES[2 * n + 1]} {mark}", label]
        for relation, label in RELATIONS
        for n in range(4)
    ]


@pytest.fixture(autouse=True)
def quick(tiny_encoder, tiny_folder, monkeypatch):
    """The base encoder is not read from the disk every time, and the benchmark is small."""
    load, benchmark = checkpoints.load_encoder, comparing.benchmark_pairs()[:28]

    def give(name, device=None):
        same = str(name) == str(tiny_folder) and device == "cpu"
        return tiny_encoder if same else load(name, device)

    monkeypatch.setattr(checkpoints, "load_encoder", give)
    monkeypatch.setattr(comparing, "benchmark_pairs", lambda: benchmark)
    monkeypatch.setattr(comparing, "_embedded", WeakKeyDictionary())  # those of all are kept there


@pytest.fixture
def make_sessions(tmp_path, fitted):
    """Make sessions on the tiny model; their queues are closed after the test."""
    made = []

    def make(model=None, others=MappingProxyType({}), **options) -> TeachSessions:
        store = make_tiny_store(model or fitted["knn"], **others)
        made.append(TeachSessions(store, tmp_path / "projects", **options))
        return made[-1]

    yield make
    for sessions in made:
        sessions.queue.close(2)


@pytest.fixture
def sessions(make_sessions):
    return make_sessions()


@pytest.fixture
def project(sessions):
    """The id of a project with eight rows."""
    return teach_rows.edit(sessions, "", "page", make_cells()).project


def wait_for(sessions, id, view):
    return sessions.queue.wait(view.id, id, 60)


def until(true, seconds=5):
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def planned(id, seconds=2.0):
    return Plan(id, TeachSettings(), Estimate(seconds, 10, "cpu"))


# Whose project is whose


def test_a_visit_without_a_deed_leaves_nothing(sessions, tmp_path):
    assert teach_rows.load(sessions, "").rows == ()
    assert handlers.shelf(sessions, "") == Shelf()
    assert handlers.job(sessions, "") is None
    desk = teach_rows.edit(sessions, "", "page", [BLANK, BLANK])
    assert (desk.project, desk.rows) == ("", ())
    root = tmp_path / "projects"
    assert not root.exists() or not [p for p in root.iterdir() if not p.name.startswith(".")]


def test_the_first_row_makes_the_project_and_it_is_found_again(sessions):
    cells = [["Ann", "knows", "Bob", " Yes "], BLANK, ["Cora", "leads", "Dan", "no"], BLANK]
    desk = teach_rows.edit(sessions, "", "page", cells)
    rows = teach_rows.load(sessions, desk.project).rows
    assert [row.label for row in rows] == ["entailment", "", "contradiction"]
    assert rows[1].is_blank
    assert desk.report.counts_by_label == {"entailment": 1, "contradiction": 1}


def test_two_first_events_of_one_page_meet_in_one_project(sessions):
    first = sessions.find_or_create("", "page")
    assert sessions.find_or_create("", "page").id == first.id
    assert sessions.find_or_create("", "other page").id != first.id
    sessions.leave("page")
    assert sessions.find_or_create("", "page").id != first.id


@pytest.mark.parametrize("id", ["x" * 24, "../../etc", 7, ["a"], "\0"])
def test_an_id_that_opens_nothing_shows_nothing(sessions, project, id):
    with pytest.raises(InputError):
        teach_rows.load(sessions, id)
    for act in (handlers.undo, handlers.shelf, handlers.job, handlers.remove):
        with pytest.raises(InputError):
            act(sessions, id)
    assert sessions.models(id) is sessions.store


def test_where_projects_are_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("SYMDEMO_PROJECTS", str(tmp_path / "here"))
    assert default_root() == tmp_path / "here"
    monkeypatch.delenv("SYMDEMO_PROJECTS")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.delenv("SPACE_ID", raising=False)
    assert default_root() == tmp_path / "symdemo-projects"


# Rows


def test_the_grid_is_read_as_it_was_written():
    rows = [Row("Ann", "knows", "Bob", label="neutral"), Row(premise="A is B.", label="own")]
    cells = decode(encode(rows, whole=True))
    assert teach_rows.rows_of_cells(cells, Limits()) == rows
    assert len(cells) == teach_rows.SHOWN_ROWS


@pytest.mark.parametrize("value", [None, 3, "", "{", '{"rows": 1}', '{"rows": [1]}', "[" * 9999])
def test_what_the_page_never_sends_is_refused(value):
    with pytest.raises(InputError, match="could not be read"):
        decode(value)


def test_pasted_lines_are_added_and_bad_ones_told(sessions, project):
    text = "Ida, borders, Jon, yes\nAnn 77, borders, Ben 77, yes\nKate, borders, Leo,\n"
    desk = teach_rows.paste(sessions, project, "page", make_cells(), text)
    assert len(desk.rows) == 9
    assert desk.rows[-1] == Row("Ida", "borders", "Jon", label="entailment")
    assert desk.said == "1 row added. 1 row left out: already there."
    assert [note for note in desk.notes if note.startswith("Line 3:")] == list(desk.notes)
    with pytest.raises(InputError, match="empty"):
        teach_rows.paste(sessions, project, "page", make_cells(), " \n")


def test_a_file_is_read_by_the_columns_that_were_chosen(sessions, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("who,verb,whom,gold label\nAnn,knows,Bob,maybe\n", encoding="utf-8")
    upload = teach_rows.read_columns(str(path))
    assert upload.columns == ("who", "verb", "whom", "gold label")
    mapping = {"subject": "who", "relation": "verb", "object": "whom", "label": "gold label"}
    mapping |= {"premise": ""}
    desk = teach_rows.add_file(sessions, "", "page", [BLANK], str(path), mapping)
    assert desk.rows == (Row("Ann", "knows", "Bob", label="neutral"),)
    with pytest.raises(InputError, match="label"):
        teach_rows.add_file(sessions, "", "page", [], str(path), {"subject": "who"})
    with pytest.raises(InputError, match="No file"):
        teach_rows.read_columns(None)


def test_an_example_is_added_once(sessions):
    desk = teach_rows.add_example(sessions, "", "page", [BLANK], "chemistry")
    assert desk.report.ready
    assert desk.report.counts_by_label["depends"] == 4
    again = teach_rows.add_example(
        sessions, desk.project, "page", teach_rows.cells_of_rows(desk.rows), "chemistry"
    )
    assert again.rows == desk.rows
    assert again.said.startswith("0 rows added.")


def test_suggestions_are_only_kept_once_they_are_used(sessions, project):
    rows = teach_rows.suggest(sessions, make_cells())
    assert rows
    assert len(teach_rows.load(sessions, project).rows) == 8
    labels = {"borders": "entailment", "was next to": "depends"}
    assert all(row.label == labels[row.relation] for row in rows)
    edited = [["Zoe", "borders", "Max", "no"], BLANK]
    desk = teach_rows.use_suggestions(sessions, project, "page", make_cells(), edited)
    assert desk.rows[8:] == (Row("Zoe", "borders", "Max", label="contradiction"),)
    with pytest.raises(InputError, match="nothing to suggest"):
        teach_rows.suggest(sessions, [BLANK])


def test_tidying_takes_out_empty_and_repeated_rows(sessions, project):
    cells = [*make_cells(), BLANK, make_cells()[0]]
    desk = teach_rows.tidy(sessions, project, "page", cells)
    assert len(desk.rows) == 8
    assert desk.said == "1 repeated row taken out."


def test_too_large_a_table_is_refused_and_the_old_one_stays(make_sessions):
    sessions = make_sessions(limits=Limits(rows=9))
    id = teach_rows.edit(sessions, "", "page", make_cells()).project
    with pytest.raises(InputError, match="at most 9"):
        teach_rows.edit(sessions, id, "page", make_cells() * 2)
    assert len(teach_rows.load(sessions, id).rows) == 8


def test_the_report_points_out_what_is_wrong(sessions):
    cells = [
        ["Ann", "borders", "Ben", "yes"],
        ["Ann", "borders", "Ben", "no"],
        ["Carl", f"{NASTY} was next to", "Dan", f"{NASTY}"],
        ["Eve", "borders", "", "yes"],
    ]
    desk = teach_rows.edit(sessions, "", "page", cells)
    shown = teach_panels.report_panel(desk)
    assert "Rows 1 and 2 say the same with other labels" in shown
    assert 'class="must">Row 4:' in shown
    assert "has only one pair of names" in shown
    assert "Ready to teach" not in shown
    assert NASTY not in shown
    assert "&lt;img" in shown
    assert teach_panels.report_panel(None) == teach_panels.NO_ROWS
    ready = teach_rows.edit(sessions, "", "other", make_cells())
    assert "Ready to teach" in teach_panels.report_panel(ready)


# Teaching


def test_teaching_at_once_makes_a_version_that_try_it_uses(sessions, project):
    id, version = handlers.teach_at_once(sessions, project, "page", make_cells())
    assert id == project
    shelf = handlers.shelf(sessions, project)
    assert (shelf.selected, shelf.current.how) == (version.id, "instant")
    models = sessions.models(project)
    assert isinstance(models, OwnModels)
    assert models.default == OWN + version.id
    assert models.choices() == [("Version 1 (yours)", OWN + version.id)]
    model = models.get(models.default).classifier
    assert "depends" in model.labels
    assert any("Ann 77" in pair.premise for pair in model.index.pairs)
    assert models.card(models.default).name == "Version 1"
    assert models.get(TINY).classifier is sessions.store.get(TINY).classifier
    handlers.undo(sessions, project)
    assert sessions.models(project).default == TINY


def test_nobody_meets_the_version_of_another(sessions, project):
    _, version = handlers.teach_at_once(sessions, project, "page", make_cells())
    other = teach_rows.edit(sessions, "", "other page", make_cells("88")).project
    models = sessions.models(other)
    assert models.choices() == []
    for name in (OWN + version.id, f"{OWN}../{project}/versions/{version.id}"):
        with pytest.raises(InputError, match="no such version"):
            models.get(name)
        with pytest.raises(ModelError, match="There is no model"):
            sessions.models("").get(name)
    for act in (handlers.select, handlers.delete):
        with pytest.raises(InputError, match="no such version"):
            act(sessions, other, version.id)


def test_rows_in_the_way_are_named_and_nothing_is_made(sessions):
    cells = [*make_cells(), ["Ida", "borders", "", "yes"]]
    with pytest.raises(InputError, match="Row 9"):
        handlers.teach_at_once(sessions, "", "page", cells)
    with pytest.raises(InputError, match="write a few rows first"):
        handlers.teach_at_once(sessions, "", "other", [BLANK])


def test_a_retraining_is_announced_then_done_in_the_queue(sessions, project):
    plan = handlers.plan(sessions, project, "page", make_cells(), QUICK)
    assert plan.settings.epochs == 2
    assert plan.estimate.steps > 0
    words = teach_panels.plan_panel(plan)
    assert "About" in words
    assert "processor" in words
    assert handlers.job(sessions, project) is None
    view = wait_for(sessions, project, handlers.start(sessions, project, plan))
    assert (view.state, view.error) == ("done", None)
    assert view.progress[0] == view.progress[1] > 0
    assert draw_curves(view.events)["data"][0]["x"][-1] == view.progress[1]
    assert "Version 1 is ready" in teach_panels.job_panel(view)
    assert "held out to check" in teach_panels.log_panel(view)
    version = handlers.shelf(sessions, project).current
    assert version.how == "retrained"
    assert len(version.curve) == view.progress[1]


def test_a_job_is_only_shown_to_its_owner(sessions, project):
    other = teach_rows.edit(sessions, "", "other page", make_cells("88")).project
    view = handlers.start(sessions, project, planned(project))
    assert handlers.job(sessions, other) is None
    for act in (handlers.job, handlers.stop):
        with pytest.raises(InputError, match="no such job"):
            act(sessions, other, view.id)
    with pytest.raises(InputError, match="no plan"):
        handlers.start(sessions, other, planned(project))
    assert handlers.job(sessions, project, view.id).id == view.id


def test_eight_at_once_are_served_in_order_and_see_their_places(sessions, monkeypatch):
    let_go, order = threading.Event(), []

    def teach(project, settings, handle):
        order.append(project.id)
        while not let_go.wait(0.01):
            if handle.stopped():
                return

    monkeypatch.setattr(handlers, "teach_project", teach)
    ids = [sessions.find_or_create("", f"page {n}").id for n in range(8)]
    views = [handlers.start(sessions, id, planned(id, 60)) for id in ids]
    until(lambda: handlers.job(sessions, ids[0]).state == "running")
    places = [handlers.job(sessions, id).place for id in ids]
    assert places == list(range(8))
    panel = teach_panels.job_panel(handlers.job(sessions, ids[3]))
    assert "Place 3 in the queue." in panel
    assert "It begins in about 3 minutes." in panel
    with pytest.raises(InputError, match="under way"):
        handlers.plan(sessions, ids[3], "page 3", make_cells(), {})
    handlers.stop(sessions, ids[1], views[1].id)
    assert handlers.job(sessions, ids[3]).place == 2
    let_go.set()
    for id, view in zip(ids, views, strict=True):
        wait_for(sessions, id, view)
    assert order == [id for n, id in enumerate(ids) if n != 1]


def test_a_failed_or_broken_off_training_tells_why(sessions, project, monkeypatch):
    def fail(project, settings, handle):
        raise InputError(f"The disk is full, {NASTY}.")

    monkeypatch.setattr(handlers, "teach_project", fail)
    view = wait_for(sessions, project, handlers.start(sessions, project, planned(project)))
    panel = teach_panels.job_panel(view)
    assert "The training failed." in panel
    assert "The disk is full, &lt;img" in panel
    written = sessions.root / project / "job.json"
    until(lambda: json.loads(written.read_text())["state"] == "failed")
    again = TeachSessions(sessions.store, sessions.root)  # as after a restart
    assert "The disk is full" in teach_panels.job_panel(handlers.job(again, project))
    sessions.find(project).save_job_state({"state": "broken off"})
    assert "start it again" in teach_panels.job_panel(handlers.job(again, project))


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"epochs": "two"}, "Rounds over all rows"),
        ({"epochs": "0"}, "epochs"),
        ({"epochs": "999"}, "from 1 to 60"),
        ({"learning_rate": "nan"}, "learning rate"),
        ({"method": "magic"}, "magic"),
        ({"base": "../v1"}, "no such version"),
    ],
)
def test_settings_that_cannot_be_used_are_named(sessions, project, form, message):
    with pytest.raises(InputError, match=message):
        handlers.plan(sessions, project, "page", make_cells(), form)


def test_empty_settings_are_the_usual_ones():
    assert handlers.read_settings({"epochs": " ", "base": "", "seed": None}) == TeachSettings()
    assert handlers.read_settings({"retention": "0,5"}).retention == 0.5


def test_a_retraining_starts_from_what_was_chosen(make_sessions, fitted, monkeypatch):
    other = fitted["knn-learnt-metric"]
    sessions = make_sessions(others={"second": other})
    project, first = handlers.teach_at_once(sessions, "", "page", make_cells())
    timed = []
    real = handlers.estimate
    monkeypatch.setattr(handlers, "estimate", lambda base, *_: timed.append(base) or real(base, *_))

    def retrained(chosen):
        form = QUICK | ({"base": chosen} if chosen else {})
        plan = handlers.plan(sessions, project, "page", make_cells(), form)
        view = wait_for(sessions, project, handlers.start(sessions, project, plan))
        assert view.state == "done"
        return plan, view.result

    own = sessions.find(project)
    plan, second = retrained(None)
    assert "It starts from Version 1." in teach_panels.plan_panel(plan)
    assert (second.parent, second.base) == (first.id, TINY)
    assert timed[-1] is own.model(first.id)
    plan, third = retrained("second")
    assert "It starts from second." in teach_panels.plan_panel(plan)
    assert (third.parent, third.base, third.method) == (None, "second", other.method)
    assert timed[-1] is other
    _, fourth = retrained(third.id)
    assert (fourth.parent, fourth.base) == (third.id, "second")
    handlers.select(sessions, project, third.id)
    shown = teach_changes.changes_panel(handlers.shelf(sessions, project))
    assert "made from Base model (second)" in shown
    fifth = handlers.teach_at_once(sessions, project, "page", make_cells())[1]
    assert (fifth.parent, fifth.base) == (third.id, "second")


def test_a_plan_keeps_to_what_it_told(sessions, project):
    plan = handlers.plan(sessions, project, "page", make_cells(), QUICK)
    handlers.teach_at_once(sessions, project, "page", make_cells())
    view = wait_for(sessions, project, handlers.start(sessions, project, plan))
    assert view.result.parent is None


def test_every_version_and_built_in_model_is_offered_to_start_from(sessions, project, fitted):
    cards = make_tiny_store(fitted["knn"], second=fitted["knn"]).cards()
    built_in = [("tiny (built in): A toy.", TINY), ("second (built in): A toy.", "second")]
    assert start_choices(Shelf(), cards) == (built_in, TINY)
    assert start_choices(Shelf(), {}) == ([], None)
    _, first = handlers.teach_at_once(sessions, project, "page", make_cells())
    _, second = handlers.teach_at_once(sessions, project, "page", make_cells())
    choices, usual = start_choices(handlers.shelf(sessions, project), cards)
    assert choices == [("Version 2 (in use)", second.id), ("Version 1", first.id), *built_in]
    assert usual == second.id
    assert start_choices(handlers.select(sessions, project, BASE), cards)[1] == TINY


def test_a_training_that_would_take_too_long_is_refused(make_sessions, monkeypatch):
    sessions = make_sessions()
    monkeypatch.setattr(handlers, "estimate", lambda *_: Estimate(3600, 9000, "cpu"))
    with pytest.raises(InputError, match="60 minutes; at most 30"):
        handlers.plan(sessions, "", "page", make_cells(), {})


# Versions


def test_versions_are_named_compared_undone_and_deleted(sessions, project):
    _, first = handlers.teach_at_once(sessions, project, "page", make_cells())
    _, second = handlers.teach_at_once(sessions, project, "page", make_cells()[:6])
    shelf = handlers.rename(sessions, project, second.id, f"Second {NASTY}")
    table = teach_changes.versions_panel(shelf)
    assert NASTY not in table
    assert table.index("Second") < table.index("Version 1") < table.rindex("Base model (tiny)")
    compared = teach_changes.compare_panel(shelf, first.id, second.id)
    assert "<td>8</td><td>6</td>" in compared
    assert teach_changes.compare_panel(shelf, first.id, first.id) == ""
    assert handlers.select(sessions, project, first.id).selected == first.id
    assert handlers.undo(sessions, project).selected is None
    assert handlers.select(sessions, project, second.id).selected == second.id
    shelf = handlers.delete(sessions, project, second.id)
    assert [version.id for version in shelf.versions] == [first.id]
    assert shelf.selected is None
    with pytest.raises(InputError, match="stays as it is"):
        handlers.delete(sessions, project, BASE)
    with pytest.raises(InputError, match="choose one first"):
        handlers.select(sessions, project, None)


def test_before_and_after_are_shown_side_by_side(sessions, project):
    _, version = handlers.teach_at_once(sessions, project, "page", make_cells())
    shown = teach_changes.changes_panel(handlers.shelf(sessions, project))
    scores = version.scores
    assert f"<b>{scores['own_after']:.0%}</b>" in shown
    assert "28 facts" in shown
    assert shown.count("<article") == len(scores["probes"])
    assert shown.count("<h4>Before</h4>") == shown.count("<h4>After</h4>")
    near = scores["probes"][0]["after"]["neighbours"][0]
    assert near["premise"] in shown
    assert teach_changes.changes_panel(Shelf()) == teach_changes.NOTHING


@pytest.mark.parametrize(
    "scores",
    [
        {"probes": [NASTY, {"premise": NASTY, "hypothesis": "x", "label": [NASTY]}]},
        {"own_n": NASTY, "own_before": NASTY, "own_after": True, "drift": NASTY},
        {"unchecked": [NASTY, 3], "benchmark_n": NASTY, "how_held_out": [1]},
        {"probes": [{"premise": "a", "hypothesis": "b", "after": {"neighbours": [{"distance": ""}],
                     "probabilities": [1], "label": NASTY}}]},
    ],
)  # fmt: skip
def test_scores_that_anybody_wrote_are_shown_as_text(sessions, project, scores):
    _, version = handlers.teach_at_once(sessions, project, "page", make_cells())
    path = sessions.root / project / "versions" / version.id / "version.json"
    values = json.loads(path.read_text()) | {"scores": scores, "curve": [NASTY, {"step": NASTY}]}
    path.write_text(json.dumps(values))
    shelf = handlers.shelf(sessions, project)
    for shown in (teach_changes.changes_panel(shelf), teach_changes.versions_panel(shelf)):
        assert NASTY not in shown
    assert draw_curves(shelf.current.curve) is None


def test_curves_leave_out_what_was_not_measured():
    points = [
        {"step": 1, "total": 4, "loss": 0.5, "accuracy": None},
        {"step": 2, "total": 4, "loss": float("nan"), "accuracy": 0.75},
    ]
    figure = draw_curves(points)
    assert figure["data"][0]["y"] == [0.5]
    assert (figure["data"][1]["x"], figure["data"][1]["y"]) == ([2], [75.0])
    assert figure["layout"]["xaxis"]["range"] == [0, 4]
    assert draw_curves([]) is None


# To take away


def test_a_project_is_packed_and_opened_under_another_id(sessions, project):
    handlers.teach_at_once(sessions, project, "page", make_cells())
    parcels = away.Parcels()
    parcel = away.save_project(sessions, parcels, project)
    assert parcel.path.endswith("My-relations.zip")
    assert project not in "".join(zipfile.ZipFile(parcel.path).namelist())
    new = away.open_project(sessions, parcel.path)
    assert new != project
    assert teach_rows.load(sessions, new).rows == teach_rows.load(sessions, project).rows
    assert handlers.shelf(sessions, new).current.name == "Version 1"
    with pytest.raises(InputError, match="no file"):
        away.open_project(sessions, parcel.path)


def with_encoder(path, encoder):
    """The archive at `path` with another encoder in the card of its models, and honest again."""
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    listed = json.loads(content.pop("manifest.json"))
    for name in [name for name in content if name.endswith("/model/config.json")]:
        config = json.loads(content[name])
        config["card"]["encoder"] = encoder
        content[name] = json.dumps(config).encode()
        listed["files"][name] |= {
            "size": len(content[name]),
            "sha256": hashlib.sha256(content[name]).hexdigest(),
        }
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in {"manifest.json": json.dumps(listed).encode(), **content}.items():
            archive.writestr(name, data)
    return path


@pytest.mark.parametrize("space", [True, False])
def test_on_a_space_other_encoders_are_not_even_looked_for(
    sessions, project, monkeypatch, space, tiny_encoder
):
    monkeypatch.delenv("SPACE_ID", raising=False)
    if space:
        monkeypatch.setenv("SPACE_ID", "somebody/symdemo")
    handlers.teach_at_once(sessions, project, "page", make_cells())
    parcels = away.Parcels()
    plain = away.save_project(sessions, parcels, project)
    assert handlers.shelf(sessions, away.open_project(sessions, plain.path)).current is not None
    parcel = away.save_project(sessions, parcels, project)
    asked, other = [], "all-MiniLM-L12-v2"
    monkeypatch.setattr(
        checkpoints, "load_encoder", lambda name, *_: asked.append(name) or tiny_encoder.clone()
    )
    before = sessions.projects._ids()
    if space:
        says = f"“{other}”; expected: all-MiniLM-L6-v2.$"
        with pytest.raises(InputError, match=says) as raised:
            away.open_project(sessions, with_encoder(parcel.path, other))
        assert str(raised.value).count(". ") == 0
        assert sessions.projects._ids() == before
    else:
        away.open_project(sessions, with_encoder(parcel.path, other))
        assert len(sessions.projects._ids()) == len(before) + 1
    assert asked == ([] if space else [other])


def test_the_key_is_shown_to_whoever_has_it(sessions, project):
    assert away.key(sessions, project) == project
    with pytest.raises(InputError, match="write a few rows first"):
        away.key(sessions, "")
    with pytest.raises(InputError, match="no such project"):
        away.key(sessions, "x" * 24)


def test_a_version_is_packed_for_other_programs(sessions, project):
    _, version = handlers.teach_at_once(sessions, project, "page", make_cells())
    parcels = away.Parcels()
    names = zipfile.ZipFile(away.save_model(sessions, parcels, project, version.id).path).namelist()
    assert {"model/config.json", "README.md", "encoder/modules.json"} <= set(names)
    with pytest.raises(InputError, match="write a few rows first"):
        away.save_model(sessions, parcels, "", None)


def test_a_token_is_used_once_and_kept_nowhere(sessions, project, monkeypatch, caplog):
    _, version = handlers.teach_at_once(sessions, project, "page", make_cells())
    seen = []

    def pretend(model, repository, token=None, private=True):
        seen.append((repository, token, private, "depends" in model.labels))
        if repository.endswith("refused"):
            raise ModelError("The model could not be pushed.") from ValueError(token)
        return "https://hub/somebody/model"

    monkeypatch.setattr(SymmetryClassifier, "push_to_hub", pretend)
    push = [sessions, project, version.id]
    assert away.push(*push, " me/model ", "hf_secret", False) == "https://hub/somebody/model"
    assert seen == [("me/model", "hf_secret", False, True)]
    with pytest.raises(ModelError) as raised:
        away.push(*push, "me/refused", "hf_secret", True)
    assert raised.value.__cause__ is None
    for repository, token in (("model", "hf_x"), ("me/../x y", "hf_x"), ("me/model", " ")):
        with pytest.raises(InputError):
            away.push(*push, repository, token, True)
    kept = b"".join(path.read_bytes() for path in sessions.root.rglob("*") if path.is_file())
    assert b"hf_secret" not in kept
    assert "hf_secret" not in caplog.text


def test_a_deleted_project_is_gone(sessions, project):
    handlers.remove(sessions, project)
    assert not (sessions.root / project).exists()
    with pytest.raises(InputError, match="no such project"):
        teach_rows.load(sessions, project)


def test_the_limits_are_told():
    shown = teach_panels.limits_panel(Limits(rows=77, idle_days=3))
    assert "Projects untouched for 3 days are deleted; download yours." in shown
    assert "77 rows" in shown


# Over HTTP


class Browser:
    """A visitor over HTTP: a client of its own, and the id that the browser would keep."""

    def __init__(self, demo, url):
        self.client = gradio_client.Client(url, verbose=False)
        self.demo, self.id, self.job = demo, "", ""
        for endpoint in self.client.endpoints.values():
            endpoint.is_valid = True  # private endpoints answer whoever posts to them

    def act(self, name, event, *inputs):
        """All that comes back from an event of the component called `name`, as JSON."""
        block = next(b for b in self.demo.blocks.values() if getattr(b, "elem_id", "") == name)
        function = next(f for f in self.demo.fns.values() if (block._id, event) in f.targets)
        values = self.client.predict(*inputs, fn_index=function._id)
        return list(values) if isinstance(values, list | tuple) else [values]


def grid(cells):
    return json.dumps({"headers": list(teach_rows.HEADERS), "rows": cells})


@pytest.fixture
def served(sessions):
    demo = build_app(sessions.store, sessions=sessions)
    options = launch_options() | {"prevent_thread_lock": True, "quiet": True}
    _, url, _ = demo.launch(server_name="127.0.0.1", server_port=None, **options)
    yield demo, url
    demo.close()


def test_two_visitors_at_once_never_meet(served, sessions):
    ann, bob = (Browser(*served) for _ in range(2))
    for visitor, mark in ((ann, "AnnOnly"), (bob, "BobOnly")):
        values = visitor.act("teach-grid", "input", "", grid(make_cells(mark)))
        visitor.id = values[0]
    assert ann.id != bob.id
    seen = {}
    for visitor in (ann, bob):
        visitor.act("at-once", "click", visitor.id, grid(make_cells("AnnOnly" if visitor is ann
                    else "BobOnly")))  # fmt: skip
    jobs = []
    for visitor in (ann, bob):
        view = handlers.start(sessions, visitor.id, planned(visitor.id))
        jobs.append(view.id)
    for visitor, job in zip((ann, bob), jobs, strict=True):
        wait_for(sessions, visitor.id, handlers.job(sessions, visitor.id, job))
        seen[visitor] = json.dumps(visitor.act("version", "input", visitor.id, None, None))
        seen[visitor] += json.dumps(visitor.act("undo", "click", visitor.id))
        seen[visitor] += json.dumps(visitor.act("stop", "click", visitor.id))
    assert "AnnOnly" not in seen[bob]
    assert "BobOnly" not in seen[ann]
    assert ann.id not in seen[bob]
    with pytest.raises(InputError):
        handlers.job(sessions, ann.id, jobs[1])


def test_the_endpoint_teaches_and_answers_but_keeps_nothing(served, sessions):
    client = gradio_client.Client(served[1], verbose=False)
    rows = "\n".join(", ".join(cells) for cells in make_cells())
    found = client.predict(rows, "Ida 77 borders Jon 77.", "", api_name="/teach")
    assert found["version"] is None
    assert "depends" in found["labels"]
    assert found["comparison"]["own_n"] == 8
    assert found["verdicts"][0]["hypothesis"] == "Jon 77 borders Ida 77."
    assert sessions.projects._ids() == []
    id = teach_rows.edit(sessions, "", "page", make_cells("88")).project
    made = client.predict(rows, "", id, api_name="/teach")
    assert handlers.shelf(sessions, id).selected == made["version"]
    assert len(teach_rows.load(sessions, id).rows) == 16
    for arguments in (("nonsense", "", ""), (rows, "", "x" * 24), ("", "", "")):
        with pytest.raises(gradio_client.exceptions.AppError) as raised:
            client.predict(*arguments, api_name="/teach")
        assert "Traceback" not in str(raised.value)


def test_two_programs_ask_their_own_versions_by_name(served, sessions):
    ann, bob = (gradio_client.Client(served[1], verbose=False) for _ in range(2))
    made, asked = {}, "Ida borders Jon."
    for client, mark in ((ann, "AnnOnly"), (bob, "BobOnly")):
        rows = "\n".join(", ".join(cells) for cells in make_cells(mark))
        rows += f"\nIda {mark}, hums with, Jon {mark}, {mark}"
        made[client] = client.predict(rows, "", "new", api_name="/teach")

    def ask(client, model, key):
        return client.predict(asked, "", model, key, api_name="/predict")

    for client, own, other in ((ann, "AnnOnly", "BobOnly"), (bob, "BobOnly", "AnnOnly")):
        key, version = made[client]["project"], made[client]["version"]
        for name in ("Version 1", version, OWN + version):
            found = ask(client, name, key)
            assert own in found["probabilities"]
            assert other not in json.dumps(found)
        for shared in ("", TINY):
            assert own not in ask(client, shared, key)["probabilities"]
    theirs = made[bob]["version"]
    for name, key in (("Version 1", ""), (theirs, ""), (OWN + theirs, ""),
                      (theirs, made[ann]["project"]), (OWN + theirs, made[ann]["project"]),
                      ("Version 1", "x" * 24), ("", "x" * 24)):  # fmt: skip
        with pytest.raises(gradio_client.exceptions.AppError, match="There is no") as raised:
            ask(ann, name, key)
        assert "BobOnly" not in str(raised.value)
    with pytest.raises(gradio_client.exceptions.AppError, match="here are: tiny, Version 1"):
        ask(ann, "Version 2", made[ann]["project"])


def test_a_project_of_rows_that_cannot_be_taught_is_not_begun(served, sessions):
    client = gradio_client.Client(served[1], verbose=False)
    with pytest.raises(gradio_client.exceptions.AppError, match="same"):
        client.predict("Ann, is, Bo, yes\nAnn, is, Bo, no", "", "new", api_name="/teach")
    assert sessions.projects._ids() == []


def test_a_shared_model_is_not_hidden_by_a_version_called_after_it(sessions, project):
    _, version = handlers.teach_at_once(sessions, project, "page", make_cells())
    handlers.rename(sessions, project, version.id, TINY)
    models = sessions.models(project)
    assert models.get(TINY).classifier is sessions.store.get(TINY).classifier
    assert models.get(version.id).name == OWN + version.id


def test_the_app_is_built_without_a_model():
    store = make_store()
    store._list_cards = list
    assert build_app(store).blocks
