"""Models, projects and archives that an earlier layout of the package wrote still open."""

import json
import shutil
from pathlib import Path

import pytest

from symdemo import Pair, SymmetryClassifier
from symdemo.teaching.archive import import_project
from symdemo.teaching.limits import Limits
from symdemo.teaching.store import ProjectStore

HERE = Path(__file__).parent / "made_before"
ANSWERS = json.loads((HERE / "answers.json").read_text(encoding="utf-8"))


@pytest.fixture
def store(tmp_path):
    return ProjectStore(tmp_path / "projects", Limits(), bases=["general"])


def check_project(project) -> None:
    assert (project.name, project.base) == ("Family", "general")
    labels = ["entailment", "contradiction", "mein Etikett", ""]
    assert [row.label for row in project.rows] == labels
    assert [version.how for version in project.versions()] == ["instant", "instant"]
    pairs = [Pair(row["premise"], row["hypothesis"]) for row in ANSWERS]
    predictions = project.model(project.selected).predict(pairs)
    for prediction, row in zip(predictions, ANSWERS, strict=True):
        assert prediction.label == row["label"]
        assert dict(prediction.probabilities) == pytest.approx(row["probabilities"])


def test_a_model_folder_opens(tmp_path):
    model = SymmetryClassifier.from_pretrained(HERE / "model")
    assert model.labels == ("entailment", "contradiction")
    assert len(model.index) == 4
    model.save_pretrained(tmp_path / "again")
    kept = {path.name for path in (HERE / "model").iterdir()}
    assert kept < {path.name for path in (tmp_path / "again").iterdir()}


def test_a_project_folder_opens_and_a_job_that_was_running_is_broken_off(store):
    (folder,) = (HERE / "project").iterdir()
    shutil.copytree(folder, store.root / folder.name)
    check_project(store.open(folder.name))
    again = ProjectStore(store.root, Limits(), bases=["general"])
    assert again.open(folder.name).job_state["state"] == "broken off"


def test_an_archive_opens(store):
    check_project(import_project(store, HERE / "project.zip"))
