"""`experiments/teach.py`: entities dealt anew, the cost of teaching, and going on after a stop."""

import json
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

from experiments import teach, teach_questions, teach_report
from experiments.teach_questions import Questions, lost
from experiments.teach_reworded import looked_up, read_reworded, reword
from symdemo.classifier import SymmetryClassifier
from symdemo.data.bank import load_kinds, part_of, shipped_bank
from symdemo.pairs import LABELS, Pair


def entities(pairs):
    return {end for pair in pairs for end in (pair.head, pair.tail)}


@pytest.mark.parametrize("name", ["software_services", "coral_reef"])
def test_a_seed_deals_the_entities_anew_and_nothing_else(name):
    written, dealt = teach.read_set(name), teach.read_set(name, 1)
    assert teach.read_set(name, 1) == dealt
    for before, after in zip(written, dealt, strict=True):
        labels = [(pair.relation, pair.label) for pair in before]
        assert [(pair.relation, pair.label) for pair in after] == labels
        moved = sum(a.entity_pair != b.entity_pair for a, b in zip(before, after, strict=True))
        assert moved > 0.8 * len(before)
    assert entities(dealt[0]) | entities(dealt[1]) == entities(written[0]) | entities(written[1])
    assert not entities(dealt[0]) & entities(dealt[1])


@pytest.mark.parametrize("name", sorted(path.stem for path in teach.SETS.glob("*.csv")))
def test_a_set_is_asked_in_words_that_were_not_taught(name):
    taught, test = teach.read_set(name, 1)
    wordings = read_reworded(name)
    assert {relation: len(own) for relation, own in wordings.items()} == dict.fromkeys(
        (pair.relation for pair in taught), 3
    )
    asked = reword(test, wordings)
    assert len(asked) == 3 * len(test)
    labels = {pair.relation: pair.label for pair in taught}
    for pair in asked:
        assert labels[pair.relation] == pair.label
        assert f" {pair.relation} " not in pair.premise
        there, back = pair.premise.casefold(), pair.hypothesis.casefold()
        head, tail = pair.head.casefold(), pair.tail.casefold()
        assert there.replace(head, "*").replace(tail, head).replace("*", tail) == back
    assert not entities(asked) & entities(taught)


def test_what_shares_most_letters_is_looked_up():
    taught = [
        Pair("Ann co-fires with Ben.", "Ben co-fires with Ann.", "entailment", "", "Ann", "Ben"),
        Pair("Cy pugs for Di.", "Di pugs for Cy.", "contradiction", "", "Cy", "Di"),
    ]
    for premise, label in (
        ("Cy co-fired with Di.", "entailment"),
        ("Ann pugged.", "contradiction"),
    ):
        pair = Pair(premise, "…", label, "", "Cy", "Di")
        assert looked_up(taught, [pair]) == 1.0
        assert looked_up([taught[0]], [pair]) == float(label == "entailment")


def test_the_withheld_relations_are_those_that_the_shipped_model_was_not_taught():
    asked = teach_questions.questions(0)
    kinds = load_kinds(bank=shipped_bank())
    held = {r.id for kind in kinds for r in kind.bank.relations if part_of(r) == "held out"}
    assert {pair.relation for pair in asked["withheld"]} <= held
    taught = Path(__file__).resolve().parents[2] / "models" / "general" / "taught.jsonl"
    if taught.exists():
        known = {json.loads(line)["relation"] for line in taught.read_text("utf-8").splitlines()}
        assert not held & known
        assert {pair.relation for pair in asked["bank"]} <= known
    other = teach_questions.questions(1)
    for name, pairs in asked.items():
        assert [p.relation for p in other[name]] == [p.relation for p in pairs]
        assert set(LABELS) == {pair.label for pair in pairs}
        assert (other[name] == pairs) == (name == "sentences")


def test_the_cost_is_what_turned_wrong_less_what_turned_right():
    own = [Pair(f"a {n} b", f"b {n} a", "entailment", f"r{n // 2}") for n in range(10)]
    one = {"right_before": 8, "changed": 3, "turned_wrong": [0, 1], "turned_right": [9]}
    two = {"right_before": 6, "changed": 1, "turned_wrong": [0], "turned_right": []}
    found = lost([one, two], own)
    assert found["n"] == 10
    assert found["before"] == pytest.approx(0.7)
    assert found["changed"] == pytest.approx(0.2)
    assert found["lost"] == pytest.approx(10)
    assert (found["least"], found["most"]) == (10, 10)
    low, high = found["interval"]
    # five groups, of which one lost 75 of its 100 points and one won 25: the mean of five draws
    assert low <= 0
    assert 10 < high <= 75


