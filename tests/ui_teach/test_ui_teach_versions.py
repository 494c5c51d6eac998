"""The tab “Teach” without a browser: versions, compared and taken away."""

import hashlib
import json
import zipfile
from unittest import mock

import pytest

pytest.importorskip("gradio")

from teach_fakes import make_cells
from ui_fakes import NASTY, TINY

from symdemo import checkpoints
from symdemo.classifier import SymmetryClassifier
from symdemo.errors import InputError, ModelError
from symdemo.teaching.limits import Limits
from symdemo.ui import teach_away as away
from symdemo.ui import teach_changes, teach_panels, teach_rows, teach_versions
from symdemo.ui import teach_handlers as handlers
from symdemo.ui.store import OWN
from symdemo.ui.teach_figures import draw_curves
from symdemo.ui.teach_handlers import BASE, Shelf
from symdemo.ui.teach_results import judge_rows

# Versions


def test_versions_are_named_compared_undone_and_deleted(sessions, project):
    _, first = handlers.teach_at_once(sessions, project, "page", make_cells())
    _, second = handlers.teach_at_once(sessions, project, "page", make_cells()[:6])
    shelf = handlers.rename(sessions, project, second.id, f"Second {NASTY}")
    table = teach_versions.versions_panel(shelf)
    assert NASTY not in table
    assert table.index("Second") < table.index("Version 1") < table.rindex("Base model (tiny)")
    compared = [first.id, second.id, None]
    results = judge_rows(sessions, project, shelf, compared)
    panel = teach_versions.compare_panel(shelf, compared, results)
    assert "<td>8</td><td>6</td><td>–</td>" in panel
    before, after = (first.scores[f"benchmark_{side}"] for side in ("before", "after"))
    shares = [f"{share:.0%}" for share in (after, second.scores["benchmark_after"], before)]
    assert f"Built-in benchmark</th><td>{'</td><td>'.join(shares)}</td>" in panel
    labels = ", ".join(sessions.projects.base_model().labels)
    assert f"<td>{labels}</td></tr>" in panel
    assert panel.count('<th scope="col">Base model (tiny)</th>') == 3
    assert NASTY not in panel
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


def test_every_row_is_judged_by_versions_and_the_base_wrong_ones_first(sessions, project):
    _, version = handlers.teach_at_once(sessions, project, "page", make_cells())
    shelf = handlers.shelf(sessions, project)
    results = judge_rows(sessions, project, shelf, [None, version.id])
    base, taught = results.columns
    assert [column.name for column in results.columns] == ["Base model (tiny)", "Version 1"]
    said = {"borders": slice(0, 4), "was next to": slice(4, 8)}
    meant = {"borders": "entailment", "was next to": "depends"}
    for relation, n, rights in results.relations():
        verdicts = [column.verdicts[said[relation]] for column in (base, taught)]
        right = [sum(v.label == meant[relation] for v in own) for own in verdicts]
        assert (n, rights) == (4, right)
    assert results.relations()[0] == ("was next to", 4, [0, mock.ANY])  # base has not that label
    order = list(results.wrong_first())
    assert sorted(order) == list(range(8))
    right = [results.is_right(base, place) for place in order]
    assert right == sorted(right)
    panel = teach_versions.results_panel(results)
    assert "<td>0 of 4</td>" in panel
    assert panel.count('<th scope="row">') == 1 + 2 + 8
    for id, says in (("", "write a few rows first"), (project, "no usable row")):
        if id:
            teach_rows.edit(sessions, id, "page", [])
        with pytest.raises(InputError, match=says):
            judge_rows(sessions, id, shelf, [None])


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
    for shown in (teach_changes.changes_panel(shelf), teach_versions.versions_panel(shelf)):
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


def test_a_shared_model_is_not_hidden_by_a_version_called_after_it(sessions, project):
    _, version = handlers.teach_at_once(sessions, project, "page", make_cells())
    handlers.rename(sessions, project, version.id, TINY)
    models = sessions.models(project)
    assert models.get(TINY).classifier is sessions.store.get(TINY).classifier
    assert models.get(version.id).name == OWN + version.id


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
