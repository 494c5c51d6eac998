"""A project with two versions, packed, and a store to unpack it into."""

import zipfile
from pathlib import Path

import pytest
from archive_tools import ROWS, Content
from project_stores import make_store
from tiny import keep_in_memory

from symdemo.teaching.archive import export_project
from symdemo.teaching.store import ProjectStore


@pytest.fixture(scope="module", autouse=True)
def quick_saving(tiny_encoder, tiny_folder):
    """Saving compares with the base encoder; it need not be read from the disk every time."""
    with pytest.MonkeyPatch.context() as patch:
        keep_in_memory(patch, tiny_encoder, tiny_folder)
        yield


@pytest.fixture(scope="module")
def project(fitted, tmp_path_factory):
    """A project with two versions, the first one selected; tests leave it as it is."""
    project = make_store(tmp_path_factory.mktemp("mine"), fitted["knn"]).create("Family")
    project.save_rows(ROWS)
    first = project.add_version(
        fitted["knn"], how="retrained", scores={"own": 0.5}, curve=[{"loss": 1.0}]
    )
    taught = [row.pair() for row in ROWS[:2]]
    project.add_version(fitted["knn"].teach(taught), how="instant", parent=first.id, name="zwei")
    project.select(first.id)
    project.save_job_state({"state": "done", "title": "secret job"})
    return project


@pytest.fixture(scope="module")
def exported(project, tmp_path_factory) -> Path:
    return export_project(project, tmp_path_factory.mktemp("out") / "mine.zip")


@pytest.fixture(scope="module")
def content(exported) -> Content:
    with zipfile.ZipFile(exported) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture
def store(fitted, tmp_path) -> ProjectStore:
    return make_store(tmp_path / "theirs", fitted["knn"])
