"""A query of the page: what is written, when it stops, and the pictures of the words."""

import json
import threading

import numpy as np
import pytest
from lab_fakes import FakeLoader, fake_tokens
from ui_fakes import NASTY

from symdemo.errors import InputError, ModelError
from symdemo.ui.sentences import words
from symdemo.ui.sentences.answers import LatestByPage, respond
from symdemo.ui.sentences.comparing import BELLM, UNTOUCHED
from symdemo.ui.sentences.words import (
    LOOKING_BACK,
    MOST_WORDS,
    WordStates,
    captions,
    change_panel,
    draw_words,
    read_words,
    titles,
)
from symdemo.ui.shared.encoders import SharedEncoders

CAT, DOG = "A cat sleeps.", "A dog barks loudly."


def query(number=1, first=CAT, second=DOG, **others):
    return json.dumps({"number": number, "first": first, "second": second, **others})


def written(encoders, text):
    found = {}
    for step in respond(encoders, LatestByPage(), "a", text):
        found |= step
    return found


def test_the_cards_are_written_first_and_then_the_pictures(encoders):
    steps = list(respond(encoders, LatestByPage(), "a", query()))
    assert [list(step)[1:] for step in steps[:4]] == [["answer"]] * 4
    assert "Loading the language model, about" in steps[0]["answer"]
    words_only = next(respond(SharedEncoders(FakeLoader()), LatestByPage(), "a", query(only=True)))
    assert "Loading the language model, about" in words_only["change"]
    found = written(encoders, query())
    assert found["problem"] == ""
    assert f"“{CAT}” and “{DOG}”" in found["answer"]
    assert found["pictures"].visible
    assert len(json.loads(found["before"].plot)["data"][0]["z"]) == 4
    shown = written(encoders, query(shown="second", only=True))
    assert "answer" not in shown
    assert len(json.loads(shown["after"].plot)["data"][0]["z"]) == 5


def test_an_older_answer_stops(encoders):
    latest = LatestByPage()
    latest.note("a", 1)
    steps = respond(encoders, latest, "a", query(1))
    next(steps)
    latest.note("b", 7)  # another page changes nothing
    next(steps)
    latest.note("a", 2)
    assert list(steps) == []
    assert list(respond(encoders, latest, "a", query(1))) == []
    assert list(respond(encoders, latest, "a", query(2)))


def test_an_answer_that_waits_for_a_model_stops_too():
    gate, two_seen = threading.Event(), threading.Event()
    encoders, latest, seen = SharedEncoders(FakeLoader(gate=gate)), LatestByPage(), []
    latest.note("a", 1)

    def run():
        for step in respond(encoders, latest, "a", query(1)):
            seen.append(step)
            if len(seen) == 2:
                two_seen.set()

    thread = threading.Thread(target=run)
    thread.start()
    assert two_seen.wait(10)
    latest.note("a", 2)
    gate.set()
    thread.join(10)
    assert not thread.is_alive()
    assert len(seen) == 2


def test_a_limited_number_of_pages_is_remembered():
    latest = LatestByPage()
    for page in range(2_100):
        latest.note(str(page), page)
    assert latest.get("99") is None
    assert latest.get("2099") == 2_099


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("no json", "open the page again"), (None, "open the page again"),
        (query(shown="third"), "open the page again"), (query("x"), "open the page again"),
        ("[" * 100_000, "open the page again"), ('{"number": 1}', "open the page again"),
        (query(first=""), "first sentence is empty"),
        (query(second=f"{NASTY} " * 30), "at most 500"),
        (query(first="An unreadable one."), "cannot be read"),
    ],
)  # fmt: skip
def test_a_problem_replaces_the_answer(encoders, text, told):
    found = written(encoders, text)
    assert told in found["problem"]
    assert "<img" not in found["problem"]
    assert not found.get("answer")


# The words


def test_the_prompt_is_left_out_of_the_picture(encoders):
    found = read_words(encoders, CAT)
    assert found.tokens == ("A", "cat", "sleeps", ".")
    _, whole = fake_tokens(encoders.get(BELLM), CAT)
    own = [3, 4, 5, 5]  # the full stop is part of the last token
    assert found.after == pytest.approx(whole[np.ix_(own, own)])
    assert found.trained


