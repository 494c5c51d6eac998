"""Two phrases that a person picked, and the properties that every swap keeps."""

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("spacy", reason="free sentences need the parser")

import symdemo
from symdemo.errors import InputError
from symdemo.swapping import swap, swap_at, words_of


@pytest.mark.parametrize(
    ("sentence", "one", "two", "swapped"),
    [
        ("Ann, my boss, met Bob.", (0, 1), (4, 5), "Bob, my boss, met Ann."),
        ("Ann, my boss, met Bob.", (4, 5), (0, 1), "Bob, my boss, met Ann."),
        ("The old man saw the sea.", (0, 3), (4, 6), "The sea saw the old man."),
        ("Peter lent his bicycle to Sofia.", (0, 1), (5, 6), "Sofia lent her bicycle to Peter."),
        ("The cats see the dog.", (0, 2), (3, 5), "The dog sees the cats."),
        ("The cats chase Ann's dog.", (0, 2), (3, 4), "Ann chases the cats' dog."),
        ("He loves her (a lot).", (0, 1), (2, 3), "She loves him (a lot)."),
        ("Ann gave Bob “a book”.", (2, 3), (3, 5), "Ann gave “a book” Bob."),
        ("Ann gave a book to Bob", (2, 4), (5, 6), "Ann gave Bob to a book"),
        ("my cat   hates Tom's dog", (0, 2), (3, 5), "Tom's dog   hates my cat"),
    ],
)
def test_picked_phrases_are_exchanged_and_mended(sentence, one, two, swapped) -> None:
    got = swap_at(sentence, one, two)
    assert got.hypothesis == swapped
    assert got.premise == sentence


def test_words_are_those_between_white_space() -> None:
    assert words_of("Ann,  my boss, met\tBob.") == ["Ann,", "my", "boss,", "met", "Bob."]
    assert symdemo.swap_at is swap_at


@pytest.mark.parametrize(
    ("one", "two", "said"),
    [
        ((0, 2), (1, 3), "share a word"),
        ((0, 3), (1, 2), "share a word"),
        ((0, 1), (0, 1), "share a word"),
        ((1, 1), (2, 3), "at least one"),
        ((2, 1), (2, 3), "at least one"),
        ((0, 1), (3, 9), "words 0 to 3"),
        ((-1, 1), (2, 3), "words 0 to 3"),
        ((0, 1), (2, 3), "a letter or a digit"),
    ],
)
def test_ranges_that_pick_nothing_are_refused(one, two, said) -> None:
    with pytest.raises(InputError, match=said):
        swap_at("Ann met — Bob.", one, two)


NAMES = st.sampled_from(["Ann", "Bob", "Carla", "Omar", "Ingrid", "Yusuf", "Rita", "Paul"])
THINGS = st.sampled_from(["the cat", "the old dog", "my aunt", "the king", "a nurse", "the boys"])
SIDES = NAMES | THINGS
ACTS = st.sampled_from(["met", "praised", "followed", "will visit", "is older than", "argued with"])
TAILS = st.sampled_from(["", " on Monday", " during the war"])


@pytest.mark.slow
@given(SIDES, ACTS, SIDES, TAILS)
@settings(max_examples=40, deadline=None)
def test_a_plain_sentence_swaps_back_and_nothing_is_lost(one, act, two, tail) -> None:
    if one == two or ("boys" in one + two and act.startswith("is")):
        return
    sentence = f"{one[0].upper()}{one[1:]} {act} {two}{tail}."
    got = swap(sentence)
    assert swap(got.hypothesis).hypothesis == sentence
    assert _words(got.hypothesis) == _words(sentence)


@given(st.lists(SIDES | ACTS, min_size=3, max_size=8, unique=True), st.data())
@settings(max_examples=40, deadline=None)
def test_picked_phrases_change_places_and_nothing_else_does(parts, data) -> None:
    sentence = " ".join(parts)
    count = len(sentence.split())
    places = st.lists(st.integers(0, count), min_size=4, max_size=4, unique=True)
    cuts = sorted(data.draw(places))
    got = swap_at(sentence, (cuts[0], cuts[1]), (cuts[2], cuts[3]))
    # Verbs may change their number, and nothing else.
    assert len(got.hypothesis.split()) == count
    names = {"ann", "bob", "carla", "omar", "cat", "dog", "aunt", "king", "nurse", "boys"}
    for name in names:
        assert _words(got.hypothesis)[name] == _words(sentence)[name]


def _words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.lower()))
