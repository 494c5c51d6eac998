"""The tab “Teach” without a browser: teaching, how jobs end, and versions."""

import json
import zipfile

import pytest
from refusals import refusal
from teach_fakes import BLANK, QUICK, edit, make_cells, planned, until, wait_for
from teaching_tools import edited, first_of, packed, sealed
from ui_fakes import NASTY, TINY, project_ids

from symdemo.classifier import SymmetryClassifier, checkpoints
from symdemo.errors import InputError, ModelError
from symdemo.ui.shared.html import draw
from symdemo.ui.shared.sessions import Sessions
from symdemo.ui.shared.store import VERSION_PREFIX, VisitorModels
from symdemo.ui.teach import training
from symdemo.ui.teach.training import find_training, plan_training, start_training, teach_instantly
from symdemo.ui.teach.transfer import open_project, pack_project, push_version
from symdemo.ui.teach.versions import changes_panel, draw_curves, gain, judge_rows, list_versions


def test_teaching_at_once_makes_a_version_that_try_it_uses(sessions, project):
    view, version = teach_instantly(edit(sessions, project, "page", make_cells()))
    assert view.project == project
    listed = list_versions(sessions, project)
    assert (listed.selected, listed.current.how) == (version.id, "instant")
    models = sessions.models(project)
    assert isinstance(models, VisitorModels)
    assert models.default == VERSION_PREFIX + version.id
    assert models.choices() == [("Version 1 (yours)", VERSION_PREFIX + version.id)]
    model = models.get(models.default).classifier
    assert "depends" in model.labels
    assert any("Ann 77" in pair.premise for pair in model.index.pairs)
    assert models.card(models.default).name == "Version 1"
    assert models.get(TINY).classifier is sessions.store.get(TINY).classifier
    sessions.find(project).undo()
    assert sessions.models(project).default == TINY


def test_another_page_waits_for_instant_teaching(sessions, project, monkeypatch):
    seen = []

    def teach(project):
        seen.append(find_training(sessions, project.id))
        return taught(project)

    taught = training.teach_project_instantly
    monkeypatch.setattr(training, "teach_project_instantly", teach)
    teach_instantly(edit(sessions, project, "page", make_cells()))
    assert "Teaching your rows" in draw("teach/job.html", view=seen[0])
    assert not seen[0].finished
    assert find_training(sessions, project) is None  # the page that asks then shows the version


def test_rows_in_the_way_are_named_and_nothing_is_made(sessions):
    cells = [*make_cells(), ["Ida", "borders", "", "yes"]]
    assert "Row 9" in refusal(teach_instantly, edit(sessions, "", "page", cells))
    with pytest.raises(InputError, match="Write a few rows first"):
        teach_instantly(edit(sessions, "", "other", [BLANK]))


def test_a_retraining_is_announced_then_done_in_the_queue(sessions, project):
    plan = plan_training(edit(sessions, project, "page", make_cells()), QUICK)[1]
    assert plan.data.config.epochs == 2
    assert plan.estimate.steps > 0
    assert find_training(sessions, project) is None
    view = wait_for(sessions, project, start_training(sessions, project, plan))
    assert (view.state, view.error) == ("done", None)
    assert view.progress[0] == view.progress[1] > 0
    assert draw_curves(view.events)["data"][0]["x"][-1] == plan.estimate.steps
    assert "Version 1 is ready" in draw("teach/job.html", view=view)
    assert "held out to check" in draw("teach/log.html", lines=view.log)
    version = list_versions(sessions, project).current
    assert view.result == version
    assert (version.how, version.parent, version.rows) == ("retrained", None, 8)
    assert version.training["replay"] == 24
    assert version.scores["own_n"] == 2
    assert [point["step"] for point in version.curve] == [*range(1, plan.estimate.steps + 1)]
    taught = sessions.find(project)
    until(lambda: taught.job_state["state"] == "done")
    assert taught.selected == version.id
    model = taught.model(version.id)
    assert "depends" in model.labels
    assert "% of 2, before " in model.card.scores["own pairs, held out"]
    taught.undo()
    assert find_training(sessions, project) is None  # it is not ready and in use any more


