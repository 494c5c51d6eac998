"""The command line run in-process, and what its tests give it."""

import json

import pytest

from symdemo.cli import main as cli
from symdemo.cli import shared
from symdemo.data.pair_files import save_pairs


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Say nothing about waiting, however busy the machine is."""
    monkeypatch.setattr(shared, "PATIENCE", 600)


@pytest.fixture
def run(capsys):
    """Run one command; its exit code, stdout and stderr."""

    def run(*argv) -> tuple[int, str, str]:
        try:
            code = cli.main([str(argument) for argument in argv])
        except SystemExit as stop:  # argparse leaves in this way
            code = stop.code
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def refused(run):
    """Run a command that must fail with one line on stderr; that line."""

    def refused(*argv) -> str:
        code, out, err = run(*argv)
        assert code == 2
        assert out == ""
        assert err.startswith("symdemo: ")
        assert err.count("\n") == 1
        assert err.endswith("\n")
        return err

    return refused


@pytest.fixture(scope="session")
def models(fitted, tmp_path_factory):
    """A folder as `models/`, with two models on the tiny encoder."""
    folder = tmp_path_factory.mktemp("models")
    for name, method in (("tiny", "knn"), ("tuned", "fine-tuning")):
        fitted[method].with_card(name=name).save_pretrained(folder / name)
    return folder


@pytest.fixture
def with_models(models, monkeypatch):
    monkeypatch.setattr("symdemo.classifier.checkpoints.MODELS", models)
    return models


@pytest.fixture
def evaluated(run, with_models):
    """Evaluate the tiny model, or another, on data; the figures."""

    def evaluated(data, *argv, model="tiny") -> dict:
        code, out, _ = run("evaluate", "--model", model, "--data", data, "--json", *argv)
        assert code == 0
        return json.loads(out)

    return evaluated


@pytest.fixture
def data(pairs, tmp_path):
    path = tmp_path / "pairs.jsonl"
    save_pairs(pairs, path)
    return path


@pytest.fixture
def quick(quick_config, monkeypatch):
    monkeypatch.setattr("symdemo.training.config.defaults", lambda *_: quick_config)
