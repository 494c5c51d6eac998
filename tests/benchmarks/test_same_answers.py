"""`benchmarks/same_answers.py`: only what answers the same, bit for bit, is taken for the same."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
import answers_probe
import same_answers

from symdemo.errors import InputError

NAMES, VERSIONS = ["classifier"], {"classifier": ("a", "b")}
LATER = f"general, {answers_probe.LATER}"


def test_all_the_same_is_the_same_for_everything():
    told = {"general": "1", LATER: "2"}
    found = same_answers.row(NAMES, VERSIONS, told, dict(told))
    assert found["of"] == {"classifier": {"then": "a", "now": "b"}}
    assert (found["but_for"], found["differing"], found["same"]) == ([], [], ["general", LATER])
    assert found["made_by"]["commit"]


def test_where_only_what_was_taught_later_differs_figures_of_teaching_are_not_the_same():
    found = same_answers.row(NAMES, VERSIONS, {"knn": "1", LATER: "2"}, {"knn": "1", LATER: "3"})
    assert (found["but_for"], found["differing"], found["same"]) == (["teaching"], [LATER], ["knn"])


@pytest.mark.parametrize("now", [{"knn": "2"}, {}, {"knn": "1", "general": "1"}])
def test_anything_else_is_refused_and_named(now):
    with pytest.raises(InputError, match=r"answered otherwise: (knn|general)\."):
        same_answers.row(NAMES, VERSIONS, {"knn": "1"}, now)


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """Two commits of a package whose answer is another, and one whose is not."""

    def commit(answer):
        place = tmp_path / "symdemo"
        place.mkdir(exist_ok=True)
        (place / "__init__.py").write_text(f"ANSWER = {answer!r}\n", encoding="utf-8")
        who = ["-c", "user.name=a", "-c", "user.email=a@b"]
        for arguments in (["add", "-A"], ["commit", "-qm", str(answer)]):
            subprocess.run(["git", "-C", str(tmp_path), *who, *arguments], check=True)

    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    commit("before")
    commit("now")
    monkeypatch.setattr(same_answers, "TREE", tmp_path)
    monkeypatch.setattr(same_answers, "NEEDED", ("symdemo",))
    return tmp_path


def test_each_commit_is_asked_by_its_own_code(repository, tmp_path):
    then = tmp_path / "then"
    same_answers.unpack("HEAD~1", then)
    ask = "import symdemo; print(symdemo.ANSWER, end='')"
    assert same_answers.run_in(then, ask) == "before"
    assert same_answers.run_in(repository, ask) == "now"
    with pytest.raises(InputError, match="cannot be asked"):
        same_answers.run_in(then, "import symdemo; symdemo.no_answer")
    with pytest.raises(InputError, match="nowhere cannot be read"):
        same_answers.unpack("nowhere", then)


def test_what_was_found_is_written_once_and_nothing_where_it_differs(
    repository, tmp_path, monkeypatch, capsys
):
    kept = tmp_path / "same.json"
    monkeypatch.setattr(same_answers, "SAME_ANSWERS", kept)
    monkeypatch.setattr(
        same_answers,
        "same_answers",
        lambda: json.loads(kept.read_text("utf-8")) if kept.exists() else [],
    )
    monkeypatch.setattr(same_answers, "version_of", lambda name: "b")
    answers = {str(repository): {"knn": "1"}}
    monkeypatch.setattr(
        same_answers,
        "run_in",
        lambda tree, code: (
            "a" if "version_of" in code else json.dumps(answers.get(str(tree), {"knn": "1"}))
        ),
    )
    monkeypatch.setattr(sys, "argv", ["same_answers.py", "HEAD~1"])
    assert [same_answers.main(), same_answers.main()] == [0, 0]
    (row,) = json.loads(kept.read_text("utf-8"))
    assert row["of"] == {"classifier": {"then": "a", "now": "b"}}
    assert row["command"] == "python benchmarks/same_answers.py HEAD~1"
    old = row | {"of": {"classifier": {"then": "a", "now": "older"}}}
    other = row | {"of": {"classifier": {"then": "c", "now": "b"}}}
    kept.write_text(json.dumps([old, other]), "utf-8")
    assert same_answers.main() == 0
    assert json.loads(kept.read_text("utf-8")) == [other, row], "what is of other code is gone"
    kept.write_text(json.dumps([row]), "utf-8")
    answers[str(repository)] = {"knn": "2"}
    assert same_answers.main() == 1
    assert "answered otherwise: knn." in capsys.readouterr().err
    assert json.loads(kept.read_text("utf-8")) == [row]


def test_a_hash_is_of_every_bit(pairs, fitted):
    model = fitted["knn"]
    vectors = model.embed(pairs)
    found = answers_probe._hash(model.predict_embedded(pairs, vectors))
    assert answers_probe._hash(model.predict_embedded(pairs, vectors)) == found
    vectors[-1, -1] = np.nextafter(vectors[-1, -1], np.float32(9))
    assert answers_probe._hash(model.predict_embedded(pairs, vectors)) != found
