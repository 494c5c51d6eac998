"""A question of the page: what is written, when it gives way, and the pictures of the words."""

import json
import threading
import time

import numpy as np
import pytest

pytest.importorskip("gradio")

from lab_fakes import FakeLoader, fake_tokens
from tiny_decoders import write_tiny_decoder
from ui_fakes import NASTY

from symdemo.encoders.decoders import load_decoder
from symdemo.errors import InputError, ModelError
from symdemo.ui.sentences import words
from symdemo.ui.sentences.asking import Latest, Question, respond
from symdemo.ui.sentences.readers import BELLM, LOOKING_BACK, UNTOUCHED, find_looking_back
from symdemo.ui.sentences.words import (
    MOST_WORDS,
    Words,
    captions,
    change_panel,
    draw_words,
    read_words,
    titles,
)
from symdemo.ui.shared.encoders import SharedEncoders

CAT, DOG = "A cat sleeps.", "A dog barks loudly."


def question(number=1, first=CAT, second=DOG, **others):
    return json.dumps({"number": number, "first": first, "second": second, **others})


def written(steps):
    found = {}
    for step in steps:
        found |= step
    return found


def test_an_answer_writes_the_cards_and_then_the_pictures(encoders):
    steps = list(respond(encoders, Latest(), "a", question()))
    assert [list(step)[1:] for step in steps[:4]] == [["answer"]] * 4
    found = written(steps)
    assert found["problem"] == ""
    assert f"“{CAT}” and “{DOG}”" in found["answer"]
    assert found["pictures"].visible
    shown = json.loads(found["before"].plot)["data"][0]
    assert len(shown["z"]) == 4
    shown = written(respond(encoders, Latest(), "a", question(shown="second")))
    assert len(json.loads(shown["after"].plot)["data"][0]["z"]) == 5


def test_the_choice_of_a_picture_asks_nobody_again(encoders):
    list(respond(encoders, Latest(), "a", question()))
    found = written(respond(encoders, Latest(), "a", question(2, shown="second", only=True)))
    assert "answer" not in found
    assert "pictures" in found


def test_loading_is_told_before_it_begins(encoders):
    steps = list(respond(encoders, Latest(), "a", question(only=True)))
    assert "Loading the language model, about" in steps[0]["change"]
    assert (
        "Loading the language model"
        in next(respond(SharedEncoders(FakeLoader()), Latest(), "a", question()))["answer"]
    )


def test_an_older_answer_gives_way(encoders):
    latest = Latest()
    latest.note("a", 1)
    steps = respond(encoders, latest, "a", question(1))
    next(steps)
    latest.note("b", 7)  # another page's question changes nothing
    next(steps)
    latest.note("a", 2)
    assert list(steps) == []
    assert list(respond(encoders, latest, "a", question(1))) == []
    assert list(respond(encoders, latest, "a", question(2)))


def test_a_question_that_waits_for_a_model_gives_way_too(monkeypatch):
    monkeypatch.setattr(words, "token_similarities", fake_tokens)
    gate = threading.Event()
    encoders, latest = SharedEncoders(FakeLoader(gate=gate)), Latest()
    latest.note("a", 1)
    seen = []

    def run():
        seen.extend(respond(encoders, latest, "a", question(1)))

    thread = threading.Thread(target=run)
    thread.start()
    until = time.monotonic() + 10
    while len(seen) < 2 and time.monotonic() < until:
        time.sleep(0.01)
    latest.note("a", 2)
    gate.set()
    thread.join(10)
    assert not thread.is_alive()
    assert len(seen) == 2


