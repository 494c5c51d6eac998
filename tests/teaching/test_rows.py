"""A person's rows: their pairs, their JSON, their labels, and what cannot be read."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from teaching_tools import ANY_ROW, BOSS, refusal

from symdemo.pairs import Pair
from symdemo.teaching.rows import FIELDS, labelled_pair, read_label, rows_of_pairs
from symdemo.teaching.rows import TeachRow as Row


def test_a_row_of_parts_is_a_pair():
    pair = Row("my cat", "chased", "The dog", label="no!").pair()
    assert pair == Pair(
        "My cat chased the dog.", "The dog chased my cat.", "no!", "chased", "my cat", "The dog"
    )
    assert Row("Ann", "knows", "Ben").pair().label is None
    pair = Row("Ann", "[Y] is the mother of [X]", "Ben").pair()
    assert (pair.premise, pair.relation) == (
        "Ben is the mother of Ann.",
        "[Y] is the mother of [X]",
    )
    assert Row("Ann", "[X] is the boss of [Y].", "Ben", label="contradiction").pair() == BOSS.pair()
    pair = Row("Ann", "hired", "Ben", hypothesis="Ben was hired by Ann.").pair()
    assert (pair.hypothesis, pair.relation) == ("Ben was hired by Ann.", "hired")


def test_a_whole_premise_finds_its_hypothesis_and_its_parts():
    found = ("is the boss of", "Ann", "Ben")
    pair = Row(premise="Ann is the boss of Ben.", label="contradiction").pair()
    assert pair == Pair("Ann is the boss of Ben.", "Ben is the boss of Ann.", pair.label, *found)
    assert rows_of_pairs([pair]) == [BOSS]
    given = Row(premise="Ann is the boss of Ben", hypothesis="ben is the boss of Ann.").pair()
    assert given == Pair("Ann is the boss of Ben", "ben is the boss of Ann.", None, *found)
    other = Row(premise="Ann is the boss of Ben.", hypothesis="Ben works for Ann.").pair()
    assert (other.relation, other.head, other.tail) == (None, None, None)
    apart = Row(premise="Ann's mother is Carla.").pair()
    assert (apart.relation, apart.hypothesis) == ("[X]'s mother is [Y].", "Carla's mother is Ann.")


@given(st.lists(ANY_ROW, max_size=8))
def test_rows_become_pairs_and_rows_again(rows):
    assert rows_of_pairs(map(labelled_pair, rows)) == rows
    assert not any(row.is_unfinished for row in rows)
    assert all(replace(row, label=" ").is_unfinished for row in rows)


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (Row(), "There are no words"),
        (Row(hypothesis="Ben likes Ann."), "a hypothesis but no premise"),
        (Row("Ann", "", "Ben"), "The relation is empty"),
        (Row("Ann", "is [X]", "Ben"), "names [X] 1 times and [Y] 0 times"),
        (Row("Ann", "likes", "ann"), "both “Ann”, so swapping changes nothing"),
        (Row("=1+1", "is", "b"), "“=1+1”, which looks like a spreadsheet formula"),
        (Row("\uff1d1+1", "is", "b"), "“\uff1d1+1”, which looks like a spreadsheet formula"),
        (Row("a", "b", "+cmd|' /C x'!A0"), "“+cmd|' /C x'!A0”, which looks"),
        (Row("A\x00b", "is", "c"), "The subject contains the control character U+0000"),
        (Row("x" * 2001, "is", "c"), f"The subject “{'x' * 29}…” has 2,001 characters; at most"),
        (Row(7, "is", "c"), "The subject is int; text is expected."),
        (Row(premise="Ann"), "The premise is “Ann”; a sentence of at least two words"),
    ],
)
def test_what_cannot_be_read_is_said_in_one_sentence(row, says):
    message = refusal(row.pair)
    assert says in message
    assert len(message) < 200
    if not row.is_blank:
        labelled = Row(**{name: getattr(row, name) for name in FIELDS} | {"label": "x"})
        assert refusal(labelled_pair, labelled) == message


def test_what_is_taught_needs_a_label():
    assert labelled_pair(BOSS) == BOSS.pair()
    assert refusal(labelled_pair, Row("Ann", "likes", "Ben")) == (
        "The label of “Ann likes Ben.” is empty; entailment, contradiction, neutral or a "
        "label of your own is expected."
    )


def test_label_words():
    for label, words in {
        "entailment": "yes YES Holds symmetric true Entailment entails “yes” yes.",
        "contradiction": "no No contradicts antisymmetric FALSE contradiction",
        "neutral": "unknown maybe neither open Neutral Maybe.",
    }.items():
        assert {read_label(word) for word in words.split()} == {label}
    assert read_label("  It  Depends ") == "It Depends"
