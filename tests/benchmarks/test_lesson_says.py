"""`benchmarks/lesson_says.py`: what is asked is new to the lesson, and the best rule is told."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
import lesson_says
from lesson_says import JARGON, OTHER, OWN, RULES, Fold, Lesson, Near, best_of, lessons, measure

from symdemo.classifier.index import LabelIndex
from symdemo.classifier.voting import NEARER
from symdemo.data.bank import load_bank, split_relations
from symdemo.pairs import Pair


@pytest.fixture(scope="module")
def bench():
    bank = load_bank()
    group_of = {relation.id: relation.group or relation.id for relation in bank.relations}
    return SimpleNamespace(bank=bank, folds=split_relations(bank, 5, 0), group_of=group_of)


def test_lessons_are_asked_about_what_they_do_not_show(bench):
    found = list(lessons(bench, 2))
    fold = {relation.id: relation for relation in bench.folds[2]}
    assert [lesson.kind for lesson in found].count(JARGON) == 2 * lesson_says.SEEDS
    own, others = ([lesson for lesson in found if lesson.kind == kind] for kind in (OWN, OTHER))
    assert len(own) == len(others) == lesson_says.LESSONS
    for lesson, dealt in zip(own, others, strict=True):
        assert len(lesson.groups) == lesson_says.RELATIONS
        assert {bench.group_of[pair.relation] for pair in lesson.taught} == lesson.groups
        assert all(fold[pair.relation].label == pair.label for pair in lesson.taught)
        shown = {(pair.relation, pair.entity_pair) for pair in lesson.taught}
        asked = {(pair.relation, pair.entity_pair) for pair in lesson.asked["new"]}
        assert len(shown) == 5 * lesson_says.SHOWN
        assert len(asked) == 5 * lesson_says.ASKED
        assert not shown & asked
        premises = {pair.premise for pair in (*lesson.taught, *lesson.asked["new"])}
        assert not premises & {pair.premise for pair in lesson.asked["reworded"]}
        for one, other in zip(lesson.taught, dealt.taught, strict=True):
            assert (one.premise, one.hypothesis) == (other.premise, other.hypothesis)
        labels = {pair.relation: pair.label for pair in dealt.taught}
        assert all(labels[pair.relation] == pair.label for pair in dealt.asked["reworded"])


def test_every_rule_gives_a_share_and_a_nearer_lesson_no_less():
    far = np.linspace(0.01, 1.5, 50)[:, None]
    same = np.full_like(far, 0.3)
    for name, rule in RULES.items():
        say = rule(Near(old=same, later=far, own=same, familiar=same))
        assert ((say >= 0) & (say <= 1)).all(), name
        assert (np.diff(say[:, 0]) <= 0).all(), name
    limited = RULES["power 8, within the lesson’s own distance"]
    near_to_itself = Near(old=same, later=same, own=same / 3, familiar=same)
    assert limited(near_to_itself).max() < 0.001, "silent beyond where it lies itself"
    assert RULES["power 8, within what is familiar"](near_to_itself) == pytest.approx(0.25)


class Still:
    """An encoder of two sentences, by a table; what a fold asks a model for."""

    def __init__(self, table, index):
        self.table, self.index = table, index

    def embed(self, pairs):
        return np.stack([self.table[pair.premise] for pair in pairs])


def at(distance):
    return np.float32([1 - distance, np.sqrt(1 - (1 - distance) ** 2)])


def test_what_a_lesson_turns_elsewhere_is_lost(bench, monkeypatch):
    """One question lies nearer to the lesson than to what was known, and was right before."""

    def pair(name, label, relation=""):
        return Pair(f"{name}.", f"{name} back.", label, relation, name, "X")

    known = pair("known", "entailment")
    index = LabelIndex(
        [known, pair("a", "neutral"), pair("b", "contradiction")],
        np.float32([[1, 0], [-1, 0], [0, -1]]),
    )
    table = {
        "known.": at(0),
        "near.": at(0.3),
        "far.": at(0.1) * np.float32([1, -1]),
        "shown.": at(0.31),
    }
    asked = [pair("far", "entailment", "r1"), pair("near", "entailment", "r2")]
    monkeypatch.setattr(lesson_says, "first_stage", lambda bench, run: Still(table, index))
    own = SimpleNamespace(
        bank=bench.bank, asked=lambda run: asked, group_of={"r1": "r1", "r2": "r2"}, folds=[[]]
    )
    fold = Fold(own, 0, 0.1)
    lesson = Lesson(JARGON, [pair("shown", "contradiction")], {"new": asked[1:], "reworded": asked})
    monkeypatch.setattr(
        lesson_says,
        "lessons",
        lambda bench, number: [
            Lesson(kind, lesson.taught, lesson.asked, frozenset({"r1"} if kind == OWN else ()))
            for kind in (JARGON, OWN, OTHER)
        ],
    )
    rows = {row["rule"]: row["kinds"] for row in measure([fold], own)}
    assert rows["not taught"][JARGON]["lost"] == 0
    assert rows["power 32"][JARGON]["lost"] == pytest.approx(50)  # one of two
    assert rows["power 32"][OWN]["lost"] == pytest.approx(50)  # the other is of the lesson's group
    assert rows["power 32"][JARGON]["new"] == 0
    assert rows["not taught"][JARGON]["reworded"] == 1
    assert rows["power 32"][JARGON]["least_reworded"] == pytest.approx(0.5)


def row(rule, lost, width=0.02, reworded=0.95, own=0.95):
    jargon = {"reworded": reworded, "lost": lost, "interval": [lost - width, lost + width]}
    return {"rule": rule, "kinds": {JARGON: jargon, OWN: {"reworded": own}}}


def test_the_best_is_the_plainest_of_those_that_lose_no_more_than_the_least():
    first, second, third = row("first", 0.05), row("second", 0.009), row("third", 0.0)
    assert best_of([first, second, third]) == "second"  # a standard error is 0.0102
    assert best_of([first, row("second", 0.011), third]) == "third"
    deaf = row("deaf", -0.1, reworded=0.93)
    assert best_of([deaf, first, second, third]) == "second"
    assert best_of([row("deaf", -0.1, own=0.93), first, second, third]) == "second"


def test_lessons_speak_by_the_rule_that_was_found_best():
    """The constant is the one that the kept trial gives."""
    report = json.loads(lesson_says.RESULT.read_text(encoding="utf-8"))
    assert best_of(report["rows"]) == f"power {NEARER}"
    page = lesson_says.PAGE.read_text(encoding="utf-8")
    drawn = page.split(lesson_says.BEGIN)[1].split(lesson_says.END)[0]
    assert drawn == f"\n{lesson_says.markdown(report)}"
