"""Shared fixtures: a tiny encoder, a few facts, and shape checks. No network, no GPU."""

import os
import re

os.environ["HF_HUB_OFFLINE"] = "1"  # before anything imports the hub's client, which reads it once
os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ.setdefault("OMP_NUM_THREADS", "1")  # tiny matrices only wait for threads
if worker := os.environ.get("PYTEST_XDIST_WORKER"):  # or two would try for one port at a time
    os.environ.setdefault("GRADIO_SERVER_PORT", str(7860 + 100 * int(worker.removeprefix("gw"))))

from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings
from jaxtyping import install_import_hook
from tiny import ENTITIES, write_tiny_decoder, write_tiny_encoder

pytest.register_assert_rewrite("killing", "refusals", "teaching_tools")  # a failure there says why

if find_spec("beartype"):  # the shapes in the signatures of the mathematics hold under pytest
    install_import_hook(["symdemo.geometry", "symdemo.losses"], "beartype.beartype")

settings.register_profile("quick", max_examples=25, deadline=None, derandomize=True)
settings.load_profile("quick")

REPOSITORY = Path(__file__).resolve().parent.parent
MOST_WORKERS = 4
"""Each loads models and may start an app and a browser."""

LONGEST = ("test_space.py", "browser", "teaching", "experiments", "cli", "test_notebooks.py")
"""What takes longest starts first, so that no process is left alone with it at the end."""

ALL_SLOW = re.compile(r"^pytestmark = .*mark\.slow", re.MULTILINE)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config) -> int:
    """Return the number of cores; 0 if paths are named."""
    if config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return 0
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(cores or 1, MOST_WORKERS)


def pytest_ignore_collect(collection_path, config) -> bool | None:
    """Skip files without tests of the chosen speed, since imports take most of collection.

    `mark.slow` in `pytestmark` makes a whole file slow; a file without it has no slow test.
    """
    speed = config.option.markexpr
    if speed not in ("slow", "not slow") or not collection_path.match("test_*.py"):
        return None
    text = collection_path.read_text(encoding="utf-8")
    skipped = "mark.slow" not in text if speed == "slow" else ALL_SLOW.search(text)
    return True if skipped else None


def pytest_collection_modifyitems(items) -> None:
    """Order the files by how long they take; the order of tests in a file stays."""
    tests = REPOSITORY / "tests"

    def rank(item) -> int:
        room = item.path.relative_to(tests).parts[0]
        return LONGEST.index(room) if room in LONGEST else len(LONGEST)

    items.sort(key=rank)


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory):
    """A local transformers folder; tests that damage one copy it first."""
    return write_tiny_encoder(tmp_path_factory.mktemp("encoders") / "tiny")


@pytest.fixture(scope="session")
def decoder_folder(tmp_path_factory):
    return write_tiny_decoder(tmp_path_factory.mktemp("decoders") / "llama")


@pytest.fixture(scope="session")
def tiny_encoder(tiny_folder):
    from symdemo.encoders import load_encoder

    return load_encoder(tiny_folder, device="cpu")


@pytest.fixture(scope="session")
def facts():
    """Six facts of each of two symmetric and two antisymmetric relations, all entities distinct."""
    from symdemo.data.relations import RELATION_BY_ID, Entity, Fact

    names = ENTITIES.split()
    return tuple(
        Fact(RELATION_BY_ID[id], *(Entity(f"{name} {id[1:]}") for name in names[n : n + 2]))
        for id in ("P3373", "P1889", "P25", "P131")
        for n in range(0, 12, 2)
    )


@pytest.fixture(scope="session")
def pairs(facts):
    """Both directions of `facts`: 48 labelled pairs, half of them entailment."""
    from symdemo.data.relations import pairs_of_facts

    return tuple(pairs_of_facts(facts))


@pytest.fixture(scope="session")
def quick_config():
    """Hyperparameters under which the tiny encoder learns in a fraction of a second."""
    from symdemo.training.config import TrainingConfig

    return TrainingConfig(
        learning_rate=3e-3, batch_size=16, epochs=4, min_steps=0, retention=0.0, recombine=0.0
    )


@pytest.fixture(scope="session")
def fitted(tiny_encoder, pairs, quick_config):
    """Method → a classifier fitted with it; classifiers are immutable, so all tests share them."""
    from symdemo.classifier import SymmetryClassifier
    from symdemo.training.methods import METHODS

    start = SymmetryClassifier.from_encoder(tiny_encoder)
    return {method: start.fit(pairs, method=method, config=quick_config) for method in METHODS}


@pytest.fixture(scope="session")
def saved(fitted, tmp_path_factory) -> dict[str, Path]:
    """Method → its saved model; tests that damage one copy it first."""
    folder = tmp_path_factory.mktemp("models")
    for method, model in fitted.items():
        model.save_pretrained(folder / method)
    return {method: folder / method for method in fitted}


@pytest.fixture
def counted(monkeypatch):
    """The sizes of the batches that are embedded."""
    from symdemo.classifier import SymmetryClassifier

    sizes, embed = [], SymmetryClassifier.embed

    def count(self, pairs):
        sizes.append(len(pairs))
        return embed(self, pairs)

    monkeypatch.setattr(SymmetryClassifier, "embed", count)
    return sizes


@pytest.fixture(scope="module")
def small_measurements():
    """Measure retrainings on 28 facts and 60 generic sentences, in a fraction of a second."""
    from symdemo.evaluation import forgetting
    from symdemo.teaching import comparison
    from symdemo.training.retention import retention_sentences

    facts, sentences = comparison.benchmark_pairs()[:28], retention_sentences()[:60]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comparison, "benchmark_pairs", lambda: facts)
        patch.setattr(forgetting, "retention_sentences", lambda: sentences)
        comparison._embedded.clear()
        yield
    comparison._embedded.clear()


@pytest.fixture
def write(tmp_path):
    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def queues():
    from symdemo.jobs.queue import JobQueue

    made = []

    def make(**options) -> JobQueue:
        made.append(JobQueue(**options))
        return made[-1]

    yield make
    for queue in made:
        queue.close(1)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public data to measure against."""
    folder = os.environ.get("SYMDEMO_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("SYMDEMO_DATA names no folder of public data to measure against")
    return Path(folder)
