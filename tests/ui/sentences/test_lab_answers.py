"""A query of the page: what is written, when it stops, and the pictures of the words."""

import json
import threading

import numpy as np
import pytest
from lab_fakes import FakeLoader, fake_tokens
from refusals import refusal
from ui_fakes import NASTY

from symdemo.errors import ModelError
from symdemo.ui.sentences import words
from symdemo.ui.sentences.answers import respond
from symdemo.ui.sentences.comparing import BELLM, UNTOUCHED
from symdemo.ui.shared.store import SharedEncoders

CAT, DOG = "A cat sleeps.", "A dog barks loudly."


def answer(encoders, first=CAT, second=DOG, shown="first", words_only=False, queries=None):
    return respond(encoders, queries or [1], first, second, shown, words_only)


def written(encoders, *query, **options):
    found = {}
    for step in answer(encoders, *query, **options):
        found |= step
    return found


def trace(drawn):
    return json.loads(drawn.plot)["data"][0]


def test_the_cards_are_written_first_and_then_the_pictures(encoders):
    steps = list(answer(encoders))
    assert [list(step)[1:] for step in steps[:4]] == [["answer"]] * 4
    assert "Loading the language model, about" in steps[0]["answer"]
    words_only = next(answer(SharedEncoders(FakeLoader()), words_only=True))
    assert "Loading the language model, about" in words_only["change"]
    found = written(encoders)
    assert found["problem"] == ""
    assert f"“{CAT}” and “{DOG}”" in found["answer"]
    assert found["pictures"].visible
    assert len(trace(found["before"])["z"]) == 4
    shown = written(encoders, shown="second", words_only=True)
    assert "answer" not in shown
    assert len(trace(shown["after"])["z"]) == 5


def test_an_older_answer_stops_also_while_a_model_loads():
    gate, two_seen = threading.Event(), threading.Event()
    encoders, queries, seen = SharedEncoders(FakeLoader(gate=gate)), [1], []

    def run():
        for step in answer(encoders, queries=queries):
            seen.append(step)
            if len(seen) == 2:
                two_seen.set()

    thread = threading.Thread(target=run)
    thread.start()
    assert two_seen.wait(10)
    queries[0] += 1
    gate.set()
    thread.join(10)
    assert not thread.is_alive()
    assert len(seen) == 2
    assert list(answer(encoders, queries=queries))


def test_a_problem_replaces_the_answer(encoders):
    found = written(encoders, CAT, f"{NASTY} " * 30)
    assert "at most 500" in found["problem"]
    assert "<img" not in found["problem"]
    assert not found.get("answer")


def test_the_prompt_is_left_out_of_the_picture(encoders):
    found = words.read_words(encoders, CAT)
    assert found.tokens == ("A", "cat", "sleeps", ".")
    _, whole = fake_tokens(encoders.get(BELLM), CAT)
    own = [3, 4, 5, 5]  # the full stop is part of the last token
    assert found.after == pytest.approx(whole[np.ix_(own, own)])
    assert found.trained


def test_real_decoders_are_compared(tmp_path, monkeypatch):
    from tiny import write_tiny_decoder

    from symdemo.encoders.decoders import load_decoder
    from symdemo.evaluation.sentences.layers import token_similarities

    monkeypatch.setattr(words, "token_similarities", token_similarities)
    folder = write_tiny_decoder(tmp_path / "decoder")
    options = {UNTOUCHED: {}, BELLM: {"looking_back": 1, "prompt": "representative-word"}}
    encoders = SharedEncoders(lambda name: load_decoder(folder, device="cpu", **options[name]))
    found = words.read_words(encoders, "Kenya borders Uganda.")
    n = len(found.tokens)
    assert "".join(found.tokens) == "KenyabordersUganda."
    assert found.before.shape == found.after.shape == (n, n)
    assert np.diag(found.after) == pytest.approx(np.ones(n), abs=1e-5)
    assert np.abs(found.after - found.before).max() > 0.01


def test_without_bellm_the_untrained_model_is_drawn():
    loader = FakeLoader(BELLM)
    found = words.read_words(SharedEncoders(loader), CAT)
    assert "Looking back, untrained" in words.draw_pictures(found)["after_title"]
    assert "no training" in words.change_panel(found)
    assert set(loader.loads) == {words.LOOKING_BACK, UNTOUCHED}


@pytest.mark.parametrize(
    ("missing", "first", "told"),
    [((UNTOUCHED, BELLM), CAT, "pip install --no-deps gguf"),
     ((), "word " * (words.MOST_WORDS + 1), f"{words.MOST_WORDS + 1} words")],
)  # fmt: skip
def test_without_pictures_there_is_an_answer_and_a_reason(missing, first, told):
    found = written(SharedEncoders(FakeLoader(*missing)), first)
    assert not found["pictures"].visible
    assert told in found["change"]
    assert "lab-likeness" in found["answer"]


def test_tokens_that_do_not_match_the_words_are_not_drawn(encoders, monkeypatch):
    def reverse(encoder, sentence):
        return fake_tokens(encoder, sentence if encoder.name == UNTOUCHED else sentence[::-1])

    monkeypatch.setattr(words, "token_similarities", reverse)
    assert "do not match" in refusal(words.read_words, encoders, CAT, raising=ModelError)


def test_both_pictures_have_one_scale_and_are_described():
    before = np.array([[1.0, 0.2, 0.5], [0.2, 1.0, 0.3], [0.5, 0.3, 1.0]])
    after = np.array([[1.0, 0.8, 0.5], [0.8, 1.0, 0.35], [0.5, 0.35, 1.0]])
    states = words.WordStates((NASTY, "cat", "cat"), before, after, True)
    drawn = words.draw_pictures(states)
    traces = [trace(drawn[name]) for name in ("before", "after")]
    assert [(one["zmin"], one["zmax"]) for one in traces] == [(0.2, 1), (0.2, 1)]
    assert [one["z"][0] for one in traces] == [[1.0, 0.2, 0.5], [1.0, 0.8, 0.5]]
    axis = json.loads(drawn["before"].plot)["layout"]["xaxis"]
    assert axis["ticktext"][1:] == ["cat", "cat"]  # a repeated word is drawn twice
    told = " ".join(words.change_panel(states).split())
    assert "<b>0.33</b> left to right" in told
    assert "changed most: from 0.20 to 0.80" in told
    assert "and cat 0.80" in drawn["after_caption"].split("Most similar:")[1].split(",")[0]
    assert "<img" not in told + "".join(map(str, drawn.values()))
