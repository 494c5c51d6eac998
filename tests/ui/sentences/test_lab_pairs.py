"""Two sentences: the scale of each encoder, its answers and cards, and pictures of the words."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from lab_fakes import FakeEncoder, FakeLoader, fake_tokens
from refusals import refusal
from ui_fakes import NASTY

from symdemo.errors import InputError, ModelError
from symdemo.jobs.deadline import check_time
from symdemo.ui.api import Endpoints
from symdemo.ui.sentences import comparing, words
from symdemo.ui.sentences.answers import answer_panel, respond
from symdemo.ui.sentences.comparing import BELLM, UNTOUCHED
from symdemo.ui.shared import events
from symdemo.ui.shared.events import UNEXPECTED
from symdemo.ui.shared.store import SharedEncoders

MINILM = comparing.LAB_ENCODERS[-1].name
CAT, DOG = "A cat sleeps.", "A dog barks loudly."


def panel_of(encoders, first=CAT, second=DOG):
    (*_, last) = comparing.compare_all(encoders, first, second)
    return str(answer_panel(last, first, second))


def test_a_scale_holds_the_sorted_cosines_and_is_measured_once():
    encoder = FakeEncoder("one")
    with ThreadPoolExecutor(4) as pool:
        scale, *others = pool.map(lambda _: comparing.measure_scale(encoder), range(4))
    assert all(other is scale for other in others)
    assert len(encoder.seen) == 80
    pairs = comparing.fixed_pairs()
    same = sorted(float(np.dot(*encoder.encode(list(pair)))) for pair in pairs)
    apart = sorted(
        float(np.dot(*encoder.encode([pairs[i][0], pairs[j][1]])))
        for i, j in comparing.unrelated_places(40)
    )
    assert scale.same == pytest.approx(same, abs=1e-5)
    assert scale.unrelated == pytest.approx(apart, abs=1e-5)


def test_the_first_similarity_after_a_start_answers_however_long_loading_takes(
    open_sessions, monkeypatch
):
    class Slow(FakeEncoder):
        def encode(self, inputs, batch_size=64, progress=None):
            time.sleep(0.3 if len(inputs) > 2 else 0)  # the 80 sentences of the scale
            check_time()
            return super().encode(inputs, batch_size, progress)

    def load(name):
        time.sleep(0.3)
        return Slow(name)

    monkeypatch.setattr(events, "SECONDS", 0.25)
    sessions = open_sessions(encoders=SharedEncoders(load))
    found = Endpoints(sessions).how_similar(CAT, DOG)["encoders"]
    assert [row["missing"] for row in found] == [None] * 3


def test_ranks_and_ranges_by_hand():
    scale = comparing.Scale(np.array([0.5, 0.6, 0.7, 0.8]), np.array([0.0, 0.1, 0.2, 0.3, 0.4]))
    ranks = {0.65: (5, 2), 0.2: (2, 0), -1: (0, 0)}  # an equal cosine is not lower
    assert {cosine: scale.ranks(cosine) for cosine in ranks} == ranks
    assert np.array(scale.ranges) == pytest.approx(np.array([(0.04, 0.36), (0.53, 0.77)]))


SHARP = comparing.Scale(np.array([0.5, 0.8]), np.array([0.0, 0.4]))
BLUNT = comparing.Scale(np.linspace(0.9, 0.99, 40), np.linspace(0.88, 0.97, 100))


@pytest.mark.parametrize(
    ("scale", "cosine", "likeness"),
    [(SHARP, 0.7, "same"), (SHARP, 0.1, "unrelated"), (SHARP, 0.45, "between"),
     (BLUNT, 0.94, "either"), (BLUNT, 0.98, "same")],
)  # fmt: skip
def test_likeness(scale, cosine, likeness):
    assert scale.likeness(cosine) == likeness


def test_an_encoder_is_loaded_once_and_tried_again_if_it_was_missing():
    loader = FakeLoader(BELLM)
    encoders = SharedEncoders(loader)
    with ThreadPoolExecutor(6) as pool:
        assert len({id(one) for one in pool.map(encoders.get, [MINILM] * 6)}) == 1
    assert loader.loads == [MINILM]
    with pytest.raises(ModelError):
        encoders.get(BELLM)
    loader.gone.clear()
    assert encoders.get(BELLM).name == BELLM


def test_the_others_answer_if_some_are_missing():
    encoders = SharedEncoders(FakeLoader(UNTOUCHED, BELLM))
    panel = panel_of(encoders)
    assert panel.count("<section") == 1
    assert "only MiniLM answers" in panel
    assert panel.count("pip install --no-deps gguf") == panel.count("lab-missing") == 1
    again = next(comparing.compare_all(encoders, CAT, DOG))
    assert isinstance(again[UNTOUCHED], ModelError)  # not announced again


def test_one_that_fails_is_logged_and_the_others_answer(encoders, caplog):
    panel = panel_of(encoders, "A crash here.")
    assert panel.count(UNEXPECTED) == 3
    assert "secret inner" not in panel
    assert "secret inner detail" in caplog.text


@pytest.mark.parametrize(
    ("text", "words"),
    [("", "is empty"), ("  \n", "is empty"), ("123 !", "“123 !”"), (None, "NoneType"),
     ("x" * 501, "501 characters"), ("A bell \x07 rings.", "U+0007"),
     ("An unreadable one.", "cannot be read")],
)  # fmt: skip
def test_bad_input_is_one_sentence_that_names_the_box(encoders, loader, text, words):
    with pytest.raises(InputError, match="second sentence") as raised:
        list(comparing.compare_all(encoders, CAT, text))
    assert words in str(raised.value)
    assert bool(loader.loads) == (words == "cannot be read")


def test_every_place_lies_within_the_picture_and_sentences_are_escaped(encoders):
    panel = panel_of(encoders, f"{CAT} {NASTY}", f"{CAT} {NASTY}")
    places = [float(part.split("%")[0]) for part in panel.split("left: ")[1:]]
    assert len(places) == 3 * 4
    assert all(0 <= place <= 100 for place in places)
    assert "<b>100 of 100</b>" in panel
    assert "<b>40 of 40</b>" in panel
    assert "<img" not in panel
    assert "&lt;img" in panel


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
    from symdemo.evaluation.sentences.tokens import token_similarities

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
