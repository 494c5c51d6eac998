"""Visitors of the tab “Analyse” on the tiny model."""

from dataclasses import replace

import numpy as np
import pytest
from tiny import keep_in_memory
from ui_fakes import make_tiny_store

from symdemo.analysis.loading import LoadedPairs
from symdemo.ui.analyse.desk import Desk
from symdemo.ui.analyse.explorer import Explorer
from symdemo.ui.shared.sessions import Sessions


@pytest.fixture(autouse=True)
def uploads(tmp_path, monkeypatch):
    """Gradio's folder for what comes and what is taken out."""
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "uploads"))
    return tmp_path / "uploads"


@pytest.fixture
def make_desk(tmp_path, fitted, tiny_encoder, tiny_folder, monkeypatch):
    """Make desks on one folder, as the program does that is started anew."""
    keep_in_memory(monkeypatch, tiny_encoder, tiny_folder)
    made = []

    def make(**others) -> Desk:
        others = others or {"other": fitted["fine-tuning"]}
        store = make_tiny_store(fitted["knn"], **others)
        made.append(Desk(Sessions(store, tmp_path / "projects"), tmp_path / "shipped"))
        return made[-1]

    yield make
    for desk in made:
        desk.sessions.queue.close(5)


@pytest.fixture
def desk(make_desk):
    return make_desk()


@pytest.fixture
def explorer(desk):
    return Explorer(desk)


@pytest.fixture(scope="session")
def data(pairs):
    """24 pairs, of which two have no label; another system labelled some of them."""
    some = list(pairs[::2])
    for n in (3, 17):
        some[n] = replace(some[n], label=None)
    rng = np.random.default_rng(3)
    labels = rng.choice(np.array(["entailment", "contradiction", None], object), len(some))
    kinds = tuple(["active", "passive", None][n % 3] for n in range(len(some)))
    return LoadedPairs("Made up", "a test", tuple(some), kinds, {"rival": tuple(labels)})


@pytest.fixture
def opened(desk, data):
    """A workspace of two models and another system that have all answered."""
    from analyse_tools import start

    return start(desk, data, ["tiny", "other"])
