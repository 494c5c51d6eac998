"""A store of projects on the tiny model, and one project in it."""

import pytest
from project_stores import make_store
from tiny import keep_in_memory

from symdemo.teaching.store import ProjectStore


@pytest.fixture(autouse=True)
def quick_saving(tiny_encoder, tiny_folder, monkeypatch):
    """Saving compares with the base encoder; it need not be read from the disk every time."""
    keep_in_memory(monkeypatch, tiny_encoder, tiny_folder)


@pytest.fixture
def store(tmp_path, fitted) -> ProjectStore:
    return make_store(tmp_path / "projects", fitted["knn"])


@pytest.fixture
def project(store):
    return store.create("Family")
