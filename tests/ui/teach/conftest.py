"""Visitors of the tab “Teach” on the tiny model."""

from weakref import WeakKeyDictionary

import pytest
from teach_fakes import edit, make_cells
from tiny import keep_in_memory
from ui_fakes import make_tiny_store

from symdemo.teaching import comparison as comparing


@pytest.fixture(autouse=True)
def quick(tiny_encoder, tiny_folder, monkeypatch):
    """The base encoder is not read from the disk every time, and the benchmark is small."""
    benchmark = comparing.benchmark_pairs()[:28]
    keep_in_memory(monkeypatch, tiny_encoder, tiny_folder)
    monkeypatch.setattr(comparing, "benchmark_pairs", lambda: benchmark)
    monkeypatch.setattr(comparing, "_embedded", WeakKeyDictionary())  # those of all are kept there


@pytest.fixture
def make_sessions(open_sessions, fitted):
    return lambda: open_sessions(make_tiny_store(fitted["knn"]))


@pytest.fixture
def sessions(make_sessions):
    return make_sessions()


@pytest.fixture
def project(sessions):
    """The id of a project with eight rows."""
    return edit(sessions, "", "page", make_cells()).save().project
