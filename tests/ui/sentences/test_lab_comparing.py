"""Two sentences: the ruler that a cosine is held against, and what is said when."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

pytest.importorskip("gradio")

from lab_fakes import FakeEncoder, FakeLoader
from ui_fakes import NASTY

from symdemo.errors import InputError, ModelError
from symdemo.ui.sentences import comparing, readers
from symdemo.ui.sentences.comparing import (
    Awaited,
    Compared,
    Ruler,
    compare_all,
    find_ruler,
    fixed_pairs,
    measure_ruler,
    tidy_sentence,
    unrelated_places,
)
from symdemo.ui.sentences.panels import EXAMPLES, LIKENESS, answer_panel, example_buttons
from symdemo.ui.sentences.readers import BELLM, READERS, UNTOUCHED
from symdemo.ui.shared.encoders import SharedEncoders
from symdemo.ui.shared.events import UNEXPECTED

MINILM = READERS[-1].name

# The ruler


def test_the_fixed_pairs_are_forty_and_share_no_sentence():
    pairs = fixed_pairs()
    assert len(pairs) == 40
    sentences = [text.casefold() for pair in pairs for text in pair]
    assert len(set(sentences)) == 80


def test_unrelated_pairs_join_a_hundred_different_pairs():
    places = unrelated_places(40)
    assert len(places) == len(set(places)) == 100
    assert all(i != j for i, j in places)
    assert max(max(two) for two in places) == 39


def test_a_ruler_holds_the_cosines_of_the_pairs_in_order():
    encoder = FakeEncoder("one")
    ruler = measure_ruler(encoder)
    pairs = fixed_pairs()
    same = sorted(float(np.dot(*encoder.encode(list(pair)))) for pair in pairs)
    apart = sorted(
        float(np.dot(*encoder.encode([pairs[i][0], pairs[j][1]]))) for i, j in unrelated_places(40)
    )
    assert ruler.same == pytest.approx(same, abs=1e-5)
    assert ruler.unrelated == pytest.approx(apart, abs=1e-5)


def test_places_on_a_ruler_are_counted_by_hand():
    ruler = Ruler(np.array([0.5, 0.6, 0.7, 0.8]), np.array([0.0, 0.1, 0.2, 0.3, 0.4]))
    assert ruler.nearer_than(0.65) == (5, 2)
    assert ruler.nearer_than(0.2) == (2, 0)  # of equals none is less near
    assert ruler.nearer_than(-1) == (0, 0)
    assert ruler.same_range == pytest.approx((0.53, 0.77))
    assert ruler.unrelated_range == pytest.approx((0.04, 0.36))


@pytest.mark.parametrize(
    ("cosine", "likeness"), [(0.7, "same"), (0.99, "same"), (0.1, "unrelated"), (0.45, "between")]
)
def test_what_a_cosine_is_like(cosine, likeness):
    assert Ruler(np.array([0.5, 0.8]), np.array([0.0, 0.4])).likeness(cosine) == likeness


def test_where_both_kinds_lie_alike_nothing_is_told():
    blunt = Ruler(np.linspace(0.9, 0.99, 40), np.linspace(0.88, 0.97, 100))
    assert blunt.likeness(0.94) == "either"
    assert blunt.likeness(0.98) == "same"
    assert set(LIKENESS) == {"same", "unrelated", "between", "either"}


def test_a_ruler_is_measured_once_for_each_encoder():
    encoder = FakeEncoder("one")
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: find_ruler(encoder), range(4)))
    assert len({id(ruler) for ruler in found}) == 1
    assert len(encoder.seen) == 80


# Sharing


def test_an_encoder_is_loaded_once_for_all_and_not_before():
    loader = FakeLoader(gate=threading.Event())
    encoders = SharedEncoders(loader)
    assert loader.loads == []
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(encoders.get, [MINILM] * 6))
    assert loader.loads == [MINILM]
    assert len({id(encoder) for encoder in found}) == 1
    assert encoders.loaded(MINILM)
    assert not encoders.loaded(UNTOUCHED)


def test_one_that_is_not_here_is_tried_again():
    loader = FakeLoader(BELLM)
    encoders = SharedEncoders(loader)
    with pytest.raises(ModelError):
        encoders.get(BELLM)
    loader.gone.clear()
    assert encoders.get(BELLM).name == BELLM


# Comparing


def test_all_are_awaited_first_and_the_quickest_answers_first(encoders):
    steps = list(compare_all(encoders, "  A cat  sleeps.", "A dog barks."))
    assert [sum(isinstance(a, Compared) for a in step.values()) for step in steps] == [0, 1, 2, 3]
    assert [list(step) for step in steps] == [[reader.name for reader in READERS]] * 4
    assert isinstance(steps[1][MINILM], Compared)
    first = steps[0][UNTOUCHED]
    assert isinstance(first, Awaited)
    assert first.seconds >= READERS[0].seconds
    again = next(compare_all(encoders, "A cat sleeps.", "A dog barks."))
    assert all(awaited.seconds == 0 for awaited in again.values())


def test_the_cosine_is_that_of_the_two_embeddings(encoders):
    (*_, last) = compare_all(encoders, "A cat sleeps.", "A dog sleeps.")
    one, two = FakeEncoder(MINILM).encode(["A cat sleeps.", "A dog sleeps."])
    assert last[MINILM].cosine == pytest.approx(float(one @ two), abs=1e-5)


def test_the_others_answer_where_some_are_not_here():
    encoders = SharedEncoders(FakeLoader(UNTOUCHED, BELLM))
    (*_, last) = compare_all(encoders, "A cat sleeps.", "A dog barks.")
    again = next(compare_all(encoders, "A cat sleeps.", "A dog barks."))
    assert isinstance(again[UNTOUCHED], ModelError)  # it is not announced once more
    panel = answer_panel(last, "A cat sleeps.", "A dog barks.")
    assert panel.count("<section") == 1
    assert "MiniLM answers alone" in panel
    assert "pip install" in panel
    assert panel.count("lab-missing") == 1
    (*_, last) = compare_all(SharedEncoders(FakeLoader(BELLM)), "A cat sleeps.", "A dog barks.")
    panel = answer_panel(last, "A cat sleeps.", "A dog barks.")
    assert "so the others answer alone" in panel
    assert "gguf" not in panel


@pytest.mark.parametrize("peft", [True, False])
def test_what_is_missing_is_named_with_the_command(monkeypatch, peft):
    monkeypatch.setattr(readers, "find_spec", lambda name: object() if peft else None)
    untouched, bellm, _ = READERS
    whole = readers.missing_words([untouched, bellm])
    assert "run: pip install --no-deps gguf" in whole
    assert whole.count("pip install") == 1
    assert "peft" in whole
    alone = readers.missing_words([bellm])
    assert ("cannot be loaded" in alone) == peft
    assert ("needs one more package" in alone) == ("peft" in alone) == (not peft)


def test_one_that_fails_is_told_and_the_others_answer(encoders):
    (*_, last) = compare_all(encoders, "A crash here.", "A dog barks.")
    panel = answer_panel(last, "A crash here.", "A dog barks.")
    assert panel.count(UNEXPECTED) == 3
    assert "secret inner" not in panel


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"), ("  \n", "is empty"), ("123 !", "“123 !”"), (None, "NoneType"),
        ("x" * 501, "501 characters"), ("A bell \x07 rings.", "U+0007"),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence_that_names_the_box(encoders, loader, text, words):
    with pytest.raises(InputError, match="second sentence") as raised:
        list(compare_all(encoders, "A cat sleeps.", text))
    assert words in str(raised.value)
    assert loader.loads == []


def test_what_the_encoder_cannot_read_is_told(encoders):
    with pytest.raises(InputError, match="The first sentence cannot be read"):
        list(compare_all(encoders, "An unreadable one.", "A cat sleeps."))


def test_a_word_alone_is_fine():
    assert tidy_sentence(" snow ", "sentence") == "snow"


# The panels


def test_every_place_lies_within_the_picture(encoders):
    (*_, last) = compare_all(encoders, "A cat sleeps.", "A cat sleeps.")
    panel = str(answer_panel(last, "A cat sleeps.", "A cat sleeps."))
    places = [float(part.split("%")[0]) for part in panel.split("left: ")[1:]]
    assert len(places) == 3 * 4
    assert all(0 <= place <= 100 for place in places)
    assert "<b>100 of 100</b>" in panel
    assert "<b>40 of 40</b>" in panel


def test_sentences_of_strangers_stay_text(encoders):
    (*_, last) = compare_all(encoders, f"A cat {NASTY}", "A dog.")
    panel = answer_panel(last, f"A cat {NASTY}", "A dog.")
    assert "<img" not in panel
    assert "&lt;img" in panel


def test_the_examples_are_read_by_the_script():
    buttons = example_buttons()
    assert buttons.count("data-compare=") == len(EXAMPLES)
    for example in EXAMPLES:
        assert tidy_sentence(example.first, "sentence") == example.first
        assert tidy_sentence(example.second, "sentence") == example.second


def test_an_unforeseen_error_is_logged(encoders, caplog):
    comparing.answer(encoders, READERS[-1], "A crash here.", "A dog.")
    assert "secret inner detail" in caplog.text
