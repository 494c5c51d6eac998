"""Where a results file was made; real repositories in a temporary folder."""

import re
import subprocess

import pytest

from symdemo import __version__
from symdemo.files import provenance as module
from symdemo.files.provenance import provenance


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A repository with a code file and a results file, as the module's own."""
    code, result = tmp_path / "symdemo" / "code.py", tmp_path / "experiments" / "results" / "a.json"
    for path in (code, result):
        path.parent.mkdir(parents=True)
        path.write_text("1", encoding="utf-8")
    for command in (["init"], ["add", "."], ["commit", "-m", "first"]):
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", "-C", str(tmp_path), *identity, *command], check=True)
    monkeypatch.setattr(module, "__file__", str(code))
    return code, result


def test_a_changed_result_leaves_the_commit_clean_and_changed_code_marks_it(checkout):
    code, result = checkout
    result.write_text("2", encoding="utf-8")
    assert re.fullmatch("[0-9a-f]{12}", provenance()["commit"])
    code.write_text("2", encoding="utf-8")
    assert re.fullmatch(r"[0-9a-f]{12}\+", provenance()["commit"])


def test_without_a_repository_the_commit_is_unknown(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "__file__", str(tmp_path / "code.py"))
    assert provenance()["commit"] == "unknown"


def test_the_rest_is_named():
    made = provenance("python -m experiments.x", seed=3)
    assert (made["command"], made["seed"], made["symdemo"]) == (
        "python -m experiments.x",
        3,
        __version__,
    )
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", made["date"])
    assert {"processor", "threads"} <= made["machine"].keys()
    assert {"python", "torch"} <= made["versions"].keys()
