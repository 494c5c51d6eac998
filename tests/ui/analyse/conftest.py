"""Visitors of the tab “Analyse” on the tiny model."""

from dataclasses import replace

import numpy as np
import pytest
from analyse_tools import Page, start
from tiny import keep_in_memory
from ui_fakes import NASTY, make_tiny_store

from symdemo.analysis.loaded import LoadedPairs, RefusedRow
from symdemo.ui.analyse.explorer import Explorer
from symdemo.ui.analyse.service import AnalyseService
from symdemo.ui.shared.temporary import temporary_files


@pytest.fixture(autouse=True)
def uploads(tmp_path, monkeypatch):
    """Gradio's folder for uploads and exports, of this test alone."""
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "uploads"))
    temporary_files.cache_clear()
    yield tmp_path / "uploads"
    temporary_files.cache_clear()


@pytest.fixture
def make_service(open_sessions, tmp_path, fitted, tiny_encoder, tiny_folder, monkeypatch):
    """Make services on one folder, as restarts of the program do."""
    keep_in_memory(monkeypatch, tiny_encoder, tiny_folder)

    def make() -> AnalyseService:
        store = make_tiny_store(fitted["knn"], other=fitted["fine-tuning"])
        return AnalyseService(open_sessions(store), tmp_path / "shipped")

    return make


@pytest.fixture
def service(make_service):
    return make_service()


@pytest.fixture
def explorer(service):
    return Explorer(service)


@pytest.fixture(scope="session")
def data(pairs):
    """24 pairs, two of them without a label; another system labelled some of them."""
    some = list(pairs[::2])
    for n in (3, 17):
        some[n] = replace(some[n], label=None)
    rng = np.random.default_rng(3)
    labels = rng.choice(np.array(["entailment", "contradiction", None], object), len(some))
    constructions = tuple(["active", "passive", None][n % 3] for n in range(len(some)))
    systems, groups = {"system": tuple(labels)}, {"half": ("first", "second") * 12}
    return LoadedPairs("Made up", "a test", tuple(some), constructions, systems, groups=groups)


@pytest.fixture
def opened(service, data):
    """A workspace of two models and another system that have all answered."""
    return start(service, data, ["tiny", "other"])


@pytest.fixture
def page(explorer, opened):
    return Page(explorer, opened)


NASTY_LABELS = ["a: b", '“it\'s” "q"', "{x}", NASTY]


@pytest.fixture
def nasty(service, data, fitted):
    """A page on a workspace with markup in every field."""
    pairs = [
        replace(pair, premise=f"{pair.premise} {NASTY}", relation=NASTY, label=NASTY_LABELS[n % 4])
        for n, pair in enumerate(data.pairs)
    ]
    given = LoadedPairs(
        f"{NASTY}.csv", f"the file {NASTY}", tuple(pairs), (NASTY,) * 24,
        {NASTY: (NASTY,) * 24}, refused=(RefusedRow(1, NASTY, NASTY),), reasons={NASTY: 1},
        groups={NASTY: ("a: b", None) * 12},
    )  # fmt: skip
    models = dict.fromkeys(("tiny", "other"), fitted["knn"])
    service.sessions.store._load = models.__getitem__
    workspace = start(service, given, ["tiny"])
    workspace.note([2], NASTY)
    workspace.mark([2], True)
    return Page(Explorer(service), workspace, versus=NASTY)