@pytest.fixture
def answering(monkeypatch, fitted, pairs):
    """A small model that is taught small sets, and asked the pairs that it knows."""
    base, asked = fitted["knn"], {"withheld": pairs[::4], "sentences": pairs[1::4]}
    monkeypatch.setattr(teach_questions, "questions", lambda seed: asked)
    monkeypatch.setattr(teach_report, "questions", lambda seed: asked)
    monkeypatch.setattr(SymmetryClassifier, "from_pretrained", lambda name: base)
    monkeypatch.setattr(teach, "sts_at_hand", lambda: None)
    monkeypatch.setattr(teach, "benchmark_accuracy", lambda model: 0.5)
    return base


def test_answers_that_turn_are_found_in_their_places(answering, pairs):
    asked = Questions(answering, 0)
    unchanged = asked.compare(answering)
    assert [own["changed"] for own in unchanged.values()] == [0, 0]
    assert unchanged["withheld"]["n"] == 12
    other = next(label for label in LABELS if label != pairs[8].label)
    twisted = answering.teach(
        [Pair(p.premise, p.hypothesis, other, p.relation) for p in [pairs[8]] * 9]
    )
    found = asked.compare(twisted)
    was_right = answering.predict([pairs[8]])[0].label == pairs[8].label
    assert was_right
    assert 2 in found["withheld"]["turned_wrong"]


def test_retraining_is_measured_with_the_settings_of_the_app(answering, small_measurements):
    lesson = teach.Lesson(answering, "software_services", 1, Questions(answering, 1), None, 0.0)
    found = lesson.retrained()
    assert found["steps"] > 0 < found["seconds"]
    assert 0 <= found["accuracy"] <= 1
    for name, own in found["asked"].items():
        turned = len(own["turned_wrong"]) + len(own["turned_right"])
        assert turned <= own["changed"] <= own["n"], name
    assert found["looked_up"] == 1.0  # it was taught in the very words
    assert {"labels", "before", "reworded", "benchmark_lost", "estimated"} <= found.keys()


def test_a_stopped_command_goes_on_and_the_page_tells_what_it_cost(
    answering, monkeypatch, tmp_path, capsys
):
    made, left = Counter(), [4]

    def retrained(lesson):
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        made[lesson.name, lesson.seed] += 1
        return teach.Lesson.instant(lesson) | {"sts_lost": 0.25}

    monkeypatch.setattr(teach, "WAYS", {"instant": teach.Lesson.instant, "retrained": retrained})
    sets = ["software_services", "coral_reef", "orchestra"]
    monkeypatch.setattr(teach, "SETS", _folder_of(tmp_path, sets))
    monkeypatch.setattr(sys, "argv", ["teach.py", "--seeds", "2", "--out", str(tmp_path)])
    with pytest.raises(KeyboardInterrupt):
        teach.main()
    assert not (tmp_path / "teach.json").exists()
    left[0] = 9
    teach.main()
    assert made == {(name, seed): 1 for name in sets for seed in (0, 1)}
    report = json.loads((tmp_path / "teach.json").read_text(encoding="utf-8"))
    assert len(report["rows"]) == 12
    assert report["summary"]["sets"] == 2, "one of three was looked at"
    assert report["rows_made_by"][0]["rows"] == 12
    page = teach_report.markdown(report)
    assert "2 sets of five relations with four entity pairs each" in page
    assert "; 2 seeds." in page
    assert "| STS-B lost, points | – | – | – | 0.25 [0.25–0.25] |" in page
    assert re.search(r"Right on new entity pairs \| [\d.]+% .*\| 100.0% \[100.0–100.0\] \|", page)
    for name in ("withheld", "sentences"):
        cost = report["summary"]["instant cost"][name]
        assert f"{teach_questions.TITLES[name]}, {100 * cost['before']:.1f}% right before" in page


def _folder_of(folder, names):
    """Some of the sets, in a folder of their own."""
    (folder / "sets").mkdir()
    for name in names:
        text = (teach.SETS / f"{name}.csv").read_text(encoding="utf-8")
        (folder / "sets" / f"{name}.csv").write_text(text, encoding="utf-8")
    return folder / "sets"