def test_real_decoders_are_compared(tmp_path, monkeypatch):
    from tiny_decoders import write_tiny_decoder

    from symdemo.encoders.decoders import load_decoder
    from symdemo.evaluation.sentences.layers import token_similarities

    monkeypatch.setattr(words, "token_similarities", token_similarities)
    folder = write_tiny_decoder(tmp_path / "decoder")
    options = {UNTOUCHED: {}, BELLM: {"looking_back": 1, "prompt": "representative-word"}}
    encoders = SharedEncoders(lambda name: load_decoder(folder, device="cpu", **options[name]))
    found = read_words(encoders, "Kenya borders Uganda.")
    n = len(found.tokens)
    assert "".join(found.tokens) == "KenyabordersUganda."
    assert found.before.shape == found.after.shape == (n, n)
    assert np.diag(found.after) == pytest.approx(np.ones(n), abs=1e-5)
    assert np.abs(found.after - found.before).max() > 0.01


def test_without_bellm_the_untrained_model_is_drawn():
    loader = FakeLoader(BELLM)
    found = read_words(SharedEncoders(loader), CAT)
    assert titles(found)[1] == "Looking back, untrained"
    assert "no training" in change_panel(found)
    assert set(loader.loads) == {LOOKING_BACK, UNTOUCHED}


def test_without_the_packages_one_sentence_says_how_to_get_them():
    found = written(SharedEncoders(FakeLoader(UNTOUCHED, BELLM)), query())
    assert not found["pictures"].visible
    assert "pip install --no-deps gguf" in found["change"]
    assert "lab-likeness" in found["answer"]  # MiniLM still answers


def test_tokens_that_do_not_match_the_words_are_not_drawn(encoders, monkeypatch):
    def reverse(encoder, sentence):
        return fake_tokens(encoder, sentence if encoder.name == UNTOUCHED else sentence[::-1])

    monkeypatch.setattr(words, "token_similarities", reverse)
    with pytest.raises(ModelError, match="do not match"):
        read_words(encoders, CAT)


def test_a_long_sentence_has_an_answer_but_no_picture(encoders):
    long = "word " * (MOST_WORDS + 1)
    with pytest.raises(InputError, match=f"{MOST_WORDS + 1} words"):
        read_words(encoders, long)
    found = written(encoders, query(first=long))
    assert f"show up to {MOST_WORDS}" in found["change"]
    assert not found["pictures"].visible
    assert "lab-likeness" in found["answer"]


@pytest.fixture
def states():
    before = np.array([[1.0, 0.2, 0.5], [0.2, 1.0, 0.3], [0.5, 0.3, 1.0]])
    after = np.array([[1.0, 0.8, 0.5], [0.8, 1.0, 0.35], [0.5, 0.35, 1.0]])
    return WordStates((NASTY, "cat", "cat"), before, after, True)


def test_both_pictures_have_one_scale(states):
    figures = [draw_words(states, after) for after in (False, True)]
    traces = [figure["data"][0] for figure in figures]
    assert [(trace["zmin"], trace["zmax"]) for trace in traces] == [(0.2, 1), (0.2, 1)]
    assert [trace["z"][0] for trace in traces] == [[1.0, 0.2, 0.5], [1.0, 0.8, 0.5]]
    axis = figures[0]["layout"]["xaxis"]
    assert axis["ticktext"][1:] == ["cat", "cat"]  # a repeated word is drawn twice
    assert axis["tickvals"] == [0, 1, 2]
    assert "<img" not in json.dumps(figures)


def test_the_change_and_the_pictures_are_described(states):
    told = " ".join(change_panel(states).split())
    for words_of_it in ("<b>0.33</b> left to right", "<b>0.55</b> looking back",
                        "changed most: from 0.20 to 0.80"):  # fmt: skip
        assert words_of_it in told
    before, after = captions(states)
    assert "cosine of 0.33 on average" in before
    assert "cosine of 0.55 on average" in after
    assert "and cat 0.80" in after.split("Most similar:")[1].split(",")[0]
    assert "<img" not in told + before + after


def test_one_word_alone_has_no_mean():
    one = WordStates(("snow",), np.ones((1, 1)), np.ones((1, 1)), True)
    assert "only one word" in change_panel(one)
    assert draw_words(one, True)["data"][0]["z"] == [[1.0]]
    assert "one word" in captions(one)[0]
