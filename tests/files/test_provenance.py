"""Where a results file was made; real repositories in a temporary folder."""

import re
import subprocess

from symdemo.files import provenance as module
from symdemo.files.provenance import provenance


def test_a_changed_result_leaves_the_commit_clean_and_changed_code_marks_it(tmp_path, monkeypatch):
    code, result = tmp_path / "symdemo" / "code.py", tmp_path / "experiments" / "results" / "a.json"
    for path in (code, result):
        path.parent.mkdir(parents=True)
        path.write_text("1", encoding="utf-8")
    for command in (["init"], ["add", "."], ["commit", "-m", "first"]):
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", "-C", str(tmp_path), *identity, *command], check=True)
    monkeypatch.setattr(module, "__file__", str(code))
    result.write_text("2", encoding="utf-8")
    assert re.fullmatch("[0-9a-f]{12}", provenance()["commit"])
    code.write_text("2", encoding="utf-8")
    assert re.fullmatch(r"[0-9a-f]{12}\+", provenance()["commit"])


def test_without_a_repository_the_commit_is_unknown(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "__file__", str(tmp_path / "code.py"))
    assert provenance()["commit"] == "unknown"