def test_a_failed_or_broken_off_training_tells_why(sessions, project, monkeypatch):
    def fail(project, settings, handle):
        raise InputError(f"The disk is full, {NASTY}.")

    monkeypatch.setattr(training, "retrain_planned", fail)
    view = wait_for(sessions, project, start_training(sessions, project, planned(project)))
    panel = draw("teach/job.html", view=view)
    assert "The training failed." in panel
    assert "The disk is full, &lt;img" in panel
    written = sessions.root / project / "job.json"
    until(lambda: json.loads(written.read_text())["state"] == "failed")
    again = Sessions(sessions.store, sessions.root)  # as after a restart
    assert "The disk is full" in draw("teach/job.html", view=find_training(again, project))
    sessions.find(project).save_job_state({"state": "broken off"})
    assert "start it again" in draw("teach/job.html", view=find_training(again, project))


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"epochs": "two"}, "Rounds over all rows"),
        ({"epochs": "999"}, "from 1 to 60"),
        ({"method": "magic"}, "magic"),
        ({"base": "../v1"}, "no such version"),
    ],
)
def test_settings_that_cannot_be_used_are_named(sessions, project, form, message):
    with pytest.raises(InputError, match=message):
        plan_training(edit(sessions, project, "page", make_cells()), form)[1]


def test_every_row_is_judged_by_versions_and_the_base_wrong_ones_first(sessions, project):
    _, version = teach_instantly(edit(sessions, project, "page", make_cells()))
    listed = list_versions(sessions, project)
    results = judge_rows(sessions, project, listed, [None, version.id])
    base, taught = results.columns
    assert [column.name for column in results.columns] == ["Base model (tiny)", "Version 1"]
    # The base model has no such label as “depends”, and so the rows of that relation come first.
    relations = [("was next to", [4, 5, 6, 7], "depends"), ("borders", [0, 1, 2, 3], "entailment")]
    assert list(results.relations()) == [(relation, places) for relation, places, _ in relations]
    for _, places, meant in relations:
        for column in (base, taught):
            right = sum(column.verdicts[place].label == meant for place in places)
            assert column.score(places) == right
    assert base.score([4, 5, 6, 7]) == 0
    order = list(results.wrong_first())
    assert sorted(order) == list(range(8))
    assert not any(base.right[place] for place in order[: 8 - sum(base.right)])
    panel = draw("teach/results.html", results=results)
    assert "<td>0 of 4</td>" in panel
    assert panel.count('<th scope="row">') == 1 + 2 + 8
    for id, says in (("", "Write a few rows first"), (project, "no usable row")):
        if id:
            edit(sessions, id, "page", []).save()
        assert says in refusal(judge_rows, sessions, id, listed, [None])


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
    _, version = teach_instantly(edit(sessions, project, "page", make_cells()))
    path = sessions.root / project / "versions" / version.id / "version.json"
    values = json.loads(path.read_text()) | {"scores": scores, "curve": [NASTY, {"step": NASTY}]}
    path.write_text(json.dumps(values))
    listed = list_versions(sessions, project)
    for shown in (changes_panel(listed), gain(listed.current)):
        assert NASTY not in shown
    assert draw_curves(listed.current.curve) is None


def test_other_encoders_are_not_even_looked_for(sessions, project, monkeypatch):
    monkeypatch.setenv("SYMDEMO_OPEN_ENCODERS", "0")
    teach_instantly(edit(sessions, project, "page", make_cells()))
    path = pack_project(sessions, project)
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    name = first_of(content, "config.json")
    card = json.loads(content[name])["card"] | {"encoder": "all-MiniLM-L12-v2"}
    packed(sealed(content | {name: edited(content[name], card=card)}), path)
    monkeypatch.setattr(checkpoints, "load_encoder", lambda *_, **__: pytest.fail("looked for"))
    with pytest.raises(InputError, match=r"“all-MiniLM-L12-v2”; expected: all-MiniLM-L6-v2\.$"):
        open_project(sessions, path)
    assert project_ids(sessions) == [project]


def test_a_token_is_used_once_and_kept_nowhere(sessions, project, monkeypatch, caplog):
    teach_instantly(edit(sessions, project, "page", make_cells()))
    seen = []

    def pretend(model, repository, token=None, private=True):
        seen.append((repository, token, private, "depends" in model.labels))
        if repository.endswith("refused"):
            raise ModelError("The model could not be pushed.") from ValueError(token)
        return "https://hub/somebody/model"

    monkeypatch.setattr(SymmetryClassifier, "push_to_hub", pretend)
    push = [sessions, project]
    assert push_version(*push, " me/model ", "hf_secret", False) == "https://hub/somebody/model"
    assert seen == [("me/model", "hf_secret", False, True)]
    with pytest.raises(ModelError) as raised:
        push_version(*push, "me/refused", "hf_secret", True)
    assert raised.value.__cause__ is None
    for repository, token in (("model", "hf_x"), ("me/../x y", "hf_x"), ("me/model", " ")):
        with pytest.raises(InputError):
            push_version(*push, repository, token, True)
    kept = b"".join(path.read_bytes() for path in sessions.root.rglob("*") if path.is_file())
    assert b"hf_secret" not in kept
    assert "hf_secret" not in caplog.text
