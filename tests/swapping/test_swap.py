"""The functions of swapping: what they return and refuse, and the properties of every swap."""

import itertools
import re
from collections import Counter
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusal

import symdemo
from symdemo.data.bank import shipped_bank
from symdemo.errors import InputError, NoPairFound
from symdemo.swapping import Swap, join, parsing, readings, swap, swap_at, swap_many
from symdemo.swapping.readings import MOST_VERBS


def test_parts():
    got = swap("  Marie Curie was married to Pierre Curie in 1895.\n")
    assert got.premise == "Marie Curie was married to Pierre Curie in 1895."
    assert (got.subject, got.object) == ("Marie Curie", "Pierre Curie")
    assert got.relation == "[X] was married to [Y] in 1895."
    asked = swap("Did Salieri really poison Mozart?")
    assert (asked.premise, asked.hypothesis) == (
        "Salieri really poisoned Mozart.", "Mozart really poisoned Salieri.",
    )  # fmt: skip
    assert asked.note == f"The question is read as the statement “{asked.premise}”"
    assert swap("The cat\x00 chased\tthe\u200b dog.\r\n").premise == "The cat chased the dog."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("\x00\x07\u200b", "is empty"),
        ("word", "only one word"),
        ("12 345 !", "no letters"),
        ("a b " * 501, "2,003 characters"),
        ("Москва — столица России.", "are not Latin"),
        ("東京は日本の首都です。", "are not Latin"),
        ("Anna ist die Mutter von Bob.", "not seem to be English"),
        ("ANNA IST DIE MUTTER VON BOB", "not seem to be English"),
        ("Pedro es más alto que Pablo.", "not seem to be English"),
        ("Marie aime Joseph.", "not seem to be English"),
        ("Who knows Bob?", "asks “who.” Try a statement"),
        ("In which town does Ann live?", "asks “which.” Try a statement"),
        ("Is Ann or Bob taller?", "asks “which.” Try a statement"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(text, said):
    with pytest.raises(InputError, match=said) as caught:
        swap(text)
    assert not isinstance(caught.value, NoPairFound)
    assert str(caught.value).endswith((".", "'."))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("sentence", "guess"),
    [
        ("The cat sleeps.", ("The cat", "sleeps", "")),
        ("Both suspects accused each other.", ("Both suspects", "accused", "each other")),
        ("Give Bob the book.", ("", "Give", "Bob the book")),
        ("happy birthday", ("happy birthday", "", "")),
        ("the road from Oslo", ("the road from Oslo", "", "")),
        ("x > y", ("x > y", "", "")),
        ("The two leaders shook hands.", None),
        ("It has been snowing since breakfast.", None),
        ("Good morning and happy birthday!", None),
    ],
)
def test_no_pair_is_made_up_and_a_guess_fills_the_boxes(sentence, guess):
    with pytest.raises(NoPairFound, match="No subject and object") as caught:
        swap(sentence)
    assert guess is None or caught.value.guess == guess


def test_odd_text_never_ends_in_another_error():
    bits = ["'s", "and", "Ann", "of", "(", ")", ",", "is", "between", "than", "I", ".", '"', "[X]"]
    bits += ["her", "loves", "which", "-", "…", "theirs", "let's", "as", "bit", "Raj", "that"]
    for words in itertools.islice(itertools.permutations(bits, 4), 0, 200_000, 2_000):
        with suppress(InputError):
            assert swap(" ".join(words)).hypothesis


def test_a_sentence_without_a_pair_takes_few_parses(monkeypatch):
    parses = []
    real = readings.parse_with_stand_ins
    monkeypatch.setattr(
        readings, "parse_with_stand_ins", lambda *args: parses.append(args) or real(*args)
    )
    with suppress(InputError):
        swap(" ".join(["Ann", "bit", "met", "plays", "bites"] * 20) + ".")
    assert 0 < len(parses) <= 2 * (2 * MOST_VERBS + 2)  # two parsers


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("I can't believe it.", "does not say what"),
        ("The company sold its factory to the nurse.", "he or she"),
        ("Isn't Ann married to Bob?", "opposite"),
        ("Could you mix milk with flour?", "request"),
    ],
)
def test_a_doubt_is_a_plain_sentence(sentence, said):
    found = swap(sentence).doubts
    assert any(said in doubt for doubt in found), found
    assert all(doubt.endswith(".") for doubt in found)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (("ann", "is the mother of", "Bob"), "Ann is the mother of Bob."),
        (("The cat", "chased", "The dog"), "The cat chased the dog."),
        (("Ann", "[X] was married to [Y] in 1895.", "Bob"), "Ann was married to Bob in 1895."),
        (("Ann", "[Y] is a child of [X]", "Bob"), "Bob is a child of Ann."),
        (("iPhone", "is made by", "Apple Inc."), "iPhone is made by Apple Inc."),
        (("Carla", "[X]'s mother is [Y].", "Ann"), "Carla's mother is Ann."),
    ],
)
def test_join(parts, expected):
    assert join(*parts) == expected


