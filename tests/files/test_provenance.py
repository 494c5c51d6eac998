"""Which code a figure depends on: another version where it does something else, not other words."""

import json
import re
import subprocess

import pytest

from symdemo.errors import InputError
from symdemo.files import provenance as module
from symdemo.files.provenance import changed, provenance, version_of

SOURCE = '''"""What it is."""

def double(x: float) -> float:
    """Twice."""
    # because
    return 2 * x
'''


@pytest.fixture
def package(tmp_path, monkeypatch):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "own.py").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "alone.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.setattr(module, "PACKAGE", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("What it is.", "What else it is.\n\nAt length.", True),
        ("# because", "# for that matter", True),
        ("\n\ndef", "\n\n\n\ndef", True),
        ("2 * x", "3 * x", False),
        ("double", "twice", False),
    ],
)
@pytest.mark.parametrize("name", ["inner", "inner.own", "alone"])
def test_a_version_is_of_what_code_does(package, name, old, new, same):
    path = package / ("alone.py" if name == "alone" else "inner/own.py")
    before = version_of(name)
    path.write_text(path.read_text("utf-8").replace(old, new), encoding="utf-8")
    assert (version_of(name) == before) is same


def test_a_package_is_all_that_is_in_it(package):
    before = version_of("inner")
    (package / "inner" / "more.py").write_text("x = 1", encoding="utf-8")
    assert version_of("inner") != before


def test_a_file_is_of_what_it_holds(package):
    (package.parent / "models").mkdir(exist_ok=True)
    place = package.parent / "models" / "config.json"
    place.write_text("{}", encoding="utf-8")
    before = version_of("models/config.json")
    place.write_text("{ }", encoding="utf-8")
    assert version_of("models/config.json") != before


@pytest.mark.parametrize(
    ("name", "told"), [("other", r"no module symdemo\.other\."), ("a/b.csv", "no file a/b.csv")]
)
def test_what_is_not_there_is_refused(package, name, told):
    with pytest.raises(InputError, match=told):
        version_of(name)


def test_what_has_changed_since_is_named(package):
    made_by = {"depends": {name: version_of(name) for name in ("inner", "alone")}}
    assert changed(made_by) == []
    (package / "alone.py").write_text("x = 1", encoding="utf-8")
    assert changed(made_by) == ["alone"]
    (package / "inner" / "own.py").unlink()
    assert changed(made_by) == ["inner", "alone"], "what is gone has changed too"
    assert changed({"commit": "a"}) is None


def test_code_that_answers_the_same_has_not_changed_but_where_it_does_not(package, monkeypatch):
    then = {name: version_of(name) for name in ("inner", "alone")}
    taught = {"inner": then["inner"], "teaching.lessons": "0" * 12}
    (package / "inner" / "own.py").write_text("x = 1", encoding="utf-8")
    now = {"then": then["inner"], "now": version_of("inner")}
    kept = package / "same_answers.json"
    monkeypatch.setattr(module, "SAME_ANSWERS", kept)
    assert changed({"depends": then}) == ["inner"], "no file, nothing found"
    kept.write_text(json.dumps([{"of": {"inner": now}, "but_for": ["teaching"]}]), "utf-8")
    assert changed({"depends": then}) == []
    assert changed({"depends": taught}) == ["inner", "teaching.lessons"]
    kept.write_text(json.dumps([{"of": {"inner": now}, "but_for": []}]), "utf-8")
    assert changed({"depends": taught}) == ["teaching.lessons"]
    (package / "inner" / "own.py").write_text("x = 2", encoding="utf-8")
    assert changed({"depends": then}) == ["inner"], "found of one version, not of the next"


def test_provenance_has_the_versions_of_what_is_named():
    assert "depends" not in provenance()
    assert provenance("geometry")["depends"] == {"geometry": version_of("geometry")}


def test_a_commit_is_told_from_changed_code_and_results_change_no_code(tmp_path, monkeypatch):
    def git(*arguments):
        who = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", "-C", str(tmp_path), *who, *arguments], check=True)

    code = tmp_path / "symdemo" / "files" / "provenance.py"
    result = tmp_path / "benchmarks" / "results" / "one.json"
    for path in (code, result):
        path.parent.mkdir(parents=True)
        path.write_text("1\n", encoding="utf-8")
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "one")
    monkeypatch.setattr(module, "__file__", str(code))
    result.write_text("2\n", encoding="utf-8")
    assert re.fullmatch("[0-9a-f]{12}", provenance()["commit"])
    code.write_text("2\n", encoding="utf-8")
    assert re.fullmatch(r"[0-9a-f]{12}\+", provenance()["commit"])
