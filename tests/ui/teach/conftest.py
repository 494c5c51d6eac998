"""Visitors of the tab “Teach” on the tiny model."""

from types import MappingProxyType
from weakref import WeakKeyDictionary

import pytest
from teach_fakes import edit, make_cells
from tiny import keep_in_memory
from ui_fakes import make_tiny_store

from symdemo.teaching import comparison as comparing
from symdemo.ui.shared.sessions import Sessions


@pytest.fixture(autouse=True)
def quick(tiny_encoder, tiny_folder, monkeypatch):
    """The base encoder is not read from the disk every time, and the benchmark is small."""
    benchmark = comparing.benchmark_pairs()[:28]
    keep_in_memory(monkeypatch, tiny_encoder, tiny_folder)
    monkeypatch.setattr(comparing, "benchmark_pairs", lambda: benchmark)
    monkeypatch.setattr(comparing, "_embedded", WeakKeyDictionary())  # those of all are kept there


@pytest.fixture
def make_sessions(tmp_path, fitted):
    """Make sessions on the tiny model; their queues are closed after the test."""
    made = []

    def make(model=None, others=MappingProxyType({}), **options) -> Sessions:
        store = make_tiny_store(model or fitted["knn"], **others)
        made.append(Sessions(store, tmp_path / "projects", **options))
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
    return edit(sessions, "", "page", make_cells()).save().project
