"""The tab “Teach” without a browser: versions, compared and taken away."""

import json
import re
import zipfile
from unittest import mock

import pytest

pytest.importorskip("gradio")

from teach_fakes import edit, make_cells
from teaching_tools import packed, sealed
from ui_fakes import NASTY, project_ids

from symdemo.classifier import SymmetryClassifier, checkpoints
from symdemo.errors import InputError, ModelError
from symdemo.ui.app import build_app
from symdemo.ui.shared.html import draw
from symdemo.ui.teach.grid import load_rows
from symdemo.ui.teach.panels import (
    changes_panel,
    compare_panel,
    draw_curves,
    gain,
)
from symdemo.ui.teach.training import teach_instantly
from symdemo.ui.teach.transfer import (
    delete_project,
    open_project,
    pack_project,
    pack_version,
    push_version,
)
from symdemo.ui.teach.versions import (
    BASE,
    VersionList,
    chosen_own,
    chosen_version,
    judge_rows,
    list_versions,
)

# Versions


def test_versions_are_named_compared_undone_and_deleted(sessions, project):
    _, first = teach_instantly(edit(sessions, project, "page", make_cells()))
    _, second = teach_instantly(edit(sessions, project, "page", make_cells()[:6]))
    own = sessions.find(project)
    own.rename_version(second.id, f"Second {NASTY}")
    listed = list_versions(sessions, project)
    assert re.fullmatch(
        r"instant, 6 rows; your rows \d+% → \d+%; benchmark \d+% → \d+%; other sentences kept \d+%",
        gain(second),
    )
    bare = first.model_copy(update={"scores": {}})
    assert gain(bare) == "instant, 8 rows"
    assert "→" not in changes_panel(VersionList((bare,), bare.id))  # nothing was measured
    compared = [first.id, second.id, None]
    results = judge_rows(sessions, project, listed, compared)
    panel = compare_panel(listed, compared, results)
    assert "<td>8</td><td>6</td><td>–</td>" in panel
    before, after = (first.scores[f"benchmark_{side}"] for side in ("before", "after"))
    shares = [f"{share:.0%}" for share in (after, second.scores["benchmark_after"], before)]
    assert f"Built-in benchmark</th><td>{'</td><td>'.join(shares)}</td>" in panel
    labels = ", ".join(sessions.projects.base_model().labels)
    assert f"<td>{labels}</td></tr>" in panel
    assert panel.count('<th scope="col">Base model (tiny)</th>') == 3
    assert NASTY not in panel
    demo = build_app(sessions.store, sessions=sessions)
    parts = {getattr(block, "elem_id", None): block for block in demo.blocks.values()}
    use = next(f.fn for f in demo.fns.values() if (parts["version"]._id, "input") in f.targets)
    for chosen, own_one in ((second.id, True), (BASE, False), (first.id, True)):
        shown = use(None, project, chosen)
        names = ("rename", "new-name", "delete-version", "undo")
        assert [shown[parts[name]]["visible"] for name in names] == [*[own_one] * 3, True]
    own.select(second.id)
    own.delete_version(second.id)
    listed = list_versions(sessions, project)
    assert [version.id for version in listed.versions] == [first.id]
    assert listed.selected is None
    assert chosen_version(BASE) is None
    with pytest.raises(InputError, match="cannot be changed"):
        chosen_own(BASE)
    with pytest.raises(InputError, match="choose one first"):
        chosen_version(None)


def test_every_row_is_judged_by_versions_and_the_base_wrong_ones_first(sessions, project):
    _, version = teach_instantly(edit(sessions, project, "page", make_cells()))
    listed = list_versions(sessions, project)
    results = judge_rows(sessions, project, listed, [None, version.id])
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
    panel = draw("teach/results.html", results=results)
    assert "<td>0 of 4</td>" in panel
    assert panel.count('<th scope="row">') == 1 + 2 + 8
    for id, says in (("", "Write a few rows first"), (project, "no usable row")):
        if id:
            edit(sessions, id, "page", []).save()
        with pytest.raises(InputError, match=says):
            judge_rows(sessions, id, listed, [None])


def test_before_and_after_are_shown_side_by_side(sessions, project):
    _, version = teach_instantly(edit(sessions, project, "page", make_cells()))
    shown = changes_panel(list_versions(sessions, project))
    scores = version.scores
    assert f"<b>{scores['own_after']:.0%}</b>" in shown
    assert "28 facts" in shown
    assert shown.count("<article") == len(scores["probes"])
    assert shown.count("<h4>Before</h4>") == shown.count("<h4>After</h4>")
    near = scores["probes"][0]["after"]["neighbours"][0]
    assert near["premise"] in shown
    assert "Teach the model, and" in changes_panel(VersionList())


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


# To take away


def test_a_project_is_packed_and_opened_under_another_id(sessions, project):
    teach_instantly(edit(sessions, project, "page", make_cells()))
    path = pack_project(sessions, project)
    assert path.name == "My-relations.zip"
    assert project not in "".join(zipfile.ZipFile(path).namelist())
    new = open_project(sessions, path)
    assert new != project
    assert load_rows(sessions, new).rows == load_rows(sessions, project).rows
    assert list_versions(sessions, new).current.name == "Version 1"
    with pytest.raises(InputError, match="no file"):
        open_project(sessions, path)


def with_encoder(path, encoder):
    """Name another encoder in the cards of an archive, with a manifest that fits."""
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    for name in [name for name in content if name.endswith("/model/config.json")]:
        config = json.loads(content[name])
        config["card"]["encoder"] = encoder
        content[name] = json.dumps(config).encode()
    return packed(sealed(content), path)


@pytest.mark.parametrize("closed", [True, False])
def test_other_encoders_are_not_even_looked_for_unless_the_owner_opens_that(
    sessions, project, monkeypatch, closed, tiny_encoder
):
    monkeypatch.delenv("SPACE_ID", raising=False)
    monkeypatch.setenv("SYMDEMO_OPEN_ENCODERS", "0" if closed else "1")
    teach_instantly(edit(sessions, project, "page", make_cells()))
    plain = pack_project(sessions, project)
    assert list_versions(sessions, open_project(sessions, plain)).current is not None
    path = pack_project(sessions, project)
    asked, other = [], "all-MiniLM-L12-v2"
    monkeypatch.setattr(
        checkpoints, "load_encoder", lambda name, *_: asked.append(name) or tiny_encoder.clone()
    )
    before = project_ids(sessions)
    if closed:
        says = f"“{other}”; expected: all-MiniLM-L6-v2.$"
        with pytest.raises(InputError, match=says) as raised:
            open_project(sessions, with_encoder(path, other))
        assert str(raised.value).count(". ") == 0
        assert project_ids(sessions) == before
    else:
        open_project(sessions, with_encoder(path, other))
        assert len(project_ids(sessions)) == len(before) + 1
    assert asked == ([] if closed else [other])


def test_a_version_is_packed_for_other_programs(sessions, project):
    teach_instantly(edit(sessions, project, "page", make_cells()))
    names = zipfile.ZipFile(pack_version(sessions, project)).namelist()
    assert {"model/config.json", "README.md", "encoder/modules.json"} <= set(names)
    with pytest.raises(InputError, match="Write a few rows first"):
        pack_version(sessions, "")


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


def test_a_deleted_project_is_gone(sessions, project):
    packed = pack_project(sessions, project)
    assert packed.exists()
    delete_project(sessions, project)
    assert not (sessions.root / project).exists()
    assert not packed.exists()
    with pytest.raises(InputError, match="no such project"):
        load_rows(sessions, project)