def test_only_so_many_pages_are_remembered():
    latest = Latest()
    for page in range(2_100):
        latest.note(str(page), page)
    assert latest.get("99") is None
    assert latest.get("2099") == 2_099


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("no json", "open the page again"), (None, "open the page again"),
        ("[" * 100_000, "open the page again"), ('{"number": 1}', "open the page again"),
        (question(first=""), "first sentence is empty"),
        (question(second=f"{NASTY} " * 30), "at most 500"),
        (question(first="An unreadable one."), "cannot be read"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_and_no_answer_stays(encoders, text, told):
    found = written(respond(encoders, Latest(), "a", text))
    assert told in found["problem"]
    assert "<img" not in found["problem"]
    assert not found.get("answer")


def test_a_question_is_read_as_it_was_written():
    found = Question.from_json(question(3, shown="third"))
    assert found == Question(3, CAT, DOG, "first", False)


# The words


def test_the_prompt_is_left_out_of_the_picture(encoders):
    found = read_words(encoders, CAT)
    assert found.tokens == ("A", "cat", "sleeps", ".")
    _, whole = fake_tokens(encoders.get(BELLM), CAT)
    own = [3, 4, 5, 5]  # the full stop is part of the last token
    assert found.after == pytest.approx(whole[np.ix_(own, own)])
    assert found.trained


def test_real_decoders_are_looked_into(tmp_path):
    folder = write_tiny_decoder(tmp_path / "decoder")
    options = {UNTOUCHED: {}, BELLM: {"looking_back": 1, "prompt": "representative-word"}}
    encoders = SharedEncoders(lambda name: load_decoder(folder, device="cpu", **options[name]))
    found = read_words(encoders, "Kenya borders Uganda.")
    n = len(found.tokens)
    assert "".join(found.tokens) == "KenyabordersUganda."
    assert found.before.shape == found.after.shape == (n, n)
    assert np.diag(found.after) == pytest.approx(np.ones(n), abs=1e-5)
    assert np.abs(found.after - found.before).max() > 0.01


def test_without_bellm_the_untrained_one_stands_in_and_says_so(monkeypatch):
    monkeypatch.setattr(words, "token_similarities", fake_tokens)
    loader = FakeLoader(BELLM)
    encoders = SharedEncoders(loader)
    assert find_looking_back(encoders) == (LOOKING_BACK, False)
    found = read_words(encoders, CAT)
    assert titles(found)[1] == "Looking back, untrained"
    assert "no training" in change_panel(found)
    assert loader.loads == [LOOKING_BACK, UNTOUCHED]


def test_without_the_packages_one_sentence_says_how_to_get_them():
    encoders = SharedEncoders(FakeLoader(UNTOUCHED, BELLM))
    found = written(respond(encoders, Latest(), "a", question()))
    assert not found["pictures"].visible
    assert "pip install --no-deps gguf" in found["change"]
    assert "lab-likeness" in found["answer"]  # MiniLM still answers


def test_other_words_in_the_other_model_are_not_drawn(encoders, monkeypatch):
    def cut_otherwise(encoder, sentence):
        return fake_tokens(encoder, sentence if encoder.name == UNTOUCHED else sentence[::-1])

    monkeypatch.setattr(words, "token_similarities", cut_otherwise)
    with pytest.raises(ModelError, match="not found again"):
        read_words(encoders, CAT)


def test_a_long_sentence_has_no_picture_but_an_answer(encoders):
    long = "word " * (MOST_WORDS + 1)
    with pytest.raises(InputError, match=f"{MOST_WORDS + 1} words"):
        read_words(encoders, long)
    found = written(respond(encoders, Latest(), "a", question(first=long)))
    assert "drawn of up to" in found["change"]
    assert not found["pictures"].visible
    assert "lab-likeness" in found["answer"]


def example():
    before = np.array([[1.0, 0.2, 0.5], [0.2, 1.0, 0.3], [0.5, 0.3, 1.0]])
    after = np.array([[1.0, 0.8, 0.5], [0.8, 1.0, 0.35], [0.5, 0.35, 1.0]])
    return Words((NASTY, "cat", "cat"), before, after, True)


def test_both_pictures_have_one_scale_and_their_own_figures():
    figures = [draw_words(example(), after) for after in (False, True)]
    traces = [figure["data"][0] for figure in figures]
    assert [trace["zmin"] for trace in traces] == [0.2, 0.2]
    assert [trace["zmax"] for trace in traces] == [1, 1]
    assert traces[0]["z"][0] == [1.0, 0.2, 0.5]
    assert traces[1]["z"][0] == [1.0, 0.8, 0.5]
    axis = figures[0]["layout"]["xaxis"]
    assert axis["ticktext"][1:] == ["cat", "cat"]  # a word that comes twice stands twice
    assert axis["tickvals"] == [0, 1, 2]
    assert "<img" not in json.dumps(figures)


def test_what_moved_most_is_told_in_figures():
    told = " ".join(change_panel(example()).split())
    assert "<b>0.33</b> on average" in told
    assert "<b>0.55</b> looking back" in told
    assert "moved most: from 0.20 to 0.80" in told
    assert "<img" not in told


def test_the_pictures_are_told_in_words():
    before, after = captions(example())
    assert "cosine of 0.33 on average" in before
    assert "cosine of 0.55 on average" in after
    assert "and cat 0.80" in after.split("Nearest:")[1].split(",")[0]
    assert "<img" not in before + after


def test_one_word_alone_is_drawn_without_a_mean():
    one = Words(("snow",), np.ones((1, 1)), np.ones((1, 1)), True)
    assert "One word alone" in change_panel(one)
    assert draw_words(one, True)["data"][0]["z"] == [[1.0]]
    assert "one word" in captions(one)[0]
