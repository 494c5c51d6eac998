"""Stores of projects on the tiny model, an archive, and a retrained model."""

import zipfile
from pathlib import Path

import pytest
from retrain_tools import QUICK, Listener, own_pairs
from teaching_tools import Content, add, make_store
from tiny import keep_in_memory

from symdemo.classifier import SymmetryClassifier
from symdemo.teaching.archive import export_project
from symdemo.teaching.retraining import retrain
from symdemo.teaching.rows import TeachRow
from symdemo.teaching.store import ProjectStore

ARCHIVED_ROWS = [
    TeachRow("Ann", "is a sibling of", "Ben", label="entailment"),
    TeachRow(
        premise="Zoë is next to Ida.", hypothesis="Ida is next to Zoë.", label="mein “Etikett”"
    ),
    TeachRow("Eve"),
]


@pytest.fixture(scope="module", autouse=True)
def quick_saving(tiny_encoder, tiny_folder):
    """Keep the base encoder, which saving compares with, in memory."""
    with pytest.MonkeyPatch.context() as patch:
        keep_in_memory(patch, tiny_encoder, tiny_folder)
        yield


@pytest.fixture
def store(tmp_path, fitted) -> ProjectStore:
    return make_store(tmp_path / "projects", fitted["knn"])


@pytest.fixture
def project(store):
    return store.create("Family")


@pytest.fixture(scope="module")
def archived(fitted, tmp_path_factory):
    """A project with two versions, the first one selected; tests leave it as it is."""
    project = make_store(tmp_path_factory.mktemp("mine"), fitted["knn"]).create("Family")
    project.save_rows(ARCHIVED_ROWS)
    first = add(project, fitted["knn"], scores={"own": 0.5}, curve=[{"loss": 1.0}])
    taught = [row.pair() for row in ARCHIVED_ROWS[:2]]
    project.add_version(fitted["knn"].teach(taught), how="instant", parent=first.id, name="zwei")
    project.select(first.id)
    project.save_job_state({"state": "done", "title": "secret job"})
    return project


@pytest.fixture(scope="module")
def exported(archived, tmp_path_factory) -> Path:
    return export_project(archived, tmp_path_factory.mktemp("out") / "mine.zip")


@pytest.fixture(scope="module")
def content(exported) -> Content:
    with zipfile.ZipFile(exported) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def own():
    return own_pairs()


@pytest.fixture(scope="module")
def base(fitted):
    """A k-NN model with its own k and limit of familiarity."""
    model = fitted["knn"]
    card = model.card.with_(name="tiny", k=5, familiar_within=0.25)
    return SymmetryClassifier(model.encoder, model.index, card)


@pytest.fixture(scope="module")
def retrained(base, own, small_measurements):
    listener = Listener()
    return *retrain(base, own, QUICK, listener), listener