@pytest.mark.parametrize(("subject", "seen"), [(" ", "empty"), ("😀", "“😀”")])
def test_a_part_without_a_word_is_refused_as_it_was_seen(subject, seen):
    assert refusal(join, subject, "met", "Bob").startswith(f"The subject is {seen}:")


@pytest.mark.parametrize(
    ("sentence", "one", "two", "swapped"),
    [
        ("Ann, my boss, met Bob.", (0, 1), (4, 5), "Bob, my boss, met Ann."),
        ("Peter lent his bicycle to Sofia.", (0, 1), (5, 6), "Sofia lent her bicycle to Peter."),
        ("The cats see the dog.", (0, 2), (3, 5), "The dog sees the cats."),
        ("The cats chase Ann's dog.", (0, 2), (3, 4), "Ann chases the cats' dog."),
        ("He loves her (a lot).", (0, 1), (2, 3), "She loves him (a lot)."),
        ("Ann gave Bob “a book”.", (2, 3), (3, 5), "Ann gave “a book” Bob."),
        ("my cat   hates Tom's dog", (0, 2), (3, 5), "Tom's dog   hates my cat"),
    ],
)
def test_picked_phrases_are_exchanged(sentence, one, two, swapped):
    got = symdemo.swap_at(sentence, one, two)
    assert (got.premise, got.hypothesis) == (sentence, swapped)


@pytest.mark.parametrize(
    ("one", "two", "said"),
    [
        ((0, 2), (1, 3), "share a word"),
        ((0, 1), (0, 1), "share a word"),
        ((1, 1), (2, 3), "at least one"),
        ((0, 1), (3, 9), "words 0 to 3"),
        ((-1, 1), (2, 3), "words 0 to 3"),
        ((0, 1), (2, 3), "a letter or a digit"),
    ],
)
def test_ranges_that_pick_nothing_are_refused(one, two, said):
    assert said in refusal(swap_at, "Ann met — Bob.", one, two)


NAMES = st.sampled_from(["Ann", "Bob", "Carla", "Omar", "Ingrid", "Yusuf", "Rita", "Paul"])
THINGS = st.sampled_from(["the cat", "the old dog", "my aunt", "the king", "a nurse", "the boys"])
SIDES = NAMES | THINGS
ACTS = st.sampled_from(["met", "praised", "followed", "will visit", "is older than", "argued with"])
TAILS = st.sampled_from(["", " on Monday", " during the war"])


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.lower()))


@pytest.mark.slow
@given(SIDES, ACTS, SIDES, TAILS)
@settings(max_examples=40, deadline=None)
def test_a_plain_sentence_swaps_back_and_nothing_is_lost(one, act, two, tail):
    if one == two or ("boys" in one + two and act.startswith("is")):
        return
    sentence = f"{one[0].upper()}{one[1:]} {act} {two}{tail}."
    got = swap(sentence)
    assert swap(got.hypothesis).hypothesis == sentence
    assert words(got.hypothesis) == words(sentence)


@given(st.lists(SIDES | ACTS, min_size=3, max_size=8, unique=True), st.data())
@settings(max_examples=40, deadline=None)
def test_only_picked_phrases_change_places(parts, data):
    sentence = " ".join(parts)
    count = len(sentence.split())
    places = st.lists(st.integers(0, count), min_size=4, max_size=4, unique=True)
    cuts = sorted(data.draw(places))
    got = swap_at(sentence, (cuts[0], cuts[1]), (cuts[2], cuts[3]))
    # Only verbs may change, and only in number.
    assert len(got.hypothesis.split()) == count
    for name in ("ann", "bob", "carla", "omar", "cat", "dog", "aunt", "king", "nurse", "boys"):
        assert words(got.hypothesis)[name] == words(sentence)[name]


ODD = [
    "", "It rains.", "Is Ann Ben's boss?", "Ann  met\tBen.", "A loves B.", "im taller than u",
    "Oslo is located in Norway.", "x" * 2_500, "Ann met Ben. " * 150,
    "Ann met Ben.", "Ann met Ben.",
]  # fmt: skip


def one_by_one(sentence):
    try:
        return swap(sentence)
    except InputError as error:
        return error


def comparable(found):
    return found if isinstance(found, Swap) else (type(found), str(found))


def test_many_are_swapped_as_one_by_one():
    bank = shipped_bank()
    premises = [pair.premise for pair in bank.pairs(bank.relations[::1500], seed=2)]
    together = list(map(comparable, swap_many([*ODD, *premises])))
    parsing._parsed.clear()
    assert together == [comparable(one_by_one(text)) for text in (*ODD, *premises)]
    assert sum(isinstance(found, Swap) for found in together) > len(premises) / 2


def test_many_are_read_no_further_than_needed():
    taken = []
    sentences = (taken.append(n) or f"Ann{n} met Ben." for n in range(10_000))
    assert next(swap_many(sentences)).hypothesis == "Ben met Ann0."
    assert len(taken) <= 64
