"""Answers that read no sentence."""

import pytest

from experiments.reproduction.experiments import Cell
from experiments.reproduction.reading_nothing import _right, accuracies
from symdemo.data.relations import RELATIONS
from symdemo.pairs import Pair


def pair(relation, label):
    return Pair("Ann saw Ben.", "Ben saw Ann.", label, relation)


def test_the_answers_on_a_set_by_hand():
    taught = [pair("a", "contradiction"), pair("a", "contradiction"), pair("b", "entailment")]
    asked = [pair("a", "contradiction"), pair("b", "entailment"), pair("b", "entailment")]
    asked += [pair("unseen", "entailment"), pair("unseen", "contradiction")]
    assert _right("constant", taught, asked) == 2 / 5
    assert _right("look-up", taught, asked) == 4 / 5


@pytest.mark.parametrize("seed", range(5))
def test_a_look_up_is_never_wrong_once_each_relation_was_taught(seed):
    seven, fourteen = (accuracies(n, seed) for n in (7, 14))
    assert {p.relation for p in Cell("", "", 14, seed).taught} == {r.id for r in RELATIONS}
    assert fourteen["look-up"] == 1
    assert 0.5 < seven["look-up"] < 1
    assert 0.3 < fourteen["constant"] < 0.75
