"""Frames: which two things a pair is about, where both sentences name them, and what changes."""

import random

import pytest
from cases import cases_of, each_case
from hypothesis import given
from hypothesis import strategies as st

from symdemo.data.bank import shipped_bank
from symdemo.data.bank_phrasings import fill, finish
from symdemo.pairs import Pair
from symdemo.swapping import changes, frames
from symdemo.swapping.changes import cannot_follow, change_of
from symdemo.swapping.frames import exchange_places, find_frames, find_many

ROWS = cases_of(__file__, "frames.csv")
PAIRS = [Pair(row["premise"], row["hypothesis"]) for row in ROWS]
BANK = shipped_bank()


@each_case(__file__, "frames.csv")
def test_both_sentences_have_their_frames(row):
    found = find_frames(Pair(row["premise"], row["hypothesis"]))
    assert [found.premise, found.hypothesis] == [row["premise_frame"], row["hypothesis_frame"]]
    assert found.has_both == (row["kind"] != "one of the two")
    if found.hypothesis == exchange_places(found.premise):
        assert change_of(row["premise"], row["hypothesis"]) == changes.SWAPPED


@pytest.mark.parametrize(
    ("premise", "hypothesis"),
    [
        ("Ann met Bob.", "Carl knows Dora."),
        ("", "Ann met Bob."),
        ("Ann met Bob.", ""),
        ("東京は日本の首都です。", "Ann met Bob."),
    ],
)
def test_sentences_about_other_things_have_no_frames(premise, hypothesis):
    assert find_frames(Pair(premise, hypothesis)) is None


@pytest.mark.parametrize(
    ("premise", "hypothesis", "names"),
    [
        ("Ann met Bob.", "Bob met Ann.", ("Ann", "Bob")),
        ("The cat bit a dog.", "A dog bit the cat.", ("the cat", "a dog")),
        ("I know her.", "She knows me.", ("me", "her")),
        ('"Emma" inspired "Ulysses".', '"Ulysses" resembles "Emma".', ("Emma", "Ulysses")),
    ],
)
def test_arguments_are_spelt_as_inside_a_sentence(premise, hypothesis, names):
    found = find_frames(Pair(premise, hypothesis))
    assert (found.x, found.y) == names


def test_the_pair_s_own_head_and_tail_come_first():
    premise, hypothesis = "The fans of Ajax met Bob.", "Bob met the fans of Ajax."
    own = find_frames(Pair(premise, hypothesis, head="Bob", tail="Ajax"))
    assert (own.x, own.y, own.premise) == ("Bob", "Ajax", "The fans of [Y] met [X].")
    # names that are not in both sentences count for nothing
    assert find_frames(Pair(premise, hypothesis, head="Bob", tail="Eva")).premise == "[X] met [Y]."


@given(st.sampled_from(BANK.relations), st.integers(0, 1000))
def test_filled_frames_of_a_swap_are_its_sentences(relation, seed):
    drawn = random.Random(seed)
    phrasing, (x, y) = drawn.choice(relation.phrasings), BANK.draw(relation, drawn)
    sentences = finish(fill(phrasing, x, y)), finish(fill(phrasing, y, x))
    for pair in (Pair(*sentences), Pair(*sentences, head=x, tail=y)):
        found = find_frames(pair)
        filled = [fill(frame, found.x, found.y) for frame in (found.premise, found.hypothesis)]
        assert [text.casefold() for text in filled] == [text.casefold() for text in sentences]


def test_many_are_found_as_one_by_one():
    assert find_many(PAIRS) == list(map(find_frames, PAIRS))
    assert find_many([]) == []


def test_swaps_are_not_parsed(monkeypatch):
    monkeypatch.setattr(frames, "parse_ahead", None)
    swaps = [
        row for row in ROWS if row["hypothesis_frame"] == exchange_places(row["premise_frame"])
    ]
    assert all(find_many([Pair(row["premise"], row["hypothesis"]) for row in swaps]))


@each_case(__file__, "changes.csv")
def test_a_change_is_named(row):
    assert change_of(row["premise"], row["hypothesis"]) == getattr(changes, row["change"])


def test_what_says_more_or_speaks_of_another_cannot_follow():
    rows = cases_of(__file__, "cannot_follow.csv")
    ruled_out = cannot_follow([Pair(row["premise"], row["hypothesis"]) for row in rows])
    assert ruled_out == [row["ruled_out"] == "yes" for row in rows]
