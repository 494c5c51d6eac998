"""What a training sees of facts: names of every shape, and the relation untouched."""

import random

import pytest

from experiments.recipes.shown_facts import AWKWARD_NAMES, TITLE_WORDS, shown_facts, titles
from symdemo.data.bank import shipped_bank
from symdemo.pairs import Pair

NAMES = ["Ann", "Ben", "Carl", "Dan", "Eve", "Finn"]


@pytest.fixture(scope="module")
def facts():
    return [
        Pair(f"{a} is a part of {b}.", f"{b} is a part of {a}.", "contradiction", "P361", a, b)
        for a, b in zip(NAMES[::2], NAMES[1::2], strict=True)
    ]


@pytest.fixture(scope="module")
def sentences():
    return [pair.premise for pair in shipped_bank().pairs(seed=1)[::40]]


def test_the_relation_stays_whoever_stands_in_it(facts, sentences):
    for pair in shown_facts(facts, 0, 30, sentences):
        assert (pair.label, pair.relation) == ("contradiction", "P361")
        assert pair.head != pair.tail
        assert pair.premise.removesuffix(".") == f"{pair.head} is a part of {pair.tail}"
        assert pair.hypothesis.removesuffix(".") == f"{pair.tail} is a part of {pair.head}"


def test_half_of_the_names_are_awkward_without_sentences(facts):
    shown = shown_facts(facts, seed=0, times=20)
    awkward = [pair for pair in shown if pair.head not in NAMES]
    assert len(shown) == 60
    assert 15 < len(awkward) < 45
    assert any(" and " in pair.head for pair in awkward)
    assert any(pair.head.startswith(("Waiting for ", "Letters from ")) for pair in awkward)


def test_a_third_of_the_names_are_titles_with_sentences(facts, sentences):
    shapes = [shape.split("{}")[0] for shape in AWKWARD_NAMES if shape.split("{}")[0]]
    shown = shown_facts(facts, 0, 100, sentences)
    entitled = [pair for pair in shown if not pair.head.startswith((*NAMES, *shapes))]
    assert 0.2 < len(entitled) / len(shown) < 0.45


def test_titles_are_a_few_words_in_a_row(sentences):
    text = [" ".join(sentence.split()).casefold() for sentence in sentences]
    found = titles(sentences, random.Random(0))
    assert len(found) > len(sentences) / 2
    for title in found:
        assert 1 <= len(title.split()) <= TITLE_WORDS[1]
        assert any(title.casefold() in sentence for sentence in text)


def test_the_same_seed_shows_the_same(facts, sentences):
    assert shown_facts(facts, 3, 5, sentences) == shown_facts(facts, 3, 5, sentences)
    assert shown_facts(facts, 3, 5, sentences) != shown_facts(facts, 4, 5, sentences)
